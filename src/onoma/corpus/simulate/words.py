"""Words for titles and contexts: Zipfian, by topic, with words of one's own.

A text is a mixture of three draws: *common* words (Faker's English list, shorter ones more frequent, as Zipf's law of
abbreviation has it), words of a *topic*, and a few dozen words that are one's *own* (a research group's, a person's).
Topic and own words are invented (`letters.py`) from the same list. A topic is a window on the invented vocabulary,
read by Zipf's law from its start: neighbouring topics share their rarer words, none its frequent ones.
"""

import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.simulate.draw import zipf_ranks
from onoma.corpus.simulate.letters import LetterModel
from onoma.corpus.simulate.names import provider
from onoma.errors import SettingsError
from onoma.numerics.rng import stream

__all__ = ["N_COMMON", "Mixture", "draw_words", "vocabulary"]

N_COMMON = 900
N_INVENTED = 40_000
TOPIC_WORDS = 2_000
OWN_WORDS = 30
SPREAD = 2_654_435_761  # 2**32 over the golden ratio: sends neighbouring numbers far apart


@dataclass(frozen=True)
class Mixture:
    """How a text is made up; topic words take what common and own words leave."""

    common: float
    own: float
    n_topics: int

    def __post_init__(self) -> None:
        if self.common + self.own > 1:
            raise SettingsError(
                f"common words take {self.common} of a text and own words {self.own}: more than all of it",
                hint="Lower one of them; topic words take what is left.",
            )


@cache
def vocabulary() -> pa.Array:
    """Return all words: the common ones by rank, then the invented ones."""
    listed = sorted({word.lower() for word in provider("lorem", "en_US").word_list})
    common = sorted(listed, key=lambda word: (len(word) > 3, len(word) // 3, zlib.crc32(word.encode())))[:N_COMMON]
    invented = LetterModel.of(listed).invent(stream(0, "words"), N_INVENTED, known=listed, shortest=5)
    return pa.concat_arrays([pa.array(common), invented])


def draw_words(
    rng: np.random.Generator, topic: NDArray[np.integer], owner: NDArray[np.integer], mixture: Mixture
) -> NDArray[np.int32]:
    """Return one word of `vocabulary()` for each topic and owner given."""
    n = len(topic)
    n_invented = len(vocabulary()) - N_COMMON
    kind = rng.random(n, dtype=np.float32)
    is_own = kind < mixture.own
    is_common = kind >= 1 - mixture.common
    start = topic.astype(np.int64) * (n_invented // mixture.n_topics)
    start[is_own] = owner[is_own].astype(np.int64) * SPREAD % n_invented
    rank = zipf_ranks(rng, n, among=TOPIC_WORDS)
    rank[is_own] = zipf_ranks(rng, int(is_own.sum()), among=OWN_WORDS)
    words = (N_COMMON + (start + rank) % n_invented).astype(np.int32)
    words[is_common] = zipf_ranks(rng, int(is_common.sum()), among=N_COMMON)
    return words
