"""Does the pairwise chain sample the model? Against all 203 partitions of six mentions, and chains that must fail."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.errors import DataError, SettingsError
from onoma.mcmc.subsampling import Adaptive, Confidence, Exact, Uniform
from onoma.numerics.rng import kernel_state, stream
from onoma.numerics.sampling import new_deck
from onoma.resolve.models.pairwise import _chain_kernels as kernels
from onoma.resolve.models.pairwise._chain_kernels import (
    draw_any,
    focus_inplace,
    pair_score,
    score_move,
    unfocus_inplace,
)
from onoma.resolve.models.pairwise._partition_kernels import move_inplace, new_partition
from onoma.resolve.models.pairwise.chain import MentionBags, PairwiseChain, draw_partitions, pair_factors
from reference import resolve_pairwise as slow
from reference.resolve_enumeration import first_seen, p_value

N = 6
STRANGER = -0.7
LEAST = 1e-3


def random_problem(seed, n=N, share=0.7):
    """Some pairs of n mentions with scores for and against."""
    rng = stream(seed, "pairs")
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < share]
    return pairs, rng.normal(0.2, 1.0, len(pairs))


def as_factors(n, pairs, scores, stranger=STRANGER):
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    return pair_factors(n, np.ascontiguousarray(a), np.ascontiguousarray(b), np.asarray(scores), stranger=stranger)


def sample(factors, *, n_samples=6000, thin=4, **settings):
    chain = PairwiseChain(factors, N, **settings)
    chain.run(np.ones(50))
    found = []
    for _ in range(n_samples):
        chain.run(np.ones(thin))
        found.append(first_seen(chain.labels.tolist()))
    return found


# The distribution.


@pytest.mark.parametrize("moves", ["uniform", "neighbours", "gibbs"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_kind_of_move_samples_all_203_partitions(moves, seed):
    pairs, scores = random_problem(seed)
    exact = slow.posterior(N, slow.all_scores(N, pairs, scores, STRANGER))
    assert len(exact) == 203
    samples = sample(as_factors(N, pairs, scores), seed=seed, moves=moves, stray=0.3)
    assert p_value(samples, exact) > LEAST


@pytest.mark.parametrize("moves", ["uniform", "gibbs"])
def test_a_chain_of_wrong_scores_fails(moves):
    """The negative control: half the stranger's score, so that unlisted pairs come together too often."""
    pairs, scores = random_problem(1)
    exact = slow.posterior(N, slow.all_scores(N, pairs, scores, STRANGER))
    assert p_value(sample(as_factors(N, pairs, scores, STRANGER / 2), seed=1, moves=moves, stray=0.3), exact) < LEAST


def test_neighbours_without_their_ratio_fail():
    """Offering entities by how many neighbours they hold must be paid back: without the ratio the chain is another."""
    pairs, scores = random_problem(1)
    exact = slow.posterior(N, slow.all_scores(N, pairs, scores, STRANGER))
    assert p_value(_unpaid(as_factors(N, pairs, scores), seed=1), exact) < LEAST


def _unpaid(factors, *, seed, n_samples=6000):
    """The neighbours' chain in Python, log_q_ratio left out."""
    rng_state, partition, found = kernel_state(seed), new_partition(np.arange(N)), []
    plan, decks = Exact().plan(), (new_deck(N), new_deck(N))
    for step in range(n_samples * 24):
        i = int(kernels.below(rng_state, N))
        if kernels.uniform(rng_state) < 0.3:
            target = draw_any(rng_state, partition, i)
        else:
            target, _ = kernels.draw_near(rng_state, factors, partition, i)
        if target >= 0:
            d, _ = score_move(factors, partition, plan, 1.0, rng_state, decks, i, target)
            if kernels.uniform(rng_state) < np.exp(min(0.0, d)):
                move_inplace(partition, i, target)
        if step % 24 == 23:
            found.append(first_seen(partition.entity.tolist()))
    return found


@pytest.mark.parametrize("moves", ["uniform", "neighbours", "gibbs"])
def test_blocks_are_never_joined(moves):
    block = np.array([0, 1, 0, 1, 0, 1], dtype=np.int32)
    pairs, scores = random_problem(3)
    inside = [k for k, (i, j) in enumerate(pairs) if block[i] == block[j]]
    pairs, scores = [pairs[k] for k in inside], scores[inside]
    exact = slow.posterior(N, slow.all_scores(N, pairs, scores, STRANGER), block)
    samples = sample(as_factors(N, pairs, scores), seed=3, moves=moves, block=block, stray=0.3, n_samples=3000)
    assert p_value(samples, exact) > LEAST


def test_temperature_divides_the_score():
    pairs, scores = random_problem(2)
    hot = slow.posterior(N, {pair: s / 2 for pair, s in slow.all_scores(N, pairs, scores, STRANGER).items()})
    chain = PairwiseChain(as_factors(N, pairs, scores), N, seed=5, stray=0.3)
    found = []
    for _ in range(4000):
        chain.run(np.full(4, 2.0))
        found.append(first_seen(chain.labels.tolist()))
    assert p_value(found, hot) > LEAST


def test_adaptive_ends_exact():
    """Cheap in burn-in, exact afterwards: the samples are the model's."""
    pairs, scores = random_problem(1)
    exact = slow.posterior(N, slow.all_scores(N, pairs, scores, STRANGER))
    samples = sample(as_factors(N, pairs, scores), seed=4, moves="uniform", scoring=Adaptive(20, start=0.2))
    assert p_value(samples, exact) > LEAST


# What is kept up to date.


@pytest.mark.parametrize("moves", ["uniform", "neighbours", "gibbs"])
def test_the_log_score_is_that_of_full_rescoring_after_ten_thousand_updates(moves):
    n = 40
    pairs, scores = random_problem(7, n, share=0.3)
    chain = PairwiseChain(as_factors(n, pairs, scores), n, seed=7, moves=moves, stray=0.2)
    chain.advance(10_000, temperature=1.0)
    labels = chain.labels
    full = slow.log_score(labels, slow.all_scores(n, pairs, scores, STRANGER))
    assert chain.log_score == pytest.approx(full, abs=1e-8)
    again = PairwiseChain(as_factors(n, pairs, scores), n, seed=0, start=labels)
    assert again.log_score == pytest.approx(full, abs=1e-8)
    assert chain.n_proposals == 10_000
    assert 0 < chain.n_accepted <= chain.n_proposals


@given(st.integers(2, 12), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=120))
def test_a_partition_survives_any_moves(n, moves):
    """Members, places, slots in use and packing: against a list of labels."""
    block = np.arange(n, dtype=np.int32) % 2 if n > 4 else np.zeros(n, dtype=np.int32)
    partition, labels = new_partition(np.arange(n), block), list(range(n))
    for one, other in moves:
        i = one % n
        slots = [slot for slot in range(n) if block[slot] == block[i] and slot != labels[i]]
        if not slots:
            continue
        target = slots[other % len(slots)]
        move_inplace(partition, i, target)
        labels[i] = target
        assert partition.entity.tolist() == labels
    for slot in range(n):
        members = partition.pool[partition.start[slot] : partition.start[slot] + partition.size[slot]]
        assert sorted(members.tolist()) == [i for i in range(n) if labels[i] == slot]
        assert all(members[partition.place[i]] == i for i in members)
    for b in range(int(block.max()) + 1):
        first, n_live = partition.block_start[b], partition.n_live[b]
        assert sorted(partition.live[first : first + n_live].tolist()) == sorted(
            {labels[i] for i in range(n) if block[i] == b}
        )


def test_the_pool_is_packed_when_it_is_full():
    """One mention after the other joins and leaves many slots, until every slot has had to move."""
    n, rng_state = 30, kernel_state(3)
    partition = new_partition(np.zeros(n, dtype=np.int64))
    for step in range(20_000):
        i = step % n
        target = draw_any(rng_state, partition, i)
        move_inplace(partition, i, target)
    found = sorted(
        sorted(partition.pool[partition.start[s] : partition.start[s] + partition.size[s]].tolist())
        for s in range(n)
        if partition.size[s]
    )
    assert found == sorted([i for i in range(n) if partition.entity[i] == s] for s in set(partition.entity.tolist()))


# The score of a move.


@pytest.mark.parametrize("scoring", [Exact(), Uniform(1.0), Confidence(1e-9, minimum=50)])
@pytest.mark.parametrize("seed", range(3))
def test_looking_at_every_pair_gives_the_change_of_the_score(scoring, seed):
    n = 12
    pairs, scores = random_problem(seed, n)
    factors, every = as_factors(n, pairs, scores), slow.all_scores(n, pairs, scores, STRANGER)
    rng = stream(seed, "labels")
    labels = rng.integers(0, 3, n)
    partition, decks = new_partition(labels), (new_deck(n), new_deck(n))
    for i in range(n):
        for target in range(n):
            if target == partition.entity[i] or (
                partition.size[target] == 0 and partition.size[partition.entity[i]] == 1
            ):
                continue
            company = [j for j in range(n) if partition.entity[j] == target]
            d, n_scored = score_move(factors, partition, scoring.plan(), 1.0, kernel_state(seed), decks, i, target)
            assert d == pytest.approx(slow.d_log_score(labels.tolist(), i, company, every))
            assert n_scored == len(company) + np.count_nonzero(labels == labels[i]) - 1


@pytest.mark.parametrize(("scoring", "p"), [(Uniform(0.3), 0.3), (Confidence(2.0), 1.0)])
def test_a_sampled_change_has_the_right_mean_and_looks_at_fewer(scoring, p):
    n = 20
    pairs, scores = random_problem(5, n)
    factors = as_factors(n, pairs, scores)
    labels = np.arange(n) % 2
    partition, decks, rng_state = new_partition(labels), (new_deck(n), new_deck(n)), kernel_state(5)
    exact, n_all = score_move(factors, partition, Exact().plan(), 1.0, rng_state, decks, 3, 0)
    draws = np.array([score_move(factors, partition, scoring.plan(), p, rng_state, decks, 3, 0) for _ in range(4000)])
    assert (draws[:, 1] < n_all).any()
    assert draws[:, 1].min() >= 2  # one with each entity
    if isinstance(scoring, Uniform):
        assert (draws[:, 1] == round(0.3 * n_all)).all()
        assert draws[:, 0].mean() == pytest.approx(exact, abs=5 * draws[:, 0].std() / np.sqrt(len(draws)))


def test_sampling_leaves_the_decks_in_order():
    n = 15
    pairs, scores = random_problem(5, n)
    partition, decks = new_partition(np.arange(n) % 3), (new_deck(n), new_deck(n))
    for k in range(50):
        score_move(as_factors(n, pairs, scores), partition, Uniform(0.4).plan(), 0.4, kernel_state(k), decks, 4, 0)
    assert all(deck[0].tolist() == list(range(n)) for deck in decks)


# Bags.

WORDS = [
    [["ann", "lee"], ["lee", "ann"], ["bob"], [], ["bob", "ann"]],
    [["a", "study", "of", "names"], ["study", "names"], ["names"], ["a", "study"], []],
]


def weighted(words):
    """Bags as dictionaries of length 1, weighted as the house weighs words."""
    n = len(words)
    df = {word: sum(word in bag for bag in words) for bag in words for word in bag}
    found = []
    for bag in words:
        weights = {word: np.log(n / df[word]) + 0.1 for word in bag}
        norm = np.sqrt(sum(weight**2 for weight in weights.values()))
        found.append({word: weight / norm for word, weight in weights.items()})
    return found


def test_a_pair_of_bags_scores_as_its_slow_twin():
    bags, groups, n_steps = MentionBags.build(WORDS), [weighted(words) for words in WORDS], 4
    rng = stream(1, "cells")
    tables = np.array([[0, 0], [0, 1]])
    model = {"bias": -0.3, "slopes": np.array([1.5, -0.5]), "tables": tables, "cells": rng.normal(size=(2, 25))}
    factors = bags.factors(**model)
    for i, j in itertools.permutations(range(5), 2):
        focus_inplace(factors, i)
        assert pair_score(factors, i, j) == pytest.approx(slow.bag_score(groups, i, j, n_steps=n_steps, **model))
        unfocus_inplace(factors, i)
        assert not factors.focus.any()


def test_cells_are_those_the_factors_use():
    bags, n_steps = MentionBags.build(WORDS), 4
    tables = np.array([[0, 1], [1, 1]])
    values = stream(2, "cells").normal(size=(2, 25))
    factors = bags.factors(bias=0.0, tables=tables, cells=values)
    a, b = (np.array(side) for side in zip(*itertools.combinations(range(5), 2), strict=True))
    cells = bags.cells(bags.cosines(a, b), tables, n_steps)
    for k, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        focus_inplace(factors, i)
        assert pair_score(factors, i, j) == pytest.approx(values[0, cells[k, 0]] + values[1, cells[k, 1]])
        unfocus_inplace(factors, i)


def test_bags_and_listed_pairs_give_the_same_chain():
    bags = MentionBags.build(WORDS)
    a, b = (np.array(side, dtype=np.int32) for side in zip(*itertools.combinations(range(5), 2), strict=True))
    scores = np.nan_to_num(bags.cosines(a, b)) @ np.array([3.0, 2.0]) - 1.0
    of_bags = PairwiseChain(bags.factors(bias=-1.0, slopes=np.array([3.0, 2.0])), 5, seed=2, moves="uniform")
    listed = PairwiseChain(pair_factors(5, a, b, scores, stranger=0.0), 5, seed=2, moves="uniform")
    for _ in range(100):
        for chain in (of_bags, listed):
            chain.run(np.ones(1))
        assert of_bags.labels.tolist() == listed.labels.tolist()
    assert of_bags.n_factors == listed.n_factors
    assert of_bags.log_score == pytest.approx(listed.log_score)


# The wrapper.


def test_the_same_seed_gives_the_same_chain_and_a_restored_one_goes_on():
    pairs, scores = random_problem(1, 30, share=0.3)
    chains = [PairwiseChain(as_factors(30, pairs, scores), 30, seed=9) for _ in range(3)]
    for chain in chains[:2]:
        chain.run(np.ones(20))
    assert chains[0].labels.tolist() == chains[1].labels.tolist()
    chains[2].restore_inplace({name: array.copy() for name, array in chains[0].state().items()})
    for chain in chains:
        chain.run(np.ones(20)) if chain is not chains[1] else None
    assert chains[2].labels.tolist() == chains[0].labels.tolist()
    assert chains[2].n_sweeps == 40
    assert chains[2].log_score == pytest.approx(chains[0].log_score)


def test_draws_say_what_the_sweeps_saw():
    pairs, scores = random_problem(1)
    a, b = (np.ascontiguousarray(side) for side in np.array(pairs, dtype=np.int32).T)
    draws = draw_partitions(PairwiseChain(as_factors(N, pairs, scores), N, seed=1), a, b, np.ones(50))
    same = draws.roots[:, a] == draws.roots[:, b]
    assert draws.together.tolist() == pytest.approx(same.mean(axis=0).tolist())
    assert draws.n_entities.tolist() == [len(set(roots)) for roots in draws.roots.tolist()]
    assert (draws.roots <= np.arange(N)).all()


def test_sampled_pairs_cost_less_and_find_clear_entities():
    """Three entities of fifteen, pairs for or against: every strategy finds them."""
    n = 45
    pairs = list(itertools.combinations(range(n), 2))
    scores = [2.0 if i % 3 == j % 3 else -3.0 for i, j in pairs]
    n_factors = {}
    for scoring in (Exact(), Uniform(0.2), Confidence(1.0)):
        chain = PairwiseChain(as_factors(n, pairs, scores), n, seed=1, moves="uniform", scoring=scoring)
        chain.run(np.geomspace(5.0, 0.1, 100))
        assert first_seen(chain.labels.tolist()) == tuple(i % 3 for i in range(n))
        n_factors[scoring] = chain.n_factors
    assert n_factors[Uniform(0.2)] < n_factors[Exact()] / 3
    assert n_factors[Confidence(1.0)] < n_factors[Exact()] / 3


def test_one_mention_stays_alone():
    for moves in ("gibbs", "neighbours", "uniform"):
        chain = PairwiseChain(as_factors(1, [], []), 1, seed=1, moves=moves, stray=0.5)
        chain.run(np.ones(5))
        assert chain.labels.tolist() == [0]


def test_what_is_refused():
    pairs, scores = random_problem(1)
    factors = as_factors(N, pairs, scores)
    with pytest.raises(SettingsError, match="cannot sample pairs"):
        PairwiseChain(factors, N, seed=1, scoring=Uniform(0.5))
    with pytest.raises(SettingsError, match="allowed are gibbs"):
        PairwiseChain(factors, N, seed=1, moves="jumps")
    with pytest.raises(SettingsError, match="stray is 2"):
        PairwiseChain(factors, N, seed=1, stray=2.0)
    with pytest.raises(SettingsError, match="list no neighbours"):
        PairwiseChain(MentionBags.build(WORDS).factors(bias=0.0), 5, seed=1)
    with pytest.raises(DataError, match="not finite"):
        as_factors(N, pairs, np.full(len(pairs), -np.inf))
    with pytest.raises(DataError, match="in order"):
        as_factors(N, pairs[::-1], scores)
    with pytest.raises(DataError, match="different blocks"):
        PairwiseChain(factors, N, seed=1, start=np.zeros(N, np.int64), block=np.array([0, 0, 0, 0, 0, 1], np.int32))
    with pytest.raises(DataError, match="of two blocks"):
        PairwiseChain(factors, N, seed=1, block=np.arange(N, dtype=np.int32))
    with pytest.raises(DataError, match="wanted"):
        MentionBags.build(WORDS).factors(bias=0.0, slopes=np.zeros(3))
