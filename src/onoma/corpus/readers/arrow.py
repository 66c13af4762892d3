"""Tables that are already in memory: pandas, Polars, DuckDB, PyArrow and everything else that speaks Arrow."""

import pyarrow as pa

from onoma.errors import DataError

__all__ = ["from_arrow"]


def from_arrow(frame: object) -> pa.Table:
    """Take any object with the Arrow PyCapsule stream (`__arrow_c_stream__`) as a table, without a copy where possible.

    Examples
    --------
    >>> from_arrow(pa.table({"id": [1, 2]})).num_rows
    2
    """
    if isinstance(frame, pa.Table):
        return frame
    if not hasattr(frame, "__arrow_c_stream__"):
        kind = f"{type(frame).__module__}.{type(frame).__qualname__}".removeprefix("builtins.")
        raise DataError(
            f"a {kind} came; a table is a file name, or any object that speaks Arrow (has __arrow_c_stream__)",
            hint="pandas, Polars, DuckDB and PyArrow tables do; turn lists and dicts into one with pyarrow.table(...).",
        )
    try:
        return pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"the table could not be taken over through Arrow: {error}") from error
