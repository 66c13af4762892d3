"""Word vectors and clusters from plain text: words that keep the same company are alike, and numbered together.

Each frequent word is described by how often each of the most frequent words stands right before it, right after it, or
one further away. Counts become positive pointwise mutual information (with the context's share raised to 0.75, which
keeps rare contexts from shouting; Levy, Goldberg and Dagan, 2015), their leading directions are found exactly from the
small matrix of contexts, and words are grouped by spherical k-means. Groups are then joined by Ward's method, so that
a word's coarser clusters follow from its finest.

Cost: words × contexts² multiplications for the directions, once; rounds × words × clusters × dimensions for k-means.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.text._clusters_kernels import count_neighbours

__all__ = ["ClusterSettings", "Clusters", "Company", "learn_clusters", "learn_vectors", "simple_words"]

_WORDS = re.compile(r"[^\W\d_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|[^\W\d_]+|\d+|[^\w\s]")
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True)
class ClusterSettings:
    """How fine the clusters are and how much is looked at."""

    least_count: int = 10
    n_contexts: int = 1000
    n_far: int = 400
    n_dimensions: int = 80
    sizes: tuple[int, ...] = (1000, 250, 64)
    """Numbers of clusters, finest first."""
    n_rounds: int = 25


@dataclass(frozen=True, eq=False)
class Clusters:
    """Words (lower case, digits as 0) by frequency, and the clusters of each, finest first."""

    words: list[str]
    counts: NDArray[np.int64]
    labels: NDArray[np.int16]
    """Words × levels."""


@dataclass(frozen=True, eq=False)
class Company:
    """Words (lower case, digits as 0) by frequency, and a vector of length one for the company each keeps."""

    words: list[str]
    counts: NDArray[np.int64]
    vectors: NDArray[np.float32]


def simple_words(text: str, *, keep_case: bool = False) -> list[str]:
    """Return the words of a text in small letters, digits as 0, cut as treebanks cut them but by a few rules only.

    Examples
    --------
    >>> simple_words("Don't panic: 42 well-known towels.")
    ['do', "n't", 'panic', ':', '00', 'well', '-', 'known', 'towels', '.']
    """
    text = text if keep_case else text.lower()
    return _WORDS.findall(_DIGITS.sub("0", text.replace("’", "'")))


def learn_clusters(
    texts: Iterable[str],
    pairs: Sequence[tuple[str, str, float]] = (),
    *,
    settings: ClusterSettings | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Clusters:
    """Learn clusters from texts (one sentence each).

    Parameters
    ----------
    texts
        Sentences.
    pairs
        Neighbouring words with counts from elsewhere, added to the texts' own.
    settings
        Sizes.
    seed
        Of the first centres.
    progress
        Shows the steps.
    """
    settings = settings or ClusterSettings()
    found = learn_vectors(texts, pairs, settings=settings, progress=progress)
    with progress.task("word clusters", 1, "steps") as task:
        labels = _levels(found.vectors, found.counts, settings, seed)
        task.advance(1)
    return Clusters(found.words, found.counts, labels)


def learn_vectors(
    texts: Iterable[str],
    pairs: Sequence[tuple[str, str, float]] = (),
    *,
    settings: ClusterSettings | None = None,
    progress: Progress = SILENT,
) -> Company:
    """Learn vectors from texts (one sentence each), and counts of neighbouring words from elsewhere."""
    settings = settings or ClusterSettings()
    with progress.task("word vectors", 3, "steps") as task:
        tokens, words, counts = _number(texts, settings.least_count)
        task.advance(1)
        table = np.zeros((len(words), 2 * (settings.n_contexts + settings.n_far)), np.float32)
        count_neighbours(tokens, settings.n_contexts, settings.n_far, table, 1.0)
        _add_pairs(table, words, pairs, settings.n_contexts)
        task.advance(1)
        vectors = _directions(table, settings.n_dimensions)
        task.advance(1)
    return Company(words, counts, vectors)


def _number(texts: Iterable[str], least: int) -> tuple[NDArray[np.int32], list[str], NDArray[np.int64]]:
    """Return tokens numbered by frequency (-1 between sentences), the words frequent enough, and their counts."""
    seen: dict[str, int] = {}
    parts, part = [], []
    for text in texts:
        part += [seen.setdefault(word, len(seen)) for word in simple_words(text)]
        part.append(-1)
        if len(part) > 1_000_000:
            parts.append(np.array(part, np.int32))
            part = []
    parts.append(np.array(part, np.int32))
    tokens = np.concatenate(parts)
    counts = np.bincount(tokens[tokens >= 0], minlength=len(seen))
    order = np.lexsort((np.arange(len(counts)), -counts))
    rank = np.empty(len(counts), np.int32)
    rank[order] = np.arange(len(counts), dtype=np.int32)
    names = list(seen)
    kept = order[: int((counts >= least).sum())]
    numbered = np.where(tokens >= 0, rank[np.maximum(tokens, 0)], -1).astype(np.int32)
    return numbered, [names[k] for k in kept], counts[kept].astype(np.int64)


def _add_pairs(
    table: NDArray[np.float32], words: list[str], pairs: Sequence[tuple[str, str, float]], n_contexts: int
) -> None:
    known = {word: k for k, word in enumerate(words)}
    for first, second, count in pairs:
        a, b = known.get(first, -1), known.get(second, -1)
        if a >= 0 and 0 <= b < n_contexts:
            table[a, n_contexts + b] += count
        if b >= 0 and 0 <= a < n_contexts:
            table[b, a] += count


def _directions(table: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """Return each word's coordinates along the leading directions of the mutual information, of length one."""
    rows = np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    columns = table.sum(axis=0, dtype=np.float64) ** 0.75
    columns = np.maximum(columns / max(columns.sum(), 1.0), 1e-12).astype(np.float32)
    table /= rows * columns
    np.log(np.maximum(table, 1.0), out=table)
    values, directions = np.linalg.eigh((table.T @ table).astype(np.float64))
    leading = directions[:, ::-1][:, :n] * np.maximum(values[::-1][:n], 1e-9) ** -0.25
    vectors = table @ leading.astype(np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _levels(
    vectors: NDArray[np.float32], counts: NDArray[np.int64], settings: ClusterSettings, seed: int
) -> NDArray[np.int16]:
    from scipy.cluster.hierarchy import fcluster, linkage

    n_finest = min(settings.sizes[0], len(vectors))
    finest, centres = _k_means(vectors, np.log1p(counts), n_finest, settings.n_rounds, seed)
    tree = linkage(centres, "ward") if n_finest > 1 else np.zeros((0, 4))
    coarser = [fcluster(tree, min(size, n_finest), "maxclust")[finest] - 1 for size in settings.sizes[1:]]
    return np.stack([finest, *coarser], axis=1).astype(np.int16)


def _k_means(
    vectors: NDArray[np.float32], weights: NDArray[np.float64], n: int, n_rounds: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return each word's cluster and the centres; an empty cluster begins again at a random word."""
    rng = stream(seed, "clusters")
    chances = weights / weights.sum()
    centres = vectors[rng.choice(len(vectors), n, replace=False, p=chances)].copy()
    nearest = np.zeros(len(vectors), np.int64)
    for _ in range(n_rounds):
        for begin in range(0, len(vectors), 8192):
            part = slice(begin, begin + 8192)
            nearest[part] = (vectors[part] @ centres.T).argmax(axis=1)
        sums = np.zeros((n, vectors.shape[1]))
        np.add.at(sums, nearest, vectors * weights[:, None])
        empty = np.flatnonzero(np.bincount(nearest, minlength=n) == 0)
        sums[empty] = vectors[rng.choice(len(vectors), len(empty), replace=False)]
        centres = (sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return nearest, centres
