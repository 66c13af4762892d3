"""Thesauri as tables of senses: which words a sense has, and how senses are linked.

A *document* is one group of words that mean the same: a synset of WordNet, or an entry of a dictionary of synonyms. A
`Thesaurus` holds sparse matrices:

    members      documents × words       1 where the word belongs to the document
    senses       documents × words       how often the word is used in this sense, where that was counted
    links[r]     documents × documents   weight of the link r: the second document is an r of the first

Every format comes down to this (`thesaurus_wordnet`, `thesaurus_files`); several thesauri become one by `combine`,
which shares words and keeps documents apart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import DataError

__all__ = ["Entry", "Thesaurus", "combine", "from_entries", "plain"]

Matrix = sp.csr_array
"""Sparse rows."""

_ENDINGS = (
    ("ches", "ch"),
    ("shes", "sh"),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ies", "y"),
    ("men", "man"),
    ("es", "e"),
    ("es", ""),
    ("s", ""),
    ("ied", "y"),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("er", "e"),
    ("est", ""),
    ("est", "e"),
)
"""Regular inflections of English and what to put in their place, the longer ending first."""


@dataclass(frozen=True)
class Entry:
    """One entry of a dictionary: a headword and the words listed under it, by relation."""

    head: str
    listed: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Thesaurus:
    """Words, documents, and what links them.

    Parameters
    ----------
    words, documents
        Names of the columns and rows.
    members
        documents × words.
    links
        documents × documents, by name of the link.
    irregular
        Inflected forms that no rule explains, and their base forms.
    senses
        documents × words: of the uses of a word, the share in each of its senses. None: nobody counted.
    """

    words: tuple[str, ...]
    documents: tuple[str, ...]
    members: Matrix
    links: Mapping[str, Matrix]
    irregular: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    senses: Matrix | None = None

    @property
    def shares(self) -> Matrix:
        """The share of each sense in the uses of a word: as counted, or all alike."""
        return Matrix(row_normal(self.members.T).T) if self.senses is None else self.senses

    @cached_property
    def position(self) -> dict[str, int]:
        """The column of each word."""
        return {word: i for i, word in enumerate(self.words)}

    def find(self, word: str) -> int | None:
        """Return the column of a word, or of its base form, or None.

        Examples
        --------
        >>> small = from_entries([Entry("calm", {"synonym": ["appease"]})])
        >>> small.find("Appeased") == small.find("appease"), small.find("storm")
        (True, None)
        """
        wanted = plain(word)
        for form in (wanted, *self.irregular.get(wanted, ()), *_base_forms(wanted)):
            if form in self.position:
                return self.position[form]
        return None

    def link(self, name: str) -> Matrix:
        """Return the links of one name; an empty relation is an error that says so."""
        found = self.links.get(name)
        if found is None or not found.nnz:
            known = ", ".join(sorted(link for link, matrix in self.links.items() if matrix.nnz)) or "none"
            raise DataError(
                f"the thesaurus lists no {name} at all; its relations are: {known}",
                hint="Add a thesaurus that has them; WordNet has synonyms, antonyms, hypernyms and hyponyms.",
            )
        return found


def plain(word: str) -> str:
    """Return a word as thesauri are indexed: lower case, single spaces, no underscores.

    Examples
    --------
    >>> plain(" Hot_dog ")
    'hot dog'
    """
    return " ".join(word.replace("_", " ").lower().split())


def from_entries(entries: Iterable[Entry], *, source: str = "") -> Thesaurus:
    """Make a thesaurus of entries: one document an entry, whose members are the headword and its synonyms.

    An antonym (or any other relation) is listed as a word. It links the entry to the entries of which that word is the
    head, or, where it heads none, to those of which it is a member; the weight of one word is shared among them. Of
    hypernyms and hyponyms one follows from the other, where only one is listed.
    """
    kept = list(entries)
    if not kept:
        raise DataError("the thesaurus has no entries")
    words: dict[str, int] = {}
    pairs: dict[str, list[tuple[int, int]]] = {"head": [], "synonym": []}
    for row, entry in enumerate(kept):
        pairs["head"].append((row, words.setdefault(plain(entry.head), len(words))))
        for relation, listed in entry.listed.items():
            target = pairs.setdefault(relation, [])
            target += [(row, words.setdefault(plain(word), len(words))) for word in listed if plain(word)]
    shape = (len(kept), len(words))
    heads = indicator(pairs.pop("head"), shape)
    members = Matrix(heads.maximum(indicator(pairs.pop("synonym"), shape)))
    reached = _by_head_or_member(heads, members)
    links = {relation: Matrix(indicator(found, shape) @ reached) for relation, found in pairs.items() if found}
    for one, other in (("hypernym", "hyponym"), ("hyponym", "hypernym")):
        if one in links:
            links.setdefault(other, Matrix(links[one].T))
    return Thesaurus(tuple(words), tuple(f"{source}{entry.head}" for entry in kept), members, links)


def combine(thesauri: Sequence[Thesaurus]) -> Thesaurus:
    """Return one thesaurus with the documents of all; words of the same spelling are the same word.

    Examples
    --------
    >>> a = from_entries([Entry("hot", {"synonym": ["warm"]})])
    >>> b = from_entries([Entry("hot", {"antonym": ["cold"]})])
    >>> both = combine([a, b])
    >>> both.words, both.members.shape
    (('hot', 'warm', 'cold'), (2, 3))
    """
    if not thesauri:
        raise DataError("there is no thesaurus to combine")
    if len(thesauri) == 1:
        return thesauri[0]
    words: dict[str, int] = {}
    columns = [np.array([words.setdefault(word, len(words)) for word in part.words]) for part in thesauri]

    def stacked(parts: Sequence[Matrix]) -> Matrix:
        moved = [_moved(part, into, len(words)) for part, into in zip(parts, columns, strict=True)]
        return Matrix(sp.vstack(moved, format="csr"))

    names = sorted({name for part in thesauri for name in part.links})
    links = {
        name: Matrix(
            sp.block_diag([part.links.get(name, _empty(len(part.documents))) for part in thesauri], format="csr")
        )
        for name in names
    }
    irregular = {form: bases for part in thesauri for form, bases in part.irregular.items()}
    documents = tuple(name for part in thesauri for name in part.documents)
    senses = None
    if any(part.senses is not None for part in thesauri):
        senses = stacked([part.shares for part in thesauri])
    return Thesaurus(tuple(words), documents, stacked([part.members for part in thesauri]), links, irregular, senses)


def indicator(pairs: Sequence[tuple[int, int]], shape: tuple[int, int]) -> Matrix:
    """Return the matrix with 1 at the pairs and 0 elsewhere, however often a pair occurs."""
    found: NDArray[np.int64] = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    matrix = Matrix((np.ones(len(found), np.float32), (found[:, 0], found[:, 1])), shape=shape)
    matrix.data[:] = 1
    return matrix


def row_normal(matrix: Any, *, power: int = 1) -> Matrix:  # noqa: ANN401  (any sparse matrix)
    """Return the matrix with rows of length 1: the sum of absolute values (power 1) or of squares (power 2)."""
    values = Matrix(matrix, copy=True).astype(np.float32)
    sums = np.asarray((abs(values) ** power).sum(axis=1)).ravel()
    lengths = np.where(sums > 0, sums ** (1 / power), 1.0).astype(np.float32)
    values.data /= np.repeat(lengths, np.diff(values.indptr))
    return values


def _base_forms(word: str) -> list[str]:
    return [
        word[: -len(ending)] + base
        for ending, base in _ENDINGS
        if word.endswith(ending) and len(word) > len(ending) + 1
    ]


def _by_head_or_member(heads: Matrix, members: Matrix) -> Matrix:
    """Return words × documents: the documents a listed word stands for, its weight shared among them."""
    headed = np.diff(heads.T.tocsr().indptr) > 0
    by_member = sp.diags_array((~headed).astype(np.float32)) @ members.T
    return row_normal(heads.T + by_member)


def _moved(matrix: Matrix, columns: NDArray[np.int64], n_columns: int) -> Matrix:
    moved = Matrix((matrix.data, columns[matrix.indices], matrix.indptr), shape=(matrix.shape[0], n_columns))
    moved.sort_indices()
    return moved


def _empty(n: int) -> Matrix:
    return indicator([], (n, n))
