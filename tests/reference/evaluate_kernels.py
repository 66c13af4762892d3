"""Slow twins of the kernels of `onoma.evaluate`."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def count_overlaps(gold, predicted):
    """{(gold entity, predicted entity): shared items} of two lists of labels, -1 absent."""
    cells = {}
    for pair in zip(gold, predicted, strict=True):
        if min(pair) >= 0:
            cells[pair] = cells.get(pair, 0) + 1
    return cells


def greatest_matching(weights):
    """The greatest sum of a one-to-one choice from a dense matrix of non-negative weights."""
    return float(weights[linear_sum_assignment(weights, maximize=True)].sum()) if weights.size else 0.0


def dense(offsets, columns, weights, n_columns):
    matrix = np.zeros((len(offsets) - 1, n_columns))
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            matrix[row, columns[at]] = weights[at]
    return matrix
