"""Kernels of `packed.py`: texts made of words."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean

_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_SPACE, _STOP, _TILDE = np.uint64(ord(" ")), np.uint64(ord(".")), np.uint64(ord("~"))
_ONE_SOUND = np.array([[ord(letter) for letter in each] for each in ("php", "ckk", "tht", "dtt")], np.uint16)
"""Two letters that stand for one, and that."""
_SOFT = np.zeros(128, np.bool_)
_SOFT[[ord(letter) for letter in "aeiouyhw"]] = True
"""Letters of ASCII that a skeleton leaves out after the first."""


@kernel
def hash_words(
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    order: NDArray[np.int32],
    used: NDArray[np.bool_],
    apart: bool,
    letters: NDArray[np.uint16],
    starts: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Return 64 bits for each text made of some words of a value, in ascending order of `order[word]`; 0: of none.

    `apart` says whether a space stands between words. The letters of word w begin at `starts[w]`. Words of one order
    stay as they are, so that all of them 0 is the text itself. FNV-1a (Fowler, Noll and Vo), mixed at the end.
    """
    found = np.zeros(len(offsets) - 1, dtype=np.uint64)
    most = 1
    for v in range(len(found)):
        most = max(most, offsets[v + 1] - offsets[v])
    chosen = np.empty(most, dtype=np.int32)
    for v in range(len(found)):
        n = 0
        for at in range(offsets[v], offsets[v + 1]):
            word = ids[at]
            if not used[word]:
                continue
            to = n
            while to > 0 and order[chosen[to - 1]] > order[word]:
                chosen[to] = chosen[to - 1]
                to -= 1
            chosen[to] = word
            n += 1
        if n == 0:
            continue
        bits = np.uint64(0xCBF29CE484222325)
        for at in range(n):
            for letter in letters[starts[chosen[at]] : starts[chosen[at] + 1]]:
                bits = (bits ^ np.uint64(letter)) * np.uint64(0x100000001B3)
            if apart:
                bits = (bits ^ np.uint64(32)) * np.uint64(0x100000001B3)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found[v] = (bits ^ (bits >> np.uint64(27))) | np.uint64(1)
    return found


@kernel
def cross_words(
    offsets: NDArray[np.int64], ids: NDArray[np.int32], marked: NDArray[np.bool_], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of a marked word of a value (the first ones, so many) and one that is not: values, pairs.

    A pair of words is marked · words + other; of a value each comes once.
    """
    size = 0
    for v in range(len(offsets) - 1):
        size += most * (offsets[v + 1] - offsets[v])
    rows = np.empty(size, dtype=np.int64)
    pairs = np.empty(size, dtype=np.int64)
    n = 0
    for v in range(len(offsets) - 1):
        first, taken = n, 0
        for at in range(offsets[v], offsets[v + 1]):
            if not marked[ids[at]]:
                continue
            taken += 1
            if taken > most:
                break
            for other in range(offsets[v], offsets[v + 1]):
                if marked[ids[other]]:
                    continue
                pair = np.int64(ids[at]) * len(marked) + ids[other]
                new = True
                for before in range(first, n):
                    new &= pairs[before] != pair
                if new:
                    rows[n], pairs[n] = v, pair
                    n += 1
    return rows[:n].copy(), pairs[:n].copy()


@lean
def mixed(bits: np.uint64) -> np.uint64:
    """Spread what a hash knows over all its bits."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return bits ^ (bits >> np.uint64(27))


@lean
def contracted(word: NDArray[np.uint16], n: int, first: int, second: int, one: int) -> int:
    """Write one letter for two wherever these stand side by side, from the left; return how many letters are left."""
    kept = at = 0
    while at < n:
        if at + 1 < n and word[at] == first and word[at + 1] == second:
            word[kept] = one
            at += 2
        else:
            word[kept] = word[at]
            at += 1
        kept += 1
    return kept


@kernel
def hash_skeletons(letters: NDArray[np.uint16], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return 64 bits for the skeleton of each word, with a tilde before it: not yet mixed."""
    found = np.empty(len(starts) - 1, dtype=np.uint64)
    longest = 1
    for w in range(len(found)):
        longest = max(longest, starts[w + 1] - starts[w])
    word = np.empty(longest, dtype=np.uint16)
    for w in range(len(found)):
        n = starts[w + 1] - starts[w]
        for at in range(n):
            word[at] = letters[starts[w] + at]
        for each in range(len(_ONE_SOUND)):
            n = contracted(word, n, _ONE_SOUND[each, 0], _ONE_SOUND[each, 1], _ONE_SOUND[each, 2])
        bits = (_BASIS ^ _TILDE) * _PRIME
        last = -1
        for at in range(n):
            letter = word[at]
            if at == 0 or (letter != last and not (letter < len(_SOFT) and _SOFT[letter])):
                bits = (bits ^ np.uint64(letter)) * _PRIME
                last = letter
        found[w] = bits
    return found


@kernel
def hash_name_keys(
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    order: NDArray[np.int32],
    letters: NDArray[np.uint16],
    starts: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the keys of names (those of `person.py`, in the same order), each as 64 bits: names, keys.

    `order[word]` is the place of a word in the alphabet. Of a name each key comes once, since words have no signs.
    """
    skeletons = hash_skeletons(letters, starts)
    whole = np.empty(len(skeletons), dtype=np.uint64)
    for w in range(len(whole)):
        bits = _BASIS
        for letter in letters[starts[w] : starts[w + 1]]:
            bits = (bits ^ np.uint64(letter)) * _PRIME
        whole[w] = bits
    most, size = 1, 0
    for v in range(len(offsets) - 1):
        n = offsets[v + 1] - offsets[v]
        most, size = max(most, n), size + n * n + 1
    words = np.empty(most, dtype=np.int32)
    rows = np.empty(size, dtype=np.int32)
    keys = np.empty(size, dtype=np.int64)
    m = 0
    for v in range(len(offsets) - 1):
        n = distinct_words(ids[offsets[v] : offsets[v + 1]], order, starts, words)
        if n == 1:
            m = add_key(m, m, v, skeletons[words[0]], rows, keys)
        if n < 2:
            continue
        bits = whole[words[0]]
        for at in range(1, n):
            bits = (bits ^ _SPACE) * _PRIME
            for letter in letters[starts[words[at]] : starts[words[at] + 1]]:
                bits = (bits ^ np.uint64(letter)) * _PRIME
        m = add_key(m, m, v, bits, rows, keys)
        for at in range(n):
            w = words[at]
            if starts[w + 1] - starts[w] < 2:
                continue
            new = True
            for before in range(at):
                same = skeletons[words[before]] == skeletons[w]
                new &= not (same and starts[words[before] + 1] - starts[words[before]] > 1)
            if new:
                m = add_key(m, m, v, skeletons[w], rows, keys)
            first, bits = m, (whole[w] ^ _SPACE) * _PRIME
            for other in range(n):
                if other != at:
                    initial = np.uint64(letters[starts[words[other]]])
                    m = add_key(m, first, v, (((bits ^ initial) * _PRIME) ^ _STOP) * _PRIME, rows, keys)
    return rows[:m].copy(), keys[:m].copy()


@lean
def distinct_words(
    ids: NDArray[np.int32], order: NDArray[np.int32], starts: NDArray[np.int64], words: NDArray[np.int32]
) -> int:
    """Fill in the words of a name, each once and in order, but for empty ones; return how many there are."""
    n = 0
    for word in ids:
        if starts[word] == starts[word + 1]:
            continue
        to = n
        while to > 0 and order[words[to - 1]] > order[word]:
            to -= 1
        if to > 0 and words[to - 1] == word:
            continue
        for at in range(n, to, -1):
            words[at] = words[at - 1]
        words[to] = word
        n += 1
    return n


@lean
def add_key(m: int, first: int, row: int, bits: np.uint64, rows: NDArray[np.int32], keys: NDArray[np.int64]) -> int:
    """Add a key of a row unless it is among those from the first on; return how many there are."""
    key = np.int64(mixed(bits))
    for at in range(first, m):
        if keys[at] == key:
            return m
    rows[m], keys[m] = row, key
    return m + 1
