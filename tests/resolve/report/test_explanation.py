import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError
from onoma.resolve.api import Resolution, resolve
from onoma.resolve.comparison.weights import edge_weights, log_bayes_factors
from onoma.resolve.report.explanation import explain_pair, find_record, weight_table


@pytest.fixture(scope="module")
def people() -> Resolution:
    return resolve(simulate_people(400, seed=3))


@pytest.fixture(scope="module")
def linked() -> Resolution:
    table = simulate_people(300, seed=4).to_pylist()
    for number, row in enumerate(table):
        row["source"], row["id"] = ("left", "right")[number % 2], str(number // 2)
    return resolve(pa.Table.from_pylist(table), source="source", link=True)


def test_fields_add_up_to_what_the_sampler_uses(people, linked):
    for found in (people, linked):
        evidence = found.weighed.evidence
        copied, _ = log_bayes_factors(evidence, found.weighed.weights)
        copy, relative = edge_weights(evidence, found.weighed.weights)
        for pair in np.linspace(0, len(copied) - 1, 40).astype(int):
            why = explain_pair(found, int(evidence.a[pair]), int(evidence.b[pair]))
            fields = sum(step.bits for step in why.steps if step.field not in ("prior", "relatives"))
            assert fields == pytest.approx(copied[pair] / np.log(2), abs=1e-6)
            if abs(np.log(copy[pair])) < 50:  # beyond, edge weights are clipped
                assert why.bits == pytest.approx(np.log2(copy[pair] / (1 + relative[pair])), abs=0.01)
            assert why.posterior == found.weighed.draws.together[pair]


def test_a_pair_that_is_no_candidate_is_explained_from_its_values(people):
    evidence = people.weighed.evidence
    known = set(zip(evidence.a.tolist(), evidence.b.tolist(), strict=True))
    a, b = next((a, b) for a in range(400) for b in range(a + 1, 400) if (a, b) not in known)
    why = explain_pair(people, a, b)
    assert why.posterior is None
    assert why.probability < 0.5
    assert {step.field for step in why.steps} >= {field.name for field in people.fields.fields}


def test_order_of_the_two_does_not_matter(people):
    ids = people.table["id"].to_pylist()
    assert explain_pair(people, ids[3], ids[9]) == explain_pair(people, 9, 3)


def test_values_are_those_of_the_table(people):
    row = people.table.slice(5, 1).to_pylist()[0]
    why = explain_pair(people, 5, 6)
    assert next(step.a for step in why.steps if step.field == "surname") == (row["surname"] or "")


def test_records_are_named_by_source_where_ids_repeat(linked):
    assert find_record(linked, ("left", "3")) == 6
    assert find_record(linked, ("right", "3")) == 7
    with pytest.raises(DataError, match="several sources"):
        find_record(linked, "3")
    with pytest.raises(DataError, match="no record"):
        find_record(linked, ("left", "no such"))


def test_unknown_records_are_refused(people):
    with pytest.raises(DataError, match="no record"):
        find_record(people, "no such")
    with pytest.raises(DataError, match="no row"):
        find_record(people, 400)
    with pytest.raises(DataError, match="itself"):
        explain_pair(people, 2, 2)
    with pytest.raises(DataError, match="no source"):
        find_record(people, ("left", "3"))


def test_nothing_learnt_is_explained_as_nothing():
    found = resolve(pa.table({"id": ["a"], "name": ["Ada"]}))
    with pytest.raises(DataError, match="nothing to compare"):
        weight_table(found)


def test_rare_values_weigh_more_than_common_ones(people):
    for each in weight_table(people):
        if each.level == "equal":
            assert each.low <= each.bits <= each.high
        else:
            assert each.low is None
            assert each.bits == pytest.approx(np.log2(each.copied / each.strangers))


def test_copies_at_the_levels_are_all_copies(people):
    total = people.weighed.draws.copied[people.weighed.evidence.levels[:, 0] >= 0].sum()
    first = people.fields.fields[0].name
    assert sum(each.copies for each in weight_table(people) if each.field == first) == pytest.approx(total)
