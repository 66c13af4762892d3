"""Simple answers to which mentions are one entity's: equal names, and SubSquare.

SubSquare (Bshouty and Long, 2010) is clustering of a graph in nearly linear time: a vertex takes the cluster of a
random neighbour if the two have enough neighbours in common. Here the graph joins each mention to those nearest to it
by name and by rare words of the context, found through an inverted index in which features of too many mentions are
left out, so that the number of pairs looked at grows with the number of mentions, not with its square.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state
from onoma.numerics.union_find import components
from onoma.resolve.blocking._canopies_kernels import BY_FEATURE, nearest
from onoma.resolve.blocking.canopies import inverted_lists
from onoma.resolve.models.cross_document._subsquare_kernels import choose_neighbours
from onoma.resolve.models.cross_document.text import Bags

__all__ = ["near_mentions", "subsquare"]


def near_mentions(
    bags: Bags, name: NDArray[np.int64], *, same: float = 0.8, k: int = 20, hot: int = 300, hot_names: int = 20_000
) -> NDArray[np.int32]:
    """Return for each mention the k nearest others, in order of their number; -1 where there are fewer.

    Parameters
    ----------
    same
        What an equal name is worth, beside the cosine of contexts.
    hot
        Words of more contexts are left out.
    hot_names
        Names of more mentions are left out.
    """
    n, n_words = len(bags), len(bags.vocabulary)
    words = np.bincount(bags.words, minlength=n_words)
    use = (words > 1) & (words <= hot)
    names = np.bincount(name)
    kept = use[bags.words]
    owner = np.repeat(np.arange(n), np.diff(bags.offsets))[kept]
    by_name = np.flatnonzero(((names > 1) & (names <= hot_names))[name])
    rows = np.concatenate([owner, by_name])
    features = np.concatenate([bags.words[kept], n_words + name[by_name]]).astype(np.int32)
    order = np.argsort(rows, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    # A shared word adds the product of its weights: on average, the square of its mean weight.
    mean = np.bincount(bags.words, bags.weights, minlength=n_words) / np.maximum(words, 1)
    weights = np.concatenate([mean**2, np.full(len(names), same)])
    features = features[order]
    lists = inverted_lists(offsets, features, n_words + len(names))
    none = np.zeros(0, np.int32)
    i, j = nearest(0, n, offsets, features, weights.astype(np.float32), BY_FEATURE, *lists, none, none, 0, k)
    table = np.full((n, k), -1, np.int32)
    order = np.lexsort((j, i))
    i, j = i[order], j[order]
    place = np.arange(len(i)) - np.searchsorted(i, i)
    table[i, place] = j
    return table


def subsquare(
    near: NDArray[np.int32], *, overlap: float = 0.3, n_links: int = 1, n_tries: int = 5, seed: int = 0
) -> NDArray[np.int64]:
    """Cluster mentions by their nearest others (in ascending order).

    Parameters
    ----------
    overlap
        Share of the smaller neighbourhood that two mentions must have in common.
    n_links
        How often each mention chooses a neighbour: 1 as published.
    n_tries
        Neighbours that a mention looks at until it finds one whose cluster it takes.

    Examples
    --------
    >>> near = np.array([[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]], np.int32)
    >>> subsquare(near).tolist()
    [0, 0, 0, 3, 3, 3]
    """
    state = kernel_state(seed, "subsquare")
    chosen = np.concatenate([choose_neighbours(state, near, overlap, n_tries) for _ in range(n_links)])
    return components(len(near), np.tile(np.arange(len(near)), n_links), chosen)
