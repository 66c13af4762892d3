"""Mentions as sparse rows, whose products are what pairs of mentions score.

ψ is a sum of products of a *query* of one mention and a *key* of the other, symmetric in both:

* a word of the context: its weight, both ways;
* a name: the key is 1 for one's own name; the query is what another of that name scores, for one's own and near names;
* within one document, contexts tell nothing, as all its windows overlap or share a subject: for every word (document,
  word) the query is minus the weight, so that what the word adds is taken away; and names may score otherwise.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.resolve.models.cross_document._features_kernels import ascend, in_order, number, put
from onoma.resolve.models.cross_document.levels import Features

__all__ = ["mention_features", "number_densely"]


_SPARSE = 8
"""Ids are numbered by a table of all there might be, unless these are so many times as many."""


class _Rows:
    """Parts of sparse rows, put together at the end."""

    def __init__(self, n: int) -> None:
        self._n, self._n_features = n, 0
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]] = []

    def add(
        self,
        rows: NDArray[np.int64],
        ids: NDArray[np.int64],
        query: NDArray[np.float32],
        key: NDArray[np.float32],
    ) -> None:
        """Add features of one kind; their ids are numbered anew, apart from those of other kinds."""
        places, n_known = number_densely(ids)
        self._parts.append((rows, places + self._n_features, query, key))
        self._n_features += n_known

    def features(self) -> Features:
        """Return the rows, the features of each in order."""
        offsets = np.zeros(self._n + 1, np.int64)
        for part in self._parts:
            offsets[1:] += np.bincount(part[0], minlength=self._n)
        np.cumsum(offsets, out=offsets)
        ends, n = offsets[:-1].copy(), int(offsets[-1])
        found = Features(offsets, np.empty(n, np.int32), np.empty(n, np.float32), np.empty(n, np.float32))
        for rows, ids, query, key in self._parts:
            if ascend(rows, ids):
                put(rows, ids, query, key, ends, found.features, found.query, found.key)
                continue
            order = in_order(ids, self._n_features)
            put(rows[order], ids[order], query[order], key[order], ends, found.features, found.query, found.key)
        return found


def mention_features(table: pa.Table, *, context: float, same: float, here: float = 0.0) -> Features:
    """Return the rows of a table of mentions.

    Parameters
    ----------
    table
        `name`, `tokens`, `weights`; where they are there, `document`, `near`, `near_weights`, `near_here`.
    context
        What a cosine of 1 scores.
    same
        What equal names score, if `near` does not say.
    here
        What any two mentions of one document score besides.
    """
    n = len(table)
    rows = _Rows(n)
    owner, tokens, weights = _lists(table, "tokens", "weights")
    rows.add(owner, tokens, (context * weights).astype(np.float32), weights)
    name = table["name"].to_numpy()
    holder, near, scores, is_own = _near(table, name, same)
    rows.add(holder, near, scores, is_own)
    if "document" in table.column_names:
        document = np.unique(table["document"].to_numpy(), return_inverse=True)[1].astype(np.int64)
        several = (np.bincount(document) > 1)[document]
        _add_documents(rows, table, document, several, context)
        if here:
            there = np.flatnonzero(several)
            rows.add(there, document[there], np.full(len(there), here, np.float32), np.ones(len(there), np.float32))
    return rows.features()


def _add_documents(
    rows: _Rows, table: pa.Table, document: NDArray[np.int64], several: NDArray[np.bool_], context: float
) -> None:
    """Take away what words add between mentions of one document, and add what names score there."""
    owner, tokens, weights = _lists(table, "tokens", "weights")
    use = several[owner]
    owner, tokens, weights = owner[use], tokens[use], weights[use]
    rows.add(owner, _both(document[owner], tokens), (-context * weights).astype(np.float32), weights)
    if "near_here" not in table.column_names:
        return
    holder, near, scores = _lists(table, "near", "near_here")
    use = several[holder]
    holder, near, scores = holder[use], near[use], scores[use]
    is_own = (near == table["name"].to_numpy()[holder]).astype(np.float32)
    rows.add(holder, _both(document[holder], near), scores, is_own)


def _near(
    table: pa.Table, name: NDArray[np.int64], same: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    if "near" not in table.column_names:
        ones = np.ones(len(name), np.float32)
        return np.arange(len(name)), name, (same * ones).astype(np.float32), ones
    holder, near, scores = _lists(table, "near", "near_weights")
    return holder, near, scores, (near == name[holder]).astype(np.float32)


def _both(document: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    return document * (int(ids.max(initial=0)) + 1) + ids


def number_densely(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return for each id its rank among those there are, and how many there are.

    Examples
    --------
    >>> number_densely(np.array([7, 3, 7]))
    (array([1, 0, 1]), 2)
    """
    top = int(ids.max(initial=-1)) + 1
    if int(ids.min(initial=0)) < 0 or top > _SPARSE * len(ids) + (1 << 16):
        known, places = np.unique(ids, return_inverse=True)
        return places.astype(np.int64), len(known)
    return number(ids, top)


def _lists(table: pa.Table, ids: str, values: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Return, for each element of two columns of lists, its row, its id and its value."""
    one, other = table[ids].combine_chunks(), table[values].combine_chunks()
    lengths = np.diff(one.offsets.to_numpy())
    owner = np.repeat(np.arange(len(table)), lengths)
    return owner, one.flatten().to_numpy().astype(np.int64), other.flatten().to_numpy().astype(np.float32)
