import json
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import onoma
from onoma.corpus.clustering import Clustering
from onoma.corpus.formats import write_table
from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError, SettingsError
from onoma.evaluate import evaluate
from onoma.kb.database import read_knowledge_base
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import store_outcome, write_outcome
from onoma.pipeline.resolution import Job, calibration_error, job_settings, read_job, read_resume, run_job, summary
from onoma.resolve.config import ResolveConfig
from onoma.resolve.posterior import copying
from reference.stops import StopAfter

SHORT = ResolveConfig(samples=20, burn_in=10)


@pytest.fixture(scope="module")
def people():
    return simulate_people(200, seed=3)


@pytest.fixture(scope="module")
def outcome(people):
    return run_job(Job(table=people, config=replace(SHORT, truth="cluster_id")))


@pytest.fixture(autouse=True)
def look_after_every_sweep(monkeypatch):
    """As in large tables."""
    monkeypatch.setattr(copying, "_WORTH_THREADS", 0)
    monkeypatch.setenv("ONOMA_THREADS", "2")  # one thread alone looks later
    monkeypatch.setattr(copying, "_WORTH_MEETING", 0)


def write(path, text):
    Path(path).write_text(text, "utf-8")
    return Path(path)


# Reading.


def test_one_file(tmp_path, people):
    path = tmp_path / "people.csv"
    write_table(people, path)
    job = read_job([path], replace(SHORT, truth="cluster_id", kinds={"city": "place"}))
    assert len(job.table) == 200
    assert job.config == replace(SHORT, truth="cluster_id", kinds={"city": "place"})
    assert job.rejects is None


def test_several_files_are_sources(tmp_path):
    one = write(tmp_path / "shop.csv", "id,name,year\n1,Ann,1990\n2,Bob,1991\n")
    other = write(tmp_path / "list.csv", "id,name,town\n1,Ann,York\n")
    job = read_job([one, other], ResolveConfig(link=True))
    assert job.config.source == "source"
    assert job.table["source"].to_pylist() == ["shop", "shop", "list"]
    assert job.table["town"].to_pylist()[:2] == [None, None]
    assert job.table["name"].to_pylist() == ["Ann", "Bob", "Ann"]


def test_files_of_one_name_are_still_two_sources(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    paths = [write(tmp_path / folder / "people.csv", "id,name\n1,Ann\n") for folder in ("a", "b")]
    assert len(set(read_job(paths).table["source"].to_pylist())) == 2


def test_a_column_called_source_is_left_alone(tmp_path):
    paths = [write(tmp_path / f"{name}.csv", f"id,source\n{name},web\n") for name in "ab"]
    job = read_job(paths)
    assert job.config.source == "source_2"
    assert job.table["source"].to_pylist() == ["web", "web"]


def test_columns_of_two_types_become_text(tmp_path):
    for name, values in (("one", pa.array([1])), ("two", pa.array(["x"]))):
        write_table(pa.table({"code": values}), tmp_path / f"{name}.parquet")
    assert read_job([tmp_path / "one.parquet", tmp_path / "two.parquet"]).table["code"].to_pylist() == ["1", "x"]


@pytest.mark.parametrize(
    ("names", "settings", "error", "said"),
    [
        (["a", "b"], {"source": "name"}, SettingsError, "several files are sources already"),
        (["a"], {"link": True}, SettingsError, "linking needs two sources"),
        (["a"], {"one_to_one": True}, SettingsError, "one-to-one is for linking"),
        (["a"], {"exclude": ["town"]}, SettingsError, "there is no column 'town'"),
        (["a"], {"also_compare": [["name", "town"]]}, SettingsError, "there is no column 'town'"),
        (["a"], {"truth": "gold"}, SettingsError, "there is no column 'gold'"),
        (["a"], {"block": "part"}, SettingsError, "The columns are id, name"),
        (["a"], {"source": "part"}, SettingsError, "there is no column 'part'"),
        (["empty"], {}, DataError, "no rows"),
    ],
)
def test_what_cannot_be_read_together(tmp_path, names, settings, error, said):
    for name in "ab":
        write(tmp_path / f"{name}.csv", "id,name\n1,Ann\n2,Bob\n")
    write(tmp_path / "empty.csv", "id,name\n")
    with pytest.raises(error, match=said):
        read_job([tmp_path / f"{name}.csv" for name in names], ResolveConfig.of(settings))


# Running.


def test_the_truth_scores_and_does_nothing_else(people, outcome):
    without = run_job(Job(table=people.drop_columns(["cluster_id"]), config=SHORT))
    assert without.resolution.memberships.equals(outcome.resolution.memberships)
    assert without.evaluation is None and without.calibration is None
    shuffled = people.set_column(1, "cluster_id", people["cluster_id"].take(np.random.default_rng(0).permutation(200)))
    spoilt = run_job(Job(table=shuffled, config=replace(SHORT, truth="cluster_id")))
    assert spoilt.resolution.memberships.equals(outcome.resolution.memberships)
    assert spoilt.evaluation.as_dict()["b3"]["f1"] < outcome.evaluation.as_dict()["b3"]["f1"]
    named = people.rename_columns(["id", "answer", *people.column_names[2:]])
    again = run_job(Job(table=named, config=replace(SHORT, truth="answer")))
    assert again.resolution.memberships.equals(outcome.resolution.memberships)


def test_rows_without_truth_are_not_scored(people):
    labels = people["cluster_id"].to_pylist()
    partial = people.set_column(1, "cluster_id", pa.array([*labels[:100], *[None] * 50, *[""] * 50]))
    found = run_job(Job(table=partial, config=replace(SHORT, truth="cluster_id")))
    gold = Clustering.from_labels(labels[:100])
    predicted = Clustering.from_labels(found.resolution.clustering.labels[:100])
    whole = run_job(Job(table=people, config=replace(SHORT, truth="cluster_id")))
    assert found.resolution.memberships.equals(whole.resolution.memberships)
    assert found.evaluation.as_dict()["b3"] == evaluate(gold, predicted, metrics="b3").as_dict()["b3"]


def test_calibration(people, outcome):
    gold = Clustering.from_labels(people["cluster_id"])
    evidence, stated = outcome.resolution.weighed.evidence, outcome.resolution.posterior.pairs.probability
    use = stated >= 0.01
    right = gold.labels[evidence.a] == gold.labels[evidence.b]
    gap = 0.0
    for low in range(10):
        inside = use & (np.minimum((stated * 10).astype(int), 9) == low)
        if inside.any():
            gap += abs(stated[inside].mean() - right[inside].mean()) * inside.sum() / use.sum()
    assert outcome.calibration == pytest.approx(gap)
    assert calibration_error(outcome.resolution, Clustering.from_labels(outcome.resolution.clustering.labels)) < 0.2
    assert calibration_error(outcome.resolution, Clustering.from_labels([None] * 200)) is None


def test_nothing_to_compare_is_an_outcome_too():
    found = run_job(
        Job(table=pa.table({"id": ["1"], "name": ["Ann"], "gold": ["x"]}), config=ResolveConfig(truth="gold"))
    )
    assert found.calibration is None
    assert json.loads(json.dumps(summary(found)))["entities"] == 1


# Telling and writing.


def test_the_summary_is_json(outcome):
    found = json.loads(json.dumps(summary(outcome)))
    assert found["rows"] == 200
    assert found["entities"] == outcome.resolution.clustering.n_entities
    assert found["interval"][0] <= found["interval"][1]
    assert set(found["fields"]) == {field.name for field in outcome.resolution.fields.fields}
    assert {"kind", "reason"} == set(found["fields"]["surname"])
    assert found["metrics"]["b3"]["f1"] > 0.8
    assert found["calibration_error"] == outcome.calibration
    assert found["seconds"]["total"] >= sum(v for k, v in found["seconds"].items() if k != "total") - 0.01
    assert found["peak_mb"] > 10
    assert found["seed"] == 0
    assert found["candidates"] == len(outcome.resolution.weighed.candidates)
    assert found["samples"] == 20
    assert found["interrupted"] is False
    assert found["hot_features"] >= 0


# Stopping and going on.


def test_a_stopped_job_goes_on_to_the_same_answer(tmp_path, people, outcome):
    job = outcome.job
    stopped = run_job(job, stop=StopAfter(16))
    assert summary(stopped)["interrupted"]
    assert summary(stopped)["samples"] == stopped.resolution.n_samples == 6
    write_outcome(stopped, tmp_path / "out.csv")
    whole = run_job(job, resume=read_resume(job, tmp_path / "out.csv.resume.npz"))
    assert whole.resolution.checkpoint is None
    assert whole.resolution.pairs().equals(outcome.resolution.pairs())
    assert whole.resolution.memberships.equals(outcome.resolution.memberships)
    assert whole.resolution.weights().equals(outcome.resolution.weights())


def test_another_job_is_not_resumed(tmp_path, people):
    job = Job(table=people, config=SHORT)
    write_outcome(run_job(job, stop=StopAfter(12)), tmp_path / "out.csv")
    path = tmp_path / "out.csv.resume.npz"
    with pytest.raises(DataError, match="another table"):
        read_resume(Job(table=people.slice(1), config=SHORT), path)
    with pytest.raises(SettingsError, match=r"other settings: .*seed was 0 and is 1"):
        read_resume(Job(table=people, config=ResolveConfig(samples=20, burn_in=10, seed=1)), path)
    with pytest.raises(SettingsError, match=r"kinds.city was None and is 'text'"):
        read_resume(Job(table=people, config=replace(SHORT, kinds={"city": "text"})), path)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(DataError, match="was stopped by Onoma"):
        patch.setattr("onoma.__version__", "99.0")
        read_resume(job, path)
    with pytest.raises(DataError, match="nothing to resume"):
        read_resume(job, tmp_path / "other.resume.npz")
    path.write_bytes(b"something else")
    with pytest.raises(DataError, match="not the file of a stopped run"):
        read_resume(job, path)


# Settings.


def test_settings_that_repeat_a_job(people):
    assert job_settings(Job(table=people)) == "seed = 0\n"
    config = ResolveConfig(
        source="city",
        link=True,
        exclude=("phone",),
        also_compare=(("surname", "state"),),
        kinds={"street": "text"},
        merge_cost=0.7,
        samples=10,
    )
    assert tomllib.loads(job_settings(Job(table=people, config=config))) == {
        "source": "city",
        "link": True,
        "exclude": ["phone"],
        "also_compare": [["surname", "state"]],
        "merge_cost": 0.7,
        "seed": 0,
        "samples": 10,
        "kinds": {"street": "text"},
    }


def test_several_files_need_no_source_in_the_settings(tmp_path):
    paths = [write(tmp_path / f"{name}.csv", "id,name\n1,Ann\n2,Bob\n") for name in "ab"]
    assert job_settings(read_job(paths, ResolveConfig(link=True))) == "link = true\nseed = 0\n"


def test_the_recall_of_blocking_is_estimated_on_request_and_timed(people, monkeypatch):
    """It takes a while, so it is a stage of its own, and nobody computes it while printing."""
    told = run_job(Job(table=people, config=SHORT))
    assert told.recall is not None and told.seconds["blocking recall"] > 0
    assert summary(told)["canopy_recall"] is not None
    monkeypatch.setattr("onoma.resolve.quality.recall.estimate_recall", lambda *_: pytest.fail("nobody asked"))
    quiet = run_job(Job(table=people, config=SHORT), recall=False)
    assert quiet.recall is None and "blocking recall" not in quiet.seconds
    assert summary(quiet)["canopy_recall"] is None
    stopped = run_job(Job(table=people, config=SHORT), stop=StopAfter(12))
    assert stopped.resolution.is_stopped and stopped.recall is None, "who stops it, waits for the answer"


def test_a_map_of_columns_is_a_setting_like_any_other(tmp_path):
    """It stands in the file of settings and in the stored job, and next week's file is read by it."""
    one = [{"id": f"a{i}", "title": f"The tale of {name}", "price": i} for i, name in enumerate(NAMES)]
    two = [{"id": f"b{i}", "q7": f"The tale of {name}", "price": i} for i, name in enumerate(NAMES)]
    paths = []
    for name, rows in (("one", one), ("two", two), ("three", [{"id": "c0", "q7": "The tale of Ann", "price": 0}])):
        paths.append(tmp_path / f"{name}.csv")
        write_table(pa.Table.from_pylist(rows), paths[-1])
    config = ResolveConfig(map={"title": "q7"}, model="exact-match", exclude=("source",))
    job = read_job(paths[:2], config)
    assert "q7" not in job.table.column_names and [each.column for each in job.aligned] == ["q7"]
    assert 'title = "q7"' in job_settings(job)
    store_outcome(run_job(job), tmp_path / "kb.duckdb")
    update_knowledge_base(tmp_path / "kb.duckdb", [paths[2]])
    with read_knowledge_base(tmp_path / "kb.duckdb") as base:
        assert base.value("SELECT count(*) FROM records WHERE title = 'The tale of Ann'") == 3
    with pytest.raises(SettingsError, match="--map is for several files"):
        read_job(paths[:1], config)
    linked = onoma.link(one, two, map={"title": "q7"}, model="copying", samples=10, seed=1)
    assert "q7" not in linked.columns


NAMES = ("Ann", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gus", "Hal")


def test_the_checks_are_told_and_can_be_left_out(people, outcome):
    told = json.loads(json.dumps(summary(outcome)))
    assert told["calibrated"] is outcome.quality.calibrated
    assert told["quality"]["precision"]["low"] <= told["quality"]["precision"]["estimate"] <= 1.0
    assert told["interval"] == told["quality"]["entities"] and "checks" in told["seconds"]
    assert {"true_of_sure_checked", "calibration_error_unchecked"} <= set(told["stated"])
    plain = run_job(replace(outcome.job, config=replace(outcome.job.config, no_check=True)), recall=False)
    assert plain.quality is None and "quality" not in summary(plain)
    assert np.array_equal(plain.resolution.clustering.labels, outcome.resolution.clustering.labels)


def test_a_review_budget_leaves_out_and_asks(outcome):
    found = run_job(replace(outcome.job, config=replace(outcome.job.config, review_budget=3)), recall=False)
    told = json.loads(json.dumps(summary(found)))["review"]
    assert len(told["questions"]) <= 3 and told["rows_left_out"] == int(found.resolution.review.left_out.sum())
    assert "left_out" in found.resolution.memberships.column_names and "review" in found.resolution.tables()
