"""Naive Bayes from counts, with class priors that can be replaced at each call.

    log P(c | x) = log prior(c) + Σ_f x_f log P(f | c) − log Z,   P(f | c) = (N_cf + α) / (Σ_f N_cf + α m)

The likelihoods come from one body of text (what people write), the priors may come from another (what this writer
meant, given what she wrote): grammatical correction replaces them by the learners' confusion distribution, row by row.
Counts add up, so a model can be learnt in pieces and two models can be joined.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning.inputs import Labels, MatrixLike, as_counts, as_matrix, coded, find_classes
from onoma.learning.storage import load_model, save_model

__all__ = ["NaiveBayes"]

Floats = NDArray[np.float64]
Priors: TypeAlias = ArrayLike | Mapping[Any, float]
"""A number for each class, or a row of numbers for each row."""


class NaiveBayes:
    """Multinomial naive Bayes.

    Parameters
    ----------
    smoothing
        α, added to each count: above 0 so that an unseen feature does not rule a class out.

    Attributes
    ----------
    classes_
        The classes, sorted (or as given).
    class_counts_, feature_counts_
        How much was seen of each class, and of each class with each feature (classes × features).

    Examples
    --------
    >>> model = NaiveBayes().fit([[2, 0], [1, 1], [0, 3]], ["a", "a", "the"])
    >>> model.predict([[1, 1]])
    ['a']
    >>> model.predict([[1, 1]], priors={"a": 0.01, "the": 0.99})
    ['the']
    """

    def __init__(self, *, smoothing: float = 1.0) -> None:
        if not 0.0 < smoothing < np.inf:
            raise SettingsError(f"smoothing is {smoothing}; allowed are finite numbers above 0")
        self.smoothing = smoothing
        self.classes_: list[Any] = []
        self.class_counts_ = np.zeros(0)
        self.feature_counts_ = np.zeros((0, 0))

    def fit(
        self,
        X: MatrixLike,
        labels: Labels,
        *,
        counts: Floats | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Count.

        Parameters
        ----------
        X
            Samples × features: how often each feature occurs in each sample, from 0 up.
        labels
            The class of each sample.
        counts
            How often each sample occurs, from 0 up; default 1.
        classes
            All classes, in the order wanted; default those of the labels, sorted. A class without samples has prior 0
            and is never predicted unless the call gives it another prior.
        """
        self.classes_ = find_classes(labels, classes)
        self.class_counts_ = np.zeros(len(self.classes_))
        self.feature_counts_ = np.zeros((len(self.classes_), as_matrix(X).shape[1]))
        return self.add(X, labels, counts=counts)

    def add(
        self,
        X: MatrixLike,
        labels: Labels,
        *,
        counts: Floats | None = None,
    ) -> Self:
        """Count more samples of the same classes and features."""
        X = as_matrix(X)
        self._check(X)
        y, weights = coded(labels, self.classes_, n=X.shape[0]), as_counts(counts, X.shape[0])
        truth = sp.csr_array((weights, (y, np.arange(len(y)))), shape=(len(self.classes_), len(y)))
        self.class_counts_ = self.class_counts_ + np.bincount(y, weights, len(self.classes_))
        self.feature_counts_ = self.feature_counts_ + (truth @ X).toarray()
        return self

    def scores(self, X: MatrixLike, *, priors: Priors | None = None) -> Floats:
        """Return log prior(c) + Σ_f x_f log P(f | c) for each row and class.

        Parameters
        ----------
        X
            Rows × features.
        priors
            Default: as counted. Otherwise probabilities, or anything proportional to them: a number for each class (a
            sequence in the order of `classes_`, or a mapping) or a row of numbers for each row of X.
        """
        X = as_matrix(X)
        self._check(X)
        smoothed = self.feature_counts_ + self.smoothing
        log_likelihood = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        return np.asarray(X @ log_likelihood.T) + self._log_priors(priors, X.shape[0])

    def predict_log_proba(self, X: MatrixLike, *, priors: Priors | None = None) -> Floats:
        """Return log P(c | x) for each row and class; priors as for `scores`."""
        scores = self.scores(X, priors=priors)
        scores -= scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    def predict(self, X: MatrixLike, *, priors: Priors | None = None) -> list[Any]:
        """Return the most probable class of each row, the first of equals; priors as for `scores`."""
        return [self.classes_[y] for y in self.scores(X, priors=priors).argmax(axis=1)]

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder (arrays and JSON)."""
        facts = {"classes": self.classes_, "smoothing": self.smoothing}
        arrays = {"class_counts": self.class_counts_, "feature_counts": self.feature_counts_}
        save_model(folder, "naive-bayes", facts, arrays)

    @classmethod
    def load(cls, folder: str | Path) -> "NaiveBayes":
        """Read a model written by `save`."""
        facts, arrays = load_model(folder, "naive-bayes")
        model = cls(smoothing=facts["smoothing"])
        model.classes_ = facts["classes"]
        model.class_counts_, model.feature_counts_ = arrays["class_counts"], arrays["feature_counts"]
        return model

    def _check(self, X: sp.csr_array) -> None:
        if X.shape[1] != self.feature_counts_.shape[1]:
            raise DataError(f"{X.shape[1]:,} features; this model counts {self.feature_counts_.shape[1]:,}")
        bad = np.flatnonzero(X.data < 0.0)
        if len(bad):
            row = int(np.searchsorted(X.indptr, bad[0], side="right"))
            raise DataError(f"a feature occurs {X.data[bad[0]]} times; counts are from 0 up", row=row)

    def _log_priors(self, priors: Priors | None, n: int) -> Floats:
        if priors is None:
            array = self.class_counts_
        elif isinstance(priors, Mapping):
            coded(list(priors), self.classes_)
            array = np.array([priors.get(label, 0.0) for label in self.classes_], np.float64)
        else:
            array = np.asarray(priors, np.float64)
        if array.shape not in ((len(self.classes_),), (n, len(self.classes_))):
            raise DataError(
                f"priors have shape {array.shape}; wanted ({len(self.classes_)},) or ({n}, {len(self.classes_)})"
            )
        total = array.sum(axis=-1, keepdims=True)
        if not (np.isfinite(array).all() and (array >= 0.0).all() and (total > 0.0).all()):
            raise DataError("priors must be finite, from 0 up and not all 0")
        with np.errstate(divide="ignore"):
            return np.log(array / total)
