"""Kernels of `texts.py`: slips and Jaro–Winkler similarity of texts that lie side by side in memory."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean

_BOOST, _MOST_COMMON = 0.7, 4  # of Winkler: similar texts gain by their common beginning, up to so many letters


@lean
def same_rest(letters: NDArray[np.uint16], i: int, i_end: int, j: int, j_end: int) -> bool:
    """Say whether two rests of texts are equal."""
    if i_end - i != j_end - j:
        return False
    while i < i_end:
        if letters[i] != letters[j]:
            return False
        i += 1
        j += 1
    return True


@lean
def one_slip(letters: NDArray[np.uint16], i: int, i_end: int, j: int, j_end: int) -> int:
    """Return the slips between two rests of texts: 0, 1, or 2 for more."""
    while i < i_end and j < j_end and letters[i] == letters[j]:
        i += 1
        j += 1
    if i == i_end or j == j_end:
        return min(i_end - i + j_end - j, 2)
    if abs((i_end - i) - (j_end - j)) > 1:
        return 2
    if same_rest(letters, i + 1, i_end, j + 1, j_end) or same_rest(letters, i + 1, i_end, j, j_end):
        return 1
    if same_rest(letters, i, i_end, j + 1, j_end):
        return 1
    if i + 1 < i_end and j + 1 < j_end and letters[i] == letters[j + 1] and letters[i + 1] == letters[j]:
        return 1 if same_rest(letters, i + 2, i_end, j + 2, j_end) else 2
    return 2


@lean
def slips_of(letters: NDArray[np.uint16], i: int, i_end: int, j: int, j_end: int) -> int:
    """Return the slips between two texts: 0, 1, 2, or 3 for more.

    That is optimal string alignment. What two texts have in common at their beginning costs nothing; at the first
    letter that differs there are four ways to go on, and again at the second: then the rests must be equal.
    """
    if abs((i_end - i) - (j_end - j)) > 2:
        return 3
    while i < i_end and j < j_end and letters[i] == letters[j]:
        i += 1
        j += 1
    if i == i_end or j == j_end:
        return i_end - i + j_end - j
    least = one_slip(letters, i + 1, i_end, j + 1, j_end)
    if least > 0:
        least = min(least, one_slip(letters, i + 1, i_end, j, j_end))
        least = min(least, one_slip(letters, i, i_end, j + 1, j_end))
        if i + 1 < i_end and j + 1 < j_end and letters[i] == letters[j + 1] and letters[i + 1] == letters[j]:
            least = min(least, one_slip(letters, i + 2, i_end, j + 2, j_end))
    return 1 + least


@kernel
def slips_upto_two(
    a: NDArray[np.int32], b: NDArray[np.int32], letters: NDArray[np.uint16], offsets: NDArray[np.int64]
) -> NDArray[np.int8]:
    """Return for each pair of texts the letters wrong, missing, extra or swapped with the next: 0, 1, 2; 3 for more."""
    found = np.empty(len(a), dtype=np.int8)
    for e in range(len(a)):
        found[e] = slips_of(letters, offsets[a[e]], offsets[a[e] + 1], offsets[b[e]], offsets[b[e] + 1])
    return found


@lean
def most_similar(own: int, its_own: int, n: int, m: int) -> float:
    """Return the most that the Jaro similarity of two texts of n and m letters can be, by how many each has alone.

    A letter that the other text has not, or not so often, meets none; below `_BOOST` what Winkler adds is nothing.
    """
    common = min(n - own, m - its_own)
    return (common / n + common / m + 1.0) / 3.0 if common > 0 else 0.0


@lean
def letters_alone_in(mask: int, other_mask: int, tally: int, other_tally: int) -> int:
    """Return how many letters, at least, a text has that another has not, or not so often."""
    return max(bits_of(mask & ~other_mask), bits_of(tally & ~other_tally))


@lean
def bits_of(word: int) -> int:
    """Return how many bits of 64 are set."""
    bits = np.uint64(word)
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean
def winkler_of(
    letters: NDArray[np.uint16],
    first: int,
    n: int,
    second: int,
    m: int,
    taken: NDArray[np.bool_],
    met: NDArray[np.uint16],
) -> float:
    """Return the Jaro–Winkler similarity of two texts, of n and m letters; `taken` is False before and after.

    Each letter of the second text meets the first one of the first text that is equal, still free and near enough.
    """
    if n == 0 or m == 0:
        return 1.0 if n == m else 0.0
    reach = max(max(n, m) // 2 - 1, 0)
    common = 0
    for j in range(m):
        letter = letters[second + j]
        for i in range(max(j - reach, 0), min(j + reach + 1, n)):
            if letters[first + i] == letter and not taken[i]:
                taken[i] = True
                met[common] = letter
                common += 1
                break
    if common == 0:
        return 0.0
    at = swapped = 0
    for i in range(n):
        if taken[i]:
            swapped += letters[first + i] != met[at]
            at += 1
            taken[i] = False
    similarity = (common / n + common / m + (common - swapped // 2) / common) / 3.0
    if similarity > _BOOST:
        begin = 0
        while begin < min(n, m, _MOST_COMMON) and letters[first + begin] == letters[second + begin]:
            begin += 1
        similarity += begin * 0.1 * (1.0 - similarity)
    return similarity


@kernel
def winkler_similarities(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    letters: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    longest: int,
) -> NDArray[np.float32]:
    """Return the Jaro–Winkler similarity of each pair of texts, none longer than the longest."""
    found = np.empty(len(a), dtype=np.float32)
    taken, met = np.zeros(longest, dtype=np.bool_), np.empty(longest, dtype=np.uint16)
    for e in range(len(a)):
        first, n = offsets[a[e]], offsets[a[e] + 1] - offsets[a[e]]
        second, m = offsets[b[e]], offsets[b[e] + 1] - offsets[b[e]]
        found[e] = winkler_of(letters, first, n, second, m, taken, met)
    return found


@kernel
def letter_masks(letters: NDArray[np.uint16], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return for each text which letters it has, as bits; letters 64 apart share one."""
    found = np.zeros(len(offsets) - 1, dtype=np.uint64)
    for text in range(len(found)):
        for at in range(offsets[text], offsets[text + 1]):
            found[text] |= np.uint64(1) << np.uint64(letters[at] & 63)
    return found


@kernel
def letter_tallies(letters: NDArray[np.uint16], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return for each text how often it has each letter, up to four times, as bits; letters 16 apart are one.

    A slip takes one of them away at most, and brings one at most.
    """
    found = np.zeros(len(offsets) - 1, dtype=np.uint64)
    for text in range(len(found)):
        bits = np.uint64(0)
        for at in range(offsets[text], offsets[text + 1]):
            bit = np.uint64(1) << np.uint64(letters[at] & 15)
            while bit > np.uint64(0) and bits & bit:
                bit <<= np.uint64(16)
            bits |= bit
        found[text] = bits
    return found


@lean
def is_begin_or_end(letters: NDArray[np.uint16], i: int, i_end: int, j: int, j_end: int) -> bool:
    """Say whether the longer of two texts begins or ends with the shorter."""
    if i_end - i < j_end - j:
        i, i_end, j, j_end = j, j_end, i, i_end
    m = j_end - j
    return same_rest(letters, i, i + m, j, j_end) or same_rest(letters, i_end - m, i_end, j, j_end)


@kernel
def begins_or_ends(
    a: NDArray[np.int32], b: NDArray[np.int32], letters: NDArray[np.uint16], offsets: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return for each pair of texts whether the longer begins or ends with the shorter."""
    found = np.empty(len(a), dtype=np.bool_)
    for e in range(len(a)):
        i, i_end = offsets[a[e]], offsets[a[e] + 1]
        j, j_end = offsets[b[e]], offsets[b[e] + 1]
        found[e] = is_begin_or_end(letters, i, i_end, j, j_end)
    return found


@kernel
def distinct_within(offsets: NDArray[np.int64], ids: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the ids of each row, each once, ascending."""
    ends = np.zeros(len(offsets), dtype=np.int64)
    found = np.empty(len(ids), dtype=np.int32)
    m = 0
    for row in range(len(offsets) - 1):
        first = m
        for at in range(offsets[row], offsets[row + 1]):
            to = m
            while to > first and found[to - 1] > ids[at]:
                to -= 1
            if to > first and found[to - 1] == ids[at]:
                continue
            for behind in range(m, to, -1):
                found[behind] = found[behind - 1]
            found[to] = ids[at]
            m += 1
        ends[row + 1] = m
    return ends, found[:m].copy()


@kernel
def padded_letters(
    letters: NDArray[np.uint16], offsets: NDArray[np.int64], small: NDArray[np.uint8], most: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return up to so many letters of each text, numbered anew, between two spaces; and where each begins."""
    ends = np.zeros(len(offsets), dtype=np.int64)
    for text in range(len(offsets) - 1):
        ends[text + 1] = ends[text] + min(offsets[text + 1] - offsets[text], most) + 2
    found = np.empty(ends[-1], dtype=np.uint8)
    for text in range(len(offsets) - 1):
        to = ends[text]
        found[to] = small[32]
        for at in range(offsets[text], min(offsets[text + 1], offsets[text] + most)):
            to += 1
            found[to] = small[letters[at]]
        found[to + 1] = small[32]
    return found, ends
