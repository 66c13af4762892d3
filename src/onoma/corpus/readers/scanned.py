"""Delimited text read by DuckDB, and where it cannot, line by line."""

from pathlib import Path

import pyarrow as pa

from onoma.corpus.readers.careful import count_rows, read_carefully
from onoma.corpus.readers.dialect import Dialect
from onoma.corpus.readers.files import REJECTS
from onoma.corpus.store import ScanError, TextScan

__all__ = ["read_scanned"]


def read_scanned(
    plain: Path, path: Path, dialect: Dialect, *, reject: bool, infer: bool
) -> tuple[pa.Table, pa.Table, Dialect]:
    """Read a delimited file: its table, what was rejected, and how it turned out to be written.

    Parameters
    ----------
    plain, path
        The unpacked file, and the one the user named.
    dialect
        How it seems to be written.
    reject
        Whether bad rows are collected rather than to stop.
    infer
        Whether columns take types; otherwise all are text.
    """
    try:
        table, dialect = _scan_either(plain, dialect, infer=infer)
        return table, REJECTS.empty_table(), dialect
    except ScanError:
        text, rejects, dialect = _careful_either(plain, path, dialect, reject=reject)
        with TextScan(text, len(dialect.names)) as scan:
            table = scan.table(scan.types() if infer else ["VARCHAR"] * len(dialect.names))
        return table, rejects, dialect


def _scan_either(plain: Path, dialect: Dialect, *, infer: bool) -> tuple[pa.Table, Dialect]:
    """Read a clean file; in a tab-separated one quotes may mean themselves."""
    try:
        return _scan(plain, dialect, infer=infer), dialect
    except ScanError:
        if dialect.delimiter != "\t":
            raise
        bare = _bare(dialect)
        return _scan(plain, bare, infer=infer), bare


def _bare(dialect: Dialect) -> Dialect:
    """Take quotes as text; a header is then one line."""
    return dialect._replace(quoted=False) if dialect.header_lines == 1 else dialect


def _scan(plain: Path, dialect: Dialect, *, infer: bool) -> pa.Table:
    if not dialect.simple:
        raise ScanError("DuckDB would take another line for the header")
    names, delimiter, quoted, header = dialect.names, dialect.delimiter, dialect.quoted, dialect.header
    with TextScan(plain, len(names), delimiter=delimiter, quoted=quoted, header=header) as scan:
        table = scan.table(scan.types() if infer else ["VARCHAR"] * len(names))
    n_rows = count_rows(plain, dialect)
    if len(table) != n_rows:
        raise ScanError(f"DuckDB gave {len(table)} rows of {n_rows}")
    return table


def _careful_either(plain: Path, path: Path, dialect: Dialect, *, reject: bool) -> tuple[pa.Table, pa.Table, Dialect]:
    """Read carefully; in a tab-separated file take quotes as they reject less."""
    if dialect.delimiter != "\t":
        return *read_carefully(plain, path, dialect, reject=reject), dialect
    tries = [(*read_carefully(plain, path, how, reject=True), how) for how in (dialect, _bare(dialect))]
    best = min(tries, key=lambda attempt: len(attempt[1]))
    if len(best[1]) and not reject:
        read_carefully(plain, path, best[2], reject=False)  # raises for the first bad row
    return best
