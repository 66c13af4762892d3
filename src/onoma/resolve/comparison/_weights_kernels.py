"""Kernels of `weights.py`: scoring pairs by their levels, and counting levels."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def score_pairs(
    levels: NDArray[np.int8],
    log_share: NDArray[np.float32],
    parent: NDArray[np.int64],
    tables: NDArray[np.float64],
    keep: NDArray[np.float64],
    slips: NDArray[np.float64],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
) -> None:
    """Fill the log Bayes factors "copied" and "related" against "fresh" of every pair.

    `tables[c, f, g, l]` is the log probability of level l of field f in class c (0 copied, 1 related, 2 fresh) when the
    field's parent is at level g (last: the parent is missing or there is none). `log_share[e, f]` is the log of the
    share of records with the value that both have: a stranger has it with just this probability. `keep[f, g]` says how
    much of that counts: all of it, unless the parent already tells the value. `slips[u, k]` is added for a copy with u
    known fields of which k differ.
    """
    n_fields = levels.shape[1]
    none = tables.shape[2] - 1
    for e in range(levels.shape[0]):
        m = s = 0.0
        n_known = n_slips = 0
        for f in range(n_fields):
            level = levels[e, f]
            if level < 0:
                continue
            n_known += 1
            n_slips += level > 0
            g = none
            if parent[f] >= 0 and levels[e, parent[f]] >= 0:
                g = levels[e, parent[f]]
            fresh = tables[2, f, g, level]
            if level == 0:
                fresh += keep[f, g] * (log_share[e, f] - tables[2, f, none, 0])
            m += tables[0, f, g, level] - fresh
            s += tables[1, f, g, level] - fresh
        copy[e] = m + slips[min(n_known, slips.shape[0] - 1), min(n_slips, slips.shape[1] - 1)]
        relative[e] = s


@kernel
def subtract_shares(
    number: NDArray[np.int64],
    copied: NDArray[np.float64],
    related: NDArray[np.float64],
    offsets: NDArray[np.int64],
    fields: NDArray[np.int64],
    keep: NDArray[np.float64],
    log_share: NDArray[np.float32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
) -> None:
    """Fill the same of every pair from what its pattern scores if shares were one, less what its shared values say.

    `fields` and `keep` are those at which a pattern is equal, from `offsets` of its number on. No index is negative,
    and that it is not need not be looked at for each.
    """
    for e in range(len(number)):
        p = np.uint64(number[e])
        said = 0.0
        for at in range(np.uint64(offsets[p]), np.uint64(offsets[p + np.uint64(1)])):
            said += keep[at] * log_share[e, np.uint64(fields[at])]
        copy[e] = copied[p] - said
        relative[e] = related[p] - said


@kernel
def fill_shares(
    codes: NDArray[np.int32],
    known: NDArray[np.float32],
    a: NDArray[np.int32],
    levels: NDArray[np.int8],
    f: int,
    found: NDArray[np.float32],
) -> None:
    """Fill column f where two records are equal in it: what is known of their value, of which a record has the code."""
    for e in range(len(a)):
        if levels[e, f] == 0:
            found[e, f] = known[codes[a[e]]]


@kernel
def count_levels(
    levels: NDArray[np.int8], parent: NDArray[np.int64], weight: NDArray[np.float64], counts: NDArray[np.float64]
) -> None:
    """Add to `counts[f, g, l]` the weight of the pairs with field f at level l and its parent at level g."""
    none = counts.shape[1] - 1
    for e in range(levels.shape[0]):
        w = weight[e]
        if w == 0.0:
            continue
        for f in range(levels.shape[1]):
            level = levels[e, f]
            if level < 0:
                continue
            g = none
            if parent[f] >= 0 and levels[e, parent[f]] >= 0:
                g = levels[e, parent[f]]
            counts[f, g, level] += w


@kernel
def count_pairs(
    levels: NDArray[np.int8], one: int, other: int, weight: NDArray[np.float64], counts: NDArray[np.float64]
) -> None:
    """Add to `counts[l, g]` the weight of the pairs with one field at level l and the other at level g."""
    for e in range(levels.shape[0]):
        if levels[e, one] >= 0 and levels[e, other] >= 0:
            counts[levels[e, one], levels[e, other]] += weight[e]


@kernel
def margins(n: int, a: NDArray[np.int32], b: NDArray[np.int32], score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each pair and each of its two records, its score less the best other score of that record."""
    best = np.full(n, -np.inf)
    second = np.full(n, -np.inf)
    who = np.full(n, -1, dtype=np.int64)
    for e in range(len(a)):
        for side in range(2):
            i = a[e] if side == 0 else b[e]
            if score[e] > best[i]:
                second[i] = best[i]
                best[i] = score[e]
                who[i] = e
            elif score[e] > second[i]:
                second[i] = score[e]
    out = np.empty((len(a), 2))
    for e in range(len(a)):
        for side in range(2):
            i = a[e] if side == 0 else b[e]
            other = second[i] if who[i] == e else best[i]
            out[e, side] = score[e] - max(other, 0.0)
    return out


@kernel
def order_ratios(copied: NDArray[np.float64], fresh: NDArray[np.float64]) -> None:
    """Let the ratio of copies to strangers fall from level to level (rows: levels of the parent); logs in and out.

    Given the strangers' shares u, copies' shares m with falling m/u are most likely where neighbouring levels that
    break the order are pooled: their ratios become Σm / Σu.
    """
    n_rows, k = copied.shape
    m, u, first = np.empty(k), np.empty(k), np.empty(k, dtype=np.int64)
    for g in range(n_rows):
        n = 0
        for level in range(k):
            m[n], u[n], first[n] = np.exp(copied[g, level]), np.exp(fresh[g, level]), level
            n += 1
            while n > 1 and m[n - 1] * u[n - 2] > m[n - 2] * u[n - 1]:
                m[n - 2] += m[n - 1]
                u[n - 2] += u[n - 1]
                n -= 1
        for block in range(n):
            end = first[block + 1] if block + 1 < n else k
            for level in range(first[block], end):
                copied[g, level] = np.log(m[block] / u[block]) + fresh[g, level]
