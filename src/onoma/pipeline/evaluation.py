"""Two files, gold and predicted, made ready to be measured: annotated text, or tables of ids and clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.corpus.formats import format_of, read_corpus
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError
from onoma.evaluate.align import Universe, align, clusterings_from_corpora

__all__ = ["ENTITY_NAMES", "KEY_NAMES", "Sides", "gold_labels", "read_sides", "table_sides"]

KEY_NAMES = ("id", "mention_id", "record_id", "rec_id", "unique_id", "mention", "uid", "key")
"""Columns that are taken for the id, in this order."""
ENTITY_NAMES = ("cluster_id", "entity", "entity_id", "cluster", "gold", "chain")
"""Columns that are taken for the clusters of the gold, in this order; of a prediction, `entity` comes first."""


@dataclass(frozen=True)
class Sides:
    """Two clusterings of the same items, and what people want to know about them."""

    gold: Clustering
    predicted: Clustering
    documents: NDArray[np.int64] | None
    """The document of each item, for annotated text."""
    by: pa.Array | None
    """The value of the column asked for, item by item."""
    gold_names: Sequence[str]
    """How the gold file calls each gold entity."""
    predicted_names: Sequence[str]
    """How the predicted file calls each predicted entity."""
    notes: Sequence[str]
    """What was left out, and which columns were taken."""


@dataclass(frozen=True)
class _Columns:
    table: pa.Table
    path: Path
    entity: str


def read_sides(
    gold: Path,
    predicted: Path,
    *,
    id: Sequence[str] = (),
    gold_column: str | None = None,
    predicted_column: str | None = None,
    by: str | None = None,
    universe: Universe = "union",
    on_error: str = "stop",
) -> Sides:
    """Read both files and align their items.

    Parameters
    ----------
    gold, predicted
        Two annotated texts (CoNLL-2012, CoNLL-U), or two tables with an id and a cluster column.
    id
        The id columns of tables; several make one id together. None given: found by name; where the ids repeat and both
        tables have a column `source`, source and id make one id together.
    gold_column, predicted_column
        The cluster columns of tables; found by name if not given.
    by
        A column of the gold table to break the scores down by; `document` for annotated text.
    universe
        Which items of tables to compare, as `onoma.evaluate.align.align` takes it.
    on_error
        `"stop"` or `"reject"`, as the readers take it.
    """
    kinds = [format_of(path).holds for path in (gold, predicted)]
    if kinds[0] != kinds[1]:
        which = {"table": "a table", "corpus": "annotated text"}
        raise DataError(
            f"{gold} is {which[kinds[0]]} and {predicted} is {which[kinds[1]]}; both must be of one kind",
            hint="onoma convert turns annotated text into a table of its mentions.",
        )
    if kinds[0] == "corpus":
        return _text_sides(gold, predicted, by=by, on_error=on_error)
    return _table_sides(
        gold,
        predicted,
        id=id,
        columns=(gold_column, predicted_column),
        by=by,
        universe=universe,
        on_error=on_error,
    )


def _text_sides(gold: Path, predicted: Path, *, by: str | None, on_error: str) -> Sides:
    if by not in (None, "document"):
        raise DataError(f"annotated text can be broken down by 'document', not by {by!r}")
    corpora = [read_corpus(path, on_error=on_error) for path in (gold, predicted)]
    found = clusterings_from_corpora(*corpora)
    notes = [note for corpus in corpora for note in corpus.notes]
    if found.n_repeated:
        notes.append(f"{found.n_repeated:,} repeated mentions were counted once")
    if found.n_outside:
        notes.append(f"{found.n_outside:,} predicted mentions stand in documents that the gold lacks; not scored")
    keys = found.keys
    documents = pc.binary_join_element_wise(keys["document"], keys["part"].cast(pa.string()), " part ")
    spans = [keys[name].cast(pa.string()) for name in ("start", "end")]
    items = pc.binary_join_element_wise(documents, *spans, ":").to_pylist()
    return Sides(
        found.gold,
        found.predicted,
        found.groups,
        documents.combine_chunks() if by else None,
        _first_items(found.gold, items),
        _first_items(found.predicted, items),
        notes,
    )


def _first_items(clustering: Clustering, items: list[str]) -> list[str]:
    """Name each chain by its first mention."""
    return [items[item] for item in clustering.order[clustering.offsets[:-1]]]


def _table_sides(
    gold: Path,
    predicted: Path,
    *,
    id: Sequence[str],
    columns: tuple[str | None, str | None],
    by: str | None,
    universe: Universe,
    on_error: str,
) -> Sides:
    notes: list[str] = []
    tables = []
    for path in (gold, predicted):
        read = read_table(path, on_error=on_error)
        notes += read.notes
        if len(read.rejects):
            notes.append(f"{path}: {len(read.rejects):,} rows could not be read and are left out")
        tables.append(read.table)
    found = table_sides(tables[0], tables[1], paths=(gold, predicted), id=id, columns=columns, by=by, universe=universe)
    return replace(found, notes=[*notes, *found.notes])


def table_sides(
    gold: pa.Table,
    predicted: pa.Table,
    *,
    paths: tuple[Path, Path] = (Path("the gold"), Path("the prediction")),
    id: Sequence[str] = (),
    columns: tuple[str | None, str | None] = (None, None),
    by: str | None = None,
    universe: Universe = "union",
) -> Sides:
    """Align the items of two tables, as `read_sides` does; `paths` are what they are called."""
    sides = [
        _Columns(gold, paths[0], _find(gold, columns[0], ENTITY_NAMES, paths[0], "clusters")),
        _Columns(predicted, paths[1], _find(predicted, columns[1], ("entity", *ENTITY_NAMES), paths[1], "clusters")),
    ]
    keys = _keys(sides, id)
    tables = [pa.table({"id": _joined(side, keys), "entity": gold_labels(side.table[side.entity])}) for side in sides]
    found = align(tables[0], tables[1], universe=universe)
    notes = [
        f"items are matched by {' and '.join(map(repr, keys))}; clusters are {sides[0].entity!r} in {paths[0].name} "
        f"and {sides[1].entity!r} in {paths[1].name}"
    ]
    notes += _left_out(found.n_unlabelled, found.n_gold_only, found.n_predicted_only, universe)
    return Sides(
        found.gold,
        found.predicted,
        None,
        None if by is None else _values_of(sides[0], by, tables[0], found.ids),
        _names_of(found.gold, tables[0], found.ids),
        _names_of(found.predicted, tables[1], found.ids),
        notes,
    )


def _left_out(n_unlabelled: int, n_gold_only: int, n_predicted_only: int, universe: Universe) -> list[str]:
    notes = []
    if n_unlabelled:
        notes.append(f"{n_unlabelled:,} rows of the gold have no label; they are left out on both sides")
    if n_gold_only:
        fate = "left out" if universe == "shared" else "counted as missed"
        notes.append(f"{n_gold_only:,} items of the gold are not in the prediction: {fate}")
    if n_predicted_only:
        fate = "counted as spurious (--items gold leaves them out)" if universe == "union" else "left out"
        notes.append(f"{n_predicted_only:,} predicted items are not in the gold: {fate}")
    return notes


def _find(table: pa.Table, wanted: str | None, names: Sequence[str], path: Path, what: str) -> str:
    if wanted is not None:
        if wanted not in table.column_names:
            raise DataError(
                f"there is no column {wanted!r}; there are {', '.join(map(repr, table.column_names))}", file=path
            )
        return wanted
    lowered = {column.lower(): column for column in reversed(table.column_names)}
    for name in names:
        if name in lowered:
            return lowered[name]
    raise DataError(
        f"no column for the {what} was found among {', '.join(map(repr, table.column_names))}",
        file=path,
        hint=f"Call it one of {', '.join(names)}, or name it: --help says how.",
    )


def _keys(sides: Sequence[_Columns], wanted: Sequence[str]) -> list[str]:
    """Return the columns that identify an item in both tables."""
    if wanted:
        return [_find(side.table, name, (), side.path, "ids") for name in wanted for side in sides[:1]]
    named = {name.lower() for name in sides[0].table.column_names} & {*KEY_NAMES}
    keys = [] if named else _likely_keys(sides)
    keys = keys or [_find(sides[0].table, None, KEY_NAMES, sides[0].path, "ids")]
    repeated = pc.count_distinct(sides[0].table[keys[0]]).as_py() < len(sides[0].table)
    if repeated and all("source" in side.table.column_names for side in sides):
        return ["source", *keys]
    return keys


def _likely_keys(sides: Sequence[_Columns]) -> list[str]:
    """Return the first column called …id that both tables have and that tells all rows of the gold apart."""
    gold, others = sides[0].table, {name for side in sides[1:] for name in side.table.column_names}
    for name in gold.column_names:
        taken = name.lower() in ENTITY_NAMES or name not in others
        if name.lower().endswith("id") and not taken and pc.count_distinct(gold[name]).as_py() == len(gold):
            return [name]
    return []


def _joined(side: _Columns, keys: Sequence[str]) -> pa.ChunkedArray:
    columns = [side.table[_key_of(side, key)] for key in keys]
    if len(columns) == 1:
        return columns[0]
    texts = [pc.fill_null(column.cast(pa.string()), "") for column in columns]
    return pc.binary_join_element_wise(*texts, " / ")


def _key_of(side: _Columns, key: str) -> str:
    """Return the column of an id; a result of `onoma resolve` has it as `id`, whatever the input called it."""
    named = side.table.column_names
    is_result = {"id", "entity", "probability"} <= set(named)
    return "id" if key not in named and is_result else _find(side.table, key, (), side.path, "ids")


def gold_labels(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the labels as text, an empty one as null: in a table of labels, empty means not labelled."""
    text = column.cast(pa.string())
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


def _values_of(side: _Columns, by: str, keyed: pa.Table, ids: pa.Array) -> pa.Array:
    values = side.table[_find(side.table, by, (), side.path, "groups")]
    return values.take(pc.index_in(ids, value_set=keyed["id"].cast(ids.type))).combine_chunks()


def _names_of(clustering: Clustering, keyed: pa.Table, ids: pa.Array) -> list[str]:
    """Return the file's own label of each entity."""
    first = ids.take(pa.array(clustering.order[clustering.offsets[:-1]]))
    names: list[str] = keyed["entity"].take(pc.index_in(first, value_set=keyed["id"].cast(ids.type))).to_pylist()
    return names
