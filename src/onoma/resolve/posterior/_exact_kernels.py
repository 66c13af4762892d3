"""Kernels of `exact.py`: sums over all forests of small components, and draws from them."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel
from onoma.resolve.posterior._copying_kernels import uniform_at, word_at


@kernel
def pairs_that_matter(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    faint: float,
    faint_sum: float,
    least: float,
) -> NDArray[np.bool_]:
    """Return the pairs that can be copies, and those that can take the place of one.

    A pair of copy weight c and relation weight r is a copy with a probability of at most c / (1 + c + r). One that is
    none takes from a pair that is at most c·w / ((1 + c)(1 + c + w)), w being its own weight. Pairs whose bounds are at
    most `faint` are left out, unless those of a record sum to more than `faint_sum`; pairs of no more than the least
    weight are left out in any case.
    """
    # What can be a copy; the second time round all pairs of records with too many that hardly can.
    is_copy = np.empty(len(a), dtype=np.bool_)
    total = np.empty(n, dtype=np.float64)
    for i in range(n):
        total[i] = 0.0
    for e in range(len(a)):
        chance = copy[e] / (1.0 + copy[e] + relative[e])
        is_copy[e] = chance > faint
        if not is_copy[e]:
            total[a[e]] += chance
            total[b[e]] += chance
    offsets = np.zeros(n + 1, dtype=np.int64)
    for e in range(len(a)):
        if not is_copy[e] and max(total[a[e]], total[b[e]]) > faint_sum:
            is_copy[e] = copy[e] + relative[e] > least
        if is_copy[e]:
            offsets[a[e] + 1] += 1
            offsets[b[e] + 1] += 1
    for i in range(n):
        offsets[i + 1] += offsets[i]
    at = offsets[:-1].copy()
    copies = np.empty(offsets[n], dtype=np.float64)
    for e in range(len(a)):
        if is_copy[e]:
            for i in (a[e], b[e]):
                copies[at[i]] = copy[e]
                at[i] += 1
    matters = is_copy.copy()
    for i in range(n):
        total[i] = 0.0
    for e in range(len(a)):
        weight = copy[e] + relative[e]
        if is_copy[e] or weight <= least:
            continue
        for i in (a[e], b[e]):
            matters[e] |= most_taken(copies, offsets[i], offsets[i + 1], weight) > faint
        if not matters[e]:
            for i in (a[e], b[e]):
                total[i] += most_taken(copies, offsets[i], offsets[i + 1], weight)
    for e in range(len(a)):
        if not matters[e] and max(total[a[e]], total[b[e]]) > faint_sum:
            matters[e] = copy[e] + relative[e] > least
    return matters


@kernel
def sizes_of_pairs(
    a: NDArray[np.int32], b: NDArray[np.int32], component: NDArray[np.int64], size: NDArray[np.int64], most: int
) -> NDArray[np.int8]:
    """Return for each pair how many records its component has, at most so many; 0 where it joins two components."""
    found = np.empty(len(a), dtype=np.int8)
    for e in range(len(a)):
        is_inside = component[a[e]] == component[b[e]]
        found[e] = min(size[component[a[e]]], most) if is_inside else 0
    return found


@nb.njit(cache=True, nogil=True, inline="always")
def most_taken(copies: NDArray[np.float64], first: int, end: int, weight: float) -> float:
    """Return the most that a pair of this weight can take from any of some copies, as a probability."""
    most = 0.0
    for at in range(first, end):
        c = copies[at]
        most = max(most, c * weight / ((1.0 + c) * (1.0 + c + weight)))
    return most


@kernel
def sum_forests(
    weight: NDArray[np.float64],
    copies: NDArray[np.float64],
    edges: NDArray[np.int8],
    orders: NDArray[np.float64],
    paths: NDArray[np.int32],
    used: NDArray[np.float64],
    together: NDArray[np.float64],
    akin: NDArray[np.float64],
) -> None:
    """Fill for each pair of each component (row) how likely it is used, together and akin.

    `edges[f]` are the pairs that forest f uses (-1: no more), `orders[f]` its weight before any evidence, `paths[f, p]`
    the pairs between the two records of p as bits (0: they are in two trees). `copies` is what part of a pair's weight
    is that of a copy.
    """
    n_pairs = weight.shape[1]
    for c in range(weight.shape[0]):
        total = 0.0
        for f in range(len(orders)):
            x = orders[f]
            for at in range(edges.shape[1]):
                if edges[f, at] < 0:
                    break
                x *= weight[c, edges[f, at]]
            if x == 0.0:
                continue
            total += x
            for at in range(edges.shape[1]):
                if edges[f, at] < 0:
                    break
                used[c, edges[f, at]] += x
            for p in range(n_pairs):
                bits = paths[f, p]
                if bits == 0:
                    continue
                akin[c, p] += x
                y = x
                e = 0
                while bits:
                    if bits & 1:
                        y *= copies[c, e]
                    bits >>= 1
                    e += 1
                together[c, p] += y
        for p in range(n_pairs):
            used[c, p] /= total
            together[c, p] /= total
            akin[c, p] /= total


@kernel
def draw_forests(
    key: np.uint64,
    members: NDArray[np.int32],
    weight: NDArray[np.float64],
    copies: NDArray[np.float64],
    edges: NDArray[np.int8],
    orders: NDArray[np.float64],
    ends: NDArray[np.int8],
    roots: NDArray[np.int32],
    n_entities: NDArray[np.int64],
) -> None:
    """Draw a forest of each component for each sample: fill the first record of each record's entity, count entities.

    `ends[p]` are the two records of pair p, as places in `members[c]`. Roots are those of the members, row by row.
    """
    n_records, n_forests = members.shape[1], len(orders)
    block = 512
    sums = np.empty((block, n_forests), dtype=np.float64)
    first = np.empty(n_records, dtype=np.int64)
    for start in range(0, len(members), block):
        end = min(start + block, len(members))
        for c in range(start, end):
            total = 0.0
            for f in range(n_forests):
                x = orders[f]
                for at in range(edges.shape[1]):
                    if edges[f, at] < 0:
                        break
                    x *= weight[c, edges[f, at]]
                total += x
                sums[c - start, f] = total
        for s in range(roots.shape[0]):
            now = word_at(key, np.uint64(s))
            for c in range(start, end):
                row = sums[c - start]
                number = np.uint64(members[c, 0]) * np.uint64(8)
                u = uniform_at(now, number) * row[n_forests - 1]
                low, high = 0, n_forests - 1
                while low < high:
                    middle = (low + high) // 2
                    if u < row[middle]:
                        high = middle
                    else:
                        low = middle + 1
                for i in range(n_records):
                    first[i] = i
                n_joined = 0
                for at in range(edges.shape[1]):
                    e = edges[low, at]
                    if e < 0:
                        break
                    number += np.uint64(1)
                    if uniform_at(now, number) < copies[c, e]:
                        one, other = first[ends[e, 0]], first[ends[e, 1]]
                        n_joined += 1
                        for i in range(n_records):
                            if first[i] == one or first[i] == other:
                                first[i] = min(one, other)
                n_entities[s] += n_records - n_joined
                for i in range(n_records):
                    roots[s, c * n_records + i] = members[c, first[i]]
