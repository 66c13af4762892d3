"""One record for each entity: in each column the value that most of its records agree on, or that a rule says."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.golden import ANY, golden_rules, rule_rows

__all__ = ["canonical_rows", "canonical_table", "fullest_records"]


def fullest_records(fields: Sequence[FieldData], clustering: Clustering) -> NDArray[np.int64]:
    """Return for each entity the record with the fewest missing values, of equal ones the first."""
    filled = np.zeros(len(clustering), dtype=np.int64)
    for field in fields:
        filled += field.codes >= 0
    order = np.lexsort((np.arange(len(filled)), -filled, clustering.labels))
    return order[clustering.offsets[:-1]]


def canonical_table(
    table: pa.Table,
    fields: Sequence[FieldData],
    clustering: Clustering,
    fullest: NDArray[np.int64],
    *,
    golden: Mapping[str, str] | None = None,
    source: str | None = None,
) -> pa.Table:
    """Return one row for each entity.

    In each column stands the value that most records of the entity have, when differences of writing that the field
    does not see are left aside; of its written forms the most frequent; of equally frequent ones that of the fullest
    record, else the first. Columns that cannot be counted are those of the fullest record.

    Parameters
    ----------
    golden
        Rules by column (see `golden.py`), in the place of that.
    source
        The column of sources, which rules may speak of.
    """
    chosen = canonical_rows(table, fields, clustering, fullest, golden=golden, source=source)
    return pa.table({name: table[name].combine_chunks().take(pa.array(rows)) for name, rows in chosen.items()})


def canonical_rows(
    table: pa.Table,
    fields: Sequence[FieldData],
    clustering: Clustering,
    fullest: NDArray[np.int64],
    *,
    golden: Mapping[str, str] | None = None,
    source: str | None = None,
) -> dict[str, NDArray[np.int64]]:
    """Return for each column and entity the row whose value stands for it."""
    by_column = {field.columns[0]: field.codes for field in fields if len(field.columns) == 1}
    rules = golden_rules(golden or {})
    sources = table[source].cast(pa.string()).to_pylist() if source in table.column_names else None
    found = {}
    for name in table.column_names:
        rule = rules.get(name, rules.get(ANY))
        if rule is None or rule.kind == "most frequent" or rule.by not in (None, *table.column_names):
            found[name] = _chosen(table[name], by_column, name, clustering, fullest)
        else:
            rows = rule_rows(rule, name, table, clustering, sources)
            found[name] = np.where(rows >= 0, rows, fullest)
    return found


def _chosen(
    column: pa.ChunkedArray,
    by_column: Mapping[str, NDArray[np.int32]],
    name: str,
    clustering: Clustering,
    fullest: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return for each entity the row whose value stands for it."""
    several = clustering.sizes[clustering.labels] > 1
    written = _written(column)
    if written is None or not several.any():
        return fullest
    seen = by_column.get(name, written)
    rows = np.flatnonzero(several & (written >= 0) & (seen >= 0))
    entity = clustering.labels[rows].astype(np.int64)
    own = written[rows] == written[fullest[entity]]
    order = np.lexsort((rows, ~own, -_votes(entity, written[rows]), -_votes(entity, seen[rows]), entity))
    _, first = np.unique(entity[order], return_index=True)
    chosen = fullest.copy()
    chosen[entity[order][first]] = rows[order][first]
    return chosen


def _votes(entity: NDArray[np.int64], code: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return for each row how many rows of its entity have its code."""
    _, place, counts = np.unique(
        entity * (int(code.max(initial=0)) + 1) + code, return_inverse=True, return_counts=True
    )
    return np.asarray(counts[place], dtype=np.int64)


def _written(column: pa.ChunkedArray) -> NDArray[np.int32] | None:
    """Number the values of a column, -1 where there is none; None if they cannot be told apart."""
    try:
        encoded = column.combine_chunks().dictionary_encode()
    except pa.ArrowNotImplementedError:
        return None
    if not isinstance(encoded, pa.DictionaryArray):
        return None
    return np.asarray(pc.fill_null(encoded.indices, -1), dtype=np.int32)
