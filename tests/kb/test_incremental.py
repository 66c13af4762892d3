"""Is what is touched drawn as it would be among all, and everything else left alone?"""

import numpy as np
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.kb.incremental import (
    Edges,
    Effort,
    FieldPart,
    OutgrownError,
    best_weights,
    fields_of,
    near_pairs,
    resample,
    start_times,
    touched_by,
    weigh_pairs,
)
from onoma.kb.memory import memory_from_bytes, remember, write_values
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.comparison.weights import Weights, log_bayes_factors
from onoma.resolve.config import ResolveConfig
from onoma.resolve.posterior.copying import CopyingSampler
from onoma.resolve.posterior.judgements import NO_JUDGEMENTS, Judged

SETTINGS = Effort(samples=400, burn_in=50)


def plain_weights(kappa=1.0, sigma=0.0):
    none = np.zeros((1, 1))
    return Weights(np.array([-1]), np.zeros((3, 1, 1, 1)), none, kappa, sigma, np.array([1]))


def edges_of(*rows, probability=0.0):
    a, b, log_copy = (np.array(part) for part in zip(*rows, strict=True))
    return Edges(a, b, log_copy.astype(float), np.full(len(a), -60.0), np.full(len(a), probability))


def no_entities(n):
    return np.full(n, -1, dtype=np.int64)


@pytest.fixture(scope="module")
def found():
    return resolve(simulate_people(500, seed=8), exclude=["cluster_id"], config=ResolveConfig(samples=300))


def test_what_is_remembered_weighs_as_before(found):
    """Some records, taken out with a few values that stand for the rest, have the Bayes factors they had among all."""
    memory = memory_from_bytes(remember(found).to_bytes())
    assert memory.why_not == ""
    assert np.array_equal(memory.weights.tables, found.weighed.weights.tables)
    assert memory.config == found.config
    fields = found.fields.fields
    parts = [FieldPart(f.values, f.examples, f.codes, f.counts) for f in fields]
    evidence = found.weighed.evidence
    copy, relative = weigh_pairs(fields_of(memory, parts), evidence.a, evidence.b, memory.weights)
    expected = log_bayes_factors(evidence, found.weighed.weights)
    assert np.allclose(copy, expected[0], atol=1e-4)
    assert np.allclose(relative, expected[1], atol=1e-4)


def test_new_records_are_written_as_the_old(found):
    memory = remember(found)
    for spec, field in zip(memory.fields, found.fields.fields, strict=True):
        written = write_values(spec, found.table[field.columns[0]].slice(0, 50), field.examples[:100])
        known = {value: code for code, value in enumerate(field.values)}
        codes = [known[written.values[code]] if code >= 0 else -1 for code in written.codes.tolist()]
        assert codes == field.codes[:50].tolist()


def test_values_of_another_form_are_seen(found):
    memory = remember(found)
    at = [spec.kind for spec in memory.fields].index("date")
    parts = [FieldPart(f.values, f.examples, f.codes, f.counts) for f in found.fields.fields]
    years = [f"{year}-00-00" for year in range(1900, 1950)]
    parts[at] = FieldPart(years, years, np.arange(50, dtype=np.int32), np.ones(50, np.int64))
    with pytest.raises(OutgrownError, match="birth_date are of another form"):
        fields_of(memory, parts)


def test_more_records_make_each_a_less_likely_origin(found):
    memory = remember(found)
    assert memory.weights_for(1000).kappa == pytest.approx(memory.weights.kappa / 2)


@pytest.mark.parametrize(("options", "said"), [({"block": "state"}, "blocks"), ({"model": "pairwise"}, "pairwise")])
def test_what_cannot_be_added_to_says_why(options, said):
    table = simulate_people(120, seed=2)
    assert said in remember(resolve(table, exclude=["cluster_id"], **options)).why_not


# What is touched.


def test_touched_is_what_samples_or_judgements_tie():
    edges = Edges(np.array([0, 1, 3]), np.array([1, 2, 4]), np.zeros(3), np.zeros(3), np.array([0.5, 0.01, 0.9]))
    assert touched_by(6, edges, np.array([0]), NO_JUDGEMENTS).tolist() == [True, True, False, False, False, False]
    said = NO_JUDGEMENTS._replace(different=np.array([[2, 3]]))
    assert touched_by(6, edges, np.array([4]), said).tolist() == [False, False, True, True, True, False]


def test_pairs_that_matter():
    """A copy far behind another, one that nothing rivals, and relations that do and do not rival a copy."""
    old = edges_of((0, 1, np.log(1e6)))
    copies, relations = np.log([1e-5, 5.0, 1e-9, 1e-9]), np.log([1e-9, 1e-9, 50.0, 50.0])
    new = Edges(np.array([0, 2, 2, 4]), np.array([3, 3, 4, 5]), copies, relations, np.zeros(4))
    assert near_pairs(6, old, new, plain_weights(sigma=1.0)).tolist() == [False, True, True, False]
    assert best_weights(3, np.array([0, 0]), np.array([1, 2]), np.array([2.0, 3.0])).tolist() == [3.0, 2.0, 3.0]


def test_only_records_inside_are_drawn():
    edges = edges_of((0, 1, 3.0), (2, 3, 3.0), probability=0.9)
    inside = np.array([True, True, False, False])
    found = resample(4, edges, inside, plain_weights(), effort=SETTINGS, judged=NO_JUDGEMENTS, entity=no_entities(4))
    assert found.records.tolist() == [0, 1]
    assert found.labels[0] == found.labels[1]
    assert found.edges.tolist() == [0]
    assert found.roots.shape == (400, 2)


def test_nobody_inside():
    nobody = np.zeros(2, dtype=bool)
    edges = edges_of((0, 1, 3.0))
    found = resample(2, edges, nobody, plain_weights(), effort=SETTINGS, judged=NO_JUDGEMENTS, entity=no_entities(2))
    assert len(found.records) == len(found.labels) == len(found.edges) == 0


def test_a_record_of_the_ring_that_is_joined_is_drawn_too():
    """0 is new and belongs to 1, which was with 2; only 0 is said to be touched."""
    edges = edges_of((0, 1, 8.0), (1, 2, 8.0))
    edges = edges._replace(probability=np.array([0.0, 1.0]))
    inside = np.array([True, False, False])
    entity = np.array([-1, 0, 0])
    found = resample(3, edges, inside, plain_weights(), effort=SETTINGS, judged=NO_JUDGEMENTS, entity=entity)
    assert found.records.tolist() == [0, 1, 2]
    assert len(set(found.labels.tolist())) == 1


def test_no_record_is_drawn_twice():
    """1 is inside and was with 2, which is not; 0 joins 3, which was with 2: all of it is one matter."""
    edges = edges_of((0, 3, 8.0), (2, 3, 8.0), (1, 2, 0.0))
    edges = edges._replace(probability=np.array([0.0, 1.0, 0.4]))
    inside = np.array([True, True, False, False])
    entity = np.array([-1, 0, 1, 1])
    found = resample(4, edges, inside, plain_weights(), effort=SETTINGS, judged=NO_JUDGEMENTS, entity=entity)
    assert found.records.tolist() == [0, 1, 2, 3]
    assert found.labels[0] == found.labels[2] == found.labels[3]


def test_records_that_join_one_after_the_other_are_drawn_once():
    """A chain of records in which each round finds the next one tied, and the last is tied to the first again."""
    rng = stream(7, "chain")
    for _ in range(20):
        n = 12
        pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.35]
        edges = edges_of(*[(j, i, rng.normal(1.0, 2.0)) for i, j in pairs])
        edges = edges._replace(probability=rng.choice([0.0, 0.0, 0.5], len(pairs)))
        inside = rng.random(n) < 0.3
        settings = Effort(samples=40, burn_in=10)
        found = resample(n, edges, inside, plain_weights(), effort=settings, judged=NO_JUDGEMENTS, entity=np.arange(n))
        assert (np.diff(found.records) > 0).all()
        assert set(np.flatnonzero(inside)) <= set(found.records.tolist())
        assert len(np.unique(found.edges)) == len(found.edges)
        assert found.roots.shape == (40, len(found.records))


def test_a_part_is_drawn_as_it_would_be_among_all():
    """Two groups that hang together by nothing: drawing one alone gives the shares of drawing both."""
    rng = stream(4, "parts")
    rows = [(i, j, rng.normal(0.0, 1.5)) for i in range(5) for j in range(i)]
    rows += [(i + 5, j + 5, rng.normal(0.0, 1.5)) for i in range(5) for j in range(i)]
    edges = edges_of(*[(min(i, j), max(i, j), w) for i, j, w in rows], probability=0.5)
    settings = Effort(samples=3000)
    weights = plain_weights()
    found = resample(
        10, edges, np.arange(10) < 5, weights, effort=settings, judged=NO_JUDGEMENTS, entity=no_entities(10)
    )
    sampler = CopyingSampler(10, edges.a.astype(np.int32), edges.b.astype(np.int32), seed=9)
    copy, relative = edges.weights(weights)
    sampler.run(copy, relative, n_sweeps=100)
    every = sampler.run(copy, relative, n_sweeps=20_000)
    assert np.allclose(found.together, every.together[found.edges], atol=0.03)


def test_judgements_hold_in_what_is_drawn_and_in_the_answer():
    edges = edges_of((0, 1, 6.0), (1, 2, 6.0), (0, 2, 6.0), (2, 3, -6.0))
    said = Judged(np.array([[2, 3]]), np.array([[0, 2]]), np.zeros((0, 2), np.int64), np.zeros(0))
    every = np.ones(4, dtype=bool)
    found = resample(4, edges, every, plain_weights(), effort=SETTINGS, judged=said, entity=no_entities(4))
    assert (found.roots[:, 2] == found.roots[:, 3]).all()
    assert (found.roots[:, 0] != found.roots[:, 2]).all()
    assert found.labels[2] == found.labels[3] != found.labels[0]


def test_a_chain_starts_from_what_is_known():
    """1 is tied outward, so its entity begins with it; new records come last."""
    a, b = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    time = start_times(a, b, np.array([5.0, 7.0]), np.array([0, 0, 1, -1]), np.array([0.5, 0.4, 0.3, 0.2]))
    assert time[1] < time[0] < time[1] + 1e-6
    assert time[3] == 1.2
    assert time[2] == 0.3
