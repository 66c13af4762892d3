"""Semi-Markov CRFs against the enumeration of all segmentations, finite differences and each other."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences._semicrf_count_kernels import add_gold, evaluate_texts
from onoma.learning.sequences.semicrf import Segmentation, SemiCRF, Sequences, Structure, Training
from onoma.learning.sequences.semicrf_layout import build_layout, n_weights
from onoma.learning.sequences.semicrf_training import objective
from reference.semicrf import enumerate_text

STRUCTURES = {
    "chain": Structure(3, pairs="all"),
    "bounded": Structure(3, longest=2, n_bins=2, pairs="all"),
    "each its own": Structure(3, longest=(1, 3, 2), n_bins=2, pairs="all"),
    "unbounded": Structure(2, longest=None, n_bins=3, pairs="all"),
    "no boundaries": Structure(2, longest=3, boundaries=False, n_bins=0, has_ends=False, pairs="all"),
    "taxonomy": Structure(3, longest=2, parents=(-1, 0, 0), pairs="all"),
    "taxonomy chain": Structure(3, parents=(-1, 0, 1), pairs="all"),
    "no transitions": Structure(3, longest=2, has_transitions=False, pairs="all"),
}


def make(lengths, *, seed=0, n_attributes=4, n_segment=2, n_classes=2, n_bundles=None):
    rng = np.random.default_rng(seed)
    n = sum(lengths)
    matrix = sp.random_array((n_bundles or n, n_attributes), density=0.5, rng=rng, format="csr")
    bundles = (
        None
        if n_bundles is None
        else sp.csr_array(np.tile(np.eye(n_bundles), (n, 1))[: 2 * n].reshape(n, 2, -1).sum(1))
    )
    starts = rng.integers(0, n, 6)
    segments = (starts, rng.integers(1, 4, 6), rng.integers(0, n_segment, 6))
    return Sequences.of(
        matrix,
        np.concatenate([[0], np.cumsum(lengths)]),
        edges=rng.integers(0, n_classes, n),
        segments=segments,
        n_segment_attributes=n_segment,
        bundles=bundles,
    )


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("is_barred", [False, True])
@pytest.mark.parametrize("n_bundles", [None, 3], ids=["", "bundles"])
def test_inference_is_exact(name, is_barred, n_bundles):
    structure, sequences = STRUCTURES[name], make([5, 1, 4], seed=len(name), n_bundles=n_bundles)
    barred = np.zeros((2, structure.n_labels, structure.n_labels), bool)
    barred[0, 0, 1] = is_barred
    layout = build_layout(structure, sequences, barred=barred)
    weights = np.random.default_rng(3).normal(size=n_weights(layout))
    model = SemiCRF(structure)
    model.layout_, model.weights_ = layout, weights
    best = model.predict(sequences)
    expected, total = np.zeros(len(weights)), 0.0
    for t in range(3):
        found, vectors, chances, log_z = enumerate_text(t, sequences.texts, layout, weights)
        total += log_z
        expected += chances @ vectors
        first = int(sequences.texts.offsets[t])
        top = [(s - first, e - first, y) for s, e, y in best.spans() if first <= s < sequences.texts.offsets[t + 1]]
        assert found[int(np.argmax(chances))] == top
        tokens = np.zeros((len(range(first, int(sequences.texts.offsets[t + 1]))), structure.n_labels))
        for segments, chance in zip(found, chances, strict=True):
            for start, end, y in segments:
                tokens[start:end, y] += chance
        under = model.marginals(sequences, best)
        np.testing.assert_allclose(under.tokens[first : first + len(tokens)], tokens, atol=1e-12)
        for start, end, y in top:
            chance = sum(p for s, p in zip(found, chances, strict=True) if (start, end, y) in s)
            assert under.segments[first + start] == pytest.approx(chance)
    ours = np.zeros(len(weights))
    assert evaluate_texts(np.arange(3), sequences.texts, layout, weights, ours) == pytest.approx(total)
    np.testing.assert_allclose(ours, expected, atol=1e-10)


def test_seven_tokens_with_long_segments():
    structure, sequences = Structure(2, longest=4, pairs="all"), make([7])
    layout = build_layout(structure, sequences)
    weights = np.random.default_rng(5).normal(size=n_weights(layout))
    _, vectors, chances, log_z = enumerate_text(0, sequences.texts, layout, weights)
    ours = np.zeros(len(weights))
    assert evaluate_texts(np.arange(1), sequences.texts, layout, weights, ours) == pytest.approx(log_z)
    np.testing.assert_allclose(ours, chances @ vectors, atol=1e-10)


@pytest.mark.parametrize("longest", [1, 2])
def test_scores_beyond_the_range_of_exp(longest):
    """Scaled probabilities underflow here: the way through logarithms takes over."""
    sequences, structure = make([4], n_classes=1), Structure(2, longest=longest, pairs="all")
    layout = build_layout(structure, sequences, barred=np.array([[[False, True], [True, False]]]))
    weights = np.random.default_rng(1).normal(size=n_weights(layout))
    weights[: layout.transition] *= 2000
    _, vectors, chances, log_z = enumerate_text(0, sequences.texts, layout, weights)
    ours = np.zeros(len(weights))
    assert evaluate_texts(np.arange(1), sequences.texts, layout, weights, ours) == pytest.approx(log_z)
    np.testing.assert_allclose(ours, chances @ vectors, atol=1e-8)


def test_bundles_say_what_their_attributes_say():
    """Shared or not: the same attributes, the same objective and the same observed features."""
    shared = make([4, 3], n_bundles=3)
    assert len(shared.texts.bundles) >= 2 * 3  # else no table is used
    alone = Sequences.of(shared.attributes(), shared.texts.offsets, edges=shared.texts.edges)
    structure, gold = Structure(3, longest=2), Segmentation.of_spans([(0, 2, 1), (2, 4, 0), (4, 5, 2), (5, 7, 1)], 7)
    plain = Sequences(shared.texts._replace(segment_indptr=alone.texts.segment_indptr), shared.n_attributes, 0, 2)
    found = []
    for sequences in (plain, alone):
        layout = build_layout(structure, sequences, gold)
        weights, observed = np.random.default_rng(0).normal(size=n_weights(layout)), np.zeros(n_weights(layout))
        add_gold(np.arange(2), sequences.texts, layout, gold.labels, gold.lengths, observed)
        value, slope = objective(sequences.texts, layout, observed, weights, 0.3)
        found.append(np.concatenate([[value], slope, observed, layout.label]))
    np.testing.assert_allclose(found[0], found[1], atol=1e-10)


@pytest.mark.parametrize("name", ["chain", "each its own", "taxonomy"])
def test_gradient_against_finite_differences(name):
    structure, sequences = STRUCTURES[name], make([4, 3])
    layout = build_layout(structure, sequences)
    gold = Segmentation.of_tokens([0, 1, 2, 1, 0, 2, 2])
    observed = np.zeros(n_weights(layout))
    add_gold(np.arange(2), sequences.texts, layout, gold.labels, gold.lengths, observed)
    weights = np.random.default_rng(0).normal(size=len(observed))
    error = check_grad(
        lambda w: objective(sequences.texts, layout, observed, w, 0.3)[0],
        lambda w: objective(sequences.texts, layout, observed, w, 0.3)[1],
        weights,
    )
    assert error < 1e-4


def planted(n=60, seed=0):
    """Texts whose tokens tell their label, segments of one to three tokens."""
    rng = np.random.default_rng(seed)
    spans, rows, offsets, at = [], [], [0], 0
    for _ in range(n):
        for _ in range(rng.integers(1, 5)):
            label, size = int(rng.integers(0, 3)), int(rng.integers(1, 4))
            size = 1 if label == 0 else size
            spans.append((at, at + size, label))
            rows += [[label, 3 + int(i == 0 and label > 0), 5 + int(rng.integers(0, 3))] for i in range(size)]
            at += size
        offsets.append(at)
    data = np.ones(3 * at)
    matrix = sp.csr_array((data, np.array(rows).ravel(), np.arange(0, 3 * at + 1, 3)), shape=(at, 8))
    return Sequences.of(matrix, offsets), Segmentation.of_spans(spans, at)


@pytest.mark.parametrize("solver", ["lbfgs", "adagrad", "sgd", "perceptron"])
def test_every_solver_learns(solver):
    sequences, gold = planted()
    model = SemiCRF(Structure(3, longest=(1, 3, 3)))
    model.fit(sequences, gold, training=Training(solver=solver, n_rounds=20, l2=0.01))
    found, wanted = set(model.predict(sequences).spans()), set(gold.spans())
    assert len(found & wanted) > 0.95 * len(wanted)


def test_stochastic_gradients_approach_the_optimum():
    sequences, gold = planted()
    exact = SemiCRF(Structure(3, longest=3)).fit(sequences, gold, training=Training(tolerance=1e-9))
    model = SemiCRF(Structure(3, longest=3)).fit(
        sequences, gold, training=Training(solver="adagrad", n_rounds=80, rate=0.5)
    )
    observed = np.zeros(len(exact.weights_))
    add_gold(np.arange(len(sequences)), sequences.texts, exact.layout(), gold.labels, gold.lengths, observed)
    best = objective(sequences.texts, exact.layout(), observed, exact.weights_, 1.0)[0]
    ours = objective(sequences.texts, exact.layout(), observed, model.weights_, 1.0)[0]
    assert best <= ours < 1.15 * best


def test_the_scaled_search_ends_at_the_optimum():
    """Common and rare attributes, and one that is nowhere: the gradient vanishes, and what no text touches stays 0."""
    sequences, gold = planted()
    wide = Sequences(sequences.texts, sequences.n_attributes + 1)
    model = SemiCRF(Structure(3, longest=3, pairs="all")).fit(wide, gold, training=Training(l2=0.5, tolerance=1e-10))
    layout, observed = model.layout(), np.zeros(len(model.weights_))
    add_gold(np.arange(len(wide)), wide.texts, layout, gold.labels, gold.lengths, observed)
    assert np.abs(objective(wide.texts, layout, observed, model.weights_, 0.5)[1]).max() < 1e-2
    for ptr in (layout.inside, layout.begin, layout.end):
        assert np.any(model.weights_[ptr[0] : ptr[-2]])
        assert not np.any(model.weights_[ptr[-2] : ptr[-1]])


def test_a_model_survives_its_folder(tmp_path):
    sequences, gold = planted()
    model = SemiCRF(Structure(3, longest=(1, 3, 3), parents=(-1, -1, 1))).fit(sequences, gold)
    model.save(tmp_path / "m")
    again = SemiCRF.load(tmp_path / "m")
    assert again.structure == SemiCRF(Structure(3, longest=[1, 3, 3], parents=(-1, -1, 1))).structure
    assert again.predict(sequences).spans() == model.predict(sequences).spans()


def test_what_is_refused():
    sequences, gold = planted()
    with pytest.raises(DataError, match="longer than their label allows"):
        SemiCRF(Structure(3)).fit(sequences, gold)
    with pytest.raises(DataError, match="labels run from 0 to 2"):
        SemiCRF(Structure(2, longest=3)).fit(sequences, gold)
    with pytest.raises(SettingsError, match="one parent before it"):
        Structure(2, parents=(1, -1))
    with pytest.raises(SettingsError, match="solver is 'magic'"):
        Training(solver="magic")
    with pytest.raises(DataError, match="not been fitted"):
        SemiCRF(Structure(3)).predict(sequences)


def test_empty_texts_are_left_alone():
    sequences, gold = planted(n=3)
    offsets = np.insert(sequences.texts.offsets, 1, sequences.texts.offsets[1])
    padded = Sequences(sequences.texts._replace(offsets=offsets), sequences.n_attributes)
    model = SemiCRF(Structure(3, longest=3)).fit(padded, gold)
    assert model.predict(padded).lengths.sum() == padded.n_tokens
