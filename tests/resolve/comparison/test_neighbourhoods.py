"""Weights learnt from a part of the table are those of the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.simulate import simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.blocking.canopies import CanopySettings, find_candidates
from onoma.resolve.comparison import neighbourhoods
from onoma.resolve.comparison.gathering import gather_evidence
from onoma.resolve.comparison.neighbourhoods import learn_from_part, part_of
from onoma.resolve.comparison.weights import log_bayes_factors
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.posterior._copying_kernels import groups_upto


@pytest.fixture(scope="module")
def evidence():
    fields = prepare_fields(simulate_people(3000, seed=2), exclude=["id", "cluster_id"]).fields
    settings = CanopySettings(neighbours=10)
    return gather_evidence(fields, find_candidates(fields, settings=settings), None, None, seed=0)


def test_a_part_holds_the_pairs_of_its_records(evidence):
    inside = stream(0, "inside").random(evidence.n) < 0.3
    part = part_of(evidence, inside)
    use = inside[evidence.a] | inside[evidence.b]
    assert len(part.a) == use.sum()
    assert np.array_equal(part.levels, evidence.levels[use])
    assert part.n - part.outside.sum() == inside.sum()
    # Who is outside is nobody's neighbour but those inside.
    assert not (part.outside[part.a] & part.outside[part.b]).any()
    assert part.n_pairs == pytest.approx(evidence.n_pairs * inside.mean())


def test_the_part_that_is_all(evidence):
    part = part_of(evidence, np.ones(evidence.n, dtype=np.bool_))
    assert np.array_equal(part.a, evidence.a) and np.array_equal(part.b, evidence.b)
    assert not part.outside.any()
    assert part.n_pairs == evidence.n_pairs


def test_weights_of_a_part_are_near_those_of_the_whole(evidence, monkeypatch):
    whole, _ = learn_from_part(evidence, seed=0)
    monkeypatch.setattr(neighbourhoods, "MANY_PAIRS", 0)
    monkeypatch.setattr(neighbourhoods, "_FIRST_PAIRS", len(evidence.a) // 2)
    monkeypatch.setattr(neighbourhoods, "_PAIRS", len(evidence.a))
    part, sampler = learn_from_part(evidence, seed=0)
    assert len(sampler.time) == evidence.n
    assert np.log(part.kappa / whole.kappa) == pytest.approx(0.0, abs=0.15)
    one, other = (log_bayes_factors(evidence, weights)[0] + np.log(weights.kappa) for weights in (whole, part))
    assert np.mean((one > 0) == (other > 0)) > 0.99


pairs = st.lists(st.tuples(*[st.integers(0, 9)] * 2), max_size=30)


@given(pairs, st.integers(1, 10))
def test_groups_are_no_larger_than_allowed(pairs, largest):
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
    found = groups_upto(10, a, b, largest)
    groups = [{i} for i in range(10)]
    for i, j in pairs:
        one = next(group for group in groups if i in group)
        other = next(group for group in groups if j in group)
        if one is not other and len(one) + len(other) <= largest:
            groups = [group for group in groups if group not in (one, other)] + [one | other]
    assert {frozenset(np.flatnonzero(found == first).tolist()) for first in set(found.tolist())} == set(
        map(frozenset, groups)
    )
