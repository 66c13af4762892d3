"""Tables in files: what is read is what was written."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.formats import write_table
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, SettingsError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    [
        '"',
        '""',
        "a,b",
        "x\ny",
        "x\r\ny",
        "\r",
        " lead",
        "tail ",
        "007",
        "nan",
        "NULL",
        "true",
        "1e5",
        "#",
        "\ufeff",
        "\\",
        "'",
        "\t",
    ]
)


@st.composite
def text_tables(draw: st.DrawFn) -> pa.Table:
    names = draw(st.lists(TEXT.filter(bool), min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*(TEXT | st.none() for _ in names)), max_size=6))
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pa.table([pa.array(column, pa.string()) for column in columns], names)


def without_empty(table: pa.Table) -> dict[str, list[str | None]]:
    """Delimited text does not tell an empty text from none."""
    return {
        name: [value or None for value in column.to_pylist()]
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


@pytest.mark.parametrize("name", ["\x1f", "\xa0", "\u3000"])
def test_a_name_that_looks_blank_takes_no_row_with_it(name, tmp_path):
    write_table(pa.table({name: pa.array([None, "7"], pa.string())}), tmp_path / "x.csv")
    assert read_table(tmp_path / "x.csv", types="text").table.to_pydict() == {name: [None, "7"]}


def test_a_short_text_with_a_zero_byte_is_text(tmp_path):
    write_table(pa.table({"\0": pa.array([], pa.string())}), tmp_path / "x.csv")
    assert read_table(tmp_path / "x.csv", types="text").table.column_names == ["\0"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@settings(max_examples=60, deadline=None)
@given(table=text_tables())
def test_delimited_text_round_trip(table: pa.Table, suffix: str, tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("t") / f"x{suffix}"
    write_table(table, path)
    found = read_table(path, types="text", delimiter="\t" if ".tsv" in suffix else ",")
    assert without_empty(found.table) == without_empty(table)
    assert len(found.rejects) == 0


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@settings(max_examples=30, deadline=None)
@given(table=text_tables())
def test_exact_round_trip(table: pa.Table, suffix: str, tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("t") / f"x{suffix}"
    write_table(table, path)
    if len(table) == 0 and "jsonl" in suffix:
        return  # no rows, no keys
    assert read_table(path).table.to_pydict() == table.to_pydict()


NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.dates(), TEXT
)


@settings(max_examples=40, deadline=None)
@given(values=st.lists(NUMBERS.map(str), min_size=1, max_size=6))
def test_inferred_types_lose_no_value(values: list[str], tmp_path_factory: pytest.TempPathFactory):
    """Whatever type a column takes, values that differ in the file differ in the table, and texts stay as they are."""
    path = tmp_path_factory.mktemp("t") / "x.csv"
    table = pa.table({"n": [str(i) for i in range(len(values))], "x": values})
    write_table(table, path)
    found = read_table(path).table["x"]
    read = found.to_pylist()
    assert [value or None for value in values] == read or not pa.types.is_string(found.type)
    assert len({value or None for value in values}) == len(set(read))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["7", "8"], pa.int64()),
        (["-7", "0", ""], pa.int64()),
        (["007", "8"], pa.string()),
        (["+7", "8"], pa.string()),
        (["-0", "8"], pa.string()),
        ([" 7", "8"], pa.string()),
        (["9223372036854775807", "1"], pa.int64()),
        (["9223372036854775808", "1"], pa.string()),
        (["12345678901234567", "1.5"], pa.string()),
        (["1.5", "2"], pa.float64()),
        (["2.50", "3.99"], pa.float64()),
        (["1.1", "1.10"], pa.string()),
        (["1e5", "2"], pa.string()),
        (["1e-05", "2.5"], pa.float64()),
        (["0.1", "0.30000000000000004"], pa.float64()),
        (["1.5", "nan"], pa.string()),
        (["1.5", "inf"], pa.string()),
        (["1_000", "2"], pa.string()),
        (["0x1F", "2"], pa.string()),
        (["true", "false"], pa.bool_()),
        (["true", "True"], pa.string()),
        (["t", "f"], pa.string()),
        (["2024-02-29", "1999-12-31"], pa.date32()),
        (["2023-02-29", "1999-12-31"], pa.string()),
        (["2024-2-9", "1999-12-31"], pa.string()),
        (["2024-02-29 10:00:00", "1999-12-31 00:00:01"], pa.timestamp("us")),
        (["NULL", "NA"], pa.string()),
        (["", ""], pa.string()),
        (["x", "7"], pa.string()),
    ],
)
def test_types(values: list[str], kind: pa.DataType, tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("n,x\n" + "".join(f"{i},{value}\n" for i, value in enumerate(values)))
    found = read_table(path).table["x"]
    assert found.type == kind
    if kind == pa.string():
        assert found.to_pylist() == [value or None for value in values]


def test_a_type_that_fails_late_is_text_from_the_start(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("n,x\n" + "".join(f"{i},{i}\n" for i in range(30_000)) + "30000,007\n")
    table = read_table(path).table
    assert table.schema.types == [pa.int64(), pa.string()]
    assert table["x"][0].as_py() == "0"
    assert table["x"][30_000].as_py() == "007"


def test_a_million_rows_keep_every_row_and_column(tmp_path: Path):
    n = 1_000_000
    rng = np.random.default_rng(7)
    table = pa.table(
        {
            "id": np.arange(n),
            "zip": pa.array(rng.integers(0, 100_000, n)).cast(pa.string()),
            "text": pa.array(["plain", "a, b", 'the "x"', "two\nlines"]).take(pa.array(rng.integers(0, 4, n))),
        }
    )
    path = tmp_path / "x.csv"
    pa_csv.write_csv(table, path)
    found = read_table(path)
    assert found.table.column_names == table.column_names
    assert found.table["id"].equals(table["id"])
    assert found.table["text"].equals(table["text"])
    assert len(found.rejects) == 0


def test_every_row_is_kept_or_rejected(tmp_path: Path):
    """A file with known damage: the rejects are exactly the damaged rows, in their order and with their lines."""
    rng = np.random.default_rng(3)
    lines, bad, good = ["a,b,c"], [], []
    for i in range(5_000):
        kind = rng.integers(0, 40)
        if kind == 0:
            bad.append(len(lines) + 1)
            lines.append(f"{i},short")
        elif kind == 1:
            bad.append(len(lines) + 1)
            lines.append(f"{i},too,long,by one")
        elif kind == 2:
            bad.append(len(lines) + 1)
            lines.append(f'{i},"text"after,x')
        elif kind == 3:
            good.append(str(i))
            lines += [f'{i},"two', 'lines",x']
        else:
            good.append(str(i))
            lines.append(f"{i},x,y")
    path = tmp_path / "x.csv"
    path.write_text("\n".join(lines) + "\n")
    found = read_table(path, on_error="reject", types="text")
    assert found.rejects["row"].to_pylist() == bad
    assert found.rejects["text"].to_pylist() == [lines[row - 1] for row in bad]
    assert found.table["a"].to_pylist() == good


def test_a_field_of_ten_megabytes(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1," + "x" * 10_000_000 + "\n2,y\n")
    assert [len(value) for value in read_table(path).table["b"].to_pylist()] == [10_000_000, 1]
    path.write_text('a,b\n1,"' + "x" * 10_000_000 + '"\n2\n')
    assert len(read_table(path, on_error="reject").table) == 1


def test_a_nul_is_a_character(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n" + b"1,some longer text\n" * 20 + b"2,x\0y\n")
    assert read_table(path).table["b"][20].as_py() == "x\0y"


def test_names_are_kept_and_made_unique(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("Name,name,Name,, Name ,Name_2\n1,2,3,4,5,6\n")
    found = read_table(path)
    assert found.table.column_names == ["Name", "name", "Name_3", "column_4", " Name ", "Name_2"]
    assert len(found.notes) == 2


def test_a_file_without_header(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("1,x\n2,y\n")
    assert read_table(path, header=False).table.to_pydict() == {"column_1": [1, 2], "column_2": ["x", "y"]}
    assert "no header" not in "".join(read_table(path).notes)
    path.write_text("1,2\n3,4\n")
    assert "no header" in read_table(path).notes[0]


def test_header_only(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("id,name\n")
    found = read_table(path)
    assert found.table.column_names == ["id", "name"]
    assert len(found.table) == 0


def test_tabs_with_bare_quotes(tmp_path: Path):
    path = tmp_path / "x.tsv"
    path.write_text('a\tb\n1\t"Hello," she said\n2\t5" pipe\n')
    found = read_table(path)
    assert found.table["b"].to_pylist() == ['"Hello," she said', '5" pipe']
    assert "kept as text" in found.notes[0]


@pytest.mark.parametrize("name", ["we[i]rd*?.csv", "it's.csv", "with space.csv", "ünï.csv", "~x.csv", "%d.csv"])
def test_names_of_files_are_names(name: str, tmp_path: Path):
    (tmp_path / name).write_text("a,b\n1,2\n")
    (tmp_path / "weird1x.csv").write_text("a,b\n3,4\n")
    assert read_table(tmp_path / name).table.to_pydict() == {"a": [1], "b": [2]}


def test_json_lines(tmp_path: Path):
    path = tmp_path / "x.jsonl.gz"
    lines = [
        '{"id": "007", "n": 1, "x": 1.5, "names": ["a", "b"], "deep": {"k": [1]}, "big": 123456789012345678901}',
        '{"id": "8", "n": 2, "x": 2, "late": true, "mix": 1}',
        '{"id": "nan", "mix": "one", "text": "x\\ny"}',
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    found = read_table(path)
    assert found.table.to_pydict() == {
        "id": ["007", "8", "nan"],
        "n": [1, 2, None],
        "x": [1.5, 2.0, None],
        "names": [["a", "b"], None, None],
        "deep": ['{"k": [1]}', None, None],
        "big": ["123456789012345678901", None, None],
        "late": [None, True, None],
        "mix": [None, "1", "one"],
        "text": [None, None, "x\ny"],
    }
    assert len(found.notes) == 3
    assert read_table(path, types="text").table["n"].to_pylist() == ["1", "2", None]


def test_whole_numbers_beyond_a_double_do_not_become_one(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"x": 9007199254740993}\n{"x": 0.5}\n')
    assert read_table(path).table["x"].to_pylist() == ["9007199254740993", "0.5"]


def test_parquet_keeps_types(tmp_path: Path):
    table = pa.table({"a": pa.array([1, None], pa.int8()), "b": pa.array([[1], []], pa.list_(pa.int32()))})
    write_table(table, tmp_path / "x.parquet")
    assert read_table(tmp_path / "x.parquet").table.schema.types == table.schema.types


def test_settings_are_checked(tmp_path: Path):
    path = tmp_path / "x.dat"
    path.write_text("a,b\n1,2\n")
    for wrong in ({"on_error": "skip"}, {"types": "auto"}, {"delimiter": "::"}, {"format": "xls"}):
        with pytest.raises(SettingsError, match=str(*wrong.values())):
            read_table(path, **wrong)
    with pytest.raises(DataError, match="known endings"):
        read_table(path)
    assert len(read_table(path, format="csv").table) == 1


def test_typed_values_come_back(tmp_path: Path):
    table = pa.table(
        {
            "i": [1, -2, None],
            "f": [0.1, 1e-7, None],
            "b": [True, False, None],
            "d": pa.array([0, 19_000, None], pa.date32()),
            "t": pa.array([0, 1_500_000, None], pa.timestamp("us")),
            "s": ["a", "007", None],
            "c": pa.array(["x", "y", None]).dictionary_encode(),
        }
    )
    for name in ("x.csv", "x.tsv", "x.parquet"):
        write_table(table, tmp_path / name)
        assert read_table(tmp_path / name).table.to_pydict() == table.to_pydict()
    assert (tmp_path / "x.csv").read_text().splitlines()[1] == "1,0.1,true,1970-01-01,1970-01-01 00:00:00,a,x"
