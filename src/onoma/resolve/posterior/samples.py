"""Samples of clusterings, held once where they all agree.

Of a million records nine in ten are in the same company in every sample. A hundred samples of all of them are 400 MB;
those of the records in doubt are a tenth of that.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Roots", "SampledPart", "Samples", "least_roots"]

Ints = NDArray[np.int32]


def least_roots(roots: Ints) -> Ints:
    """Name each entity by its least record, in place, so that an entity that never changes has one name.

    Examples
    --------
    >>> least_roots(np.array([[1, 1, 2], [2, 1, 2]], dtype=np.int32)).tolist()
    [[0, 0, 2], [0, 1, 0]]
    """
    backwards = np.arange(roots.shape[1] - 1, -1, -1, dtype=np.int32)
    least = np.empty(roots.shape[1], dtype=np.int32)
    for sample in roots:
        least[sample[::-1]] = backwards  # of several the last stays
        sample[:] = least[sample]
    return roots


class SampledPart(NamedTuple):
    """The samples of some records."""

    records: Ints
    first: Ints
    """Their roots in the first sample."""
    doubtful: Ints
    """Those whose root is not the same in all."""
    roots: Ints
    """Of these, by sample."""

    @classmethod
    def of(cls, records: Ints, roots: Ints) -> "SampledPart":
        """Take the roots of some records, by sample and record."""
        if not len(roots):
            return cls(records, records, records[:0], roots[:, :0])
        differs = np.zeros(len(records), dtype=np.bool_)
        for sample in roots[1:]:
            differs |= sample != roots[0]
        return cls(records, roots[0], records[differs], roots[:, differs])


class Samples:
    """For each sample and record one record of its entity, as an array of two dimensions would tell it.

    Parameters
    ----------
    fixed
        For each record its root in all samples; of those that differ, whatever.
    records
        Those that differ, ascending.
    roots
        Their roots, by sample.

    Examples
    --------
    >>> samples = Samples(np.array([0, 0, 2, 3]), np.array([2]), np.array([[2], [0]]))
    >>> samples.shape, np.asarray(samples).tolist(), samples[:, [1, 2]].tolist()
    ((2, 4), [[0, 0, 2, 3], [0, 0, 0, 3]], [[0, 2], [0, 0]])
    """

    ndim = 2

    def __init__(self, fixed: Ints, records: Ints, roots: Ints) -> None:
        self.fixed, self.records, self.roots = fixed, records, roots

    @classmethod
    def of_parts(cls, n: int, parts: "Sequence[SampledPart]", n_samples: int) -> "Samples":
        """Return the samples of n records, of whom some are told in parts; the others are alone."""
        fixed = np.arange(n, dtype=np.int32)
        for part in parts:
            fixed[part.records] = part.first
        who = np.concatenate([np.zeros(0, dtype=np.int32), *(part.doubtful for part in parts)])
        order = np.argsort(who, kind="stable")
        roots = np.empty((n_samples, len(who)), dtype=np.int32)
        place = np.empty(len(who), dtype=np.int64)
        place[order] = np.arange(len(who))
        begin = 0
        for part in parts:
            roots[:, place[begin : begin + len(part.doubtful)]] = part.roots
            begin += len(part.doubtful)
        return cls(fixed, who[order], roots)

    def spread(self, place: Ints, names: Ints) -> "Samples":
        """Return the samples of more records, each in the company of one of these, which have other names.

        Parameters
        ----------
        place
            For each of the more records, which of these it is with.
        names
            What each of these is called among them.
        """
        at = np.searchsorted(self.records, place)
        differs = np.flatnonzero(np.append(self.records, -1)[at] == place)
        return Samples(names[self.fixed[place]], differs.astype(np.int32), names[self.roots[:, at[differs]]])

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and records there are."""
        return len(self.roots), len(self.fixed)

    @property
    def dtype(self) -> np.dtype[np.int32]:
        """What a root is."""
        return self.fixed.dtype

    def __len__(self) -> int:
        return len(self.roots)

    def __iter__(self) -> Iterator[Ints]:
        return (self._sample(sample) for sample in self.roots)

    def _sample(self, roots: Ints) -> Ints:
        found = self.fixed.copy()
        found[self.records] = roots
        return found

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401 (as an array: one sample, some samples, or some records of them)
        if isinstance(key, tuple):
            rows, columns = key
            who = np.arange(len(self.fixed))[columns]
            sampled = np.atleast_2d(self.roots[rows])
            found = np.repeat(self.fixed[who][None], len(sampled), axis=0)
            place = np.searchsorted(self.records, who)
            here = np.flatnonzero(np.append(self.records, -1)[place] == who)
            found[:, here] = sampled[:, place[here]]
            return found if self.roots[rows].ndim == 2 else found[0]
        if isinstance(key, slice):
            return Samples(self.fixed, self.records, self.roots[key])
        return self._sample(self.roots[key])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401, FBT001
        found = np.empty(self.shape, dtype=self.dtype)
        for row, sample in zip(found, self, strict=True):
            row[:] = sample
        return found if dtype is None else found.astype(dtype, copy=False)

    def astype(self, dtype: Any) -> NDArray[Any]:  # noqa: ANN401
        """Return all of them as an array."""
        return self.__array__(dtype)


Roots = NDArray[np.int32] | Samples
"""By sample and record, one record of its entity."""
