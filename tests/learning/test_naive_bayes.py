from fractions import Fraction

import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.learning.naive_bayes import NaiveBayes

X = [[2, 0, 1], [1, 1, 0], [0, 3, 0], [0, 1, 1]]
LABELS = ["a", "a", "the", "the"]


def _exact(x, *, priors, smoothing=1):
    """P(c | x) in fractions."""
    counts = {"a": [3, 1, 1], "the": [0, 4, 1]}
    joint = {}
    for label, seen in counts.items():
        joint[label] = Fraction(priors[label])
        for f, times in enumerate(x):
            joint[label] *= Fraction(seen[f] + smoothing, sum(seen) + 3 * smoothing) ** times
    total = sum(joint.values())
    return [float(joint[label] / total) for label in ("a", "the")]


def test_equals_exact_arithmetic():
    model = NaiveBayes().fit(X, LABELS)
    for x in ([1, 0, 0], [0, 2, 1], [3, 3, 3], [0, 0, 0]):
        half = {"a": Fraction(1, 2), "the": Fraction(1, 2)}
        np.testing.assert_allclose(np.exp(model.predict_log_proba([x]))[0], _exact(x, priors=half))


@pytest.mark.parametrize("form", ["mapping", "sequence", "rows", "unnormalised"])
def test_priors_may_be_replaced(form):
    given = {
        "mapping": {"the": 0.25, "a": 0.75},
        "sequence": [0.75, 0.25],
        "rows": [[0.75, 0.25]],
        "unnormalised": [3, 1],
    }[form]
    priors = {"a": Fraction(3, 4), "the": Fraction(1, 4)}
    model = NaiveBayes(smoothing=2.0).fit(X, LABELS)
    ours = np.exp(model.predict_log_proba([[1, 1, 0]], priors=given))[0]
    np.testing.assert_allclose(ours, _exact([1, 1, 0], priors=priors, smoothing=2))


def test_each_row_may_have_its_own_priors():
    model = NaiveBayes().fit(X, LABELS)
    assert model.predict([[1, 1, 0]] * 2, priors=[[1.0, 0.0], [0.0, 1.0]]) == ["a", "the"]


def test_counting_in_pieces_and_with_weights():
    whole = NaiveBayes().fit(X, LABELS)
    pieces = NaiveBayes().fit(X[:3], LABELS[:3]).add(X[3:], LABELS[3:])
    np.testing.assert_array_equal(pieces.feature_counts_, whole.feature_counts_)
    np.testing.assert_array_equal(pieces.class_counts_, whole.class_counts_)
    doubled = NaiveBayes().fit(X, LABELS, counts=np.array([2.0, 2, 2, 2]))
    np.testing.assert_array_equal(doubled.feature_counts_, 2 * whole.feature_counts_)


def test_a_class_without_samples_waits_for_a_prior():
    model = NaiveBayes().fit(X, LABELS, classes=["a", "an", "the"])
    assert model.predict_log_proba([[1, 0, 0]])[0, 1] == -np.inf
    assert model.predict([[0, 0, 1]], priors={"an": 1.0}) == ["an"]


def test_one_class():
    np.testing.assert_array_equal(NaiveBayes().fit(X, ["a"] * 4).predict_log_proba(X), 0.0)


def test_round_trip(tmp_path):
    model = NaiveBayes(smoothing=0.5).fit(X, LABELS)
    model.save(tmp_path)
    np.testing.assert_array_equal(NaiveBayes.load(tmp_path).scores(X), model.scores(X))


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda m: m.fit([[-1.0]], ["a"]), "row 1: a feature occurs -1.0 times"),
        (lambda m: m.fit([[np.nan]], ["a"]), "not finite"),
        (lambda m: m.fit([[1.0]], ["a", "b"]), "equally many"),
        (lambda m: m.fit(X, LABELS).add(X, ["a", "a", "the", "an"]), "row 4: the label 'an'"),
        (lambda m: m.fit(X, LABELS).predict([[1.0]]), "1 features"),
        (lambda m: m.fit(X, LABELS).predict(X, priors=[1.0]), "shape"),
        (lambda m: m.fit(X, LABELS).predict(X, priors=[0.0, 0.0]), "not all 0"),
        (lambda m: m.fit(X, LABELS).predict(X, priors=[-1.0, 2.0]), "from 0 up"),
        (lambda m: m.fit(X, LABELS).predict(X, priors={"an": 1.0}), "'an'"),
        (lambda m: m.fit(X, LABELS, counts=np.array([1.0, -1, 1, 1])), "row 2"),
    ],
)
def test_bad_data_are_refused(work, message):
    with pytest.raises(DataError, match=message):
        work(NaiveBayes())


def test_smoothing_is_above_zero():
    with pytest.raises(SettingsError):
        NaiveBayes(smoothing=0.0)
