"""Parquet: types, names and rows as they are."""

from pathlib import Path

import pyarrow as pa

from onoma.errors import DataError

__all__ = ["read_parquet"]


def read_parquet(plain: Path, path: Path) -> pa.Table:
    """Read a Parquet file; damage anywhere in it is an error, for its rows cannot be told apart."""
    import pyarrow.parquet as pq  # with doors to file systems far away: much to load, for this alone

    try:
        # memory_map off: a file cut off while it is read would otherwise end the process
        table = pq.ParquetFile(plain, memory_map=False, page_checksum_verification=True).read()
        table.validate(full=True)  # texts that are no UTF-8, offsets that lead nowhere
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        hint = "Fetch or make the file again."
        raise DataError(f"is damaged, cut off, or no Parquet file ({reason})", file=path, hint=hint) from error
    return table
