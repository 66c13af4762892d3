"""A resolution as a knowledge base: everything that a later run needs, in one file."""

import importlib.metadata
import json
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.corpus.fingerprints import row_fingerprints
from onoma.kb._schema import SEALS
from onoma.kb.ask.checked import keep_checked
from onoma.kb.database import KnowledgeBase, create_knowledge_base, quoted
from onoma.kb.identity import Change
from onoma.kb.incremental import KEPT
from onoma.kb.memory import remember
from onoma.kb.own.answer import answer_of, forget_own, in_doubt, own_pairs, store_own
from onoma.kb.versions import stored_names
from onoma.numerics.union_find import components
from onoma.resolve.blocking.index import make_segment
from onoma.resolve.comparison.weights import log_bayes_factors
from onoma.resolve.contract import PairEvidence, Posterior, Trees
from onoma.resolve.fields.kinds import VECTOR
from onoma.resolve.fields.packed.texts import arrow_of
from onoma.resolve.posterior.samples import Roots
from onoma.resolve.result import Resolution

__all__ = [
    "Run",
    "append_records",
    "codes_table",
    "entity_rows",
    "note_changes",
    "note_run",
    "store_fit",
    "store_resolution",
    "uncertain_samples",
]

SHOWN = 0.01
"""Pairs at least this probable are kept, however little speaks for them."""
_TEXT = pa.string()
_ENTITY = ("entity", "size", "probability", "record")
"""The first columns of the entities."""


def store_resolution(
    resolution: Resolution,
    path: Path,
    *,
    job: Mapping[str, Any],
    about: Mapping[str, object],
    rejects: pa.Table | None = None,
    command: str = "",
    seconds: float = 0.0,
) -> None:
    """Write a resolution as a new knowledge base.

    Parameters
    ----------
    job
        How records are read and resolved, as JSON holds it: a later run reads theirs in the same way.
    about
        What else the first run should tell of itself: columns of the table `runs`.
    rejects
        Records that could not be read.
    seconds
        How long the resolution took.
    """
    begun = time.perf_counter()
    with create_knowledge_base(path) as base:
        base.set_blob("job", json.dumps(dict(job)).encode())
        records = np.arange(len(resolution.table))
        source = _sources(resolution)
        append_records(base, resolution.table, records, source, run=1)
        store_fit(base, resolution, records, rules=bool(job["config"].get("also_compare")))
        entities = resolution.memberships["entity"].combine_chunks()
        base.append("memberships", _memberships(resolution, records, source, entities))
        canonical = resolution.entities
        base.replace("entities", entity_rows(base, canonical))
        created = [Change("created", name, None, None) for name in canonical["entity"].to_pylist()]
        note_changes(base, created, 1, "first run", [], [])
        base.set_meta("next_entity", resolution.clustering.n_entities)
        base.set_meta("next_record", len(records))
        if rejects is not None:
            base.replace("rejects", rejects)
        run = Run(1, "resolve", command, n_added=len(records), n_touched=len(records))
        note_run(base, run, seconds + time.perf_counter() - begun, _told(resolution) | dict(about))


def _told(resolution: Resolution) -> dict[str, object]:
    entities, low, high = resolution.entity_count()
    found: dict[str, object] = {"rows": len(resolution.table), "entities": entities}
    return found | {"entities_low": low, "entities_high": high, "interrupted": resolution.is_stopped}


def append_records(
    base: KnowledgeBase, table: pa.Table, records: NDArray[np.int64], source: Sequence[str], *, run: int
) -> None:
    """Keep records as they came, under new numbers; a column that is new is added."""
    known = {str(name): str(stored) for name, stored in base.rows("SELECT name, stored FROM columns")}
    names = stored_names(table.column_names, known)
    new = [name for name in table.column_names if name not in known]
    rows = table.rename_columns([names[name] for name in table.column_names])
    rows = rows.append_column("onoma_record", pa.array(records, pa.int64()))
    rows = rows.append_column("onoma_source", pa.array(source, _TEXT))
    rows = rows.append_column("onoma_content", pa.array(row_fingerprints(table), pa.uint64()))
    rows = rows.append_column("onoma_added", pa.array(np.full(len(rows), run), pa.int64()))
    rows = rows.append_column("onoma_retracted", pa.nulls(len(rows), pa.int64()))
    if not known:
        base.replace("records", rows)
    else:
        _append_alike(base, rows, [names[name] for name in new])
    base.append("columns", pa.table({"name": pa.array(new, _TEXT), "stored": pa.array([names[n] for n in new], _TEXT)}))


def _append_alike(base: KnowledgeBase, rows: pa.Table, new: Sequence[str]) -> None:
    """Append rows to the records; where a column is of another type than before, both become text."""
    stored = base.query("FROM records LIMIT 0").schema
    for name in new:
        _alter(base, name, "ADD COLUMN {} VARCHAR")
    for at, column in enumerate(rows.schema):
        kind = pa.string() if column.name in new else stored.field(column.name).type
        if column.type == kind or pa.types.is_null(column.type):
            continue
        if not pa.types.is_string(kind):
            _alter(base, column.name, "ALTER COLUMN {} TYPE VARCHAR")
        rows = rows.set_column(at, column.name, rows.column(at).cast(pa.string()))
    base.append("records", rows)


def _alter(base: KnowledgeBase, name: str, how: str) -> None:
    """Change a column of the records and of the entities alike."""
    for table, column in (("records", name), ("entities", _of_entity(name))):
        base.drop_indexes(table)
        base.change(f"ALTER TABLE {table} {how.format(quoted(column))}")


def _of_entity(name: str) -> str:
    """Return what a column of the data is called among the entities."""
    return f"{name}_of_record" if name.lower() in _ENTITY else name


def _sources(resolution: Resolution) -> list[str]:
    if resolution.source is None:
        return [""] * len(resolution.table)
    return ["" if each is None else str(each) for each in resolution.source.to_pylist()]


def _memberships(
    resolution: Resolution, records: NDArray[np.int64], source: Sequence[str], entities: pa.Array
) -> pa.Table:
    return pa.table(
        {
            "record": records,
            "source": pa.array(source, _TEXT),
            "id": resolution.table["id"],
            "entity": entities,
            "probability": resolution.probability,
        }
    )


def entity_rows(base: KnowledgeBase, canonical: pa.Table) -> pa.Table:
    """Return the entities of a resolution with the columns of the data under the names they are stored by.

    The first columns are entity, size, probability and record; the others stand in the order of the data.
    """
    stored = [str(name) for (name,) in base.rows("SELECT stored FROM columns")]
    others = [name for name in stored if name != "id"]
    names = [_of_entity(name) for name in others]
    return canonical.rename_columns([*_ENTITY, *names[: canonical.num_columns - len(_ENTITY)]])


def store_fit(base: KnowledgeBase, resolution: Resolution, records: NDArray[np.int64], *, rules: bool) -> None:
    """Keep what the model found out about the records, which are now numbered so."""
    fields = resolution.fields
    used = [(each.name, each.kind, each.reason) for each in fields.fields]
    unused = [(each.name, "ignored", each.reason) for each in fields.ignored]
    for name in ("fields", "missing", "weights", "field_values", "features", "edges", "samples"):
        base.change(f"DELETE FROM {name}")  # noqa: S608
    base.change("DROP TABLE IF EXISTS nodes")
    forget_own(base)
    base.append("fields", _table([*used, *unused], ("column", "kind", "reason")))
    base.append("missing", pa.Table.from_pylist([each._asdict() for each in fields.missing_report]))
    base.replace("codes", codes_table(records, [each.codes for each in fields.fields]))
    base.set_meta("model", resolution.config.model)
    keep_checked(base, resolution.checked)
    memory = remember(resolution, rules=rules)
    base.set_blob("memory", b"" if memory is None else memory.to_bytes())
    found = resolution.posterior
    if found is None:
        return
    if resolution.weighed is not None:
        base.append("weights", resolution.weights())
    is_own = memory is not None and memory.is_own
    for f, field in enumerate(fields.fields):
        append_values(base, f, 0, field.values, field.examples)
        if memory is not None and field.kind != VECTOR:
            hot = memory.blocking.resolved(len(records))[1]
            segment = make_segment(field, hot=hot)
            base.append("features", segment_row(f, 0, segment.offsets, segment.ids))
    nodes = found.details.nodes(pa.array(records)) if isinstance(found.details, Trees) else None
    if nodes is not None:
        base.replace("nodes", nodes.drop("entity"))
    if is_own or found.weighed is None:
        base.append("edges", own_pairs(found, records).table())
        store_own(base, answer_of(found, records))
    else:
        base.append("edges", _edges(found.weighed, records, found.pairs.probability))
    base.append("samples", uncertain_samples(records, found, by_pairs=not is_own))


def _table(rows: Sequence[tuple[str, ...]], names: Sequence[str]) -> pa.Table:
    return pa.table({name: pa.array([row[at] for row in rows], _TEXT) for at, name in enumerate(names)})


def codes_table(records: NDArray[np.int64], codes: Sequence[NDArray[np.int32]]) -> pa.Table:
    """Return which value each record has in each field."""
    return pa.table({"record": records} | {f"f{f}": each for f, each in enumerate(codes)})


def append_values(base: KnowledgeBase, f: int, first: int, values: Sequence[str], examples: Sequence[str]) -> None:
    """Keep new values of a field, the first of which has this code."""
    base.append("field_values", values_table(f, first, values, examples))


def values_table(f: int, first: int, values: Sequence[str], examples: Sequence[str]) -> pa.Table:
    """Return new values of a field, the first of which has this code."""
    n = len(values)
    columns = {"field": np.full(n, f, np.int32), "code": np.arange(first, first + n, dtype=np.int32)}
    return pa.table(columns | {"value": arrow_of(values).cast(_TEXT), "example": arrow_of(examples).cast(_TEXT)})


def segment_row(f: int, first: int, offsets: NDArray[np.int64], ids: NDArray[np.uint32]) -> pa.Table:
    """Return the features of new values of a field."""
    return pa.table(
        {
            "field": pa.array([f], pa.int32()),
            "first_code": pa.array([first], pa.int32()),
            "offsets": pa.array([offsets.astype(np.int64).tobytes()], pa.large_binary()),
            "ids": pa.array([ids.tobytes()], pa.large_binary()),
        }
    )


def append_segment(
    base: KnowledgeBase, f: int, first: int, offsets: NDArray[np.int64], ids: NDArray[np.uint32]
) -> None:
    """Keep the features of new values of a field."""
    base.append("features", segment_row(f, first, offsets, ids))


def _edges(fit: PairEvidence, records: NDArray[np.int64], stated: NDArray[np.float64]) -> pa.Table:
    """Return the pairs that are plausible or were together, with the probability stated of them."""
    stated = stated if len(stated) == len(fit.evidence.a) else fit.draws.together
    copy, relative = log_bayes_factors(fit.evidence, fit.weights)
    least = np.log(KEPT)
    keep = (copy + np.log(fit.weights.kappa) > least) | (fit.draws.together >= SHOWN)
    if fit.weights.sigma > 0:
        keep |= relative + np.log(fit.weights.sigma) > least
    which = np.flatnonzero(keep)
    return pa.table(
        {
            "a": records[fit.evidence.a[which]],
            "b": records[fit.evidence.b[which]],
            "log_copy": copy[which].astype(np.float32),
            "log_relative": relative[which].astype(np.float32),
            "probability": stated[which].astype(np.float32),
        }
    )


def uncertain_samples(records: NDArray[np.int64], found: Posterior, *, by_pairs: bool = True) -> pa.Table:
    """Return the samples of the records that are not in the same company in all of them.

    `by_pairs`: all pairs that any sample joins are among those told, and say who is in doubt.
    """
    if found.samples is None:
        return samples_table(records, np.zeros((0, len(records)), dtype=np.int64), np.zeros(0, dtype=np.int64))
    if not by_pairs:
        return _samples_of(records, found.samples, in_doubt(np.asarray(found.samples)))
    fit, together = found.weighed, found.pairs.probability
    if fit is not None and len(fit.draws.together) == len(together):
        together = fit.draws.together  # what is stated may be recalibrated; what the samples saw is not
    joined = together > 0
    a, b = (side[joined].astype(np.int64) for side in found.pairs[:2])
    group = components(len(records), a, b)
    doubtful = np.zeros(len(records), dtype=np.bool_)
    doubtful[group[a[together[joined] < 1.0]]] = True
    return _samples_of(records, found.samples, np.flatnonzero(doubtful[group]))


def _samples_of(records: NDArray[np.int64], samples: Roots, which: NDArray[np.int64]) -> pa.Table:
    return samples_table(records[which], records[samples[:, which]], np.arange(len(which)))


def samples_table(records: NDArray[np.int64], roots: NDArray[np.int64], which: NDArray[np.int64]) -> pa.Table:
    """Return the roots of some records, one list for each."""
    values = np.ascontiguousarray(roots[:, which].T)
    offsets = np.arange(len(which) + 1, dtype=np.int32) * np.int32(roots.shape[0])
    lists = pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.ravel(), pa.int64()))
    return pa.table({"record": records[which], "roots": lists})


@dataclass(frozen=True)
class Run:
    """What is told about a run."""

    run: int
    kind: str
    command: str
    n_added: int = 0
    n_changed: int = 0
    n_retracted: int = 0
    n_touched: int = 0


def note_changes(
    base: KnowledgeBase,
    changes: Sequence[Change],
    run: int,
    reason: str,
    source: Sequence[str],
    ids: Sequence[str],
) -> None:
    """Append to the feed of changes; their records are places in `source` and `ids`."""
    first = int(base.value("SELECT coalesce(max(change), 0) + 1 FROM changes"))
    base.append(
        "changes",
        pa.table(
            {
                "change": np.arange(first, first + len(changes)),
                "run": np.full(len(changes), run),
                "kind": pa.array([each.kind for each in changes], _TEXT),
                "entity": pa.array([each.entity for each in changes], _TEXT),
                "other": pa.array([each.other for each in changes], _TEXT),
                "source": pa.array([None if c.record is None else source[c.record] for c in changes], _TEXT),
                "id": pa.array([None if c.record is None else ids[c.record] for c in changes], _TEXT),
                "reason": pa.array([reason] * len(changes), _TEXT),
            }
        ),
    )


def note_run(base: KnowledgeBase, run: Run, seconds: float, about: Mapping[str, object] | None = None) -> None:
    """Tell of a run: what was asked, on what, with which versions, and what came of it."""
    row: dict[str, object] = asdict(run) | {
        "made": datetime.now(UTC).replace(tzinfo=None, microsecond=0),
        "versions": json.dumps(_versions()),
        "interrupted": False,
        "seconds": seconds,
    }
    base.append("runs", pa.Table.from_pylist([row | dict(about or {})]))
    base.change(SEALS)  # to ask whether there are any takes longer
    base.change("UPDATE seals SET content = '' WHERE content <> ''")  # who is who is another now


@cache
def _versions() -> dict[str, str]:
    names = ("onoma", "numpy", "numba", "pyarrow", "duckdb")
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in names}


def clustering_of(labels: Sequence[object]) -> Clustering:
    """Return a clustering of records by the ids of their entities."""
    return Clustering.from_labels(pa.array(labels, _TEXT))
