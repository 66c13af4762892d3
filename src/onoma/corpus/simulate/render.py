"""Codes to strings, a batch of rows at a time, in Arrow: no Python for each row."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.progress import Progress

__all__ = ["BATCH_ROWS", "batches", "choose", "gather", "gold", "join", "numbered", "phrases", "plain"]

BATCH_ROWS = 1 << 18
"""Rows rendered at a time. Part of the recipe: streams are named by the batch, so another size is another corpus."""

THREADS = 2

Render = Callable[[int, NDArray[np.int64]], dict[str, pa.Array]]


def batches(order: NDArray[np.int64], render: Render, *, name: str, progress: Progress) -> Iterator[pa.RecordBatch]:
    """Yield the rows in the given order: `render` turns a batch's number and its rows into columns.

    Batches are rendered ahead in threads (Arrow and the kernels leave the interpreter free); their order and content do
    not depend on that.
    """
    digits = len(str(len(order)))

    def one(number: int, start: int) -> pa.RecordBatch:
        rows = order[start : start + BATCH_ROWS]
        ids = numbered(np.arange(start, start + len(rows)), prefix=name[0], digits=digits)
        return pa.RecordBatch.from_pydict({"id": ids} | render(number, rows))

    with (
        progress.task(f"simulating {name}", total=len(order), unit="rows") as task,
        ThreadPoolExecutor(THREADS) as threads,
    ):
        ahead: deque[Future[pa.RecordBatch]] = deque()
        starts = range(0, len(order), BATCH_ROWS)
        for number in range(len(starts) + THREADS):
            if number < len(starts):
                ahead.append(threads.submit(one, number, starts[number]))
            if number >= THREADS and ahead:
                batch = ahead.popleft().result()
                task.advance(batch.num_rows)
                yield batch


def numbered(numbers: NDArray[np.integer], *, prefix: str = "", digits: int = 1) -> pa.Array:
    """Return numbers as strings, filled up with zeros.

    Examples
    --------
    >>> numbered(np.array([7, 12]), prefix="r", digits=3).to_pylist()
    ['r007', 'r012']
    """
    text = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), width=digits, padding="0")
    return join([pa.scalar(prefix), text]) if prefix else text


def gold(entities: NDArray[np.integer]) -> pa.Array:
    """Return the names of entities."""
    return numbered(entities, prefix="e")


def gather(values: pa.Array, codes: NDArray[np.integer]) -> pa.Array:
    """Return the values at some positions; null at -1."""
    missing = codes < 0
    return values.take(pa.array(codes, mask=missing) if missing.any() else pa.array(codes))


def join(parts: list[pa.Array | pa.Scalar], by: str = "", *, skip_nulls: bool = False) -> pa.Array:
    """Return the parts of each row as one string."""
    if skip_nulls:
        return pc.binary_join_element_wise(*parts, by, null_handling="skip")
    return pc.binary_join_element_wise(*parts, by)


def choose(mask: NDArray[np.bool_], there: pa.Array | pa.Scalar | None, elsewhere: pa.Array | pa.Scalar) -> pa.Array:
    """Return one column where the mask holds, the other elsewhere; None blanks."""
    if not mask.any() and isinstance(elsewhere, pa.Array):
        return elsewhere
    return pc.if_else(pa.array(mask), pa.scalar(None, pa.string()) if there is None else there, elsewhere)


def phrases(vocabulary: pa.Array, codes: NDArray[np.int32], lengths: NDArray[np.integer], *, by: str = " ") -> pa.Array:
    """Return one string for each run of words."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), gather(vocabulary, codes)), by)


def plain(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return one contiguous array that begins at its buffers' start."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return array if array.offset == 0 else pa.concat_arrays([array, pa.array([], array.type)])
