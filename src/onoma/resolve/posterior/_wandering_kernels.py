"""Kernels of `consensus.py` for components in which records wander: the least variation of information.

Only few tables have such components, so these kernels are compiled when one is met.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel
from onoma.resolve.posterior._consensus_kernels import co_membership, compact, write_component


@kernel
def entities_of(roots: NDArray[np.int32], members: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return for each member and sample the first member of its entity there, by place."""
    n, n_samples = len(members), roots.shape[0]
    found = np.empty((n, n_samples), dtype=np.int32)
    for r in range(n_samples):
        for i in range(n):
            root, j = roots[r, members[i]], 0
            while roots[r, members[j]] != root:
                j += 1
            found[i, r] = j
    return found


@kernel
def steps(n: int) -> NDArray[np.float64]:
    """Return by how much x log2 x grows with x, from x = 0 on: an entity's part of the loss with one more record."""
    found = np.empty(n + 1)
    before = 0.0
    for x in range(n + 1):
        after = (x + 1) * np.log2(x + 1.0)
        found[x] = after - before
        before = after
    return found


@kernel
def loss_of(
    samples: NDArray[np.int32], labels: NDArray[np.int64], step: NDArray[np.float64], threshold: float
) -> float:
    """Return the expected loss, but for what no partition changes; labels are below their number."""
    n, n_samples = samples.shape
    sizes, cells = np.zeros(n, dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    total, shared = 0.0, 0.0
    for i in range(n):
        total += step[sizes[labels[i]]]
        sizes[labels[i]] += 1
    for r in range(n_samples):
        for i in range(n):
            shared += step[cells[labels[i], samples[i, r]]]
            cells[labels[i], samples[i, r]] += 1
        for i in range(n):
            cells[labels[i], samples[i, r]] = 0
    return 2.0 * (threshold * total - shared / n_samples)


@kernel
def improve_inplace(
    s: NDArray[np.float32],
    samples: NDArray[np.int32],
    labels: NDArray[np.int64],
    step: NDArray[np.float64],
    threshold: float,
) -> None:
    """Move single records, and join whole entities, as long as the loss falls; labels are below their number."""
    n, n_samples = samples.shape
    sizes = np.zeros(n, dtype=np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
    beside, met = np.zeros((n, n_samples), dtype=np.int32), np.zeros(n, dtype=np.bool_)
    for _ in range(100):
        moved = False
        for i in range(n):
            here = labels[i]
            sizes[here] -= 1
            for c in range(n):
                met[c] = False
            for j in range(n):
                if j != i and s[i, j] > 0.0:
                    c = labels[j]
                    if not met[c]:
                        met[c] = True
                        for r in range(n_samples):
                            beside[c, r] = 0
                    for r in range(n_samples):
                        beside[c, r] += samples[i, r] == samples[j, r]
            best, where, stay = 0.0, -1, 0.0
            for c in range(n):
                if sizes[c] == 0 or not (met[c] or c == here):
                    continue
                cost = threshold * step[sizes[c]]
                if met[c]:
                    shared = 0.0
                    for r in range(n_samples):
                        shared += step[beside[c, r]]
                    cost -= shared / n_samples
                if c == here:
                    stay = cost
                if cost < best:
                    best, where = cost, c
            if best < stay - 1e-9:
                if where == -1:
                    where = 0
                    while sizes[where] > 0:
                        where += 1
                labels[i] = where
                moved = True
            sizes[labels[i]] += 1
        if not moved:
            if not join_inplace(samples, labels, step, threshold):
                return
            for c in range(n):
                sizes[c] = 0
            for i in range(n):
                sizes[labels[i]] += 1


@kernel
def join_inplace(
    samples: NDArray[np.int32], labels: NDArray[np.int64], step: NDArray[np.float64], threshold: float
) -> bool:
    """Join each entity with that of the later ones whose joining costs least, if it lowers the loss; say whether."""
    n, n_samples = samples.shape
    order, starts = by_label(labels)
    mine, theirs = np.zeros((n, n_samples), dtype=np.int32), np.zeros((n, n_samples), dtype=np.int32)
    joined = False
    for a in range(n):
        size = starts[a + 1] - starts[a]
        if size == 0 or labels[order[starts[a]]] != a:
            continue
        for at in range(starts[a], starts[a + 1]):
            for r in range(n_samples):
                mine[samples[order[at], r], r] += 1
        best, where = -1e-9, -1
        for b in range(a + 1, n):
            if starts[b] == starts[b + 1] or labels[order[starts[b]]] != b:
                continue
            cost, shared = 0.0, 0.0
            for at in range(starts[b], starts[b + 1]):
                k = at - starts[b]
                cost += step[size + k] - step[k]
                for r in range(n_samples):
                    there = samples[order[at], r]
                    shared += step[mine[there, r] + theirs[there, r]] - step[theirs[there, r]]
                    theirs[there, r] += 1
            for at in range(starts[b], starts[b + 1]):
                for r in range(n_samples):
                    theirs[samples[order[at], r], r] = 0
            cost = threshold * cost - shared / n_samples
            if cost < best:
                best, where = cost, b
        for at in range(starts[a], starts[a + 1]):
            for r in range(n_samples):
                mine[samples[order[at], r], r] = 0
        if where >= 0:
            for at in range(starts[where], starts[where + 1]):
                labels[order[at]] = a
            joined = True
    return joined


@kernel
def by_label(labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the records ordered by label, and where each label begins."""
    n = len(labels)
    starts, order = np.zeros(n + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    at = 0
    for label in range(n):
        for i in range(n):
            if labels[i] == label:
                order[at] = i
                at += 1
        starts[label + 1] = at
    return order, starts


@kernel
def best_partition(
    s: NDArray[np.float32], samples: NDArray[np.int32], closure: NDArray[np.int64], threshold: float
) -> NDArray[np.int64]:
    """Return the best partition found from the closure and from the best of about eight samples."""
    step, found = steps(len(closure)), compact(closure)
    best, least = found, np.inf
    for start in range(2):
        if start == 1:
            found = best_sample(samples, step, threshold)
        improve_inplace(s, samples, found, step, threshold)
        loss = loss_of(samples, found, step, threshold)
        if loss < least:
            best, least = found, loss
    return best


@kernel
def best_sample(samples: NDArray[np.int32], step: NDArray[np.float64], threshold: float) -> NDArray[np.int64]:
    """Return the best of about eight samples."""
    n, n_samples = samples.shape
    best, least = np.empty(n, dtype=np.int64), np.inf
    sample = np.empty(n, dtype=np.int64)
    for r in range(0, n_samples, max(n_samples // 8, 1)):
        for i in range(n):
            sample[i] = samples[i, r]
        loss = loss_of(samples, sample, step, threshold)
        if loss < least:
            least = loss
            for i in range(n):
                best[i] = sample[i]
    return best


@kernel
def settle_wandering(
    every: NDArray[np.int64],
    offsets: NDArray[np.int64],
    roots: NDArray[np.int32],
    threshold: float,
    labels: NDArray[np.int64],
    probability: NDArray[np.float64],
) -> None:
    """Fill the labels (a record of the entity) and the probabilities of the records of some components.

    `every` are the records, component after component from its offset on; `roots` their roots, by sample.
    """
    for component in range(len(offsets) - 1):
        first, end = offsets[component], offsets[component + 1]
        members = every[first:end]
        places_here = np.arange(first, end)
        s = co_membership(roots, places_here)
        best = best_partition(s, entities_of(roots, places_here), labels[members], threshold)
        write_component(members, s, best, labels, probability)
