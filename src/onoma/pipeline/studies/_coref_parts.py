"""The parts of OntoGUM for studies of coreference, annotated by our own stages."""

from onoma.coref.model import Annotated
from onoma.corpus.formats import read_corpus
from onoma.pipeline.coref_sets import annotated_documents
from onoma.pipeline.reproduce import Context

__all__ = ["ontogum"]


def ontogum(context: Context) -> tuple[list[Annotated], list[Annotated], list[Annotated]]:
    """Return training, development and test documents; quick: six each, and development documents for the test."""
    parts = []
    for part in ("train", "dev") if context.quick else ("train", "dev", "test"):
        corpus = read_corpus(context.file(f"text/gum/ontogum_{part}.conll12.gz"), format="conll2012")
        parts.append(annotated_documents(corpus, limit=6 if context.quick else None, genres=False))
    return parts[0], parts[1], parts[-1]
