"""What happens to a value on its way into a record: typing, scanning, abbreviating, leaving out.

Errors come in bunches: each record has its own *sloppiness*, Gamma distributed with mean 1, which multiplies the chance
of every error in it. So most records are nearly clean and a few are bad throughout, as in life.
"""

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.simulate._noise_kernels import edit_strings
from onoma.corpus.simulate.render import plain
from onoma.numerics.rng import kernel_state, stream

__all__ = ["happens", "initials", "lookalikes", "near_keys", "slips", "unaccented"]

ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
LOOKALIKES = dict(zip("0O1l5S8B2Z6GceunhbIoaftg", "O0l1S5B8Z2G6ecnubhlaotfq", strict=True))
RUN_TOGETHER = {"m": "rn", "w": "vv", "d": "cl"}
SECOND_SLIP = 0.15


def happens(rng: np.random.Generator, chance: float, sloppy: NDArray[np.float64] | int) -> NDArray[np.bool_]:
    """Return, for each record, whether something of the given chance happens to it."""
    n = sloppy if isinstance(sloppy, int) else len(sloppy)
    if chance <= 0:
        return np.zeros(n, dtype=bool)
    drawn = rng.random(n, dtype=np.float32)
    return np.asarray(drawn < (chance if isinstance(sloppy, int) else chance * sloppy))


def slips(
    column: pa.Array, hit: NDArray[np.bool_], *, scanned: float, seed: int, keys: tuple[int | str, ...]
) -> pa.Array:
    """Return a string column with one slip (sometimes two) in each value that is hit."""
    if not hit.any():
        return column
    column = plain(column)
    _, offsets, data = column.buffers()
    n_edits = hit.astype(np.int8)
    where = np.flatnonzero(hit)
    n_edits[where] += stream(seed, *keys, "second").random(len(where)) < SECOND_SLIP
    places, text = edit_strings(
        np.frombuffer(offsets, dtype=np.int32, count=len(column) + 1).copy(),
        np.frombuffer(data, dtype=np.uint8).copy() if data is not None else np.empty(0, dtype=np.uint8),
        n_edits,
        scanned,
        near_keys(),
        lookalikes(),
        kernel_state(seed, *keys),
    )
    valid = pa.array(np.asarray(column.is_valid())) if column.null_count else None
    edited = pa.StringArray.from_buffers(len(column), pa.py_buffer(places), pa.py_buffer(text))
    return edited if valid is None else pc.if_else(valid, edited, pa.scalar(None, pa.string()))


def initials(column: pa.Array) -> pa.Array:
    """Return the first letter of each string."""
    return pc.utf8_slice_codeunits(column, 0, 1)


def unaccented(column: pa.Array) -> pa.Array:
    """Return strings without accents: compatibility decomposition, then only what ASCII has.

    Examples
    --------
    >>> unaccented(pa.array(["Müller", "Yılmaz"])).to_pylist()
    ['Muller', 'Yilmaz']
    """
    dotted = pc.replace_substring(column, "ı", "i")
    return pc.replace_substring_regex(pc.utf8_normalize(dotted, form="NFKD"), r"\pM", "")


@cache
def near_keys() -> NDArray[np.uint8]:
    """Return, for each byte, the bytes beside it on a QWERTY keyboard, in the same case."""
    table = np.zeros((256, 8), dtype=np.uint8)
    place = {key: (row, column + 0.4 * row) for row, keys in enumerate(ROWS) for column, key in enumerate(keys)}
    for key, (row, column) in place.items():
        beside = [
            other
            for other, (r, c) in place.items()
            if other != key and abs(r - row) <= 1 and abs(c - column) < 1.1 and other.isdigit() == key.isdigit()
        ]
        table[ord(key), : len(beside)] = [ord(other) for other in beside]
        if key.isalpha():
            table[ord(key.upper()), : len(beside)] = [ord(other.upper()) for other in beside]
    return table


@cache
def lookalikes() -> NDArray[np.uint8]:
    """Return, for each byte, the one or two bytes a scanner may take it for."""
    table = np.zeros((256, 2), dtype=np.uint8)
    for byte, read in (LOOKALIKES | RUN_TOGETHER).items():
        table[ord(byte), : len(read)] = [ord(letter) for letter in read]
    return table
