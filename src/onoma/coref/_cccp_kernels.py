"""Kernels of `cccp`: the antecedents that the annotation allows, and the most violated choices, of one document."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.coref._features_kernels import MAX_FEATURES, N_RELATIONS
from onoma.coref._learning_kernels import cost_of, features_of, is_anaphoric, is_right

__all__ = ["attack", "complete"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@nb.njit(cache=True, nogil=True)
def _score(ids: Ints, n: int, weights: Floats) -> float:
    total = 0.0
    for k in range(n):
        total += weights[ids[k]]
    return total


@nb.njit(cache=True, nogil=True)
def complete(
    table: Ints,
    words: Ints,
    word_ends: Ints,
    modifiers: Ints,
    modifier_ends: Ints,
    counts: Ints,
    chain: Ints,
    weights: Floats,
    chosen: Ints,
) -> None:
    """Fill in the best right antecedent of each mention, itself where it begins an entity; of equals the closest."""
    mask = len(weights) - 1
    ids, rel = np.empty(MAX_FEATURES, np.int64), np.empty(N_RELATIONS, np.int64)
    for i in range(len(table)):
        chosen[i] = i
        best = -np.inf
        if not is_anaphoric(chain, i, 0):
            continue
        for j in range(i):
            if is_right(chain, i, j, True):
                n = features_of(table, words, word_ends, modifiers, modifier_ends, counts, i, j, mask, rel, ids)
                score = _score(ids, n, weights)
                if score >= best:
                    best, chosen[i] = score, j


@nb.njit(cache=True, nogil=True)
def attack(
    table: Ints,
    words: Ints,
    word_ends: Ints,
    modifiers: Ints,
    modifier_ends: Ints,
    counts: Ints,
    chain: Ints,
    costs: Floats,
    weights: Floats,
    chosen: Ints,
    plane: Floats,
) -> float:
    """Add to `plane` the features of the worst choice under score + cost less those of the chosen; return the costs."""
    mask = len(weights) - 1
    ids, rel = np.empty(MAX_FEATURES, np.int64), np.empty(N_RELATIONS, np.int64)
    total = 0.0
    for i in range(len(table)):
        anaphoric = is_anaphoric(chain, i, 0)
        best, worst = -np.inf, i
        for j in range(i + 1):
            n = features_of(table, words, word_ends, modifiers, modifier_ends, counts, i, j, mask, rel, ids)
            value = _score(ids, n, weights) + cost_of(chain, costs, i, j, anaphoric)
            if value > best:
                best, worst = value, j
        if worst == chosen[i]:
            continue
        total += cost_of(chain, costs, i, worst, anaphoric)
        for j, sign in ((worst, 1.0), (chosen[i], -1.0)):
            n = features_of(table, words, word_ends, modifiers, modifier_ends, counts, i, j, mask, rel, ids)
            for k in range(n):
                plane[ids[k]] += sign
    return total
