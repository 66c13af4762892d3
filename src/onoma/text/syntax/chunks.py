"""Chunks: the flat phrases of a sentence (NP, VP, PP…), by a linear chain over words, clusters and Penn tags.

The task of CoNLL-2000 (Tjong Kim Sang and Buchholz), whose text may be used for research: no chunker ships, and this is
how to learn one. Features are words and tags two to the left and right and their neighbours' combinations (Sha and
Pereira, 2003), with word clusters beside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.learning.packing import load_arrays, save_arrays
from onoma.learning.sequences.sequence import ChainTraining
from onoma.progress import SILENT, Progress
from onoma.text.names.sequences import SequenceTagger
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS, WordTable, attributes_of

__all__ = ["Chunker", "learn_chunks"]

_TEMPLATES = (
    "lower lower-1 lower+1 lower-2 lower+2 lower-1&lower lower&lower+1 word flags suffix2 suffix3 suffix4 shape "
    "tag tag-1 tag+1 tag-2 tag+2 tag-1&tag tag&tag+1 tag-2&tag-1 tag+1&tag+2 tag-2&tag-1&tag tag-1&tag&tag+1 "
    "tag&tag+1&tag+2 lower&tag lower-1&tag lower&tag+1 lower&tag-1 lower+1&tag tag-1&lower&tag+1 "
    "tag-2&tag-1&tag&tag+1 tag-1&tag&tag+1&tag+2 lower-1&tag-1&tag lower+1&tag+1&tag cluster cluster-1 cluster+1 "
    "cluster_mid cluster_mid-1 cluster_mid+1 cluster&tag cluster_mid-1&tag cluster_mid+1&tag "
    "cluster_mid-1&cluster_mid cluster_mid&cluster_mid+1 cluster_mid-1&tag&cluster_mid+1 lexicon lexicon&tag "
)


@dataclass(frozen=True, eq=False)
class Chunker:
    """Finds chunks."""

    words: WordTable
    tags: tuple[str, ...]
    tagger: SequenceTagger

    def label(self, tokens: Tokens, tags: Sequence[str]) -> list[str]:
        """Return the BIO label of each token."""
        codes = self.tagger.decode(_columns(tokens, tags, self.tags, self.words), tokens.sentences)
        return [self.tagger.chain.labels[code] for code in codes.tolist()]

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`."""
        save_arrays(path, "text/chunks", {**self.tagger.header(), "tags": self.tags}, self.tagger.arrays())

    @classmethod
    def load(cls, path: str | Path, words: WordTable) -> "Chunker":
        """Read what `save` wrote."""
        header, arrays = load_arrays(path, "text/chunks")
        return cls(words, tuple(header["tags"]), SequenceTagger.of(header, arrays))


def learn_chunks(
    tokens: Tokens,
    tags: Sequence[str],
    labels: Sequence[str],
    words: WordTable,
    *,
    n_epochs: int = 8,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Chunker:
    """Learn chunks from tokens, their Penn tags and their BIO labels.

    Examples
    --------
    >>> words = WordTable(np.zeros(0, np.uint32), np.zeros((0, 4), np.uint16))
    >>> tokens = Tokens.of_words([["the", "cat", "sat"]] * 20)
    >>> chunker = learn_chunks(tokens, ["DT", "NN", "VBD"] * 20, ["B-NP", "I-NP", "B-VP"] * 20, words)
    >>> chunker.label(Tokens.of_words([["a", "dog", "ran"]]), ["DT", "NN", "VBD"])
    ['B-NP', 'I-NP', 'B-VP']
    """
    if not len(tokens) == len(tags) == len(labels):
        raise DataError(f"{len(tokens):,} tokens, {len(tags):,} tags, {len(labels):,} labels; there must be one each")
    known, kinds = tuple(sorted(set(tags))), ["O", *sorted(set(labels) - {"O"})]
    place = {label: code for code, label in enumerate(kinds)}
    tagger = SequenceTagger.learn(
        _columns(tokens, tags, known, words),
        tokens.sentences,
        np.array([place[label] for label in labels], np.int32),
        kinds,
        (*COLUMNS, "tag"),
        _TEMPLATES,
        ChainTraining(n_epochs=n_epochs, least=0.02, seed=seed),
        progress=progress,
    )
    return Chunker(words, known, tagger)


def _columns(tokens: Tokens, tags: Sequence[str], known: Sequence[str], words: WordTable) -> NDArray[np.uint32]:
    place = {tag: code + 1 for code, tag in enumerate(known)}
    columns = attributes_of(tokens, words, 1)
    columns[:, -1] = [place.get(tag, 0) for tag in tags]
    return columns
