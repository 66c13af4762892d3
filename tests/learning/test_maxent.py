import json

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from onoma.errors import ConvergenceWarning, DataError, SettingsError
from onoma.learning.maxent import CandidateMaxEnt, MaxEnt
from onoma.learning.solvers import Plan

NAMES = ["bias", "purrs", "barks"]
X = sp.csr_array([[1.0, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [1, 1, 1]])
LABELS = ["cat", "cat", "dog", "dog", "cat"]


def test_probabilities_are_those_of_the_weights(make_samples):
    features, y = make_samples(0)
    model = MaxEnt(variance=2.0).fit(features, y)
    scores = features.toarray() @ model.weights_
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(features)), expected)
    assert model.predict(features) == expected.argmax(axis=1).tolist()
    assert model.log_likelihood(features, y) == pytest.approx(np.log(expected[np.arange(40), y]).sum())


@pytest.mark.parametrize("solver", ["cd", "scgis", "lbfgs"])
@pytest.mark.parametrize("pairs", ["all", "seen"])
def test_weighted_features_reach_the_optimum_and_stay_as_they_are(solver, pairs):
    # Values that differ, in rows whose features are not in order of frequency; the reference sees a dense copy.
    rng = np.random.default_rng(3)
    dense = rng.gamma(1.0, size=(300, 60)) * (rng.random((300, 60)) < 0.15)
    y = (dense @ rng.normal(size=(60, 4)) + rng.gumbel(size=(300, 4))).argmax(axis=1)
    features = sp.csr_array(dense)
    model = MaxEnt(
        variance=2.0, solver=solver, pairs=pairs, plan=Plan(solver=solver, tolerance=1e-7, max_iterations=5000)
    )
    model.fit(features, y)
    np.testing.assert_array_equal(features.toarray(), dense)
    weights = model.weights_ if pairs == "all" else model.weights_.toarray()
    free = np.ones((60, 4)) if pairs == "all" else (dense.T @ np.eye(4)[y] > 0)
    best = minimize(_objective, np.zeros(240), args=(dense, y, 2.0, free), jac=True, method="BFGS").x.reshape(60, 4)
    np.testing.assert_allclose(weights, best * free, atol=5e-3)


def _objective(flat, dense, y, variance, free):
    """The objective and its gradient, by the definition, on dense arrays; weights that are not free are 0."""
    w = flat.reshape(free.shape) * free
    scores = dense @ w
    top = scores.max(axis=1, keepdims=True)
    log_t = top[:, 0] + np.log(np.exp(scores - top).sum(axis=1))
    truth = np.eye(free.shape[1])[y]
    value = log_t.sum() - (scores * truth).sum() + (w * w).sum() / (2 * variance)
    slope = dense.T @ (np.exp(scores - log_t[:, None]) - truth) + w / variance
    return value, (slope * free).ravel()


def test_counts_are_repetitions():
    counts = np.array([2.0, 0.0, 1.0, 3.0, 1.0])
    repeated = np.repeat(np.arange(5), counts.astype(int))
    plan = Plan(tolerance=1e-9)
    weighted = MaxEnt(plan=plan).fit(X, LABELS, counts=counts)
    plain = MaxEnt(plan=plan).fit(X[repeated], [LABELS[i] for i in repeated])
    np.testing.assert_allclose(weighted.weights_, plain.weights_, atol=1e-4)


def test_agrees_with_the_moments_it_was_given():
    # At the optimum, expected and observed counts differ by the weights over the variance.
    model = MaxEnt(variance=4.0, plan=Plan(tolerance=1e-12)).fit(X, LABELS)
    expected = X.T @ np.exp(model.predict_log_proba(X))
    observed = X.T @ np.array([[label == "cat", label == "dog"] for label in LABELS]).astype(float)
    np.testing.assert_allclose(observed - expected, model.weights_ / 4.0, atol=1e-5)


@pytest.mark.parametrize("pairs", ["all", "seen"])
def test_top_features_and_round_trip(tmp_path, pairs):
    model = MaxEnt(pairs=pairs).fit(X, LABELS, feature_names=NAMES)
    assert model.top_features("dog", 1)[0][0] == "barks"
    assert [name for name, _ in model.top_features("cat")][0] == "purrs"
    model.save(tmp_path / "model")
    again = MaxEnt.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_log_proba(X), model.predict_log_proba(X))
    assert again.top_features("dog") == model.top_features("dog")
    assert (again.classes_, again.is_converged_, again.gap_) == (model.classes_, True, model.gap_)
    assert json.loads((tmp_path / "model" / "model.json").read_text())["kind"] == "maxent"


def test_round_trip_without_names_or_penalty(tmp_path):
    model = MaxEnt(variance=np.inf).fit([[1.0, 0], [1, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    model.save(tmp_path)
    again = MaxEnt.load(tmp_path)
    assert again.penalty == model.penalty
    assert again.feature_names_ is None
    assert again.top_features(0, 1)[0][0] in ("0", "1")


def test_seen_pairs_have_sparse_weights():
    model = MaxEnt(pairs="seen").fit(X[:4], LABELS[:4])
    assert model.weights_.nnz == 4
    assert model.weights_.toarray()[1, 1] == 0.0
    np.testing.assert_allclose(model.scores(X), X @ model.weights_.toarray())


def test_warm_start_continues():
    model = MaxEnt(plan=Plan(tolerance=1e-9)).fit(X, LABELS)
    assert len(model.trace_) > 1
    assert len(model.fit(X, LABELS, warm=True).trace_) == 1
    with pytest.raises(DataError, match="warm"):
        model.fit(X[:, :2], LABELS, warm=True)
    with pytest.raises(SettingsError, match="never fitted"):
        MaxEnt().fit(X, LABELS, warm=True)


def test_evidence_of_a_fit():
    model = MaxEnt(plan=Plan(tolerance=1e-6)).fit(X, LABELS)
    assert model.is_converged_
    assert model.gap_ <= 1e-6
    assert [point.iteration for point in model.trace_] == list(range(1, len(model.trace_) + 1))
    assert all(a.seconds <= b.seconds for a, b in zip(model.trace_[:-1], model.trace_[1:], strict=True))
    assert model.objective_ == model.trace_[-1].objective


def test_stopping_early_warns_with_the_numbers():
    with pytest.warns(ConvergenceWarning, match=r"cd stopped after 1 iterations.*tolerance is 1e-12"):
        MaxEnt(plan=Plan(tolerance=1e-12, max_iterations=1)).fit(X, LABELS)


def test_one_class_is_certain():
    for solver in ("cd", "gis", "lbfgs"):
        model = MaxEnt(solver=solver).fit(X, ["cat"] * 5)
        assert model.is_converged_
        np.testing.assert_allclose(model.predict_log_proba(X), 0.0, atol=1e-12)
        np.testing.assert_allclose(model.weights_, 0.0, atol=1e-12)


def test_a_class_without_samples_becomes_improbable():
    model = MaxEnt(variance=10.0).fit(X, LABELS, classes=["cow", "cat", "dog"])
    assert (model.predict_log_proba(X)[:, 0] < np.log(0.1)).all()
    with pytest.raises(DataError, match="'cow' has no samples"):
        MaxEnt(variance=np.inf).fit(X, LABELS, classes=["cow", "cat", "dog"])


def test_a_feature_that_never_fires_weighs_nothing():
    wide = sp.csr_array(sp.hstack([X, sp.csr_array((5, 2))]))
    for pairs in ("all", "seen"):
        model = MaxEnt(pairs=pairs).fit(wide, LABELS)
        assert np.abs(np.asarray(model.weights_[3:].sum())).item() == 0.0
        np.testing.assert_allclose(
            model.predict_log_proba(wide), MaxEnt(pairs=pairs).fit(X, LABELS).predict_log_proba(X)
        )


def test_stored_zeros_are_absent():
    stored = sp.csr_array((np.array([1.0, 0.0, 1.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    plain = sp.csr_array(np.array([[1.0, 0], [1, 0]]))
    for solver in ("cd", "scgis", "gis", "iis"):
        ours, theirs = (MaxEnt(solver=solver).fit(m, ["a", "b"]).predict_log_proba(plain) for m in (stored, plain))
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[np.nan, 1.0]] * 2}, "not finite"),
        ({"X": [[np.inf, 1.0]] * 2}, "row 1"),
        ({"counts": [-1.0, 1.0]}, "row 1"),
        ({"counts": [0.0, 0.0]}, "nothing to learn"),
        ({"counts": [1.0]}, "one per sample"),
        ({"labels": ["a"]}, "equally many"),
        ({"classes": ["a"]}, "row 2: the label 'b'"),
        ({"classes": ["a", "b", "b"]}, "named twice"),
        ({"feature_names": ["only"]}, "names"),
        ({"X": np.zeros((0, 2)), "labels": []}, "no samples"),
    ],
)
def test_bad_data_are_refused(change, message):
    data = {"X": [[1.0, 0.0], [0.0, 1.0]], "labels": ["a", "b"], "counts": None} | change
    with pytest.raises(DataError, match=message):
        MaxEnt().fit(data.pop("X"), data.pop("labels"), **data)


def test_labels_unseen_in_training_are_refused():
    model = MaxEnt().fit(X, LABELS)
    with pytest.raises(DataError, match="row 2: the label 'cow' is none of the 2 classes"):
        model.log_likelihood(X[:2], ["cat", "cow"])
    with pytest.raises(DataError, match="'cow'"):
        model.top_features("cow")


def test_other_features_are_refused():
    model = MaxEnt().fit(X, LABELS)
    with pytest.raises(DataError, match="2 features; this model was learnt from 3"):
        model.predict(X[:, :2])


def test_bad_settings_are_refused():
    with pytest.raises(SettingsError, match="pairs"):
        MaxEnt(pairs="some")
    with pytest.raises(SettingsError, match="solver"):
        MaxEnt(solver="sgd")
    with pytest.raises(SettingsError, match="give one of them"):
        MaxEnt(solver="gis", plan=Plan(solver="iis"))


def test_candidates_learn_what_marks_the_right_one():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 4)
    F = rng.normal(size=(240, 3))
    truth = np.array([2.0, -1.0, 0.0])
    chosen = np.zeros(240)
    rows = [4 * g + int(np.argmax(F[4 * g : 4 * g + 4] @ truth + rng.gumbel(size=4))) for g in range(60)]
    chosen[rows] = 1.0
    model = CandidateMaxEnt(variance=10.0).fit(F, groups, chosen)
    assert model.weights_[0] > 1.0 > -0.3 > model.weights_[1]
    log_proba = model.predict_log_proba(F, groups)
    np.testing.assert_allclose(np.exp(log_proba).reshape(60, 4).sum(axis=1), 1.0)
    best = model.predict(F, groups)
    assert (best == 4 * np.arange(60) + log_proba.reshape(60, 4).argmax(axis=1)).all()
    assert np.mean(best == rows) > 0.6


def test_candidate_groups_are_checked():
    with pytest.raises(DataError, match="stand apart"):
        CandidateMaxEnt().fit(np.eye(3), [0, 1, 0], [1, 0, 0])
    with pytest.raises(DataError, match="equally many"):
        CandidateMaxEnt().fit(np.eye(3), [0, 1], [1, 0, 0])
    model = CandidateMaxEnt().fit(np.eye(2), [0, 0], [1, 0])
    with pytest.raises(DataError, match="3 features"):
        model.predict_log_proba(np.eye(3), [0, 0, 0])
