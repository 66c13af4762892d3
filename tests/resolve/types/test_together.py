import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.kb.database import read_knowledge_base
from onoma.kb.store import store_resolution
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.plan import plan_job
from onoma.pipeline.resolution import Job, job_to_store, run_job, summary
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.ready import make_ready
from onoma.resolve.types.together import TypedResolution

WORDS = ["red", "old", "north", "river", "stone", "green", "upper", "golden", "iron", "silver", "mill", "bridge"]
TRADES = ["works", "bakery", "foundry", "brewery", "press", "garage", "laundry", "dairy", "printers", "tannery"]


def firms(n_firms, seed=0):
    """Firms, two rows of half of them, that share a name and a city with people and nothing else."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(n_firms):
        name = " ".join([*rng.choice(WORDS, 2, replace=False), str(rng.choice(TRADES))])
        vat, year = str(rng.integers(10**8, 10**9)), str(rng.integers(1850, 2020))
        row = {"name": name, "vat": vat, "founded": year, "truth": f"f{k}"}
        rows.append(row)
        if k % 2:
            vat = vat if rng.random() < 0.7 else None
            rows.append(row | {"name": name.replace("e", "", 1), "vat": vat})
    return pa.Table.from_pylist(rows)


@pytest.fixture(scope="module")
def mixed():
    people = simulate_people(500, seed=1)
    names = [people[column].to_pylist() for column in ("given_name", "surname")]
    table = pa.table(
        {
            "name": [" ".join(filter(None, name)) for name in zip(*names, strict=True)],
            **{name: people[name] for name in ("birth_date", "street", "phone")},
            "truth": people["cluster_id"].cast(pa.string()),
        }
    )
    both = pa.concat_tables([table, firms(200)], promote_options="default")
    return both.take(pa.array(np.random.default_rng(0).permutation(len(both))))


CONFIG = ResolveConfig(truth="truth")


def is_person(table):
    return np.array([value is None for value in table["founded"].to_pylist()])


def test_each_type_is_resolved_as_a_table_of_its_own(mixed):
    found = resolve(mixed, CONFIG)
    assert isinstance(found, TypedResolution)
    person = is_person(mixed)
    for kind, part in zip(found.types, found.parts, strict=True):
        assert len(set(person[kind.rows].tolist())) == 1
        alone = resolve(mixed.take(pa.array(kind.rows)), CONFIG)
        assert part.clustering.labels.tolist() == alone.clustering.labels.tolist()
        assert part.quality.expected_f1 == alone.quality.expected_f1
    for members in found.clustering.chains():
        assert len(set(person[members].tolist())) == 1
    assert found.memberships.num_rows == len(mixed)
    assert any("2 types" in note and "founded" in note for note in found.notes)
    kinds = {each.name: each for each in found.fields.fields}
    assert sorted(kinds) == ["birth_date", "founded", "name", "phone", "street", "vat"]
    assert "organisation" in kinds["name"].reason and "person" in kinds["name"].reason
    assert (kinds["name"].codes >= 0).all()


def test_samples_and_checks_are_put_together(mixed):
    found = resolve(mixed, CONFIG)
    samples = np.asarray(found.posterior.samples)
    person = is_person(mixed)
    assert samples.shape == (100, len(mixed))
    assert (person[samples] == person).all()
    n_of_samples = [len(np.unique(sample)) for sample in samples]
    assert n_of_samples == found.posterior.n_entities.tolist()
    told = found.recalibrated()
    reported, low, high = told.entity_count()
    assert reported == sum(part.recalibrated().clustering.n_entities for part in found.parts)
    assert low <= 680 and high >= 400 and low < high
    assert 0.0 < found.quality.precision.low <= found.quality.precision.estimate <= found.quality.precision.high <= 1.0
    assert found.quality.n_links == sum(part.quality.n_links for part in found.parts)
    a, b, _ = told.posterior.pairs
    assert (np.diff(a.astype(np.int64) * len(mixed) + b) > 0).all()


def test_pairs_are_explained_within_a_type(mixed):
    found = resolve(mixed, CONFIG)
    person = is_person(mixed)
    entity = next(np.array(each) for each in found.clustering.chains() if len(each) > 1 and not person[each[0]])
    why = found.explain(int(entity[0]), int(entity[1]))
    assert (why.a, why.b) == tuple(sorted(entity[:2].tolist()))
    assert "vat" in [step.field for step in why.steps]
    across = found.explain(int(np.flatnonzero(person)[0]), int(np.flatnonzero(~person)[0]))
    assert across.probability < 1e-9 and "different types" in across.steps[0].level
    assert set(found.tables()["weights"]["type"].to_pylist()) == {"type 1", "type 2"}
    assert found.entities.num_rows == found.clustering.n_entities


def test_all_rows_may_be_said_to_be_of_one_type(mixed):
    assert not isinstance(resolve(mixed, CONFIG, one_type=True), TypedResolution)
    assert not make_ready(mixed, ResolveConfig(truth="truth", partitions=2)).types
    assert not make_ready(mixed, ResolveConfig(labels="truth")).types


def test_the_plan_says_which_types_there_are_and_the_run_too(mixed):
    job = Job(table=mixed, config=ResolveConfig(truth="truth", review_budget=3))
    plan = plan_job(job)
    assert len(plan.types) == 2 and any("alone fill founded" in each for each in plan.types)
    assert plan.as_dict()["types"] == list(plan.types)
    outcome = run_job(job, ready=plan.ready)
    said = summary(outcome)
    assert said["metrics"]["pairwise"]["f1"] > 0.9
    assert len(said["review"]["questions"]) == 3
    assert any("2 types" in note for note in said["notes"])


def test_two_ways_to_write_of_the_same_things_are_no_types():
    """Two registers of people, each with columns that the other does not have, and the names in both."""
    people = simulate_people(800, seed=3)
    first = np.random.default_rng(0).random(800) < 0.5
    shown = {
        name: [value if keep else None for value, keep in zip(people[name].to_pylist(), kept, strict=True)]
        for name, kept in (("birth_date", first), ("street", first), ("phone", ~first), ("email", ~first))
    }
    table = pa.table({"given_name": people["given_name"], "surname": people["surname"]} | shown)
    assert not make_ready(table, ResolveConfig()).types


def test_what_only_one_source_fills_is_no_type(mixed):
    source = pa.array(np.where(is_person(mixed), "people", "firms"))
    table = mixed.append_column("source", source)
    assert not make_ready(table, ResolveConfig(truth="truth", source="source")).types
    drawn = pa.array(np.random.default_rng(0).choice(["a", "b"], len(mixed)))
    table = mixed.append_column("source", drawn)
    found = make_ready(table, ResolveConfig(truth="truth", source="source"))
    assert len(found.types) == 2 and all(part.source.max() == 1 for part in found.parts)


def test_missing_values_and_blanked_columns_make_no_types():
    people = simulate_people(600, seed=2).drop_columns(["id", "cluster_id"])
    rng = np.random.default_rng(0)
    hidden = rng.random((len(people), people.num_columns)) < 0.3
    blanked = pa.table(
        {
            name: [None if gone else value for value, gone in zip(people[name].to_pylist(), hidden[:, c], strict=True)]
            for c, name in enumerate(people.column_names)
        }
    )
    assert not make_ready(people, ResolveConfig()).types
    assert not make_ready(blanked, ResolveConfig()).types


def test_a_knowledge_base_of_several_types_is_resolved_anew_when_it_grows(mixed, tmp_path):
    head, rest = mixed.slice(0, len(mixed) - 20), mixed.slice(len(mixed) - 20)
    head, rest = (
        each.append_column("id", pa.array([f"r{first + i}" for i in range(len(each))]))
        for each, first in ((head, 0), (rest, len(head)))
    )
    job = Job(table=head, config=ResolveConfig(truth="truth", id="id"))
    outcome = run_job(job)
    path = tmp_path / "mixed.duckdb"
    store_resolution(outcome.resolution, path, job=job_to_store(job), about={})
    pyarrow.csv.write_csv(rest, tmp_path / "rest.csv")
    update = update_knowledge_base(path, [tmp_path / "rest.csv"])
    assert update.n_added == 20 and update.is_refreshed
    assert any("several types" in note for note in update.notes)
    with read_knowledge_base(path) as base:
        rows = base.query("SELECT id, entity FROM memberships ORDER BY record").to_pylist()
    whole = resolve(
        mixed.append_column("id", pa.array([f"r{i}" for i in range(len(mixed))])), ResolveConfig(truth="truth", id="id")
    )
    assert len(rows) == len(mixed)
    assert len({row["entity"] for row in rows}) == pytest.approx(whole.clustering.n_entities, abs=5)
