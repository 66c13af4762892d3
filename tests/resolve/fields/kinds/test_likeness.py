"""Likeness: the kernel against a slow twin, and what alike values mean."""

import numpy as np
import pytest

from onoma.resolve.fields.bags import Bags, alike_words
from onoma.resolve.fields.kinds._likeness_kernels import shared_and_left
from onoma.resolve.fields.kinds.likeness import CUTS, DIRECTIONS, SIGNS, LikenessComparison, likeness_model
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
        assert kept["curve"].tolist() == [model.intercept, model.equal, model.common, model.share, model.records]
        assert kept["value"].tolist() == model.trees.value.tolist()


def test_many_pairs_nearly_equal_mean_many_matches_and_none_mean_few():
    model = likeness_model()
    strangers, size = (10_000 * model.levels[1]).astype(np.int64), round(model.records)
    matches = (10_000 * model.share * model.levels[0]).astype(np.int64)
    none, usual = model.shift(strangers, size), model.shift(strangers + matches, size)
    many = model.shift(strangers + (5_000 * model.levels[0]).astype(np.int64), size)
    assert none < usual < many
    assert abs(usual) < 0.3
    assert model.shift(np.zeros(model.levels.shape[1], np.int64), size) == 0.0
    assert model.shift(strangers + matches, 100) > usual > model.shift(strangers + matches, 10**6)


def test_long_values_and_small_tables_speak_for_a_pair():
    model = likeness_model()
    counts = (10_000 * model.levels[1]).astype(np.int64)
    names, titles, texts, pages = (model.shift(counts, 2_000, words) for words in (2.0, 9.0, 20.0, 200.0))
    assert names == model.shift(counts, 2_000)
    assert titles == pytest.approx(names + 2.0 * np.log(2.0))
    assert names < titles < texts == pages
    # A record of a tenth as large a table meets a tenth of the strangers; the candidates say something, too.
    assert model.shift(counts, 200) - model.shift(counts, 2_000) > 0.5 * np.log(10.0)
