"""Kernels of `names.py`: the words of two names put side by side."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean
from onoma.resolve.fields._bags_kernels import find_id

EQUAL, NICKNAME, INITIAL, SLIP, LEFT_A, LEFT_B, WHOLE = range(7)
"""Columns of an alignment: words that are equal, nicknames, initials, one slip apart; words left over on each side;
equal words of two letters or more."""


@kernel
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
    for k in range(len(a)):
        longest = max(longest, offsets[a[k] + 1] - offsets[a[k]], offsets[b[k] + 1] - offsets[b[k]])
    left_a = np.empty(longest, dtype=np.bool_)
    left_b = np.empty(longest, dtype=np.bool_)
    row = np.empty(7, dtype=np.int64)
    for k in range(len(a)):
        align_of(
            a[k],
            b[k],
            offsets,
            ids,
            letters,
            lengths,
            nick_offsets,
            nick_ids,
            slip_offsets,
            slip_ids,
            left_a,
            left_b,
            row,
        )
        for column in range(7):
            result[k, column] = row[column]
    return result


@lean
def align_of(
    x: int,
    y: int,
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    letters: NDArray[np.int32],
    lengths: NDArray[np.int32],
    nick_offsets: NDArray[np.int64],
    nick_ids: NDArray[np.int32],
    slip_offsets: NDArray[np.int64],
    slip_ids: NDArray[np.int32],
    left_a: NDArray[np.bool_],
    left_b: NDArray[np.bool_],
    row: NDArray[np.int64],
) -> None:
    """Fill the row with how the words of two names meet; which of them are left over has room in `left_a`, `left_b`."""
    i, n, j, m = offsets[x], offsets[x + 1] - offsets[x], offsets[y], offsets[y + 1] - offsets[y]
    for column in range(7):
        row[column] = 0
    for at in range(n):
        left_a[at] = True
    for at in range(m):
        left_b[at] = True
    p = q = 0
    while p < n and q < m:
        s, t = ids[i + p], ids[j + q]
        if s == t:
            row[EQUAL] += 1
            row[WHOLE] += lengths[s] > 1
            left_a[p] = left_b[q] = False
            p += 1
            q += 1
        elif s < t:
            p += 1
        else:
            q += 1
    if min(n, m) > row[EQUAL]:
        row[NICKNAME] = meet_related(ids, i, n, j, m, left_a, left_b, nick_offsets, nick_ids)
        row[SLIP] = meet_related(ids, i, n, j, m, left_a, left_b, slip_offsets, slip_ids)
        row[INITIAL] = meet_initials(ids, i, n, j, m, left_a, left_b, letters, lengths)
    for at in range(n):
        row[LEFT_A] += left_a[at]
    for at in range(m):
        row[LEFT_B] += left_b[at]


@lean
def meet_related(
    ids: NDArray[np.int32],
    i: int,
    n: int,
    j: int,
    m: int,
    left_a: NDArray[np.bool_],
    left_b: NDArray[np.bool_],
    relation_offsets: NDArray[np.int64],
    relation: NDArray[np.int32],
) -> int:
    """Match each free word of a with the first free word of b that is related to it; return how many met."""
    n_met = 0
    for p in range(n):
        first, last = relation_offsets[ids[i + p]], relation_offsets[ids[i + p] + 1]
        if first == last or not left_a[p]:
            continue
        for q in range(m):
            if left_b[q] and find_id(relation, first, last, ids[j + q]) >= 0:
                left_a[p] = left_b[q] = False
                n_met += 1
                break
    return n_met


@lean
def meet_initials(
    ids: NDArray[np.int32],
    i: int,
    n: int,
    j: int,
    m: int,
    left_a: NDArray[np.bool_],
    left_b: NDArray[np.bool_],
    letters: NDArray[np.int32],
    lengths: NDArray[np.int32],
) -> int:
    """Match a free single letter on one side with a free word on the other that begins with it; return how many met."""
    n_met = 0
    for p in range(n):
        if not left_a[p]:
            continue
        for q in range(m):
            s, t = ids[i + p], ids[j + q]
            if left_b[q] and letters[s] == letters[t] and (lengths[s] == 1) != (lengths[t] == 1):
                left_a[p] = left_b[q] = False
                n_met += 1
                break
    return n_met
