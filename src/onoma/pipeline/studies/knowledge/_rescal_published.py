"""One iteration of RESCAL and of TRESCAL as their papers write them, for comparing times.

RESCAL (Nickel et al., 2011, with the regularised update by singular vectors): every slice is multiplied over all n
entities, so an iteration costs relations × n r². TRESCAL (Chang et al., 2014): over the entities whose types fit.
"""

import time
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.knowledge.facts import Facts
from onoma.knowledge.types import Fit

__all__ = ["seconds_of_an_iteration"]

Double = NDArray[np.float64]


def seconds_of_an_iteration(facts: Facts, fit: Fit | None, A: Double, lam: float, relations: Sequence[int]) -> float:
    """Return the time of one update of A and of R; from some relations, times all ÷ some.

    Everything that grows with the relations is timed on those given, everything else once.
    """
    slices = {k: X.tocsr() for k, X in facts.slices()}
    sides = {k: _sides(fit, k, len(A)) for k in relations}
    R = np.random.default_rng(0).normal(size=(len(facts.relations), A.shape[1], A.shape[1]))
    blank = sp.csr_array((len(A), len(A)))
    start = time.perf_counter()
    gram = A.T @ A
    once = time.perf_counter() - start
    each = 0.0
    N, S = np.zeros_like(A), lam * np.eye(A.shape[1])
    for k in relations:
        X = slices.get(k, blank)
        rows, columns = sides[k]
        small = X if fit is None else X[rows][:, columns]
        start = time.perf_counter()
        _add_inplace(N, S, small, A, R[k], rows, columns, gram if fit is None else None)
        each += time.perf_counter() - start
    start = time.perf_counter()
    A = np.asarray(np.linalg.solve(S, N.T).T, np.float64)
    if fit is None:
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
    once += time.perf_counter() - start
    for k in relations:
        rows, columns = sides[k]
        X = slices.get(k, blank)
        small = X if fit is None else X[rows][:, columns]
        start = time.perf_counter()
        if fit is None:
            Vt.T @ ((U.T @ (small @ U)) * (np.outer(s, s) / (np.outer(s, s) ** 2 + lam))) @ Vt
        else:
            _typed_relation(small, A[rows], A[columns], lam)
        each += time.perf_counter() - start
    return once + each * len(facts.relations) / len(relations)


def _sides(fit: Fit | None, k: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if fit is None:
        return np.arange(n), np.arange(n)
    return np.flatnonzero(fit.subjects[k, fit.block]), np.flatnonzero(fit.objects[k, fit.block])


def _add_inplace(
    N: Double,
    S: Double,
    X: sp.csr_array,
    A: Double,
    R_k: Double,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    gram: Double | None,
) -> None:
    """Add what one relation gives to both sides of the normal equations."""
    if gram is not None:
        N += X @ (A @ R_k.T) + X.T @ (A @ R_k)
        S += R_k @ gram @ R_k.T + R_k.T @ gram @ R_k
        return
    left, right = A[rows], A[columns]
    N[rows] += X @ (right @ R_k.T)
    N[columns] += X.T @ (left @ R_k)
    S += R_k @ (right.T @ right) @ R_k.T + R_k.T @ (left.T @ left) @ R_k


def _typed_relation(X: sp.csr_array, left: Double, right: Double, lam: float) -> Double:
    (s_l, V_l), (s_r, V_r) = np.linalg.eigh(left.T @ left), np.linalg.eigh(right.T @ right)
    M = V_l.T @ (left.T @ (X @ right)) @ V_r
    return np.asarray(V_l @ (M / (np.outer(s_l, s_r) + lam)) @ V_r.T)
