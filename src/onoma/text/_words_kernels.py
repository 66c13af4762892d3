"""Kernels that turn tokens into numbers: hashes of the word, its ends and its shape; tables looked up by hash."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.text.characters import CASED_LOWER, CASED_UPPER, DIGIT, LETTER, MARK

__all__ = ["COLUMNS", "USAGE_COLUMNS", "build_table", "describe", "hash_words", "look_up", "look_up_all"]

COLUMNS = (
    "word", "lower", "suffix1", "suffix2", "suffix3", "suffix4", "prefix1", "prefix2", "prefix3", "prefix4",
    "shape", "flags", "cluster", "cluster_mid", "cluster_coarse", "lexicon",
)  # fmt: skip
"""What is known of a token before any model has looked at it."""
USAGE_COLUMNS = ("common", "capitals")
"""How a word is used in open text: columns for those who ask."""
_START = np.uint32(2166136261)
_STEP = np.uint32(16777619)


@nb.njit("uint32(uint32, uint32)", cache=True, nogil=True, inline="always")
def _join(value: np.uint32, code: np.uint32) -> np.uint32:
    """One step of FNV-1a over whole code points, with a shift so that high bits reach low ones."""
    value = np.uint32((value ^ code) * _STEP)
    return np.uint32(value ^ (value >> np.uint32(15)))


@nb.njit(cache=True, nogil=True)
def hash_words(
    codes: NDArray[np.uint32],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    classes: NDArray[np.uint8],
    lower: NDArray[np.uint32],
) -> NDArray[np.uint32]:
    """Return the hash of each word in small letters with digits as 0: the key of tables of words."""
    out = np.empty(len(starts), np.uint32)
    for i in range(len(starts)):
        value = _START
        for k in range(starts[i], ends[i]):
            code = codes[k]
            value = _join(value, np.uint32(48) if classes[code] == DIGIT else lower[code])
        out[i] = value
    return out


@nb.njit(cache=True, nogil=True)
def build_table(keys: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return an open-addressed table of at least twice as many places: the row of each key, -1 where empty."""
    size = 16
    while size < 2 * len(keys):
        size *= 2
    table = np.full(size, np.int32(-1), np.int32)
    for row in range(len(keys)):
        place = (np.int64(keys[row]) * 0x9E3779B1 >> 7) & (size - 1)
        while table[place] >= 0 and keys[table[place]] != keys[row]:
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = row
    return table


@nb.njit(cache=True, nogil=True)
def look_up(table: NDArray[np.int32], keys: NDArray[np.uint32], key: np.uint32) -> int:
    """Return the row of a key, or -1."""
    size = len(table)
    place = (np.int64(key) * 0x9E3779B1 >> 7) & (size - 1)
    while table[place] >= 0:
        if keys[table[place]] == key:
            return int(table[place])
        place = (place + 1) & (size - 1)
    return -1


@nb.njit(cache=True, nogil=True)
def describe(
    codes: NDArray[np.uint32],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    sentences: NDArray[np.int32],
    classes: NDArray[np.uint8],
    lower: NDArray[np.uint32],
    table: NDArray[np.int32],
    keys: NDArray[np.uint32],
    values: NDArray[np.uint16],
    n_values: int,
    out: NDArray[np.uint32],
) -> None:
    """Fill a row for each token, in the order of `COLUMNS`; then the first `n_values` of the table."""
    for s in range(len(sentences) - 1):
        for i in range(sentences[s], sentences[s + 1]):
            _describe_one(codes, starts[i], ends[i], classes, lower, out[i])
            flags = out[i, 11]
            if i == sentences[s]:
                flags |= np.uint32(64)
            out[i, 11] = flags
            row = look_up(table, keys, out[i, 1])
            for k in range(n_values):
                out[i, 12 + k] = values[row, k] if row >= 0 else 0


@nb.njit(cache=True, nogil=True)
def _describe_one(
    codes: NDArray[np.uint32],
    start: int,
    end: int,
    classes: NDArray[np.uint8],
    lower: NDArray[np.uint32],
    row: NDArray[np.uint32],
) -> None:
    word, small, shape = _START, _START, _START
    last_class, run, n_upper, n_lower, n_digit, n_other = 0, 0, 0, 0, 0, 0
    for k in range(start, end):
        code = codes[k]
        kind = classes[code]
        if kind == DIGIT:
            n_digit += 1
            word, small = _join(word, np.uint32(48)), _join(small, np.uint32(48))
        else:
            word, small = _join(word, code), _join(small, lower[code])
        if kind == CASED_UPPER:
            n_upper += 1
        elif kind in (CASED_LOWER, LETTER):
            n_lower += 1
        elif kind != DIGIT and kind != MARK:
            n_other += 1
        run = run + 1 if kind == last_class else 1
        last_class = kind
        if run <= 2:
            is_word = kind in (CASED_LOWER, CASED_UPPER, DIGIT, LETTER)
            shape = _join(shape, np.uint32(kind) if is_word else code)
        if k - start < 4:
            row[6 + k - start] = small
    for k in range(end - start, 4):
        row[6 + k] = 0
    row[0], row[1], row[10] = word, small, shape
    value = _START
    for length in range(1, 5):
        if end - length >= start:
            code = codes[end - length]
            value = _join(value, np.uint32(48) if classes[code] == DIGIT else lower[code])
            row[1 + length] = value
        else:
            row[1 + length] = 0
    first_upper = classes[codes[start]] == CASED_UPPER
    row[11] = (
        (1 if first_upper else 0)
        + (2 if n_upper > 1 and n_lower == 0 else 0)
        + (4 if n_digit > 0 else 0)
        + (8 if n_other > 0 else 0)
        + (16 if n_lower > 0 else 0)
        + (32 if n_upper > 0 and not first_upper else 0)
    )


@nb.njit(cache=True, nogil=True)
def look_up_all(table: NDArray[np.int32], keys: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return the row of each key, or -1."""
    out = np.empty(len(wanted), np.int32)
    for i in range(len(wanted)):
        out[i] = look_up(table, keys, wanted[i])
    return out
