"""Names of people as given and family names, and how many people would have a name by chance.

Apart from the trees that use them: every table is asked about its rare names (`resolve/auto.py`), and the trees take
long to load.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.packed.texts import arrow_of

__all__ = ["MOST_PEOPLE", "NameColumn", "given_and_family", "name_scores", "namesake_pairs", "rare_names"]

_FAMILY = ("last", "surname", "family", "nachname", "nom")
MOST_PEOPLE = 0.1
"""People of a name, up to which it is rare."""
_LARGEST = 200
"""Mentions of a name from which on it may be that of several people after all."""


@dataclass(frozen=True, eq=False)
class NameColumn:
    """Names as forms: distinct texts of words apart by spaces."""

    codes: NDArray[np.int32]
    forms: pa.Array

    @classmethod
    def of_texts(cls, texts: pa.Array | pa.ChunkedArray) -> "NameColumn":
        """Number the distinct texts; null and empty ones are missing."""
        if isinstance(texts, pa.ChunkedArray):
            texts = texts.combine_chunks()
        given = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
        encoded = pc.dictionary_encode(given)
        codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32)
        return cls(codes, encoded.dictionary)

    def take(self, rows: NDArray[np.int64]) -> "NameColumn":
        """Return the names of some rows."""
        return NameColumn(self.codes[rows], self.forms)


def given_and_family(people: Sequence[FieldData], rows: NDArray[np.int64] | None = None) -> tuple[pa.Array, pa.Array]:
    """Return given and family names: of columns of their own, or the last word of whole names and what is before.

    Parameters
    ----------
    people
        The fields of the kind person.
    rows
        Some rows; default, all.
    """
    codes = [each.codes if rows is None else each.codes[rows] for each in people]
    if not people:
        return pa.array([], pa.string()), pa.array([], pa.string())
    if len(people) == 1:
        parts = [text.rpartition(" ") for text in people[0].values]
        given, family = (pa.array([part[at] for part in parts], pa.string()) for at in (0, 2))
        return _texts(given, codes[0]), _texts(family, codes[0])
    marked = [k for k, each in enumerate(people) if any(word in each.name.lower() for word in _FAMILY)]
    last = marked[0] if marked else len(people) - 1
    texts = [_texts(arrow_of(each.values).cast(pa.string()), code) for each, code in zip(people, codes, strict=True)]
    rest = [column for k, column in enumerate(texts) if k != last]
    joined = pc.replace_substring_regex(pc.binary_join_element_wise(*rest, " "), " +", " ")  # some are missing
    return pc.ascii_trim_whitespace(joined), texts[last]


def _texts(values: pa.Array, codes: NDArray[np.int32]) -> pa.Array:
    return values.take(pa.array(codes, mask=codes < 0)).fill_null("")


def name_scores(given: NameColumn, family: NameColumn) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return by form of given and of family names what their sum is log λ of: how many people have the name.

    An initial stands for all names that begin with it.
    """
    both = _distinct_names(given, family)
    n_names = max(len(both), 1)
    heads = _first_words(given)
    code, is_name = heads.codes, np.asarray(pc.utf8_length(heads.forms)) > 1
    is_whole = is_name[code]
    counts = np.bincount(code[both[is_whole[both[:, 0]], 0]], minlength=len(is_name)) + 0.5
    letter = np.array([ord(word[0]) for word in heads.forms.to_pylist()], np.int64)
    shares = np.where(is_name, counts, np.bincount(letter, counts)[letter]) / counts.sum()
    families = np.bincount(both[:, 1], minlength=len(family.forms)) + 0.5
    half = 0.5 * np.log(n_names)
    return (np.log(shares[code]) + half).astype(np.float32), (np.log(families / n_names) + half).astype(np.float32)


def namesake_pairs(given: NameColumn, family: NameColumn) -> float:
    """Return how many pairs of two people of one rare name there are by chance: half the sum of λ² over all names.

    Names that nobody has count, too: of very many, each with next to no people, some have two. Where few rows are of
    one person they are a part of all rows of one rare name that cannot be left out of account.

    Examples
    --------
    >>> given, family = (NameColumn.of_texts(pa.array(texts)) for texts in (["Ann", "Bo"] * 4, list("KLMNOPQR")))
    >>> namesake_pairs(given, family)
    0.0
    """
    both = _distinct_names(given, family)
    heads = _first_words(given)
    whole = both[_is_whole(given)[both[:, 0]]] if len(both) else both
    counts = np.bincount(heads.codes[whole[:, 0]], minlength=1)
    shares = counts[counts > 0] / max(len(whole), 1)
    families = np.bincount(both[:, 1], minlength=1)
    families = np.sort(families[families > 0])  # λ is the share of a given name times the people of a family name
    squares = np.concatenate([[0.0], np.cumsum(families.astype(np.float64) ** 2)])
    rare = np.searchsorted(families, MOST_PEOPLE / shares)
    return float((shares**2 * squares[rare]).sum() / 2.0)


def _first_words(given: NameColumn) -> NameColumn:
    """Return the first word of each form of given names, each once."""
    split = pc.split_pattern(given.forms, " ", max_splits=1)
    words = pc.list_element(split, 0).dictionary_encode()
    return NameColumn(np.asarray(words.indices), words.dictionary)


def _is_whole(given: NameColumn) -> NDArray[np.bool_]:
    """Say of each form of given names whether it begins with a name rather than an initial."""
    heads = _first_words(given)
    return np.asarray(pc.utf8_length(heads.forms))[heads.codes] > 1


def _distinct_names(given: NameColumn, family: NameColumn) -> NDArray[np.int64]:
    known = (given.codes >= 0) & (family.codes >= 0)
    keys = np.unique(given.codes[known].astype(np.int64) * len(family.forms) + family.codes[known])
    return np.stack([keys // max(len(family.forms), 1), keys % max(len(family.forms), 1)], axis=1)


def rare_names(
    given: NameColumn,
    family: NameColumn,
    scores: tuple[NDArray[np.float32], NDArray[np.float32]],
    *,
    most: float = MOST_PEOPLE,
) -> NDArray[np.int64]:
    """Return a label for each mention of a whole name that at most so many people share; -1 for the others."""
    is_whole = _is_whole(given)
    known = np.flatnonzero((given.codes >= 0) & (family.codes >= 0))
    known = known[is_whole[given.codes[known]]]
    rate = scores[0][given.codes[known]] + scores[1][family.codes[known]]
    known = known[rate < np.log(most)]
    keys = given.codes[known].astype(np.int64) * len(family.forms) + family.codes[known]
    _, group, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    use = (sizes[group] >= 2) & (sizes[group] <= _LARGEST)
    labels = np.full(len(given.codes), -1, np.int64)
    labels[known[use]] = np.unique(group[use], return_inverse=True)[1]
    return labels
