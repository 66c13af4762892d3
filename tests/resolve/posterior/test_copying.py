"""Does the sampler sample the model? Orders, origins and entities against enumeration, and samplers that must fail."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.rng import stream
from onoma.resolve.posterior import copying
from onoma.resolve.posterior._copying_kernels import neighbour_lists, uniform_at, word_at
from onoma.resolve.posterior.copying import CopyingSampler
from reference import resolve_copying as slow
from reference.resolve_enumeration import p_value

N_GRAPHS = 5
TABLES = 50
"""The same records so many times, side by side and with nothing between them: as many independent chains."""
LEAST = 1e-3


def random_problem(seed, n, *, relatives=True, complete=False):
    """Some pairs of n records with random weights, a few of them impossible as relatives."""
    rng = stream(seed, "problem")
    pairs = [pair for pair in itertools.combinations(range(n), 2) if complete or rng.random() < 0.8]
    copy = np.exp(rng.normal(0.0, 1.2, len(pairs)))
    relative = np.exp(rng.normal(-0.5, 1.2, len(pairs))) * (rng.random(len(pairs)) < 0.7) * relatives
    return pairs, copy, relative


def make_sampler(n, pairs, seed, **settings):
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    return CopyingSampler(n, np.ascontiguousarray(a), np.ascontiguousarray(b), seed=seed, **settings)


def state_of(sampler, draws):
    """The order and the origins after a single sweep: of two records joined, the earlier is the origin of the later."""
    origins = [slow.FRESH] * len(sampler.time)
    for kind, chosen in ((1, draws.copied), (2, draws.related)):
        for e in np.flatnonzero(chosen):
            first, second = sorted((int(sampler.a[e]), int(sampler.b[e])), key=lambda i: sampler.time[i])
            assert origins[second] == slow.FRESH
            origins[second] = (first, kind)
    return tuple(np.argsort(sampler.time).tolist()), tuple(origins)


def sample_states(n, pairs, copy, relative, *, seed, n_samples, thin=4, spoil=None):
    """(order, origins) kept so seldom that they are as good as independent.

    Origins, and who comes before whom, are correlated from one sweep to the next by at most 0.18, after two by 0.06,
    and from three on by no more than independent draws are (12,000 of them: 0.03 for the largest of a hundred).
    """
    every = [(a + first, b + first) for first in range(0, TABLES * n, n) for a, b in pairs]
    sampler = make_sampler(TABLES * n, every, seed)
    weights = np.tile(copy, TABLES), np.tile(relative, TABLES)
    sampler.run(*weights, n_sweeps=50)
    states = []
    for _ in range(n_samples // TABLES):
        sampler.run(*weights, n_sweeps=thin - 1)
        if spoil is not None:
            spoil(sampler)
        origins = state_of(sampler, sampler.run(*weights, n_sweeps=1))[1]
        for first in range(0, TABLES * n, n):
            order = np.argsort(sampler.time[first : first + n]).tolist()
            mine = (each if each == slow.FRESH else (each[0] - first, each[1]) for each in origins[first : first + n])
            states.append((tuple(order), tuple(mine)))
    return states


# The joint distribution itself.


@pytest.mark.parametrize("seed", range(3))
def test_both_blocks_are_the_conditionals_of_one_joint(seed):
    """Origins given the order: each normalised on its own. Orders given the origins: all alike. Hence stationarity."""
    n = 4
    pairs, copy, relative = random_problem(seed, n)
    lists = slow.neighbour_lists(n, pairs)
    joint = slow.enumerate_joint(n, pairs, copy, relative)
    of_order = slow.marginal(joint, lambda order, _: order)
    of_origins = slow.marginal(joint, lambda _, origins: origins)
    totals = {}
    for (order, origins), probability in joint.items():
        given_order = 1.0
        for i, origin in enumerate(origins):
            choices = slow.options(i, set(order[: order.index(i)]), lists, copy, relative)
            given_order *= choices[origin] / sum(choices.values())
        assert probability == pytest.approx(of_order[order] * given_order)
        assert probability == pytest.approx(of_origins[origins] / slow.n_orders(origins))
        totals[order] = given_order / math.prod(
            slow.options(i, set(order[: order.index(i)]), lists, copy, relative)[origin]
            for i, origin in enumerate(origins)
        )
    # A posteriori the orders are not alike: each in proportion to the product of its records' total weights.
    ratios = [of_order[order] * totals[order] for order in of_order]
    assert np.allclose(ratios, ratios[0])
    assert max(of_order.values()) > 1.5 * min(of_order.values())


def test_before_any_evidence_all_orders_are_alike():
    pairs = list(itertools.combinations(range(4), 2))
    joint = slow.enumerate_joint(4, pairs, [0.3] * 6, [0.2] * 6)
    assert np.allclose(list(slow.marginal(joint, lambda order, _: order).values()), 1 / 24)


# The sampler against enumeration.


@pytest.mark.parametrize("relatives", [False, True])
def test_orders_origins_and_entities_of_four_records(relatives):
    found = []
    for seed in range(N_GRAPHS):
        pairs, copy, relative = random_problem(seed, 4, relatives=relatives)
        joint = slow.enumerate_joint(4, pairs, copy, relative)
        states = sample_states(4, pairs, copy, relative, seed=seed, n_samples=6000)
        origins = [origins for _, origins in states]
        found += [
            p_value(states, joint),
            p_value(origins, slow.marginal(joint, lambda _, origins: origins)),
            p_value([slow.entities(each) for each in origins], slow.marginal(joint, lambda _, o: slow.entities(o))),
            p_value([order for order, _ in states], slow.marginal(joint, lambda order, _: order)),
        ]
        for i in range(4):
            distribution = slow.marginal(joint, lambda _, origins, i=i: origins[i])
            found.append(p_value([each[i] for each in origins], distribution))
    assert min(found) > LEAST


def test_entities_and_families_of_five_records():
    found = []
    for seed in range(2):
        pairs, copy, relative = random_problem(10 + seed, 5)
        joint = slow.enumerate_joint(5, pairs, copy, relative)
        joint = slow.marginal(joint, lambda _, origins: ((), origins))  # without the orders, there are fewer
        sampler = make_sampler(5, pairs, seed)
        sampler.run(copy, relative, n_sweeps=50)
        draws = sampler.run(copy, relative, n_sweeps=40_000, n_kept=40_000)
        seen = [slow.first_seen(roots) for roots in draws.roots[::4].tolist()]
        found.append(p_value(seen, slow.marginal(joint, lambda _, origins: slow.entities(origins))))
        counts = slow.marginal(joint, lambda _, origins: max(slow.entities(origins)) + 1)
        found.append(p_value(draws.n_entities[::6].tolist(), counts))
        for e, (a, b) in enumerate(pairs):
            for share, of in (
                (draws.copied, lambda _, o, a=a, b=b: o[a] == (b, 1) or o[b] == (a, 1)),
                (draws.related, lambda _, o, a=a, b=b: o[a] == (b, 2) or o[b] == (a, 2)),
                (draws.together, lambda _, o, a=a, b=b: slow.entities(o)[a] == slow.entities(o)[b]),
                (draws.akin, lambda _, o, a=a, b=b: slow.families(o)[a] == slow.families(o)[b]),
            ):
                assert share[e] == pytest.approx(slow.marginal(joint, of).get(True, 0.0), abs=0.02)
    assert min(found) > LEAST


STAR = [(0, 1), (0, 2), (0, 3), (0, 4)], np.array([4.0, 3.0, 2.0, 1.0]), np.array([0.0, 1.0, 0.0, 2.0])
"""The order matters most where one record is the only candidate of many."""


@pytest.mark.parametrize(("spoilt", "agrees"), [(False, True), (True, False)])
def test_uniform_orders_fail_the_same_test(spoilt, agrees):
    """Orders drawn without regard to the origins: then the origins have another distribution."""
    rng = stream(0, "spoil")

    def spoil(sampler):
        sampler.time[:] = rng.random(len(sampler.time))

    states = sample_states(5, *STAR, seed=0, n_samples=4000, spoil=spoil if spoilt else None)
    entities = slow.marginal(slow.enumerate_joint(5, *STAR), lambda _, origins: slow.entities(origins))
    found = p_value([slow.entities(origins) for _, origins in states], entities)
    assert found > LEAST if agrees else found < 1e-9


@pytest.mark.parametrize(("by_size", "agrees"), [(True, True), (False, False)])
def test_times_that_forget_the_descendants_fail_the_same_test(by_size, agrees):
    pairs, copy, relative = STAR
    lists, time = slow.neighbour_lists(5, pairs), [0.1, 0.2, 0.3, 0.4, 0.5]
    seen = []
    for s in range(12_000):
        origins, time = slow.sweep(slow.word_at(1, s), time, lists, copy, relative, by_size=by_size)
        seen.append(slow.entities(origins))
    entities = slow.marginal(slow.enumerate_joint(5, *STAR), lambda _, origins: slow.entities(origins))
    found = p_value(seen[::4], entities)
    assert found > LEAST if agrees else found < 1e-9


CHAIN = {(0, 1, 1), (1, 2, 2), (2, 3, 1)}
HUB = {(0, 1, 1), (0, 2, 1), (0, 3, 1)}


@pytest.mark.parametrize("edges", [CHAIN, HUB])
def test_any_record_of_a_tree_may_come_first(edges):
    """In proportion to the orders that the tree then has. Were trees not turned, the first would always be the same."""
    pairs = [(a, b) for a, b, _ in sorted(edges)]
    copy = np.array([1e12 if kind == 1 else 0.0 for *_, kind in sorted(edges)])
    sampler = make_sampler(4, pairs, 0)
    firsts = [int(np.argmin(sampler.time)) for _ in range(4000) if sampler.run(copy, 1e12 - copy, n_sweeps=1)]
    weights = {first: slow.n_orders(slow.hung_from(edges, 4, first)) for first in range(4)}
    assert p_value(firsts, {first: weight / sum(weights.values()) for first, weight in weights.items()}) > LEAST


# Kernels against their twins.


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_a_sweep_is_that_of_the_slow_twin(seed, n):
    pairs, copy, relative = random_problem(seed, n)
    sampler = make_sampler(n, pairs, seed)
    time, lists = sampler.time.tolist(), slow.neighbour_lists(n, pairs)
    for s in range(5):
        draws = sampler.run(copy, relative, n_sweeps=1, n_kept=1)
        key = slow.word_at(sampler.rng_state[0], s)
        drawn = slow.draw_origins(key, time, lists, copy, relative)
        origins, time = state_of(sampler, draws)[1], sampler.time.tolist()
        assert slow.undirected(origins) == slow.undirected(drawn)
        assert time == pytest.approx(slow.draw_times(key, origins))
        assert slow.first_seen(draws.roots[0].tolist()) == slow.entities(origins)
        assert draws.n_entities[0] == len(set(slow.entities(origins)))
        same, kin = slow.entities(origins), slow.families(origins)
        assert draws.together.tolist() == [float(same[a] == same[b]) for a, b in pairs]
        assert draws.akin.tolist() == [float(kin[a] == kin[b]) for a, b in pairs]


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_neighbour_lists(problem):
    n, pairs = problem
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
    offsets, neighbours, number = neighbour_lists(n, a, b)
    found = [[(int(neighbours[at]), int(number[at])) for at in range(offsets[i], offsets[i + 1])] for i in range(n)]
    assert found == slow.neighbour_lists(n, pairs)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40))
def test_random_numbers_have_their_place(key, number):
    assert int(word_at(np.uint64(key), np.uint64(number))) == slow.word_at(key, number)
    assert uniform_at(np.uint64(key), np.uint64(number)) == slow.uniform_at(key, number)


def test_the_random_numbers_of_records_and_sweeps_are_unrelated():
    """The columns are those of two records and two sweeps: no correlation, and the mean and spread of a uniform."""
    keys = [word_at(np.uint64(7), np.uint64(s)) for s in range(20_000)]
    found = np.array([[uniform_at(np.uint64(key), np.uint64(i)) for i in range(4)] for key in keys])
    columns = np.column_stack([found[1:], found[:-1]])
    assert np.abs(np.corrcoef(columns.T) - np.eye(8)).max() < 0.03
    assert columns.mean(axis=0) == pytest.approx(np.full(8, 1 / 2), abs=0.01)
    assert columns.var(axis=0) == pytest.approx(np.full(8, 1 / 12), abs=0.003)


def large_problem(seed, n=400):
    """Small components, pairs too weak to matter between them, and records without any pair."""
    rng = stream(seed, "large")
    pairs = sorted({tuple(sorted(pair)) for pair in rng.integers(0, n, (3 * n, 2)).tolist() if pair[0] != pair[1]})
    within = np.array([a // 8 == b // 8 for a, b in pairs])
    near = [(i, i + 1) for i in range(n - 1) if i % 8 < 5]
    pairs = sorted({*near, *pairs})
    within = np.array([a // 8 == b // 8 for a, b in pairs])
    copy = np.exp(rng.normal(0.0, 2.0, len(pairs))) * np.where(within, 1.0, 1e-9)
    return n, pairs, copy, 0.3 * copy


def test_neither_threads_nor_batches_change_anything(monkeypatch):
    monkeypatch.setattr(copying, "_WORTH_THREADS", 0)
    monkeypatch.setattr(copying, "_WORTH_MEETING", 0)
    monkeypatch.setattr(copying, "_BATCH", 64)
    n, pairs, copy, relative = large_problem(0)
    found = []
    for threads, lopsided in itertools.product((1, 2, 3), (0.0, 1.0)):  # all together, and batch by batch
        monkeypatch.setattr(copying, "_LOPSIDED", lopsided)
        sampler = make_sampler(n, pairs, 0, threads=threads)
        draws = [sampler.run(copy, relative, n_sweeps=k, n_kept=k // 2) for k in (4, 0, 7)]
        found.append([getattr(each, name) for each in draws for name in ("copied", "related", "together", "akin")])
        found[-1] += [each.roots for each in draws] + [each.n_entities for each in draws] + [sampler.time]
        assert (len(sampler._layout.batches) > 3) == bool(lopsided)
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            assert np.array_equal(one, other)


def test_a_watch_changes_nothing_and_is_heard_in_one_thread():
    """Few pairs run in one thread, and still look up: a run that may take seconds ends when it is asked to."""
    n, pairs, copy, relative = large_problem(3)
    told = []
    free = make_sampler(n, pairs, 3, threads=1).run(copy, relative, n_sweeps=40, n_kept=15)
    seen = make_sampler(n, pairs, 3, threads=1).run(
        copy, relative, n_sweeps=40, n_kept=15, watch=lambda found: bool(told.append(found))
    )
    assert told == free.n_entities.tolist()
    for name in ("copied", "related", "together", "akin", "n_entities", "roots"):
        assert np.array_equal(getattr(free, name), getattr(seen, name)), name
    ended = make_sampler(n, pairs, 3, threads=1).run(copy, relative, n_sweeps=10**7, watch=lambda _: True)
    assert ended.n_sweeps == 1


def test_what_is_left_out_changes_nothing(monkeypatch):
    """Pairs of hardly any weight: left out or not, the same numbers lead to the same origins."""
    n, pairs, copy, relative = large_problem(1)
    found = []
    for least in (copying.LEAST, 0.0):
        monkeypatch.setattr(copying, "LEAST", least)
        found.append(make_sampler(n, pairs, 1).run(copy, relative, n_sweeps=40, n_kept=40))
    assert np.array_equal(found[0].roots, found[1].roots)
    assert np.array_equal(found[0].together, found[1].together)
    assert np.array_equal(found[0].n_entities, found[1].n_entities)


def test_the_root_is_the_first_record_of_its_entity():
    pairs, copy, relative = random_problem(3, 6)
    sampler = make_sampler(6, pairs, 3)
    for _ in range(50):
        roots = sampler.run(copy, relative, n_sweeps=1, n_kept=1).roots[0]
        for root in set(roots.tolist()):
            members = np.flatnonzero(roots == root)
            assert members[np.argmin(sampler.time[members])] == root


# Edges.


def test_no_pairs_and_no_sweeps():
    sampler = make_sampler(3, [], 0)
    draws = sampler.run(np.zeros(0), np.zeros(0), n_sweeps=2, n_kept=2)
    assert draws.n_entities.tolist() == [3, 3]
    assert draws.roots.tolist() == [[0, 1, 2]] * 2
    assert make_sampler(2, [(0, 1)], 0).run(np.ones(1), np.ones(1), n_sweeps=0).copied.tolist() == [0.0]


@pytest.mark.parametrize(("copy", "relative"), [(np.exp(60.0), 0.0), (np.exp(60.0), np.exp(-60.0))])
def test_certain_copies(copy, relative):
    pairs = list(itertools.combinations(range(5), 2))
    draws = make_sampler(5, pairs, 0).run(np.full(10, copy), np.full(10, relative), n_sweeps=200)
    assert draws.n_entities.max() == 1
    assert draws.together.min() == 1.0
    assert draws.related.max() == 0.0


def test_the_seed_decides():
    pairs, copy, relative = random_problem(5, 6)
    a, b, c = (make_sampler(6, pairs, seed).run(copy, relative, n_sweeps=50, n_kept=50).roots for seed in (1, 1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_sweeps_go_on_where_they_stopped():
    pairs, copy, relative = random_problem(6, 6)
    one, other = make_sampler(6, pairs, 0), make_sampler(6, pairs, 0)
    whole = one.run(copy, relative, n_sweeps=30, n_kept=30).roots
    parts = [other.run(copy, relative, n_sweeps=10, n_kept=10).roots for _ in range(3)]
    assert np.array_equal(whole, np.concatenate(parts))


# Records that are there as neighbours only.


def test_records_outside_are_always_fresh():
    n, pairs, copy, relative = large_problem(2)
    outside = stream(2, "outside").random(n) < 0.4
    sampler = make_sampler(n, pairs, 2, outside=outside)
    draws = sampler.run(copy, relative, n_sweeps=30, n_kept=30)
    where = np.flatnonzero(outside)
    assert np.array_equal(draws.roots[:, where], np.broadcast_to(where, (30, len(where))))
    a, b = np.array(pairs).T
    assert draws.copied[outside[a] & outside[b]].max() == 0.0
    assert draws.copied[outside[a] != outside[b]].max() > 0.0


@pytest.mark.parametrize("weight", [0.1, 1.0, 5.0])
def test_a_pair_with_a_record_outside(weight):
    """Of the two orders, the one with the outside record first has weight 1 + w, the other 1."""
    sampler = make_sampler(2, [(0, 1)], 0, outside=np.array([True, False]))
    draws = sampler.run(np.array([weight]), np.zeros(1), n_sweeps=40_000)
    assert draws.copied[0] == pytest.approx(weight / (2 + weight), abs=0.02)
