import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.learning.latent import Decoded, LatentStructured

IDS = np.arange(3)


def _decoders():
    """Each example: candidate feature rows, and which are right; which right one is meant is hidden."""

    def completes(score, example):
        rows, right = example
        return Decoded(IDS, rows[max(right, key=lambda k: score(IDS, rows[k]))])

    def attacks(score, example):
        rows, right = example
        k = max(range(len(rows)), key=lambda k: score(IDS, rows[k]) + (k not in right))
        return Decoded(IDS, rows[k], float(k not in right))

    return {"completes": completes, "attacks": attacks}


def _examples(rng, n):
    truth = np.array([1.0, -1.0, 0.5])
    examples = []
    for _ in range(n):
        rows = rng.normal(size=(5, 3))
        order = np.argsort(-(rows @ truth))
        # The best candidate is right, and so is one more: a decoy that must not be learnt from.
        examples.append((rows, [int(order[0]), int(rng.choice(order[1:]))]))
    return examples


def test_finds_the_hidden_choice():
    rng = np.random.default_rng(0)
    model = LatentStructured(n_features=3, n_epochs=20, rate=0.1, **_decoders()).fit(_examples(rng, 150))
    w = model.weights_ / np.linalg.norm(model.weights_)
    assert w @ np.array([1.0, -1.0, 0.5]) / 1.5 > 0.97
    assert model.losses_[-1] < 0.7 * model.losses_[0]


def test_one_step_by_hand():
    example = (np.array([[1.0, 0, 0], [0, 1, 0]]), [1])
    model = LatentStructured(n_features=3, n_epochs=1, rate=0.5, decay=0.0, averaged=False, **_decoders()).fit(
        [example]
    )
    np.testing.assert_allclose(model.weights_, [-0.5, 0.5, 0.0])
    assert model.losses_ == [1.0]


def test_decay_shrinks_and_average_follows():
    example = (np.array([[1.0, 0, 0], [0, 1, 0]]), [1])
    start = np.array([-10.0, 10.0, 4.0])
    settings = {"n_features": 3, "n_epochs": 2, "rate": 0.5, "decay": 0.1, **_decoders()}
    last = LatentStructured(averaged=False, **settings).fit([example], start=start)
    first_rate, second_rate = 0.5, 0.5 / 1.05
    shrunk = [1 - 0.1 * first_rate, (1 - 0.1 * first_rate) * (1 - 0.1 * second_rate)]
    np.testing.assert_allclose(last.weights_, start * shrunk[1])
    mean = LatentStructured(**settings).fit([example], start=start)
    np.testing.assert_allclose(mean.weights_, start * np.mean(shrunk))
    assert mean.losses_ == [0.0, 0.0]


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="no examples"):
        LatentStructured(n_features=3, **_decoders()).fit([])
    broken = {
        "completes": lambda score, e: Decoded(IDS, np.zeros(3)),
        "attacks": lambda score, e: Decoded(IDS, np.zeros(3), np.nan),
    }
    with pytest.raises(DataError, match="loss nan"):
        LatentStructured(n_features=3, **broken).fit([None])
    for settings in ({"rate": 0.0}, {"decay": 20.0, "rate": 0.1}, {"n_epochs": 0}):
        with pytest.raises(SettingsError):
            LatentStructured(n_features=3, **_decoders(), **settings)
