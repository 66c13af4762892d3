"""Kernels of `learning`: one pass over a document's mentions, each a latent choice of an antecedent.

For mention i every antecedent j (and "none", j = i) has a coefficient: how much of its features the gradient holds. The
kinds of learner differ in nothing else.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.coref._features_kernels import (
    MAX_FEATURES,
    N_RELATIONS,
    filter_features,
    new_features,
    pair_features,
    pair_relations,
)

__all__ = [
    "BINARY",
    "HIDDEN",
    "LATENT",
    "SVM",
    "coefficients",
    "cost_of",
    "features_of",
    "is_anaphoric",
    "is_right",
    "learn_document",
    "learn_filter",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LATENT = 0
"""The best antecedent under score + cost against the best right one; softened where gamma is above 0."""
BINARY = 1
"""The closest right antecedent against every wrong one, each pair by itself, by logistic loss."""

SVM = 2
"""As `BINARY`, by squared hinge loss: a linear support vector machine with L2 loss."""

HIDDEN = -2
"""In place of a chain: nothing is known of this mention, and it is no antecedent."""

_NEGLIGIBLE = 1e-3


@nb.njit(cache=True, nogil=True)
def is_right(chain: Ints, i: int, j: int, anaphoric: bool) -> bool:
    """Say whether j is an antecedent of i that the annotation allows; j = i: whether i begins an entity."""
    if j == i:
        return not anaphoric
    return chain[i] >= 0 and chain[i] == chain[j]


@nb.njit(cache=True, nogil=True)
def cost_of(chain: Ints, costs: Floats, i: int, j: int, anaphoric: bool) -> float:
    """Return what it costs to let i follow j; j = i: to begin anew."""
    if is_right(chain, i, j, anaphoric):
        return 0.0
    if j == i:
        return costs[0]  # false new
    return costs[2] if anaphoric else costs[1]  # wrong link, false anaphor


@nb.njit(cache=True, nogil=True)
def is_anaphoric(chain: Ints, i: int, low: int) -> bool:
    """Say whether mention i has an antecedent, from mention `low` on."""
    found = False
    for j in range(low, i):
        found = found or (chain[i] >= 0 and chain[i] == chain[j])
    return found


@nb.njit(cache=True, nogil=True)
def coefficients(
    kind: int, scores: Floats, chain: Ints, costs: Floats, i: int, low: int, gamma: float, out: Floats
) -> float:
    """Fill in the coefficient of each antecedent (low … i, `i` standing for none); return the loss."""
    if kind != LATENT:
        return _binary(kind, scores, chain, i, low, out)
    return _latent(scores, chain, costs, i, low, gamma, out)


@nb.njit(cache=True, nogil=True)
def _binary(kind: int, scores: Floats, chain: Ints, i: int, low: int, out: Floats) -> float:
    loss = 0.0
    closest = -1
    for j in range(low, i):
        if chain[i] >= 0 and chain[i] == chain[j]:
            closest = j
    for j in range(low, i + 1):
        out[j - low] = 0.0
        right = j == closest
        if j == i or (not right and chain[i] >= 0 and chain[i] == chain[j]):
            continue  # "none" has no score here, and of several right antecedents only the closest teaches
        value = scores[j - low]
        if kind == SVM:
            short = 1.0 - value if right else 1.0 + value
            if short > 0.0:
                out[j - low] = -2.0 * short if right else 2.0 * short
                loss += short * short
            continue
        p = 1.0 / (1.0 + np.exp(-value))
        out[j - low] = p - 1.0 if right else p
        loss += np.log1p(np.exp(-value)) if right else np.log1p(np.exp(value))
    return loss


@nb.njit(cache=True, nogil=True)
def _latent(scores: Floats, chain: Ints, costs: Floats, i: int, low: int, gamma: float, out: Floats) -> float:
    anaphoric = is_anaphoric(chain, i, low)
    best, best_right, at, at_right = -np.inf, -np.inf, i, i
    for j in range(low, i + 1):
        out[j - low] = 0.0
        value = scores[j - low] + cost_of(chain, costs, i, j, anaphoric)
        if value > best:
            best, at = value, j
        if is_right(chain, i, j, anaphoric) and scores[j - low] > best_right:
            best_right, at_right = scores[j - low], j
    if gamma == 0.0:
        out[at - low] += 1.0
        out[at_right - low] -= 1.0
        return best - best_right
    total, total_right = 0.0, 0.0
    for j in range(low, i + 1):
        total += np.exp((scores[j - low] + cost_of(chain, costs, i, j, anaphoric) - best) / gamma)
        if is_right(chain, i, j, anaphoric):
            total_right += np.exp((scores[j - low] - best_right) / gamma)
    for j in range(low, i + 1):
        out[j - low] = np.exp((scores[j - low] + cost_of(chain, costs, i, j, anaphoric) - best) / gamma) / total
        if is_right(chain, i, j, anaphoric):
            out[j - low] -= np.exp((scores[j - low] - best_right) / gamma) / total_right
    return best - best_right + gamma * (np.log(total) - np.log(total_right))


@nb.njit(cache=True, nogil=True)
def features_of(
    table: Ints,
    words: Ints,
    word_ends: Ints,
    modifiers: Ints,
    modifier_ends: Ints,
    counts: Ints,
    i: int,
    j: int,
    mask: int,
    rel: Ints,
    out: Ints,
) -> int:
    """Fill in the features of j as the antecedent of i (j = i: of none); return how many."""
    if j == i:
        return new_features(table, counts, i, mask, out)
    pair_relations(table, words, word_ends, modifiers, modifier_ends, i, j, rel)
    return pair_features(table, i, j, rel, mask, out)


@nb.njit(cache=True, nogil=True)
def learn_document(
    table: Ints,
    words: Ints,
    word_ends: Ints,
    modifiers: Ints,
    modifier_ends: Ints,
    counts: Ints,
    chain: Ints,
    taught: Ints,
    costs: Floats,
    settings: Floats,
    weights: Floats,
    squares: Floats,
    gradient: Floats,
) -> float:
    """Learn from one document, a step of AdaGrad for each mention; return the loss.

    `settings` is kind, gamma, window, rate, penalty; `gradient` is all zero before and after. Only mentions that are
    `taught` teach, and a mention whose chain is `HIDDEN` is nobody's antecedent: so documents in which a few links were
    judged teach these alone.
    """
    kind, gamma, window, rate, penalty = int(settings[0]), settings[1], int(settings[2]), settings[3], settings[4]
    mask = len(weights) - 1
    n = len(table)
    ids = np.empty(MAX_FEATURES, np.int64)
    rel = np.empty(N_RELATIONS, np.int64)
    scores = np.empty(n + 1)
    parts = np.empty(n + 1)
    touched = np.empty((n + 1) * MAX_FEATURES, np.int64)
    loss = 0.0
    for i in range(n):
        if taught[i] == 0:
            continue
        low = max(0, i - window)
        for j in range(low, i + 1):
            if j < i and chain[j] == HIDDEN:
                scores[j - low] = -np.inf
                continue
            m = features_of(table, words, word_ends, modifiers, modifier_ends, counts, i, j, mask, rel, ids)
            total = 0.0
            for k in range(m):
                total += weights[ids[k]]
            scores[j - low] = total
        loss += coefficients(kind, scores, chain, costs, i, low, gamma, parts)
        n_touched = 0
        for j in range(low, i + 1):
            part = parts[j - low]
            if abs(part) < _NEGLIGIBLE:
                continue
            m = features_of(table, words, word_ends, modifiers, modifier_ends, counts, i, j, mask, rel, ids)
            for k in range(m):
                gradient[ids[k]] += part
                touched[n_touched] = ids[k]
                n_touched += 1
        _step(touched[:n_touched], weights, squares, gradient, rate, penalty)
    return loss


@nb.njit(cache=True, nogil=True)
def _step(touched: Ints, weights: Floats, squares: Floats, gradient: Floats, rate: float, penalty: float) -> None:
    for f in touched:
        g = gradient[f]
        if g == 0.0:
            continue
        gradient[f] = 0.0
        squares[f] += g * g
        step = rate / np.sqrt(squares[f])
        w = weights[f] - step * g
        shrink = step * penalty  # L1: a weight that does not earn its keep is drawn to zero
        weights[f] = w - shrink if w > shrink else (w + shrink if w < -shrink else 0.0)


@nb.njit(cache=True, nogil=True)
def learn_filter(
    table: Ints,
    counts: Ints,
    right: Ints,
    rate: float,
    penalty: float,
    weights: Floats,
    squares: Floats,
    gradient: Floats,
) -> float:
    """Learn from one document which candidates are annotated, a step of AdaGrad on the logistic loss for each."""
    mask = len(weights) - 1
    ids = np.empty(MAX_FEATURES, np.int64)
    loss = 0.0
    for i in range(len(table)):
        m = filter_features(table, counts, i, mask, ids)
        total = 0.0
        for k in range(m):
            total += weights[ids[k]]
        p = 1.0 / (1.0 + np.exp(-total))
        loss -= np.log(max(p if right[i] else 1.0 - p, 1e-12))
        for k in range(m):
            gradient[ids[k]] += p - right[i]
        _step(ids[:m], weights, squares, gradient, rate, penalty)
    return loss
