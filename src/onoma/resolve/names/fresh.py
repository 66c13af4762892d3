"""How likely a name is if it descends from none: words drawn from those of other names, or spelt afresh."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.names.names import WordedNames

__all__ = ["Patterns", "WordPairs", "fresh_words", "log_lengths", "spelling"]

_FAR = 8
"""Words that stand farther apart are not looked at together."""
_LONG, _GAP = 14, 3
"""Words of a name that may be after a pattern, and of the gap of a pattern, at most."""


def log_lengths(names: WordedNames, roots: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each name, the log share of names from nowhere with so many words."""
    counts = np.bincount(names.lengths, roots) + 0.5
    return np.log(counts / counts.sum())[names.lengths]


def spelling(names: WordedNames) -> NDArray[np.float64]:
    """For each word, the probability of spelling it afresh: letters by the letter before, learnt from all words."""
    strings, n = names.strings, len(names.alphabet) + 1
    counts = np.full((n, n), 0.1)
    single = np.bincount(strings.codes, minlength=n).astype(np.float64) + 0.5
    single[-1] = len(names.words)
    counts += 2.0 * single / single.sum()
    before = np.concatenate([[n - 1], strings.codes[:-1]]) if len(strings.codes) else strings.codes
    before = before.astype(np.int64)
    before[strings.offsets[:-1]] = n - 1
    np.add.at(counts, (before, strings.codes), 1.0)
    last = strings.codes[strings.offsets[1:] - 1]
    np.add.at(counts, (last, np.full(len(last), n - 1)), 1.0)
    log_p = np.log(counts / counts.sum(1, keepdims=True))
    share = np.append(names.alphabet.log_share, 0.0)
    place = np.repeat(np.arange(len(names.words)), np.diff(strings.offsets))
    total = np.bincount(place, log_p[before, strings.codes] + share[strings.codes], len(names.words))
    return np.exp(total + log_p[last, n - 1])


def fresh_words(names: WordedNames, n_fresh: NDArray[np.float64], spelt: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each place, the probability of its word in a name from nowhere, given all other such names.

    A word that another name has was fresh at least once, whichever of them was first.
    """
    n_words = len(names.words)
    counts = np.bincount(names.ids, n_fresh, n_words)
    seen = np.maximum(counts, 1.0)
    once, twice = float(np.sum(seen < 1.5)), float(np.sum((seen >= 1.5) & (seen < 2.5)))
    discount = (once + 1.0) / (once + 2.0 * twice + 2.0)
    owners = np.bincount(names.ids, minlength=n_words)
    others = np.maximum(counts[names.ids] - np.minimum(n_fresh, 1.0), (owners[names.ids] > 1).astype(np.float64))
    total = float(seen.sum())
    mass = discount * n_words + 1.0
    return np.maximum((np.maximum(others - discount, 0.0) + mass * spelt[names.ids]) / (total + 1.0), 1e-290)


class WordPairs:
    """Words that stand in one name, one before the other."""

    def __init__(self, names: WordedNames) -> None:
        first, second, back = [], [], []
        for name in range(len(names)):
            start, end = int(names.offsets[name]), int(names.offsets[name + 1])
            for j in range(start + 1, end):
                for i in range(max(start, j - _FAR), j):
                    first.append(i)
                    second.append(j)
                    back.append(
                        0.5
                        if i == j - 1 and j - 1 > start
                        else 1.0
                        if j - 1 == start
                        else 0.5 / (min(j - start, _FAR) - 1)
                    )
        self.first, self.second = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
        self.share = np.array(back)
        keys = names.ids[self.first].astype(np.int64) * len(names.words) + names.ids[self.second]
        self.kinds, self.kind = np.unique(keys, return_inverse=True)

    def blend(
        self, names: WordedNames, n_fresh: NDArray[np.float64], alone: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """For each place, the probability of its word given those before it; `alone`, that of the word by itself.

        Of the names that have two words together one says nothing: it may be the one that this descends from. What is
        taken off so is the share of words that come by themselves.
        """
        weight = np.minimum(n_fresh[self.first], n_fresh[self.second])
        together = np.bincount(self.kind, weight, len(self.kinds))
        word = names.ids[self.first]
        before = np.maximum(np.bincount(word, weight, len(names.words)), 1.0)
        habit = np.zeros(len(self.kinds))
        habit[:] = np.maximum(together - 1.0, 0.0)
        shared = np.bincount(self.kinds // len(names.words), habit, len(names.words))
        others = np.maximum(together[self.kind] - np.minimum(weight, 1.0) - 1.0, 0.0) / before[word]
        rest = 1.0 - shared[word] / before[word]
        found = others + rest * alone[self.second]
        total = np.bincount(self.second, self.share * found, len(names.ids))
        return np.where(np.bincount(self.second, minlength=len(names.ids)) > 0, total, alone)


class Patterns:
    """Names made after a pattern: things of one sort that differ by a word or a number (elections, dioceses, seasons).

    A pattern is a name with a gap of a few words. A name from nowhere may be after one that others have, with words of
    its own in the gap: so names that differ in a word that is common elsewhere are less likely each other's than the
    rest of their words would have it. Of the others with the pattern, one may be the name's own parent, and says
    nothing.

    Parameters
    ----------
    names
        The names.
    share
        Of names from nowhere, those that are made after a pattern.
    """

    def __init__(self, names: WordedNames, share: float) -> None:
        self._share = share
        numbers: dict[tuple[bytes, bytes], int] = {}
        found: list[tuple[int, int, int, int]] = []
        for name, (start, end) in enumerate(pairwise(names.offsets.tolist())):
            if end - start > _LONG:
                continue
            for i in range(start, end):
                for j in range(i + 1, min(i + _GAP, end) + 1):
                    if j - i < end - start:
                        key = (names.ids[start:i].tobytes(), names.ids[j:end].tobytes())
                        found.append((name, numbers.setdefault(key, len(numbers)), i, j))
        rows = np.array(found, dtype=np.int64).reshape(-1, 4)
        slots = np.bincount(rows[:, 0], minlength=len(names))
        rows = rows[np.bincount(rows[:, 1], minlength=1)[rows[:, 1]] > 2]
        self._name, self._pattern, self._first, self._end = rows.T
        self._chance = 1.0 / slots[self._name]

    def blend(
        self, log_alone: NDArray[np.float64], fresh: NDArray[np.float64], roots: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the log probability of each name from nowhere.

        Parameters
        ----------
        log_alone
            The same, without patterns.
        fresh
            The probability of the word at each place.
        roots
            How likely each name is from nowhere.
        """
        if self._share == 0.0:
            return log_alone
        having = np.bincount(self._pattern, roots[self._name], minlength=1)[self._pattern]
        others = np.maximum(having - np.minimum(roots[self._name], 1.0) - 1.0, 0.0) / max(float(roots.sum()), 1.0)
        total = np.concatenate([[0.0], np.cumsum(np.log(fresh))])
        in_gap = total[self._end] - total[self._first]
        with np.errstate(divide="ignore"):
            log_made = np.log(others * self._chance) + in_gap
        made = np.full(len(log_alone), -np.inf)
        np.logaddexp.at(made, self._name, log_made)
        return np.logaddexp(np.log1p(-self._share) + log_alone, np.log(self._share) + made)
