"""The best tree of descent: a maximum spanning arborescence (Chu and Liu 1965, Edmonds 1967, after Tarjan 1977)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
    edges = [(n, i, float(score)) for i, score in enumerate(roots)]
    edges += [(int(p), int(c), float(s)) for p, c, s in zip(parents, children, scores, strict=True) if int(p) != int(c)]
    chosen = _solve(n + 1, n, [(p, c, s, e) for e, (p, c, s) in enumerate(edges)])
    found = np.full(n, -1, dtype=np.int64)
    for e in chosen:
        parent, child, _ = edges[e]
        found[child] = -1 if parent == n else parent
    return found


_Edge = tuple[int, int, float, int]


def _solve(n: int, root: int, edges: list[_Edge]) -> set[int]:
    """Return the numbers of the chosen edges: contract a cycle of best edges, solve, and open it again."""
    best: dict[int, _Edge] = {}
    for edge in edges:
        if edge[1] != root and (edge[1] not in best or edge[2] > best[edge[1]][2]):
            best[edge[1]] = edge
    cycle = _cycle(best, root)
    if cycle is None:
        return {edge[3] for edge in best.values()}
    inside = set(cycle)
    new = n  # the cycle as one node
    entered: dict[int, _Edge] = {}
    smaller = []
    for edge in edges:
        parent, child, score, number = edge
        if parent in inside and child in inside:
            continue
        if child in inside:
            smaller.append((parent, new, score - best[child][2], number))
            entered[number] = edge
        elif parent in inside:
            smaller.append((new, child, score, number))
        else:
            smaller.append(edge)
    chosen = _solve(n + 1, root, smaller)
    broken = next(entered[number][1] for number in chosen if number in entered)
    return chosen | {best[node][3] for node in cycle if node != broken}


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
