"""Drawing some of many: without replacement at the cost of the sample, and in proportion to weights in constant time.

Without replacement: a *deck* holds 0, 1, 2… in order. Each draw swaps the next place with a random later one (Fisher
and Yates); putting back undoes the swaps in reverse. So k draws out of n cost O(k), whatever n is, one deck as long as
the largest n serves every population, and the deck carries nothing from one sample to the next.

In proportion to weights: Walker's alias method as built by Vose (1991), O(n) once and O(1) for each draw.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean
from onoma.numerics.rng import below, uniform

__all__ = ["Deck", "alias_tables_inplace", "draw_alias", "draw_next_inplace", "new_deck", "poisson", "put_back_inplace"]

# (order, partners): the cards, and with which place each drawn place was swapped.
Deck = tuple[NDArray[np.int64], NDArray[np.int64]]


def new_deck(n: int) -> Deck:
    """Return a deck for populations of up to n items.

    Examples
    --------
    >>> from onoma.numerics.rng import kernel_state
    >>> deck, rng_state = new_deck(100), kernel_state(7)
    >>> drawn = [draw_next_inplace(rng_state, deck, k, 5) for k in range(5)]
    >>> sorted(drawn)
    [0, 1, 2, 3, 4]
    >>> put_back_inplace(deck, 5)
    >>> deck[0][:5].tolist()
    [0, 1, 2, 3, 4]
    """
    return np.arange(n, dtype=np.int64), np.zeros(n, dtype=np.int64)


@lean
def draw_next_inplace(rng_state: NDArray[np.uint64], deck: Deck, k: int, n: int) -> int:
    """Draw one more item of 0…n-1, k of them being drawn already; every one left is equally likely."""
    order, partners = deck
    j = k + below(rng_state, n - k)
    item = order[j]
    order[j] = order[k]
    order[k] = item
    partners[k] = j
    return item


@lean
def put_back_inplace(deck: Deck, k: int) -> None:
    """Put k drawn items back, last first, so that the deck is in order again."""
    order, partners = deck
    for i in range(k - 1, -1, -1):
        j = partners[i]
        order[i], order[j] = order[j], order[i]


@kernel
def poisson(rng_state: NDArray[np.uint64], mean: float) -> int:
    """Return a draw from the Poisson distribution.

    Multiplies uniform numbers (Knuth): O(mean), which is no loss to a caller who does something for each arrival. Long
    intervals are cut, a sum of Poisson numbers being one, so that exp(-mean) does not underflow.
    """
    count = 0
    while mean > 0.0:
        part = min(mean, 500.0)
        mean -= part
        floor = np.exp(-part)
        product = uniform(rng_state)
        while product > floor:
            count += 1
            product *= uniform(rng_state)
    return count


@kernel
def alias_tables_inplace(weights: NDArray[np.float64], keep: NDArray[np.float64], other: NDArray[np.int64]) -> None:
    """Fill the alias table of non-negative weights, not all 0: column i keeps i with keep[i], else gives other[i]."""
    n = len(weights)
    total = 0.0
    for weight in weights:
        total += weight
    small, large = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    n_small, n_large = 0, 0
    for i in range(n):
        keep[i] = weights[i] * n / total
        other[i] = i
        if keep[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        i, j = small[n_small], large[n_large - 1]
        other[i] = j
        keep[j] -= 1.0 - keep[i]
        if keep[j] < 1.0:
            n_large -= 1
            small[n_small] = j
            n_small += 1
    # What rounding left over is a full column, unless its weight is 0: that must never be drawn.
    for k in range(n_large):
        keep[large[k]] = 1.0
    for k in range(n_small):
        i = small[k]
        keep[i] = 1.0 if weights[i] > 0.0 else 0.0
        if weights[i] == 0.0:
            other[i] = np.argmax(weights)


@lean
def draw_alias(
    rng_state: NDArray[np.uint64], keep: NDArray[np.float64], other: NDArray[np.int64], first: int, n: int
) -> int:
    """Return i < n in proportion to the weights whose alias table begins at `first` of longer arrays."""
    i = below(rng_state, n)
    return i if uniform(rng_state) < keep[first + i] else other[first + i]
