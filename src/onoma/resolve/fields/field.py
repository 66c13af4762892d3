"""A prepared field: a column as codes of distinct values that can be compared.

Everything dear is done once per *distinct* value or per distinct pair of values, never per record.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields._pairs_kernels import distinct_keys
from onoma.resolve.fields.features import Features
from onoma.resolve.fields.packed.texts import Codes, arrow_of

__all__ = ["Codes", "Comparison", "FieldData", "Kind", "Levels", "places_among", "prepare_first"]

Levels = NDArray[np.int8]

_BATCH = 1_000_000  # distinct pairs compared at a time: bounds memory, about 100 bytes a pair
_FEW = 300  # values
_SOME = 400  # values
_VARIOUS = 100_000  # values from which on pairs of them hardly repeat, so that finding repetitions does not pay


class Comparison(Protocol):
    """How the distinct values of one field are compared: what a kind makes of them."""

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels, from `equal` to `different`."""
        ...

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair of distinct values, `a < b`."""
        ...

    def features(self) -> Features:
        """Return the blocking features of each distinct value."""
        ...


class Kind(Protocol):
    """What a column can be: how its values are written in one way, and compared."""

    @property
    def name(self) -> str:
        """The word by which people choose this kind."""
        ...

    def normalise(self, raw: Sequence[str]) -> Sequence[str]:
        """Write distinct values in one way; an empty text where nothing is left."""
        ...

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> Comparison:
        """Make distinct normalised values, with the number of records of each, comparable."""
        ...


def prepare_first(kind: Kind, values: Sequence[str], counts: NDArray[np.int64], n: int) -> Comparison:
    """Make at least the first `n` of distinct values comparable, as `prepare` does.

    The others say how common words are. A kind that can spare work has a method of this name: one record is asked about
    while somebody waits.
    """
    sparing: Callable[..., Comparison] | None = getattr(kind, "prepare_first", None)
    return kind.prepare(values, counts) if sparing is None else sparing(values, counts, n)


@dataclass(frozen=True, eq=False)
class FieldData:
    """One field of a table, ready to be compared.

    Parameters
    ----------
    name
        The column, or the columns joined by ` + `.
    kind
        What it is taken for.
    reason
        Why, in one sentence.
    columns
        The columns it was made from.
    values
        Distinct normalised values, in order of first appearance.
    examples
        One raw form of each.
    codes
        For each record the index of its value; -1 where it is missing, openly or in disguise.
    counts
        The number of records with each value.
    comparison
        How values are compared.
    taught
        Whether what its levels mean is taken from other tables, however much the other fields say.
    people
        Whether its values are whole names of people, however they are compared.
    things
        About how many things have each value, where that is known; None: as many as records.
    """

    name: str
    kind: str
    reason: str
    columns: tuple[str, ...]
    values: Sequence[str]
    examples: Sequence[str]
    codes: Codes
    counts: NDArray[np.int64]
    comparison: Comparison
    taught: bool = False
    people: bool = False
    things: NDArray[np.float64] | None = None

    @property
    def some_values(self) -> Sequence[str]:
        """Some four hundred of the values, from first to last: enough to tell what they are."""
        return self.values[:: max(len(self.values) // _SOME, 1)]

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels, ordered: the first is `equal`, the last `different`."""
        return self.comparison.levels

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair of values.

        Symmetric; equal codes are level 0. Where values are few, each distinct unordered pair is looked at once.

        Parameters
        ----------
        a, b
            Codes of values, none of them -1.
        """
        levels = np.zeros(len(a), np.int8)
        differ = np.flatnonzero(a != b)
        if len(differ):
            one, other = a[differ], b[differ]
            levels[differ] = self.compare_different(np.minimum(one, other), np.maximum(one, other))
        return levels

    def compare_different(self, low: Codes, high: Codes, *, once: bool = False) -> Levels:
        """Return the level of each pair of different values, `low < high`; `once` says that none comes again."""
        n, low, high = len(self.values), low.astype(np.int32, copy=False), high.astype(np.int32, copy=False)
        if len(low) == 0:
            return np.zeros(0, np.int8)
        if once or n > _VARIOUS:
            return self._compare(low, high)
        distinct, place = distinct_keys(low.astype(np.int64) * n + high, len(low).bit_length() + 1)
        return self._compare((distinct // n).astype(np.int32), (distinct % n).astype(np.int32))[place]

    def _compare(self, low: Codes, high: Codes) -> Levels:
        levels = np.empty(len(low), np.int8)
        for part in _batches(len(low)):
            levels[part] = self.comparison.compare(low[part], high[part])
        return levels

    def features(self) -> Features:
        """Return the blocking features of each distinct value."""
        return self.comparison.features()


def places_among(values: Sequence[str], others: Sequence[str]) -> NDArray[np.int64]:
    """Return where each value stands among others; -1 where it does not.

    Examples
    --------
    >>> places_among(["b", "c"], ["a", "b"]).tolist()
    [1, -1]
    """
    if len(values) + len(others) < _FEW:  # done before Arrow begins
        place = {value: i for i, value in enumerate(others)}
        return np.array([place.get(value, -1) for value in values], np.int64)
    found = pc.index_in(arrow_of(values).cast(pa.large_string()), arrow_of(others).cast(pa.large_string()))
    return np.asarray(pc.fill_null(found, -1).to_numpy(zero_copy_only=False)).astype(np.int64)


def _batches(n: int) -> Iterator[slice]:
    return (slice(start, start + _BATCH) for start in range(0, n, _BATCH))
