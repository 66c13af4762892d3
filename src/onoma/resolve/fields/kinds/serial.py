"""Codes in series: model, part and serial numbers, whose neighbours are other things.

A telephone number one sign away is the same number, misspelt. A model number one sign away is the next model. What
tells them apart is in the column: where codes are in series, more of them have a neighbour one sign away than come
again, and nobody misspells every other code.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.resolve.fields._bags_kernels import deletion_hashes
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.kinds.code import Code, CodeComparison
from onoma.resolve.fields.packed.texts import ArrowTexts, Texts, arrow_of

__all__ = ["CODES", "Serial", "SerialComparison", "series_of"]

CODES = ("code", "serial")
"""Kinds of codes."""
_FEWEST = 100
"""Different codes from which on a series can be told."""
_MOST = 20_000
"""Different codes that are looked at, about."""
_BEGINNING = 3
"""Signs that the codes of a series begin with alike: all codes of a beginning are looked at, or none."""
_SHORTEST = 4
"""Signs of a code: of shorter ones any two are near each other."""


class Serial(Code):
    """Codes of which those one sign away are other things."""

    name = "serial"
    is_alone = True

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "SerialComparison":
        """Keep the codes as they are."""
        del counts
        return SerialComparison(values)


class SerialComparison(CodeComparison):
    """Codes that are equal, or one within the other, or different however little differs.

    Examples
    --------
    >>> codes = SerialComparison(["kx133", "kx136", "kx133bk"])
    >>> [codes.levels[level] for level in codes.compare(np.array([0, 0]), np.array([1, 2]))]
    ['different', 'one within the other']
    """

    levels = ("equal", "one within the other", "different")

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        texts = self._texts
        shorter = np.minimum(texts.lengths[a], texts.lengths[b])
        return np.where((shorter >= _SHORTEST) & texts.is_within(a, b), 1, 2).astype(np.int8)


def series_of(raw: Sequence[str], counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return the part of records whose code has a neighbour one sign away, and of those whose code comes again.

    Neighbours that codes have by chance are taken off: as many as there are when the signs of each place are dealt
    anew. Of numbers of seven figures drawn at random, nearly all of 50,000 have one.

    Parameters
    ----------
    raw, counts
        Distinct values as they are written, and the number of records with each.

    Examples
    --------
    >>> lines = "QV8TR WK3ZD HJ5PN BX9LC TM2FS RG7YK ZD4VH PN6XB LC1WT FS9QM YK3RJ".split()
    >>> near, again = series_of([f"{line}-{k}" for line in lines for k in range(10)], np.ones(110, dtype=np.int64))
    >>> near > 0.9, again
    (True, 0.0)
    """
    encoded = arrow_of(Serial().normalise(raw)).dictionary_encode()
    written, counted = encoded.dictionary, np.bincount(np.asarray(encoded.indices), counts)
    if len(written) > _MOST:
        chosen = _of_some_beginnings(written)
        written, counted = written.take(pa.array(chosen)), counted[chosen]
    texts = Texts(ArrowTexts(written))
    long = np.flatnonzero(texts.lengths >= _SHORTEST)
    if len(long) < _FEWEST:
        return 0.0, 1.0
    n = float(counted.sum())
    near, by_chance = (
        float(counted[_with_neighbour(letters, texts.offsets, long)].sum()) / n
        for letters in (texts.letters, _dealt_anew(texts, long))
    )
    return max(near - by_chance, 0.0), float(counted[counted > 1].sum()) / n


def _with_neighbour(
    letters: NDArray[np.uint16], offsets: NDArray[np.int64], chosen: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return which of some texts differ from another one in one letter: wrong, extra, missing or in the next place."""
    hashes, rows = deletion_hashes(letters, offsets, chosen)
    order = np.lexsort((rows, hashes))
    hashes, rows = hashes[order], rows[order]
    meets = (hashes[1:] == hashes[:-1]) & (rows[1:] != rows[:-1])
    return np.unique(np.concatenate([rows[1:][meets], rows[:-1][meets]]))


def _dealt_anew(texts: Texts, chosen: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Return the letters of texts, those of each place dealt anew among the chosen texts of one length."""
    rng, letters = stream(0, "series"), texts.letters.copy()
    for length in np.unique(texts.lengths[chosen]).tolist():
        begins = texts.offsets[:-1][chosen[texts.lengths[chosen] == length]]
        for place in range(length):
            letters[begins + place] = rng.permutation(letters[begins + place])
    return letters


def _of_some_beginnings(written: pa.Array) -> NDArray[np.int64]:
    """Return about so many codes as are looked at, all that begin alike or none of them."""
    beginnings = pc.utf8_slice_codeunits(written, 0, _BEGINNING).dictionary_encode()
    number = np.asarray(beginnings.indices)
    order = stream(0, "series").permutation(len(beginnings.dictionary))
    sizes = np.bincount(number, minlength=len(order))[order]
    taken = np.zeros(len(order), dtype=np.bool_)
    taken[order[: int(np.searchsorted(np.cumsum(sizes), _MOST)) + 1]] = True
    return np.flatnonzero(taken[number])
