"""What people say in SQL: one expression, nothing outside the table, the same answers as by hand."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus import store
from onoma.corpus.store import MACROS, check_condition, check_expressions, evaluate, first_holding, pairs_where
from onoma.errors import SettingsError


def soundex(text):
    """American Soundex, letter by letter."""
    codes = {
        letter: str(i) for i, group in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), 1) for letter in group
    }
    letters = [letter for letter in text.upper() if letter.isascii() and letter.isalpha()]
    if not letters:
        return None
    found, last = letters[0], codes.get(letters[0], "")
    for letter in letters[1:]:
        code = codes.get(letter, "")
        if code and code != last:
            found += code
        if letter not in "HW":
            last = code
    return (found + "000")[:4]


NAMES = [
    "Robert",
    "Rupert",
    "Rubin",
    "Ashcraft",
    "Ashcroft",
    "Tymczak",
    "Pfister",
    "Honeyman",
    "Lloyd",
    "Lee",
    "Gutierrez",
]
NAMES += ["Jackson", "VanDeusen", "O'Hara", "Wheaton", "Burroughs", "Burrows", "Whwhw", "A", "hh", "Czech", "", "12"]


def test_soundex_is_that_of_the_definition():
    assert evaluate(["soundex(x)"], NAMES, "a key")[0] == [soundex(name) for name in NAMES]


def test_soundex_of_random_letters():
    rng = np.random.default_rng(3)
    texts = ["".join(rng.choice(list("AEHWBCDLMRSTP"), rng.integers(1, 9))) for _ in range(500)]
    assert evaluate(["soundex(x)"], texts, "a key")[0] == [soundex(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "number", "digits"), [("1,234.5 kg", "1234.5", "12345"), ("-3", "-3.0", "3"), ("none", None, "")]
)
def test_numbers_and_digits(text, number, digits):
    assert evaluate(["number(x)", "digits(x)"], [text], "x") == [[number], [digits]]


def test_every_macro_is_known_and_nothing_is_evaluated_for_nothing():
    assert {"jaro_winkler(a, b)", "soundex(t)", "number(t)", "digits(t)"} <= set(MACROS)
    assert evaluate([], ["a"], "x") == []


@pytest.mark.parametrize(
    "text",
    [
        "a = b; SELECT 1",
        "a = b) OR (true",
        "1, 2",
        "a = b AS x",
        "a = b FROM texts",
        "",
        "a",
        "count(*) > 1",
        "(SELECT count(*) FROM 'x.csv') > 0",
        "a IN (FROM read_text('/etc/hostname'))",
        "missing(a)",
        "\ud800",
    ],
)
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(SettingsError, match="a level"):
        check_expressions([text], ("a", "b"), "a level")


@pytest.mark.parametrize("text", ["a = b", "a = b -- a comment", "jaro_winkler(a, b) > .9 AND a <> b", "a IS NULL"])
def test_what_is_one_is_taken(text):
    check_expressions([text], ("a", "b"), "a level")


def test_the_database_cannot_be_opened_again():
    with store._tables() as cursor, pytest.raises(Exception, match="locked|disabled"):
        cursor.execute("SET enable_external_access = true")


def test_the_first_condition_that_holds_in_either_order():
    a, b = pa.array(["x", "xy", "q", "q"]), pa.array(["xy", "x", "q", "z"])
    assert first_holding(["starts_with(a, b)", "a = b"], a, b, "levels").tolist() == [0, 0, 0, 2]


def test_names_of_columns_may_be_anything():
    table = pa.table({'the "one"': [1, 1], "Zip": ["a", "a"]})
    condition = 'l."the ""one""" = r."the ""one""" AND l.zip = r.zip'
    check_condition(table, condition, "--block-on")
    assert pairs_where(table, condition, most=5).tolist() == [[0, 1]]
    with pytest.raises(SettingsError) as error:
        check_condition(table, "l.nothing = r.nothing", "--block-on")
    assert 'l."the ""one"""' in str(error.value) and 'l."Zip"' in str(error.value)


def test_an_empty_table_has_no_pairs():
    assert pairs_where(pa.table({"x": pa.array([], pa.int64())}), "l.x = r.x", most=5).shape == (0, 2)


def test_a_condition_without_an_equality_is_refused_on_many_rows(monkeypatch):
    monkeypatch.setattr(store, "_SLOW_PAIRS", 100)
    table = pa.table({"x": list(range(20))})
    with pytest.raises(SettingsError, match="would be tried on 200 pairs"):
        pairs_where(table, "l.x < r.x", most=1000)
    assert len(pairs_where(table, "l.x % 5 = r.x % 5 AND l.x < r.x", most=1000)) == 30
