import math

import numpy as np
import pytest

from onoma.correct.ngrams import count_ngrams, load_ngrams
from onoma.correct.packed import load_packed, save_packed
from onoma.errors import DataError, SettingsError
from reference.ngrams import BEGIN, END, Reference

WORDS = [f"w{k}" for k in range(12)]


def make_text(n=60, seed=1):
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 13)
    draw = lambda: [WORDS[k] for k in rng.choice(12, rng.integers(1, 9), p=weights / weights.sum())]  # noqa: E731
    return [draw() for _ in range(n)]


@pytest.fixture(scope="module")
def text():
    return make_text()


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_equal_the_definition(text, order):
    model, slow = count_ngrams(text, order=order), Reference(text, order)
    for words in [*text[:10], ["w0", "w5", "w11", "w0"]]:
        padded = [BEGIN, *words, END]
        expected = [math.log10(slow.p(padded[i], padded[:i])) for i in range(1, len(padded))]
        np.testing.assert_allclose(model.score([words])[0], expected, atol=2e-3)


def test_counts_equal_the_definition(text):
    model, slow = count_ngrams(text, order=3), Reference(text, 3)
    for n in (1, 2, 3):
        for gram, count in slow.grams[n].items():
            assert model.count(gram) == pytest.approx(count, rel=0.04)
    assert model.count(["w11", "w11", "w11"]) == slow.grams[3][("w11",) * 3]
    assert model.count(["never", "seen"]) == 0


@pytest.mark.parametrize("min_counts", [(), (1, 3, 4)])
def test_what_may_follow_sums_to_one(text, min_counts):
    model = count_ngrams(text, order=3, min_counts=min_counts)
    vocabulary = [word for word in model.words if word != BEGIN]
    for context in (["w0"], ["w0", "w1"], ["w3", "w11"], ["w0", "w0", "w0", "w2"], []):
        sentences = [[*context, word] for word in vocabulary]
        total = sum(10 ** float(scores[len(context)]) for scores in model.score(sentences))
        assert total == pytest.approx(1, abs=0.01)


def test_saved_and_opened_again_it_says_the_same(text, tmp_path):
    model = count_ngrams(text, order=4)
    model.save(tmp_path / "model")
    again = load_ngrams(tmp_path / "model")
    np.testing.assert_array_equal(np.concatenate(again.score(text)), np.concatenate(model.score(text)))
    assert again.count(["w0", "w1"]) == model.count(["w0", "w1"])


def test_packed_it_says_almost_the_same(tmp_path):
    text = make_text(2_000, seed=4)
    model = count_ngrams(text, order=4)
    save_packed(model, tmp_path / "model.npz")
    again = load_packed(tmp_path / "model.npz")
    apart = np.abs(np.concatenate(again.score(text)) - np.concatenate(model.score(text)))
    assert apart.mean() < 0.01
    assert apart.max() < 0.3
    assert again.words == model.words
    assert again.count(["w0", "w1"]) == model.count(["w0", "w1"])
    (tmp_path / "model.npz").write_bytes((tmp_path / "model.npz").read_bytes()[:-40])
    with pytest.raises(DataError, match="damaged"):
        load_packed(tmp_path / "model.npz")


def test_rare_words_are_unknown(text):
    model = count_ngrams([*text, ["once"]], order=2, min_word_count=2)
    assert "once" not in model
    assert model.log_p(["once"]) == model.log_p(["other"])


def test_what_cannot_be_counted_or_opened(tmp_path):
    with pytest.raises(DataError, match="no sentence"):
        count_ngrams([])
    with pytest.raises(SettingsError, match="1 to 9"):
        count_ngrams([["a"]], order=12)
    with pytest.raises(DataError, match="onoma train ngrams"):
        load_ngrams(tmp_path)
    model = count_ngrams([["a", "b"]], order=2)
    with pytest.raises(SettingsError, match="holds 1 to 2"):
        model.count(["a", "b", "c"])
    model.save(tmp_path)
    (tmp_path / "2-prints.npy").write_bytes((tmp_path / "1-prints.npy").read_bytes())
    with pytest.raises(DataError, match="do not fit together"):
        load_ngrams(tmp_path)
