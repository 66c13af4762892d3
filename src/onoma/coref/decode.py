"""From scores of antecedents to chains: Best-Link, sums over entities, spanning forests, and all links at once.

`scores[i, j]` for j < i is how well mention j serves as the antecedent of mention i, `scores[i, i]` how well none does.
A decoder returns for each mention the number of its entity, the number of the entity's first mention.

* Best-Link: each mention follows its best antecedent or begins an entity. With latent antecedents this is the exact
  best clustering of L3M (Chang, Samdani and Roth, 2013).
* PL3M: each mention joins the entity whose mentions together have the largest probability, p(j | i) ∝ exp(scores/γ).
* Constrained: before mention i chooses, every entity gets the sum of the constraints' weights between i and its
  members.
* All-Link: the clustering with the largest sum over *all* its pairs (an integer program with transitivity, whose
  violated triangles are added until none is left).
* Spanning: a forest of undirected links, strongest first, while they beat "none".
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from onoma.coref._decode_kernels import fill_linked
from onoma.errors import SettingsError

__all__ = ["DECODERS", "all_link", "best_link", "constrained_link", "exact_constrained", "pl3m_link", "spanning_link"]

Scores = NDArray[np.float64]
Labels = NDArray[np.int64]


def best_link(scores: Scores) -> Labels:
    """Let each mention follow its best antecedent.

    Examples
    --------
    >>> best_link(np.array([[0.0, -np.inf, -np.inf], [1.0, 0.0, -np.inf], [-1.0, -2.0, 0.0]])).tolist()
    [0, 0, 2]
    """
    labels = np.arange(len(scores))
    for i in range(1, len(scores)):
        labels[i] = labels[int(np.argmax(scores[i, : i + 1]))] if scores[i, :i].max() > scores[i, i] else i
    return labels


def pl3m_link(scores: Scores, gamma: float = 1.0) -> Labels:
    """Let each mention join the entity with the largest total probability; γ → 0 is `best_link`."""
    return constrained_link(scores, None, gamma)


def constrained_link(scores: Scores, constraints: Scores | None, gamma: float = 0.0) -> Labels:
    """Decode greedily from left to right with constraints on whole entities.

    Parameters
    ----------
    scores
        As all decoders take them.
    constraints
        `constraints[i, k]` is added for every member k of the entity that i would join; None for none.
    gamma
        0: the best antecedent decides; above 0: the sum of probabilities over the entity's members does.
    """
    if gamma < 0.0:
        raise SettingsError(f"gamma is {gamma}; it may be 0 (the best antecedent) or more (a sum over the entity)")
    labels = np.arange(len(scores))
    given = np.empty((0, 0)) if constraints is None else np.ascontiguousarray(constraints, np.float64)
    fill_linked(np.ascontiguousarray(scores, np.float64), given, gamma, labels)
    return labels


def spanning_link(scores: Scores) -> Labels:
    """Join the strongest links first, as long as a link is better than its later mention standing alone."""
    gain = np.tril(scores - np.diag(scores)[:, None], -1)
    later, earlier = np.nonzero(gain > 0)
    labels = np.arange(len(scores))
    for k in np.argsort(-gain[later, earlier], kind="stable"):
        a, b = labels[later[k]], labels[earlier[k]]
        if a != b:
            labels[labels == max(a, b)] = min(a, b)
    return labels


def all_link(scores: Scores, *, seconds: float = 10.0) -> Labels:
    """Return the clustering with the largest sum of gains over all its pairs, exactly where time allows.

    A pair's gain is its score less that of "none" of its later mention. Triangles that a solution violates are added as
    constraints and it is solved again; after `seconds` the best links so far are closed transitively.
    """
    n = len(scores)
    later, earlier = np.tril_indices(n, -1)
    if not len(later):
        return np.arange(n)
    gain = (scores - np.diag(scores)[:, None])[later, earlier]
    gain = np.where(np.isfinite(gain), gain, -1e3)
    where = np.full((n, n), -1)
    where[later, earlier] = where[earlier, later] = np.arange(len(later))
    linked = _solve(-gain, _Triangles(where), seconds)
    labels = np.arange(n)
    for k in np.flatnonzero(linked):
        a, b = labels[later[k]], labels[earlier[k]]
        labels[labels == max(a, b)] = min(a, b)
    return labels


def exact_constrained(scores: Scores, constraints: Scores) -> Labels:
    """Return the best clustering under left-links and constraints on all pairs of an entity, exactly (CL3M as an ILP).

    Maximise Σ_i (score of i's best antecedent inside its entity, or of none) + Σ_{co-clustered pairs} constraints. For
    few mentions: the program has a variable for each link and each pair.
    """
    n = len(scores)
    later, earlier = np.tril_indices(n, -1)
    n_pairs = len(later)
    where = np.full((n, n), -1)
    where[later, earlier] = where[earlier, later] = np.arange(n_pairs)
    # Variables: pair (co-clustered) for each k, link (antecedent) for each k, and begin for each mention.
    link_scores = np.where(np.isfinite(scores[later, earlier]), scores[later, earlier], -1e3)
    cost = -np.concatenate([constraints[later, earlier], link_scores, np.diag(scores)])
    rows = [sparse.hstack([sparse.eye(n_pairs), -sparse.eye(n_pairs), sparse.csr_matrix((n_pairs, n))])]
    low = [np.zeros(n_pairs)]
    high = [np.full(n_pairs, np.inf)]
    chooses = sparse.csr_matrix((np.ones(n_pairs), (later, n_pairs + np.arange(n_pairs))), (n, 2 * n_pairs + n))
    begins = sparse.csr_matrix((np.ones(n), (np.arange(n), 2 * n_pairs + np.arange(n))), (n, 2 * n_pairs + n))
    rows.append(chooses + begins)
    low.append(np.ones(n))
    high.append(np.ones(n))
    # A mention that begins an entity has no earlier member in it.
    start = sparse.csr_matrix((np.ones(n_pairs), (np.arange(n_pairs), 2 * n_pairs + later)), (n_pairs, 2 * n_pairs + n))
    pair = sparse.hstack([sparse.eye(n_pairs), sparse.csr_matrix((n_pairs, n_pairs + n))])
    rows.append(start + pair)
    low.append(np.full(n_pairs, -np.inf))
    high.append(np.ones(n_pairs))
    fixed = optimize.LinearConstraint(sparse.csr_matrix(sparse.vstack(rows)), np.concatenate(low), np.concatenate(high))
    chosen = _solve(cost, _Triangles(where), 60.0, fixed)[:n_pairs]
    labels = np.arange(n)
    for k in np.flatnonzero(chosen):
        a, b = labels[later[k]], labels[earlier[k]]
        labels[labels == max(a, b)] = min(a, b)
    return labels


class _Triangles:
    """Transitivity, as the constraints that a solution violates."""

    def __init__(self, where: NDArray[np.int64]) -> None:
        self.where = where

    def violated(self, linked: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
        """Return (p, q, r): pairs p and q are linked, and r, which closes their triangle, is not."""
        n = len(self.where)
        joined = np.zeros((n, n), bool)
        upper = self.where >= 0
        joined[upper] = linked[self.where[upper]]
        return [
            (int(self.where[middle, a]), int(self.where[middle, b]), int(self.where[a, b]))
            for middle in range(n)
            for a, b in combinations(np.flatnonzero(joined[middle]), 2)
            if not joined[a, b]
        ]


def _solve(
    cost: NDArray[np.float64],
    triangles: _Triangles,
    seconds: float,
    fixed: optimize.LinearConstraint | None = None,
) -> NDArray[np.bool_]:
    """Minimise cost · x over 0/1 variables, adding violated triangles until there are none."""
    added: list[tuple[int, int, int]] = []
    known: set[tuple[int, int, int]] = set()
    while True:
        constraints = [] if fixed is None else [fixed]
        if added:
            row = np.repeat(np.arange(len(added)), 3)
            values = np.tile([1.0, 1.0, -1.0], len(added))
            matrix = sparse.csr_matrix((values, (row, np.ravel(added))), (len(added), len(cost)))
            constraints.append(optimize.LinearConstraint(matrix, -np.inf, 1.0))
        result = optimize.milp(
            cost,
            integrality=np.ones(len(cost), np.int64),
            bounds=optimize.Bounds(0, 1),
            constraints=constraints,
            options={"time_limit": seconds},
        )
        if result.x is None:
            return np.zeros(len(cost), bool)
        solution = result.x > 0.5
        new = [triangle for triangle in triangles.violated(solution) if triangle not in known]
        if not new:
            return solution
        known.update(new)
        added.extend(new)


DECODERS: dict[str, Callable[[Scores], Labels]] = {
    "best-link": best_link,
    "pl3m": pl3m_link,
    "spanning": spanning_link,
    "all-link": all_link,
}
"""Decoders by name."""
