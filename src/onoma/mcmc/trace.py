"""The trace of a chain: what an observer wants, one row every so many sweeps; nothing a chain reads."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["TRACE", "Trace"]

TRACE = np.dtype(
    [
        ("chain", np.int32),
        ("sweep", np.int64),
        ("temperature", np.float64),
        ("log_score", np.float64),
        ("best_log_score", np.float64),
        ("n_factors", np.int64),
        ("n_proposals", np.int64),
        ("n_accepted", np.int64),
        ("seconds", np.float64),
    ]
)
"""Counts run from the start of the chain. In Gibbs sampling a proposal is an update, accepted if it changes a value."""


class Trace:
    """Rows, added one at a time."""

    def __init__(self, rows: NDArray[np.void] | None = None) -> None:
        self._rows: list[tuple[float, ...]] = [] if rows is None else [tuple(row) for row in rows.tolist()]

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, *row: float) -> None:
        """Add a row, in the order of `TRACE`."""
        self._rows.append(row)

    def array(self) -> NDArray[np.void]:
        """Return the rows as a structured array."""
        return np.array(self._rows, dtype=TRACE)

    def table(self) -> pa.Table:
        """Return the rows as a table."""
        rows = self.array()
        return pa.table({name: pa.array(np.ascontiguousarray(rows[name])) for name in TRACE.names or ()})
