"""The blocks of a file as DuckDB wrote them, each with a sum of its bytes.

DuckDB compares the sum of a block when it reads it, and it reads what a question needs: a byte that was changed in an
index, or in a column that nobody asks for, is found by reading all. A file has three headers of 4,096 bytes and then
its blocks; each begins with eight bytes, the sum of what follows:

    5381 ⊕ w₁·c ⊕ w₂·c ⊕ …,    w the words of 64 bits, c = 0xBF58476D1CE4E5B9 (modulo 2⁶⁴).
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["wrong_blocks"]

_HEADER, _HEADERS = 4096, 3
_MAGIC, _FIRST, _FACTOR = b"DUCK", np.uint64(5381), np.uint64(0xBF58476D1CE4E5B9)
_SIZE_AT = 5
"""Which word of a header after the first is the size of blocks."""


def wrong_blocks(path: Path) -> list[str]:
    """Return the headers and blocks of a file whose sums are wrong; none, where the file is of another make."""
    with path.open("rb") as file:
        headers = [file.read(_HEADER) for _ in range(_HEADERS)]
        if len(headers[-1]) < _HEADER or headers[0][8:12] != _MAGIC:
            return []
        fits = [_fits(each) for each in headers]
        if not any(fits):  # sums are made otherwise
            return []
        found = [f"header {i} of the file is not as it was written" for i, is_right in enumerate(fits) if not is_right]
        sizes = [int(np.frombuffer(each, np.uint64)[_SIZE_AT]) for each in headers[1:] if _fits(each)]
        size = max(sizes, default=0)
        if size < _HEADER or size % 8:
            return found
        number = 0
        while block := file.read(size):
            if len(block) < size or not _fits(block):
                found.append(f"block {number:,} of the file is not as it was written")
            number += 1
    return found


def _fits(block: bytes) -> bool:
    words: NDArray[np.uint64] = np.frombuffer(block, np.uint64)
    with np.errstate(over="ignore"):
        return bool(words[0] == _FIRST ^ np.bitwise_xor.reduce(words[1:] * _FACTOR))
