"""Write CSV and TSV: UTF-8, a header, quotes only where needed; null is nothing and an empty text is `""`."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.writers.files import open_output
from onoma.corpus.writers.plain import to_json
from onoma.errors import DataError

__all__ = ["write_csv", "write_tsv"]

_BATCH_ROWS = 1 << 16


def write_csv(table: pa.Table, path: str | Path, *, delimiter: str = ",") -> None:
    """Write comma-separated values, packed if the name ends in .gz or .zst.

    Parameters
    ----------
    table
        Lists and other nested values are written as JSON.
    path
        The file; it is replaced whole, or not touched if something is wrong.
    delimiter
        Another character, if not the comma.
    """
    with open_output(path) as output:
        names = [_quoted(pa.array([name], pa.string()), delimiter)[0].as_py() for name in table.column_names]
        output.write((delimiter.join(names) + "\n").encode("utf-8"))
        for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
            columns = [
                _quoted(_as_text(column, field.name, path), delimiter)
                for column, field in zip(batch.columns, batch.schema, strict=True)
            ]
            if len(columns) == 1:
                columns = [pc.fill_null(columns[0], '""')]  # a blank line would be no row
            if columns and len(batch):
                lines = pc.binary_join_element_wise(
                    *columns, delimiter, null_handling="replace", null_replacement=""
                ).to_pylist()
                output.write(("\n".join(lines) + "\n").encode("utf-8"))


def write_tsv(table: pa.Table, path: str | Path) -> None:
    """Write tab-separated values, otherwise as `write_csv`."""
    write_csv(table, path, delimiter="\t")


def _as_text(column: pa.Array, name: str, path: str | Path) -> pa.Array:
    kind = column.type
    if pa.types.is_nested(kind):
        return pa.array([None if value is None else to_json(value, path) for value in column.to_pylist()], pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        raise DataError(
            "binary values cannot be written as text", file=path, column=name, hint="Write .parquet instead."
        )
    try:
        text = column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"{kind} cannot be written as text: {error}", file=path, column=name) from error
    if pa.types.is_timestamp(kind):
        text = pc.replace_substring_regex(text, r"(\.\d*?)0+(Z|[+-]\d+:?\d*)?$", r"\1\2")
        text = pc.replace_substring_regex(text, r"\.(Z|[+-]\d+:?\d*)?$", r"\1")
    return text


def _quoted(text: pa.Array, delimiter: str) -> pa.Array:
    """Put quotes where a reader would be misled without: around delimiters, quotes, line ends, an empty text."""
    marks = "\\t" if delimiter == "\t" else f"\\{delimiter}"
    needed = pc.match_substring_regex(text, f'["\\r\\n{marks}]|^$|^\\s|\\s$|^\ufeff')
    escaped = pc.replace_substring(text, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise('"', escaped, '"', ""), text)
