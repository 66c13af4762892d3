"""The best tree of descent: a maximum spanning arborescence (Chu and Liu 1965, Edmonds 1967, after Tarjan 1977)."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from onoma.errors import DataError

__all__ = ["best_parents"]


def best_parents(
    n: int,
    parents: Sequence[int] | NDArray[np.integer],
    children: Sequence[int] | NDArray[np.integer],
    scores: Sequence[float] | NDArray[np.floating],
    roots: Sequence[float] | NDArray[np.floating],
) -> NDArray[np.int64]:
    """Return each node's parent (-1: none) so that no node descends from itself and the sum of scores is greatest.

    Parameters
    ----------
    n
        Nodes.
    parents, children, scores
        The edges.
    roots
        The score of each node without a parent.

    Examples
    --------
    >>> best_parents(3, [0, 1, 1], [1, 0, 2], [5.0, 5.5, 2.0], [0.0, 1.0, 0.0]).tolist()
    [1, -1, 1]
    """
    if len(roots) != n:
        raise DataError(f"there are {n} nodes and {len(roots)} root scores")
    one, other = np.asarray(parents, dtype=np.int64), np.asarray(children, dtype=np.int64)
    score, alone = np.asarray(scores, dtype=np.float64), np.asarray(roots, dtype=np.float64)
    # A node that is better off without a parent than with this one never takes it: to leave it closes no cycle.
    useful = np.flatnonzero((one != other) & (score > alone[other]))
    one, other, score = one[useful], other[useful], score[useful]
    _, group = connected_components(sp.coo_matrix((np.ones(len(one)), (one, other)), shape=(n, n)), directed=False)
    order = np.argsort(group[other], kind="stable")
    found = np.full(n, -1, dtype=np.int64)
    for edges in np.split(order, np.flatnonzero(np.diff(group[other][order])) + 1):
        arcs = [(int(one[e]), int(other[e]), float(score[e])) for e in edges]
        arcs += [
            (n, node, float(alone[node])) for node in np.unique(np.concatenate([one[edges], other[edges]])).tolist()
        ]
        for e in _solve(n, arcs):
            parent, child, _ = arcs[e]
            found[child] = -1 if parent == n else parent
    return found


_Edge = tuple[int, int, float, int]


def _solve(root: int, arcs: Sequence[tuple[int, int, float]]) -> set[int]:
    """Return the numbers of the chosen edges: contract cycles of best edges until none is left, then open them."""
    edges = [(parent, child, score, number) for number, (parent, child, score) in enumerate(arcs)]
    contracted: list[tuple[list[int], dict[int, _Edge], dict[int, _Edge]]] = []
    new = root
    while True:
        best: dict[int, _Edge] = {}
        for edge in edges:
            if edge[1] != root and (edge[1] not in best or edge[2] > best[edge[1]][2]):
                best[edge[1]] = edge
        cycle = _cycle(best, root)
        if cycle is None:
            break
        new += 1
        edges, entered = _contract(edges, best, set(cycle), new)
        contracted.append((cycle, best, entered))
    chosen = {edge[3] for edge in best.values()}
    for cycle, best, entered in reversed(contracted):
        broken = next(entered[number][1] for number in chosen if number in entered)
        chosen |= {best[node][3] for node in cycle if node != broken}
    return chosen


def _contract(
    edges: Sequence[_Edge], best: dict[int, _Edge], cycle: set[int], new: int
) -> tuple[list[_Edge], dict[int, _Edge]]:
    """Make one node of a cycle; return the edges that are left, and those that enter it as they were."""
    left: list[_Edge] = []
    entered: dict[int, _Edge] = {}
    for edge in edges:
        parent, child, score, number = edge
        if child in cycle:
            if parent not in cycle:
                left.append((parent, new, score - best[child][2], number))
                entered[number] = edge
        else:
            left.append((new if parent in cycle else parent, child, score, number))
    return left, entered


def _cycle(best: dict[int, _Edge], root: int) -> list[int] | None:
    """Return the nodes of a cycle of best edges, if there is one."""
    state: dict[int, int] = {}
    for start in best:
        path, node = [], start
        while node != root and node in best and node not in state:
            state[node] = start
            path.append(node)
            node = best[node][0]
        if node != root and state.get(node) == start and node in path:
            return path[path.index(node) :]
    return None
