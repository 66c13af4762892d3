"""Kernels of `copying.py`: the two-block Gibbs sampler over orders and origins.

Random numbers are looked up, not drawn in turn: that of a record in a sweep is a function of the key, the sweep and the
record. So neither the order in which records are visited nor the number of threads changes the answer.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.union_find import find_inplace, union_inplace

FRESH, COPY, RELATIVE = 0, 1, 2
PLACED = -2


@nb.njit("uint64(uint64, uint64)", cache=True, nogil=True)
def word_at(key: np.uint64, number: np.uint64) -> np.uint64:
    """Return the 64 random bits with a number: SplitMix64 (Steele, Lea and Flood, 2014) at any place of its stream."""
    x = key + (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@nb.njit("float64(uint64, uint64)", cache=True, nogil=True)
def uniform_at(key: np.uint64, number: np.uint64) -> float:
    """Return the number in [0, 1) with a number: the top 53 bits."""
    return (word_at(key, number) >> np.uint64(11)) * 1.1102230246251565e-16  # 2**-53


@nb.njit(cache=True, nogil=True)
def neighbour_lists(
    n: int, a: NDArray[np.int32], b: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return each record's neighbours, and the pair that makes them so (offsets, neighbours, pairs)."""
    offsets = np.zeros(n + 1, dtype=np.int64)
    for e in range(len(a)):
        offsets[a[e] + 1] += 1
        offsets[b[e] + 1] += 1
    for i in range(n):
        offsets[i + 1] += offsets[i]
    place = offsets[:-1].copy()
    neighbours = np.empty(2 * len(a), dtype=np.int32)
    pairs = np.empty(2 * len(a), dtype=np.int64)
    for e in range(len(a)):
        neighbours[place[a[e]]] = b[e]
        pairs[place[a[e]]] = e
        place[a[e]] += 1
        neighbours[place[b[e]]] = a[e]
        pairs[place[b[e]]] = e
        place[b[e]] += 1
    return offsets, neighbours, pairs


@nb.njit(cache=True, nogil=True)
def components_above(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    least: float,
) -> NDArray[np.int64]:
    """Return for each record the first one of its component under the pairs with more than the least weight."""
    first = np.arange(n)
    for e in range(len(a)):
        if copy[e] + relative[e] > least:
            union_inplace(first, a[e], b[e])
    for i in range(n):
        first[i] = find_inplace(first, i)
    return first


@nb.njit(cache=True, nogil=True)
def groups_upto(n: int, a: NDArray[np.int32], b: NDArray[np.int32], largest: int) -> NDArray[np.int64]:
    """Join records by one pair after the other, but into no group of more than the largest; return each one's first."""
    first = np.arange(n)
    size = np.ones(n, dtype=np.int32)
    for e in range(len(a)):
        one, other = find_inplace(first, a[e]), find_inplace(first, b[e])
        if one != other and size[one] + size[other] <= largest:
            union_inplace(first, one, other)
            size[min(one, other)] = size[one] + size[other]
    for i in range(n):
        first[i] = find_inplace(first, i)
    return first


@nb.njit(cache=True, nogil=True)
def order_by(order: NDArray[np.int32], key: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the records in order of their keys (below the number of keys), those with equal keys as they were."""
    starts = np.zeros(len(key) + 1, dtype=np.int64)
    for i in order:
        starts[key[i] + 1] += 1
    for k in range(len(key)):
        starts[k + 1] += starts[k]
    found = np.empty(len(order), dtype=np.int32)
    for i in order:
        found[starts[key[i]]] = i
        starts[key[i]] += 1
    return found


@nb.njit(cache=True, nogil=True)
def plausible_lists(
    place: NDArray[np.int32],
    n: int,
    outside: NDArray[np.bool_],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    least: float,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Return the neighbours of each record by pairs above the least weight: offsets, places, pairs, weights, copies.

    Records outside have none: they choose no origin.
    """
    offsets = np.zeros(n + 1, dtype=np.int64)
    for e in range(len(a)):
        if copy[e] + relative[e] > least:
            offsets[place[a[e]] + 1] += not outside[a[e]]
            offsets[place[b[e]] + 1] += not outside[b[e]]
    for i in range(n):
        offsets[i + 1] += offsets[i]
    at = offsets[:-1].copy()
    neighbours = np.empty(offsets[n], dtype=np.int32)
    pairs = np.empty(offsets[n], dtype=np.int32)
    weights = np.empty(offsets[n], dtype=np.float32)
    copies = np.empty(offsets[n], dtype=np.float32)
    for e in range(len(a)):
        if copy[e] + relative[e] > least:
            for i, j in ((a[e], b[e]), (b[e], a[e])):
                if outside[i]:
                    continue
                to = at[place[i]]
                neighbours[to], pairs[to] = place[j], e
                weights[to], copies[to] = copy[e] + relative[e], copy[e]
                at[place[i]] += 1
    return offsets, neighbours, pairs, weights, copies


@nb.njit(cache=True, nogil=True)
def pairs_within(
    place: NDArray[np.int32],
    n_active: int,
    component: NDArray[np.int64],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the pairs inside components, in order of the place of their first record: pairs, places, places."""
    starts = np.zeros(n_active + 1, dtype=np.int64)
    for e in range(len(a)):
        if component[a[e]] == component[b[e]]:
            starts[place[a[e]] + 1] += 1
    for i in range(n_active):
        starts[i + 1] += starts[i]
    pairs = np.empty(starts[n_active], dtype=np.int32)
    one = np.empty(starts[n_active], dtype=np.int32)
    other = np.empty(starts[n_active], dtype=np.int32)
    for e in range(len(a)):
        if component[a[e]] == component[b[e]]:
            at = starts[place[a[e]]]
            pairs[at], one[at], other[at] = e, place[a[e]], place[b[e]]
            starts[place[a[e]]] += 1
    return pairs, one, other


@nb.njit(cache=True, nogil=True)
def sample_origins(
    first: int,
    last: int,
    key: np.uint64,
    records: NDArray[np.int32],
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.float32],
    copies: NDArray[np.float32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    n_copied: NDArray[np.int32],
    n_related: NDArray[np.int32],
) -> None:
    """Given the order, draw the origins of records: fresh (kind 0, weight 1), a copy (1) or a relative (2) of another.

    `chosen[i]` becomes the place in the neighbour lists, -1 for a fresh record; each choice is counted there.
    """
    for i in range(first, last):
        u = uniform_at(key, np.uint64(3 * records[i]))
        chosen[i], kind[i] = -1, FRESH
        now = time[i]
        total = 1.0
        for at in range(offsets[i], offsets[i + 1]):
            total += weights[at] * (time[neighbours[at]] < now)  # no branch: half of them are earlier
        x = u * total - 1.0
        if x < 0.0:
            continue
        for at in range(offsets[i], offsets[i + 1]):
            if time[neighbours[at]] < now:
                # Set before it is reached, so that rounding at the very end still leaves a possible origin.
                chosen[i], kind[i] = at, COPY
                if x < copies[at]:
                    break
                x -= weights[at]
                if weights[at] > copies[at]:
                    kind[i] = RELATIVE
                    if x < 0.0:
                        break
        if kind[i] == COPY:
            n_copied[chosen[i]] += 1
        else:
            n_related[chosen[i]] += 1


@nb.njit(cache=True, nogil=True)
def choose_roots(
    key: np.uint64,
    records: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    size: NDArray[np.int32],
    queue: NDArray[np.int32],
    kin: NDArray[np.int32],
    orders: NDArray[np.float64],
    total: NDArray[np.float64],
    new_root: NDArray[np.int32],
) -> None:
    """Draw for each tree the record that it is to hang from, by the number of orders that it then has.

    Hung from a child c of p instead of from p, a tree of N records has size(c) / (N - size(c)) times as many orders.
    `new_root[r]` becomes what is drawn for the tree that hangs from r.
    """
    for q in range(len(records) - 1, -1, -1):
        i = queue[q]
        if chosen[i] < 0:
            kin[i], new_root[i] = i, i
            orders[i] = total[i] = 1.0
            continue
        p = neighbours[chosen[i]]
        r = kin[p]
        kin[i] = r
        # The bounds are met only in chains of more than 800 records one after the other.
        orders[i] = min(max(orders[p] * size[i] / (size[r] - size[i]), 1e-250), 1e250)
        total[r] += orders[i]
        if uniform_at(key, np.uint64(3 * records[i] + 2)) * total[r] < orders[i]:
            new_root[r] = i


@nb.njit(cache=True, nogil=True)
def turn_tree(
    first: int,
    total: int,
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    size: NDArray[np.int32],
    path: NDArray[np.int32],
) -> int:
    """Hang a tree of so many records from another record: turn the origins between it and the old root round.

    Returns how many records lie on that way, and fills `path` with them, the new root first.
    """
    length = 0
    i, below, below_kind, below_size = first, -1, FRESH, 0
    while True:
        path[length] = i
        length += 1
        old, old_kind, old_size = chosen[i], kind[i], size[i]
        chosen[i], kind[i], size[i] = -1, below_kind, total - below_size
        if below >= 0:
            chosen[i] = offsets[i]
            while neighbours[chosen[i]] != below:
                chosen[i] += 1
        if old < 0:
            return length
        below, below_kind, below_size = i, old_kind, old_size
        i = neighbours[old]


@nb.njit(cache=True, nogil=True)
def place_record(
    i: int,
    key: np.uint64,
    records: NDArray[np.int32],
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    size: NDArray[np.int32],
    time: NDArray[np.float64],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
) -> int:
    """Draw the time of a record whose origin has one; return 1 if it is the first of an entity, else 0."""
    wait = -np.log1p(-uniform_at(key, np.uint64(3 * records[i] + 1))) / size[i]
    if chosen[i] >= 0:
        p = neighbours[chosen[i]]
        time[i] = time[p] + wait
        kin[i] = kin[p]
    else:
        time[i] = wait
        kin[i] = i
    if kind[i] == COPY:
        root[i] = root[neighbours[chosen[i]]]
        return 0
    root[i] = i
    return 1


@nb.njit(cache=True, nogil=True)
def leaves_first(
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    size: NDArray[np.int32],
    waiting: NDArray[np.int32],
    queue: NDArray[np.int32],
) -> None:
    """Queue the records so that each comes after all that descend from it, and count these, itself included."""
    n = len(chosen)
    for i in range(n):
        size[i], waiting[i] = 1, 0
    for i in range(n):
        if chosen[i] >= 0:
            waiting[neighbours[chosen[i]]] += 1
    last = 0
    for start in range(n):
        i = start
        while waiting[i] == 0:
            waiting[i] = -1
            queue[last] = i
            last += 1
            if chosen[i] < 0:
                break
            p = neighbours[chosen[i]]
            size[p] += size[i]
            waiting[p] -= 1
            i = p


@nb.njit(cache=True, nogil=True)
def place_trees(
    key: np.uint64,
    lists: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    size: NDArray[np.int32],
    waiting: NDArray[np.int32],
    queue: NDArray[np.int32],
    new_root: NDArray[np.int32],
    path: NDArray[np.int32],
    time: NDArray[np.float64],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
) -> int:
    """Hang each tree from its new root, and draw the times of its records, origins first; return the entities."""
    records, offsets, neighbours = lists
    n_entities = 0
    for q in range(len(queue) - 1, -1, -1):
        i = queue[q]
        if waiting[i] == PLACED:
            continue
        length, path[0] = 1, i
        # A record without neighbours of its own is outside, and stays the root.
        if chosen[i] < 0 and new_root[i] != i and offsets[i + 1] > offsets[i]:
            length = turn_tree(new_root[i], size[i], offsets, neighbours, chosen, kind, size, path)
        for at in range(length):
            n_entities += place_record(path[at], key, records, neighbours, chosen, kind, size, time, root, kin)
            waiting[path[at]] = PLACED
    return n_entities


@nb.njit(cache=True, nogil=True)
def sample_times(
    key: np.uint64,
    records: NDArray[np.int32],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    numbers: NDArray[np.int32],
    measures: NDArray[np.float64],
    time: NDArray[np.float64],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
) -> int:
    """Given the trees, draw their roots and a uniformly random compatible order, as times; return the entities.

    A pair weighs the same in both directions, so a tree may hang from any of its records; were it not turned, the first
    record of a tree would stay the first for ever. A record comes after its origin by an exponential time with the rate
    of the number of records that descend from it: then all orders that respect the forest are equally likely.
    `root[i]` becomes the first record of i's entity, `kin[i]` the first of all that i descends from, by copying or by
    relation. `numbers` (five rows) and `measures` (two) are scratch.
    """
    size, waiting, queue, new_root, path = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    orders, total = measures[0], measures[1]
    leaves_first(neighbours, chosen, size, waiting, queue)
    choose_roots(key, records, neighbours, chosen, size, queue, kin, orders, total, new_root)
    lists = (records, offsets, neighbours)
    return place_trees(key, lists, chosen, kind, size, waiting, queue, new_root, path, time, root, kin)


@nb.njit(cache=True, nogil=True)
def count_pairs(
    first: int,
    last: int,
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
    n_together: NDArray[np.int32],
    n_akin: NDArray[np.int32],
) -> None:
    """Count the pairs that are in one entity, and those that are akin."""
    for e in range(first, last):
        i, j = one[e], other[e]
        n_akin[e] += kin[i] == kin[j]
        n_together[e] += root[i] == root[j]


@nb.njit(cache=True, nogil=True)
def keep_roots(records: NDArray[np.int32], root: NDArray[np.int32], roots: NDArray[np.int32]) -> None:
    """Write down the first record of each record's entity."""
    for i in range(len(records)):
        roots[records[i]] = records[root[i]]


@nb.njit(cache=True, nogil=True)
def wait_alone(key: np.uint64, records: NDArray[np.int64], time: NDArray[np.float64]) -> None:
    """Draw the times of records that nothing descends from and that descend from nothing."""
    for i in records:
        time[i] = -np.log1p(-uniform_at(key, np.uint64(3 * i + 1)))


@nb.njit(cache=True, nogil=True)
def count_and_sample(
    first_pair: int,
    last_pair: int,
    first: int,
    last: int,
    key: np.uint64,
    records: NDArray[np.int32],
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.float32],
    copies: NDArray[np.float32],
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
    n_copied: NDArray[np.int32],
    n_related: NDArray[np.int32],
    n_together: NDArray[np.int32],
    n_akin: NDArray[np.int32],
) -> None:
    """Count what the last sweep left for some pairs, and draw the origins of some records in the next.

    Neither touches what the other needs, so a sweep takes one meeting of threads.
    """
    count_pairs(first_pair, last_pair, one, other, root, kin, n_together, n_akin)
    sample_origins(
        first, last, key, records, time, offsets, neighbours, weights, copies, chosen, kind, n_copied, n_related
    )


@nb.njit(cache=True, nogil=True)
def run_sweeps(
    key: np.uint64,
    done: int,
    n_sweeps: int,
    records: NDArray[np.int32],
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.float32],
    copies: NDArray[np.float32],
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    n_copied: NDArray[np.int32],
    n_related: NDArray[np.int32],
    n_together: NDArray[np.int32],
    n_akin: NDArray[np.int32],
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
) -> None:
    """Run sweeps of both blocks, the first of them with number `done`, all in one thread.

    `n_entities[s]` is added to for every sweep; `roots[s]` filled for the last `len(roots)` of them.
    """
    n = len(records)
    chosen, kind = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int8)
    numbers, measures = np.empty((5, n), dtype=np.int32), np.empty((2, n))
    root, kin = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        now = word_at(key, np.uint64(done + s))
        sample_origins(
            0, n, now, records, time, offsets, neighbours, weights, copies, chosen, kind, n_copied, n_related
        )
        n_entities[s] += sample_times(
            now, records, offsets, neighbours, chosen, kind, numbers, measures, time, root, kin
        )
        count_pairs(0, len(one), one, other, root, kin, n_together, n_akin)
        if s >= first_kept:
            keep_roots(records, root, roots[s - first_kept])
