"""Tokens as numbers: each token's word, ends, shape, clusters and lexicon class, found in one kernel."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.learning.packing import load_arrays, save_arrays
from onoma.text._words_kernels import COLUMNS, USAGE_COLUMNS, build_table, describe, hash_words
from onoma.text.characters import tables_for
from onoma.text.clusters import Clusters
from onoma.text.tokens import Tokens
from onoma.text.usage import Usage

__all__ = ["COLUMNS", "USAGE_COLUMNS", "WordTable", "attributes_of", "token_keys", "word_keys"]


@dataclass(frozen=True, eq=False)
class WordTable:
    """What is known of words before any sentence is read, by the hash of the word in small letters with digits as 0."""

    keys: NDArray[np.uint32]
    values: NDArray[np.uint16]
    """Words × (finest, middle and coarsest cluster; lexicon class; common tags; capitals), 0 where unknown."""

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """The hash table."""
        return np.asarray(build_table(self.keys))

    @classmethod
    def of(cls, clusters: Clusters | None, classes: Mapping[str, int], usage: Usage | None = None) -> "WordTable":
        """Join clusters, a lexicon's classes and how words are used."""
        rows: dict[str, list[int]] = {}
        if clusters is not None:
            for word, labels in zip(clusters.words, clusters.labels.tolist(), strict=True):
                rows[word] = [label + 1 for label in labels] + [0, 0, 0]
        tables = (classes, usage.tags, usage.capitals) if usage else (classes,)
        for k, table in enumerate(tables):
            for word, value in table.items():
                rows.setdefault(word, [0, 0, 0, 0, 0, 0])[3 + k] = value
        keys = word_keys(list(rows))
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], np.array(list(rows.values()), np.uint16).reshape(-1, 6)[order])

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`."""
        save_arrays(path, "text/words", {}, {"keys": self.keys, "values": self.values})

    @classmethod
    def load(cls, path: str | Path) -> "WordTable":
        """Read what `save` wrote."""
        _, arrays = load_arrays(path, "text/words")
        return cls(arrays["keys"], arrays["values"])


def word_keys(words: list[str]) -> NDArray[np.uint32]:
    """Return each word's key in a `WordTable`."""
    return token_keys(Tokens.of_words([words]))


def token_keys(tokens: Tokens) -> NDArray[np.uint32]:
    """Return the key of each token's word in a `WordTable`."""
    return np.asarray(hash_words(tokens.codes, tokens.starts, tokens.ends, *tables_for(tokens.codes)))


def attributes_of(tokens: Tokens, table: WordTable, n_more: int = 0, *, usage: bool = False) -> NDArray[np.uint32]:
    """Return tokens × columns: those named in `COLUMNS`, then `n_more` empty ones for what models find.

    With `usage`, the columns named in `USAGE_COLUMNS` stand between the two.
    """
    n_usage = len(USAGE_COLUMNS) if usage else 0
    out = np.zeros((len(tokens), len(COLUMNS) + n_usage + n_more), np.uint32)
    classes, lower = tables_for(tokens.codes)
    describe(
        tokens.codes,
        tokens.starts,
        tokens.ends,
        tokens.sentences,
        classes,
        lower,
        table.places,
        table.keys,
        table.values,
        4 + n_usage,
        out,
    )
    return out
