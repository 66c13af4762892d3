"""Does the sampler sample matchings by the product of their weights? And would a wrong one be seen?"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.rng import kernel_state, stream
from onoma.resolve.posterior._copying_kernels import neighbour_lists
from onoma.resolve.posterior._linking_kernels import step
from onoma.resolve.posterior.linking import LinkingSampler
from reference import resolve_linking as slow
from reference.resolve_enumeration import p_value

LEAST = 1e-3


def random_problem(seed, left, right):
    rng = stream(seed, "problem")
    every = itertools.product(range(left), range(left, left + right))
    pairs = [pair for pair in every if rng.random() < 0.75]
    return left + right, pairs, np.exp(rng.normal(0.0, 1.2, len(pairs)))


def sides(pairs):
    return np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()


def run(n, pairs, weight, *, seed, n_sweeps):
    sampler = LinkingSampler(n, *sides(pairs), seed=seed)
    sampler.run(weight, n_sweeps=100)
    return sampler.run(weight, n_sweeps=n_sweeps, n_kept=n_sweeps)


def matching_of(roots, pairs):
    return frozenset(e for e, (a, b) in enumerate(pairs) if roots[a] == roots[b])


@pytest.mark.parametrize("seed", range(6))
def test_matchings_against_enumeration(seed):
    n, pairs, weight = random_problem(seed, *((3, 3), (2, 4))[seed % 2])
    expected = slow.enumerate_matchings(pairs, weight)
    draws = run(n, pairs, weight, seed=seed, n_sweeps=40_000)
    seen = [matching_of(roots, pairs) for roots in draws.roots[::8].tolist()]
    assert p_value(seen, expected) > LEAST
    for e in range(len(pairs)):
        probability = sum(p for matching, p in expected.items() if e in matching)
        assert draws.together[e] == pytest.approx(probability, abs=0.02)
    assert draws.n_entities[::8].tolist() == [n - len(matching) for matching in seen]
    assert draws.copied is draws.together
    assert not draws.related.any()


@pytest.mark.parametrize("seed", range(8))
def test_detailed_balance(seed):
    n, pairs, weight = random_problem(seed, 2, 3)
    expected = slow.enumerate_matchings(pairs, weight)
    flows = {x: slow.transitions(n, pairs, weight, x) for x in expected}
    for x, y in itertools.product(expected, repeat=2):
        assert expected[x] * flows[x].get(y, 0.0) == pytest.approx(expected[y] * flows[y].get(x, 0.0), abs=1e-15)
    assert all(sum(flow.values()) == pytest.approx(1.0) for flow in flows.values())


@pytest.mark.parametrize("accept", [lambda mine, rival: 1.0, lambda mine, rival: min(1.0, rival / mine)])
def test_a_wrong_acceptance_has_no_balance_and_another_distribution(accept):
    """A taken record that always, or by the inverse ratio, leaves its partner for the newcomer."""
    n, pairs, weight = random_problem(3, 3, 2)
    expected = slow.enumerate_matchings(pairs, weight)
    flows = {x: slow.transitions(n, pairs, weight, x, accept=accept) for x in expected}
    worst = max(
        abs(expected[x] * flows[x].get(y, 0.0) - expected[y] * flows[y].get(x, 0.0))
        for x, y in itertools.product(expected, repeat=2)
    )
    assert worst > 1e-3
    states, rng, matching, seen = list(expected), stream(0, "walk"), frozenset(), []
    tables = {x: np.cumsum([flows[x].get(y, 0.0) for y in states]) for x in states}
    for u in rng.random(120_000):
        matching = states[min(int(np.searchsorted(tables[matching], u, side="right")), len(states) - 1)]
        seen.append(matching)
    assert p_value(seen[::30], expected) < 1e-6


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 4))
def test_a_step_is_that_of_the_slow_twin(seed, left, right):
    n, pairs, weight = random_problem(seed, left, right)
    a, b = sides(pairs)
    near = neighbour_lists(n, a, b)
    total, partner = np.array(slow.totals(n, pairs, weight)), np.full(n, -1)
    fast, state, matching = kernel_state(seed), kernel_state(seed), frozenset()
    for i in stream(seed, "who").integers(0, n, 40).tolist():
        step(fast, i, partner, near, weight, total)
        matching = slow.step(state, i, n, pairs, weight, matching)
        assert frozenset(near.pairs[at] for at in partner if at >= 0) == matching
        # Both partners know of each other.
        assert all(near.records[partner[near.records[partner[j]]]] == j for j in range(n) if partner[j] >= 0)


def test_steps_are_as_likely_as_worked_out():
    """The kernel, from every matching, against the probabilities of which balance is shown."""
    n, pairs, weight = random_problem(3, 2, 2)
    a, b = sides(pairs)
    near = neighbour_lists(n, a, b)
    total, state = np.array(slow.totals(n, pairs, weight)), kernel_state(0)
    for matching in slow.enumerate_matchings(pairs, weight):
        start = np.full(n, -1)
        for e in matching:
            for i in pairs[e]:
                start[i] = next(at for at in range(near.offsets[i], near.offsets[i + 1]) if near.pairs[at] == e)
        seen = []
        for i in stream(1, "who").integers(0, n, 3000).tolist():
            partner = start.copy()
            step(state, i, partner, near, weight, total)
            seen.append(frozenset(int(near.pairs[at]) for at in partner if at >= 0))
        assert p_value(seen, slow.transitions(n, pairs, weight, matching)) > LEAST


def test_no_pairs():
    draws = LinkingSampler(3, *sides([]), seed=0).run(np.zeros(0), n_sweeps=2, n_kept=1)
    assert draws.n_entities.tolist() == [3, 3]
    assert draws.roots.tolist() == [[0, 1, 2]]


def test_the_seed_decides_and_sweeps_go_on():
    n, pairs, weight = random_problem(1, 4, 4)
    one, other = (LinkingSampler(n, *sides(pairs), seed=5) for _ in range(2))
    whole = one.run(weight, n_sweeps=20, n_kept=20).roots
    parts = [other.run(weight, n_sweeps=10, n_kept=10).roots for _ in range(2)]
    assert np.array_equal(whole, np.concatenate(parts))
    different = LinkingSampler(n, *sides(pairs), seed=6).run(weight, n_sweeps=20, n_kept=20).roots
    assert not np.array_equal(whole, different)
