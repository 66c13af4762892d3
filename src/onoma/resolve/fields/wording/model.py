"""A small classifier of values that are words: person, organisation, place or text, in any case, order and script.

A value is written in small letters without accents (its punctuation stays: `Wang, Y.` and `St.` say much; digits become
0) and cut into overlapping pieces of one to four letters, word ends marked, each word also whole. A piece has a hashed
number h, and

    P(class | value) ∝ exp(b_class + Σ_h x_h w_(h, class)),     x of length one.

A column's evidence is the mean over its values of log P, each held above log 0.02: a value in fifty may be anything.
So no single list of names must hold a word for its column to be understood, and a slip changes little.

The weights are learnt from simulated values (`simulate.py`), never from data, and are shipped: 2¹⁴ × 4 numbers. Cost:
about 10 microseconds a value.
"""

import json
import re
import unicodedata
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp

__all__ = ["CLASSES", "Wording", "pieces", "shipped_wording"]

CLASSES = ("person", "organisation", "place", "text")
N_PIECES = 1 << 14
_LARGEST = 4
"""Letters of a piece that is no word."""
_LONGEST = 80
"""Characters of a value that are looked at: a name is shorter, and what a longer text is, its beginning says."""
_FLOOR = float(np.log(0.02))
_FILE = "wording.npz"
_FIGURES = str.maketrans("123456789", "0" * 9)
_ASIDE = re.compile(r"\s*\([^()]*\)|@[a-z]{2}$", re.IGNORECASE)
"""What is said about a value and is no part of it: `(director)`, a mark of language."""


def pieces(text: str) -> list[str]:
    """Return the pieces of a value.

    Examples
    --------
    >>> pieces("Li")
    ['=li', ' ', 'l', 'i', ' ', ' l', 'li', 'i ', ' li', 'li ', ' li ']
    """
    words = _written(text).split()
    framed = f" {' '.join(words)} "
    found = [f"={word}" for word in words]
    for size in range(1, _LARGEST + 1):
        found += [framed[i : i + size] for i in range(len(framed) - size + 1)]
    return found


def _written(text: str) -> str:
    apart = _ASIDE.sub("", text)[:_LONGEST].casefold()
    if apart.isascii():
        return apart.translate(_FIGURES)
    apart = unicodedata.normalize("NFKD", apart)
    return "".join("0" if sign.isdigit() else sign for sign in apart if not unicodedata.combining(sign))


def features(values: Sequence[str]) -> "sp.csr_matrix":
    """Return the pieces of values as rows of length one; the last column is always one."""
    import scipy.sparse as sp  # slow to load, and only training and the alignment of files need it

    row, column, share = _entries(values)
    always = np.arange(len(values))
    rows, columns = np.append(row, always), np.append(column, np.full(len(values), N_PIECES))
    entries = np.append(share, np.ones(len(values)))
    return sp.csr_matrix((entries, (rows, columns)), shape=(len(values), N_PIECES + 1))


def _entries(values: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return value, piece and share of each piece that a value has; a value's shares have length one."""
    place = {value: at for at, value in enumerate(dict.fromkeys(values))}  # where values are few, each comes often
    rows, numbers = _numbers([*place])
    keys, counts = np.unique(rows * N_PIECES + numbers, return_counts=True)
    row, column = keys // N_PIECES, keys % N_PIECES
    lengths = np.sqrt(np.bincount(row, counts.astype(np.float64) ** 2, len(place)))
    share = counts / np.maximum(lengths, 1e-9)[row]
    if len(place) == len(values):
        return row, column, share
    at = np.array([place[value] for value in values], dtype=np.int64)
    sizes = np.bincount(row, minlength=len(place))
    starts, sizes = (np.cumsum(sizes) - sizes)[at], sizes[at]
    use = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    return np.repeat(np.arange(len(values)), sizes), column[use], share[use]


def _numbers(values: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the hashed numbers of the pieces of all values, and which value each is of."""
    rows: list[int] = []
    numbers: list[int] = []
    framed, owners = [], []
    for row, value in enumerate(values):
        written = _written(value)
        words = written.split()
        if written.isascii():
            framed.append(f" {' '.join(words)} ")
            owners.append(row)
            found = [_number(f"={word}") for word in words]
        else:
            found = [_number(piece) for piece in pieces(value)]
        numbers += found
        rows += [row] * len(found)
    owner = np.repeat(np.array(owners, dtype=np.int64), [len(each) for each in framed])
    letters = np.frombuffer("".join(framed).encode(), dtype=np.uint8)
    every, hashed = [np.array(rows, dtype=np.int64)], [np.array(numbers, dtype=np.int64)]
    state = np.full(len(letters), 0xFFFFFFFF, dtype=np.uint32)
    for size in range(min(_LARGEST, len(letters))):  # from every letter on, one more at a time
        last = len(letters) - size
        state = _CRC[(state[:last] ^ letters[size:]) & 0xFF] ^ (state[:last] >> 8)
        inside = owner[:last] == owner[size:]
        every.append(owner[:last][inside])
        hashed.append((~state[inside] % N_PIECES).astype(np.int64))
    return np.concatenate(every), np.concatenate(hashed)


def _crc_table() -> NDArray[np.uint32]:
    """Return what the checksum of `zlib.crc32` makes of each byte."""
    found = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        found = np.where(found & 1, found >> 1 ^ np.uint32(0xEDB88320), found >> 1)
    return found


_CRC = _crc_table()


@lru_cache(1 << 16)
def _number(piece: str) -> int:
    """Return the hashed number of a piece; most come again and again."""
    return zlib.crc32(piece.encode()) % N_PIECES


class Wording:
    """The learnt weights.

    Parameters
    ----------
    weights
        By piece (the last: always) and class.
    """

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self.weights = weights

    def log_shares(self, values: Sequence[str]) -> NDArray[np.float64]:
        """Return log P(class | value), by value and class."""
        row, column, share = _entries(values)
        weighed = self.weights[column] * share[:, None]
        scores = np.stack([np.bincount(row, each, len(values)) for each in weighed.T], axis=1) + self.weights[-1]
        scores -= scores.max(axis=1, keepdims=True)
        return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))

    def evidence(self, values: Sequence[str], weights: NDArray[np.float64] | None = None) -> dict[str, float]:
        """Return the evidence of a column for each class: the mean over values of log P, a value's held above a floor.

        Parameters
        ----------
        values
            Some of its values.
        weights
            What each counts; all alike if not given.
        """
        if not values:
            return dict.fromkeys(CLASSES, float(np.log(1 / len(CLASSES))))
        means = np.average(np.maximum(self.log_shares(values), _FLOOR), axis=0, weights=weights)
        return dict(zip(CLASSES, means.tolist(), strict=True))


@cache
def shipped_wording() -> Wording:
    """Return the classifier that comes with Onoma.

    Examples
    --------
    >>> found = shipped_wording().evidence(["schmidt, peter", "garcía lópez, m.", "o'neill, k"])
    >>> max(found, key=found.get)
    'person'
    """
    with (files("onoma.resolve.fields.wording") / _FILE).open("rb") as file, np.load(file, allow_pickle=False) as kept:
        classes = tuple(json.loads(str(kept["classes"])))
        if classes != CLASSES:
            raise ValueError(f"the shipped classifier knows {classes}, not {CLASSES}")
        return Wording(kept["weights"].astype(np.float32))
