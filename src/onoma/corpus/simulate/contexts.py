"""The words around a mention: some common to all, some of a topic, some of nobody else's."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.simulate.render import phrases
from onoma.corpus.simulate.words import Mixture, draw_words, vocabulary

__all__ = ["contexts", "mixture_of"]


class ContextDials(Protocol):
    """The dials that contexts take."""

    @property
    def context(self) -> float:
        """Mean number of words around a name."""

    @property
    def noise(self) -> float:
        """Share of words that are common to all topics."""

    @property
    def own(self) -> float:
        """Share of words that are the entity's own."""

    @property
    def topics(self) -> int:
        """Number of topics."""


def mixture_of(settings: ContextDials) -> Mixture:
    """Return what words are drawn from; shares that are no mixture are refused."""
    return Mixture(common=settings.noise, own=settings.own, n_topics=settings.topics)


def contexts(
    rng: np.random.Generator,
    who: NDArray[np.int32],
    settings: ContextDials,
    topic_of: Callable[[NDArray[np.int32]], NDArray[np.int32]],
) -> pa.Array:
    """Write the words around each mention of an entity, given the topic of each word of an entity."""
    lengths = 1 + rng.poisson(settings.context - 1, len(who))
    owner = np.repeat(who, lengths)
    return phrases(vocabulary(), draw_words(rng, topic_of(owner), owner, mixture_of(settings)), lengths)
