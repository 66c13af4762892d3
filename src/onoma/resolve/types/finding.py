"""Which types of rows a table holds: those that fill columns of their own and share no evidence."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.resolve.blocking.conditions import has_constraints
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.field import FieldData
from onoma.resolve.types.evidence import shared_evidence
from onoma.resolve.types.patterns import HARDLY, Pattern, filled_cells, find_patterns
from onoma.resolve.types.together import TypeOfRows

__all__ = ["find_types", "may_have_types"]

Part = TypeVar("Part")


def may_have_types(config: ResolveConfig) -> bool:
    """Say whether types are looked for: not where people say of all rows how they go together, or how many they are."""
    told = config.labels is not None or config.weights is not None or config.comparison not in (None, "kinds")
    ruled = has_constraints(config) or config.block is not None or bool(config.also_compare or config.block_on)
    return not (config.one_type or told or ruled or config.entities is not None or config.partitions is not None)


def find_types(
    table: pa.Table,
    source: NDArray[np.int32] | None,
    part_of: Callable[[NDArray[np.int64]], Part],
    fields_of: Callable[[Part], Sequence[FieldData]],
) -> list[tuple[TypeOfRows, Part]]:
    """Return the types of rows with their rows as tables of their own; none if all rows are of one type.

    Parameters
    ----------
    table
        The columns that may be evidence.
    source
        The source of each row: what only one source fills is another way to write of the same things, and no type.
    part_of
        Prepares some rows as a table of their own.
    fields_of
        The fields of what that gives.
    """
    names = table.column_names
    patterns = find_patterns(filled_cells(table), names)
    while len(patterns) > 1:
        if source is not None and any(_is_one_source(source[each.rows]) for each in patterns):
            return []
        parts = [part_of(each.rows) for each in patterns]
        fields = [fields_of(each) for each in parts]
        if not all(fields):
            return []
        alike = _alike(fields)
        if alike is None:
            return [(_named(k, each), part) for k, (each, part) in enumerate(zip(patterns, parts, strict=True))]
        patterns = _joined(patterns, *alike, names)
    return []


def _is_one_source(source: NDArray[np.int32]) -> bool:
    return float(np.bincount(source).max()) > (1.0 - HARDLY) * len(source)


def _alike(fields: Sequence[Sequence[FieldData]]) -> tuple[int, int] | None:
    """Return two types that share evidence, if any do."""
    for other in range(len(fields)):
        for one in range(other):
            if shared_evidence(fields[one], fields[other]):
                return one, other
    return None


def _joined(patterns: Sequence[Pattern], one: int, other: int, names: Sequence[str]) -> list[Pattern]:
    """Return the types, two of them as one."""
    sizes = [len(each.rows) for each in patterns]
    share = np.average([patterns[k].share for k in (one, other)], axis=0, weights=[sizes[one], sizes[other]])
    rows = np.sort(np.concatenate([patterns[one].rows, patterns[other].rows]))
    kept = [each for k, each in enumerate(patterns) if k not in (one, other)]
    others = [each.share for each in kept] or [np.ones(len(names))]
    own = np.flatnonzero((np.max(others, axis=0) <= HARDLY) & (share > HARDLY))
    made = Pattern(rows, tuple(names[c] for c in own[np.argsort(-share[own], kind="stable")]), share)
    return sorted([made, *kept], key=lambda each: int(each.rows[0]))


def _named(k: int, pattern: Pattern) -> TypeOfRows:
    return TypeOfRows(f"type {k + 1}", pattern.rows, pattern.own)
