"""Texts packed side by side, compared pair by pair without a Python object in the loop."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.field import Codes
from onoma.resolve.fields.kinds._packed_kernels import begins_or_ends, slips_upto_two, winkler_similarities

__all__ = ["MORE", "Texts"]

MORE = 3
"""Stands for any number of slips above two."""


class Texts:
    """Distinct texts, as letters.

    Parameters
    ----------
    values
        The texts.

    Examples
    --------
    >>> texts = Texts(["martha", "marhta", "marta", "smith"])
    >>> a, b = np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32)
    >>> texts.slips(a, b).tolist()
    [1, 1, 3]
    >>> texts.winkler(a, b).round(3).tolist()
    [0.9610000252723694, 0.9670000076293945, 0.45500001311302185]
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.lengths = np.fromiter(map(len, values), np.int32, count=len(values))
        """How many letters each has."""
        self._offsets = np.zeros(len(values) + 1, np.int64)
        np.cumsum(self.lengths, out=self._offsets[1:])
        points = np.frombuffer("".join(values).encode("utf-32-le"), np.uint32)
        # Beyond the first plane letters are numbered anew among the surrogates, which are none.
        far = points > 0xFFFF
        self._letters = points.astype(np.uint16)
        if far.any():
            self._letters[far] = 0xD800 + np.unique(points[far], return_inverse=True)[1] % 0x800

    def slips(self, a: Codes, b: Codes) -> NDArray[np.int8]:
        """Return for each pair the letters wrong, missing, extra or swapped with the next: 0, 1, 2, or `MORE`."""
        return slips_upto_two(_plain(a), _plain(b), self._letters, self._offsets)

    def winkler(self, a: Codes, b: Codes) -> NDArray[np.float32]:
        """Return the Jaro–Winkler similarity of each pair."""
        return winkler_similarities(_plain(a), _plain(b), self._letters, self._offsets)

    def is_within(self, a: Codes, b: Codes) -> NDArray[np.bool_]:
        """Return for each pair whether the longer text begins or ends with the shorter."""
        return begins_or_ends(_plain(a), _plain(b), self._letters, self._offsets)


def _plain(codes: Codes) -> Codes:
    return np.ascontiguousarray(codes, np.int32)
