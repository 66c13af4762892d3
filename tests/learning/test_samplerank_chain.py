"""SampleRank on chains: a hand-worked step, agreement with the general class, every truth function."""

import numpy as np
import pytest
import scipy.sparse as sp

from onoma.errors import SettingsError
from onoma.learning._samplerank_chain_kernels import samplerank_epoch
from onoma.learning.samplerank_chain import ChainSampleRank, CodlSettings, ConstraintScores, codl, constrained_guess
from onoma.learning.sequences.semicrf import SemiCRF, Sequences, Structure
from onoma.numerics.rng import below, kernel_state, uniform


def chains(n_texts=40, size=6, seed=0):
    """Labels that hold for a while; the first attribute tells them four times out of five."""
    rng = np.random.default_rng(seed)
    n = n_texts * size
    labels = np.repeat(rng.integers(0, 3, n // 2), 2)
    shown = np.where(rng.random(n) < 0.8, labels, rng.integers(0, 3, n))
    matrix = sp.csr_array((np.ones(n), shown, np.arange(n + 1)), shape=(n, 3))
    sequences = Sequences.of(matrix, np.arange(0, n + 1, size))
    return sequences, labels, SemiCRF(Structure(3, pairs="all")).begin(sequences)


def slow_epoch(sequences, layout, world, targets, shares, scores, weights, rate, per_token, state):
    """The same chain from the definitions: whole feature vectors, whole truth functions."""
    from reference.semicrf import features

    texts, total, step = sequences.texts, np.zeros(len(weights)), 0
    for t in range(len(sequences)):
        first, last = texts.offsets[t], texts.offsets[t + 1]

        def of(y, first=first, last=last, t=t):
            return features(t, texts, layout, [(i, i + 1, int(y[first + i])) for i in range(last - first)])

        def cons(y, first=first, last=last):
            value = sum(scores.tokens[i, y[i]] for i in range(first, last))
            value += sum(scores.borders[texts.edges[i], y[i - 1], y[i]] for i in range(first + 1, last))
            for label in range(layout.n_labels):
                runs = sum(y[i] == label and (i == first or y[i - 1] != label) for i in range(first, last))
                value += scores.once[label] * max(runs - 1, 0)
            return value

        for _ in range(int(per_token * (last - first))):
            i = first + below(state, last - first)
            other = below(state, layout.n_labels - 1)
            new = world.copy()
            new[i] = other + (other >= world[i])
            delta = of(new) - of(world)
            d_model = float(weights @ delta)
            agreed = float((new == targets).sum() - (world == targets).sum())
            d_truth = shares[t, 0] * agreed + shares[t, 2] * d_model
            d_truth += shares[t, 1] * (cons(new) - cons(world))
            sign = np.sign(d_truth)
            if sign != 0 and sign * d_model <= 0.0:
                weights += rate * sign * delta
            step += 1
            total += weights
            if d_model >= 0 or uniform(state) < np.exp(d_model):
                world[:] = new
    return total / step


@pytest.mark.parametrize("shares", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 2.5, 0.0), (0.0, 0.7, 1.0)])
def test_the_kernel_is_its_definition(shares):
    sequences, labels, model = chains(n_texts=4)
    rng = np.random.default_rng(1)
    scores = ConstraintScores(
        rng.integers(-1, 2, (24, 3)).astype(float), rng.integers(-1, 1, (1, 3, 3)).astype(float), -np.ones(3)
    )
    every = np.tile(shares, (4, 1))
    world, weights, past = rng.integers(0, 3, 24), rng.normal(size=len(model.weights_)), np.zeros(len(model.weights_))
    slow_world, slow_weights = world.copy(), weights.copy()
    mean = slow_epoch(
        sequences, model.layout(), slow_world, labels, every, scores, slow_weights, 0.5, 5, kernel_state(3, "t")
    )
    steps = samplerank_epoch(
        np.arange(4),
        sequences.texts,
        model.layout(),
        world,
        (labels, every, scores.tokens, scores.borders, scores.once),
        weights,
        past,
        (0.5, 0.0, 1.0, 5.0, 0.0),
        kernel_state(3, "t"),
    )
    assert steps == 4 * 30
    np.testing.assert_allclose(weights, slow_weights, atol=1e-9)
    np.testing.assert_array_equal(world, slow_world)
    np.testing.assert_allclose(weights - past / steps, mean, atol=1e-9)


def test_one_update_by_hand():
    """Two labels, one token: the truth prefers 1, the weights are 0: one step of α along f(1) − f(0)."""
    sequences = Sequences.of(sp.csr_array([[2.0]]), [0, 1])
    model = SemiCRF(Structure(2, pairs="all", has_ends=False)).begin(sequences)
    weights, past, world = model.weights_, np.zeros(len(model.weights_)), np.array([0])
    samplerank_epoch(
        np.arange(1),
        sequences.texts,
        model.layout(),
        world,
        (np.array([1]), np.array([[1.0, 0.0, 0.0]]), np.zeros((1, 2)), np.zeros((1, 2, 2)), np.zeros(2)),
        weights,
        past,
        (0.25, 0.0, 1.0, 1.0, 0.0),
        kernel_state(0),
    )
    assert weights[:2].tolist() == [-0.5, 0.5]
    assert world.tolist() == [1]


@pytest.mark.parametrize("truth", ["labelled", "self", "cons", "self+cons", "model+cons"])
def test_every_truth_function_learns(truth):
    sequences, labels, model = chains()
    is_labelled = np.arange(40) < 10
    scores = ConstraintScores.nothing(sequences, 3)
    scores.tokens[:] = np.where(np.eye(3)[labels] > 0, 1.0, -1.0)
    scores.tokens[::2] = 0.0
    ChainSampleRank(truth=truth, rate=0.1, margin=1.0).fit(model, sequences, labels, is_labelled, scores)
    assert (model.predict(sequences).tokens() == labels).mean() > 0.75


def test_constrained_guesses_and_codl():
    sequences, labels, model = chains()
    is_labelled = np.arange(40) < 10
    way = ChainSampleRank(truth="labelled", rate=0.1, margin=1.0).fit(model, sequences, labels, is_labelled)
    scores = ConstraintScores.nothing(sequences, 3)
    scores.tokens[:] = np.where(np.eye(3)[labels] > 0, 1.0, -1.0)
    assert (constrained_guess(way, sequences, scores, 1e3).tokens() == labels).all()
    teacher, once = ChainSampleRank(rate=0.1, margin=1.0), CodlSettings(n_rounds=1)
    taught = codl(way, teacher, sequences, labels, is_labelled, scores, once)
    assert (taught.predict(sequences).tokens() == labels).mean() > 0.8
    with pytest.raises(SettingsError, match="truth is 'magic'"):
        ChainSampleRank(truth="magic")
