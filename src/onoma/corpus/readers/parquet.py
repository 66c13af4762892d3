"""Parquet: types, names and rows as they are."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from onoma.corpus.readers.files import compression_of, read_bytes
from onoma.errors import DataError

__all__ = ["read_parquet"]


def read_parquet(path: Path) -> pa.Table:
    """Read a Parquet file; damage anywhere in it is an error, for its rows cannot be told apart."""
    with path.open("rb") as file:
        packed = compression_of(file.read(4))
    try:
        # memory_map off: a file cut off while it is read would otherwise end the process
        return pq.ParquetFile(io.BytesIO(read_bytes(path)) if packed else path, memory_map=False).read()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        hint = "Fetch or make the file again."
        raise DataError(f"is damaged, cut off, or no Parquet file ({reason})", file=path, hint=hint) from error
