import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError, SettingsError
from onoma.learning.perceptron import Perceptron
from onoma.numerics.rng import stream
from reference.learning_perceptron import averaged_perceptron


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.0, 1.5]), st.booleans())
@settings(max_examples=30, deadline=None)
def test_equals_the_literal_average(seed, n_classes, margin, binary):
    rng = np.random.default_rng(seed)
    X = (rng.random((15, 4)) < 0.5).astype(float) * (1.0 if binary else rng.normal(size=(15, 4)))
    y, counts = rng.integers(0, n_classes, 15), rng.integers(1, 3, 15).astype(float)
    model = Perceptron(n_epochs=3, margin=margin, seed=seed).fit(X, y, counts=counts, classes=list(range(n_classes)))
    orders = [stream(seed, "perceptron", epoch).permutation(15) for epoch in range(3)]
    mean, last, changes = averaged_perceptron(X, y, n_classes, orders, margin=margin, counts=counts)
    np.testing.assert_allclose(model.weights_, mean, atol=1e-9)
    assert model.n_changes_ == changes
    plain = Perceptron(n_epochs=3, margin=margin, seed=seed, averaged=False)
    np.testing.assert_allclose(plain.fit(X, y, counts=counts, classes=list(range(n_classes))).weights_, last, atol=1e-9)


def test_separable_data_are_learnt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    labels = np.where(X @ np.array([1.0, -2, 0, 0.5, 1]) > 0, "yes", "no")
    margin = np.abs(X @ np.array([1.0, -2, 0, 0.5, 1])) > 0.3
    model = Perceptron(n_epochs=50, seed=3).fit(X[margin], labels[margin])
    assert model.n_changes_[-1] == 0
    assert model.predict(X[margin]) == labels[margin].tolist()


def test_round_trip(tmp_path):
    model = Perceptron(n_epochs=2, seed=5).fit(np.eye(3), ["a", "b", "a"])
    model.save(tmp_path)
    again = Perceptron.load(tmp_path)
    np.testing.assert_array_equal(again.scores(np.eye(3)), model.scores(np.eye(3)))
    assert vars(again).keys() == vars(model).keys()
    assert (again.classes_, again.n_changes_, again.seed) == (model.classes_, model.n_changes_, 5)


def test_one_class_needs_no_weights():
    model = Perceptron().fit(np.eye(2), ["a", "a"])
    assert model.n_changes_ == [0] * 5
    assert model.predict(np.eye(2)) == ["a", "a"]


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="equally many"):
        Perceptron().fit(np.eye(2), ["a"])
    with pytest.raises(DataError, match="not finite"):
        Perceptron().fit([[np.nan]], ["a"])
    with pytest.raises(DataError, match="no samples"):
        Perceptron().fit(np.zeros((0, 1)), [])
    with pytest.raises(DataError, match="3 features"):
        Perceptron().fit(np.eye(2), ["a", "b"]).predict(np.eye(3))
    with pytest.raises(SettingsError):
        Perceptron(n_epochs=0)
