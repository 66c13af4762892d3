"""How alike names are, as evidence that two mentions are one entity's.

Names are compared as they are usually written: folded, without articles and possessives. Two names score the mean of
two likenesses, the cosine of their letter n-grams (rare ones weigh more) and 1 - edit distance / length; equal names
score 1. Then it matters how one name is part of the other, and where. *Smith* in *John Smith* may be the same; *Paris*
in *Bank of Paris*, *York* in *York Road* are something else; within one document or one story a shorter form is more
often the same than across them. Names that are hardly ever written with a capital (*the driver*) are nobody's own:
across stories they say little.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from onoma.resolve.fields.writing import element_wise, fold
from onoma.resolve.models.cross_document.text import function_words
from onoma.resolve.names.candidates import near_names
from onoma.resolve.names.names import WordedNames

__all__ = ["NameEvidence", "NameWeights", "compare_names", "normal_name"]

_POSSESSIVE = re.compile(r"['’]s\b")
_ALIKE = 0.5
"""Edit similarity from which it counts."""
_LEAST = 0.1
"""Cosine from which names are alike at all."""
_WORTH = 0.3
"""Scores below are as good as none, and are not kept."""
_GRAMS = (2, 3, 4)


@dataclass(frozen=True)
class NameWeights:
    """What adds to the likeness of names.

    Chosen once, on the development parts of three corpora (GUM, HIPE-2022, ECB+).
    """

    here: float = 0.15
    """Any likeness, within a story."""
    ends_here: float = 0.3
    """One name is the end of the other, within a story."""
    ends: float = -0.1
    """The same, across stories."""
    part_here: float = -0.2
    """One name is another part of the other, or its end after a preposition, within a story."""
    part: float = -0.1
    small: float = -0.6
    """One of the names is never written with a capital, across stories."""


@dataclass(frozen=True, eq=False)
class NameEvidence:
    """For every name, the names near it and what they score; the name itself among them."""

    of: NDArray[np.int64]
    """The name of each mention."""
    names: Sequence[str]
    offsets: NDArray[np.int64]
    near: NDArray[np.int64]
    elsewhere: NDArray[np.float32]
    """Across stories."""
    here: NDArray[np.float32]
    """Within one, besides."""

    def columns(self) -> dict[str, pa.Array]:
        """Return columns of a table of mentions."""
        lengths = np.diff(self.offsets)[self.of]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        at = np.arange(offsets[-1]) + np.repeat(self.offsets[self.of] - offsets[:-1], lengths)
        whole = pa.array(offsets.astype(np.int32))
        return {
            "name": pa.array(self.of),
            "near": pa.ListArray.from_arrays(whole, pa.array(self.near[at])),
            "near_weights": pa.ListArray.from_arrays(whole, pa.array(self.elsewhere[at])),
            "near_here": pa.ListArray.from_arrays(whole, pa.array(self.here[at])),
        }


def normal_name(name: str) -> str:
    """Return a name as it is compared: folded, without possessive and articles.

    Examples
    --------
    >>> normal_name("the Müller's"), normal_name("L’Oréal")
    ('muller', 'oreal')
    """
    words = fold(_POSSESSIVE.sub("", name).replace("’", " ").replace("'", " ").replace("¬", "")).split()
    first = 0
    while first < len(words) - 1 and words[first] in _ARTICLES:
        first += 1
    return " ".join(words[first:])


_ARTICLES = frozenset(re.findall(r"\w+", "a an at by d das de dem den der des die du from in l la le les of on the to"))
_LINKS = frozenset(function_words())


def compare_names(mentions: Sequence[str], *, neighbours: int = 40, weights: NameWeights | None = None) -> NameEvidence:
    """Compare the names of mentions.

    Parameters
    ----------
    mentions
        A name for each mention.
    neighbours
        Names that each is compared with.

    Examples
    --------
    >>> found = compare_names(["Ada Lovelace", "Lovelace", "the Ada Lovelace", "Bath"])
    >>> found.names, found.of.tolist()
    (['ada lovelace', 'lovelace', 'bath'], [0, 1, 0, 2])
    """
    weights = weights or NameWeights()
    normal = [normal_name(name) for name in mentions]
    number: dict[str, int] = {}
    of = np.array([number.setdefault(name, len(number)) for name in normal], np.int64)
    names = list(number)
    has_capital = np.array([any(map(str.isupper, name)) or any(map(str.isdigit, name)) for name in mentions])
    small = np.bincount(of, has_capital, len(names)) < 0.5 * np.bincount(of, minlength=len(names))
    a, b = near_names(WordedNames.of(names), neighbours) if len(names) > 1 else (np.zeros(0, np.int32),) * 2
    alike = _likeness(names, a, b)
    ends, part = _containment(names, a, b)
    is_small = (small[a] | small[b]) * weights.small
    across = alike + weights.ends * ends + weights.part * part + is_small
    inside = alike + weights.here * (alike > 0.2) + weights.ends_here * ends + weights.part_here * part
    use = np.maximum(across, inside) > _WORTH
    a, b, across, inside = a[use], b[use], across[use], inside[use]
    own = np.arange(len(names))
    rows = np.concatenate([own, a, b])
    near = np.concatenate([own, b, a])
    elsewhere = np.concatenate([1.0 + weights.small * small, across, across])
    here = np.concatenate([weights.here - weights.small * small, inside - across, inside - across])
    order = np.argsort(rows, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(names)))])
    return NameEvidence(
        of, names, offsets, near[order], elsewhere[order].astype(np.float32), here[order].astype(np.float32)
    )


def _likeness(names: Sequence[str], a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the likeness of pairs of names."""
    if not len(a):
        return np.zeros(0)
    grams = _grams(names)
    cosine = np.asarray(grams[a].multiply(grams[b]).sum(1)).ravel()
    edits = element_wise(np.array(names, dtype=object), a, b, Levenshtein.normalized_similarity).astype(np.float64)
    return np.where((cosine > _LEAST) & (edits > _ALIKE), (cosine + edits) / 2.0, cosine)


def _grams(names: Sequence[str]) -> sp.csr_matrix:
    """Return names as unit rows of the letter n-grams inside words, weighed by rarity."""
    number: dict[str, int] = {}
    rows, columns = [], []
    for row, name in enumerate(names):
        for word in name.split():
            padded = f" {word} "
            found = [padded[i : i + n] for n in _GRAMS for i in range(len(padded) - n + 1)]
            columns += [number.setdefault(gram, len(number)) for gram in found]
            rows += [row] * len(found)
    matrix = sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(names), max(len(number), 1)))
    matrix.sum_duplicates()
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    matrix = sp.csr_matrix(matrix @ sp.diags_array(np.log((1 + len(names)) / (1 + frequency)) + 1))
    norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel())
    return sp.csr_matrix(sp.diags_array(1 / np.maximum(norm, 1e-12)) @ matrix)


def _containment(
    names: Sequence[str], a: NDArray[np.int32], b: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for each pair whether one name is the end of the other, and whether it is another part of it."""
    ends, part = np.zeros(len(a), np.bool_), np.zeros(len(a), np.bool_)
    words = [name.split() for name in names]
    for k, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        short, long = sorted((words[i], words[j]), key=len)
        n = len(short)
        if not n or n == len(long) or len(" ".join(short)) <= 2:
            continue
        if long[-n:] == short:
            ends[k] = long[-n - 1] not in _LINKS
        part[k] = not ends[k] and (long[-n:] == short or long[:n] == short)
    return ends, part
