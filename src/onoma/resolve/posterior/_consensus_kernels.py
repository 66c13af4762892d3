"""Kernels of `consensus.py`: co-membership of a component's records, and the search for its best partition."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def co_membership(roots: NDArray[np.int32], members: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return, for each pair of members, the share of samples that hold them in one entity."""
    n, n_samples = len(members), roots.shape[0]
    s = np.empty((n, n), dtype=np.float32)
    for i in range(n):
        for j in range(i):
            s[i, j] = 0.0
    for r in range(n_samples):
        for i in range(n):
            root = roots[r, members[i]]
            for j in range(i):
                if roots[r, members[j]] == root:
                    s[i, j] += np.float32(1.0)
    for i in range(n):
        s[i, i] = 1.0
        for j in range(i):
            s[i, j] /= n_samples
            s[j, i] = s[i, j]
    return s


@kernel
def gain_of(s: NDArray[np.float32], labels: NDArray[np.int64], threshold: float) -> float:
    """Return the sum over pairs held together of (share together - threshold)."""
    total = 0.0
    for i in range(len(labels)):
        for j in range(i):
            if labels[i] == labels[j]:
                total += s[i, j] - threshold
    return total


@kernel
def improve_inplace(s: NDArray[np.float32], labels: NDArray[np.int64], threshold: float) -> None:
    """Move single records, and join whole entities, as long as the gain grows; labels are below their number."""
    n = len(labels)
    pull = np.empty(n, dtype=np.float64)
    for _ in range(100):
        moved = False
        for i in range(n):
            for c in range(n):
                pull[c] = 0.0
            for j in range(n):
                if j != i:
                    pull[labels[j]] += s[i, j] - threshold
            best, where = 0.0, -1
            for c in range(n):
                if pull[c] > best:
                    best, where = pull[c], c
            here = pull[labels[i]]
            if where == -1 and here < 0.0:
                where = free_label(labels)
            if where != -1 and where != labels[i] and best > here + 1e-9:
                labels[i] = where
                moved = True
        if not moved and not join_inplace(s, labels, threshold):
            return


@kernel
def free_label(labels: NDArray[np.int64]) -> int:
    """Return the least label that no record has; there is one whenever some entity has two records."""
    used = np.empty(len(labels), dtype=np.bool_)
    for label in range(len(labels)):
        used[label] = False
    for label in labels:
        used[label] = True
    for label in range(len(labels)):
        if not used[label]:
            return label
    return -1


@kernel
def join_inplace(s: NDArray[np.float32], labels: NDArray[np.int64], threshold: float) -> bool:
    """Join the two entities that gain most together, if any do; say whether."""
    n = len(labels)
    between = np.empty((n, n), dtype=np.float64)
    for i in range(n):
        for j in range(n):
            between[i, j] = 0.0
    for i in range(n):
        for j in range(i):
            if labels[i] != labels[j]:
                a, b = min(labels[i], labels[j]), max(labels[i], labels[j])
                between[a, b] += s[i, j] - threshold
    best, a_best, b_best = 1e-9, -1, -1
    for a in range(n):
        for b in range(a + 1, n):
            if between[a, b] > best:
                best, a_best, b_best = between[a, b], a, b
    if a_best < 0:
        return False
    for i in range(n):
        if labels[i] == b_best:
            labels[i] = a_best
    return True


@kernel
def compact(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number labels 0, 1, … in their own order.

    As many steps as there are pairs, which co-membership takes for every sample; sorting takes seconds to compile.
    """
    n = len(labels)
    numbers = np.empty(n, dtype=np.int64)
    for i in range(n):
        numbers[i] = 0
    for i in range(n):
        is_first = True
        for j in range(i):
            is_first &= labels[j] != labels[i]
        if is_first:
            for j in range(n):
                numbers[j] += labels[j] > labels[i]
    return numbers


@kernel
def best_partition(
    s: NDArray[np.float32],
    closure: NDArray[np.int64],
    roots: NDArray[np.int32],
    members: NDArray[np.int64],
    threshold: float,
) -> NDArray[np.int64]:
    """Return the best partition found from the closure and from the best of about eight samples."""
    found = compact(closure)
    improve_inplace(s, found, threshold)
    n_samples = roots.shape[0]
    sample, best, best_sample = np.empty(len(members), dtype=np.int64), -np.inf, found
    for r in range(0, n_samples, max(n_samples // 8, 1)):
        for i in range(len(members)):
            sample[i] = roots[r, members[i]]
        labels = compact(sample)
        gain = gain_of(s, labels, threshold)
        if gain > best:
            best, best_sample = gain, labels
    if best > -np.inf:
        improve_inplace(s, best_sample, threshold)
        if gain_of(s, best_sample, threshold) > gain_of(s, found, threshold):
            return best_sample
    return found


@kernel
def places(s: NDArray[np.float32], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each record's mean share with the others of its entity; alone, what the strongest claim leaves."""
    n = len(labels)
    found = np.empty(n, dtype=np.float64)
    for i in range(n):
        total, others, most = 0.0, 0, 0.0
        for j in range(n):
            if j != i:
                most = max(most, s[i, j])
                if labels[j] == labels[i]:
                    total += s[i, j]
                    others += 1
        found[i] = total / others if others > 0 else 1.0 - most
    return found


@kernel
def settle_components(
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
        places_here = np.empty(end - first, dtype=np.int64)
        for i in range(end - first):
            places_here[i] = first + i
        s = co_membership(roots, places_here)
        best = best_partition(s, labels[members], roots, places_here, threshold)
        write_component(members, s, best, labels, probability)


@kernel
def write_component(
    members: NDArray[np.int64],
    s: NDArray[np.float32],
    best: NDArray[np.int64],
    labels: NDArray[np.int64],
    probability: NDArray[np.float64],
) -> None:
    """Fill the labels and the probabilities of a component's records by its best partition."""
    sure = places(s, best)
    for i in range(len(members)):
        probability[members[i]] = sure[i]
        labels[members[i]] = members[best[i]]
