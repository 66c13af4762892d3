"""How a name is changed, letter by letter alone: the mutation model as it was first published.

The same transducer writes a name from its parent's, and from nothing if it has none; words mean nothing to it.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.names.names import WordedNames
from onoma.resolve.names.transducer import Alphabet, Strings, Transducer

__all__ = ["LetterMutations"]

_STEPS = 1
"""AdaGrad steps of each round."""


class LetterMutations:
    """The mutation model of whole strings over pairs of names.

    Parameters
    ----------
    names
        The names, of which only the texts count.
    parents, children
        The directed pairs to score.
    """

    def __init__(self, names: WordedNames, parents: NDArray[np.int32], children: NDArray[np.int32]) -> None:
        self.parents, self.children = parents, children
        alphabet = Alphabet(names.texts)
        self.transducer = Transducer(alphabet)
        self._strings = Strings.of(names.texts, alphabet)
        self._every = np.arange(len(names), dtype=np.int32)
        self._none = np.full(len(names), -1, dtype=np.int32)

    def log_fresh(self) -> NDArray[np.float64]:
        """Return the log probability of each name if it came from nowhere."""
        return self.transducer.log_probabilities(self._strings, self._none, self._every)

    def log_ratios(self) -> NDArray[np.float64]:
        """Return for each pair the log of Pr(child | parent) / Pr(child | nothing)."""
        found = self.transducer.log_probabilities(self._strings, self.parents, self.children)
        return found - self.log_fresh()[self.children]

    def learn(self, weights: NDArray[np.float64], roots: NDArray[np.float64]) -> None:
        """Make a step towards how often each pair was parent and child, and each name came from nowhere."""
        used = np.flatnonzero(weights > 0.0)
        parents = np.concatenate([self.parents[used], self._none])
        children = np.concatenate([self.children[used], self._every])
        counts = self.transducer.expected_counts(
            self._strings, parents, children, np.concatenate([weights[used], roots])
        )
        for _ in range(_STEPS):
            self.transducer.learn(counts)
