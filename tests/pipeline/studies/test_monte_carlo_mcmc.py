import json

import numpy as np
import pytest

from onoma.graph.exact import solve
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.subsampling import Confidence, Exact, Uniform
from onoma.pipeline.reproduce import Context, reproduce
from onoma.pipeline.studies.monte_carlo_mcmc import PROPORTIONS, SETTINGS, WIDTHS, Series, measure, stars


@pytest.fixture(scope="module")
def models():
    return stars(40, 100, 1, is_spread=True)


def test_the_papers_settings_are_all_there():
    assert PROPORTIONS == (0.75, 0.5, 0.2, 0.1)
    assert WIDTHS == (0.001, 0.005, 0.01, 0.05, 0.1)
    assert len(SETTINGS) == 11


def test_marginals_are_as_wanted_and_as_solved(models):
    probabilities = np.array([model.probability for model in models])
    assert probabilities.min() > 0.05
    assert probabilities.max() < 0.95
    assert np.diff(probabilities) == pytest.approx(0.9 / 40)
    for model in models[::10]:
        assert solve(model.graph).probabilities[0][1] == pytest.approx(model.probability)


def test_the_literal_models_are_saturated():
    probabilities = np.array([model.probability for model in stars(20, 100, 1, is_spread=False)])
    assert (probabilities > 1 - 1e-9).all()


def test_sampling_wins_three_times_over_and_extremes_never_arrive(models):
    reached = {}
    for scoring in (Exact(), Uniform(0.2), Confidence(0.01), Confidence(0.1), Poisson()):
        reached[scoring] = measure(models, "", scoring, budget=60_000, seed=3).reached(0.05)
    assert reached[Exact()] > 3 * min(reached[Uniform(0.2)], reached[Confidence(0.01)])
    assert reached[Exact()] > 10 * reached[Poisson()]
    assert reached[Confidence(0.1)] == float("inf")


def test_the_bias_is_seen_where_there_is_some(models):
    found = {s: measure(models, "", s, budget=300_000, seed=3) for s in (Exact(), Uniform(0.1), Poisson())}
    assert found[Uniform(0.1)].bias > 5 * found[Uniform(0.1)].bias_error
    for unbiased in (Exact(), Poisson()):
        assert abs(found[unbiased].bias) < 4 * found[unbiased].bias_error


@pytest.mark.parametrize(
    ("error", "expected"),
    [([0.4, 0.06, 0.04, 0.03], 10**1.5), ([0.4, 0.04, 0.06, 0.1], np.inf), ([0.04, 0.03, 0.02, 0.01], 1.0)],
)
def test_an_error_is_reached_where_it_stays_reached(error, expected):
    series = Series("", 10.0 ** np.arange(4), np.array(error), np.zeros(4), 0.0, 0.0)
    assert series.reached(0.05) == pytest.approx(expected)


def test_an_error_not_measured_yet_is_not_reached():
    series = Series("", 10.0 ** np.arange(4), np.array([np.nan, np.nan, 0.04, 0.01]), np.zeros(4), 0.0, 0.0)
    assert series.reached(0.05) == 100.0


def test_the_study_leaves_rows_and_pictures(tmp_path):
    findings = reproduce("monte-carlo-mcmc/marginals", Context(quick=True), out=tmp_path)
    kept = json.loads((tmp_path / "monte-carlo-mcmc-marginals.json").read_text("utf-8"))
    assert {row["setting"] for row in kept["rows"]} == {
        f"{s} {name}" for s in ("literal", "unsaturated") for name in SETTINGS
    }
    assert (tmp_path / "monte-carlo-mcmc-marginals.png").stat().st_size > 10_000
    assert "<html" in (tmp_path / "monte-carlo-mcmc-marginals.html").read_text("utf-8").lower()
    assert len(findings.notes) == 3
    assert all(np.isfinite(row.ours) for row in findings.rows)
