"""Simple answers to "which names are one thing's?": equal strings, and average linkage over two similarities."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler
from scipy.cluster.hierarchy import fcluster, linkage

__all__ = [
    "GRID",
    "character_tf_idf",
    "context_distances",
    "exact_match",
    "jaro_winkler_distances",
    "linked",
    "nearest_references",
    "tf_idf_distances",
]

GRID = tuple(float(round(t, 2)) for t in np.arange(0.02, 0.99, 0.02))
"""Thresholds to choose from."""


def exact_match(names: Sequence[str]) -> NDArray[np.int64]:
    """Return one label for each distinct string."""
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)


def jaro_winkler_distances(names: Sequence[str]) -> NDArray[np.float64]:
    """Return 1 - similarity of each pair, small letters."""
    low = [name.lower() for name in names]
    found = process.cdist(low, low, scorer=JaroWinkler.normalized_similarity, dtype=np.float32)
    return 1.0 - found.astype(np.float64)


def context_distances(contexts: Sequence[str]) -> NDArray[np.float64]:
    """Return 1 - cosine of the words around each pair of names, weighted by tf·idf."""
    matrix = _tf_idf([Counter(text.lower().split()) for text in contexts])
    return 1.0 - (matrix @ matrix.T).toarray()


def character_tf_idf(names: Sequence[str], *, shortest: int = 2, longest: int = 4) -> sp.csr_matrix:
    """Return names as bags of character n-grams inside words, weighted by tf·idf, of length 1."""
    bags = []
    for name in names:
        words = [f" {word} " for word in name.lower().split()]
        grams = (
            word[i : i + n] for word in words for n in range(shortest, longest + 1) for i in range(len(word) - n + 1)
        )
        bags.append(Counter(grams))
    return _tf_idf(bags)


def _tf_idf(bags: Sequence[Counter[str]]) -> sp.csr_matrix:
    number: dict[str, int] = {}
    columns = [number.setdefault(gram, len(number)) for bag in bags for gram in bag]
    counts = np.array([n for bag in bags for n in bag.values()], dtype=np.float64)
    offsets = np.concatenate([[0], np.cumsum([len(bag) for bag in bags])])
    matrix = sp.csr_matrix((counts, np.array(columns, dtype=np.int64), offsets), shape=(len(bags), len(number)))
    frequency = np.bincount(matrix.indices, minlength=len(number))
    matrix = matrix @ sp.diags(np.log((1 + len(bags)) / (1 + frequency)) + 1)
    norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel())
    return sp.csr_matrix(sp.diags(1 / np.maximum(norm, 1e-12)) @ matrix)


def tf_idf_distances(names: Sequence[str]) -> NDArray[np.float64]:
    """Return 1 - cosine of each pair."""
    matrix = character_tf_idf(names)
    return 1.0 - (matrix @ matrix.T).toarray()


def linked(
    distances: NDArray[np.float64], kinds: Sequence[str] | None = None, grid: Sequence[float] = GRID
) -> list[NDArray[np.int64]]:
    """Return the clusterings of average linkage at some thresholds; names of different kinds are far apart."""
    if kinds is not None:
        kind = np.unique(np.array(kinds), return_inverse=True)[1]
        distances = np.where(kind[:, None] == kind, distances, 2.0)
    one, other = np.triu_indices(len(distances), 1)
    tree = linkage(np.clip(distances[one, other], 0.0, 2.0), "average")
    return [fcluster(tree, threshold, "distance").astype(np.int64) for threshold in grid]


def nearest_references(
    references: Sequence[str], names: Sequence[str]
) -> tuple[tuple[NDArray[np.int64], NDArray[np.float64]], ...]:
    """Return the nearest reference of each name and its similarity, by Jaro–Winkler and by character tf-idf."""
    low, small = [each.lower() for each in references], [name.lower() for name in names]
    winkler = process.cdist(small, low, scorer=JaroWinkler.normalized_similarity, dtype=np.float32)
    matrix = character_tf_idf([*references, *names])
    cosine = (matrix[len(references) :] @ matrix[: len(references)].T).toarray()
    return tuple((each.argmax(1), each.max(1).astype(np.float64)) for each in (winkler, cosine))
