"""Kernels of `joint.py`: block Gibbs over order, topics and parents, each block but the last corrected.

A mention x of topic z_x takes an earlier one p of topic z_p for its parent with probability
exp(W[z_p, z_x]) / Z(x), or none with probability exp(ρ) / Z(x), where Z(x) sums over all that are earlier.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel
from onoma.numerics.logspace import draw_log_inplace
from onoma.numerics.rng import exponential, uniform
from onoma.resolve.posterior._copying_kernels import leaves_first


class Topical(NamedTuple):
    """What topics weigh."""

    unary: NDArray[np.float64]
    """By mention and topic, the log weight of the topic by the mention's text."""
    scores: NDArray[np.float64]
    """W, by the topics of parent and child."""
    root: float
    """ρ."""


class Parents(NamedTuple):
    """The parents that each mention may have, and the log weight of each by its name."""

    offsets: NDArray[np.int64]
    neighbours: NDArray[np.int32]
    log_ratios: NDArray[np.float64]


class Seen(NamedTuple):
    """What sweeps are counted by."""

    accepted: NDArray[np.int64]
    """Orders and topics that were accepted."""
    observed: NDArray[np.float64]
    expected: NDArray[np.float64]
    """Pairs of topics (parent, child) that were chosen, and those that the parent model expects."""
    n_chosen: NDArray[np.int64]
    n_root: NDArray[np.int64]
    n_entities: NDArray[np.int64]
    """The sweeps with each parent, those with none by mention, and the entities by sweep."""


@kernel
def log_normalisers(
    order: NDArray[np.int64], topics: NDArray[np.int32], weights: NDArray[np.float64], root: float
) -> float:
    """Return Σ log Z(x), the mentions taken in their order: only how many of each topic came before matters.

    `weights` is exp(W), `root` exp(ρ).
    """
    n_topics = weights.shape[0]
    seen = np.zeros(n_topics)
    total, product = 0.0, 1.0
    for x in order:
        z = root
        for k in range(n_topics):
            z += seen[k] * weights[k, topics[x]]
        product *= z
        if product > 1e200 or product < 1e-200:
            total += np.log(product)
            product = 1.0
        seen[topics[x]] += 1.0
    return total + np.log(product)


@kernel
def merge_orders(
    rng_state: NDArray[np.uint64],
    order: NDArray[np.int64],
    times: NDArray[np.int64],
    group: NDArray[np.int64],
    chosen: int,
    found: NDArray[np.int64],
) -> None:
    """Put the mentions of a group anew among the others, whose order stays: every way is equally likely.

    `times` has all mentions in a new order, of which that of the group is taken.
    """
    n = len(order)
    inside = 0
    for x in order:
        inside += group[x] == chosen
    outside, at_old, at_new = n - inside, 0, 0
    for place in range(n):
        if uniform(rng_state) * (inside + outside) < inside:
            while group[times[at_new]] != chosen:
                at_new += 1
            found[place] = times[at_new]
            at_new += 1
            inside -= 1
        else:
            while group[order[at_old]] == chosen:
                at_old += 1
            found[place] = order[at_old]
            at_old += 1
            outside -= 1


@kernel
def part_trees(
    rng_state: NDArray[np.uint64],
    parents: NDArray[np.int32],
    queue: NDArray[np.int32],
    n_groups: int,
    group: NDArray[np.int64],
) -> None:
    """Part the trees at random into groups; whole trees stay together."""
    for q in range(len(parents) - 1, -1, -1):
        x = queue[q]
        group[x] = int(uniform(rng_state) * n_groups) if parents[x] < 0 else group[parents[x]]


@kernel
def propose_times(
    rng_state: NDArray[np.uint64],
    parents: NDArray[np.int32],
    queue: NDArray[np.int32],
    size: NDArray[np.int32],
    time: NDArray[np.float64],
) -> None:
    """Draw an order that respects the parents, every one equally likely, as times."""
    for q in range(len(parents) - 1, -1, -1):
        x = queue[q]
        wait = exponential(rng_state) / size[x]
        time[x] = wait if parents[x] < 0 else time[parents[x]] + wait


@kernel
def propose_topics(
    rng_state: NDArray[np.uint64],
    parents: NDArray[np.int32],
    queue: NDArray[np.int32],
    unary: NDArray[np.float64],
    scores: NDArray[np.float64],
    up: NDArray[np.float64],
    topics: NDArray[np.int32],
) -> None:
    """Draw topics from the tree-structured model Π exp(unary) Π over edges exp(W): sum up the trees, sample down."""
    n, n_topics = unary.shape
    scratch = np.empty(n_topics)
    for x in range(n):
        for k in range(n_topics):
            up[x, k] = unary[x, k]
    for q in range(n):
        x = queue[q]
        p = parents[x]
        if p < 0:
            continue
        high = np.max(up[x])
        for k in range(n_topics):
            total = 0.0
            for j in range(n_topics):
                total += np.exp(scores[k, j] + up[x, j] - high)
            up[p, k] += np.log(total) + high
    for q in range(n - 1, -1, -1):
        x = queue[q]
        p = parents[x]
        for k in range(n_topics):
            scratch[k] = up[x, k] + (scores[topics[p], k] if p >= 0 else 0.0)
        topics[x] = draw_log_inplace(uniform(rng_state), scratch, n_topics)


@kernel
def choose_parents(
    rng_state: NDArray[np.uint64],
    time: NDArray[np.float64],
    topics: NDArray[np.int32],
    near: Parents,
    model: Topical,
    chosen: NDArray[np.int64],
    parents: NDArray[np.int32],
    scratch: NDArray[np.float64],
) -> None:
    """Given order and topics, draw each mention's parent: they are independent, and the normalisers cancel."""
    offsets, neighbours, log_ratios = near
    _, scores, root = model
    for x in range(len(time)):
        first, n = offsets[x], offsets[x + 1] - offsets[x]
        for i in range(n):
            p = neighbours[first + i]
            scratch[i] = log_ratios[first + i] + scores[topics[p], topics[x]] if time[p] < time[x] else -np.inf
        scratch[n] = root
        drawn = draw_log_inplace(uniform(rng_state), scratch, n + 1)
        chosen[x] = -1 if drawn == n else first + drawn
        parents[x] = -1 if drawn == n else neighbours[first + drawn]


@kernel
def count_choices(
    order: NDArray[np.int64],
    topics: NDArray[np.int32],
    parents: NDArray[np.int32],
    model: Topical,
    counts: Seen,
) -> None:
    """Add the pairs of topics (parent, child) that were chosen, and those that the parent model expects."""
    scores, root, observed, expected = model.scores, model.root, counts.observed, counts.expected
    n_topics = scores.shape[0]
    seen = np.zeros(n_topics)
    for x in order:
        z = np.exp(root)
        for k in range(n_topics):
            z += seen[k] * np.exp(scores[k, topics[x]])
        for k in range(n_topics):
            expected[k, topics[x]] += seen[k] * np.exp(scores[k, topics[x]]) / z
        if parents[x] >= 0:
            observed[topics[parents[x]], topics[x]] += 1.0
        seen[topics[x]] += 1.0


@kernel
def sample_orders_and_topics(
    rng_state: NDArray[np.uint64],
    n_groups: int,
    order: NDArray[np.int64],
    topics: NDArray[np.int32],
    parents: NDArray[np.int32],
    model: Topical,
    corrected: bool,
    accepted: NDArray[np.int64],
) -> None:
    """Propose orders and topics for one group of trees after the other: proposals for all at once are seldom taken."""
    unary, scores, root = model
    n, n_topics = unary.shape
    queue, size, waiting = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    new_time = np.empty(n)
    group, new_order = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    new_topics, mixed = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    weights, root_weight = np.exp(scores), np.exp(root)
    leaves_first(parents, size, waiting, queue)
    part_trees(rng_state, parents, queue, n_groups, group)
    propose_times(rng_state, parents, queue, size, new_time)
    times = np.argsort(new_time)
    propose_topics(rng_state, parents, queue, unary, scores, np.empty((n, n_topics)), new_topics)
    before = log_normalisers(order, topics, weights, root_weight)
    for g in range(n_groups):
        merge_orders(rng_state, order, times, group, g, new_order)
        after = log_normalisers(new_order, topics, weights, root_weight)
        if not corrected or np.log(uniform(rng_state)) < before - after:
            order[:], before = new_order, after
            accepted[0] += 1
        for x in range(n):
            mixed[x] = new_topics[x] if group[x] == g else topics[x]
        after = log_normalisers(order, mixed, weights, root_weight)
        if not corrected or np.log(uniform(rng_state)) < before - after:
            topics[:], before = mixed, after
            accepted[1] += 1


@kernel
def keep_sample(
    order: NDArray[np.int64],
    parents: NDArray[np.int32],
    topics: NDArray[np.int32],
    kept_roots: NDArray[np.int32],
    kept_parents: NDArray[np.int32],
    kept_topics: NDArray[np.int32],
) -> None:
    """Keep a sample: each mention's first name, parent and topic."""
    for x in order:
        p = parents[x]
        kept_parents[x] = p
        kept_roots[x] = x if p < 0 else kept_roots[p]
        kept_topics[x] = topics[x]


@kernel
def run_joint(
    rng_state: NDArray[np.uint64],
    n_sweeps: int,
    n_groups: int,
    time: NDArray[np.float64],
    topics: NDArray[np.int32],
    parents: NDArray[np.int32],
    near: Parents,
    model: Topical,
    corrected: bool,
    counts: Seen,
    kept: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
) -> None:
    """Run sweeps of the three blocks; time (a mention's place in the order), topics and parents are the state.

    Without `corrected` every proposal is taken (which is wrong, and there to be shown wrong). `kept` are roots, parents
    and topics of the last sweeps.
    """
    n, n_chosen, n_root, n_entities = len(time), counts.n_chosen, counts.n_root, counts.n_entities
    chosen, scratch = np.full(n, -1, dtype=np.int64), np.empty(len(near.neighbours) + 1)
    first_kept = n_sweeps - len(kept[0])
    order = np.argsort(time)
    for s in range(n_sweeps):
        sample_orders_and_topics(rng_state, n_groups, order, topics, parents, model, corrected, counts.accepted)
        for place in range(n):
            time[order[place]] = place
        choose_parents(rng_state, time, topics, near, model, chosen, parents, scratch)
        count_choices(order, topics, parents, model, counts)
        for x in range(n):
            if chosen[x] >= 0:
                n_chosen[chosen[x]] += 1
            else:
                n_root[x] += 1
                n_entities[s] += 1
        if s >= first_kept:
            row = s - first_kept
            keep_sample(order, parents, topics, kept[0][row], kept[1][row], kept[2][row])
