"""Clusters of words that keep the same company: positive pointwise mutual information, SVD, k-means.

Words that stand beside the same words get the same cluster (after Pantel and others, 2009, on the user's own texts), so
what is known of *thai* reaches *ethiopian*.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2
from scipy.sparse.linalg import svds
from threadpoolctl import threadpool_limits

from onoma.extract.matching import normal
from onoma.extract.tokens import Text
from onoma.numerics.rng import stream

__all__ = ["word_clusters"]


def word_clusters(
    texts: Sequence[Text], *, n_clusters: int = 64, min_count: int = 5, rank: int = 32, seed: int = 0
) -> dict[str, str]:
    """Return the cluster of each word seen often enough; nothing for too little text."""
    lines = [[normal(token) for token in text.tokens] for text in texts]
    counts = Counter(word for line in lines for word in line)
    words = [word for word, count in counts.items() if count >= min_count]
    if len(words) < 2 * rank:
        return {}
    at = {word: i for i, word in enumerate(words)}
    n = len(words)
    rows, columns = [], []
    for line in lines:
        ids = [at.get(word, -1) for word in line]
        for distance, shift in ((1, 0), (2, 2 * n)):
            for a, b in zip(ids, ids[distance:], strict=False):
                if a >= 0 and b >= 0:
                    rows += [a, b]
                    columns += [b + shift, a + n + shift]
    counted = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, 4 * n))
    total = counted.sum()
    left: NDArray[np.float64] = np.asarray(counted.sum(axis=1)).ravel()
    right: NDArray[np.float64] = np.asarray(counted.sum(axis=0)).ravel()
    found = counted.tocoo()
    information = np.log(found.data * total / (left[found.coords[0]] * right[found.coords[1]]))
    matrix = sp.csr_array((np.maximum(information, 0.0), found.coords), shape=counted.shape)
    rng = stream(seed, "clusters")
    with threadpool_limits(1):
        u, s, _ = svds(matrix, k=min(rank, n - 1), v0=rng.random(n))
        points = u * np.sqrt(s)
        points /= np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-9)
        _, codes = kmeans2(points, min(n_clusters, n // 4), minit="++", rng=rng, iter=20)
    return {word: str(int(code)) for word, code in zip(words, codes, strict=True)}
