"""Write JSON Lines."""

from pathlib import Path

import pyarrow as pa

from onoma.corpus.writers.files import open_output
from onoma.corpus.writers.plain import to_json

__all__ = ["write_jsonl"]

_BATCH_ROWS = 1 << 14


def write_jsonl(table: pa.Table, path: str | Path) -> None:
    """Write one object a line with every column in it, packed if the name ends in .gz or .zst."""
    with open_output(path) as output:
        for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
            output.write("".join(to_json(row, path) + "\n" for row in batch.to_pylist()).encode("utf-8"))
