"""Kernels of `names`: features of tokens as rows of weights, and phrases of a gazetteer found in text."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.text._linear_kernels import slot_of
from onoma.text._slots_kernels import row_of
from onoma.text._words_kernels import look_up

__all__ = ["feature_rows", "find_phrases", "phrase_keys", "word_levels"]


@nb.njit(cache=True, nogil=True)
def feature_rows(
    attributes: NDArray[np.uint32],
    sentences: NDArray[np.int32],
    templates: NDArray[np.int16],
    shift: int,
    marks: NDArray[np.uint64],
    before: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Return tokens × templates: the row of the weights of each feature, -1 for one that was too rare to keep."""
    ids = np.empty((len(attributes), len(templates)), np.int32)
    for s in range(len(sentences) - 1):
        for i in range(sentences[s], sentences[s + 1]):
            for t in range(len(templates)):
                slot = slot_of(attributes, sentences[s], sentences[s + 1], i, templates, t, np.uint64(shift))
                ids[i, t] = row_of(marks, before, slot)
    return ids


@nb.njit("uint32(uint32, uint32)", cache=True, nogil=True, inline="always")
def _joined(key: np.uint32, word: np.uint32) -> np.uint32:
    """Add a word's hash to that of a phrase."""
    mixed = (np.uint64(key) ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
    return np.uint32(mixed >> np.uint64(32))


@nb.njit(cache=True, nogil=True)
def phrase_keys(words: NDArray[np.uint32], ptr: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the key of each phrase from the hashes of its words."""
    keys = np.empty(len(ptr) - 1, np.uint32)
    for p in range(len(ptr) - 1):
        key = np.uint32(0)
        for k in range(ptr[p], ptr[p + 1]):
            key = _joined(key, words[k])
        keys[p] = key
    return keys


@nb.njit(cache=True, nogil=True)
def find_phrases(
    words: NDArray[np.uint32],
    is_open: NDArray[np.bool_],
    sentences: NDArray[np.int32],
    places: NDArray[np.int32],
    keys: NDArray[np.uint32],
    kinds: NDArray[np.uint16],
    longest: int,
    found: NDArray[np.uint32],
) -> None:
    """Mark the phrases of a gazetteer in `found`, tokens × kinds: 1 alone, 2 first, 3 inside, 4 last; 0 none.

    A phrase begins and ends at a token that is open (written with a capital, say). For each kind the longest phrase
    wins, and the leftmost of equals.
    """
    n_kinds = found.shape[1]
    until = np.empty(n_kinds, np.int64)
    for s in range(len(sentences) - 1):
        begin, end = sentences[s], sentences[s + 1]
        until[:] = begin
        for i in range(begin, end):
            if not is_open[i]:
                continue
            key = np.uint32(0)
            reach = min(end, i + longest)
            best = np.zeros(n_kinds, np.int64)
            for j in range(i, reach):
                key = _joined(key, words[j])
                if is_open[j]:
                    row = look_up(places, keys, key)
                    if row >= 0:
                        for k in range(n_kinds):
                            if kinds[row] >> k & 1:
                                best[k] = j + 1
            for k in range(n_kinds):
                if best[k] > until[k] and (i >= until[k]):
                    until[k] = best[k]
                    for j in range(i, best[k]):
                        found[j, k] = 3
                    found[best[k] - 1, k] = 4
                    found[i, k] = 1 if best[k] == i + 1 else 2


@nb.njit(cache=True, nogil=True)
def word_levels(
    words: NDArray[np.uint32], places: NDArray[np.int32], keys: NDArray[np.uint32], levels: NDArray[np.uint8]
) -> NDArray[np.uint32]:
    """Return the levels of each word, 0 where it is not listed."""
    out = np.zeros((len(words), levels.shape[1]), np.uint32)
    for i in range(len(words)):
        row = look_up(places, keys, words[i])
        if row >= 0:
            for k in range(levels.shape[1]):
                out[i, k] = levels[row, k]
    return out
