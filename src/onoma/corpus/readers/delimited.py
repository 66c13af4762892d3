"""CSV, TSV and other delimited text.

A small file without anything odd in it is split as it is (`plain.py`). DuckDB reads any other clean file, and an
independent count of its rows says whether it read them all. Anything else is read again line by line (`careful.py`), so
that kept and rejected rows together are the rows of the file.
"""

import pyarrow as pa

from onoma.corpus.readers.dialect import sniff
from onoma.corpus.readers.files import REJECTS
from onoma.corpus.readers.plain import read_plain
from onoma.corpus.readers.source import Source

__all__ = ["read_delimited"]


def read_delimited(
    source: Source, *, reject: bool, delimiter: str | None, header: bool, infer: bool
) -> tuple[pa.Table, pa.Table, list[str]]:
    """Read a delimited file: its table, what was rejected, and notes.

    Parameters
    ----------
    source
        The file.
    reject
        Whether bad rows are collected rather than to stop.
    delimiter
        None: look for it.
    header
        Whether the first row has the names.
    infer
        Whether columns take types; otherwise all are text.
    """
    path, plain, notes = source.path, source.plain, list(source.notes)
    dialect = sniff(plain, path, delimiter=delimiter, header=header, notes=notes)
    table, rejects = read_plain(plain, dialect, infer=infer), REJECTS.empty_table()
    if table is None:
        from onoma.corpus.readers.scanned import read_scanned  # and DuckDB with it, much to load

        table, rejects, dialect = read_scanned(plain, path, dialect, reject=reject, infer=infer)
    if not dialect.quoted:
        notes.append("quotes are not used as quotes in this file and were kept as text")
    return table.rename_columns(dialect.names), rejects, notes
