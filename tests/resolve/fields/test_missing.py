import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.resolve.fields.lexicon import STAND_INS
from onoma.resolve.fields.missing import all_by_form, bare_years, by_form, by_frequency
from onoma.resolve.fields.prepare import prepare_fields


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *((text, "text") for text in ("nan", "NULL", "n/a", " None ", "unknown", "(unknown)", "-", "?", "tbd", "Test")),
        ("0000-00-00", "date"),
        ("1900-01-01", "date"),
        ("1900-01-01 00:00:00", "date"),
        ("01/01/1900", "date"),
        ("9999-12-31", "date"),
        ("99999", "code"),
        ("000-000-0000", "code"),
        ("NA", "person"),
        ("na", "code"),
    ],
)
def test_missing_by_form(text, kind):
    assert by_form(text, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Nat", "person"),
        ("Na", "person"),
        ("Null Island", "place"),
        ("0", "number"),
        ("99999", "number"),
        ("1111", "code"),
        ("1900-01-01", "text"),
        ("Anna", "person"),
        ("1900-01-02", "date"),
        ("No", "category"),
        ("Nana", "person"),
    ],
)
def test_present_by_form(text, kind):
    assert by_form(text, kind) is None


def some(n, form="{}"):
    return [form.format(i) for i in range(n)]


def test_a_first_of_january_far_above_other_dates_is_missing():
    values = ["1970-01-01", *some(40, "1970-03-{:02}")]
    found = by_frequency(values, np.array([50] + [3] * 40), "date")
    assert list(found) == [0]
    assert "50 records" in found[0]
    assert by_frequency(["1970-05-01", *values[1:]], np.array([50] + [3] * 40), "date") == {}
    assert by_frequency(values, np.array([5] + [3] * 40), "date") == {}


def test_a_telephone_of_everybody_is_missing_but_a_common_postcode_is_not():
    values = some(100)
    assert list(by_frequency(values, np.array([60] + [1] * 99), "code")) == [0]
    assert by_frequency(values, np.array([600] + [50] * 99), "code") == {}


def test_noughts_among_prices_but_not_among_counts():
    prices = some(60)
    assert list(by_frequency(prices, np.array([200, 1] + [10] * 58), "number")) == [0]
    assert by_frequency(prices, np.array([200, 150] + [10] * 58), "number") == {}


def test_minus_one_and_nines():
    assert list(by_frequency(["-1", *some(30)], np.array([50] + [5] * 30), "number")) == [0]
    assert by_frequency(["-1", "-2", *some(30)], np.array([50] + [5] * 31), "number") == {}
    assert list(by_frequency(["9999", *some(30)], np.array([50] + [5] * 30), "number")) == [0]
    assert by_frequency(["9999", "9000", *some(30)], np.array([50] + [5] * 31), "number") == {}


@pytest.mark.parametrize("kind", ["person", "place", "category", "text", "organisation", "set"])
def test_frequent_words_are_never_lost(kind):
    assert by_frequency(some(50), np.array([100_000] + [1] * 49), kind) == {}


def test_too_many_firsts_of_january_are_bare_years():
    values = ["1630-01-01", "1631-01-01", "1630-05-07", "1631-00-00", "", "soon"]
    expected = ["1630-00-00", "1631-00-00", "1630-05-07", "1631-00-00", "", "soon"]
    assert bare_years(values, np.array([20, 20, 60, 1, 5, 1])) == expected
    assert bare_years(values, np.array([20, 20, 6000, 1, 5, 1])) is None
    assert bare_years(values, np.array([5, 5, 60, 1, 5, 1])) is None


suspects = st.one_of(
    st.text(alphabet="019 -/.()naNTtü\u00a0", max_size=8),
    st.builds(
        str.join,
        st.sampled_from(["", " ", "  "]),
        st.tuples(*[st.sampled_from(["", "(", *sorted(STAND_INS), "1900-01-01", "9999-12-31", "NA", "Na", "nat"])] * 2),
    ),
    st.sampled_from(["not  known", "Not\u00a0Known", "(999) 999-9999", "01/01/1900", "99999"]),
)


@given(st.lists(suspects, max_size=5), st.sampled_from(["text", "date", "code", "person", "category"]))
def test_many_at_once_as_one_by_one(texts, kind):
    expected = {i: why for i, text in enumerate(texts) if (why := by_form(text, kind)) is not None}
    assert all_by_form(texts, kind) == expected
    assert all_by_form([*texts, *["Ada"] * 100], kind) == expected


def test_a_date_long_ago_is_no_placeholder():
    assert by_form("1800-01-01", "date") is None
    assert by_form("1900-01-01", "date") == "is a placeholder date"


def test_a_day_of_one_figure_is_a_day():
    assert by_form("33333", "date") is None
    assert by_form("33333", "code") == by_form("99999", "date") == "repeats one digit"


def cited(n_times: int) -> pa.Table:
    """Papers with the pages that they are on, one of them cited again and again, and the hour of each citing."""
    title = [*(f"On the {i} ways of glass" for i in range(60)), *["On citing"] * n_times]
    pages = [*(f"{100 + 7 * i}-{104 + 7 * i}" for i in range(60)), *["433-444"] * n_times]
    return pa.table({"title": title, "pages": pages, "hour": [str(i % 24) for i in range(60 + n_times)]})


def test_a_value_that_nearly_all_records_of_one_thing_have_is_no_placeholder():
    table, kinds = cited(80), {"title": "text", "pages": "code", "hour": "category"}
    assert prepare_fields(table, kinds=kinds).missing_report == []
    strangers = table.set_column(0, "title", pa.array([f"On the {i} ways of glass" for i in range(140)]))
    (found,) = prepare_fields(strangers, kinds=kinds).missing_report
    assert found.n_records == 80
    copied = strangers.append_column("fax", strangers["pages"])
    assert [each.n_records for each in prepare_fields(copied, kinds={**kinds, "fax": "code"}).missing_report] == [
        80,
        80,
    ]
