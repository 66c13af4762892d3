"""Best tag sequences under a local model with one or two previous tags (a maximum entropy Markov model).

    log P(y_1 … y_n | x) = Σ_i log P(y_i | x, i, y_{i−1}, y_{i−2})

The part of the score that does not depend on tags is a matrix of tokens × tags (`emissions`); what the previous tags
add is in `History`. A beam of 1 is greedy decoding, a beam of K² tags is Viterbi's algorithm, and a beam in between is
usually as good as Viterbi's at a fraction of the cost: O(tokens × beam × K).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences._decode_kernels import beam_search

__all__ = ["History", "decode"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class History:
    """What the previous tags add to the score of each tag; tag K stands for "before the sentence".

    Parameters
    ----------
    first
        (K + 1) × K: row t1 is added after tag t1.
    pair_rows
        (K + 1) × (K + 1): which row of `pairs` is added after tags t2, t1; -1 for none.
    pairs
        Rows × K.
    """

    first: Floats
    pair_rows: NDArray[np.int32]
    pairs: Floats

    @classmethod
    def none(cls, n_tags: int) -> "History":
        """Return a history that adds nothing."""
        return cls.of_first(np.zeros((n_tags + 1, n_tags)))

    @classmethod
    def of_first(cls, first: Floats) -> "History":
        """Return a history of one previous tag."""
        n = len(first)
        return cls(first, np.full((n, n), -1, np.int32), np.zeros((0, n - 1)))


def decode(
    emissions: Floats,
    lengths: Sequence[int] | NDArray[np.int64],
    history: History,
    *,
    beam: int = 8,
    normalised: bool = True,
) -> NDArray[np.int32]:
    """Return the tag of each token.

    Parameters
    ----------
    emissions
        Tokens × tags, the sentences one after the other.
    lengths
        How many tokens each sentence has.
    history
        What previous tags add.
    beam
        How many histories are kept: 1 is greedy, K² exact.
    normalised
        Whether each step's scores become log-probabilities first (maximum entropy) or are added as they are
        (perceptron).

    Examples
    --------
    >>> stay = np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 0.0]])  # after tag 0, after tag 1, at the start
    >>> decode(np.array([[1.0, 0.0], [0.0, 0.9], [1.0, 0.0]]), [3], History.of_first(stay)).tolist()
    [0, 0, 0]
    """
    if beam < 1:
        raise SettingsError(f"beam is {beam}; at least one history must be kept")
    n_tags = emissions.shape[1]
    if history.first.shape != (n_tags + 1, n_tags):
        raise DataError(f"the history is for {history.first.shape[1]} tags, the emissions for {n_tags}")
    ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    if ptr[-1] != len(emissions):
        raise DataError(f"the sentences have {ptr[-1]:,} tokens, the emissions {len(emissions):,} rows")
    return beam_search(
        np.ascontiguousarray(emissions), ptr, history.first, history.pair_rows, history.pairs, beam, normalised
    )
