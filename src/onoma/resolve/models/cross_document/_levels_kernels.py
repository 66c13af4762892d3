"""Kernels of `levels.py`: items in groups, scored pair by pair, moved by Metropolis–Hastings.

An item has features, each with a *query* and a *key*; items i and j score ψ(i, j) = Σ_f query_i,f · key_j,f - b. What
an item scores with a whole group is one pass over its own features, because the keys of a group are summed: in one open
hash table under (group, feature), beside the number of items that have the feature there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean
from onoma.numerics.rng import below, uniform

N_FREE, N_USED, N_PROPOSED, N_ACCEPTED, IS_FULL, CLOCK = range(6)
"""Places in `Groups.state`; the clock counts changes of groups."""
N_STATE = 6
EMPTY = -1
NEVER = 1e-300
"""A chance that is none, for its logarithm."""


class Items(NamedTuple):
    """What is grouped."""

    offsets: NDArray[np.int64]
    features: NDArray[np.int32]
    query: NDArray[np.float32]
    key: NDArray[np.float32]
    size: NDArray[np.int64]
    """Mentions of each item: the bias counts pairs of mentions."""
    own: NDArray[np.float64]
    """Σ query · key of an item with itself, which is no pair."""
    chance: NDArray[np.float32]
    """Sums, over an item's features up to each, of their chances to propose: the last is 1, or 0 for none at all."""


class Reach(NamedTuple):
    """Where items may go: to groups of their own pool, found by chance or by a feature they share."""

    pool: NDArray[np.int64]
    offsets: NDArray[np.int64]
    members: NDArray[np.int64]
    """Items of each pool."""
    holder_offsets: NDArray[np.int64]
    holders: NDArray[np.int32]
    """Items of each feature: those with a key there."""


class Groups(NamedTuple):
    """Which items are together; changed in place."""

    of: NDArray[np.int64]
    size: NDArray[np.int64]
    n_items: NDArray[np.int64]
    above: NDArray[np.int64]
    """The group of the level above that each group is in; a new group is where its first item was."""
    free: NDArray[np.int64]
    keys: NDArray[np.int64]
    sums: NDArray[np.float64]
    """Beside the keys, in the same lines of the cache: what is looked for is mostly far from the processor."""
    counts: NDArray[np.int32]
    there: NDArray[np.uint64]
    """A bit for each of some numbers made of keys, set where one is in the table: most keys looked for are not."""
    state: NDArray[np.int64]
    changed: NDArray[np.int64]
    """When each group last changed, by a clock of changes: no two groups have the same time."""
    asked: NDArray[np.int64]
    """The time of its group for which an item's `stay` is known; -1: none."""
    stay: NDArray[np.float64]
    """By item, what it scores with the others of its group and the chance to be proposed to them."""
    head: NDArray[np.int64]
    after: NDArray[np.int64]
    before: NDArray[np.int64]
    """The items of each group as a list, where pairs are scored one by one; else empty."""


class Rules(NamedTuple):
    """How items move."""

    bias: float
    temperature: float
    new: float
    """Chance to propose a group of its own."""
    shared: float
    """Chance to propose by a shared feature; otherwise by any item of the pool."""


@lean
def _mix(key: int) -> np.uint64:
    """Return a key's bits mixed; Fibonacci hashing: neighbouring features must not fall into neighbouring places."""
    return np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)


@lean
def _note(there: NDArray[np.uint64], mixed: np.uint64) -> None:
    """Note that a key is in the table."""
    bit = (mixed >> np.uint64(17)) & np.uint64(64 * len(there) - 1)
    there[bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))


@lean
def _may_be(there: NDArray[np.uint64], mixed: np.uint64) -> bool:
    """Return whether a key may be in the table; if not, it is not."""
    bit = (mixed >> np.uint64(17)) & np.uint64(64 * len(there) - 1)
    return bool((there[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1))


@lean
def _find(keys: NDArray[np.int64], key: int, mixed: np.uint64) -> int:
    """Return where a key stands, or where it would."""
    mask = np.uint64(len(keys) - 1)
    place = (mixed >> np.uint64(20)) & mask
    while keys[place] != key and keys[place] != EMPTY:
        place = (place + np.uint64(1)) & mask
    return int(place)


@lean
def _list_item(groups: Groups, item: int, group: int, sign: int) -> None:
    """Put an item into the list of a group, or take it out."""
    if sign > 0:
        first = groups.head[group]
        groups.after[item], groups.before[item] = first, -1
        if first >= 0:
            groups.before[first] = item
        groups.head[group] = item
        return
    left, right = groups.before[item], groups.after[item]
    if left >= 0:
        groups.after[left] = right
    else:
        groups.head[group] = right
    if right >= 0:
        groups.before[right] = left


@lean
def _product(items: Items, i: int, j: int) -> float:
    """Return Σ query · key of two items whose features are in order."""
    total = 0.0
    a, b = items.offsets[i], items.offsets[j]
    while a < items.offsets[i + 1] and b < items.offsets[j + 1]:
        if items.features[a] == items.features[b]:
            total += items.query[a] * items.key[b]
            a += 1
            b += 1
        elif items.features[a] < items.features[b]:
            a += 1
        else:
            b += 1
    return total


@lean
def add_item(items: Items, groups: Groups, item: int, group: int, sign: int) -> None:
    """Put an item into a group (sign 1), or take it out (-1)."""
    groups.size[group] += sign * items.size[item]
    groups.n_items[group] += sign
    groups.state[CLOCK] += 1
    groups.changed[group] = groups.state[CLOCK]
    if len(groups.head) > 0:
        _list_item(groups, item, group, sign)
        return
    for at in range(items.offsets[item], items.offsets[item + 1]):
        if items.key[at] == 0.0:
            continue
        key = (group << 32) | items.features[at]
        mixed = _mix(key)
        place = _find(groups.keys, key, mixed)
        if groups.keys[place] == EMPTY:
            groups.keys[place] = key
            groups.state[N_USED] += 1
            _note(groups.there, mixed)
        groups.counts[place] += sign
        groups.sums[place] = groups.sums[place] + sign * items.key[at] if groups.counts[place] else 0.0


@lean
def fill(items: Items, groups: Groups) -> None:
    """Sum the keys of all groups anew, into an empty table."""
    groups.keys[:] = EMPTY
    groups.sums[:] = 0.0
    groups.counts[:] = 0
    groups.there[:] = 0
    groups.size[:] = 0
    groups.n_items[:] = 0
    groups.state[N_USED] = 0
    groups.head[:] = -1
    for item in range(len(items.size)):
        add_item(items, groups, item, groups.of[item], 1)
    groups.state[N_FREE] = 0
    for group in range(len(groups.n_items) - 1, -1, -1):
        if groups.n_items[group] == 0:
            groups.free[groups.state[N_FREE]] = group
            groups.state[N_FREE] += 1


@lean
def affinity(items: Items, reach: Reach, groups: Groups, item: int, group: int) -> tuple[float, float]:
    """Return Σ query · summed keys of a group, and the chance to propose the group by a shared feature.

    The item itself does not count where it is in the group: its part is taken off.
    """
    total, chance, before = 0.0, 0.0, np.float32(0.0)
    is_in = groups.of[item] == group
    if len(groups.head) > 0:
        other = groups.head[group]
        while other >= 0:
            if other != item:
                total += _product(items, item, other)
            other = groups.after[other]
        return total, 0.0
    for at in range(items.offsets[item], items.offsets[item + 1]):
        feature = items.features[at]
        part = items.chance[at] - before
        before = items.chance[at]
        key = (group << 32) | feature
        mixed = _mix(key)
        if not _may_be(groups.there, mixed):
            continue
        place = _find(groups.keys, key, mixed)
        if groups.keys[place] == EMPTY:
            continue
        n = groups.counts[place]
        if n == 0:
            continue
        total += items.query[at] * groups.sums[place]
        if part > 0.0:
            if is_in and items.key[at] != 0.0:
                n -= 1
            chance += part * n / (reach.holder_offsets[feature + 1] - reach.holder_offsets[feature])
    return total - items.own[item] * is_in, chance


@lean
def _pick(rng: NDArray[np.uint64], items: Items, first: int, last: int) -> int:
    """Draw one of an item's features by their chances."""
    v = np.float32(uniform(rng)) * items.chance[last - 1]
    low, high = first, last - 1
    while low < high:
        middle = (low + high) // 2
        if items.chance[middle] > v:
            high = middle
        else:
            low = middle + 1
    return low


@lean
def _propose(rng: NDArray[np.uint64], items: Items, reach: Reach, groups: Groups, rules: Rules, item: int) -> int:
    """Return the group proposed for an item: -1 for one of its own, its own group for none."""
    u = uniform(rng)
    here = groups.of[item]
    if u < rules.new:
        return -1 if groups.n_items[here] > 1 else here
    first, last = items.offsets[item], items.offsets[item + 1]
    if u < rules.new + rules.shared:
        if first == last or items.chance[last - 1] == 0.0:
            return here
        feature = items.features[_pick(rng, items, first, last)]
        start = reach.holder_offsets[feature]
        n = reach.holder_offsets[feature + 1] - start
        return groups.of[reach.holders[start + below(rng, n)]] if n else here
    pool = reach.pool[item]
    start = reach.offsets[pool]
    return groups.of[reach.members[start + below(rng, reach.offsets[pool + 1] - start)]]


@lean
def _log_chance(reach: Reach, rules: Rules, item: int, n_items: int, by: float) -> float:
    """Return the log chance to propose a group of so many other items; 0: a group of its own."""
    if n_items == 0:
        return np.log(max(rules.new, NEVER))
    pool = reach.pool[item]
    share = n_items / (reach.offsets[pool + 1] - reach.offsets[pool])
    return np.log(max(rules.shared * by + (1.0 - rules.new - rules.shared) * share, NEVER))


@lean
def step_item(rng: NDArray[np.uint64], items: Items, reach: Reach, groups: Groups, rules: Rules, item: int) -> float:
    """Propose to move one item and do it or not; return what the log score gained."""
    here = groups.of[item]
    there = _propose(rng, items, reach, groups, rules, item)
    if there == here:
        return 0.0
    if groups.asked[item] != groups.changed[here]:
        stay, back = affinity(items, reach, groups, item, here)
        groups.asked[item] = groups.changed[here]
        groups.stay[item, 0], groups.stay[item, 1] = stay, back
    stay, back = groups.stay[item, 0], groups.stay[item, 1]
    stay -= rules.bias * items.size[item] * (groups.size[here] - items.size[item])
    go, forth, n_there = 0.0, 0.0, 0
    if there >= 0:
        go, forth = affinity(items, reach, groups, item, there)
        go -= rules.bias * items.size[item] * groups.size[there]
        n_there = groups.n_items[there]
    # A pair together scores ψ, a pair apart -ψ: moving it across counts twice.
    d_log_score = 2.0 * (go - stay)
    backward = _log_chance(reach, rules, item, groups.n_items[here] - 1, back)
    log_q_ratio = backward - _log_chance(reach, rules, item, n_there, forth)
    if np.log(max(uniform(rng), NEVER)) >= d_log_score / rules.temperature + log_q_ratio:
        return 0.0
    add_item(items, groups, item, here, -1)
    if groups.n_items[here] == 0:
        groups.free[groups.state[N_FREE]] = here
        groups.state[N_FREE] += 1
    if there < 0:
        groups.state[N_FREE] -= 1
        there = groups.free[groups.state[N_FREE]]
        groups.above[there] = groups.above[here]
    add_item(items, groups, item, there, 1)
    groups.of[item] = there
    groups.state[N_ACCEPTED] += 1
    return d_log_score


@lean
def sample(
    rng: NDArray[np.uint64], items: Items, reach: Reach, groups: Groups, rules: Rules, n_steps: int
) -> tuple[int, float]:
    """Make steps until all are made or the table is too full; return how many were made and what they gained."""
    gained = 0.0
    n = len(items.size)
    room = len(groups.keys) * 7 // 10
    for done in range(n_steps):
        item = below(rng, n)
        if groups.state[N_USED] + items.offsets[item + 1] - items.offsets[item] > room:
            groups.state[IS_FULL] = 1
            return done, gained
        groups.state[N_PROPOSED] += 1
        gained += step_item(rng, items, reach, groups, rules, item)
    return n_steps, gained


@kernel
def sum_by(
    group: NDArray[np.int64],
    n: int,
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    features: NDArray[np.int32],
    query: NDArray[np.float32],
    key: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Add up the sparse rows of each group; `order` has the rows group by group."""
    top = 0
    for feature in features:
        top = max(top, feature)
    seen = np.full(top + 1, -1, np.int64)
    out_offsets = np.zeros(n + 1, np.int64)
    out_features = np.empty(len(features), np.int32)
    out_query, out_key = np.zeros(len(features), np.float32), np.zeros(len(features), np.float32)
    used, k = 0, 0
    for each in range(n):
        first = used
        while k < len(order) and group[order[k]] == each:
            row = order[k]
            for at in range(offsets[row], offsets[row + 1]):
                feature = features[at]
                if seen[feature] < first:
                    seen[feature] = used
                    out_features[used] = feature
                    used += 1
                out_query[seen[feature]] += query[at]
                out_key[seen[feature]] += key[at]
            k += 1
        out_offsets[each + 1] = used
    return out_offsets, out_features[:used].copy(), out_query[:used].copy(), out_key[:used].copy()


@kernel
def hold(
    offsets: NDArray[np.int64], features: NDArray[np.int32], key: NDArray[np.float32], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return, feature after feature, the items that have it."""
    starts = np.zeros(n + 1, np.int64)
    for at in range(len(features)):
        if key[at] != 0.0:
            starts[features[at] + 1] += 1
    for feature in range(n):
        starts[feature + 1] += starts[feature]
    next_one = starts.copy()
    holders = np.empty(starts[n], np.int32)
    for item in range(len(offsets) - 1):
        for at in range(offsets[item], offsets[item + 1]):
            if key[at] != 0.0:
                feature = features[at]
                holders[next_one[feature]] = item
                next_one[feature] += 1
    return starts, holders
