"""Kernels of `slips.py`: how many fields differ, by a model in which fields depend on each other in trees."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def multiply_into(product: NDArray[np.float64], factor: NDArray[np.float64]) -> None:
    """Multiply a polynomial by another, both cut off at the length of the first."""
    for k in range(len(product) - 1, -1, -1):
        total = 0.0
        for i in range(k + 1):
            total += product[i] * factor[k - i]
        product[k] = total


@kernel
def slip_distributions(
    order: NDArray[np.int64],
    parent: NDArray[np.int64],
    tables: NDArray[np.float64],
    n_levels: NDArray[np.int64],
    known: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return for each row of known fields the probabilities that 0, 1, 2… of them are at a level other than equal.

    `order` has the fields in an order in which parents come first. `tables[f, g, l]` is the probability of level l of
    field f when its parent is at level g (last: the parent is not known, or there is none). A polynomial in the number
    of fields that differ goes from the leaves of each tree to its root.
    """
    n_fields, none = len(parent), tables.shape[1] - 1
    found = np.empty((len(known), n_fields + 1), dtype=np.float64)
    below = np.empty((n_fields, none + 1, n_fields + 1), dtype=np.float64)
    own = np.empty(n_fields + 1, dtype=np.float64)
    # Number by number: what is said of slices as wholes takes Numba ten times as long to compile.
    for row in range(len(known)):
        for k in range(n_fields + 1):
            found[row, k] = 0.0 if k > 0 else 1.0
        for f in range(n_fields):
            for g in range(none + 1):
                below[f, g, 0] = 1.0
                for k in range(1, n_fields + 1):
                    below[f, g, k] = 0.0
        for at in range(n_fields - 1, -1, -1):
            f = order[at]
            p = parent[f]
            for g in range(none + 1):
                if p < 0 and g < none:
                    continue
                for k in range(n_fields + 1):
                    own[k] = 0.0 if known[row, f] else below[f, none, k]
                if known[row, f]:
                    for level in range(n_levels[f]):
                        slip = 1 if level > 0 else 0
                        for k in range(n_fields + 1 - slip):
                            own[k + slip] += tables[f, g, level] * below[f, level, k]
                multiply_into(found[row] if p < 0 else below[p, g], own)
    return found
