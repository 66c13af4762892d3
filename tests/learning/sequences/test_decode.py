import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences.decode import History, decode
from reference.learning_decode import best_sequence, score


@st.composite
def tasks(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k, n = draw(st.integers(2, 3)), draw(st.integers(1, 5))
    n_rows = (k + 1) ** 2
    rows = np.where(rng.random(n_rows) < 0.6, np.arange(n_rows), -1).astype(np.int32).reshape(k + 1, k + 1)
    history = History(rng.normal(size=(k + 1, k)), rows, rng.normal(size=(n_rows, k)))
    return rng.normal(size=(n, k)), history, draw(st.booleans())


@given(tasks())
@settings(max_examples=60, deadline=None)
def test_a_full_beam_is_exact(task):
    emissions, history, normalised = task
    tables = (history.first, history.pair_rows, history.pairs)
    best, best_score = best_sequence(emissions, *tables, normalised=normalised)
    found = decode(emissions, [len(emissions)], history, beam=9, normalised=normalised).tolist()
    assert score(found, emissions, *tables, normalised=normalised) == pytest.approx(best_score)
    assert found == best


@given(tasks(), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_wider_beams_do_no_worse_than_greedy_here_or_there(task, beam):
    emissions, history, normalised = task
    tables = (history.first, history.pair_rows, history.pairs)
    found = decode(emissions, [len(emissions)], history, beam=beam, normalised=normalised)
    _, best_score = best_sequence(emissions, *tables, normalised=normalised)
    assert score(found, emissions, *tables, normalised=normalised) <= best_score + 1e-9


def test_greedy_takes_the_best_tag_each_time():
    first = np.array([[0.0, 3.0], [3.0, 0.0], [0.0, 0.0]])
    emissions = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert decode(emissions, [3], History.of_first(first), beam=1).tolist() == [0, 1, 0]


def test_sentences_do_not_touch():
    first = np.array([[5.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    emissions = np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.5]])
    assert decode(emissions, [2, 1], History.of_first(first)).tolist() == [0, 0, 1]
    assert decode(emissions, [1, 1, 1], History.of_first(first)).tolist() == [0, 1, 1]
    assert decode(emissions, [0, 3, 0], History.none(2)).tolist() == [0, 1, 1]


def test_bad_input_is_refused():
    with pytest.raises(SettingsError, match="beam"):
        decode(np.zeros((1, 2)), [1], History.none(2), beam=0)
    with pytest.raises(DataError, match="3 tags"):
        decode(np.zeros((1, 2)), [1], History.none(3))
    with pytest.raises(DataError, match="2 tokens"):
        decode(np.zeros((1, 2)), [2], History.none(2))
