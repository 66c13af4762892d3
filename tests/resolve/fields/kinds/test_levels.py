"""At which level pairs of values meet, kind by kind."""

import numpy as np
import pytest

from onoma.resolve.fields.kinds import KINDS

CASES = {
    "person": [
        ("John Smith", "Smith, John", "equal"),
        ("Smith John", "John Smith", "same words"),
        ("Jean-Luc", "Jeanluc", "same words"),
        ("Bob Jones", "Robert Jones", "nickname"),
        ("J. Smith", "John Smith", "initials"),
        ("J", "John", "initials"),
        ("J. S.", "John Smith", "alike"),
        ("Meier", "Meiner", "one slip"),
        ("Peter Jones", "Petre Jones", "one slip"),
        ("Ann", "Amn", "one slip"),
        ("Thomas Chudleigh", "Thomas Clifford of Chudleigh", "part left out"),
        ("Mary Smith", "Peter Smith", "a word shared"),
        ("Peter", "Olga", "different"),
    ],
    "organisation": [
        ("Acme, Inc.", "ACME Incorporated", "same name"),
        ("Akzo Nobel N.V.", "AKZO NOBEL", "same name"),
        ("The Bank & Co", "Bank", "same name"),
        ("IBM", "International Business Machines", "acronym"),
        ("Univ. of Oregon", "University of Oregon", "equal"),
        ("Microsoft", "Mircosoft", "one slip"),
        ("Microsoft", "Oracle", "different"),
    ],
    "code": [
        ("310-246-1501", "310/246 1501", "equal"),
        ("310-246-1501", "310-246-1510", "one slip"),
        ("tq13 8df", "tq13 8xx", "two slips"),
        ("+1 310 246 1501", "310 246 1501", "one slip"),
        ("0049 310 246 1501", "310 246 1501", "one within the other"),
        ("12", "13", "different"),
        ("3102461501", "2125559999", "different"),
    ],
    "category": [("M", "m ", "equal"), ("m", "f", "different")],
    "date": [
        ("1990-02-01", "1 February 1990", "equal"),
        ("1990-02-01", "1990-01-02", "day and month swapped"),
        ("1990-02-01", "1990-02-11", "one digit"),
        ("1990-02-01", "199O-02-01", "one digit"),
        ("1990-02-01", "1990", "no conflict"),
        ("1990-02-01", "February 1990", "no conflict"),
        ("1990-02-01", "1957-02-01", "two parts agree"),
        ("1990-02-27", "1990-03-04", "within ten days"),
        ("1990-02-27", "1990-11-14", "same year"),
        ("1990-02-27", "1991-11-14", "year off by one"),
        ("1990-02-27", "1850-11-14", "different"),
    ],
    "number": [
        ("$1,200.00", "1200", "equal"),
        ("99.99", "100", "0.1 % apart"),
        ("99", "100", "2 % apart"),
        ("80", "100", "30 % apart"),
        ("100", "-100", "different"),
    ],
    "place": [
        ("435 s. la cienega blv.", "435 S La Cienega Blvd", "equal"),
        ("pridhamstreet", "pridham street", "same words"),
        ("12 Main Street", "12 Mian Street", "one slip"),
        ("12 Main Street", "14 Main Street", "different"),
        ("Winston Hills", "Winston Hils", "one slip"),
        ("Berlin", "Sydney", "different"),
    ],
    "geo": [
        ("51.5, -0.12", "51.5001 -0.1201", "within 0.1 km"),
        ("51.5,-0.12", "48.85,2.35", "within 500 km"),
        ("51.5,-0.12", "-33.9,151.2", "different"),
    ],
}


def level(kind, first, second, others=("xyzzy plugh",)):
    """The level of two values in a column that has others too."""
    values = list(dict.fromkeys(text for text in KINDS[kind].normalise([first, second, *others]) if text))
    if KINDS[kind].normalise([first]) == KINDS[kind].normalise([second]):
        return "equal"
    comparison = KINDS[kind].prepare(values, np.ones(len(values), np.int64))
    return comparison.levels[comparison.compare(np.array([0], np.int32), np.array([1], np.int32))[0]]


@pytest.mark.parametrize(
    ("kind", "first", "second", "expected"), [(kind, *case) for kind, cases in CASES.items() for case in cases]
)
def test_level(kind, first, second, expected):
    assert level(kind, first, second) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("1990", "1991", "off by one"),
        ("1990", "1993", "off by two or three"),
        ("1960", "1990", "one digit"),
        ("1967", "1976", "one digit"),
        ("1890", "1967", "different"),
    ],
)
def test_bare_years(first, second, expected):
    assert level("date", first, second, ["1800"]) == expected


def test_a_column_with_one_american_date_is_american():
    assert KINDS["date"].normalise(["03/04/1990", "12/31/1990"]) == ["1990-03-04", "1990-12-31"]
    assert KINDS["date"].normalise(["03/04/1990", "31/12/1990"]) == ["1990-04-03", "1990-12-31"]


@pytest.mark.parametrize("text", ["19901332", "1990-02-30", "in press", "31-31-1990", "123", "5000"])
def test_what_is_no_date_stays_a_text(text):
    assert "-" not in KINDS["date"].normalise([text])[0]


def test_texts_share_model_numbers_written_apart():
    kind = KINDS["text"]
    values = kind.normalise(["Sony turntable PS-LX350H", "PSLX350H", "Sony radio", "Bose speaker"])
    comparison = kind.prepare(values, np.ones(4, np.int64))
    near, far = comparison.compare(np.array([0, 0], np.int32), np.array([1, 2], np.int32))
    assert near < far < len(comparison.levels) - 1


def test_sets_share_people_written_in_two_ways():
    kind = KINDS["set"]
    values = kind.normalise(["A. Gupta, Mary Ann Lee", "Ajay Gupta, M. A. Lee", "Ajay Gupta and X. Wu", "Y. Wu"])
    assert values[0] == "a gupta; mary ann lee"
    comparison = kind.prepare(values, np.ones(4, np.int64))
    one, half, none = comparison.compare(np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32))
    assert comparison.levels[one] == "≥ 0.85"
    assert one < half < none
    assert comparison.levels[none] == "different"


def test_days_as_spreadsheets_count_them_are_dates():
    read = KINDS["date"].normalise
    assert read(["36526", "36526.0", "2000-01-01", "1984", "61.25"]) == [*["2000-01-01"] * 3, "1984-00-00", "61 25"]
    # Where most are such days, so are those of few figures.
    assert read(["36526", "36527", "1984", "99999", "40000"])[:4] == ["2000-01-01", "2000-01-02", "1905-06-06", "99999"]
