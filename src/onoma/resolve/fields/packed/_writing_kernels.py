"""Kernels of `writing.py` and `missing.py`: texts of ASCII written in one way, byte by byte."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean

FOREIGN, COMMA, LISTED = 1, 2, 4
"""What is noted of a text: it is not of ASCII alone (and was not written), has a comma, has a word of those listed."""
_PRIME = np.uint64(0x100000001B3)
_BASIS = np.uint64(0xCBF29CE484222325)  # FNV-1a (Fowler, Noll and Vo)
_DEFAULTS = (0x31393030, 0x31373533, 0x30303031, 0x39393939)  # 1900, 1753, 0001, 9999
_QUOTE = 39


@lean
def small(byte: Any) -> Any:  # noqa: ANN401 (a byte, as a number of any type)
    """Return a letter or figure of ASCII, small; 0 for any other sign."""
    if 65 <= byte <= 90:
        return byte + 32
    return byte if 97 <= byte <= 122 or 48 <= byte <= 57 else 0


@lean
def is_listed(bits: np.uint64, listed: NDArray[np.uint64]) -> bool:
    """Say whether a hash is among those listed, ascending."""
    low, high = 0, len(listed)
    while low < high:
        middle = (low + high) >> 1
        if listed[middle] < bits:
            low = middle + 1
        else:
            high = middle
    return low < len(listed) and listed[low] == bits


@kernel
def hash_bytes(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the hash of each text."""
    found = np.empty(len(offsets) - 1, dtype=np.uint64)
    for text in range(len(found)):
        bits = _BASIS
        for at in range(offsets[text], offsets[text + 1]):
            bits = (bits ^ np.uint64(data[at])) * _PRIME
        found[text] = bits
    return found


@kernel
def fold_bytes(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], apart: int, listed: NDArray[np.uint64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    """Write texts in small letters and figures, `apart` (a byte; -1: nothing) between words: bytes, offsets, notes.

    An apostrophe vanishes, any other sign parts words. `listed` are hashes of words, ascending.
    """
    out = np.empty(len(data), dtype=np.uint8)
    ends = np.zeros(len(offsets), dtype=np.int64)
    notes = np.empty(len(offsets) - 1, dtype=np.uint8)
    m = 0
    for text in range(len(notes)):
        first = m
        parted = False
        note = 0
        bits = _BASIS
        for at in range(offsets[text], offsets[text + 1]):
            byte = np.int64(data[at])
            if byte >= 128:
                note |= FOREIGN
                break
            letter = small(byte)
            if letter > 0:
                if parted and m > first:
                    if is_listed(bits, listed):
                        note |= LISTED
                    bits = _BASIS
                    if apart >= 0:
                        out[m] = apart
                        m += 1
                parted = False
                bits = (bits ^ np.uint64(letter)) * _PRIME
                out[m] = letter
                m += 1
            elif byte != _QUOTE:
                parted = True
                if byte == 44:
                    note |= COMMA
        if note & FOREIGN:
            m = first
        elif m > first and is_listed(bits, listed):
            note |= LISTED
        notes[text] = note
        ends[text + 1] = m
    return out[:m].copy(), ends, notes


@kernel
def suspect_bytes(data: NDArray[np.uint8], offsets: NDArray[np.int64], listed: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which texts may stand for nothing.

    By their letters and figures alone: none, one figure over and over, a default year or number, or what is listed (by
    its hash). And those that are not of ASCII alone.
    """
    found = np.zeros(len(offsets) - 1, dtype=np.bool_)
    for text in range(len(found)):
        bits, last = _BASIS, np.uint32(0)
        n, first, same = 0, 0, True
        for at in range(offsets[text], offsets[text + 1]):
            if data[at] >= 128:
                found[text] = True
                break
            letter = small(np.int64(data[at]))
            if letter == 0:
                continue
            if n == 0:
                first = letter
            same &= letter == first
            n += 1
            bits = (bits ^ np.uint64(letter)) * _PRIME
            last = np.uint32(last << np.uint32(8)) | np.uint32(letter)
            if last == _DEFAULTS[0] or last == _DEFAULTS[1] or last == _DEFAULTS[2] or last == _DEFAULTS[3]:
                found[text] = True
        if n == 0 or (same and first < 58) or is_listed(bits, listed):
            found[text] = True
    return found
