import functools

import numpy as np
import pytest

from onoma.knowledge.types import Fit
from onoma.pipeline.reproduce import Context, reproduce
from onoma.pipeline.studies._sets import nyt
from onoma.pipeline.studies.knowledge import trescal
from onoma.pipeline.studies.knowledge._rescal_published import seconds_of_an_iteration
from reference.random_facts import random_facts, random_types

pytestmark = pytest.mark.data


@pytest.fixture(scope="module", autouse=True)
def read_once():
    """The studies share one knowledge base; it is read for the first of them."""
    read = trescal.read_knowledge_base
    read_from = functools.cache(lambda folder, name: read(Context(data=folder), name))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trescal, "read_knowledge_base", lambda context, name: read_from(context.data, name))
        yield


def rows(data, name):
    found = reproduce(f"trescal/{name}", Context(quick=True, data=data))
    return {(row.setting, row.metric): row.ours for row in found.rows}


def test_types_help_retrieval(data):
    found = rows(data, "table-2")
    with_check, without = (found[f"TRESCAL, {how} type check", "entity retrieval MAP"] for how in ("with", "without"))
    assert 0.0 < without < with_check < 100.0


@pytest.mark.parametrize("name", ["figure-3", "figure-4"])
def test_settings_are_drawn_as_curves(data, name):
    findings = reproduce(f"trescal/{name}", Context(quick=True, data=data))
    assert all(0.0 < row.ours < 100.0 for row in findings.rows)
    (chart,) = findings.charts.values()
    (drawn,) = chart.to_dict()["datasets"].values()
    assert len(drawn) == len(findings.rows) >= 4


def test_times_are_measured(data):
    found = rows(data, "speed")
    assert len(found) == 7
    assert all(value > 0.0 for value in found.values())


def test_systems_together_are_better_than_guessing(data, monkeypatch):
    monkeypatch.setattr(nyt, "FOLDS", 2)
    found = {setting: value for (setting, metric), value in rows(data, "table-3").items() if metric == "weighted MAP"}
    assert found["guessing"] < found["TRESCAL + pairs"]
    assert found["Mintz 2009"] == pytest.approx(0.56, abs=0.01)


def test_published_iterations_run_with_and_without_types():
    facts = random_facts(0)
    _, _, fit = random_types(0, facts)
    A = np.random.default_rng(0).normal(size=(12, 3))
    for how in (None, fit, Fit.everything(12, 3)):
        assert seconds_of_an_iteration(facts, how, A, 0.1, [0, 1, 2]) > 0.0
