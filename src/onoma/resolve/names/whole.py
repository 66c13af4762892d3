"""Names changed as wholes, without regard to their words: respelt as one string, or made an acronym and back.

A badly scanned name is read letter by letter across its spaces, which are then set anew. An acronym has the first
letter of each word, or of each but small ones. One that is spelt out has for each letter a word drawn from those that
begin with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from onoma.resolve.names._mutation_kernels import LETTER, SMALL
from onoma.resolve.names.names import WordedNames
from onoma.resolve.names.transducer import Strings, Transducer

__all__ = ["WholeNames", "WholePairs"]

_ALIKE = 0.5
"""Strings less alike are not respellings of each other."""
_FEWEST, _MOST = 3, 8
"""Letters of an acronym."""
_HALF = np.log(0.5)


@dataclass(frozen=True, eq=False)
class WholePairs:
    """Which pairs of names are worth a look as wholes."""

    similar: NDArray[np.int64]
    shortened: NDArray[np.int64]
    """Pairs whose child is the parent's acronym."""
    spelt_out: NDArray[np.int64]
    """Pairs whose parent is the child's acronym."""


class WholeNames:
    """Distinct names as strings without spaces, and their acronyms.

    Parameters
    ----------
    names
        The names.
    """

    def __init__(self, names: WordedNames) -> None:
        from scipy.special import gammaln  # slow to load, and only the mutation model needs it

        self.names = names
        spans = list(pairwise(names.offsets.tolist()))
        words = [[names.words[w] for w in names.ids[i:j]] for i, j in spans]
        texts = ["".join(each) for each in words]
        self._texts = np.array(texts, dtype=object)
        self.strings = Strings.of(texts, names.alphabet)
        letters = np.array([len(text) for text in texts])
        n, k = np.maximum(letters - 1, 0), np.maximum(names.lengths - 1, 0)
        self._log_cuts = gammaln(k + 1) + gammaln(n - k + 1) - gammaln(n + 1)
        classes = [names.classes[i:j].tolist() for i, j in spans]
        self._acronyms = _acronyms(texts, words, classes)

    def pairs(self, parents: NDArray[np.int32], children: NDArray[np.int32]) -> WholePairs:
        """Find the pairs that are alike as strings, and those of a name and its acronym."""
        similarity = process.cpdist(
            self._texts[parents].tolist(),
            self._texts[children].tolist(),
            scorer=Levenshtein.normalized_similarity,
            dtype=np.float32,
        )
        return WholePairs(
            np.flatnonzero(similarity >= _ALIKE),
            np.flatnonzero(self._are_acronyms(children, parents)),
            np.flatnonzero(self._are_acronyms(parents, children)),
        )

    def _are_acronyms(self, short: NDArray[np.int32], long: NDArray[np.int32]) -> NDArray[np.bool_]:
        itself, every, telling = self._acronyms
        letters = itself[short]
        found: NDArray[np.bool_] = (letters >= 0) & ((letters == every[long]) | (letters == telling[long]))
        return found

    def log_respelt(
        self,
        pairs: WholePairs,
        parents: NDArray[np.int32],
        children: NDArray[np.int32],
        transducer: Transducer,
        log_length: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the log probability of each child as its parent read letter by letter; -inf where they differ much.

        The number of words is drawn as for any name (`log_length`), then where they are cut.
        """
        found = np.full(len(parents), -np.inf)
        one, other = parents[pairs.similar], children[pairs.similar]
        spelt = transducer.log_probabilities(self.strings, one, other)
        found[pairs.similar] = spelt + self._log_cuts[other] + log_length[other]
        return found

    def log_acronyms(
        self, pairs: WholePairs, children: NDArray[np.int32], fresh: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the log probability of each child as its parent's acronym, or as its parent spelt out.

        Letters of all words or of the telling ones: each half of the time. A word spelt out is drawn from fresh words
        with that first letter; `fresh` is the probability of the word at each place.
        """
        found = np.full(len(children), -np.inf)
        found[pairs.shortened] = _HALF
        if len(pairs.spelt_out):
            log_words = np.bincount(self.names.owner, self._log_drawn(fresh), len(self.names))
            found[pairs.spelt_out] = _HALF + log_words[children[pairs.spelt_out]]
        return found

    def _log_drawn(self, fresh: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each place the log probability of its word among those with its first letter.

        A small word stands for no letter.
        """
        names = self.names
        _, letter = np.unique([ord(word[0]) for word in names.words], return_inverse=True)
        often = np.maximum(np.bincount(names.ids, minlength=len(names.words)), 1)
        words = np.bincount(names.ids, fresh, len(names.words)) / often
        mass = np.where(names.classes == SMALL, 1.0, np.bincount(letter, words)[letter][names.ids])
        found: NDArray[np.float64] = np.minimum(np.log(fresh / mass), 0.0)
        return found


def _acronyms(
    texts: Sequence[str], words: Sequence[Sequence[str]], classes: Sequence[Sequence[int]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Number the names that may be acronyms; return of each its number, and the numbers of its own two acronyms.

    -1: it is none, or there is no such name.
    """
    number: dict[str, int] = {}
    for text, kinds in zip(texts, classes, strict=True):
        if _FEWEST <= len(text) <= _MOST and (len(kinds) == 1 or all(kind == LETTER for kind in kinds)):
            number.setdefault(text, len(number))
    every = [number.get("".join(word[0] for word in each), -1) if len(each) >= _FEWEST else -1 for each in words]
    telling = []
    for each, kinds in zip(words, classes, strict=True):
        kept = [word[0] for word, kind in zip(each, kinds, strict=True) if kind != SMALL]
        telling.append(number.get("".join(kept), -1) if len(kept) >= _FEWEST else -1)
    itself = [number.get(text, -1) for text in texts]
    return np.array(itself, np.int64), np.array(every, np.int64), np.array(telling, np.int64)
