"""Small plain files: what is split is what DuckDB reads, types and all, or is left to it."""

import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.readers.dialect import sniff
from onoma.corpus.readers.plain import read_plain
from onoma.corpus.readers.scanned import read_scanned
from onoma.corpus.readers.table import read_table

WHOLE = st.sampled_from(["0", "7", "-7", "-0", "007", "+7", "12345", "999999999999999999", "1234567890123456789", "٣"])
DAYS = st.sampled_from(["2020-02-29", "1999-12-31", "0001-01-01", "9999-12-31"])
ODD_DAYS = st.sampled_from(["2021-02-29", "0000-01-01", "2020-13-01", "2020-01-01 10:00:00", "2020-1-1", "infinity"])
FLAGS = st.sampled_from(["true", "false"])
DECIMALS = st.sampled_from(["1.5", "2.50", "2.5", "1e+3", "12e4", "-0.0", "0.1"])
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4) | st.sampled_from(
    [
        "a b",
        " a",
        "a ",
        "#",
        "NULL",
        "nan",
        "True",
        "a:b",
        "x-infinity",
        "'",
        "\\",
        "\u00a0",
        "\u2028",
        "\x85",
        "a;b",
        "a\tb",
    ]
)
COLUMNS = st.sampled_from([WHOLE, DAYS, DAYS | ODD_DAYS, FLAGS, DECIMALS, WORDS, WHOLE | DECIMALS, WORDS | DAYS])


@st.composite
def files(draw: st.DrawFn) -> str:
    kinds = draw(st.lists(COLUMNS, min_size=1, max_size=4))
    quoted = draw(st.sampled_from([st.just(False), st.booleans(), st.just(True)]))
    cells = [
        st.tuples(kind | st.just(""), quoted).map(lambda cell: f'"{cell[0]}"' if cell[1] else cell[0]) for kind in kinds
    ]
    rows = draw(st.lists(st.tuples(*cells), min_size=1, max_size=6))
    sign = draw(st.sampled_from([",", "\t", ";", "|"]))
    head = [f"n{i}" for i in range(len(kinds))]
    return "\n".join(sign.join(row) for row in [head, *rows]) + draw(st.sampled_from(["\n", ""]))


@settings(max_examples=150, deadline=None)
@given(files(), st.booleans())
def test_what_is_split_is_what_duckdb_reads(tmp_path_factory, text, infer):
    path = tmp_path_factory.mktemp("plain") / "x.csv"
    path.write_bytes(text.encode())
    dialect = sniff(path, path, delimiter=None, header=True, notes=[])
    found = read_plain(path, dialect, infer=infer)
    if found is None:
        return
    other, rejects, _ = read_scanned(path, path, dialect, reject=True, infer=infer)
    assert len(rejects) == 0
    assert found.schema.equals(other.schema, check_metadata=True)
    assert found.equals(other)


def test_a_plain_file_is_split_with_its_types(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,name,day,ok,n\n1,Ann,2020-01-31,true,007\n2,,,,8\n")
    found = read_plain(path, sniff(path, path, delimiter=None, header=True, notes=[]), infer=True)
    assert found is not None
    assert [str(each) for each in found.schema.types] == ["int64", "string", "date32[day]", "bool", "string"]
    assert found["c1"].to_pylist() == ["Ann", None]


def test_quotes_around_whole_values_are_plain(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('"id","name"\n"1","Lee, Ann"\n"2",\n')
    found = read_plain(path, sniff(path, path, delimiter=None, header=True, notes=[]), infer=True)
    assert found is not None
    assert [each.to_pylist() for each in found.columns] == [[1, 2], ["Lee, Ann", None]]


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"x""y",z\n',
        'a,b\n"",z\n',
        'a,b\nx"y,z\n',
        'a,b\n"x"y,z\n',
        'a,b\n"x\ny",z\n',
        'a\tb\n"x"\ty\n',
        "a,b\r\nx,y\r\n",
        "a,b\nx\n",
        "a,b\nx,y\n\nz,w\n",
        "a,b\n",
        "a,b\n1.5,x\n",
        "a,b\n2020-02-30,x\n",
        "a,b\n2020-01-01 00:00:00,x\n",
        "a,b\n1234567890123456789,1.0\n",
        "a,b\nx\x01,y\n",
        "\ufeffa,b\nx,y\n",
    ],
)
def test_what_is_odd_is_left_to_duckdb(text, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    assert read_plain(path, sniff(path, path, delimiter=None, header=True, notes=[]), infer=True) is None


def test_a_large_file_is_left_to_duckdb(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text("a,b\nx,y\n")
    dialect = sniff(path, path, delimiter=None, header=True, notes=[])
    assert read_plain(path, dialect, infer=True) is not None
    monkeypatch.setattr(sys.modules["onoma.corpus.readers.plain"], "_MOST_BYTES", 3)
    assert read_plain(path, dialect, infer=True) is None


def test_bytes_that_are_no_utf8_are_left_to_others(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\nx,\xff\n")
    assert read_plain(path, sniff(path, path, delimiter=None, header=True, notes=[]), infer=True) is None


def test_without_a_header_the_first_line_is_data(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x,1\ny,2\n")
    assert read_table(path, header=False).table.equals(pa.table({"column_1": ["x", "y"], "column_2": [1, 2]}))
