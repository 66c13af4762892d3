"""Clusters of scored pairs as a knowledge base: they can be judged, explained, and undone."""

import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.kb.commit import canonical_rows
from onoma.kb.database import KnowledgeBase, create_knowledge_base
from onoma.kb.identity import Change, Identified
from onoma.kb.memory import Memory, flat_weights
from onoma.kb.scored.clusters import Clustered, ScoredPairs
from onoma.kb.store import Run, append_records, entity_rows, note_changes, note_run, samples_table
from onoma.resolve.config import ResolveConfig

__all__ = ["store_clusters", "with_columns"]

_TEXT = pa.string()
_WHY = "pairs were scored elsewhere, and new ones have no scores"


def with_columns(pairs: ScoredPairs, records: pa.Table | None, id: str | None) -> pa.Table:
    """Return the things of the pairs as a table: with their columns, where records are given."""
    if records is None:
        return pa.table({"id": pa.array(pairs.ids, _TEXT)})
    name = id or ("id" if "id" in records.column_names else records.column_names[0])
    if name not in records.column_names:
        raise DataError(f"the records have no column {name!r}", hint=f"They have {', '.join(records.column_names)}.")
    keys = [str(key) for key in records[name].to_pylist()]
    place = {key: i for i, key in enumerate(keys)}
    if len(place) < len(keys):
        raise DataError(f"the ids of the records, {name!r}, are not unique")
    lost = [key for key in pairs.ids if key not in place]
    if lost:
        raise DataError(f"{len(lost):,} things of the pairs are no records, such as {lost[0]!r}")
    table = records.take(pa.array([place[key] for key in pairs.ids], pa.int64()))
    table = table.drop_columns([each for each in {name, "id"} if each in table.column_names])
    return table.add_column(0, "id", pa.array(pairs.ids, _TEXT))


def store_clusters(
    path: Path,
    pairs: ScoredPairs,
    found: Clustered,
    table: pa.Table,
    *,
    same: Sequence[tuple[str, str]] = (),
    different: Sequence[tuple[str, str]] = (),
    command: str = "",
    seconds: float = 0.0,
) -> None:
    """Write clusters as a new knowledge base; what must, and must not, be one entity are its first judgements."""
    begun, n = time.perf_counter(), len(pairs.ids)
    numbers = np.arange(n)
    config = ResolveConfig(model="copying", id="id")
    with create_knowledge_base(path) as base:
        base.set_blob("job", json.dumps({"config": config.to_json()}).encode())
        append_records(base, table, numbers, [""] * n, run=1)
        base.replace("codes", pa.table({"record": numbers}))
        base.set_meta("model", "copying")
        memory = Memory((), flat_weights(), n, config, _WHY, is_stated=True)
        base.set_blob("memory", memory.to_bytes())
        base.append("edges", _edges(found))
        base.append("samples", samples_table(numbers, found.roots, _doubtful(found)))
        names = [f"e{i}" for i in range(found.clustering.n_entities)]
        _write(base, found, table, numbers, names)
        _judge(base, same, different)
        note_changes(base, [Change("created", name, None, None) for name in names], 1, "first run", [], [])
        base.set_meta("next_entity", len(names))
        base.set_meta("next_record", n)
        about = {"rows": n, "entities": len(names)}
        run = Run(1, "cluster", command, n_added=n, n_touched=n)
        note_run(base, run, seconds + time.perf_counter() - begun, about)


def _edges(found: Clustered) -> pa.Table:
    parts = found.edges
    floats = {name: getattr(parts, name).astype(np.float32) for name in ("log_copy", "log_relative", "probability")}
    return pa.table({"a": parts.a, "b": parts.b} | floats)


def _doubtful(found: Clustered) -> NDArray[np.int64]:
    """Return the things that some sample holds otherwise than others."""
    open_ = (found.edges.probability > 0) & (found.edges.probability < 1)
    tied = np.zeros(len(found.probability), dtype=np.bool_)
    entity = found.clustering.labels
    for side in (found.edges.a[open_], found.edges.b[open_]):
        tied[side] = True
    some = np.zeros(found.clustering.n_entities, dtype=np.bool_)
    some[entity[tied]] = True
    return np.flatnonzero(some[entity])


def _write(
    base: KnowledgeBase, found: Clustered, table: pa.Table, numbers: NDArray[np.int64], names: Sequence[str]
) -> None:
    entity = pa.array(names, _TEXT).take(pa.array(found.clustering.labels))
    nowhere = pa.array([""] * len(table), _TEXT)
    rows = {"record": numbers, "source": nowhere, "id": table["id"], "entity": entity}
    base.append("memberships", pa.table(rows | {"probability": found.probability}))
    identified = Identified(list(names), [], {}, [], len(names))
    canonical = canonical_rows(table, [], found.clustering, found.probability, identified, ResolveConfig())
    base.replace("entities", entity_rows(base, canonical))


def _judge(base: KnowledgeBase, same: Sequence[tuple[str, str]], different: Sequence[tuple[str, str]]) -> None:
    said = [("same", *pair) for pair in same] + [("different", *pair) for pair in different]
    for number, (kind, a, b) in enumerate(said, 1):
        row = [number, kind, "", a, "", b, None, "given", 1, None]
        base.change(f"INSERT INTO judgements VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
