"""Kernels of the kinds: the level of each pair of values in one pass, what is dear only where it can still matter.

`Texts` gives letters, offsets, masks and tallies. Similarities are compared as numbers of 32 bits.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel
from onoma.resolve.fields._bags_kernels import soft_cosine_of
from onoma.resolve.fields._names_kernels import INITIAL, LEFT_A, LEFT_B, NICKNAME, SLIP, WHOLE, align_of
from onoma.resolve.fields.packed._texts_kernels import (
    bits_of,
    is_begin_or_end,
    letters_alone_in,
    most_similar,
    slips_of,
    winkler_of,
)

_MORE = 3
_MOST_OWN = 2
"""Letters that only one of two texts has; with more they are more than two slips apart."""
_HALF, _CLOSE, _SIMILAR, _ALIKE = np.float32(0.5), np.float32(0.92), np.float32(0.85), np.float32(0.7)
_NEAR_PLACE, _SAME_PLACE, _LIKE_PLACE = np.float32(0.7), np.float32(0.94), np.float32(0.88)
_BARELY = 0.7 - 1e-6  # so that rounding loses none


@kernel
def name_levels(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    in_order: NDArray[np.int32],
    joined: NDArray[np.int32],
    letters: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    masks: NDArray[np.uint64],
    tallies: NDArray[np.uint64],
    longest: int,
    word_offsets: NDArray[np.int64],
    words: NDArray[np.int32],
    initials: NDArray[np.int32],
    lengths: NDArray[np.int32],
    nick_offsets: NDArray[np.int64],
    nick_ids: NDArray[np.int32],
    slip_offsets: NDArray[np.int64],
    slip_ids: NDArray[np.int32],
) -> NDArray[np.int8]:
    """Return the level of each pair of different names, the levels of `PersonComparison`.

    A name has at most as many words as letters, so there is room for the words of the longest.
    """
    levels = np.empty(len(a), dtype=np.int8)
    taken, met = np.zeros(longest, dtype=np.bool_), np.empty(longest, dtype=np.uint16)
    left_a, left_b = np.empty(longest, dtype=np.bool_), np.empty(longest, dtype=np.bool_)
    row = np.empty(7, dtype=np.int64)
    for e in range(len(a)):
        x, y = a[e], b[e]
        if in_order[x] == in_order[y] or joined[x] == joined[y]:
            levels[e] = 1
            continue
        align_of(
            x,
            y,
            word_offsets,
            words,
            initials,
            lengths,
            nick_offsets,
            nick_ids,
            slip_offsets,
            slip_ids,
            left_a,
            left_b,
            row,
        )
        complete = row[LEFT_A] == 0 and row[LEFT_B] == 0
        if complete and row[NICKNAME] > 0 and row[INITIAL] == 0 and row[SLIP] == 0:
            levels[e] = 2
            continue
        # J. S. and John Smith say little.
        sure = row[WHOLE] > 0 or row[LEFT_A] + row[LEFT_B] + row[INITIAL] == 1
        if complete and row[INITIAL] > 0 and row[SLIP] == 0 and sure:
            levels[e] = 3
            continue
        i, n = offsets[x], offsets[x + 1] - offsets[x]
        j, m = offsets[y], offsets[y + 1] - offsets[y]
        own = letters_alone_in(masks[x], masks[y], tallies[x], tallies[y])
        its_own = letters_alone_in(masks[y], masks[x], tallies[y], tallies[x])
        is_far = own > _MOST_OWN or its_own > _MOST_OWN
        slips = _MORE if is_far else slips_of(letters, i, i + n, j, j + m)
        winkler = np.float32(0.0)
        if slips < _MORE or most_similar(own, its_own, n, m) >= _BARELY:
            winkler = np.float32(winkler_of(letters, i, n, j, m, taken, met))
        if winkler < _HALF:
            slips = _MORE
        most = max(n, m)
        if (slips <= 1 and most >= 3) or (complete and row[SLIP] == 1 and row[INITIAL] == 0):
            levels[e] = 4
        elif winkler >= _CLOSE or (slips <= 2 and most >= 7) or (complete and row[SLIP] > 0 and sure):
            levels[e] = 5
        elif (row[LEFT_A] == 0 or row[LEFT_B] == 0) and row[WHOLE] + row[NICKNAME] > 0:
            levels[e] = 6
        elif winkler >= _SIMILAR:
            levels[e] = 7
        elif row[WHOLE] + row[NICKNAME] > 0:
            levels[e] = 8
        else:
            levels[e] = 9 if winkler >= _ALIKE else 10
    return levels


@kernel
def place_levels(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    letters: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    masks: NDArray[np.uint64],
    tallies: NDArray[np.uint64],
    longest: int,
    cuts: NDArray[np.float32],
    word_offsets: NDArray[np.int64],
    words: NDArray[np.int32],
    idf: NDArray[np.float64],
    norms: NDArray[np.float64],
    alike_offsets: NDArray[np.int64],
    alike_ids: NDArray[np.int32],
    alike: NDArray[np.float32],
) -> NDArray[np.int8]:
    """Return the level of each pair of places whose numbers do not conflict and whose words are not the same."""
    levels = np.empty(len(a), dtype=np.int8)
    taken, met = np.zeros(longest, dtype=np.bool_), np.empty(longest, dtype=np.uint16)
    free = np.empty(longest, dtype=np.bool_)
    for e in range(len(a)):
        x, y = a[e], b[e]
        i, n = offsets[x], offsets[x + 1] - offsets[x]
        j, m = offsets[y], offsets[y + 1] - offsets[y]
        winkler = np.float32(0.0)
        own = letters_alone_in(masks[x], masks[y], tallies[x], tallies[y])
        its_own = letters_alone_in(masks[y], masks[x], tallies[y], tallies[x])
        if most_similar(own, its_own, n, m) >= _BARELY:
            winkler = np.float32(winkler_of(letters, i, n, j, m, taken, met))
            if winkler >= _NEAR_PLACE and slips_of(letters, i, i + n, j, j + m) == 1:
                levels[e] = 2
                continue
            if winkler >= _SAME_PLACE:
                levels[e] = 3
                continue
        cosine = np.float32(
            soft_cosine_of(x, y, word_offsets, words, idf, norms, alike_offsets, alike_ids, alike, free)
        )
        if cosine >= cuts[0]:
            levels[e] = 4
        elif cosine >= cuts[1] or winkler >= _LIKE_PLACE:
            levels[e] = 5
        elif cosine >= cuts[2]:
            levels[e] = 6
        else:
            levels[e] = 7 if cosine >= cuts[3] else 8
    return levels


@kernel
def code_levels(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    letters: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    tallies: NDArray[np.uint64],
) -> NDArray[np.int8]:
    """Return the level of each pair of different codes, the levels of `CodeComparison`.

    Most strangers have so many letters of their own that they need not be read.
    """
    levels = np.empty(len(a), dtype=np.int8)
    for e in range(len(a)):
        one, other = tallies[np.uint32(a[e])], tallies[np.uint32(b[e])]
        own, its_own = bits_of(one & ~other), bits_of(other & ~one)
        is_far = own > _MOST_OWN or its_own > _MOST_OWN
        if is_far and own > 0 and its_own > 0:
            levels[e] = 4
            continue
        i, i_end = offsets[a[e]], offsets[a[e] + 1]
        j, j_end = offsets[b[e]], offsets[b[e] + 1]
        slips = _MORE if is_far else slips_of(letters, i, i_end, j, j_end)
        most, least = max(i_end - i, j_end - j), min(i_end - i, j_end - j)
        if slips <= 1 and most >= 3:
            levels[e] = 1
        elif slips <= 2 and most >= 6:
            levels[e] = 2
        elif most > least >= 4 and is_begin_or_end(letters, i, i_end, j, j_end):
            levels[e] = 3
        else:
            levels[e] = 4
    return levels


@kernel
def date_levels(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    parts: NDArray[np.int32],
    days: NDArray[np.float64],
    letters: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    tallies: NDArray[np.uint64],
) -> NDArray[np.int8]:
    """Return the level of each pair of different dates, the levels of `DateComparison`."""
    levels = np.empty(len(a), dtype=np.int8)
    for e in range(len(a)):
        x, y = a[e], b[e]
        n_given = n_agree = 0
        for part in range(3):
            is_given = parts[x, part] > 0 and parts[y, part] > 0
            n_given += is_given
            n_agree += is_given and parts[x, part] == parts[y, part]
        has_years = parts[x, 0] > 0 and parts[y, 0] > 0
        has_months = parts[x, 1] > 0 and parts[y, 1] > 0
        years = abs(parts[x, 0] - parts[y, 0]) if has_years else 9999
        if years == 0 and has_months and parts[x, 1] == parts[y, 2] and parts[x, 2] == parts[y, 1]:
            levels[e] = 1
            continue
        is_partial = n_given < 3 and has_years
        own, its_own = bits_of(tallies[x] & ~tallies[y]), bits_of(tallies[y] & ~tallies[x])
        slips = _MORE
        if own <= _MOST_OWN and its_own <= _MOST_OWN:
            slips = slips_of(letters, offsets[x], offsets[x + 1], offsets[y], offsets[y + 1])
        if slips == 1 and not is_partial:
            levels[e] = 2
        elif is_partial and n_agree == n_given:
            levels[e] = 3
        elif n_agree == 2:
            levels[e] = 4
        elif slips == 2 and n_given == 3:
            levels[e] = 5
        elif abs(days[x] - days[y]) <= 10:
            levels[e] = 6
        elif years <= 1:
            levels[e] = 7 + years
        else:
            levels[e] = 9 if years <= 3 else 10
    return levels
