"""Topics of the texts around names: latent Dirichlet allocation by collapsed Gibbs sampling.

Each word of a text has a topic; a text prefers some topics (Dirichlet with weights α), a topic some words (Dirichlet
with weight β). Given all others, a token's topic is drawn with probability proportional to

    (tokens of its text with the topic + α_k) · (tokens of its word with the topic + β) / (tokens of the topic + β·V).

After Griffiths and Steyvers (2004); the weights α of the topics differ (Wallach, Mimno and McCallum 2009).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state, stream
from onoma.resolve.fields.writing import fold_all
from onoma.resolve.models.phylogeny._topics_kernels import sweep_topics

__all__ = ["Tokens", "Topics", "find_topics", "tokens_of"]


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words of texts, one after the other."""

    words: NDArray[np.int32]
    documents: NDArray[np.int32]
    n_words: int
    n_documents: int
    vocabulary: Sequence[str]


@dataclass(frozen=True, eq=False)
class Topics:
    """Where the chain stands, and what each text is about."""

    of_tokens: NDArray[np.int32]
    by_document: NDArray[np.int32]
    by_word: NDArray[np.int32]
    by_topic: NDArray[np.int64]
    alpha: NDArray[np.float64]
    beta: float

    @property
    def shares(self) -> NDArray[np.float64]:
        """The expected share of each topic in each text."""
        weights = self.by_document + self.alpha
        return weights / weights.sum(1, keepdims=True)

    @property
    def most(self) -> NDArray[np.int32]:
        """The topic with the greatest share of each text."""
        return self.shares.argmax(1).astype(np.int32)


def tokens_of(texts: Sequence[str], *, least: int = 2, most: float = 0.2) -> Tokens:
    """Read texts into words of three letters or more that are neither unique nor in too many texts."""
    bags = [[word for word in text.split() if len(word) > 2] for text in fold_all(texts)]
    found = Counter(word for bag in bags for word in set(bag))
    ceiling = max(most * len(texts), least)
    kept = sorted(word for word, n in found.items() if least <= n <= ceiling)
    number = {word: i for i, word in enumerate(kept)}
    words = [[number[word] for word in bag if word in number] for bag in bags]
    lengths = [len(row) for row in words]
    return Tokens(
        np.array([word for row in words for word in row], dtype=np.int32),
        np.repeat(np.arange(len(texts), dtype=np.int32), lengths),
        len(kept),
        len(texts),
        kept,
    )


def find_topics(
    tokens: Tokens, *, n_topics: int = 16, n_sweeps: int = 200, beta: float = 0.01, seed: int = 0
) -> Topics:
    """Find the topics of texts.

    Examples
    --------
    >>> texts = ["pitcher inning baseball"] * 5 + ["senate vote law"] * 5
    >>> topics = find_topics(tokens_of(texts, most=0.9), n_topics=2, n_sweeps=50, seed=1)
    >>> len(set(topics.most[:5].tolist())), len(set(topics.most.tolist()))
    (1, 2)
    """
    n_words = max(tokens.n_words, 1)
    topics = stream(seed, "topics").integers(0, n_topics, len(tokens.words)).astype(np.int32)
    by_document = np.zeros((tokens.n_documents, n_topics), dtype=np.int32)
    by_word = np.zeros((n_words, n_topics), dtype=np.int32)
    np.add.at(by_document, (tokens.documents, topics), 1)
    np.add.at(by_word, (tokens.words, topics), 1)
    by_topic = np.bincount(topics, minlength=n_topics).astype(np.int64)
    state, alpha = kernel_state(seed, "topics"), np.full(n_topics, 50.0 / n_topics / 10)
    for done in range(0, n_sweeps, 20):
        many = min(20, n_sweeps - done)
        sweep_topics(state, tokens.words, tokens.documents, topics, by_document, by_word, by_topic, alpha, beta, many)
        alpha = _topic_weights(by_document, alpha)
    return Topics(topics, by_document, by_word, by_topic, alpha, beta)


def _topic_weights(by_document: NDArray[np.int32], alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit the weights of topics: Minka's fixed point in its leave-one-out form, which needs no digamma."""
    lengths = by_document.sum(1)
    used = lengths > 1
    if not used.any():
        return alpha
    for _ in range(3):
        total = alpha.sum()
        above = (by_document[used] / (by_document[used] - 1.0 + alpha)).sum(0)
        below = (lengths[used] / (lengths[used] - 1.0 + total)).sum()
        alpha = np.clip(alpha * above / below, 1e-3, 10.0)
    return alpha
