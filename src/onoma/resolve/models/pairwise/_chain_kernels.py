"""Kernels of `chain.py`: the score of a pair, the change a move makes, and chains of moves.

A world's log score is the sum of the scores of all pairs of mentions that are in one entity. Moving mention i from its
entity to another changes the pairs of i alone: those with the other entity's members come in, those with its own go.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.mcmc._subsampling_kernels import EXACT, ScoringPlan, wants_more
from onoma.numerics.kernels import lean
from onoma.numerics.rng import below, uniform
from onoma.numerics.sampling import Deck, draw_next_inplace, put_back_inplace
from onoma.resolve.models.pairwise._partition_kernels import Partition, empty_slot, move_inplace

PAIRS, BAGS = 0, 1
UNIFORM, NEIGHBOURS, GIBBS = 0, 1, 2
FACTORS, PROPOSALS, ACCEPTED = 0, 1, 2


class Factors(NamedTuple):
    """The scores of pairs: listed (PAIRS), or computed from bags of words (BAGS)."""

    kind: int
    offsets: NDArray[np.int64]
    """Where the list of a mention begins; with bags, of a mention's group."""
    items: NDArray[np.int32]
    """Neighbours, ascending; words."""
    values: NDArray[np.float64]
    """The score of the pair; the word's part of a vector of length 1."""
    base: float
    """The score of a pair that is not listed; what is added to every pair."""
    slopes: NDArray[np.float64]
    """By group, what a cosine of 1 scores."""
    tables: NDArray[np.int64]
    """The two groups that each table of scores is about; twice the same where it is about one."""
    cells: NDArray[np.float64]
    """By table, what is added in each cell: interval of the one cosine × interval of the other."""
    n_steps: int
    """Equal intervals of a cosine; one more stands for an empty bag."""
    bins: NDArray[np.int64]
    focus: NDArray[np.float64]
    """Working space: the intervals of one pair; one mention's bags, word by word, 0 elsewhere."""


class Moves(NamedTuple):
    """How moves are proposed."""

    kind: int
    stray: float
    """How often a mention is offered any entity, rather than a neighbour's."""


class Scratch(NamedTuple):
    """Working space of a chain."""

    decks: tuple[Deck, Deck]
    pull: NDArray[np.float64]
    n_near: NDArray[np.int64]
    touched: NDArray[np.int32]


@lean
def focus_inplace(factors: Factors, i: int) -> None:
    """Spread out the words of a mention, for the pairs it is in."""
    if factors.kind == BAGS:
        n_groups = len(factors.slopes)
        for at in range(factors.offsets[i * n_groups], factors.offsets[(i + 1) * n_groups]):
            factors.focus[factors.items[at]] = factors.values[at]


@lean
def unfocus_inplace(factors: Factors, i: int) -> None:
    """Take the words of a mention away again."""
    if factors.kind == BAGS:
        n_groups = len(factors.slopes)
        for at in range(factors.offsets[i * n_groups], factors.offsets[(i + 1) * n_groups]):
            factors.focus[factors.items[at]] = 0.0


@lean
def listed_place(factors: Factors, i: int, j: int) -> int:
    """Return where j stands in the list of i; -1 if it does not."""
    low, end = factors.offsets[i], factors.offsets[i + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if factors.items[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low if low < end and factors.items[low] == j else -1


@lean
def pair_score(factors: Factors, i: int, j: int) -> float:
    """Return the score of a pair whose first mention is in focus.

    From bags: base + Σ_g slope_g cos_g + Σ_t cells_t[interval of cos_g, interval of cos_h], where the groups g are
    fields such as the title, and (g, h) are the groups of table t.
    """
    if factors.kind == PAIRS:
        at = listed_place(factors, i, j)
        return factors.values[at] if at >= 0 else factors.base
    n_groups, n_steps = len(factors.slopes), factors.n_steps
    total = factors.base
    for g in range(n_groups):
        first, last = factors.offsets[j * n_groups + g], factors.offsets[j * n_groups + g + 1]
        if first == last or factors.offsets[i * n_groups + g] == factors.offsets[i * n_groups + g + 1]:
            factors.bins[g] = n_steps
            continue
        cosine = 0.0
        for at in range(first, last):
            cosine += factors.focus[factors.items[at]] * factors.values[at]
        total += factors.slopes[g] * cosine
        factors.bins[g] = min(int(cosine * n_steps), n_steps - 1)
    for t in range(len(factors.tables)):
        cell = factors.bins[factors.tables[t, 0]] * (n_steps + 1) + factors.bins[factors.tables[t, 1]]
        total += factors.cells[t, cell]
    return total


@lean
def total_log_score(factors: Factors, partition: Partition) -> float:
    """Return the sum over all pairs within entities."""
    total = 0.0
    for i in range(len(partition.entity)):
        slot = partition.entity[i]
        focus_inplace(factors, i)
        for k in range(partition.place[i]):
            total += pair_score(factors, i, partition.pool[partition.start[slot] + k])
        unfocus_inplace(factors, i)
    return total


@lean
def _score_all(factors: Factors, partition: Partition, i: int, slot: int) -> float:
    """Return the score of i's pairs with all other members of an entity."""
    total = 0.0
    for k in range(partition.size[slot]):
        j = partition.pool[partition.start[slot] + k]
        if j != i:
            total += pair_score(factors, i, j)
    return total


@lean
def _score_some(
    factors: Factors,
    partition: Partition,
    plan: ScoringPlan,
    proportion: float,
    rng_state: NDArray[np.uint64],
    decks: tuple[Deck, Deck],
    i: int,
    target: int,
) -> tuple[float, int]:
    """Estimate d_log_score from some pairs, drawn in turn from those that come in and those that go.

    The turns keep both sides' shares alike, with at least one pair of each: a sample in strata, whose noise is without
    the part that comes from how many of each side it happens to hold. How many pairs are enough is decided from all
    of them together, those that go with their sign turned.
    """
    own = partition.entity[i]
    n_in, n_out = partition.size[target], partition.size[own] - 1
    n, k_in, k_out = n_in + n_out, 0, 0
    sum_in, sum_out, mean, squares = 0.0, 0.0, 0.0, 0.0
    least = (n_in > 0) + (n_out > 0)
    while k_in + k_out < least or wants_more(plan, proportion, k_in + k_out, n, squares):
        if k_out == n_out or (k_in < n_in and k_in * n_out <= k_out * n_in):
            item = draw_next_inplace(rng_state, decks[0], k_in, n_in)
            score = pair_score(factors, i, partition.pool[partition.start[target] + item])
            sum_in += score
            k_in += 1
        else:
            item = draw_next_inplace(rng_state, decks[1], k_out, n_out)
            item += item >= partition.place[i]  # i is no pair of itself
            score = -pair_score(factors, i, partition.pool[partition.start[own] + item])
            sum_out += score
            k_out += 1
        step = score - mean
        mean += step / (k_in + k_out)
        squares += step * (score - mean)
    put_back_inplace(decks[0], k_in)
    put_back_inplace(decks[1], k_out)
    return n_in * sum_in / max(k_in, 1) + n_out * sum_out / max(k_out, 1), k_in + k_out


@lean
def score_move(
    factors: Factors,
    partition: Partition,
    plan: ScoringPlan,
    proportion: float,
    rng_state: NDArray[np.uint64],
    decks: tuple[Deck, Deck],
    i: int,
    target: int,
) -> tuple[float, int]:
    """Return d_log_score of moving i to a slot, from all pairs it touches or as many as planned, and how many."""
    focus_inplace(factors, i)
    if plan.kind == EXACT:
        own = partition.entity[i]
        d = _score_all(factors, partition, i, target) - _score_all(factors, partition, i, own)
        n_scored = partition.size[target] + partition.size[own] - 1
    else:
        d, n_scored = _score_some(factors, partition, plan, proportion, rng_state, decks, i, target)
    unfocus_inplace(factors, i)
    return d, n_scored


@lean
def draw_any(rng_state: NDArray[np.uint64], partition: Partition, i: int) -> int:
    """Return another entity of the mention's block or, unless it is alone, an empty slot; all alike. -1: there is none.

    With i taken out, the others form some number of entities; i chooses among these and being alone, less where it is
    now. The way back is as likely as the way there: log_q_ratio = 0.
    """
    block, own = partition.block[i], partition.entity[i]
    n_others = partition.n_live[block] - 1
    n = n_others + (partition.size[own] > 1)
    if n == 0:
        return -1
    k = below(rng_state, n)
    if k >= n_others:
        return empty_slot(partition, i)
    slot = partition.live[partition.block_start[block] + k]
    return slot if slot != own else partition.live[partition.block_start[block] + n_others]


@lean
def _count_near(factors: Factors, partition: Partition, i: int, slot: int) -> int:
    count = 0
    for at in range(factors.offsets[i], factors.offsets[i + 1]):
        count += partition.entity[factors.items[at]] == slot
    return count


@lean
def draw_near(rng_state: NDArray[np.uint64], factors: Factors, partition: Partition, i: int) -> tuple[int, float]:
    """Return the entity of a random neighbour, or an empty slot where that is i's own, and log_q_ratio. -1: none.

    With c neighbours of i in an entity, i is offered that entity with probability ∝ c, and solitude with probability
    ∝ those in its own. Between solitude and an entity both ways are alike; between two entities the ratio is
    c(own)/c(target), which is 0 where nobody in i's entity is its neighbour.
    """
    first, n = factors.offsets[i], factors.offsets[i + 1] - factors.offsets[i]
    if n == 0:
        return -1, 0.0
    own, target = partition.entity[i], partition.entity[factors.items[first + below(rng_state, n)]]
    if target == own:
        return empty_slot(partition, i), 0.0
    if partition.size[own] == 1:
        return target, 0.0
    back = _count_near(factors, partition, i, own)
    if back == 0:
        return -1, 0.0
    return target, np.log(back / _count_near(factors, partition, i, target))


@lean
def metropolis_update(
    rng_state: NDArray[np.uint64],
    factors: Factors,
    partition: Partition,
    plan: ScoringPlan,
    proportion: float,
    moves: Moves,
    temperature: float,
    scratch: Scratch,
    tally: NDArray[np.int64],
) -> float:
    """Offer a random mention another entity, and move it with probability min(1, exp(d/τ + log_q_ratio)); return d."""
    i, log_q_ratio = below(rng_state, len(partition.entity)), 0.0
    if moves.kind == NEIGHBOURS and uniform(rng_state) >= moves.stray:
        target, log_q_ratio = draw_near(rng_state, factors, partition, i)
    else:
        target = draw_any(rng_state, partition, i)
    tally[PROPOSALS] += 1
    if target < 0:
        return 0.0
    d, n_scored = score_move(factors, partition, plan, proportion, rng_state, scratch.decks, i, target)
    tally[FACTORS] += n_scored
    if uniform(rng_state) >= np.exp(min(0.0, d / temperature + log_q_ratio)):
        return 0.0
    tally[ACCEPTED] += 1
    move_inplace(partition, i, target)
    return d


@lean
def _gather_pull(factors: Factors, partition: Partition, i: int, scratch: Scratch) -> int:
    """Sum the scores of i's neighbours by entity; return how many entities hold one."""
    n = 0
    for at in range(factors.offsets[i], factors.offsets[i + 1]):
        slot = partition.entity[factors.items[at]]
        if scratch.n_near[slot] == 0:
            scratch.touched[n] = slot
            n += 1
        scratch.pull[slot] += factors.values[at]
        scratch.n_near[slot] += 1
    for k in range(n):
        slot = scratch.touched[k]
        others = partition.size[slot] - (slot == partition.entity[i]) - scratch.n_near[slot]
        scratch.pull[slot] += others * factors.base
    return n


@lean
def gibbs_update(
    rng_state: NDArray[np.uint64],
    factors: Factors,
    partition: Partition,
    temperature: float,
    i: int,
    scratch: Scratch,
    tally: NDArray[np.int64],
) -> float:
    """Draw the entity of mention i from the model, among those of its neighbours and being alone; return d_log_score.

    What is offered depends on the others alone, so this is a Gibbs step; a mention in an entity without neighbours of
    it stays (such places are entered and left by stray proposals).
    """
    own = partition.entity[i]
    n = _gather_pull(factors, partition, i, scratch)
    is_alone = partition.size[own] == 1
    chosen, d = own, 0.0
    if is_alone or scratch.n_near[own] > 0:
        top = 0.0  # being alone scores 0
        for k in range(n):
            top = max(top, scratch.pull[scratch.touched[k]])
        total = np.exp(-top / temperature)
        for k in range(n):
            total += np.exp((scratch.pull[scratch.touched[k]] - top) / temperature)
            tally[FACTORS] += partition.size[scratch.touched[k]] - (scratch.touched[k] == own)
        x = uniform(rng_state) * total - np.exp(-top / temperature)
        chosen, after = -1, 0.0
        for k in range(n):
            if x < 0.0:
                break
            chosen = scratch.touched[k]
            after = scratch.pull[chosen]
            x -= np.exp((after - top) / temperature)
        d = after - (0.0 if is_alone else scratch.pull[own])
        if chosen < 0:
            chosen = own if is_alone else empty_slot(partition, i)
    for k in range(n):
        scratch.pull[scratch.touched[k]] = 0.0
        scratch.n_near[scratch.touched[k]] = 0
    tally[PROPOSALS] += 1
    if chosen == own:
        return 0.0
    tally[ACCEPTED] += 1
    move_inplace(partition, i, chosen)
    return d


@lean
def run_updates(
    rng_state: NDArray[np.uint64],
    factors: Factors,
    partition: Partition,
    plan: ScoringPlan,
    proportion: float,
    moves: Moves,
    temperature: float,
    n_updates: int,
    scratch: Scratch,
    tally: NDArray[np.int64],
) -> float:
    """Make some updates of random mentions; return the sum of d_log_score."""
    plain = Moves(UNIFORM, 0.0)
    total = 0.0
    for _ in range(n_updates):
        if moves.kind == GIBBS and uniform(rng_state) >= moves.stray:
            i = below(rng_state, len(partition.entity))
            total += gibbs_update(rng_state, factors, partition, temperature, i, scratch, tally)
        else:
            kind = plain if moves.kind == GIBBS else moves
            total += metropolis_update(
                rng_state, factors, partition, plan, proportion, kind, temperature, scratch, tally
            )
    return total


@lean
def first_members(partition: Partition, roots: NDArray[np.int32]) -> None:
    """Fill in, for each mention, the least mention of its entity."""
    for slot in range(len(partition.size)):
        n, first = partition.size[slot], partition.start[slot]
        if n == 0:
            continue
        least = partition.pool[first]
        for k in range(1, n):
            least = min(least, partition.pool[first + k])
        for k in range(n):
            roots[partition.pool[first + k]] = least


@lean
def count_together(
    partition: Partition, a: NDArray[np.int32], b: NDArray[np.int32], counts: NDArray[np.float64]
) -> None:
    """Add 1 for each pair that is in one entity."""
    for e in range(len(a)):
        counts[e] += partition.entity[a[e]] == partition.entity[b[e]]
