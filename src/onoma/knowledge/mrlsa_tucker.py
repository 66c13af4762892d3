"""Tucker decomposition of a tensor seen only through products (Tucker 1966; Kolda and Sun, 2008).

With as many relation factors as relations, W_k ≈ U S_k Vᵀ with U and V orthonormal and S_k = Uᵀ W_k V, and the best
factors maximise the energy Σ_k ‖Uᵀ W_k V‖². Higher-order orthogonal iteration takes, in turn,

    U ← leading left singular vectors of [W_1 V … W_m V],    V ← the same of [W_1ᵀ U … W_mᵀ U].

Here a turn is one power step on those matrices, Y = Σ_k W_k V S_kᵀ, started from a random range (Halko, Martinsson and
Tropp, 2011) that is a little wider than the rank asked for. Nothing larger than documents × rank is kept, whatever the
number of relations, the energy never falls, and the fixed points are those of the full turn.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from onoma.errors import SettingsError
from onoma.knowledge.mrlsa_tensor import Dense, Slices
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["Point", "Tucker", "tucker"]


class Point(NamedTuple):
    """One turn: the energy kept by the factors, with those that are cut off at the end."""

    n_iter: int
    energy: float


@dataclass(frozen=True)
class Tucker:
    """W_k ≈ U S_k Vᵀ."""

    documents: Dense
    """U: documents × rank, orthonormal."""
    words: Dense
    """V: words × rank, orthonormal."""
    cores: Dense
    """S: relations × rank × rank."""
    trace: tuple[Point, ...]
    is_converged: bool
    gap: float
    """How much the last turn added to the energy, as a share of it."""


def tucker(
    slices: Slices,
    rank: int,
    *,
    max_iter: int = 8,
    tolerance: float = 1e-2,
    oversample: int = 10,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Tucker:
    """Decompose a tensor.

    Parameters
    ----------
    slices
        The tensor.
    rank
        Columns of U and V, at most the number of documents and of words.
    max_iter
        Turns at most.
    tolerance
        Stop when a turn adds less than this share to the energy.
    oversample
        Columns more than the rank while iterating: the last columns converge slowest, and these are cut off.
    seed
        Of the random start.
    progress
        Where to show the turns.
    """
    n_documents, n_words, n_relations = slices.shape
    limit = min(n_documents, n_words)
    if not 1 <= rank <= limit:
        raise SettingsError(
            f"rank is {rank}; with {n_documents:,} documents and {n_words:,} words it is from 1 to {limit:,}"
        )
    width = min(rank + oversample, limit)
    rng = stream(seed, "tucker")
    V = orthonormal(rng.standard_normal((n_words, width), dtype=np.float32))
    X = slices.of_words(V)
    # Slices are mixed at random: in their plain sum, directions in which two are opposed would be lost for good.
    mixture = rng.standard_normal((n_relations, width, width), dtype=np.float32)
    U = orthonormal(slices.towards_documents(X, mixture))
    Y = slices.of_documents(U)
    S = slices.cores(Y, X)
    trace: list[Point] = []
    gap = np.inf
    with progress.task("decomposing", max_iter, "turns") as task:
        for turn in range(1, max_iter + 1):
            V = orthonormal(slices.towards_words(Y, S))
            X = slices.of_words(V)
            U = orthonormal(slices.towards_documents(X, slices.cores(Y, X)))
            Y = slices.of_documents(U)
            S = slices.cores(Y, X)
            trace.append(Point(turn, float(np.sum(S.astype(np.float64) ** 2))))
            gap = 1 - trace[-2].energy / trace[-1].energy if turn > 1 and trace[-1].energy else np.inf
            task.advance(energy=trace[-1].energy)
            if gap < tolerance:
                break
    U, V, S = _cut(U, V, S, rank)
    return Tucker(U, V, S, tuple(trace), gap < tolerance, gap)


def orthonormal(Y: Dense) -> Dense:
    """Return an orthonormal basis with as many columns, by the eigenvectors of YᵀY.

    A second pass follows where the columns are nearly dependent: there the first loses digits. Directions that Y lacks
    are filled with nothing (zero columns), so that a tensor of low rank is no error.
    """
    for _ in range(2):
        values, vectors = np.linalg.eigh((Y.T @ Y).astype(np.float64))
        floor = max(float(values[-1]), np.finfo(np.float64).tiny) * 1e-10
        inverse = np.where(values > floor, 1 / np.sqrt(np.maximum(values, floor)), 0.0)
        Y = Y @ (vectors * inverse)[:, ::-1].astype(np.float32)
        if values[0] > 1e6 * floor:  # float32 keeps seven digits; a condition of 10⁴ leaves three
            break
    return Y


def _cut(U: Dense, V: Dense, S: Dense, rank: int) -> tuple[Dense, Dense, Dense]:
    """Turn the factors so that the strongest columns come first, and keep `rank` of them."""
    S64 = S.astype(np.float64)
    left = np.linalg.eigh(np.einsum("kij,klj->il", S64, S64))[1][:, ::-1][:, :rank]
    right = np.linalg.eigh(np.einsum("kij,kil->jl", S64, S64))[1][:, ::-1][:, :rank]
    cores = np.stack([left.T @ core @ right for core in S64])
    return U @ left.astype(np.float32), V @ right.astype(np.float32), cores.astype(np.float32)
