import itertools

import numpy as np
import pytest

from onoma.resolve.names.fresh import Patterns, WordPairs, fresh_words, log_lengths, spelling
from onoma.resolve.names.names import WordedNames


def test_spelling_is_a_distribution_over_words():
    words = ["".join(letters) for n in range(1, 7) for letters in itertools.product("ab", repeat=n)]
    names = WordedNames.of(["ab", "ba", "b", *words])
    spelt = spelling(names)
    assert 0.5 < spelt.sum() < 1.0


def test_a_word_of_many_names_is_likelier_than_one_of_few():
    names = WordedNames.of(["A Smith", "B Smith", "C Smith", "D Quint", "E Quint", "F Xylander"])
    fresh = fresh_words(names, np.ones(len(names.ids)), spelling(names))
    place = {names.words[w]: i for i, w in enumerate(names.ids)}
    assert fresh[place["smith"]] > fresh[place["quint"]] > fresh[place["xylander"]]


def test_words_that_go_together_are_expected_together():
    names = WordedNames.of(
        ["Maria del Carmen Xu", "Maria del Carmen Yilmaz", "Maria del Carmen Zorn", "Maria del Carmen"]
    )
    n_fresh = np.ones(len(names.ids))
    alone = fresh_words(names, n_fresh, spelling(names))
    blended = WordPairs(names).blend(names, n_fresh, alone)
    carmen = names.words.index("carmen")
    assert (blended[names.ids == carmen] > 2 * alone[names.ids == carmen]).all()
    first = names.offsets[:-1]
    np.testing.assert_allclose(blended[first], alone[first])


def test_lengths_are_those_of_names_from_nowhere():
    names = WordedNames.of(["a b", "c d", "e"])
    found = np.exp(log_lengths(names, np.ones(3)))
    assert found[0] == found[1] > found[2]
    assert found[0] + found[2] == pytest.approx(1.0, abs=0.2)


def test_a_name_after_a_pattern_is_likelier_from_nowhere():
    seasons = [f"{year} Wake Forest season" for year in (1954, 1961, 1963, 1970)]
    names = WordedNames.of([*seasons, "Ada Lovelace"])
    fresh, alone = np.full(len(names.ids), 0.01), np.full(len(names), -30.0)
    found = Patterns(names, 0.5).blend(alone, fresh, np.ones(len(names)))
    # Of four with the pattern one is the name itself and one may be its parent: two of five. Three gaps have the year.
    gaps = 9
    assert found[0] == pytest.approx(np.log(0.5 * np.exp(-30.0) + 0.5 * 2 / 5 / gaps * sum(0.01**k for k in (1, 2, 3))))
    assert found[-1] == pytest.approx(np.log(0.5) - 30.0)


def test_names_that_descend_make_no_pattern():
    names = WordedNames.of([f"Maison Michelin {end}" for end in ("et Cie", "Cie", "SA", "et Cie SA", "Fils")])
    fresh, alone = np.full(len(names.ids), 0.01), np.full(len(names), -30.0)
    roots = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(Patterns(names, 0.5).blend(alone, fresh, roots), np.log(0.5) - 30.0)


def test_very_long_names_have_no_patterns():
    names = WordedNames.of([" ".join(f"w{i}x{j}" for i in range(40)) for j in range(3)])
    alone = np.full(3, -30.0)
    found = Patterns(names, 0.5).blend(alone, np.full(len(names.ids), 0.01), np.ones(3))
    np.testing.assert_allclose(found, np.log(0.5) - 30.0)


def test_own_mentions_of_a_name_say_nothing_of_how_common_its_words_are():
    names = WordedNames.of(["Anna Xu", "Berta Xu", "Carla Yilmaz"])
    spelt = spelling(names)
    once, often = (fresh_words(names, n * np.ones(len(names.ids)), spelt) for n in (1.0, 50.0))
    assert often[1] > once[1]
