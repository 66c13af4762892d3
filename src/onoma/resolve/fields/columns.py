"""Columns as distinct texts: every Arrow type that can be compared, read in one way."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields.elements import JOINT
from onoma.resolve.fields.field import Codes
from onoma.resolve.fields.missing import suspects
from onoma.resolve.fields.packed.texts import ArrowTexts

_FEW = 300  # texts: so many are worked on one by one before Arrow has begun

__all__ = ["TextColumn", "holds_numbers", "read_texts"]


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column, or several joined, as distinct raw texts.

    Parameters
    ----------
    name
        What it is called.
    columns
        The columns of the table it was made from.
    raw
        Distinct texts, trimmed, by first appearance.
    codes
        For each record the index of its text; -1 where it is null or blank.
    """

    name: str
    columns: tuple[str, ...]
    raw: Sequence[str]
    codes: Codes

    @cached_property
    def suspects(self) -> NDArray[np.int64]:
        """The texts that may stand for missing values."""
        return suspects(self.raw)

    def counts(self) -> NDArray[np.int64]:
        """Return the number of records with each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.raw)).astype(np.int64)


def holds_numbers(kind: pa.DataType) -> bool:
    """Say whether a type is a list of numbers."""
    return _is_list(kind) and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def read_texts(column: pa.ChunkedArray, name: str) -> TextColumn | None:
    """Return a column as texts; None where its type cannot be compared (structures, bytes)."""
    texts = _as_text(column)
    if texts is None:
        return None
    encoded = texts.combine_chunks().dictionary_encode()
    trimmed = pc.utf8_trim_whitespace(encoded.dictionary)
    if not trimmed.equals(encoded.dictionary) or pc.any(pc.equal(trimmed, "")).as_py():
        filled = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)
        encoded = filled.take(encoded.indices).dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    distinct = encoded.dictionary
    return TextColumn(name, (name,), distinct.to_pylist() if len(distinct) <= _FEW else ArrowTexts(distinct), codes)


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _as_text(column.cast(kind.value_type))
    if _is_list(kind):
        inner = kind.value_type
        if pa.types.is_nested(inner) or pa.types.is_binary(inner):
            return None
        return pc.binary_join(column.cast(pa.list_(pa.string())), JOINT)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return None
    return column.cast(pa.string())
