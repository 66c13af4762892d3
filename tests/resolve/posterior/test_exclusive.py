"""Does the sampler sample the copying model, held to one record of each source? And would a wrong one be seen?"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import stream
from onoma.resolve.posterior.consensus import Consensus
from onoma.resolve.posterior.exclusive import ExclusiveSampler, part_rivals
from reference import resolve_barred as slow
from reference.resolve_barred import one_of_each, origins_of
from reference.resolve_copying import FRESH, entities, marginal, neighbour_lists
from reference.resolve_enumeration import p_value

LEAST = 1e-3


def random_problem(seed, source, *, relatives=True):
    rng = stream(seed, "problem")
    every = itertools.combinations(range(len(source)), 2)
    pairs = [(i, j) for i, j in every if source[i] != source[j] and rng.random() < 0.9]
    copy = np.exp(rng.normal(0.5, 1.2, len(pairs)))
    relative = np.exp(rng.normal(-1.0, 1.0, len(pairs))) * (rng.random(len(pairs)) < 0.6) * relatives
    return pairs, copy, relative


def make(source, pairs, seed=0):
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
    return ExclusiveSampler(np.array(source, dtype=np.int32), a, b, seed=seed)


def states(sampler, copy, relative, *, n, thin=6):
    sampler.run(copy, relative, n_sweeps=50)
    found = []
    for _ in range(n):
        sampler.run(copy, relative, n_sweeps=thin)
        found.append((tuple(np.argsort(sampler.time).tolist()), origins_of(sampler)))
    return found


@pytest.mark.parametrize(("source", "relatives"), [((0, 1, 2, 0), True), ((0, 1, 2, 1), False), ((0, 0, 1, 2), True)])
def test_against_enumeration(source, relatives):
    for seed in range(2):
        pairs, copy, relative = random_problem(seed, source, relatives=relatives)
        joint = slow.enumerate_allowed(4, pairs, copy, relative, one_of_each(source))
        found = states(make(source, pairs, seed), copy, relative, n=6000)
        assert p_value(found, joint) > LEAST
        assert p_value([entities(o) for _, o in found], marginal(joint, lambda _, o: entities(o))) > LEAST


def test_five_records_of_three_sources():
    source = (0, 1, 2, 0, 1)
    pairs, copy, relative = random_problem(3, source, relatives=False)
    joint = slow.enumerate_allowed(5, pairs, copy, relative, one_of_each(source))
    expected = marginal(joint, lambda _, origins: entities(origins))
    found = states(make(source, pairs), copy, relative, n=6000)
    assert p_value([entities(origins) for _, origins in found], expected) > LEAST


def imbalance(source, problem, *, with_copies=True):
    """The largest |P(x) P(x → y) − P(y) P(y → x)| of drawing one origin, over all states x and y."""
    n, lists = len(source), neighbour_lists(len(source), problem[0])
    joint = slow.enumerate_allowed(n, *problem, one_of_each(source))
    worst = 0.0
    for (order, origins), probability in joint.items():
        for i in range(n):
            rest = (lists, *problem[1:], one_of_each(source))
            for origin, chance in slow.conditional(i, order, origins, *rest, with_copies=with_copies).items():
                other = (*origins[:i], origin, *origins[i + 1 :])
                back = slow.conditional(i, order, other, *rest, with_copies=with_copies).get(origins[i], 0.0)
                worst = max(worst, abs(probability * chance - joint.get((order, other), 0.0) * back))
    return worst


def test_balance_in_detail():
    """Each draw of an origin leaves the distribution as it is; one that forgets the copies of a record does not."""
    source = (0, 1, 2, 0)
    problem = random_problem(1, source)
    assert imbalance(source, problem) < 1e-15
    assert imbalance(source, problem, with_copies=False) > 1e-3


def test_a_sampler_that_keeps_the_order_is_seen():
    """Origins drawn again and again for one order are those of that order, not of all."""
    source = (0, 1, 2, 0)
    pairs, copy, relative = random_problem(0, source)
    joint = slow.enumerate_allowed(4, pairs, copy, relative, one_of_each(source))
    sampler, found = make(source, pairs), []
    for _ in range(3000):
        before = np.argsort(np.argsort(sampler.time)).astype(float)
        sampler.run(copy, relative, n_sweeps=1)
        sampler.time[:] = before
        found.append(entities(origins_of(sampler)))
    assert p_value(found, marginal(joint, lambda _, o: entities(o))) < 1e-9


@given(st.integers(0, 2**32), st.lists(st.integers(0, 3), min_size=2, max_size=7))
def test_the_kernel_is_its_slow_twin(seed, source):
    pairs, copy, relative = random_problem(seed, source)
    sampler = make(source, pairs, seed)
    lists, rng = neighbour_lists(len(source), pairs), sampler.rng_state.copy()
    time, origins = sampler.time.tolist(), (FRESH,) * len(source)
    for _ in range(6):
        sampler.run(copy, relative, n_sweeps=1)
        origins, time = slow.sweep(rng, time, origins, lists, copy, relative, one_of_each(source))
        assert origins_of(sampler) == origins
        assert np.allclose(sampler.time, time)


def test_what_is_counted():
    source = (0, 1, 2, 0, 1, 2)
    pairs, copy, relative = random_problem(2, source)
    draws = make(source, pairs).run(copy, relative, n_sweeps=200, n_kept=200)
    same = np.array([[sample[a] == sample[b] for a, b in pairs] for sample in draws.roots])
    assert np.allclose(draws.together, same.mean(axis=0))
    assert draws.n_entities.tolist() == [len(set(sample)) for sample in draws.roots.tolist()]
    assert (draws.together >= draws.copied - 1e-12).all()
    assert (draws.akin >= draws.together - 1e-12).all()


def test_nothing_to_join():
    draws = make((0, 1), []).run(np.zeros(0), np.zeros(0), n_sweeps=2, n_kept=1)
    assert draws.n_entities.tolist() == [2, 2]
    assert draws.roots.tolist() == [[0, 1]]


# The answer.


def test_rivals_are_parted_in_the_answer():
    """Cheap joins would put both records of a source with the third; the likelier one stays."""
    source = np.array([0, 0, 1, 2], np.int32)
    a, b = np.array([0, 1, 2], np.int32), np.array([2, 2, 3], np.int32)
    muddle = Consensus(Clustering.from_labels([0, 0, 0, 0]), np.full(4, 0.5))
    parted = part_rivals(muddle, source, a, b, np.array([0.3, 0.6, 0.9]))
    assert parted.clustering == Clustering.from_labels([0, 1, 1, 1])
    assert parted.probability == pytest.approx([0.7, 0.6, 0.75, 0.9])


def test_what_is_allowed_is_left_alone():
    source = np.array([0, 1, 0], np.int32)
    fine = Consensus(Clustering.from_labels([0, 0, 1]), np.ones(3))
    assert part_rivals(fine, source, np.array([0], np.int32), np.array([1], np.int32), np.ones(1)) is fine
