import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from onoma.learning.hashed import CandidateRows, HashedMaxEnt, HashedPerceptron
from onoma.learning.maxent import CandidateMaxEnt
from onoma.numerics.rng import stream
from reference.contexts import averaged_perceptron, softmax_loss


def problem(n_groups=200, n_features=12, seed=3):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, n_groups)
    groups = np.concatenate([[0], np.cumsum(sizes)])
    n = groups[-1]
    dense = (rng.random((n, n_features)) < 0.4) * rng.normal(1, 0.5, (n, n_features))
    truth = rng.normal(0, 1.5, n_features)
    pairs = itertools.pairwise(groups.tolist())
    chosen = np.array([a + rng.choice(b - a, p=_softmax(dense[a:b] @ truth)) for a, b in pairs])
    F = sp.csr_array(dense)
    rows = CandidateRows(groups, F.indptr.astype(np.int64), F.indices.astype(np.uint32), F.data.astype(np.float32))
    return F, rows, chosen


def _softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def test_loss_is_that_of_the_definition():
    F, rows, chosen = problem(20)
    model = HashedMaxEnt(bits=4, rate=1e-12).partial_fit(rows, chosen)
    plain = [list(zip(F[[r]].indices.tolist(), F[[r]].data.tolist(), strict=False)) for r in range(F.shape[0])]
    groups = list(zip(rows.groups[:-1].tolist(), rows.groups[1:].tolist(), strict=False))
    expected = softmax_loss(groups, plain, chosen.tolist(), np.zeros(16))
    assert model.losses_[0] * len(rows) == pytest.approx(expected, rel=1e-6)


def test_many_epochs_come_near_the_optimum():
    F, rows, chosen = problem()
    online = HashedMaxEnt(bits=4, rate=0.3).partial_fit(rows, chosen, n_epochs=150)
    picked = np.zeros(F.shape[0])
    picked[chosen] = 1.0
    exact = CandidateMaxEnt(variance=1e6).fit(F, np.repeat(np.arange(len(rows)), np.diff(rows.groups)), picked)
    assert np.corrcoef(online.weights_[: F.shape[1]], exact.weights_)[0, 1] > 0.98
    assert online.losses_[-1] < 1.03 * exact.objective_ / len(rows)


def test_an_anchor_holds_weights_back():
    _, rows, chosen = problem()
    anchor = np.full(16, 0.5, np.float32)
    free = HashedMaxEnt(bits=4, anchor=anchor).partial_fit(rows, chosen, n_epochs=10)
    held = HashedMaxEnt(bits=4, anchor=anchor, pull=10.0).partial_fit(rows, chosen, n_epochs=10)
    assert np.abs(held.weights_ - anchor).max() < np.abs(free.weights_ - anchor).max()


def test_the_perceptron_is_the_average_of_all_its_steps():
    F, rows, chosen = problem(40)
    counts = np.where(np.arange(len(rows)) % 5, 1.0, 3.0)
    counts[::7] = 0.0
    model = HashedPerceptron(bits=4, seed=2).fit(rows, chosen, counts=counts, n_epochs=3)
    orders = [stream(2, "perceptron", epoch).permutation(len(rows)).tolist() for epoch in range(3)]
    expected = averaged_perceptron(F.toarray().astype(np.float32), rows.groups, chosen, counts, orders)
    assert model.weights_[: F.shape[1]] == pytest.approx(expected, abs=1e-4)


def test_the_perceptron_learns_a_choice():
    _, rows, chosen = problem(400)
    scores = HashedPerceptron(bits=4).fit(rows, chosen, n_epochs=10).scores(rows)
    best = [a + int(np.argmax(scores[a:b])) for a, b in itertools.pairwise(rows.groups.tolist())]
    online = HashedMaxEnt(bits=4, rate=0.3).partial_fit(rows, chosen, n_epochs=50).scores(rows)
    other = [a + int(np.argmax(online[a:b])) for a, b in itertools.pairwise(rows.groups.tolist())]
    assert np.mean(np.array(best) == chosen) > np.mean(np.array(other) == chosen) - 0.05
