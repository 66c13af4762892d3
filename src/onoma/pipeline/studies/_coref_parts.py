"""The parts of OntoGUM for studies of coreference, annotated by our own stages."""

from onoma.coref.model import Annotated
from onoma.corpus.formats import read_corpus
from onoma.pipeline.coref_sets import annotated_documents
from onoma.pipeline.reproduce import Context

__all__ = ["ontogum", "ontogum_part"]


def ontogum(context: Context) -> tuple[list[Annotated], list[Annotated], list[Annotated]]:
    """Return training, development and test documents; quick: six each, and development documents for the test."""
    parts = [ontogum_part(context, part) for part in (("train", "dev") if context.quick else ("train", "dev", "test"))]
    return parts[0], parts[1], parts[-1]


def ontogum_part(context: Context, part: str) -> list[Annotated]:
    """Return the documents of one part; quick: six."""
    corpus = read_corpus(context.file(f"text/gum/ontogum_{part}.conll12.gz"), format="conll2012")
    return annotated_documents(corpus, limit=6 if context.quick else None, genres=False)
