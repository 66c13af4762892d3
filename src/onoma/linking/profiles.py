"""What linked documents say of entries: their types, the words around them, and which stand in one document."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.linking.candidates import fold

__all__ = ["NIL", "Mentions", "Profiles"]

NIL = "NIL"
"""Stands for: no entry."""
_SMOOTH = 1.0
"""Mentions of no known type that each entry is taken to have."""


@dataclass(frozen=True, eq=False)
class Mentions:
    """Mentions to link, or linked ones.

    Parameters
    ----------
    names
        As written.
    documents
        Where each stands.
    types
        Of what type each is; empty where nothing is known.
    contexts
        The words around each; empty where nothing is known.
    chains
        Mentions of one document that are one thing have one value; None: those with one name.
    entries
        What each means, `NIL` or an entry; None where that is asked.
    """

    names: Sequence[str]
    documents: Sequence[str]
    types: Sequence[str]
    contexts: Sequence[str]
    chains: Sequence[str] | None = None
    entries: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def take(self, rows: NDArray[np.int64]) -> "Mentions":
        """Return some of them."""

        def some(values: Sequence[str]) -> list[str]:
            return [values[row] for row in rows.tolist()]

        return Mentions(
            some(self.names),
            some(self.documents),
            some(self.types),
            some(self.contexts),
            None if self.chains is None else some(self.chains),
            None if self.entries is None else some(self.entries),
        )

    def groups(self) -> NDArray[np.int64]:
        """Return the number of each mention's chain."""
        keys = [fold(name) for name in self.names] if self.chains is None else list(self.chains)
        numbers: dict[tuple[str, str], int] = {}
        pairs = zip(self.documents, keys, strict=True)
        return np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)


class Profiles:
    """Of entries seen in linked documents, and of those that a list describes.

    Parameters
    ----------
    seen
        Linked mentions.
    described
        Entries with descriptions.
    typed
        Entries with their types.
    """

    def __init__(
        self,
        seen: Mentions | None = None,
        described: Mapping[str, str] | None = None,
        typed: Mapping[str, str] | None = None,
    ) -> None:
        entries = list(seen.entries or ()) if seen is not None else []
        self.counts = Counter(entries)
        self.number = {
            entry: at for at, entry in enumerate(sorted({*entries, *(described or ()), *(typed or ())} - {NIL}))
        }
        self._types: dict[str, Counter[str]] = {}
        self._of_type: Counter[str] = Counter()
        if seen is not None:
            for entry, kind in zip(entries, seen.types, strict=True):
                self._types.setdefault(entry, Counter())[kind] += 1
                self._of_type[kind] += 1
        for entry, kind in (typed or {}).items():
            self._types.setdefault(entry, Counter())[kind] += 1
            self._of_type[kind] += 1
        self._make_bags(seen, described or {})
        self._make_company(seen)

    def type_share(self, entry: str, kind: str) -> float:
        """Return the log of how likely an entry's mention is of a type, against any mention's."""
        total = sum(self._of_type.values())
        if not kind or not total:
            return 0.0
        usual = (self._of_type[kind] + 1.0) / (total + len(self._of_type) + 1.0)
        own = self._types.get(entry, Counter())
        return float(np.log((own[kind] + _SMOOTH * usual) / (own.total() + _SMOOTH) / usual))

    def _make_bags(self, seen: Mentions | None, described: Mapping[str, str]) -> None:
        owners: list[int] = []
        texts: list[str] = []
        if seen is not None:
            for entry, context in zip(seen.entries or (), seen.contexts, strict=True):
                if entry != NIL and context:
                    owners.append(self.number[entry])
                    texts.append(context)
        for entry, text in described.items():
            if text:
                owners.append(self.number[entry])
                texts.append(text)
        self._words: dict[str, int] = {}
        rows, columns = [], []
        for owner, text in zip(owners, texts, strict=True):
            for word in fold(text).split():
                if len(word) > 2:
                    rows.append(owner)
                    columns.append(self._words.setdefault(word, len(self._words)))
        shape = (len(self.number), max(len(self._words), 1))
        counts = sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
        counts.sum_duplicates()
        frequency = np.bincount(counts.indices, minlength=shape[1])
        self._rarity = np.log((1.0 + shape[0]) / (1.0 + frequency))
        counts.data = 1.0 + np.log(counts.data)
        self._bags = _unit(counts @ sp.diags(self._rarity))

    def likeness(
        self, contexts: Sequence[str], owner: NDArray[np.int64], entries: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return the cosine of the words around a mention and an entry, for pairs of both."""
        rows, columns = [], []
        for at, text in enumerate(contexts):
            for word in {word for word in fold(text).split() if word in self._words}:
                rows.append(at)
                columns.append(self._words[word])
        shape = (len(contexts), self._bags.shape[1])
        asked = _unit(sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape) @ sp.diags(self._rarity))
        place = np.array([self.number.get(entry, -1) for entry in entries], np.int64)
        found = np.zeros(len(entries))
        for first in range(0, len(entries), 50_000):
            inside = np.flatnonzero(place[first : first + 50_000] >= 0) + first
            products = asked[owner[inside]].multiply(self._bags[place[inside]])
            found[inside] = np.asarray(products.sum(1)).ravel()
        return found

    def _make_company(self, seen: Mentions | None) -> None:
        documents: dict[str, int] = {}
        pairs = set()
        if seen is not None:
            for document, entry in zip(seen.documents, seen.entries or (), strict=True):
                if entry != NIL:
                    pairs.add((documents.setdefault(document, len(documents)), self.number[entry]))
        rows, columns = ([pair[side] for pair in sorted(pairs)] for side in (0, 1))
        shape = (max(len(documents), 1), max(len(self.number), 1))
        matrix = sp.csr_matrix((np.ones(len(pairs)), (rows, columns)), shape=shape)
        many = np.maximum(np.asarray(matrix.sum(0)).ravel(), 1.0)
        self._company = (matrix @ sp.diags(1.0 / np.sqrt(many))).tocsc()

    def company(self, expected: Mapping[str, float], wanted: Sequence[str]) -> NDArray[np.float64]:
        """Return how much each wanted entry is used to stand in one document with those expected there."""
        vector = np.zeros(self._company.shape[1])
        for entry, p in expected.items():
            if entry in self.number:
                vector[self.number[entry]] += p
        shared = np.asarray(self._company.T @ (self._company @ vector))
        own = [vector[self.number[entry]] if entry in self.number else 0.0 for entry in wanted]
        found = [shared[self.number[entry]] if entry in self.number else 0.0 for entry in wanted]
        return (np.array(found) - np.array(own)) / max(float(vector.sum()), 1.0)


def _unit(rows: sp.csr_matrix) -> sp.csr_matrix:
    norm = np.sqrt(np.asarray(rows.multiply(rows).sum(1)).ravel())
    return (sp.diags(1.0 / np.maximum(norm, 1e-12)) @ rows).tocsr()
