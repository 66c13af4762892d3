"""Dates: in many forms, compared part by part."""

import pytest

from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.fields.kinds.date import read_date
from reference.levels import features, level


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
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
)
def test_level(first, second, expected):
    assert level("date", first, second) == expected


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


def test_days_as_spreadsheets_count_them_are_dates():
    read = KINDS["date"].normalise
    assert read(["36526", "36526.0", "2000-01-01", "1984", "61.25"]) == [*["2000-01-01"] * 3, "1984-00-00", "61 25"]
    # Where most are such days, so are those of few figures.
    assert read(["36526", "36527", "1984", "99999", "40000"])[:4] == ["2000-01-01", "2000-01-02", "1905-06-06", "99999"]


def test_a_month_by_its_name_is_read_whatever_the_order():
    assert read_date("2 January 1990") == read_date("January 2, 1990") == read_date("1990-01-02")


def test_dates_with_swapped_parts_share_a_feature():
    one, swapped, other = features("date", "1990-02-01", "1990-01-02", "1723-11-27")
    assert one & swapped and not one & other
