"""Kernels of `copying.py`: the two-block Gibbs sampler over orders and origins.

Random numbers are looked up, not drawn in turn: that of a record in a sweep is a function of the key, the sweep and the
record. So neither the order in which records are visited nor the number of threads changes the answer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean
from onoma.numerics.union_find import find_inplace, union_inplace

FRESH, COPY, RELATIVE = 0, 1, 2
PLACED = -2


class Neighbours(NamedTuple):
    """Each record's neighbours by any candidate pair."""

    offsets: NDArray[np.int64]
    records: NDArray[np.int32]
    pairs: NDArray[np.int64]
    """The pair that makes each a neighbour."""


class Lists(NamedTuple):
    """The origins that each record may have: its neighbours by pairs of enough weight."""

    records: NDArray[np.int32]
    """The record at each place; all other arrays speak of places."""
    offsets: NDArray[np.int64]
    neighbours: NDArray[np.int32]
    weights: NDArray[np.float32]
    copies: NDArray[np.float32]
    """What of the weights is that of copies."""


class Origins(NamedTuple):
    """Orders and origins, changed in place."""

    time: NDArray[np.float64]
    chosen: NDArray[np.int64]
    """The origin, as a place in the neighbour lists; -1 for a fresh record."""
    kind: NDArray[np.int8]
    root: NDArray[np.int32]
    """The first record of the entity."""
    kin: NDArray[np.int32]
    """The first of all that a record descends from, by copying or by relation."""


class Counts(NamedTuple):
    """How often each neighbour was an origin, and how often both records of a pair inside a component were together."""

    n_copied: NDArray[np.int32]
    n_related: NDArray[np.int32]
    one: NDArray[np.int32]
    other: NDArray[np.int32]
    n_together: NDArray[np.int32]
    n_akin: NDArray[np.int32]


class Scratch(NamedTuple):
    """Working space, as many numbers as records each."""

    parent: NDArray[np.int32]
    size: NDArray[np.int32]
    waiting: NDArray[np.int32]
    queue: NDArray[np.int32]
    new_root: NDArray[np.int32]
    path: NDArray[np.int32]
    orders: NDArray[np.float64]
    total: NDArray[np.float64]


@kernel
def word_at(key: np.uint64, number: np.uint64) -> np.uint64:
    """Return the 64 random bits with a number: SplitMix64 (Steele, Lea and Flood, 2014) at any place of its stream."""
    x = key + (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def uniform_at(key: np.uint64, number: np.uint64) -> float:
    """Return the number in [0, 1) with a number: the top 53 bits."""
    return (word_at(key, number) >> np.uint64(11)) * 1.1102230246251565e-16  # 2**-53


@kernel
def neighbour_lists(n: int, a: NDArray[np.int32], b: NDArray[np.int32]) -> Neighbours:
    """Return each record's neighbours, and the pair that makes them so."""
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
    return Neighbours(offsets, neighbours, pairs)


@kernel
def components_above(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    least: float,
) -> NDArray[np.int64]:
    """Return for each record the first one of its component under the pairs with more than the least weight."""
    first = np.empty(n, dtype=np.int64)
    for i in range(n):
        first[i] = i
    for e in range(len(a)):
        if copy[e] + relative[e] > least:
            union_inplace(first, a[e], b[e])
    for i in range(n):
        first[i] = find_inplace(first, i)
    return first


@kernel
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


@kernel
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


@kernel
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


@kernel
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


@kernel
def new_origins(time: NDArray[np.float64]) -> Origins:
    """Return room for the origins of records that come at these times."""
    n = len(time)
    chosen, kind = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int8)
    return Origins(time, chosen, kind, np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32))


def new_counts(n_neighbours: int, one: NDArray[np.int32], other: NDArray[np.int32]) -> Counts:
    """Return counts of nothing."""
    return Counts(
        np.zeros(n_neighbours, dtype=np.int32),
        np.zeros(n_neighbours, dtype=np.int32),
        one,
        other,
        np.zeros(len(one), dtype=np.int32),
        np.zeros(len(one), dtype=np.int32),
    )


@kernel
def new_scratch(n: int) -> Scratch:
    """Return working space for n records."""
    numbers, measures = np.empty((6, n), dtype=np.int32), np.empty((2, n), dtype=np.float64)
    return Scratch(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], measures[0], measures[1])


@lean
def sample_origins(first: int, last: int, key: np.uint64, lists: Lists, origins: Origins, counts: Counts) -> None:
    """Given the order, draw the origins of records: fresh (weight 1), a copy or a relative of another; count them."""
    records, offsets, neighbours, weights, copies = lists
    time, chosen, kind, _, _ = origins
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
            counts.n_copied[chosen[i]] += 1
        else:
            counts.n_related[chosen[i]] += 1


@lean
def leaves_first(
    parent: NDArray[np.int32], size: NDArray[np.int32], waiting: NDArray[np.int32], queue: NDArray[np.int32]
) -> None:
    """Queue all so that each comes after those that descend from it, and count these, itself included."""
    n = len(parent)
    for i in range(n):
        size[i], waiting[i] = 1, 0
    for i in range(n):
        if parent[i] >= 0:
            waiting[parent[i]] += 1
    last = 0
    for start in range(n):
        i = start
        while waiting[i] == 0:
            waiting[i] = -1
            queue[last] = i
            last += 1
            p = parent[i]
            if p < 0:
                break
            size[p] += size[i]
            waiting[p] -= 1
            i = p


@lean
def choose_roots(
    key: np.uint64,
    lists: Lists,
    turning: NDArray[np.float64] | None,
    origins: Origins,
    scratch: Scratch,
) -> None:
    """Draw for each tree the record that it is to hang from, by its weight and the number of orders that it then has.

    Hung from a child c of p instead of from p, a tree of N records has size(c) / (N - size(c)) times as many orders,
    and `turning` times the weight (None: the same). `new_root[r]` becomes what is drawn for the tree that hangs from r.
    """
    parent, size, _, queue, new_root, _, orders, total = scratch
    for q in range(len(queue) - 1, -1, -1):
        i = queue[q]
        p = parent[i]
        if p < 0:
            origins.kin[i], new_root[i] = i, i
            orders[i] = total[i] = 1.0
            continue
        r = origins.kin[p]
        origins.kin[i] = r
        above = orders[p]
        if turning is not None:
            above *= turning[origins.chosen[i]]
        # The bounds are met only in chains of more than 800 records one after the other.
        orders[i] = min(max(above * size[i] / (size[r] - size[i]), 1e-250), 1e250)
        total[r] += orders[i]
        if uniform_at(key, np.uint64(3 * lists.records[i] + 2)) * total[r] < orders[i]:
            new_root[r] = i


@lean
def turn_tree(first: int, total: int, lists: Lists, origins: Origins, scratch: Scratch) -> int:
    """Hang a tree of so many records from another record: turn the origins between it and the old root round.

    Returns how many records lie on that way, and fills `path` with them, the new root first.
    """
    chosen, kind, size = origins.chosen, origins.kind, scratch.size
    length = 0
    i, below, below_kind, below_size = first, -1, FRESH, 0
    while True:
        scratch.path[length] = i
        length += 1
        old, old_kind, old_size = chosen[i], kind[i], size[i]
        chosen[i], kind[i], size[i] = -1, below_kind, total - below_size
        if below >= 0:
            chosen[i] = lists.offsets[i]
            while lists.neighbours[chosen[i]] != below:
                chosen[i] += 1
        if old < 0:
            return length
        below, below_kind, below_size = i, old_kind, old_size
        i = lists.neighbours[old]


@lean
def place_record(i: int, key: np.uint64, lists: Lists, origins: Origins, size: NDArray[np.int32]) -> int:
    """Draw the time of a record whose origin has one; return 1 if it is the first of an entity, else 0."""
    time, chosen, kind, root, kin = origins
    wait = -np.log1p(-uniform_at(key, np.uint64(3 * lists.records[i] + 1))) / size[i]
    if chosen[i] >= 0:
        p = lists.neighbours[chosen[i]]
        time[i] = time[p] + wait
        kin[i] = kin[p]
    else:
        time[i] = wait
        kin[i] = i
    if kind[i] == COPY:
        root[i] = root[lists.neighbours[chosen[i]]]
        return 0
    root[i] = i
    return 1


@lean
def place_trees(key: np.uint64, lists: Lists, origins: Origins, scratch: Scratch) -> int:
    """Hang each tree from its new root, and draw the times of its records, origins first; return the entities."""
    _, size, waiting, queue, new_root, path, _, _ = scratch
    n_entities = 0
    for q in range(len(queue) - 1, -1, -1):
        i = queue[q]
        if waiting[i] == PLACED:
            continue
        length, path[0] = 1, i
        # A record without neighbours of its own is outside, and stays the root.
        if origins.chosen[i] < 0 and new_root[i] != i and lists.offsets[i + 1] > lists.offsets[i]:
            length = turn_tree(new_root[i], size[i], lists, origins, scratch)
        for at in range(length):
            n_entities += place_record(path[at], key, lists, origins, size)
            waiting[path[at]] = PLACED
    return n_entities


@kernel
def sample_times(
    key: np.uint64, lists: Lists, turning: NDArray[np.float64] | None, origins: Origins, scratch: Scratch
) -> int:
    """Given the trees, draw their roots and a uniformly random compatible order, as times; return the entities.

    A tree may hang from any of its records, with the weight that `turning` tells for each neighbour (None: a pair
    weighs the same in both directions); were it not turned, the first record of a tree would stay the first for ever.
    A record comes after its origin by an exponential time with the rate of the number of records that descend from it:
    then all orders that respect the forest are equally likely.
    """
    for i in range(len(origins.chosen)):
        scratch.parent[i] = lists.neighbours[origins.chosen[i]] if origins.chosen[i] >= 0 else -1
    leaves_first(scratch.parent, scratch.size, scratch.waiting, scratch.queue)
    choose_roots(key, lists, turning, origins, scratch)
    return place_trees(key, lists, origins, scratch)


@lean
def count_pairs(first: int, last: int, origins: Origins, counts: Counts) -> None:
    """Count the pairs that are in one entity, and those that are akin."""
    for e in range(first, last):
        i, j = np.uint32(counts.one[e]), np.uint32(counts.other[e])  # never from the end: half of the time went there
        counts.n_akin[e] += origins.kin[i] == origins.kin[j]
        counts.n_together[e] += origins.root[i] == origins.root[j]


@kernel
def keep_roots(records: NDArray[np.int32], root: NDArray[np.int32], roots: NDArray[np.int32]) -> None:
    """Write down the first record of the entity of the record at each place."""
    for i in range(len(records)):
        roots[i] = records[root[i]]


@kernel
def wait_alone(key: np.uint64, records: NDArray[np.int64], time: NDArray[np.float64]) -> None:
    """Draw the times of records that nothing descends from and that descend from nothing."""
    for i in records:
        time[i] = -np.log1p(-uniform_at(key, np.uint64(3 * i + 1)))


@kernel
def count_and_sample(
    first_pair: int,
    last_pair: int,
    first: int,
    last: int,
    key: np.uint64,
    lists: Lists,
    origins: Origins,
    counts: Counts,
) -> None:
    """Count what the last sweep left for some pairs, and draw the origins of some records in the next.

    Neither touches what the other needs, so a sweep takes one meeting of threads.
    """
    count_pairs(first_pair, last_pair, origins, counts)
    sample_origins(first, last, key, lists, origins, counts)


@kernel
def run_sweeps(
    key: np.uint64,
    done: int,
    n_sweeps: int,
    lists: Lists,
    time: NDArray[np.float64],
    counts: Counts,
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
) -> None:
    """Run sweeps of both blocks over whole components, the first of them with number `done`, all in one thread.

    `n_entities[s]` is added to for every sweep; `roots[s]` filled for the last `len(roots)` of them, place by place.
    """
    n = len(time)
    origins, scratch = new_origins(time), new_scratch(n)
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        now = word_at(key, np.uint64(done + s))
        sample_origins(0, n, now, lists, origins, counts)
        n_entities[s] += sample_times(now, lists, None, origins, scratch)
        count_pairs(0, len(counts.one), origins, counts)
        if s >= first_kept:
            keep_roots(lists.records, origins.root, roots[s - first_kept])
