"""Why an edit was made: the terms of its score, gathered by what they look at. They add up to its log odds.

The score of an edit is Σ w_f f(edit), and that of no edit is 0; so the score is log P(edit) / P(no edit), and the terms
of one group of features say by how much that group speaks for the edit (above 0) or against it.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.correct._context_kernels import N_EDIT
from onoma.correct.calibration import Calibration
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows

__all__ = ["GROUPS", "WRITER", "Reason", "reasons_of"]

WRITER = "this writer"
"""What the whole text says of how often its writer slips (`writers`)."""
_LM, _NATIVE, _TYPE = "n-grams", "native choice", "kind of slip"
GROUPS = (
    _TYPE, _LM, _NATIVE, _LM, _LM, _LM, _NATIVE, "nearness", _TYPE, _LM, _NATIVE, _LM, _NATIVE, _LM, _LM, "this change",
    "word before", "word after", "tags", "tags", "tags", "word itself", "word before", "word after", "noun", "noun",
    "tags", "tags", "noun", "verb", "subject", "verb", "determiner", "place",
    "subject", "subject",
)  # fmt: skip
"""What each feature of an edit looks at, in the order of the kernel."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A group of features, and what it adds to the log odds of an edit."""

    what: str
    weight: float


def reasons_of(edits: EditRows, row: int, weights: NDArray[np.float32], calibration: Calibration) -> tuple[Reason, ...]:
    """Return the terms of an edit's score, the largest first."""
    rows = edits.rows
    first, kind = int(rows.ptr[row]), int(edits.types[row])
    terms = rows.values[first : first + N_EDIT] * weights[rows.ids[first : first + N_EDIT]] * calibration.scale[kind]
    sums: dict[str, float] = defaultdict(float)
    for group, term in zip(GROUPS, terms.tolist(), strict=True):
        sums[group] += term
    sums[_TYPE] += float(calibration.shift[kind])
    if TYPES[kind] != "spelling":
        sums[_TYPE] += sums.pop("nearness", 0.0)
    found = [Reason(group, weight) for group, weight in sums.items()]
    return tuple(sorted(found, key=lambda reason: -abs(reason.weight)))
