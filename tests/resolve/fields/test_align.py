import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.resolve.fields.align import align_tables, check_shared

TITLES = ["a history of names", "on the origin of words", "learning to link records", "what a graph can tell"]
PEOPLE = ["ada lovelace", "charles babbage", "grace hopper", "alan turing"]


def tables(**second):
    first = pa.table({"title": TITLES * 5, "author": PEOPLE * 5, "year": [str(1990 + i % 9) for i in range(20)]})
    return [first, pa.table(second)]


def test_columns_meet_by_name_by_values_and_by_both():
    pair = tables(
        paper_title=[title.upper() for title in TITLES] * 5,
        c7=PEOPLE[::-1] * 5,
        year=[str(1991 + i % 9) for i in range(20)],
    )
    found = align_tables(pair, ["a", "b"])
    assert {each.column: each.to for each in found.aligned} == {"paper_title": "title", "c7": "author"}
    assert "name says 'title'" in next(each.reason for each in found.aligned if each.column == "paper_title")
    assert found.tables[1].column_names == ["title", "author", "year"]
    assert set(found.shared) == {"title", "author", "year"}
    check_shared(found)


def test_what_is_said_wins_and_is_checked():
    pair = tables(x=TITLES * 5, y=PEOPLE * 5)
    found = align_tables(pair, ["a", "b"], given={"author": "x"})
    assert {each.column: each.to for each in found.aligned}["x"] == "author"
    with pytest.raises(SettingsError, match="there is no column 'z'"):
        align_tables(pair, ["a", "b"], given={"author": "z"})


def test_only_the_year_is_shared_is_an_error_that_says_so():
    pair = tables(year=[str(1990 + i % 9) for i in range(20)], price=[f"{i}.99" for i in range(20)])
    with pytest.raises(DataError, match="only 'year' is shared") as error:
        check_shared(align_tables(pair, ["a", "b"]))
    assert "--map title=price" in error.value.hint


def test_names_that_say_different_things_are_never_joined():
    numbers = [f"555-01{i:02}" for i in range(20)]
    found = align_tables([pa.table({"phone": numbers}), pa.table({"fax": numbers})], ["a", "b"])
    assert not found.aligned


def test_empty_names_are_checked_by_values_and_names_that_clash_are_kept_apart():
    one = pa.table({"c1": TITLES * 5, "c2": [f"{i}.25" for i in range(20)]})
    two = pa.table({"c1": [f"{i}.25" for i in range(5, 25)], "c2": TITLES * 5})
    found = align_tables([one, two], ["a", "b"])
    assert {each.column: each.to for each in found.aligned} == {"c1": "c2", "c2": "c1"}
    odd = align_tables([one, pa.table({"c1": [f"{i}.25" for i in range(5, 25)], "k": TITLES * 5})], ["a", "b"])
    assert odd.tables[1]["c1"].to_pylist() == TITLES * 5
