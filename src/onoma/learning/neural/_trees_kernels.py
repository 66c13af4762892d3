"""Kernel of the best tree: the arborescence of greatest score, with one child of the root (Chu and Liu, 1965)."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["best_tree"]

_NONE = np.float32(-1e30)


@nb.njit(cache=True, nogil=True)
def best_tree(scores: NDArray[np.float32]) -> NDArray[np.int32]:
    """Return the head of each token, 0 for the root and 1 + i for token i, given scores of tokens × heads.

    Most often the best heads one by one are a tree with one root already.
    """
    n = scores.shape[0]
    heads = np.empty(n, np.int32)
    for i in range(n):
        best = 0
        for j in range(1, n + 1):
            if j != i + 1 and scores[i, j] > scores[i, best]:
                best = j
        heads[i] = best
    if _is_tree(heads):
        return heads
    return _with_one_root(scores)


@nb.njit(cache=True, nogil=True)
def _is_tree(heads: NDArray[np.int32]) -> bool:
    """Say whether there is one root and no circle."""
    n = len(heads)
    n_roots = 0
    for i in range(n):
        if heads[i] == 0:
            n_roots += 1
    if n_roots != 1:
        return False
    mark = np.zeros(n + 1, np.int32)
    mark[0] = -1
    for i in range(n):
        at = i + 1
        while mark[at] == 0:
            mark[at] = i + 1
            at = heads[at - 1]
        if mark[at] == i + 1:
            return False
        at = i + 1
        while mark[at] == i + 1:
            mark[at] = -1
            at = heads[at - 1]
    return True


@nb.njit(cache=True, nogil=True)
def _with_one_root(scores: NDArray[np.float32]) -> NDArray[np.int32]:
    """A root costs so much that no tree has two where one will do: one run gives the best tree of one root."""
    n = scores.shape[0]
    weights = np.full((n + 1, n + 1), np.float64(_NONE))
    low, high = np.inf, -np.inf
    for i in range(n):
        for j in range(n + 1):
            if j != i + 1:
                low, high = min(low, scores[i, j]), max(high, scores[i, j])
    cost = (high - low + 1.0) * (n + 1)
    for i in range(n):
        for j in range(n + 1):
            if j != i + 1:
                weights[i + 1, j] = scores[i, j] - (cost if j == 0 else 0.0)
    return _arborescence(weights)[1:]


@nb.njit(cache=True, nogil=True)
def _arborescence(weights: NDArray[np.float64]) -> NDArray[np.int32]:
    """Chu–Liu–Edmonds by contraction; weights are child × head, node 0 the root."""
    n = len(weights)
    # Nodes n … 2n-1 are contracted circles. `alive` nodes have their best incoming arcs in `w`.
    size = 2 * n
    w = np.full((size, size), np.float64(_NONE))
    w[:n, :n] = weights
    # For each (child, head) of the contracted graph: the arc of the original graph it stands for.
    child_of = np.zeros((size, size), np.int32)
    head_of = np.zeros((size, size), np.int32)
    for i in range(n):
        for j in range(n):
            child_of[i, j], head_of[i, j] = i, j
    alive = np.zeros(size, np.bool_)
    alive[:n] = True
    parent = np.full(size, -1, np.int32)  # the circle a node was contracted into
    best = np.full(size, -1, np.int32)
    top = n
    while True:
        for i in range(1, top):
            if alive[i]:
                found = -1
                for j in range(top):
                    if alive[j] and j != i and (found < 0 or w[i, j] > w[i, found]):
                        found = j
                best[i] = found
        circle = _circle(alive, best, top)
        if circle < 0:
            break
        fresh = top
        top += 1
        members = np.zeros(size, np.bool_)
        at = circle
        while not members[at]:
            members[at] = True
            at = best[at]
        for j in range(fresh):
            if not alive[j] or members[j]:
                continue
            into, out = -1, -1
            gain = 0.0
            for m in range(fresh):
                if members[m]:
                    value = w[m, j] - w[m, best[m]]
                    if into < 0 or value > gain:
                        into, gain = m, value
                    if out < 0 or w[j, m] > w[j, out]:
                        out = m
            w[fresh, j], child_of[fresh, j], head_of[fresh, j] = gain, child_of[into, j], head_of[into, j]
            if j > 0:
                w[j, fresh], child_of[j, fresh], head_of[j, fresh] = w[j, out], child_of[j, out], head_of[j, out]
        for m in range(fresh):
            if members[m]:
                alive[m] = False
                parent[m] = fresh
        alive[fresh] = True
    # Unfold: from the outermost, each circle's entering arc breaks it at one member.
    heads = np.full(n, -1, np.int32)
    done = np.zeros(size, np.bool_)
    for node in range(top - 1, 0, -1):
        if done[node]:
            continue
        # The arc entering this node at the level where it lived.
        child, head = child_of[node, best[node]], head_of[node, best[node]]
        heads[child] = head
        inner = child
        while inner != node:  # every circle between the child and this node is entered here
            done[inner] = True
            inner = parent[inner]
        done[node] = True
    heads[0] = -1
    return heads


@nb.njit(cache=True, nogil=True)
def _circle(alive: NDArray[np.bool_], best: NDArray[np.int32], top: int) -> int:
    """Return a node of a circle of best arcs, -1 if there is none."""
    mark = np.zeros(top, np.int32)
    for i in range(1, top):
        if not alive[i] or mark[i]:
            continue
        at = i
        while at > 0 and mark[at] == 0:
            mark[at] = i
            at = best[at]
        if at > 0 and mark[at] == i:
            return at
    return -1
