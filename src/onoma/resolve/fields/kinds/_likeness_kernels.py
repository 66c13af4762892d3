"""Kernels of `likeness.py`: what two bags of words share and what is left of each, and sums of decision trees."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def shared_and_left(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    bits: NDArray[np.float64],
    digit: NDArray[np.bool_],
    alike_offsets: NDArray[np.int64],
    alike_ids: NDArray[np.int32],
    alike: NDArray[np.float32],
) -> NDArray[np.float64]:
    """Return for each pair of bags what their words weigh, nine columns.

    The shared bits (a word may meet an alike word for a part of its bits), the sum of their squares over the norms,
    the bits left on the side that has less left and on the other, the rarest word left on both sides, the rarest word
    with a digit left on both sides and on either, and the bits of the shorter and of the longer bag.
    """
    out = np.zeros((len(a), 9))
    most = 1
    for v in range(len(offsets) - 1):
        most = max(most, offsets[v + 1] - offsets[v])
    free_a, free_b = np.empty(most, dtype=np.bool_), np.empty(most, dtype=np.bool_)
    for k in range(len(a)):
        i0, i1, j0, j1 = offsets[a[k]], offsets[a[k] + 1], offsets[b[k]], offsets[b[k] + 1]
        free_a[: i1 - i0] = True
        free_b[: j1 - j0] = True
        shared = squares = 0.0
        j = j0
        for i in range(i0, i1):
            while j < j1 and ids[j] < ids[i]:
                j += 1
            if j < j1 and ids[j] == ids[i]:
                shared += bits[ids[i]]
                squares += bits[ids[i]] ** 2
                free_a[i - i0] = False
                free_b[j - j0] = False
        for i in range(i0, i1):
            if not free_a[i - i0]:
                continue
            best, gain = -1, 0.0
            for r in range(alike_offsets[ids[i]], alike_offsets[ids[i] + 1]):
                at = j0 + np.searchsorted(ids[j0:j1], alike_ids[r])
                if at < j1 and ids[at] == alike_ids[r] and free_b[at - j0]:
                    worth = alike[r] * min(bits[ids[i]], bits[ids[at]])
                    if worth > gain:
                        best, gain = at, worth
            if best >= 0:
                shared += gain
                squares += gain * gain
                free_a[i - i0] = False
                free_b[best - j0] = False
        one = _left(i0, i1, ids, bits, digit, free_a)
        other = _left(j0, j1, ids, bits, digit, free_b)
        out[k, 0] = shared
        out[k, 1] = squares / max(np.sqrt(one[4] * other[4]), 1e-9)
        out[k, 2], out[k, 3] = min(one[0], other[0]), max(one[0], other[0])
        out[k, 4] = min(one[1], other[1])
        out[k, 5], out[k, 6] = min(one[2], other[2]), max(one[2], other[2])
        out[k, 7], out[k, 8] = min(one[3], other[3]), max(one[3], other[3])
    return out


@kernel
def _left(
    start: int,
    end: int,
    ids: NDArray[np.int32],
    bits: NDArray[np.float64],
    digit: NDArray[np.bool_],
    free: NDArray[np.bool_],
) -> tuple[float, float, float, float, float]:
    """Return of one bag the bits left, the rarest word left, the rarest with a digit, all bits, all squared bits."""
    left = rarest = figure = total = squares = 0.0
    for at in range(start, end):
        w = bits[ids[at]]
        total += w
        squares += w * w
        if free[at - start]:
            left += w
            rarest = max(rarest, w)
            if digit[ids[at]]:
                figure = max(figure, w)
    return left, rarest, figure, total, squares


@kernel
def sum_trees(
    signs: NDArray[np.float64],
    starts: NDArray[np.int64],
    sign: NDArray[np.int64],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    value: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return for each row the sum of the leaves that it comes to, one in each tree."""
    out = np.zeros(len(signs))
    for k in range(len(signs)):
        total = 0.0
        for start in starts[:-1]:
            at = start
            while sign[at] >= 0:
                at = start + (left[at] if signs[k, sign[at]] <= threshold[at] else right[at])
            total += value[at]
        out[k] = total
    return out
