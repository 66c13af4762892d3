"""Who wrote a text, a learner or a practised writer, and what an edit is worth there.

Probabilities of edits are calibrated on learners' essays. Practised writers slip less and otherwise, so that most of
what still looks like a slip in their text is none. But their text has fewer doubtful places, and that is seen without
labels: a place is doubtful where edits have at least 3/10 of its probability, and writers of one kind have λ_b doubtful
places of band b a word, more or less: one writer g times as many as another. Counts of rare things are Poisson, so n_b
of them among N words say

    P(text | kind) ∝ ∫ Π_b (g λ_b)^n_b exp(−N g λ_b) dP(g),        log g normal around 0.

An edit's probability is the mean of what it is with a learner (as calibrated) and with a practised writer (its odds
divided by e^`PRACTISED`), weighed by who wrote the text. One sentence says little of its writer, a page says much.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.correct.calibration import AS_LEARNT
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows
from onoma.errors import DataError

__all__ = ["BANDS", "PRACTISED", "Writer", "Writers", "doubts", "measure_writers", "shares"]

BANDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Where bands of doubt begin. Below, texts differ by what they are about more than by who wrote them."""
PRACTISED = 4.0
"""By what log odds fall with a practised writer. Development parts of CWEB (G, S), at a threshold of .40: .26 and .31
edits a thousand words that nobody asked for, page by page .51 and .42; with 3 .33 and .33, with 6 .25 and .31: what is
left then are misspellings and rules, so this number hardly matters."""
_PRIOR = -1.0
"""Log odds that a text is a learner's: one in four, for a false alarm costs more than a slip that stays. After ten
sentences essays are told from web pages nine times of ten, after forty always but for one page in thirty."""
_SPREADS = (0.25, 0.35)
"""Deviations of log g. Learners: stretches of 40 sentences of CoNLL-2013, less what counting adds (JFLEG as a whole is
at 1.07). Practised: eleven collections (Wikipedia twice, textbooks, five parts of MASC, speeches, two of CWEB)."""
_LOGS = np.linspace(-1.2, 1.2, 25)
_SPARED = tuple(TYPES.index(name) for name in AS_LEARNT)
"""A misspelling is one whoever writes."""


@dataclass(frozen=True)
class Writers:
    """Doubtful places a word, band by band, in the text of two kinds of writers.

    Parameters
    ----------
    learners, practised
        For each band.
    """

    learners: tuple[float, ...]
    practised: tuple[float, ...]

    def save(self, path: Path) -> None:
        """Write both."""
        told = {"bands": BANDS, "learners": self.learners, "practised": self.practised}
        path.write_text(json.dumps(told, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, path: Path) -> "Writers":
        """Read both."""
        try:
            told = json.loads(path.read_text("utf-8"))
            found = cls(tuple(map(float, told["learners"])), tuple(map(float, told["practised"])))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"tells nothing of writers ({error})", file=path, hint="Train the model again.") from error
        good = len(found.learners) == len(found.practised) == len(BANDS) and told["bands"] == list(BANDS)
        if not good or min(*found.learners, *found.practised) <= 0:
            raise DataError(f"must have {len(BANDS)} rates above 0 for each kind of writer", file=path)
        return found


def doubts(q: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many places are in each band of doubt.

    Examples
    --------
    >>> doubts(np.array([0.1, 0.35, 0.95, 0.9])).tolist()
    [1, 0, 0, 0, 0, 2]
    """
    return np.histogram(q, (*BANDS, np.inf))[0]


class Writer:
    """What is known of the writer of a text.

    Parameters
    ----------
    writers
        The two kinds.
    practised
        By what the log odds of an edit fall where a practised writer wrote the text; 0: all count as learners.

    Examples
    --------
    >>> kinds = Writers((0.02, 0.014, 0.01, 0.007, 0.004, 0.004), (0.016, 0.009, 0.005, 0.003, 0.001, 0.001))
    >>> writer = Writer(kinds)
    >>> before = writer.learner
    >>> writer.see(np.full(1_700, 0.001), n_words=1_000)  # a page without a doubt in it
    >>> bool(writer.learner < before)
    True
    """

    def __init__(self, writers: Writers, practised: float = PRACTISED) -> None:
        self.practised = practised
        self._kinds = np.array(writers.learners), np.array(writers.practised)
        self._n_words, self._doubts = 0, np.zeros(len(BANDS), np.int64)

    def see(self, q: NDArray[np.float64], n_words: int) -> None:
        """Take into account the edits' share of each place of a stretch of the text."""
        self._n_words += n_words
        self._doubts += doubts(q)

    @property
    def learner(self) -> float:
        """The probability that the writer is a learner."""
        odds = _PRIOR
        for sign, rates, spread in zip((1, -1), self._kinds, _SPREADS, strict=True):
            prior = -0.5 * (_LOGS / spread) ** 2
            prior -= np.logaddexp.reduce(prior)
            g = np.exp(_LOGS)
            told = self._doubts @ np.log(rates) + self._doubts.sum() * _LOGS - self._n_words * g * rates.sum()
            odds += sign * float(np.logaddexp.reduce(prior + told))
        return 1 / (1 + math.exp(min(-odds, 700.0)))

    def factors(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return by what the probabilities of each place's edits are multiplied."""
        m = math.exp(-self.practised)
        found: NDArray[np.float64] = self.learner + (1 - self.learner) * m / (1 + (m - 1) * q)
        return found

    def settle(self, p: NDArray[np.float64], edits: EditRows) -> NDArray[np.float64]:
        """Return the probabilities of edits in this writer's text."""
        groups = edits.rows.groups
        if len(groups) < 2:
            return p
        place = np.repeat(np.arange(len(groups) - 1), np.diff(groups))
        moved = _moved(edits.types)
        out = np.where(moved, p * self.factors(shares(p, edits))[place], p)
        edited = np.add.reduceat(np.where(edits.types >= 0, out, 0.0), groups[:-1])
        return np.where(edits.types >= 0, out, 1 - edited[place])


def measure_writers(
    learners: Sequence[tuple[NDArray[np.float64], int]], practised: Sequence[tuple[NDArray[np.float64], int]]
) -> Writers:
    """Return doubtful places a word: of stretches of text, the edits' shares of places and the number of words."""

    def rates(texts: Sequence[tuple[NDArray[np.float64], int]]) -> tuple[float, ...]:
        found = sum(doubts(q) for q, _ in texts) + np.full(len(BANDS), 0.5)  # never 0
        return tuple((found / sum(n for _, n in texts)).tolist())

    return Writers(rates(learners), rates(practised))


def shares(p: NDArray[np.float64], edits: EditRows) -> NDArray[np.float64]:
    """Return the edits' share of each place's probability, misspellings left out."""
    groups = edits.rows.groups
    return np.add.reduceat(np.where(_moved(edits.types), p, 0.0), groups[:-1]) if len(groups) > 1 else np.zeros(0)


def _moved(types: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (types >= 0) & ~np.isin(types, _SPARED)
