import numpy as np
import pytest

from onoma.correct.corrector import MODEL
from onoma.correct.writers import BANDS, Writer, Writers, doubts, measure_writers
from onoma.errors import DataError

KINDS = Writers((0.02, 0.014, 0.01, 0.007, 0.004, 0.0045), (0.0127, 0.007, 0.004, 0.0024, 0.0011, 0.0008))


def _text(rng, n_words, rates, g=1.0):
    """Return the edits' share of each place of a text whose writer has g times the rates of doubtful places."""
    counts = rng.poisson(g * n_words * np.array(rates))
    return np.concatenate([np.full(n_words, 0.01), np.repeat(np.array(BANDS) + 0.05, counts)])


def _learner(rates, n_words, *, g=1.0, seed=0):
    writer = Writer(KINDS)
    writer.see(_text(np.random.default_rng(seed), n_words, rates, g), n_words)
    return writer.learner


@pytest.mark.parametrize("g", [0.8, 1.0, 1.3])
def test_a_page_tells_its_writer(g):
    assert _learner(KINDS.learners, 3_000, g=g) > 0.9
    assert _learner(KINDS.practised, 3_000, g=g) < 0.1


def test_who_wrote_is_calibrated():
    rng = np.random.default_rng(1)
    stated, true = [], []
    for k in range(600):
        learner = rng.random() < 1 / (1 + np.e)  # as often as the prior says
        g = np.exp(rng.normal(0, 0.25 if learner else 0.35))
        stated.append(_learner(KINDS.learners if learner else KINDS.practised, 300, g=g, seed=k))
        true.append(learner)
    stated, true = np.array(stated), np.array(true)
    assert stated.mean() == pytest.approx(true.mean(), abs=0.04)
    sure = stated > 0.6
    assert true[sure].mean() == pytest.approx(stated[sure].mean(), abs=0.12)


def test_one_sentence_says_little_and_a_page_much():
    few, many = Writer(KINDS), Writer(KINDS)
    few.see(np.full(40, 1e-4), 20)
    many.see(np.full(4_000, 1e-4), 2_000)
    start, short, long = (writer.factors(np.array([0.6]))[0] for writer in (Writer(KINDS), few, many))
    assert start > short > start / 2
    assert long < short / 3


def test_what_is_seen_in_parts_is_seen_as_a_whole():
    q = _text(np.random.default_rng(2), 300, KINDS.learners)
    whole, parts = Writer(KINDS), Writer(KINDS)
    whole.see(q, 300)
    parts.see(q[:100], 120)
    parts.see(q[100:], 180)
    assert parts.learner == pytest.approx(whole.learner)


def test_a_learners_edits_keep_their_probability_and_the_others_lose_theirs():
    learner, practised = Writer(KINDS), Writer(KINDS)
    learner.see(_text(np.random.default_rng(3), 20_000, KINDS.learners), 20_000)
    practised.see(_text(np.random.default_rng(3), 20_000, KINDS.practised), 20_000)
    q = np.array([0.01, 0.5, 0.99])
    assert learner.factors(q) == pytest.approx(1.0, abs=0.01)
    odds = q * practised.factors(q) / (1 - q * practised.factors(q))
    assert odds == pytest.approx(q / (1 - q) * np.exp(-practised.practised), rel=0.02)
    assert Writer(KINDS, 0.0).factors(q) == pytest.approx(1.0)


def test_rates_are_measured_and_kept(tmp_path):
    found = measure_writers([(np.array([0.35, 0.9, 0.1]), 10)], [(np.array([0.35]), 5), (np.array([0.1]), 5)])
    assert found.learners == pytest.approx((0.15, 0.05, 0.05, 0.05, 0.05, 0.15))
    assert found.practised[0] == pytest.approx(0.15)
    found.save(tmp_path / "writers.json")
    assert Writers.load(tmp_path / "writers.json") == found
    assert doubts(np.empty(0)).sum() == 0


def test_a_damaged_file_is_told(tmp_path):
    (tmp_path / "writers.json").write_text('{"bands": [0.3], "learners": [1], "practised": [1]}')
    with pytest.raises(DataError, match="6 rates"):
        Writers.load(tmp_path / "writers.json")
    with pytest.raises(DataError, match="writers"):
        Writers.load(tmp_path / "none.json")


def test_the_shipped_model_tells_writers_apart():
    kinds = Writers.load(MODEL / "writers.json")
    assert all(a > b for a, b in zip(kinds.learners, kinds.practised, strict=True))
