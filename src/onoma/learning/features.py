"""From strings to feature ids: the one place where names become columns of a matrix.

Features come as *templates*: named Arrow columns, one value a row (a string, a dictionary-coded string, or a list of
strings; null means the template does not fire). A feature is a template with a value, written ``template=value``.

* `FeatureIndex` learns a dictionary: exact, invertible, values seen too rarely are left out.
* `FeatureHasher` needs no training and no memory: a feature's id is its hash, collisions are accepted.

Both return a CSR matrix of ones (a value that repeats within one row counts as often as it occurs). Strings are
handled by Arrow and by Numba, never one by one in Python: dictionary-coded columns cost one look-up per distinct value.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning._features_kernels import fill_rows, hash_strings

__all__ = ["FeatureHasher", "FeatureIndex", "hash_column"]

Column: TypeAlias = pa.Array | pa.ChunkedArray | Sequence[str | None]
Columns = Mapping[str, Column]


class FeatureIndex:
    """A dictionary of features, learnt from columns of strings.

    Parameters
    ----------
    min_count
        A feature seen in training fewer times than this gets no id. One number, or one per template.

    Attributes
    ----------
    n_features_
        How many features have an id.
    templates_
        The template names, in order; ids of one template are contiguous, from `offsets_`.
    values_
        For each template, its values in the order of their ids.

    Examples
    --------
    >>> index = FeatureIndex(min_count=1)
    >>> matrix = index.fit_transform({"word": pa.array(["the", "cat", "the"]), "tag": pa.array([None, "DT", "NN"])})
    >>> matrix.shape, index.names()
    ((3, 4), ['word=the', 'word=cat', 'tag=DT', 'tag=NN'])
    >>> index.transform({"word": pa.array(["the", "dog"]), "tag": pa.array(["NN", "NN"])}).toarray().astype(int)
    array([[1, 0, 0, 1],
           [0, 0, 0, 1]])
    """

    def __init__(self, *, min_count: int | Mapping[str, int] = 1) -> None:
        counts = [min_count] if isinstance(min_count, int) else list(min_count.values())
        if any(count < 1 for count in counts):
            raise SettingsError(f"min_count is {min_count}; a feature must be seen at least once to have an id")
        self.min_count = min_count
        self.templates_: list[str] = []
        self.values_: list[pa.Array] = []
        self.offsets_: NDArray[np.int64] = np.zeros(1, np.int64)

    @property
    def n_features_(self) -> int:
        """How many features have an id."""
        return int(self.offsets_[-1])

    def fit(self, columns: Columns) -> Self:
        """Learn the ids."""
        self._learn(columns)
        return self

    def fit_transform(self, columns: Columns) -> sp.csr_array:
        """Learn the ids and return the matrix of the same rows."""
        return self._assemble(self._learn(columns))

    def transform(self, columns: Columns) -> sp.csr_array:
        """Return the matrix of other rows; features without an id are left out."""
        if list(columns) != self.templates_:
            raise DataError(
                f"the templates are {list(columns)}; this index was learnt from {self.templates_}",
                hint="Give the same templates in the same order.",
            )
        parts = []
        for column, values, offset in zip(columns.values(), self.values_, self.offsets_[:-1], strict=True):
            starts, ends, codes, found = _coded(column)
            table = _or_absent(pc.index_in(found, value_set=values))
            parts.append((starts, ends, _look_up(np.where(table >= 0, table + offset, -1), codes)))
        return self._assemble(parts)

    def names(self) -> list[str]:
        """Return the features' names in the order of their ids."""
        return [
            f"{template}={value}"
            for template, values in zip(self.templates_, self.values_, strict=True)
            for value in values.to_pylist()
        ]

    def find(self, template: str, values: Sequence[str]) -> NDArray[np.int64]:
        """Return the ids of some values of one template, -1 for those without."""
        if template not in self.templates_:
            raise DataError(f"there is no template {template!r}", hint=f"Templates: {', '.join(self.templates_)}")
        at = self.templates_.index(template)
        table = _or_absent(pc.index_in(pa.array(values, pa.string()), value_set=self.values_[at]))
        return np.where(table >= 0, table + self.offsets_[at], -1)

    def _learn(self, columns: Columns) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]]:
        self.templates_, self.values_, parts, offset = list(columns), [], [], 0
        offsets = [0]
        for template, column in columns.items():
            starts, ends, codes, found = _coded(column)
            least = self.min_count if isinstance(self.min_count, int) else self.min_count.get(template, 1)
            kept = np.bincount(codes[codes >= 0], minlength=len(found)) >= least
            table = np.where(kept, np.cumsum(kept) - 1 + offset, -1)
            self.values_.append(found.filter(pa.array(kept)))
            offset += int(kept.sum())
            offsets.append(offset)
            parts.append((starts, ends, _look_up(table, codes)))
        if offset > np.iinfo(np.int32).max:
            raise DataError(f"{offset:,} features; at most 2**31 - 1 have room", hint="Raise min_count or use hashing.")
        self.offsets_ = np.array(offsets, np.int64)
        return parts

    def _assemble(
        self, parts: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]]
    ) -> sp.csr_array:
        return _rows(parts, self.n_features_)


class FeatureHasher:
    """Features whose ids are hashes: no dictionary, no training, the same ids in every run and on every machine.

    Parameters
    ----------
    n_bits
        The matrix has 2**n_bits columns. With m distinct features a new one meets a collision with probability
        about m / 2**n_bits.
    seed
        Another seed gives other collisions.

    Examples
    --------
    >>> hasher = FeatureHasher(n_bits=10)
    >>> hasher.transform({"word": pa.array(["the", "cat", "the"])}).shape
    (3, 1024)
    """

    def __init__(self, *, n_bits: int = 20, seed: int = 0) -> None:
        if not 1 <= n_bits <= 30:
            raise SettingsError(f"n_bits is {n_bits}; allowed are 1 to 30")
        self.n_bits = n_bits
        self.seed = seed

    def transform(self, columns: Columns) -> sp.csr_array:
        """Return the matrix of some rows."""
        mask = np.uint64((1 << self.n_bits) - 1)
        parts = []
        for template, column in columns.items():
            starts, ends, codes, found = _coded(column)
            # The template's own hash is the seed of its values, so equal values of two templates fall apart.
            salt = int(hash_column(pa.array([template]), seed=self.seed)[0])
            table = (hash_column(found, seed=salt) & mask).astype(np.int64)
            parts.append((starts, ends, _look_up(table, codes)))
        return _rows(parts, 1 << self.n_bits)


def hash_column(strings: pa.Array, *, seed: int = 0) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each string of an Arrow column without nulls.

    Examples
    --------
    >>> a, b, c = hash_column(pa.array(["who", "is", "who"]))
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    strings = strings.cast(pa.large_string())
    if strings.null_count:
        raise DataError(f"{strings.null_count:,} of {len(strings):,} strings are null; a null has no hash")
    _, offsets, data = strings.buffers()
    bounds = np.frombuffer(offsets, np.int64)[strings.offset : strings.offset + len(strings) + 1]
    if len(bounds) == 0:
        return np.zeros(0, np.uint64)
    content = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8)
    return hash_strings(content, np.ascontiguousarray(bounds), np.uint64(seed & 0xFFFFFFFFFFFFFFFF))


def _coded(column: Column) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], pa.Array]:
    """Return row starts, row ends, one code per value (-1: null) and the distinct values the codes stand for."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else pa.array(column)
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        offsets = array.offsets.to_numpy().astype(np.int64)
        starts, ends, array = offsets[:-1], offsets[1:], array.values
    else:
        starts = np.arange(len(array))
        ends = starts + 1
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    if not (pa.types.is_string(array.dictionary.type) or pa.types.is_large_string(array.dictionary.type)):
        raise DataError(f"a template's values are {array.dictionary.type}; features are made from strings")
    # A dictionary built by hand may hold a value twice, or a null.
    unique = array.dictionary.dictionary_encode()
    codes = _or_absent(array.indices)
    return starts, ends, _look_up(_or_absent(unique.indices), codes), unique.dictionary


def _or_absent(indices: pa.Array) -> NDArray[np.int64]:
    return pc.fill_null(indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)


def _look_up(table: NDArray[np.int64], codes: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return table[code] for each code, -1 where the code is -1."""
    return np.append(table, -1).astype(np.int32)[codes]


def _rows(
    parts: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]], n_features: int
) -> sp.csr_array:
    """Lay the templates' ids out as one CSR matrix of ones, repeated ids summed."""
    n_rows = {len(starts) for starts, _, _ in parts}
    if len(n_rows) != 1:
        raise DataError(
            f"the templates have {sorted(n_rows) or 'no'} rows; all must have the same number, one template at least"
        )
    n = n_rows.pop()
    sizes = np.zeros(n, np.int64)
    for starts, ends, ids in parts:
        present = np.concatenate([[0], np.cumsum(ids >= 0)])
        sizes += present[ends] - present[starts]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    indices = np.empty(indptr[-1], np.int32)
    cursor = indptr[:-1].copy()
    for starts, ends, ids in parts:
        fill_rows(starts, ends, ids, cursor, indices)
    # Small pointers where they fit: SciPy widens the ids to the pointers' type, and others refuse wide ids.
    small = indptr.astype(np.int32) if indptr[-1] <= np.iinfo(np.int32).max else indptr
    matrix = sp.csr_array((np.ones(len(indices)), indices, small), shape=(n, n_features))
    matrix.sum_duplicates()
    return matrix
