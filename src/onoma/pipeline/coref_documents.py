"""Annotated text as coreference reads it: the tables of `text`, and the clusters of its words."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow.compute as pc

from onoma.coref.discourse.letters import with_letters
from onoma.coref.discourse.quotations import with_quotations
from onoma.coref.discourse.trees import with_appositions
from onoma.coref.discourse.turns import with_called, with_turns
from onoma.coref.document import Document, documents_of
from onoma.coref.model import Annotated
from onoma.corpus.corpus import Corpus
from onoma.corpus.documents import Annotations
from onoma.text.annotate import MODELS
from onoma.text.documents.annotator import DocumentAnnotator
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS, WordTable, attributes_of

__all__ = ["coref_documents", "given_mentions", "with_clusters"]

_CLUSTERS = [COLUMNS.index(name) for name in ("cluster", "cluster_mid", "cluster_coarse")]


def coref_documents(annotations: Annotations, *, genre: str = "") -> list[Document]:
    """Return each document of a batch, with the clusters of its words and with who speaks to whom in it."""
    return [_told(document) for document in documents_of(annotations, genre=genre)]


def _told(document: Document) -> Document:
    for read in (with_turns, with_letters, with_quotations, with_appositions, with_called, with_clusters):
        document = read(document)
    return document


def given_mentions(corpus: Corpus, *, limit: int | None = None) -> Iterator[tuple[Annotated, Annotations]]:
    """Annotate the words of each document of a corpus by our own stages; keep its chains and speakers."""
    stages = DocumentAnnotator.load()
    chain_of = dict(zip(corpus.chains["mention"].to_pylist(), corpus.chains["chain"].to_pylist(), strict=True))
    for row in corpus.documents.to_pylist()[:limit]:
        tokens, own = (
            table.filter(pc.and_(pc.equal(table["document"], row["document"]), pc.equal(table["part"], row["part"])))
            for table in (corpus.tokens, corpus.mentions)
        )
        cut = _sentences(tokens["word"].to_pylist(), tokens["sentence"].to_pylist())
        annotations = stages.annotate_words([(row["document"], cut)])
        (document,) = documents_of(annotations)
        speakers = ["" if each in (None, "-", "_") else each for each in tokens["speaker"].to_pylist()]
        spans = zip(own["start"].to_pylist(), own["end"].to_pylist(), strict=True)
        chains = {span: chain_of[name] for span, name in zip(spans, own["id"].to_pylist(), strict=True)}
        yield Annotated(_told(replace(document, speakers=speakers)), chains), annotations


def _sentences(words: Sequence[str], numbers: Sequence[int]) -> list[list[str]]:
    cut: list[list[str]] = []
    for k, (word, number) in enumerate(zip(words, numbers, strict=True)):
        if k == 0 or number != numbers[k - 1]:
            cut.append([])
        cut[-1].append(word)
    return cut


def with_clusters(document: Document) -> Document:
    """Return a document with the clusters of its words, from the models that come with Onoma."""
    if not len(document):
        return document
    table = attributes_of(Tokens.of_words([list(document.words)]), _words())
    return replace(document, clusters=table[:, _CLUSTERS].astype(np.int64))


@cache
def _words() -> WordTable:
    return WordTable.load(MODELS / "words.npz")
