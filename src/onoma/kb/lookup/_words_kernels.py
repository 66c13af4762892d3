"""Words of texts and letters of words in threes, numbered and listed in one pass each."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Items = NDArray[np.int32]

_FIRST, _LAST = np.uint64(2), np.uint64(3)
"""A word begins and ends with a sign of its own, so that words of one letter have one, and beginnings count."""


@nb.njit(cache=True, nogil=True)
def split_words(text: Bytes, ends: Offsets) -> tuple[Offsets, Items, Offsets, Items]:
    """Return where each different word first stands and how long it is, and the words of each text, each once.

    Words are digits, small letters and whatever is not ASCII. `ends` are where texts begin, and where the last ends.
    A word is known by 64 bits: of ten million words two are taken for one with a chance of three in a million.
    """
    size = 1 << 16
    table = np.full(size, -1, dtype=np.int32)
    keys = np.empty(size, dtype=np.uint64)  # by place in the table, so that one look is enough
    starts, lengths = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int32)
    items = np.empty(max(len(text) // 4, 16), dtype=np.int32)
    offsets = np.zeros(len(ends), dtype=np.int64)
    n_words = n_items = 0
    for t in range(len(ends) - 1):
        first = n_items
        i, end = ends[t], ends[t + 1]
        while i < end:
            if not _is_word(text[i]):
                i += 1
                continue
            start = i
            hashed = np.uint64(14695981039346656037)
            while i < end and _is_word(text[i]):
                hashed = (hashed ^ np.uint64(text[i])) * np.uint64(1099511628211)
                i += 1
            hashed = (hashed ^ (hashed >> np.uint64(32))) * np.uint64(11400714819323198485)
            slot = np.int64(hashed >> np.uint64(20)) & (size - 1)
            while table[slot] >= 0 and keys[slot] != hashed:
                slot = (slot + 1) & (size - 1)
            word = table[slot]
            if word < 0:
                word = np.int32(n_words)
                table[slot], keys[slot], starts[word], lengths[word] = word, hashed, start, i - start
                n_words += 1
                if 2 * n_words > size:
                    table, keys, starts, lengths = _grown(table, keys, starts, lengths)
                    size = len(table)
            is_new = True
            for k in range(first, n_items):
                if items[k] == word:
                    is_new = False
                    break
            if is_new:
                if n_items == len(items):
                    more = np.empty(2 * n_items, dtype=np.int32)
                    more[:n_items] = items
                    items = more
                items[n_items] = word
                n_items += 1
        offsets[t + 1] = n_items
    return starts[:n_words].copy(), lengths[:n_words].copy(), offsets, items[:n_items].copy()


@nb.njit(cache=True, nogil=True)
def _is_word(sign: np.uint8) -> bool:
    return bool(sign >= 128 or 97 <= sign <= 122 or 48 <= sign <= 57)


@nb.njit(cache=True, nogil=True)
def _grown(
    table: Items, keys: NDArray[np.uint64], starts: Offsets, lengths: Items
) -> tuple[Items, NDArray[np.uint64], Offsets, Items]:
    """Return a table of twice the size, and room for as many words."""
    size = 2 * len(table)
    more, more_keys = np.full(size, -1, dtype=np.int32), np.empty(size, dtype=np.uint64)
    more_starts, more_lengths = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int32)
    more_starts[: len(starts)], more_lengths[: len(lengths)] = starts, lengths
    for old in range(len(table)):
        if table[old] >= 0:
            slot = np.int64(keys[old] >> np.uint64(20)) & (size - 1)
            while more[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            more[slot], more_keys[slot] = table[old], keys[old]
    return more, more_keys, more_starts, more_lengths


@nb.njit(cache=True, nogil=True)
def copy_words(text: Bytes, starts: Offsets, lengths: Items) -> tuple[Bytes, Offsets]:
    """Return words one after the other."""
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    for w in range(len(starts)):
        offsets[w + 1] = offsets[w] + lengths[w]
    found = np.empty(offsets[-1], dtype=np.uint8)
    for w in range(len(starts)):
        found[offsets[w] : offsets[w + 1]] = text[starts[w] : starts[w] + lengths[w]]
    return found, offsets


@nb.njit(cache=True, nogil=True)
def invert_lists(offsets: Offsets, items: Items, rank: Items) -> tuple[Offsets, Items]:
    """Return for each item, in the order of their ranks, the lists that hold it."""
    ends = np.zeros(len(rank) + 1, dtype=np.int64)
    for k in range(len(items)):
        ends[rank[items[k]] + 1] += 1
    for w in range(len(rank)):
        ends[w + 1] += ends[w]
    at = ends[:-1].copy()
    found = np.empty(len(items), dtype=np.int32)
    for t in range(len(offsets) - 1):
        for k in range(offsets[t], offsets[t + 1]):
            word = rank[items[k]]
            found[at[word]] = t
            at[word] += 1
    return ends, found


@nb.njit(cache=True, nogil=True)
def split_threes(text: Bytes, offsets: Offsets) -> tuple[NDArray[np.uint64], Offsets, Items, Items]:
    """Return the different sequences of three letters of words, those of each word, and how many letters each has."""
    size = 1 << 17
    table = np.full(size, -1, dtype=np.int32)
    grams = np.empty(size, dtype=np.uint64)
    n_words = len(offsets) - 1
    items, ends = np.empty(len(text), dtype=np.int32), np.zeros(n_words + 1, dtype=np.int64)
    lengths = np.zeros(n_words, dtype=np.int32)
    n_grams = n_items = 0
    for w in range(n_words):
        one, two = np.uint64(0), _FIRST
        i = offsets[w]
        while i <= offsets[w + 1]:
            if i == offsets[w + 1]:
                letter = _LAST
                i += 1
            else:
                letter, i = _letter(text, i)
                lengths[w] += 1
            if one:
                key = (one << np.uint64(42)) | (two << np.uint64(21)) | letter
                slot = np.int64((key * np.uint64(11400714819323198485)) >> np.uint64(20)) & (size - 1)
                while table[slot] >= 0 and grams[table[slot]] != key:
                    slot = (slot + 1) & (size - 1)
                if table[slot] < 0:
                    table[slot], grams[n_grams] = n_grams, key
                    n_grams += 1
                    if 2 * n_grams > size:
                        table, grams = _more_grams(grams)
                        size = len(table)
                        items[n_items] = n_grams - 1
                    else:
                        items[n_items] = table[slot]
                else:
                    items[n_items] = table[slot]
                n_items += 1
            one, two = two, letter
        ends[w + 1] = n_items
    return grams[:n_grams].copy(), ends, items[:n_items].copy(), lengths


@nb.njit(cache=True, nogil=True)
def _letter(text: Bytes, i: int) -> tuple[np.uint64, int]:
    """Return the letter that stands at a place of UTF-8, and the place after it."""
    first = np.uint64(text[i])
    if first < 128:
        return first, i + 1
    n = 1 if first < 224 else 2 if first < 240 else 3
    letter = first & np.uint64((1 << (6 - n)) - 1)
    for k in range(1, n + 1):
        letter = (letter << np.uint64(6)) | (np.uint64(text[i + k]) & np.uint64(63))
    return letter, i + n + 1


@nb.njit(cache=True, nogil=True)
def _more_grams(grams: NDArray[np.uint64]) -> tuple[Items, NDArray[np.uint64]]:
    size = 2 * len(grams)
    table = np.full(size, -1, dtype=np.int32)
    more = np.empty(size, dtype=np.uint64)
    for g in range(len(grams) // 2 + 1):
        more[g] = grams[g]
        slot = np.int64((grams[g] * np.uint64(11400714819323198485)) >> np.uint64(20)) & (size - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = g
    return table, more
