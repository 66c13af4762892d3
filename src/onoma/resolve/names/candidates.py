"""Which names could descend from which: each with those that share most words, beginnings and letters with it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.resolve.blocking._canopies_kernels import BY_FEATURE, nearest
from onoma.resolve.blocking.canopies import inverted_lists
from onoma.resolve.names.names import WordedNames

__all__ = ["NodePairs", "every_pair", "near_names", "near_references", "pair_nodes"]

_HOT = 2_000
"""A feature of more names is left out."""
_FEW = 8
"""Mentions of one name that each mention of another is held against, if there are more of them."""


def _features(words: list[str]) -> set[str]:
    found = set(words)
    for word in words:
        padded = f"^{word}$"
        found.update(f"3 {padded[p : p + 3]}" for p in range(len(padded) - 2))
    whole = "".join(words)
    found.update(f"4 {whole[p : p + 4]}" for p in range(len(whole) - 3))
    if len(words) > 1:
        found.add("i " + "".join(word[0] for word in words))
        ends = words if len(words) < 6 else [*words[:3], *words[-3:]]
        found.update(f"l {one[0]} {other}" for one in ends for other in ends if one != other)
    elif len(whole) < 7:
        found.add("i " + whole)
    return found


def near_names(names: WordedNames, k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the pairs of names worth comparing: each with the k that share the greatest weight of features."""
    n = len(names)
    one, other = _nearest(names, k, 0, np.zeros(0, dtype=np.int32))
    keys = np.unique(np.minimum(one, other).astype(np.int64) * n + np.maximum(one, other))
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)


def every_pair(n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return all pairs of n names."""
    one, other = np.triu_indices(n, 1)
    return one.astype(np.int32), other.astype(np.int32)


def near_references(names: WordedNames, n_references: int, k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (reference, name) for each name after the references: the k references nearest to it."""
    source = (np.arange(len(names)) >= n_references).astype(np.int32)
    name, reference = _nearest(names, k, n_references, source)
    order = np.lexsort((reference, name))
    return reference[order].astype(np.int32), name[order].astype(np.int32)


def _nearest(
    names: WordedNames, k: int, first: int, source: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Find the k names nearest to each from the first on; with sources, among those of another source."""
    n = len(names)
    numbers: dict[str, int] = {}
    rows = []
    for i in range(n):
        words = [names.words[w] for w in names.ids[names.offsets[i] : names.offsets[i + 1]]]
        rows.append(sorted(numbers.setdefault(feature, len(numbers)) for feature in sorted(_features(words))))
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    features = np.array([feature for row in rows for feature in row], dtype=np.int32)
    frequency = np.bincount(features, minlength=len(numbers))
    kept = ((frequency > 1) & (frequency <= _HOT))[features]
    offsets = np.concatenate([[0], np.cumsum(kept)])[offsets].astype(np.int64)
    features = features[kept]
    weights = np.log(max(n, 2) / np.maximum(frequency, 1)) ** 2 + 1e-9
    lists = inverted_lists(offsets, features, len(numbers))
    none, apart = np.zeros(0, dtype=np.int32), int(len(source) > 0)
    return nearest(
        first,
        n,
        offsets,
        features,
        weights.astype(np.float32),
        BY_FEATURE,
        *lists,
        source,
        none,
        apart,
        max(min(k, n - 1), 1),
    )


@dataclass(frozen=True, eq=False)
class NodePairs:
    """Pairs of nodes (mentions, or all mentions of a name), each once, and the pair of names that each is of."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    names: NDArray[np.int32]
    """The pair of names, of which the first is a's; -1: one name twice."""
    scale: NDArray[np.float32]
    """How many pairs each stands for, where not all are there: seen from b, and from a."""


def pair_nodes(
    name_of: NDArray[np.int32],
    kind_of: NDArray[np.int32],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    *,
    seed: int,
) -> NodePairs:
    """Hold the mentions of near names, and of one name, against each other, those of one kind only."""
    rng = stream(seed, "nodes")
    order = np.argsort(name_of, kind="stable").astype(np.int32)
    starts = np.searchsorted(name_of[order], np.arange(int(name_of.max(initial=-1)) + 2))
    many = np.diff(starts) > 1
    single = np.flatnonzero(~many[a] & ~many[b])
    parts = [_alone(order[starts[a[single]]], order[starts[b[single]]], single)]
    several = np.flatnonzero(many[a] | many[b])
    every = list(zip(a[several].tolist(), b[several].tolist(), several.tolist(), strict=True))
    every += [(x, x, -1) for x in np.flatnonzero(many).tolist()]
    for x, y, e in every:
        left, right = order[starts[x] : starts[x + 1]], order[starts[y] : starts[y + 1]]
        i, j, scale = _meet(left, right, rng, is_one=e < 0)
        parts.append(NodePairs(i, j, np.full(len(i), e, dtype=np.int32), scale))
    one, other = np.concatenate([part.a for part in parts]), np.concatenate([part.b for part in parts])
    same = kind_of[one] == kind_of[other]
    which, scales = np.concatenate([part.names for part in parts]), np.concatenate([part.scale for part in parts])
    return NodePairs(one[same], other[same], which[same], scales[same])


def _alone(a: NDArray[np.int32], b: NDArray[np.int32], which: NDArray[np.int64]) -> NodePairs:
    """Return pairs of names that have one node each."""
    return NodePairs(a, b, which.astype(np.int32), np.ones((len(a), 2), dtype=np.float32))


def _meet(
    left: NDArray[np.int32], right: NDArray[np.int32], rng: np.random.Generator, *, is_one: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Return pairs of mentions of two names, or of one; a few of each where there are many."""
    n, m = len(left), len(right)
    if n * m <= _FEW**2 * 4 or (is_one and n <= 4 * _FEW):
        rows, columns = (np.triu_indices(n, 1)) if is_one else (each.ravel() for each in np.indices((n, m)))
    else:
        few = 2 * _FEW if is_one else _FEW
        rows = np.concatenate([np.repeat(np.arange(n), few), rng.integers(0, n, m * few)])
        columns = np.concatenate([rng.integers(0, m, n * few), np.repeat(np.arange(m), few)])
        if is_one:
            rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
            rows, columns = rows[rows != columns], columns[rows != columns]
        keys = np.unique(rows.astype(np.int64) * m + columns)
        rows, columns = keys // m, keys % m
    per_left, per_right = np.bincount(rows, minlength=n), np.bincount(columns, minlength=m)
    if is_one:
        per_left = per_right = per_left + per_right
        scale = np.stack([(n - 1) / per_left[rows], (n - 1) / per_right[columns]], axis=1)
    else:
        scale = np.stack([n / per_right[columns], m / per_left[rows]], axis=1)
    return left[rows], right[columns], scale.astype(np.float32)
