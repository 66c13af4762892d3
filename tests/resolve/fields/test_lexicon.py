"""The lists of words: consistent, folded as values are."""

import pytest

from onoma.resolve.fields.lexicon import ADDRESS_WORDS, LEGAL_FORMS, STAND_INS
from onoma.resolve.fields.writing import fold


def test_abbreviations_are_of_words_that_are_none_themselves():
    assert ADDRESS_WORDS["rd"] == "road" and ADDRESS_WORDS["blvd"] == "boulevard"
    assert not set(ADDRESS_WORDS.values()) & set(ADDRESS_WORDS)


@pytest.mark.parametrize("words", [ADDRESS_WORDS, LEGAL_FORMS])
def test_words_are_written_as_values_are(words):
    assert all(word == fold(word) for word in words)


def test_stand_ins_are_in_small_letters_and_no_names():
    assert {"n/a", "unknown", "null"} <= set(STAND_INS)
    assert all(word == word.casefold() for word in STAND_INS)
    assert not {"na", "ann", "nathan", "none smith"} & set(STAND_INS)
