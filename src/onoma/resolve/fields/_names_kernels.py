"""Kernels of `names.py`: the words of two names put side by side."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields._bags_kernels import _find

EQUAL, NICKNAME, INITIAL, SLIP, LEFT_A, LEFT_B, WHOLE = range(7)
"""Columns of an alignment: words that are equal, nicknames, initials, one slip apart; words left over on each side;
equal words of two letters or more."""


@nb.njit(cache=True, nogil=True)
def align_names(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    letters: NDArray[np.int32],
    lengths: NDArray[np.int32],
    nick_offsets: NDArray[np.int64],
    nick_ids: NDArray[np.int32],
    slip_offsets: NDArray[np.int64],
    slip_ids: NDArray[np.int32],
) -> NDArray[np.int8]:
    """Count how the words of each pair of names meet: first equal words, then nicknames, slips and initials."""
    result = np.zeros((len(a), 7), dtype=np.int8)
    longest = 0
    for name in range(len(offsets) - 1):
        longest = max(longest, offsets[name + 1] - offsets[name])
    free_a = np.empty(longest, dtype=np.bool_)
    free_b = np.empty(longest, dtype=np.bool_)
    for k in range(len(a)):
        row = result[k]
        words_a, words_b = ids[offsets[a[k]] : offsets[a[k] + 1]], ids[offsets[b[k]] : offsets[b[k] + 1]]
        left_a, left_b = free_a[: len(words_a)], free_b[: len(words_b)]
        left_a[:] = True
        left_b[:] = True
        if _meet_equal(row, words_a, words_b, left_a, left_b, lengths) > 0:
            row[NICKNAME] += _meet_related(words_a, words_b, left_a, left_b, nick_offsets, nick_ids)
            row[SLIP] += _meet_related(words_a, words_b, left_a, left_b, slip_offsets, slip_ids)
            row[INITIAL] += _meet_initials(words_a, words_b, left_a, left_b, letters, lengths)
        for is_left in left_a:
            row[LEFT_A] += is_left
        for is_left in left_b:
            row[LEFT_B] += is_left
    return result


@nb.njit(cache=True, nogil=True)
def _meet_equal(
    row: NDArray[np.int8],
    words_a: NDArray[np.int32],
    words_b: NDArray[np.int32],
    left_a: NDArray[np.bool_],
    left_b: NDArray[np.bool_],
    lengths: NDArray[np.int32],
) -> int:
    """Match equal words; return how many pairs could still meet."""
    i, j, n = 0, 0, 0
    while i < len(words_a) and j < len(words_b):
        if words_a[i] == words_b[j]:
            row[EQUAL] += 1
            row[WHOLE] += lengths[words_a[i]] > 1
            left_a[i] = left_b[j] = False
            n += 1
            i += 1
            j += 1
        elif words_a[i] < words_b[j]:
            i += 1
        else:
            j += 1
    return min(len(words_a), len(words_b)) - n


@nb.njit(cache=True, nogil=True)
def _meet_related(
    words_a: NDArray[np.int32],
    words_b: NDArray[np.int32],
    left_a: NDArray[np.bool_],
    left_b: NDArray[np.bool_],
    relation_offsets: NDArray[np.int64],
    relation: NDArray[np.int32],
) -> int:
    """Match each free word of a with the first free word of b that is related to it; return how many met."""
    n = 0
    for i in range(len(words_a)):
        first, last = relation_offsets[words_a[i]], relation_offsets[words_a[i] + 1]
        if first == last or not left_a[i]:
            continue
        for j in range(len(words_b)):
            if left_b[j] and _find(relation, first, last, words_b[j]) >= 0:
                left_a[i] = left_b[j] = False
                n += 1
                break
    return n


@nb.njit(cache=True, nogil=True)
def _meet_initials(
    words_a: NDArray[np.int32],
    words_b: NDArray[np.int32],
    left_a: NDArray[np.bool_],
    left_b: NDArray[np.bool_],
    letters: NDArray[np.int32],
    lengths: NDArray[np.int32],
) -> int:
    """Match a free single letter on one side with a free word on the other that begins with it; return how many met."""
    n = 0
    for i in range(len(words_a)):
        if not left_a[i]:
            continue
        for j in range(len(words_b)):
            s, t = words_a[i], words_b[j]
            if left_b[j] and letters[s] == letters[t] and (lengths[s] == 1) != (lengths[t] == 1):
                left_a[i] = left_b[j] = False
                n += 1
                break
    return n
