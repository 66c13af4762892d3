"""Do judgements hold in every sample, and is the rest sampled as the model says?"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import stream
from onoma.resolve.posterior.consensus import Consensus
from onoma.resolve.posterior.copying import CopyingSampler
from onoma.resolve.posterior.judgements import (
    CERTAIN,
    NO_JUDGEMENTS,
    ApartSampler,
    Judged,
    find_chain,
    heed_judgements,
    hold_apart,
    prefer_former,
)
from reference import resolve_barred as slow
from reference.resolve_barred import held_apart, origins_of
from reference.resolve_copying import FRESH, entities, marginal, neighbour_lists
from reference.resolve_enumeration import p_value

LEAST = 1e-3


def pairs_of(*pairs):
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def said(same=(), different=(), weighed=(), bits=()):
    return Judged(pairs_of(*same), pairs_of(*different), pairs_of(*weighed), np.array(bits, dtype=float))


def random_problem(seed, n):
    rng = stream(seed, "problem")
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.9]
    copy = np.exp(rng.normal(0.5, 1.2, len(pairs)))
    relative = np.exp(rng.normal(-1.0, 1.0, len(pairs))) * (rng.random(len(pairs)) < 0.6)
    return pairs, copy, relative


def make(n, pairs, judged, seed=0, outside=None):
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
    outside = np.zeros(n, dtype=bool) if outside is None else outside
    return ApartSampler(judged, outside, a, b, seed=seed)


@pytest.mark.parametrize("different", [((0, 3),), ((0, 1), (1, 2)), ((0, 1), (2, 3))])
def test_against_enumeration(different):
    for seed in range(2):
        pairs, copy, relative = random_problem(seed, 4)
        joint = slow.enumerate_allowed(4, pairs, copy, relative, held_apart(different))
        sampler = make(4, pairs, said(different=different), seed)
        sampler.run(copy, relative, n_sweeps=50)
        found = []
        for _ in range(6000):
            sampler.run(copy, relative, n_sweeps=6)
            found.append(entities(origins_of(sampler)))
        assert p_value(found, marginal(joint, lambda _, origins: entities(origins))) > LEAST


def test_a_sampler_that_holds_nothing_apart_is_seen():
    """Those that are never held apart are another distribution."""
    pairs, copy, relative = random_problem(0, 4)
    joint = slow.enumerate_allowed(4, pairs, copy, relative, held_apart(((0, 3),)))
    sampler, found = make(4, pairs, NO_JUDGEMENTS), []
    for _ in range(2000):
        sampler.run(copy, relative, n_sweeps=2)
        found.append(entities(origins_of(sampler)))
    assert p_value(found, marginal(joint, lambda _, origins: entities(origins))) < 1e-9


@given(st.integers(0, 2**32), st.integers(3, 6), st.data())
def test_the_kernel_is_its_slow_twin(seed, n, data):
    pairs, copy, relative = random_problem(seed, n)
    every = list(itertools.combinations(range(n), 2))
    different = data.draw(st.lists(st.sampled_from(every), unique=True, min_size=1, max_size=3))
    sampler = make(n, pairs, said(different=different), seed)
    lists, rng = neighbour_lists(n, pairs), sampler.rng_state.copy()
    time, origins = sampler.time.tolist(), (FRESH,) * n
    for _ in range(5):
        sampler.run(copy, relative, n_sweeps=1)
        origins, time = slow.sweep(rng, time, origins, lists, copy, relative, held_apart(different))
        assert origins_of(sampler) == origins
        assert np.allclose(sampler.time, time)


@given(st.integers(0, 2**32), st.integers(4, 9), st.data())
def test_hard_judgements_hold_in_every_sample(seed, n, data):
    """Whatever the weights are: chains of the same, and others that some of them are held apart from."""
    pairs, copy, relative = random_problem(seed, n)
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    every = list(itertools.combinations(range(n), 2))
    same = [pair for pair in every if labels[pair[0]] == labels[pair[1]]]
    apart = [pair for pair in every if labels[pair[0]] != labels[pair[1]]]
    same = data.draw(st.lists(st.sampled_from(same), unique=True, max_size=3)) if same else []
    apart = data.draw(st.lists(st.sampled_from(apart), unique=True, max_size=3)) if apart else []
    judged = said(same=same, different=apart)
    a, b = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    heeded = heed_judgements(judged, a, b, copy, relative, np.arange(len(a)))
    joined = list(zip(heeded[0].tolist(), heeded[1].tolist(), strict=True))
    if apart:
        draws = make(n, joined, judged, seed).run(heeded[2], heeded[3], n_sweeps=60, n_kept=60)
    else:
        sampler = CopyingSampler(n, heeded[0].astype(np.int32), heeded[1].astype(np.int32), seed=seed)
        draws = sampler.run(heeded[2], heeded[3], n_sweeps=60, n_kept=60)
    for i, j in same:
        assert (draws.roots[:, i] == draws.roots[:, j]).all()
    for i, j in apart:
        assert (draws.roots[:, i] != draws.roots[:, j]).all()


def test_records_outside_stay_fresh():
    pairs = [(0, 1), (1, 2), (0, 2)]
    outside = np.array([False, False, True])
    sampler = make(3, pairs, said(different=[(0, 1)]), outside=outside)
    draws = sampler.run(np.full(3, 50.0), np.zeros(3), n_sweeps=200, n_kept=200)
    assert (draws.roots[:, 2] == 2).all()
    assert (draws.roots[:, 0] != draws.roots[:, 1]).all()
    assert 0 < draws.together[2] < 1


# The weights.


def test_what_is_judged_weighs():
    a, b, number = np.array([0, 1]), np.array([1, 2]), np.array([7, 8])
    judged = said(same=[(0, 2)], different=[(1, 3)], weighed=[(0, 1), (0, 3)], bits=[3.0, -2.0])
    found = heed_judgements(judged, a, b, np.array([0.5, 2.0]), np.array([0.1, 0.2]), number)
    pairs = {(i, j): (w, r, e) for i, j, w, r, e in zip(*(part.tolist() for part in found), strict=True)}
    assert pairs[0, 1] == (4.0, 0.1, 7)
    assert pairs[1, 2] == (2.0, 0.2, 8)
    assert pairs[0, 2] == (CERTAIN, 0.0, -1)
    assert pairs[1, 3] == (0.0, 0.0, -1)
    assert pairs[0, 3][0] == pytest.approx(1e-6 / 4)


def test_a_chain_of_the_same_is_a_clique():
    none = np.zeros(0, dtype=np.int64)
    found = heed_judgements(said(same=[(0, 1), (1, 2), (4, 5)]), none, none, np.zeros(0), np.zeros(0), none)
    assert set(zip(found[0].tolist(), found[1].tolist(), strict=True)) == {(0, 1), (0, 2), (1, 2), (4, 5)}


def test_nothing_judged_changes_nothing():
    a, b, w = np.array([0]), np.array([1]), np.array([0.5])
    assert heed_judgements(NO_JUDGEMENTS, a, b, w, w, a)[0] is a


def test_judgements_of_records_that_are_not_here():
    place = np.array([-1, 0, 1, 2])
    inside = np.array([False, True, True, True])
    mine = said(same=[(0, 1), (1, 2)], different=[(2, 3)], weighed=[(0, 3)], bits=[1.0]).renumbered(place, inside)
    assert mine.same.tolist() == [[0, 1]]
    assert mine.different.tolist() == [[1, 2]]
    assert len(mine.weighed) == len(mine.bits) == 0


def test_the_chain_that_contradicts():
    same = [(1, "a", "b"), (2, "b", "c"), (3, "a", "d"), (4, "d", "e")]
    assert find_chain(same, "a", "c") == [1, 2]
    assert find_chain(same, "c", "e") == [2, 1, 3, 4]
    assert find_chain(same, "a", "z") == []


# The answer.


def test_an_answer_that_offends_is_replaced_by_the_best_sample():
    """0 and 2 are never together in a sample, but both often with 1: the least loss would join all three."""
    roots = np.array([[0, 0, 2, 3]] * 6 + [[0, 1, 1, 3]] * 4, dtype=np.int32)
    muddle = Consensus(Clustering.from_labels([0, 0, 0, 1]), np.full(4, 0.5))
    found = hold_apart(muddle, roots, said(different=[(0, 2)]), threshold=0.3)
    assert found.clustering == Clustering.from_labels([0, 0, 1, 2])
    assert found.probability == pytest.approx([0.6, 0.6, 0.6, 0.5])


def test_what_does_not_offend_is_left_alone():
    fine = Consensus(Clustering.from_labels([0, 0, 1]), np.ones(3))
    assert (
        hold_apart(fine, np.array([[0, 0, 2]], np.int32), said(different=[(0, 2)], same=[(0, 1)]), threshold=0.5)
        is fine
    )


def drawn(n_together, n=100):
    """Samples of three records, of which the first two are together in so many."""
    return np.array([[0, 0, 2]] * n_together + [[0, 1, 2]] * (n - n_together))


@pytest.mark.parametrize(("n_together", "stays"), [(56, True), (44, True), (70, False)])
def test_what_was_there_stays_unless_the_samples_clearly_say_otherwise(n_together, stays):
    now, then = np.array([0, 0, 1]), np.array([7, 8, 9])
    labels, probability = prefer_former(now, np.ones(3), drawn(n_together), then, said(), threshold=0.5)
    assert (labels[0] != labels[1]) == stays and labels[2] not in labels[:2]
    if stays:
        np.testing.assert_allclose(probability, [1 - n_together / 100] * 2 + [1.0])


def test_what_was_there_stays_not_against_a_judgement_nor_for_one_who_was_not():
    now = np.array([0, 0, 1])
    for judged, then in ((said(same=[(0, 1)]), [7, 8, 9]), (said(), [7, -1, 9])):
        labels, _ = prefer_former(now, np.ones(3), drawn(50), np.array(then), judged, threshold=0.5)
        assert labels[0] == labels[1] != labels[2]
