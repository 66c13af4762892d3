"""Planted copies: rows of the table, changed as the matches that were found differ, to see how many are found.

Two records that were matched show how copies differ: which fields are the same, gone, or written otherwise, and how.
The change of one such pair is made to a row drawn at random. A *harsher* copy has the changes of two pairs, one after
the other.

Recall is told by the plain share of copies that is found. Matches that were found are the easier ones, so that this
could say too much; but counting each change as often again as it is lost (Horvitz and Thompson, 1952) says far too
little, since copies of common rows are lost for want of anything rare: on 16 labelled tables the mean error is .10 by
the plain share and .29 by that. What is never found is not seen by either; there this check is blind.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.check.values import Values

__all__ = ["CHANGES", "OFF_RECALL", "SAME", "changes_of", "copies"]

Whole = NDArray[np.int64]
CHANGES = ("the same", "left out", "written otherwise", "another value")
SAME, GONE, OTHERWISE, ANOTHER = range(len(CHANGES))
OFF_RECALL = 1.0
"""How far the share of copies found was off recall on labelled tables: the standard deviation of its log odds."""


def copies(values: Sequence[Values], originals: Whole, examples: Sequence[tuple[Whole, Whole]]) -> Whole:
    """Return the codes, by row and field, of copies of rows, changed as examples were.

    Parameters
    ----------
    originals
        Codes of the rows to copy.
    examples
        Matches (one record of each, the other), one for each copy; several: one change after the other.
    """
    codes = originals.copy()
    for one, other in examples:
        for f, each in enumerate(values):
            before, after = each.field.codes[one], each.field.codes[other]
            rows = np.flatnonzero((codes[:, f] >= 0) & (before >= 0) & (before != after))
            looked_at = (rows, before[rows], after[rows], codes[rows, f])
            for d, old, new, mine in zip(*(side.tolist() for side in looked_at), strict=True):
                codes[d, f] = -1 if new < 0 else each.changed(old, new, mine)
    return codes


def changes_of(levels: NDArray[np.int8], n_levels: NDArray[np.int64], was_there: NDArray[np.bool_]) -> Whole:
    """Return what happened to each field (column) of each copy (row): an index into `CHANGES`.

    Parameters
    ----------
    levels
        How copy and original agree; -1 where one has no value.
    was_there
        Where the original has a value.
    """
    found = np.full(levels.shape, OTHERWISE, dtype=np.int64)
    found[levels == 0] = SAME
    found[levels == n_levels[None, :] - 1] = ANOTHER
    found[(levels < 0) & was_there] = GONE
    found[~was_there] = SAME
    return found
