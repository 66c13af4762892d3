"""Kernels of `topics.py`: collapsed Gibbs sampling of latent Dirichlet allocation."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel
from onoma.numerics.rng import uniform


@kernel
def sweep_topics(
    rng_state: NDArray[np.uint64],
    words: NDArray[np.int32],
    documents: NDArray[np.int32],
    topics: NDArray[np.int32],
    by_document: NDArray[np.int32],
    by_word: NDArray[np.int32],
    by_topic: NDArray[np.int64],
    alpha: NDArray[np.float64],
    beta: float,
    n_sweeps: int,
) -> None:
    """Draw each token's topic anew, given all others, a number of times; the counts are kept up to date."""
    n_topics, n_words = by_document.shape[1], by_word.shape[0]
    running = np.empty(n_topics)
    for _ in range(n_sweeps):
        for t in range(len(words)):
            w, d, old = words[t], documents[t], topics[t]
            by_document[d, old] -= 1
            by_word[w, old] -= 1
            by_topic[old] -= 1
            total = 0.0
            for k in range(n_topics):
                total += (by_document[d, k] + alpha[k]) * (by_word[w, k] + beta) / (by_topic[k] + beta * n_words)
                running[k] = total
            x = uniform(rng_state) * total
            new = 0
            while new < n_topics - 1 and running[new] <= x:
                new += 1
            topics[t] = new
            by_document[d, new] += 1
            by_word[w, new] += 1
            by_topic[new] += 1
