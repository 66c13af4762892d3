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
    longest = np.max(np.diff(offsets)) if len(offsets) > 1 else 0
    free_a = np.empty(longest, dtype=np.bool_)
    free_b = np.empty(longest, dtype=np.bool_)
    for k in range(len(a)):
        row = result[k]
        start_a, end_a = offsets[a[k]], offsets[a[k] + 1]
        start_b, end_b = offsets[b[k]], offsets[b[k] + 1]
        free_a[: end_a - start_a] = True
        free_b[: end_b - start_b] = True
        left = _meet_equal(row, ids, lengths, start_a, end_a, start_b, end_b, free_a, free_b)
        if left > 0:
            for sort, relation_offsets, relation in ((1, nick_offsets, nick_ids), (3, slip_offsets, slip_ids)):
                row[sort] += _meet_related(
                    ids, start_a, end_a, start_b, end_b, free_a, free_b, relation_offsets, relation
                )
            row[2] += _meet_initials(ids, letters, lengths, start_a, end_a, start_b, end_b, free_a, free_b)
        for i in range(end_a - start_a):
            row[4] += free_a[i]
        for j in range(end_b - start_b):
            row[5] += free_b[j]
    return result


@nb.njit(cache=True, nogil=True)
def _meet_equal(
    row: NDArray[np.int8],
    ids: NDArray[np.int32],
    lengths: NDArray[np.int32],
    start_a: int,
    end_a: int,
    start_b: int,
    end_b: int,
    free_a: NDArray[np.bool_],
    free_b: NDArray[np.bool_],
) -> int:
    """Match equal words; return how many pairs could still meet."""
    i, j, n = start_a, start_b, 0
    while i < end_a and j < end_b:
        if ids[i] == ids[j]:
            row[0] += 1
            row[6] += lengths[ids[i]] > 1
            free_a[i - start_a] = False
            free_b[j - start_b] = False
            n += 1
            i += 1
            j += 1
        elif ids[i] < ids[j]:
            i += 1
        else:
            j += 1
    return min(end_a - start_a, end_b - start_b) - n


@nb.njit(cache=True, nogil=True)
def _meet_related(
    ids: NDArray[np.int32],
    start_a: int,
    end_a: int,
    start_b: int,
    end_b: int,
    free_a: NDArray[np.bool_],
    free_b: NDArray[np.bool_],
    relation_offsets: NDArray[np.int64],
    relation: NDArray[np.int32],
) -> int:
    """Match each free word of a with the first free word of b that is related to it; return how many met."""
    n = 0
    for i in range(start_a, end_a):
        if not free_a[i - start_a]:
            continue
        first, last = relation_offsets[ids[i]], relation_offsets[ids[i] + 1]
        if first == last:
            continue
        for j in range(start_b, end_b):
            if free_b[j - start_b] and _find(relation, first, last, ids[j]) >= 0:
                free_a[i - start_a] = False
                free_b[j - start_b] = False
                n += 1
                break
    return n


@nb.njit(cache=True, nogil=True)
def _meet_initials(
    ids: NDArray[np.int32],
    letters: NDArray[np.int32],
    lengths: NDArray[np.int32],
    start_a: int,
    end_a: int,
    start_b: int,
    end_b: int,
    free_a: NDArray[np.bool_],
    free_b: NDArray[np.bool_],
) -> int:
    """Match a free single letter on one side with a free word on the other that begins with it; return how many met."""
    n = 0
    for i in range(start_a, end_a):
        if not free_a[i - start_a]:
            continue
        for j in range(start_b, end_b):
            s, t = ids[i], ids[j]
            if free_b[j - start_b] and letters[s] == letters[t] and (lengths[s] == 1) != (lengths[t] == 1):
                free_a[i - start_a] = False
                free_b[j - start_b] = False
                n += 1
                break
    return n
