"""Fingerprints of texts and of rows: 64 bits that are the same on every machine and in every version."""

import json
import zlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus._fingerprint_kernels import hash_texts

__all__ = ["row_fingerprints", "text_fingerprints"]


def text_fingerprints(texts: Sequence[str] | pa.Array, *, kind: int = 0) -> NDArray[np.uint64]:
    """Return 64 bits for each text; the same text has others under another kind.

    Examples
    --------
    >>> one, other = text_fingerprints(["Ada", "Bob"])
    >>> bool(one == text_fingerprints(["Ada"])[0]), bool(one == other), bool(one == text_fingerprints(["Ada"], kind=1))
    (True, False, False)
    """
    array = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string())
    array = array.cast(pa.large_string())
    _, offsets, data = array.buffers()
    found = np.empty(len(array), dtype=np.uint64)
    if len(array) == 0:
        return found
    places = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1].copy()
    signs = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8).copy()
    hash_texts(places, signs, np.uint64(kind), found)
    return found


def row_fingerprints(table: pa.Table) -> NDArray[np.uint64]:
    """Return 64 bits for each row, by the names and values of its columns, whatever their order and type.

    A missing value says as much as a column that is not there.

    Examples
    --------
    >>> one = row_fingerprints(pa.table({"name": ["Ada"], "born": [1815]}))
    >>> bool(one == row_fingerprints(pa.table({"born": ["1815"], "name": ["Ada"], "died": [None]})))
    True
    """
    total = np.zeros(len(table), dtype=np.uint64)
    for name in table.column_names:
        texts = _texts(table[name])
        there = np.asarray(pc.is_valid(texts), dtype=np.bool_)
        found = text_fingerprints(pc.fill_null(texts, ""), kind=zlib.crc32(name.encode()))
        total += np.where(there, found, np.uint64(0))
    return total


def _texts(column: pa.ChunkedArray) -> pa.Array:
    try:
        texts = column.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        shown = [None if value is None else json.dumps(value, default=str) for value in column.to_pylist()]
        return pa.array(shown, pa.large_string())
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
