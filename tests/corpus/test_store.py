"""The door to DuckDB: types of columns of text."""

from pathlib import Path

import pyarrow as pa
import pytest

from onoma.corpus.store import TYPES, ScanError, TextScan


def types_of(*columns: list[str | None]) -> list[str]:
    table = pa.table([pa.array(column, pa.string()) for column in columns], [str(i) for i in range(len(columns))])
    with TextScan(table, len(columns)) as scan:
        return scan.types()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", None, "22"], "BIGINT"),
        (["1", "2.5"], "DOUBLE"),
        (["2.0", "2"], "VARCHAR"),
        (["1e-05", "0.00001"], "VARCHAR"),
        ([None, None], "VARCHAR"),
        ([], "VARCHAR"),
        (["1e-999", "1.5"], "VARCHAR"),
        (["1234567890123456.7", "1.5"], "VARCHAR"),
        (["1234567890123456.8", "1.5"], "DOUBLE"),
        (["0.10000000000000001", "1.5"], "VARCHAR"),
        (["0e-05", "0.5"], "DOUBLE"),
        (["1e+999", "1.5"], "VARCHAR"),
    ],
)
def test_types(values: list[str | None], kind: str):
    assert types_of(values) == [kind]


def test_each_column_has_its_own_type():
    assert types_of(["1"], ["x"], ["true"], ["2024-01-01"], ["2024-01-01 00:00:00"], ["0.5"]) == [
        "BIGINT",
        "VARCHAR",
        "BOOLEAN",
        "DATE",
        "TIMESTAMP",
        "DOUBLE",
    ]
    assert set(TYPES) == {"BIGINT", "BOOLEAN", "DOUBLE", "DATE", "TIMESTAMP"}


def test_the_order_of_rows_is_kept(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("n\n" + "".join(f"{i}\n" for i in range(300_000)))
    with TextScan(path, 1) as scan:
        assert scan.table(["BIGINT"])["c0"].to_pylist() == list(range(300_000))


def test_a_file_it_cannot_read_is_a_scan_error(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1\n")
    with TextScan(path, 2) as scan, pytest.raises(ScanError):
        scan.table(["VARCHAR", "VARCHAR"])
