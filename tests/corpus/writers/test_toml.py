"""Settings written as TOML are read again as they were."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.writers.toml import to_toml

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
PLAIN = st.one_of(WORDS, st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False))
VALUES = st.one_of(PLAIN, st.lists(PLAIN, max_size=3), st.lists(st.lists(WORDS, max_size=2), max_size=2))
TABLES = st.dictionaries(WORDS, VALUES, max_size=4)


@given(st.dictionaries(WORDS, st.one_of(VALUES, TABLES, st.dictionaries(WORDS, TABLES, max_size=2)), max_size=5))
def test_what_is_written_is_read_again(settings):
    assert tomllib.loads(to_toml(settings)) == settings


def test_tables_stand_at_the_end_in_their_order():
    written = to_toml({"kinds": {"part": {"levels": {"b": "x", "a": "y"}}, "title": "text"}, "seed": 1})
    assert written.startswith("seed = 1\n")
    assert list(tomllib.loads(written)["kinds"]["part"]["levels"]) == ["b", "a"]


@pytest.mark.parametrize("text", ['a "quoted" name', "line\nbreak", "tab\t", "\x7f", "\\", "é", "[x]"])
def test_awkward_texts(text):
    assert tomllib.loads(to_toml({text or "x": text})) == {text: text}
