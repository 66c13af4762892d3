"""The reference scorer of the CoNLL shared tasks: its test cases, and what it prints on larger files."""

import csv

import pytest

from onoma.corpus.readers.conll2012 import read_conll2012
from onoma.evaluate.align import clusterings_from_corpora
from onoma.evaluate.report import evaluate
from onoma.pipeline.reproduce import Context, reproduce

pytestmark = pytest.mark.data

NAMES = {"mentions": "mentions", "muc": "muc", "bcub": "b3", "ceafm": "ceafm", "ceafe": "ceafe"}
FOLDER = "text/conll-scorer-tests"


def rows(data, file):
    with (data / FOLDER / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@pytest.fixture(scope="module")
def measured(data):
    """Every measure of every pair of files, each pair read once."""
    found = {}
    for row in rows(data, "official_scorer_output.tsv"):
        pair = row["key"], row["response"]
        if pair not in found:
            paths = (data / FOLDER / file for file in pair)
            paths = (path if path.exists() else path.with_name(path.name + ".gz") for path in paths)
            gold, predicted, groups, _ = clusterings_from_corpora(*map(read_conll2012, paths))
            found[pair] = evaluate(gold, predicted, metrics=[*NAMES.values(), "blanc"], groups=groups)
    return found


def test_all_expected_triples_are_met(data, measured):
    expected = rows(data, "expected.tsv")
    assert len(expected) == 91
    for row in expected:
        name = NAMES.get(row["metric"], row["metric"])
        found = measured[row["key"], row["response"]].as_dict()[name]
        for part in ("precision", "recall", "f1"):
            assert found[part] == pytest.approx(float(row[part]), abs=1e-4), (row["id"], name, part)


def test_sums_are_those_that_the_scorer_prints(data, measured):
    printed = rows(data, "official_scorer_output.tsv")
    assert {row["id"] for row in printed} >= {"dev6-light", "dev6-heavy"}
    for row in printed:
        evaluation = measured[row["key"], row["response"]]
        if row["metric"] == "blanc":
            score = evaluation["blanc"]
            found = (score.recall, 1, score.precision, 1)
        else:
            links = {"blanc_coref_links": "coreferent", "blanc_noncoref_links": "separate"}.get(row["metric"])
            score = getattr(evaluation["blanc"], links) if links else evaluation[NAMES[row["metric"]]]
            found = (score.recall_num, score.recall_den, score.precision_num, score.precision_den)
        expected = [float(row[key]) for key in ("recall_num", "recall_den", "precision_num", "precision_den")]
        assert found == pytest.approx(expected, rel=1e-9), (row["id"], row["metric"])


def test_the_study_sets_them_side_by_side(data):
    findings = reproduce("coreference-scorer/cases", Context(data=data))
    assert len(findings.rows) == 3 * 91
    assert all(abs(row.ours - row.paper) < 1e-4 for row in findings.rows)
