import itertools

import numpy as np
import pytest

from onoma.resolve.phylogeny.fresh import WordPairs, fresh_words, log_lengths, spelling
from onoma.resolve.phylogeny.names import WordedNames


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
