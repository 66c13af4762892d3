"""Write Parquet."""

from pathlib import Path

import pyarrow as pa

from onoma.corpus.writers.files import open_output
from onoma.errors import DataError

__all__ = ["write_parquet"]


def write_parquet(table: pa.Table, path: str | Path) -> None:
    """Write Parquet, compressed inside with zstd, with checksums."""
    import pyarrow.parquet as pq  # with doors to file systems far away: much to load, for this alone

    try:
        with open_output(path) as output:
            pq.write_table(table, output, compression="zstd", write_page_checksum=True)
    except pa.ArrowException as error:
        raise DataError(f"the table cannot be written as Parquet: {error}", file=path) from error
