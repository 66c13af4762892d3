"""Likeness: the kernel against a slow twin, and what alike values mean."""

import numpy as np
import pytest

from onoma.resolve.fields.bags import Bags, alike_words
from onoma.resolve.fields.kinds._likeness_kernels import shared_and_left
from onoma.resolve.fields.kinds.likeness import CUTS, DIRECTIONS, PART, SIGNS, LikenessComparison, likeness_model
from reference.fields_likeness import shared_and_left_slow, sum_trees_slow

NAMES = [
    "acme steel works 12",
    "acme steel wroks 12",
    "acme steel works 13",
    "acme",
    "steel works of the north",
    "northern steel",
    "general bakery",
    "general backery ltd",
    "bakery general",
    "",
]


def codes(*places):
    return np.array(places, np.int32)


def test_the_kernel_is_its_slow_twin():
    bags = Bags.build([name.split() for name in NAMES], np.ones(len(NAMES), np.int64))
    alike = alike_words(bags.words)
    bits = np.linspace(0.5, 4.0, len(bags.words))
    digit = np.array([word.isdigit() for word in bags.words])
    a, b = (side.astype(np.int32) for side in np.triu_indices(len(NAMES), 1))
    fast = shared_and_left(a, b, bags.offsets, bags.ids, bits, digit, alike.offsets, alike.ids, alike.similarity)
    assert fast == pytest.approx(shared_and_left_slow(a, b, bags, bits, digit, alike))
    assert fast[:, 0].any()
    assert fast[:, 5].any()


def test_a_slip_is_likelier_the_same_than_another_number_and_both_than_a_stranger():
    more = [f"word{i} name{i % 50} thing{i % 7}" for i in range(200)]
    values = [*NAMES[:9], *more]
    comparison = LikenessComparison(values, np.ones(len(values), np.int64))
    slip, number, stranger = likeness_model().log_odds(comparison.signs(codes(0, 0, 0), codes(1, 2, 6)))
    assert slip > number > stranger
    levels = comparison.compare(codes(0, 0, 0), codes(1, 2, 6))
    assert (np.diff(levels) >= 0).all()
    assert levels[0] < levels[2]


def test_levels_have_falling_log_odds_of_their_own():
    log_odds = likeness_model().level_log_odds()
    assert len(log_odds) == len(LikenessComparison.levels) == len(CUTS) + 2
    assert (np.diff(log_odds[1:]) < 0).all()


def test_sums_of_trees_are_those_of_the_slow_twin():
    signs = np.random.default_rng(1).random((40, len(SIGNS))) * 1.5
    trees = likeness_model().trees
    assert trees.sums(signs) == pytest.approx(sum_trees_slow(signs, trees))


@pytest.mark.parametrize("sign", [i for i, way in enumerate(DIRECTIONS) if way])
def test_no_sign_is_turned_around(sign):
    signs = np.random.default_rng(2).random((200, len(SIGNS)))
    more = signs.copy()
    more[:, sign] += 0.3
    change = likeness_model().log_odds(more) - likeness_model().log_odds(signs)
    assert (DIRECTIONS[sign] * change >= -1e-9).all()


def test_a_saved_model_is_read_again(tmp_path):
    model = likeness_model()
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as kept:
        assert kept["curve"].tolist() == [model.intercept, model.equal, model.common]
        assert kept["value"].tolist() == model.trees.value.tolist()


def _nearest(very_near, near, far=0):
    """Return how many records have their nearest other at each level after the first."""
    counts = np.zeros(len(CUTS) + 1, np.int64)
    counts[CUTS.index(2.5)], counts[CUTS.index(0.0)], counts[-1] = very_near, near, far
    return counts


def test_families_make_near_records_and_copies_very_near_ones():
    shift = likeness_model().shift
    assert shift(_nearest(350, 650), PART) == pytest.approx(0.0, abs=0.01)
    assert shift(_nearest(200, 800), PART) < shift(_nearest(350, 650), PART) < shift(_nearest(900, 100), PART) < 1.1
    assert shift(_nearest(350, 650, far=9_000), PART) == shift(_nearest(350, 650), PART)  # who is far says nothing
    # A family hides its copies: from some point on more of it says no more.
    assert shift(_nearest(10, 990), PART) == shift(_nearest(0, 100_000), PART) < -0.9


def test_few_near_records_say_little():
    shift = likeness_model().shift
    assert shift(_nearest(0, 0), PART) == 0.0
    assert 0.0 > shift(_nearest(0, 4), PART) > shift(_nearest(0, 400), PART)


def test_long_values_and_small_tables_speak_for_a_pair():
    model, counts = likeness_model(), _nearest(200, 500)
    names, titles, texts, pages = (model.shift(counts, PART, words) for words in (2.0, 9.0, 20.0, 200.0))
    assert names == model.shift(counts, PART)
    assert titles == pytest.approx(names + 2.0 * np.log(2.0))
    assert names < titles < texts == pages
    # A record of a tenth as large a table meets a tenth of the strangers. What a part shows is that of the table.
    assert model.shift(counts, PART // 10) - model.shift(counts, PART) == pytest.approx(0.25 * np.log(10.0))
    assert model.shift(counts, 100 * PART) == model.shift(counts, PART)
