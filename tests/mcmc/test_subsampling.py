import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc._subsampling_kernels import interval_width, sample_size, wants_more
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.inference import sample
from onoma.mcmc.subsampling import Adaptive, Confidence, Exact, Uniform, estimate
from onoma.numerics.rng import stream


@pytest.mark.parametrize(("n", "p", "size"), [(100, 0.2, 20), (10, 0.01, 1), (5, 0.5, 3), (7, 1.0, 7), (1, 0.3, 1)])
def test_a_proportion_is_rounded_and_at_least_one(n, p, size):
    assert sample_size(n, p) == size
    assert estimate(Uniform(p), n, float, stream(0)).n_scored == size


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=20), st.integers(0, 30))
@settings(max_examples=50, deadline=None)
def test_the_interval_is_the_papers(scores, extra):
    n, k = len(scores) + extra, len(scores)
    squares = float(np.sum((np.array(scores) - np.mean(scores)) ** 2))
    width = 2 * 1.96 * np.std(scores, ddof=1) / np.sqrt(k) * np.sqrt((n - k) / max(1, n - 1))
    assert interval_width(squares, k, n, 1.96) == pytest.approx(width, abs=1e-9)


def test_drawing_stops_when_the_interval_is_narrow_and_no_sooner():
    scores = stream(1).normal(size=200)
    seen = []

    def score(k):
        seen.append(scores[k])
        return float(scores[k])

    found = estimate(Confidence(0.5), 200, score, stream(2))

    def width(k):
        return 2 * 1.96 * np.std(seen[:k], ddof=1) / np.sqrt(k) * np.sqrt((200 - k) / 199)

    assert found.n_scored == len(seen)
    assert width(len(seen)) < 0.5
    assert all(width(k) >= 0.5 for k in range(2, len(seen)))
    assert found.total == pytest.approx(200 * np.mean(seen))


def test_a_narrow_interval_looks_at_everything_once_and_is_exact():
    scores = stream(1).normal(size=50)
    found = estimate(Confidence(1e-12), 50, lambda k: float(scores[k]), stream(2))
    assert found.n_scored == 50
    assert found.total == pytest.approx(scores.sum())


def test_the_minimum_guards_against_equal_first_scores():
    few = estimate(Confidence(0.1), 1000, lambda k: float(k % 10 == 0), stream(3))
    more = estimate(Confidence(0.1, minimum=100), 1000, lambda k: float(k % 10 == 0), stream(3))
    assert few.n_scored == 2
    assert more.n_scored >= 100


@pytest.mark.parametrize("strategy", [Uniform(0.2), Confidence(2.0)], ids=str)
def test_estimates_are_centred_on_the_sum(strategy):
    scores, rng = stream(4).normal(0.3, 1.0, size=60), stream(5)
    totals = [estimate(strategy, 60, lambda k: float(scores[k]), rng).total for _ in range(4000)]
    error = np.std(totals) / np.sqrt(len(totals))
    # A stopping rule that looks at the variance shifts the mean a little for skewed scores: these are symmetric.
    assert np.mean(totals) == pytest.approx(scores.sum(), abs=5 * error)


def test_adaptive_grows_to_exact_and_stays():
    proportions = Adaptive(100, start=0.01).proportions(0, 200)
    assert proportions[0] == 0.01
    assert proportions[50] == pytest.approx(0.1)
    assert (np.diff(proportions[:101]) > 0).all()
    assert (proportions[100:] == 1.0).all()
    assert Adaptive(100, start=0.01).proportions(50, 3) == pytest.approx(proportions[50:53])


def test_all_strategies_look_at_everything_there_is_at_most():
    for strategy in (Exact(), Uniform(1.0), Confidence(1e-9)):
        assert not wants_more(strategy.plan(), 1.0, 5, 5, 1.0)


def star(n, seed, scale):
    """One binary variable with n unary factors; return the graph and p(1)."""
    scores = stream(seed).normal(0.5, 1.0, size=n) * scale
    graph = FactorGraph()
    graph.variable("label", [0, 1])
    graph.factors([["label"]] * n, np.stack([np.zeros(n), scores], axis=1))
    return graph.compile(), 1 / (1 + np.exp(-scores.sum()))


def test_the_bias_of_sampled_factors_is_what_the_noise_predicts():
    """E σ(ψ_S) by drawing S directly, which is the marginal a Gibbs chain on one variable must show."""
    graph, truth = star(100, 7, 0.05)
    scores = graph.arrays.cells.reshape(-1, 2)[:, 1]
    rng = stream(8)
    estimates = np.array([100 * rng.choice(scores, 10, replace=False).mean() for _ in range(40_000)])
    predicted = np.mean(1 / (1 + np.exp(-estimates)))
    found = sample(graph, Gibbs(scoring=Uniform(0.1)), seed=1, n_samples=40_000, n_chains=1).probability("label", 1)
    assert abs(truth - predicted) > 0.01
    assert found == pytest.approx(predicted, abs=0.01)


def test_bad_settings_are_refused():
    for make in (lambda: Uniform(0.0), lambda: Uniform(1.5), lambda: Adaptive(10, start=0.0), lambda: Adaptive(0)):
        with pytest.raises(SettingsError):
            make()
    for make in (lambda: Confidence(0.0), lambda: Confidence(1.0, z=-1.0), lambda: Confidence(1.0, minimum=1)):
        with pytest.raises(SettingsError):
            make()
