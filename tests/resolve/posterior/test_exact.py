"""Small components, solved: against enumeration of all orders and origins, against the sampler, and as draws."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from onoma.resolve.posterior import exact
from onoma.resolve.posterior._exact_kernels import pairs_that_matter
from onoma.resolve.posterior.copying import CopyingSampler, Draws
from onoma.resolve.posterior.exact import FAINT, FAINT_SUM, LARGEST, forests, solve_small
from reference import resolve_exact
from reference.resolve_copying import entities, enumerate_joint, families, marginal
from reference.resolve_enumeration import first_seen

NOTHING = np.zeros(0)


def pairs_of(n: int, rng: np.random.Generator, share: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    every = np.array(list(itertools.combinations(range(n), 2)), dtype=np.int32)
    kept = every[rng.random(len(every)) < share]
    return kept[:, 0].copy(), kept[:, 1].copy()


def alone(n: int, n_samples: int) -> Draws:
    """What a sampler says that knows no pairs."""
    roots = np.repeat(np.arange(n, dtype=np.int32)[None], n_samples, axis=0)
    return Draws(n_samples, NOTHING, NOTHING, NOTHING, NOTHING, np.full(n_samples, n), roots)


@pytest.mark.parametrize(("n", "seed"), [(2, 0), (3, 1), (3, 2), (4, 3), (4, 4), (4, 5)])
def test_agrees_with_enumeration_of_orders_and_origins(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = pairs_of(n, rng)
    copy, relative = np.exp(rng.normal(0.0, 2.0, (2, len(a))))
    joint = enumerate_joint(n, np.stack([a, b], axis=1), copy, relative)
    found = solve_small(n, a, b, copy, relative, seed=0)
    assert len(found.rest) == 0
    assert found.pairs.tolist() == list(range(len(a)))
    together = marginal(joint, lambda _, origins: entities(origins))
    akin = marginal(joint, lambda _, origins: families(origins))
    for e, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        assert found.together[e] == pytest.approx(sum(p for each, p in together.items() if each[i] == each[j]))
        assert found.akin[e] == pytest.approx(sum(p for each, p in akin.items() if each[i] == each[j]))
        for kind, values in ((1, found.copied), (2, found.related)):
            ends = {(i, (j, kind)), (j, (i, kind))}
            used = sum(p for (_, origins), p in joint.items() if any(origins[x] == y for x, y in ends))
            assert values[e] == pytest.approx(used)


def test_orders_that_are_not_counted_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the weight of its roots and orders left out, a path of three would be as likely as three pairs make it."""
    a, b = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    copy, relative = np.ones(2), np.zeros(2)
    right = solve_small(3, a, b, copy, relative, seed=0).together
    known = forests(3)
    monkeypatch.setattr(exact, "forests", lambda n: known._replace(orders=np.ones_like(known.orders)))
    wrong = solve_small(3, a, b, copy, relative, seed=0).together
    assert abs(right - wrong).max() > 0.01


def test_samples_are_drawn_from_what_is_solved() -> None:
    rng = np.random.default_rng(7)
    a, b = pairs_of(4, rng)
    copy, relative = np.exp(rng.normal(0.0, 1.5, (2, len(a))))
    found = solve_small(4, a, b, copy, relative, seed=3)
    n_samples = 20_000
    draws = found.joined(alone(0, n_samples), len(a))
    joint = enumerate_joint(4, np.stack([a, b], axis=1), copy, relative)
    expected = marginal(joint, lambda _, origins: entities(origins))
    seen, counts = np.unique(draws.roots, axis=0, return_counts=True)
    shares = {first_seen(row): count / n_samples for row, count in zip(seen.tolist(), counts.tolist(), strict=True)}
    for partition, probability in expected.items():
        error = 5 * np.sqrt(probability * (1 - probability) / n_samples) + 1e-4
        assert abs(shares.get(partition, 0.0) - probability) < error
    assert draws.n_entities.tolist() == [len(set(row)) for row in draws.roots.tolist()]


def test_agrees_with_the_sampler_of_five() -> None:
    rng = np.random.default_rng(11)
    a, b = pairs_of(LARGEST, rng)
    copy, relative = np.exp(rng.normal(0.5, 1.5, (2, len(a))))
    found = solve_small(LARGEST, a, b, copy, relative, seed=0)
    sampled = CopyingSampler(LARGEST, a, b, seed=1).run(copy, relative, n_sweeps=60_000)
    for name in ("copied", "related", "together", "akin"):
        assert np.abs(getattr(found, name) - getattr(sampled, name)).max() < 0.015


def test_larger_components_are_left_to_the_sampler() -> None:
    chain = np.arange(LARGEST + 3, dtype=np.int32)
    a = np.concatenate([chain[:-1], [20, 30]]).astype(np.int32)
    b = np.concatenate([chain[1:], [21, 31]]).astype(np.int32)
    copy = np.ones(len(a))
    copy[-1] = FAINT / 2
    found = solve_small(40, a, b, copy, np.zeros(len(a)), seed=0)
    assert found.rest.tolist() == list(range(LARGEST + 2))
    assert found.pairs.tolist() == [LARGEST + 2]
    assert [each.tolist() for each in found.left] == [[1.0] * (LARGEST + 2), [0.0] * (LARGEST + 2)]
    copied = np.full(LARGEST + 2, 0.25)
    rest = replace(alone(LARGEST + 3, 3), copied=copied, related=copied, together=copied, akin=copied)
    draws = found.joined(rest, len(a))
    assert draws.together.tolist() == [*copied.tolist(), found.together[0], 0.0]


def test_faint_pairs_change_little() -> None:
    """What is left out is used with less probability than it weighs."""
    rng = np.random.default_rng(5)
    a, b = pairs_of(4, rng, share=1.0)
    copy = np.where(np.arange(len(a)) % 2 == 0, 3.0, FAINT)
    relative = np.zeros(len(a))
    joint = enumerate_joint(4, np.stack([a, b], axis=1), copy, relative)
    together = marginal(joint, lambda _, origins: entities(origins))
    found = solve_small(4, a, b, copy, relative, seed=0).joined(alone(0, 1), len(a)).together
    for e, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        assert abs(found[e] - sum(p for each, p in together.items() if each[i] == each[j])) < 2 * len(a) * FAINT


def test_a_faint_pair_of_a_larger_component_weighs_nothing() -> None:
    chain = np.arange(LARGEST + 1, dtype=np.int32)
    a, b = np.append(chain[:-1], 0).astype(np.int32), np.append(chain[1:], LARGEST).astype(np.int32)
    copy = np.append(np.ones(LARGEST), FAINT / 2)
    found = solve_small(LARGEST + 1, a, b, copy, copy, seed=0)
    assert found.rest.tolist() == list(range(LARGEST + 1))
    assert all(each.tolist() == [*[1.0] * LARGEST, 0.0] for each in found.left)


def test_many_faint_pairs_are_kept() -> None:
    n = 30
    a, b = np.zeros(n - 1, dtype=np.int32), np.arange(1, n, dtype=np.int32)
    found = solve_small(n, a, b, np.full(n - 1, FAINT), np.zeros(n - 1), seed=0)
    assert len(found.rest) == n - 1


@pytest.mark.parametrize(("seed", "faint", "most"), [(0, 1e-3, 1e-2), (1, 1e-2, 1e-2), (2, 1e-2, 3e-2)])
def test_the_pairs_that_matter_are_those_of_the_slow_twin(seed: int, faint: float, most: float) -> None:
    rng = np.random.default_rng(seed)
    a, b = pairs_of(40, rng, share=0.3)
    copy, relative = np.exp(rng.normal(-4.0, 4.0, (2, len(a))))
    found = pairs_that_matter(40, a, b, copy, relative, faint, most, 1e-6)
    expected = resolve_exact.pairs_that_matter(
        a.tolist(), b.tolist(), copy.tolist(), relative.tolist(), faint, most, 1e-6
    )
    assert found.tolist() == expected
    assert 0 < found.sum() < len(a)


def test_relations_that_are_left_out_change_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Households of five, drawn so that a few may be copies and most are relatives: with all pairs, and without."""
    change = []
    a, b = np.array(list(itertools.combinations(range(5), 2)), dtype=np.int32).T.copy()
    for seed in range(400):
        rng = np.random.default_rng(seed)
        may_be = rng.random(len(a)) < 0.25
        copy = np.exp(np.where(may_be, rng.normal(0.0, 5.0, len(a)), rng.normal(-9.0, 3.0, len(a))))
        relative = np.where(may_be | (rng.random(len(a)) < 0.3), 0.0, np.exp(rng.normal(0.0, 4.0, len(a))))
        relative = np.minimum(relative, np.maximum(np.exp(8.0) * copy, 1.0))
        found = []
        for faint in (FAINT, 0.0):
            monkeypatch.setattr(exact, "FAINT", faint)
            found.append(solve_small(5, a, b, copy, relative, seed=0).joined(alone(0, 1), len(a)).together)
        change.append(np.abs(found[0] - found[1]).max())
    assert np.max(change) > 0.0
    assert np.quantile(change, 0.9) < FAINT_SUM
    assert np.max(change) < 0.1


def test_a_relation_between_records_beyond_doubt_parts_no_components() -> None:
    """Two pairs of copies, one household: the relation joins them only where a copy is in doubt."""
    a, b = np.array([0, 2, 0], dtype=np.int32), np.array([1, 3, 2], dtype=np.int32)
    relative = np.array([0.0, 0.0, 2.0])
    for copy, sizes in ((1e6, [2, 2]), (1.0, [4])):
        found = solve_small(4, a, b, np.array([copy, copy, 1e-6]), relative, seed=0)
        assert [each.members.shape[1] for each in found.groups for _ in each.members] == sizes
