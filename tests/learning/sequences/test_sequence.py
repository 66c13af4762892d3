import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences._sequence_kernels import crf_epoch
from onoma.learning.sequences.sequence import OUTSIDE, ChainTraining, LinearChain, bio_transitions, learn_chain
from reference.learning_sequence import best_path, label_marginals, log_likelihood, stretch_probability

PTR = np.array([0, 4, 4, 5, 8], np.int32)


def world(seed, n_labels=3):
    rng = np.random.default_rng(seed)
    ids = rng.integers(-1, 6, (8, 3)).astype(np.int32)
    w = rng.normal(size=(6, n_labels)).astype(np.float32)
    a = rng.normal(size=(n_labels + 1, n_labels))
    a[0, 1] = -np.inf
    return ids, LinearChain(tuple("ABC"[:n_labels]), w, a)


@pytest.mark.parametrize("seed", range(5))
def test_decoding_and_marginals_agree_with_enumeration(seed):
    ids, model = world(seed)
    found, chances = model.decode(ids, PTR), model.marginals(ids, PTR)
    for s, e in zip(PTR[:-1], PTR[1:], strict=True):
        if e > s:
            assert found[s:e].tolist() == best_path(ids[s:e], model.weights, model.transitions)
            want = label_marginals(ids[s:e], model.weights, model.transitions)
            np.testing.assert_allclose(chances[s:e], want, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_span_probabilities_agree_with_enumeration(seed):
    ids, model = world(seed)
    codes = model.decode(ids, PTR)
    starts, ends = np.array([0, 2, 4, 5]), np.array([2, 4, 5, 8])
    found = model.span_probabilities(ids, PTR, codes, starts, ends)
    for k, (a, b) in enumerate(zip(starts, ends, strict=True)):
        s = int(PTR[np.searchsorted(PTR, a, side="right") - 1])
        e = int(PTR[np.searchsorted(PTR, a, side="right")])
        want = stretch_probability(ids[s:e], model.weights, model.transitions, a - s, codes[a:b])
        assert found[k] == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_token_outside_has_the_first_label_and_the_rest_is_as_likely_as_given_that(seed):
    ids, model = world(seed)
    held = ids.copy()
    held[6, 0] = OUTSIDE
    codes = model.decode(held, PTR)
    paths = [(x, 0, z) for x in range(3) for z in range(3)]
    scores = {
        path: log_likelihood(ids[5:], model.weights.astype(np.float64), model.transitions, np.array(path))
        for path in paths
    }
    assert tuple(codes[5:]) == max(scores, key=scores.get)
    total = sum(np.exp(value) for value in scores.values())
    found = model.marginals(held, PTR)
    assert found[6].tolist() == pytest.approx([1.0, 0.0, 0.0])
    for label in range(3):
        want = sum(np.exp(value) for path, value in scores.items() if path[0] == label) / total
        assert found[5, label] == pytest.approx(want, abs=1e-6)


def test_a_token_of_the_first_labels_has_none_else():
    ids, model = world(1)
    for m, allowed in ((1, {1}), (2, {1, 2})):
        held = ids.copy()
        held[:, 0] = OUTSIDE - m
        assert set(model.decode(held, np.arange(9)).tolist()) <= allowed
        chances = model.marginals(held, np.arange(9))
        assert chances[:, sorted(allowed)].sum(axis=1) == pytest.approx(np.ones(8))


def test_one_step_follows_the_gradient():
    """AdaGrad's first step is rate · sign(gradient): finite differences give the same signs."""
    ids, model = world(1)
    ids[:4] = [[0, 4, -1], [1, 5, -1], [2, -1, -1], [-1, 3, -1]]
    y = model.decode(ids, PTR)
    y[:4] = [2, 1, 2, 2]
    w, a = model.weights.copy(), model.transitions.copy()
    squares = np.zeros_like(w), np.zeros_like(a)
    crf_epoch(np.array([0]), PTR, ids, y, np.ones(4), 0.01, 0.0, w, squares[0], a, squares[1])
    checked = 0
    for f in range(6):
        for k in range(3):
            up, down = model.weights.astype(np.float64), model.weights.astype(np.float64)
            up[f, k] += 1e-5
            down[f, k] -= 1e-5
            slope = log_likelihood(ids[:4], up, model.transitions, y[:4])
            slope -= log_likelihood(ids[:4], down, model.transitions, y[:4])
            if abs(slope) > 1e-7:
                checked += 1
                assert np.sign(w[f, k] - model.weights[f, k]) == np.sign(slope)
                assert squares[0][f, k] == pytest.approx((slope / 2e-5) ** 2, rel=1e-2)
    assert checked >= 12


def test_learns_what_only_transitions_tell():
    ids = np.zeros((60, 1), np.int32)
    ptr = np.arange(0, 61, 3)
    y = np.tile([0, 1, 0], 20)
    model = learn_chain(ids, ptr, y, ["A", "B"], 1, ChainTraining(n_epochs=60, rate=0.3))
    assert model.decode(ids, ptr).tolist() == y.tolist()


def test_same_seed_same_bytes():
    ids, _ = world(2)
    y = np.array([0, 0, 1, 2, 1, 0, 2, 2])
    runs = [learn_chain(ids, PTR, y, list("ABC"), 6, ChainTraining(n_epochs=3, seed=seed)) for seed in (5, 5, 6)]
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes() != runs[2].weights.tobytes()


def test_forbidden_transitions_never_happen():
    labels = ["O", "B-X", "I-X", "L-X", "U-X"]
    forbidden = bio_transitions(labels)
    ids = np.random.default_rng(0).integers(0, 50, (300, 4)).astype(np.int32)
    ptr = np.array([0, 300])
    y = np.tile([0, 1, 2, 3, 4, 0], 50)
    model = learn_chain(ids, ptr, y, labels, 50, ChainTraining(n_epochs=2), forbidden=forbidden)
    found = model.decode(ids, ptr)
    assert not forbidden[np.concatenate([[5], found[:-1]]), found].any()
    short = np.arange(0, 301)  # sentences of one token: nothing may begin that cannot end there
    assert set(model.decode(ids, short).tolist()) <= {0, 4}
    np.testing.assert_allclose(model.marginals(ids, short)[:, [0, 4]].sum(axis=1), 1.0, rtol=1e-5)
    with pytest.raises(DataError, match="may not follow"):
        learn_chain(ids, ptr, np.full(300, 2), labels, 50, forbidden=forbidden)


def test_bytes_are_close_to_weights():
    _, model = world(3)
    small, scale = model.as_bytes()
    np.testing.assert_allclose(small * scale, model.weights, atol=float(scale.max()) / 2 + 1e-6)


def test_settings_are_checked():
    ids, _ = world(0)
    with pytest.raises(SettingsError):
        learn_chain(ids, PTR, np.zeros(8, int), ["A"], 6, ChainTraining(n_epochs=0))
    with pytest.raises(DataError, match="labels"):
        learn_chain(ids, PTR, np.zeros(7, int), ["A"], 6)


def test_a_long_sentence_is_linear_in_memory():
    ids = np.zeros((100_000, 1), np.int32)
    model = LinearChain(("A", "B"), np.array([[0.0, 1.0]], np.float32), np.zeros((3, 2)))
    assert model.decode(ids, np.array([0, 100_000])).sum() == 100_000


def test_a_forbidden_favourite_leaves_the_others():
    """Scores so far apart that exp() alone would leave nothing: the best label cannot follow the one before."""
    weights = np.array([[900.0, 0.0, 0.0], [0.0, 0.0, 900.0]], np.float32)
    transitions = np.zeros((4, 3))
    transitions[0, 2] = -np.inf
    model = LinearChain(("A", "B", "C"), weights, transitions)
    chances = model.marginals(np.array([[0], [1]], np.int32), np.array([0, 2]))
    assert np.isfinite(chances).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-6)
