"""The averaged perceptron, multiclass: cheap, online, and hard to beat on sparse features.

For each sample in a shuffled order, if another class scores at least as much as the right one, the sample's features
are added to the right class's weights and taken from the other's. The weights used are the mean over all steps (Freund
and Schapire, 1999), kept lazily: a step costs time only in its own features × classes.

Memory: 16 bytes × features × classes. Use `features.FeatureHasher` to bound the number of features in advance.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning._perceptron_kernels import epoch
from onoma.learning.inputs import Labels, MatrixLike, SparseRows, as_counts, as_matrix, coded, find_classes
from onoma.learning.storage import load_model, save_model
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["Perceptron"]


class Perceptron:
    """Multiclass averaged perceptron.

    Parameters
    ----------
    n_epochs
        How often to go through the samples.
    margin
        A right class must win by at least this much to leave the weights alone.
    averaged
        Whether the weights are the mean over all steps or the last ones.
    seed
        Of the order of the samples.

    Attributes
    ----------
    classes_
        The classes, sorted (or as given).
    weights_
        Features × classes.
    n_changes_
        How many samples changed the weights, for each epoch.

    Examples
    --------
    >>> model = Perceptron(n_epochs=3, seed=1).fit([[1, 0], [0, 1], [1, 0]], ["yes", "no", "yes"])
    >>> model.predict([[1, 0], [0, 1]])
    ['yes', 'no']
    """

    def __init__(self, *, n_epochs: int = 5, margin: float = 0.0, averaged: bool = True, seed: int = 0) -> None:
        if n_epochs < 1 or not margin >= 0.0:
            raise SettingsError(f"n_epochs is {n_epochs}, margin {margin}; allowed: n_epochs from 1, margin from 0 up")
        self.n_epochs, self.margin, self.averaged, self.seed = n_epochs, margin, averaged, seed
        self.classes_: list[Any] = []
        self.weights_ = np.zeros((0, 0))
        self.n_changes_: list[int] = []

    def fit(
        self,
        X: MatrixLike,
        labels: Labels,
        *,
        counts: NDArray[np.float64] | None = None,
        classes: Sequence[Any] | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X
            Samples × features, sparse or dense, finite.
        labels
            The class of each sample.
        counts
            How strongly each sample changes the weights, from 0 up; default 1.
        classes
            All classes, in the order wanted; default those of the labels, sorted.
        progress
            Shows epochs.
        """
        X = as_matrix(X)
        self.classes_ = find_classes(labels, classes)
        y, strength = coded(labels, self.classes_, n=X.shape[0]), as_counts(counts, X.shape[0])
        rows, w = SparseRows.of(X), np.zeros((X.shape[1], len(self.classes_)))
        u = np.zeros_like(w)
        self.n_changes_, n = [], X.shape[0]
        with progress.task("perceptron", self.n_epochs, "epochs") as task:
            for round_ in range(self.n_epochs):
                order = stream(self.seed, "perceptron", round_).permutation(n)
                ptr, ids, values = rows
                changes = epoch(order, ptr, ids, values, y, strength, self.margin, round_ * n, w, u)
                self.n_changes_.append(int(changes))
                task.advance(1, changes=changes)
        if self.averaged:
            u /= self.n_epochs * n
            w -= u
        self.weights_ = w
        return self

    def scores(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the score of each row and class."""
        X = as_matrix(X)
        if X.shape[1] != len(self.weights_):
            raise DataError(f"{X.shape[1]:,} features; this model was learnt from {len(self.weights_):,}")
        return np.asarray(X @ self.weights_)

    def predict(self, X: MatrixLike) -> list[Any]:
        """Return the class of each row that scores most; the first of equals."""
        return [self.classes_[y] for y in self.scores(X).argmax(axis=1)]

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder (arrays and JSON)."""
        facts = {name: getattr(self, name) for name in ("n_epochs", "margin", "averaged", "seed")}
        facts |= {"classes": self.classes_, "n_changes": self.n_changes_}
        save_model(folder, "perceptron", facts, {"weights": self.weights_})

    @classmethod
    def load(cls, folder: str | Path) -> "Perceptron":
        """Read a model written by `save`."""
        facts, arrays = load_model(folder, "perceptron")
        model = cls(**{name: facts[name] for name in ("n_epochs", "margin", "averaged", "seed")})
        model.classes_, model.n_changes_, model.weights_ = facts["classes"], facts["n_changes"], arrays["weights"]
        return model
