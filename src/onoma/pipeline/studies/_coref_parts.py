"""The parts of OntoGUM for studies of coreference, annotated by our own stages."""

from functools import cache
from pathlib import Path

from onoma.coref.model import Annotated
from onoma.corpus.formats import read_corpus
from onoma.pipeline.coref_sets import annotated_documents
from onoma.pipeline.reproduce import Context
from onoma.pipeline.text.held_out import unseen_stages

__all__ = ["ontogum", "ontogum_part"]


def ontogum(context: Context) -> tuple[list[Annotated], list[Annotated], list[Annotated]]:
    """Return training, development and test documents; quick: six each, and development documents for the test."""
    parts = [ontogum_part(context, part) for part in (("train", "dev") if context.quick else ("train", "dev", "test"))]
    return parts[0], parts[1], parts[-1]


def ontogum_part(context: Context, part: str) -> list[Annotated]:
    """Return the documents of one part; quick: six.

    Training documents that our stages learnt from are annotated by stages that did not; not so where it is to be quick.
    """
    return _part(context.file(f"text/gum/ontogum_{part}.conll12.gz"), part, context.seed, quick=context.quick)


@cache  # one study after the other, in one process
def _part(file: Path, part: str, seed: int, *, quick: bool) -> list[Annotated]:
    stages = unseen_stages(file.parents[2], seed=seed) if part == "train" and not quick else None
    corpus = read_corpus(file, format="conll2012")
    return annotated_documents(corpus, limit=6 if quick else None, genres=False, stages=stages)
