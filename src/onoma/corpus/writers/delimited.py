"""Write CSV and TSV: UTF-8, a header, quotes only where needed; null is nothing and an empty text is `""`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.writers.files import open_output
from onoma.corpus.writers.plain import to_json
from onoma.errors import DataError

__all__ = ["Formulas", "count_formulas", "flat", "formulas", "write_csv", "write_tsv"]

_BATCH_ROWS = 1 << 16


_FORMULA = "^[=+\\-@\\t\\r]"
"""How a text begins that a spreadsheet takes for a formula."""


@dataclass
class Formulas:
    """What is done with texts that a spreadsheet would take for formulas, and how many have been written."""

    quote: bool = False
    n_written: int = 0


_FORMULAS: ContextVar[Formulas | None] = ContextVar("formulas", default=None)


@contextmanager
def formulas(*, quote: bool) -> Iterator[Formulas]:
    r"""Say for all delimited files that are written inside whether formulas are quoted; give their number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, formulas(quote=True) as found:
    ...     write_csv(pa.table({"name": ["=1+2", "Ada"]}), path := Path(folder) / "x.csv")
    ...     path.read_text(), found.n_written
    ("name\n'=1+2\nAda\n", 1)
    """
    token = _FORMULAS.set(found := Formulas(quote))
    try:
        yield found
    finally:
        _FORMULAS.reset(token)


def write_csv(table: pa.Table, path: str | Path, *, delimiter: str = ",", quote_formulas: bool | None = None) -> None:
    """Write comma-separated values, packed if the name ends in .gz or .zst.

    Parameters
    ----------
    table
        Lists and other nested values are written as JSON.
    path
        The file; it is replaced whole, or not touched if something is wrong.
    delimiter
        Another character, if not the comma.
    quote_formulas
        Write an apostrophe before texts that a spreadsheet would take for formulas (they begin with `=`, `+`, `-`, `@`,
        a tab or a carriage return), and before such names of columns. None: as `formulas` says, else not: what comes
        out is what came in.
    """
    if (around := _FORMULAS.get()) is not None:
        around.n_written += count_formulas(table)
        quote_formulas = around.quote if quote_formulas is None else quote_formulas
    names = pa.array(table.column_names, pa.string())
    with open_output(path) as output:
        header = _quoted(_disarmed(names) if quote_formulas else names, delimiter).to_pylist()
        output.write((delimiter.join(header) + "\n").encode("utf-8"))
        for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
            texts = [
                _as_text(column, field.name, path) for column, field in zip(batch.columns, batch.schema, strict=True)
            ]
            if quote_formulas:
                kinds = [field.type for field in batch.schema]
                texts = [_disarmed(text) if _is_text(kind) else text for text, kind in zip(texts, kinds, strict=True)]
            columns = [_quoted(text, delimiter) for text in texts]
            if len(columns) == 1:
                columns = [pc.fill_null(columns[0], '""')]  # a blank line would be no row
            if columns and len(batch):
                lines = pc.binary_join_element_wise(
                    *columns, delimiter, null_handling="replace", null_replacement=""
                ).to_pylist()
                output.write(("\n".join(lines) + "\n").encode("utf-8"))


def write_tsv(table: pa.Table, path: str | Path, *, quote_formulas: bool | None = None) -> None:
    """Write tab-separated values, otherwise as `write_csv`."""
    write_csv(table, path, delimiter="\t", quote_formulas=quote_formulas)


def count_formulas(table: pa.Table) -> int:
    """Count the texts that a spreadsheet would take for formulas.

    Examples
    --------
    >>> count_formulas(pa.table({"name": ["=1+2", "Ada"], "balance": [-5, 3]}))
    1
    """
    columns = [column for column in table.columns if _is_text(column.type)]
    return sum(pc.sum(pc.match_substring_regex(column, _FORMULA)).as_py() or 0 for column in columns)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _disarmed(text: pa.Array) -> pa.Array:
    armed = pc.match_substring_regex(text, _FORMULA)
    return pc.if_else(armed, pc.binary_join_element_wise("'", text, ""), text)


def _as_text(column: pa.Array, name: str, path: str | Path) -> pa.Array:
    kind = column.type
    if pa.types.is_nested(kind):
        return pa.array([None if value is None else to_json(value, path) for value in column.to_pylist()], pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        raise DataError(
            "binary values cannot be written as text", file=path, column=name, hint="Write .parquet instead."
        )
    if pa.types.is_float64(kind):
        return pa.array([None if value is None else _number(value) for value in column.to_pylist()], pa.string())
    try:
        text = column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"{kind} cannot be written as text: {error}", file=path, column=name) from error
    if pa.types.is_timestamp(kind):
        text = pc.replace_substring_regex(text, r"(\.\d*?)0+(Z|[+-]\d+:?\d*)?$", r"\1\2")
        text = pc.replace_substring_regex(text, r"\.(Z|[+-]\d+:?\d*)?$", r"\1")
    return text


def _number(value: float) -> str:
    """Write a number as short as it can be read again, and without an exponent as long as that is not absurd."""
    return repr(value).removesuffix(".0")


def _quoted(text: pa.Array, delimiter: str) -> pa.Array:
    """Put quotes where a reader would be misled without: around delimiters, quotes, line ends, an empty text."""
    marks = "\\t" if delimiter == "\t" else f"\\{delimiter}"
    needed = pc.match_substring_regex(text, f'["\\r\\n{marks}]|^$|^\\s|\\s$|^\ufeff')
    if not pc.any(needed).as_py():
        return text
    escaped = pc.replace_substring(text, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise('"', escaped, '"', ""), text)


def flat(table: pa.Table) -> pa.Table:
    """Return lists and structures as JSON: a delimited file has no room for them."""
    for at, column in enumerate(table.schema):
        if pa.types.is_nested(column.type):
            texts = [
                None if value is None else json.dumps(value, default=str) for value in table.column(at).to_pylist()
            ]
            table = table.set_column(at, column.name, pa.array(texts, pa.string()))
    return table
