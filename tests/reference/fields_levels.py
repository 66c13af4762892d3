"""Slow twins of the levels of kinds: every measure of every pair, then the first condition that holds."""

import numpy as np

MORE = 3


def person(comparison, a, b):
    met = comparison._words.align(a, b)
    texts = comparison._texts
    winkler, slips = texts.winkler(a, b), texts.slips(a, b)
    slips = np.where(winkler >= 0.5, slips, MORE)
    longest = np.maximum(texts.lengths[a], texts.lengths[b])
    in_order, joined = comparison._sorted, comparison._joined
    same = (in_order[a] == in_order[b]) | (joined[a] == joined[b])
    sure = (met.whole > 0) | (met.left_a + met.left_b + met.initial == 1)
    whole = met.whole + met.nickname
    conditions = [
        same,
        met.complete & (met.nickname > 0) & (met.initial == 0) & (met.slip == 0),
        met.complete & (met.initial > 0) & (met.slip == 0) & sure,
        ((slips <= 1) & (longest >= 3)) | (met.complete & (met.slip == 1) & (met.initial == 0)),
        (winkler >= 0.92) | ((slips <= 2) & (longest >= 7)) | (met.complete & (met.slip > 0) & sure),
        met.within & (whole > 0),
        winkler >= 0.85,
        whole > 0,
        winkler >= 0.70,
    ]
    return np.select(conditions, range(1, 10), 10)


def place(comparison, a, b):
    """Of pairs whose numbers do not conflict, and whose words are not the same."""
    cosine = comparison._bags.soft_cosines(a, b, comparison._alike)
    winkler, slips = comparison._texts.winkler(a, b), comparison._texts.slips(a, b)
    slips = np.where(winkler >= 0.7, slips, MORE)
    conditions = [
        slips == 1,
        winkler >= 0.94,
        cosine >= 0.85,
        (cosine >= 0.70) | (winkler >= 0.88),
        cosine >= 0.50,
        cosine >= 0.30,
    ]
    return np.select(conditions, range(2, 8), 8)


def code(comparison, a, b):
    texts = comparison._texts
    one, other = texts.lengths[a], texts.lengths[b]
    longest, shortest = np.maximum(one, other), np.minimum(one, other)
    slips = texts.slips(a, b)
    within = texts.is_within(a, b) & (longest > shortest) & (shortest >= 4)
    conditions = [(slips <= 1) & (longest >= 3), (slips <= 2) & (longest >= 6), within]
    return np.select(conditions, range(1, 4), 4)


def date(comparison, a, b):
    p, q = comparison._parts[a], comparison._parts[b]
    given = (p > 0) & (q > 0)
    agree = given & (p == q)
    years = np.where(given[:, 0], np.abs(p[:, 0] - q[:, 0]), 9999)
    swapped = (years == 0) & given[:, 1] & (p[:, 1] == q[:, 2]) & (p[:, 2] == q[:, 1])
    slips = comparison._digits.slips(a, b)
    partial = ~given.all(axis=1) & given[:, 0]
    near = np.abs(comparison._days[a] - comparison._days[b]) <= 10
    conditions = [
        swapped,
        (slips == 1) & ~partial,
        partial & (agree == given).all(axis=1),
        agree.sum(axis=1) == 2,
        (slips == 2) & given.all(axis=1),
        near,
        years == 0,
        years == 1,
        years <= 3,
    ]
    return np.select(conditions, range(1, 10), 10)
