import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.learning.bounds import bound, log_probabilities
from reference import learning_maxent as reference


@st.composite
def worlds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = tuple(draw(st.integers(low, 4)) for low in (1, 2, 1))
    features = rng.exponential(size=shape) * (rng.random(shape) < 0.7)
    if draw(st.booleans()):
        features = (features > 0).astype(float)
    chosen = rng.integers(0, 4, shape[:2]).astype(float)
    w = rng.normal(size=shape[2]) * draw(st.sampled_from([0.1, 1.0, 3.0]))
    return features, chosen, w, draw(st.integers(0, shape[2] - 1)), draw(st.floats(-2, 2))


@given(worlds())
@settings(max_examples=150, deadline=None)
def test_tighter_bounds_are_lower(world):
    features, chosen, w, t, z = world
    a = {kind: bound(kind, z, t, features, chosen, w, variance=10.0) for kind in ("cd", "scgis", "iis", "gis")}
    slack = 1e-9 * (1 + max(map(abs, a.values())))
    assert a["cd"] <= a["scgis"] + slack
    assert a["scgis"] <= a["gis"] + slack
    assert a["cd"] <= a["iis"] + slack
    assert a["iis"] <= a["gis"] + slack


@given(worlds())
@settings(max_examples=60, deadline=None)
def test_cd_is_the_change_of_the_objective(world):
    features, chosen, w, t, z = world
    moved = w.copy()
    moved[t] += z
    change = reference.objective(features, chosen, moved, variance=3.0) - reference.objective(
        features, chosen, w, variance=3.0
    )
    assert bound("cd", z, t, features, chosen, w, variance=3.0) == pytest.approx(change, abs=1e-9, rel=1e-9)


@given(worlds(), st.sampled_from(["cd", "scgis", "iis", "gis"]))
@settings(max_examples=60, deadline=None)
def test_every_bound_touches_the_objective_at_zero(world, kind):
    features, chosen, w, t, _ = world
    assert bound(kind, 0.0, t, features, chosen, w, variance=10.0) == pytest.approx(0.0, abs=1e-12)
    h = 1e-6
    slope = (
        bound(kind, h, t, features, chosen, w, variance=10.0) - bound(kind, -h, t, features, chosen, w, variance=10.0)
    ) / (2 * h)
    exact = reference.gradient(features, chosen, w, variance=10.0)[t]
    assert slope == pytest.approx(exact, abs=1e-4 * (1 + abs(exact)))


def test_log_probabilities_are_normalised():
    log_p = log_probabilities(np.random.default_rng(0).normal(size=(4, 3, 2)), np.array([1.0, 1000.0]))
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1.0)


def test_unknown_bound():
    with pytest.raises(SettingsError, match="scgis"):
        bound("newton", 0.0, 0, np.ones((1, 2, 1)), np.ones((1, 2)), np.zeros(1), variance=1.0)
