"""Small random problems."""

import numpy as np
import pytest
import scipy.sparse as sp


@pytest.fixture
def make_samples():
    """samples(seed, …) -> X, y: a small multiclass problem that is not separable."""

    def make(seed, n=40, m=6, n_classes=3, *, binary=True, signed=False):
        rng = np.random.default_rng(seed)
        X = (rng.random((n, m)) < 0.4).astype(float)
        X[:, 0] = 1.0
        if not binary:
            X *= rng.choice([0.5, 1.0, 2.0], size=X.shape)
        if signed:
            X *= rng.choice([-1.0, 1.0], size=X.shape)
        scores = X @ rng.normal(size=(m, n_classes)) + rng.gumbel(size=(n, n_classes))
        return sp.csr_array(X), scores.argmax(axis=1)

    return make
