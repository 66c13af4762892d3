"""Kernels of `clustering.py`: numbering and counting sort, linear time."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def number_by_appearance(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Number codes (-1 or small and non-negative) 0, 1, 2… in order of first appearance; -1 stays."""
    high = -1
    for code in codes:
        high = max(high, code)
    number = np.full(high + 1, -1, dtype=np.int64)
    labels = np.empty(len(codes), dtype=np.int64)
    n = 0
    for i in range(len(codes)):
        code = codes[i]
        if code < 0:
            labels[i] = -1
            continue
        if number[code] < 0:
            number[code] = n
            n += 1
        labels[i] = number[code]
    return labels, n


@kernel
def sort_by_label(labels: NDArray[np.int64], n_entities: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counting sort: the present items grouped by label (stable), and where each group begins."""
    offsets = np.zeros(n_entities + 1, dtype=np.int64)
    for label in labels:
        if label >= 0:
            offsets[label + 1] += 1
    for e in range(n_entities):
        offsets[e + 1] += offsets[e]
    place = offsets[:-1].copy()
    order = np.empty(offsets[-1], dtype=np.int64)
    for i in range(len(labels)):
        label = labels[i]
        if label >= 0:
            order[place[label]] = i
            place[label] += 1
    return order, offsets


@kernel
def number_pairs(
    order: NDArray[np.int64], offsets: NDArray[np.int64], other: NDArray[np.int64], n_other: int
) -> NDArray[np.int64]:
    """Number the non-empty cells (entity of one side, entity of the other); -1 where either is absent."""
    codes = np.full(len(other), -1, dtype=np.int64)
    cell = np.empty(n_other, dtype=np.int64)
    seen = np.full(n_other, -1, dtype=np.int64)  # the last entity in which this other label was met
    n = 0
    for e in range(len(offsets) - 1):
        for at in range(offsets[e], offsets[e + 1]):
            i = order[at]
            label = other[i]
            if label < 0:
                continue
            if seen[label] != e:
                seen[label] = e
                cell[label] = n
                n += 1
            codes[i] = cell[label]
    return codes
