import numpy as np
import pytest

from onoma.evaluate.score import LinkScore, Score, VMeasure, ratio, ratios


def test_a_score_keeps_its_parts():
    score = Score(1, 4, 1, 2)
    assert (score.recall, score.precision) == (0.25, 0.5)
    assert score.f1 == pytest.approx(1 / 3)


def test_scores_add_over_documents():
    assert Score(1, 4, 1, 2) + Score(3, 4, 3, 4) == Score(4, 8, 4, 6)
    link = LinkScore(Score(1, 2, 1, 2), Score(3, 4, 3, 4))
    assert (link + link).separate == Score(6, 8, 6, 8)


def test_nothing_out_of_nothing_is_nothing():
    score = Score(0, 0, 0, 0)
    assert (score.recall, score.precision, score.f1) == (0.0, 0.0, 0.0)
    assert ratio([1, 2], [0, 4]).tolist() == [0.0, 0.5]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (LinkScore(Score(1, 2, 1, 4), Score(3, 4, 3, 3)), (0.625, 0.625, (1 / 3 + 6 / 7) / 2)),
        (LinkScore(Score(1, 2, 1, 4), Score(0, 0, 0, 3)), (0.25, 0.5, 1 / 3)),
        (LinkScore(Score(0, 0, 0, 4), Score(3, 4, 3, 3)), (1.0, 0.75, 6 / 7)),
        (LinkScore(Score(0, 0, 0, 0), Score(0, 0, 0, 0)), (0.0, 0.0, 0.0)),
    ],
    ids=["both", "all together", "all apart", "one item"],
)
def test_a_kind_of_pair_that_the_gold_lacks_does_not_count(link, expected):
    assert (link.precision, link.recall, link.f1) == pytest.approx(expected)


def test_arrays_of_sums_give_what_scores_give():
    sums = np.array([[1, 4, 1, 2], [0, 0, 0, 3], [0, 3, 0, 0]], dtype=float)
    expected = [(s.precision, s.recall, s.f1) for s in (Score(*row) for row in sums)]
    assert ratios(sums).tolist() == [list(row) for row in expected]


def test_v_is_a_harmonic_mean():
    assert VMeasure(1.0, 0.5).v == pytest.approx(2 / 3)
    assert VMeasure(0.0, 0.0).v == 0.0
