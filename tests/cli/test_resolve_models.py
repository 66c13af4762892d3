"""The models, labels and weights of `onoma resolve`."""

import json
import signal
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from onoma.corpus.readers.table import read_table
from onoma.resolve.models.hierarchical.run import _Growth


@pytest.fixture
def people(onoma):
    """A table of people in the folder where the command runs."""
    assert onoma("simulate people 150 --seed 2 -o people.csv -q").code == 0
    return "people.csv"


@pytest.mark.parametrize("model", ["pairwise", "correlation", "exact-match"])
def test_every_model_writes_all_tables(onoma, people, model):
    ran = onoma(f"resolve {people} --truth cluster_id --model {model} -o out --json")
    assert ran.code == 0, ran.err
    assert ran.json["metrics"]["b3"]["f1"] > 0.5
    for name in ("memberships", "entities", "pairs"):
        assert read_table(f"out/{name}.parquet").table.num_rows > 0
    assert Path("out/weights.parquet").exists() == (model != "exact-match")  # which weighs nothing


def test_labels_are_learnt_from_and_are_no_evidence(onoma, people):
    for model in ("copying", "pairwise"):
        ran = onoma(f"resolve {people} --labels cluster_id --truth cluster_id --model {model} --json")
        assert ran.code == 0, ran.err
        assert ran.json["metrics"]["b3"]["f1"] > 0.9
        assert "cluster_id" not in ran.json["fields"]


def test_the_weights_of_one_run_serve_another(onoma, people):
    assert onoma(f"resolve {people} -o out -q").code == 0
    ran = onoma(f"resolve {people} --weights out/weights.parquet --truth cluster_id --json")
    assert ran.code == 0, ran.err
    assert "weights" in ran.json["seconds"]
    # Given weights know no relatives, so they join more than the run that learnt them (B³ .87 here).
    assert ran.json["metrics"]["b3"]["f1"] > 0.8


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--model magic", "there is no model 'magic'"),
        ("--labels shoes", "no column 'shoes'"),
        ("--labels cluster_id --weights w.json", "not both"),
    ],
)
def test_what_cannot_be_is_said(onoma, people, tmp_path, options, said):
    (tmp_path / "w.json").write_text('{"fields": {}}', "utf-8")
    ran = onoma(f"resolve {people} {options}")
    assert ran.code != 0
    assert said in ran.err


def test_trees_are_told_shown_and_drawn(onoma, tmp_path):
    onoma("simulate authors 400 --seed 2 -o authors.csv")
    resolved = onoma("resolve authors.csv -o authors.duckdb --json")
    assert resolved.json["model"] == "hierarchical"
    assert any("the model is hierarchical" in note for note in resolved.json["notes"])
    explained = onoma("explain authors.duckdb e1 --picture tree.svg")
    assert " records " in explained.out
    ElementTree.parse(tmp_path / "tree.svg")
    told = onoma("explain authors.duckdb e1 --json").json
    assert told["tree"]["size"] > 1
    assert onoma("explain authors.duckdb nobody").code == 1
    onoma("resolve authors.csv -o out")
    assert 'id="trees"' in (tmp_path / "out/report.html").read_text("utf-8")


def test_trees_are_stopped_and_not_resumed(onoma, monkeypatch):
    real, seen = _Growth._round, []

    def press(self, k, temperature):
        seen.append(k)
        if len(seen) == 1:
            signal.raise_signal(signal.SIGINT)
        return real(self, k, temperature)

    monkeypatch.setattr(_Growth, "_round", press)
    onoma("simulate authors 300 --seed 2 -o authors.csv")
    ran = onoma("resolve authors.csv --model hierarchical -o out")
    assert ran.code == 130
    assert "stopping after" in ran.err
    told = "this is the answer of the rounds so far; this cannot be resumed: the same command begins anew"
    assert f"stopped early: {told}" in ran.out
    assert json.loads(Path("out/summary.json").read_text("utf-8"))["interrupted"]
    assert "stopped early" in Path("out/report.html").read_text("utf-8")
