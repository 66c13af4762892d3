"""Learning from expectations: KKT conditions, every method's aim, agreement with enumeration."""

import numpy as np
import pytest
import scipy.sparse as sp

from onoma.errors import SettingsError
from onoma.learning.sequences.expectations import ConstraintSet, Expectations, project, satisfied
from onoma.learning.sequences.semicrf import Segmentation, SemiCRF, Sequences, Structure
from onoma.learning.sequences.semicrf_layout import build_layout, n_weights
from reference.semicrf import enumerate_text


def problem(*, seed=0, kinds=(0, 0, 0), targets=(3.0, 1.0, 2.0), n_texts=6):
    rng = np.random.default_rng(seed)
    n = 4 * n_texts
    structure = Structure(2, longest=(1, 2), pairs="all", n_bins=2)
    sequences = Sequences.of(sp.random_array((n, 5), density=0.5, rng=rng, format="csr"), np.arange(0, n + 1, 4))
    model = SemiCRF(structure).begin(sequences)
    beside = Sequences.of(sp.csr_array(np.eye(3)[rng.integers(0, 3, n)]), np.arange(0, n + 1, 4))
    plain = Structure(2, longest=(1, 2), pairs="all", n_bins=0, boundaries=False, has_ends=False, has_transitions=False)
    layout = build_layout(plain, beside)
    rows = np.zeros((3, n_weights(layout)))
    for k in range(3):
        rows[k, layout.inside[k] + 1] = 1.0
    rows[2, layout.inside[0]] = 0.5
    constraints = ConstraintSet(
        beside, layout, sp.csr_array(rows), np.array(targets), np.array(kinds, np.int8), np.full(3, 0.3)
    )
    return model, sequences, constraints


@pytest.mark.parametrize("kinds", [(0, 0, 0), (1, 1, 1), (2, 2, 2)])
def test_the_projection_satisfies_kkt(kinds):
    model, sequences, constraints = problem(kinds=kinds, targets=(6.0, 1.0, 5.0))
    model.weights_ = np.random.default_rng(1).normal(size=len(model.weights_))
    found = project(model, sequences, constraints, n_rounds=500, tolerance=1e-14)
    gap = found.expectations - constraints.targets
    if kinds[0] == 0:
        assert (gap > -1e-3).all() and (found.multipliers >= 0).all()
        assert np.abs(gap * found.multipliers).max() < 1e-3
        assert (found.multipliers > 0.01).any() and (found.multipliers < 1e-6).any()
        assert satisfied(constraints, found.expectations).all()
    elif kinds[0] == 1:
        np.testing.assert_allclose(-gap, 0.3 * found.multipliers, atol=1e-3)
    else:
        assert (np.abs(gap) < 0.3 + 1e-3).all()
        active = np.abs(found.multipliers) > 1e-4
        np.testing.assert_allclose(np.abs(gap[active]), 0.3, atol=1e-3)


def test_expectations_against_enumeration():
    model, sequences, constraints = problem()
    rng = np.random.default_rng(2)
    model.weights_ = rng.normal(size=len(model.weights_))
    found = project(model, sequences, constraints, n_rounds=200)
    total = np.zeros(constraints.matrix.shape[1])
    for t in range(len(sequences)):
        segmentations, vectors, _, _ = enumerate_text(t, sequences.texts, model.layout(), model.weights_)
        from reference.semicrf import features

        beside = np.array(
            [features(t, constraints.sequences.texts, constraints.layout, s)[: len(total)] for s in segmentations]
        )
        scores = vectors @ model.weights_ + beside @ (constraints.matrix.T @ found.multipliers)
        chances = np.exp(scores - np.logaddexp.reduce(scores))
        total += chances @ beside
    np.testing.assert_allclose(constraints.matrix @ total, found.expectations, atol=1e-8)


@pytest.mark.parametrize(("method", "rounds"), [("online", 60), ("batch", 8), ("ge", 40)])
def test_every_method_moves_the_model_towards_the_targets(method, rounds):
    model, sequences, constraints = problem(targets=(5.0, 4.0, 5.0))
    nothing = np.zeros(3)
    from onoma.learning.sequences.expectations import _expected

    model.weights_[:] = -0.2
    before = _expected(model, sequences, constraints, nothing)[2]
    Expectations(method=method, n_rounds=rounds, l2=0.01, rate=0.2).fit(model, sequences, constraints)
    after = _expected(model, sequences, constraints, nothing)[2]
    missing = np.maximum(constraints.targets - before, 0).sum()
    assert missing > 0.1
    assert np.maximum(constraints.targets - after, 0).sum() < 0.5 * missing


def test_the_papers_step_by_hand():
    """One text, one step: λ and θ as the paper's formulas give them."""
    model, sequences, constraints = problem(n_texts=1, targets=(2.0, 0.1, 0.1))
    from onoma.learning.sequences.expectations import _expected

    _, _, met = _expected(model, sequences, constraints, np.zeros(3))
    found = Expectations(method="paper", n_rounds=1, rate=10.0).fit(model, sequences, constraints)
    eta = 1.0 / (1.0 + 0.1)
    np.testing.assert_allclose(found.multipliers, np.maximum(eta * (constraints.targets - met), 0.0), atol=1e-12)
    np.testing.assert_allclose(model.weights_, 0.0, atol=1e-12)  # q was p before λ moved


def test_labelled_texts_teach_too():
    model, sequences, constraints = problem(n_texts=10)
    gold = Segmentation.of_tokens(np.random.default_rng(0).integers(0, 2, sequences.n_tokens))
    Expectations(n_rounds=200, rate=0.3, l2=0.0).fit(model, sequences, constraints, labelled=(np.ones(10, bool), gold))
    assert (model.predict(sequences).tokens() == gold.labels).mean() > 0.65
    with pytest.raises(SettingsError, match="takes no labelled"):
        Expectations(method="ge").fit(model, sequences, constraints, labelled=(np.ones(10, bool), gold))
    with pytest.raises(SettingsError, match="method is 'magic'"):
        Expectations(method="magic")
