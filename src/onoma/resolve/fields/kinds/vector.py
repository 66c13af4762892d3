"""Vectors: lists of numbers of one length (embeddings), compared by their cosine."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.resolve.fields.bags import cosine_names, cut
from onoma.resolve.fields.features import Features, FeaturesBuilder
from onoma.resolve.fields.field import Codes, Levels

__all__ = ["VectorComparison", "encode_vectors"]

_CUTS = (0.99, 0.97, 0.95, 0.92, 0.88, 0.84, 0.80, 0.75, 0.70, 0.60, 0.50, 0.40, 0.20)
_PLANES = 24  # random planes that cut the space: vectors share a key where they lie on the same side of eight of them


def encode_vectors(column: pa.ChunkedArray, name: str) -> tuple[NDArray[np.float32], Codes]:
    """Return the distinct vectors of a column as rows of unit length, and for each record its row (-1: missing)."""
    array = column.combine_chunks()
    given = np.flatnonzero(array.is_valid().to_numpy(zero_copy_only=False))
    codes = np.full(len(array), -1, np.int32)
    lists = array.take(pa.array(given))
    lengths = {len(row) for row in lists} - {0}
    if len(lengths) > 1:
        raise DataError(
            f"holds lists of {min(lengths)} to {max(lengths)} numbers",
            column=name,
            hint="Vectors must all have one length; choose the kind 'set' or 'ignore' for this column.",
        )
    filled = [i for i, row in zip(given.tolist(), lists, strict=True) if len(row)]
    matrix = np.array([row.as_py() for row in lists if len(row)], np.float32).reshape(len(filled), -1)
    length = np.linalg.norm(matrix, axis=1)
    sound = np.isfinite(length) & (length > 0)
    rows, place = np.unique(matrix[sound] / length[sound, None], axis=0, return_inverse=True)
    codes[np.array(filled, np.int64)[sound]] = place.astype(np.int32).ravel()
    return rows.astype(np.float32), codes


class VectorComparison:
    """Unit vectors compared by their cosine."""

    levels = cosine_names(_CUTS)

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self._rows = rows

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        cosine = np.empty(len(a), np.float32)
        step = max(1, 4_000_000 // max(self._rows.shape[1], 1))
        for start in range(0, len(a), step):
            part = slice(start, start + step)
            cosine[part] = np.einsum("ij,ij->i", self._rows[a[part]], self._rows[b[part]])
        return cut(cosine, _CUTS)

    def features(self) -> Features:
        """Return keys that near vectors often share: on which side of random planes they lie (Charikar 2002)."""
        planes = np.random.default_rng(0).standard_normal((self._rows.shape[1], _PLANES))
        sides = (self._rows @ planes > 0).astype(np.int64)
        builder = FeaturesBuilder(len(self._rows))
        weights = 1 << np.arange(8)
        bands = np.stack([sides[:, i : i + 8] @ weights for i in range(0, _PLANES, 8)], axis=1).tolist()
        builder.add("key", ([f"band {i}: {value}" for i, value in enumerate(row)] for row in bands))
        return builder.build()
