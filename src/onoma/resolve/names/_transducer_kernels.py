"""Kernels of `transducer.py`: the probability of one string given another, summed over all edit sequences.

A string is read from left to right. Before each character â of the input, and at its end (#), one edit is drawn:
insert b, substitute b for â, copy â or delete it; at the end only insert or stop. With F(i, j) the log probability of
having read i characters and written j,

    F(i, j) = F(i, j-1) + ins(â_i, b_j)  ⊕  F(i-1, j) + del(â_{i-1})  ⊕  F(i-1, j-1) + sub(â_{i-1}, b_j)

where ⊕ adds probabilities and sub includes the copy if the two characters are one.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean

Tables = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Log probabilities: copy (by character), delete (by character), substitute and insert (by character, character; the
rows of insert go on with the end of a parent and the end of the empty one), stop (both ends)."""


@lean
def log_add(x: float, y: float) -> float:
    """Return log(exp x + exp y)."""
    if x < y:
        x, y = y, x
    if y == -np.inf:
        return x
    return x + np.log1p(np.exp(y - x))


@lean
def met(copy: NDArray[np.float64], substitute: NDArray[np.float64], a: int, b: int, same: bool) -> float:
    """Return the log probability that a is read and b written."""
    if same:
        # Characters outside the alphabet share a code: one may also be put for another.
        return log_add(copy[a], substitute[a, b])
    return substitute[a, b]


@kernel
def fill_forward(
    a: NDArray[np.int32],
    a_points: NDArray[np.int32],
    b: NDArray[np.int32],
    b_points: NDArray[np.int32],
    end: int,
    tables: Tables,
    forward: NDArray[np.float64],
) -> float:
    """Fill F for one pair; return the log probability of b given a. `end` is 0 for a parent, 1 for the empty one."""
    copy, delete, substitute, insert, stop = tables
    n, m = len(a), len(b)
    end_row = len(copy) + end
    for i in range(n + 1):
        row = a[i] if i < n else end_row
        for j in range(m + 1):
            if i == 0 and j == 0:
                forward[0, 0] = 0.0
                continue
            total = -np.inf
            if j > 0:
                total = forward[i, j - 1] + insert[row, b[j - 1]]
            if i > 0:
                total = log_add(total, forward[i - 1, j] + delete[a[i - 1]])
                if j > 0:
                    same = a_points[i - 1] == b_points[j - 1]
                    total = log_add(total, forward[i - 1, j - 1] + met(copy, substitute, a[i - 1], b[j - 1], same))
            forward[i, j] = total
    return forward[n, m] + stop[end]


@kernel
def fill_backward(
    a: NDArray[np.int32],
    a_points: NDArray[np.int32],
    b: NDArray[np.int32],
    b_points: NDArray[np.int32],
    end: int,
    tables: Tables,
    backward: NDArray[np.float64],
) -> None:
    """Fill the log probability of what is left to do, for one pair."""
    copy, delete, substitute, insert, stop = tables
    n, m = len(a), len(b)
    end_row = len(copy) + end
    for i in range(n, -1, -1):
        row = a[i] if i < n else end_row
        for j in range(m, -1, -1):
            if i == n and j == m:
                backward[n, m] = stop[end]
                continue
            total = -np.inf
            if j < m:
                total = insert[row, b[j]] + backward[i, j + 1]
            if i < n:
                total = log_add(total, delete[a[i]] + backward[i + 1, j])
                if j < m:
                    same = a_points[i] == b_points[j]
                    total = log_add(total, met(copy, substitute, a[i], b[j], same) + backward[i + 1, j + 1])
            backward[i, j] = total


@lean
def scaled_forward(
    p0: int,
    p1: int,
    c0: int,
    c1: int,
    end: int,
    codes: NDArray[np.int32],
    points: NDArray[np.int32],
    chances: Tables,
    rows: NDArray[np.float64],
) -> float:
    """Return the same log probability from plain probabilities, scaled row by row: ten times as fast.

    -inf if it is too small for that, or 0.
    """
    copy, delete, substitute, insert, stop = chances
    n, m = p1 - p0, c1 - c0
    log_scale = 0.0
    for i in range(n + 1):
        now, before = i % 2, 1 - i % 2
        edit = codes[p0 + i] if i < n else len(copy) + end
        high = 0.0
        for j in range(m + 1):
            total = 1.0 if i == 0 and j == 0 else 0.0
            if j > 0:
                total += rows[now, j - 1] * insert[edit, codes[c0 + j - 1]]
            if i > 0:
                a = codes[p0 + i - 1]
                total += rows[before, j] * delete[a]
                if j > 0:
                    change = substitute[a, codes[c0 + j - 1]]
                    if points[p0 + i - 1] == points[c0 + j - 1]:
                        change += copy[a]
                    total += rows[before, j - 1] * change
            rows[now, j] = total
            high = max(high, total)
        if high == 0.0:
            return -np.inf
        if high < 1e-60:
            log_scale += np.log(high)
            for j in range(m + 1):
                rows[now, j] /= high
    found = rows[n % 2, m]
    return np.log(found) + log_scale + np.log(stop[end]) if found > 0.0 else -np.inf


@kernel
def log_probabilities(
    parents: NDArray[np.int32],
    children: NDArray[np.int32],
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    points: NDArray[np.int32],
    tables: Tables,
) -> NDArray[np.float64]:
    """Return for each pair of strings the log probability of the child given the parent (-1: given nothing)."""
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    rows = np.empty((2, longest + 1))
    forward = np.empty((0, 0))
    chances = (np.exp(tables[0]), np.exp(tables[1]), np.exp(tables[2]), np.exp(tables[3]), np.exp(tables[4]))
    found = np.empty(len(parents))
    for e in range(len(parents)):
        c0, c1 = offsets[children[e]], offsets[children[e] + 1]
        p0, p1 = (0, 0) if parents[e] < 0 else (offsets[parents[e]], offsets[parents[e] + 1])
        end = int(parents[e] < 0)
        found[e] = scaled_forward(p0, p1, c0, c1, end, codes, points, chances, rows)
        if found[e] == -np.inf:
            if len(forward) == 0:
                forward = np.empty((longest + 1, longest + 1))
            found[e] = fill_forward(codes[p0:p1], points[p0:p1], codes[c0:c1], points[c0:c1], end, tables, forward)
    return found


@kernel
def count_pair(
    a: NDArray[np.int32],
    a_points: NDArray[np.int32],
    b: NDArray[np.int32],
    b_points: NDArray[np.int32],
    end: int,
    weight: float,
    tables: Tables,
    forward: NDArray[np.float64],
    backward: NDArray[np.float64],
    counts: Tables,
) -> None:
    """Add the expected edits of one pair, times its weight."""
    copy, delete, substitute, insert, _ = tables
    n_copy, n_delete, n_substitute, n_insert, n_stop = counts
    n, m = len(a), len(b)
    total = fill_forward(a, a_points, b, b_points, end, tables, forward)
    if total == -np.inf:
        return
    fill_backward(a, a_points, b, b_points, end, tables, backward)
    n_stop[end] += weight
    for i in range(n + 1):
        row = a[i] if i < n else len(copy) + end
        for j in range(m + 1):
            base = forward[i, j] - total
            if base == -np.inf:
                continue
            if j < m:
                n_insert[row, b[j]] += weight * np.exp(base + insert[row, b[j]] + backward[i, j + 1])
            if i < n:
                n_delete[a[i]] += weight * np.exp(base + delete[a[i]] + backward[i + 1, j])
                if j < m:
                    ahead = base + backward[i + 1, j + 1]
                    n_substitute[a[i], b[j]] += weight * np.exp(ahead + substitute[a[i], b[j]])
                    if a_points[i] == b_points[j]:
                        n_copy[a[i]] += weight * np.exp(ahead + copy[a[i]])


@kernel
def add_expected_counts(
    parents: NDArray[np.int32],
    children: NDArray[np.int32],
    weights: NDArray[np.float64],
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    points: NDArray[np.int32],
    tables: Tables,
    counts: Tables,
) -> None:
    """Add the expected edits of pairs, each times its weight, to the counts."""
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    forward = np.empty((longest + 1, longest + 1))
    backward = np.empty((longest + 1, longest + 1))
    for e in range(len(parents)):
        c0, c1 = offsets[children[e]], offsets[children[e] + 1]
        p0, p1 = (0, 0) if parents[e] < 0 else (offsets[parents[e]], offsets[parents[e] + 1])
        count_pair(
            codes[p0:p1],
            points[p0:p1],
            codes[c0:c1],
            points[c0:c1],
            int(parents[e] < 0),
            weights[e],
            tables,
            forward,
            backward,
            counts,
        )
