import numpy as np
import pytest

from onoma.correct.writers import FEWER, Writer


def _text(rng, n, rate, share):
    """Return the edits' share of n places by a model that is calibrated where slips are `rate` of places.

    Scores of slips and of other places are normal, one deviation apart times two; `share` of the places are slips.
    """
    slips = rng.random(n) < share
    score = rng.normal(np.where(slips, 2.0, -2.0), 2.0)
    odds = rate / (1 - rate) * np.exp(score)  # the densities' ratio at this distance is exp(score)
    return odds / (1 + odds), slips


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_probabilities_fit_a_text_with_as_many_slips_as_essays_or_more(share):
    q, slips = _text(np.random.default_rng(0), 20_000, 0.05, share)
    writer = Writer(0.05)
    writer.see(q)
    p = q * writer.factors(q)
    assert p.mean() == pytest.approx(slips.mean(), rel=0.1)
    sure = p > 0.7
    assert slips[sure].mean() == pytest.approx(p[sure].mean(), abs=0.05)


def test_a_text_with_fewer_slips_gets_fewer_edits_than_its_slips():
    q, slips = _text(np.random.default_rng(1), 20_000, 0.05, 0.005)
    writer = Writer(0.05)
    writer.see(q)
    p = q * writer.factors(q)
    assert (p > 0.5).sum() < slips.sum() < (q > 0.5).sum()


def test_one_sentence_says_little_and_a_page_much():
    few, many = Writer(0.05), Writer(0.05)
    few.see(np.full(20, 1e-4))
    many.see(np.full(2_000, 1e-4))
    start, short, long = (writer.factors(np.array([0.6]))[0] for writer in (Writer(0.05), few, many))
    assert start > short > start / 3
    assert long < short / 10


def test_what_is_seen_in_parts_is_seen_as_a_whole():
    q = np.random.default_rng(2).random(300) * 0.3
    whole, parts = Writer(0.04), Writer(0.04)
    whole.see(q)
    parts.see(q[:100])
    parts.see(q[100:])
    assert parts.factors(q) == pytest.approx(whole.factors(q))
    assert FEWER >= 1
