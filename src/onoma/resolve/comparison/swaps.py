"""Names in each other's columns: a given name where the surname should be, and the surname where it should be.

Compared column by column such a pair of records disagrees twice, and looks like two members of one household. Two
records whose names agree crosswise are put at the level `same words` in both columns: that level means what it says,
the same words in another order.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rapidfuzz.distance import JaroWinkler
from rapidfuzz.process import cpdist

from onoma.resolve.fields.field import FieldData, places_among
from onoma.resolve.fields.packed.texts import arrow_of

__all__ = ["mark_swaps"]

SAME_WORDS = "same words"
_ALIKE = 0.85  # a misspelt name in the other's column still is that name, if its partner is there unchanged


def mark_swaps(
    fields: Sequence[FieldData], a: NDArray[np.int32], b: NDArray[np.int32], levels: NDArray[np.int8]
) -> None:
    """Put the pairs whose names are swapped between two columns at `same words` in both, in place."""
    names = [f for f, field in enumerate(fields) if field.kind == "person" and SAME_WORDS in field.levels]
    for f, g in combinations(names, 2):
        if set(fields[f].columns) & set(fields[g].columns):
            continue
        level = fields[f].levels.index(SAME_WORDS)
        # Only pairs that agree in neither column can gain.
        open_ = np.flatnonzero((levels[:, f] > level) & (levels[:, g] > level))
        if not len(open_):
            continue
        found = open_[_crossed(fields[f], fields[g], a[open_], b[open_])]
        levels[found, f] = level
        levels[found, g] = fields[g].levels.index(SAME_WORDS)


def _crossed(one: FieldData, other: FieldData, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return whether the values of two fields agree crosswise: one way exactly, the other way at least nearly."""
    # The other field's values as codes of the one's; what the one never has can be equal to nothing.
    there = places_among(other.values, one.values)
    there[there < 0] = -2
    if len(a) > len(one.codes):  # by record first: records are fewer
        crosswise = there[other.codes]
        forth, back = one.codes[a] == crosswise[b], one.codes[b] == crosswise[a]
    else:
        forth, back = one.codes[a] == there[other.codes[b]], one.codes[b] == there[other.codes[a]]
    crossed = forth & back
    for exact, left, right in ((forth, b, a), (back, a, b)):
        nearly = np.flatnonzero(exact & ~crossed)
        if len(nearly):
            names = arrow_of(one.values).take(pa.array(one.codes[left[nearly]])).to_pylist()
            swapped = arrow_of(other.values).take(pa.array(other.codes[right[nearly]])).to_pylist()
            crossed[nearly] = cpdist(names, swapped, scorer=JaroWinkler.similarity, dtype=np.float32) >= _ALIKE
    return crossed
