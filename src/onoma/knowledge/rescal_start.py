"""Where the iterations start: the leading eigenvectors of Σ_k (X_k + X_kᵀ).

Small problems by Lanczos (ARPACK); large ones by block power iteration with a random start and a Rayleigh–Ritz step
(Halko, Martinsson and Tropp, 2011), whose memory is two blocks of n × (r + 10) numbers.
"""

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

from onoma.errors import SettingsError
from onoma.knowledge.facts import Facts
from onoma.numerics.rng import stream

__all__ = ["leading_eigenvectors", "symmetric_sum"]

Matrix = NDArray[np.float32] | NDArray[np.float64]

_LANCZOS_CELLS = 1_000_000
"""n × r up to which Lanczos is used: above, it takes many times as long, and the iterations end at the same loss."""


def symmetric_sum(facts: Facts) -> sp.csr_array:
    """Return Σ_k (X_k + X_kᵀ)."""
    n = len(facts.entities)
    cells = (facts.triples.subjects, facts.triples.objects)
    total = sp.csr_array((facts.probability, cells), shape=(n, n))
    return (total + total.T).tocsr()


def leading_eigenvectors(S: sp.csr_array, rank: int, seed: int, *, rounds: int = 4) -> Matrix:
    """Return orthonormal columns that span the eigenvectors of largest absolute eigenvalue.

    Examples
    --------
    >>> S = sp.csr_array(np.diag([1.0, -5.0, 3.0]))
    >>> np.abs(leading_eigenvectors(S, 1, seed=0)).round(3).ravel().tolist()
    [0.0, 1.0, 0.0]
    """
    n = S.shape[0]
    if rank > n:
        raise SettingsError(
            f"rank is {rank}, but there are only {n:,} entities", hint=f"Choose a rank of at most {n:,}."
        )
    rng = stream(seed, "start")
    if rank >= n - 1 or n <= 64:
        values, vectors = np.linalg.eigh(S.toarray())
        return vectors[:, np.argsort(-np.abs(values), kind="stable")[:rank]]
    if n * rank <= _LANCZOS_CELLS:
        values, vectors = eigsh(S, k=rank, which="LM", v0=rng.standard_normal(n), tol=1e-3)
        return np.asarray(vectors[:, np.argsort(-np.abs(values), kind="stable")])
    return _by_powers(S, rank, rounds, rng)


def _by_powers(S: sp.csr_array, rank: int, rounds: int, rng: np.random.Generator) -> Matrix:
    block = rng.standard_normal((S.shape[0], min(rank + 10, S.shape[0])), np.float32)
    S = S.astype(np.float32)
    for done in range(rounds):
        # Between rounds the columns need only stay apart; at the end they must be orthonormal.
        block = _orthonormal(S @ block, 2 if done == rounds - 1 else 1)
    small = (block.T @ (S @ block)).astype(np.float64)
    values, vectors = np.linalg.eigh(0.5 * (small + small.T))
    chosen = np.argsort(-np.abs(values), kind="stable")[:rank]
    return block @ vectors[:, chosen].astype(np.float32)


def _orthonormal(block: NDArray[np.float32], steps: int) -> NDArray[np.float32]:
    """Return a basis of the columns, by Cholesky steps (QR by way of the Gram matrix); two make it orthonormal."""
    for _ in range(steps):
        gram = (block.T @ block).astype(np.float64)
        gram[np.diag_indices_from(gram)] += 1e-7 * np.trace(gram) / len(gram)
        upper = scipy.linalg.cholesky(gram)
        block = block @ scipy.linalg.solve_triangular(upper, np.eye(len(gram))).astype(np.float32)
    return block
