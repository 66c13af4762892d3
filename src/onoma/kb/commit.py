"""Entities after a change: their ids kept, their rows written, their changes told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.kb.ask.past import keep_former
from onoma.kb.database import KnowledgeBase
from onoma.kb.identity import Change, Former, Identified, keep_ids
from onoma.kb.incremental import Resampled, touched_by
from onoma.kb.own.answer import in_doubt
from onoma.kb.own.redraw import redraw, tied
from onoma.kb.store import entity_rows, note_changes, samples_table, store_fit
from onoma.kb.world import World, load_world, record_table, stored_config, stored_job
from onoma.progress import SILENT, Progress
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.canonical import canonical_table, fullest_records
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.posterior.judgements import Judged
from onoma.resolve.result import Resolution

__all__ = ["Gone", "Update", "commit_entities", "draw_again", "refresh"]

_TEXT = pa.string()
_FEW = 100
"""Names that are given as parameters."""


@dataclass
class Update:
    """What an update did."""

    n_added: int = 0
    n_changed: int = 0
    n_same: int = 0
    n_retracted: int = 0
    n_touched: int = 0
    is_refreshed: bool = False
    changes: dict[str, int] = field(default_factory=dict)
    """How many changes of each kind."""
    n_records: int = 0
    n_entities: int = 0
    run: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        return {
            "run": self.run,
            "added": self.n_added,
            "changed": self.n_changed,
            "unchanged": self.n_same,
            "retracted": self.n_retracted,
            "touched": self.n_touched,
            "resolved_anew": self.is_refreshed,
            "changes": self.changes,
            "records": self.n_records,
            "entities": self.n_entities,
            "seconds": round(self.seconds, 3),
            "notes": self.notes,
        }


@dataclass(frozen=True)
class Gone:
    """Records that are taken away."""

    entity: Mapping[int, str]
    """Where each was."""
    source: Mapping[int, str]
    id: Mapping[int, str]
    retracted: NDArray[np.int64]
    """Those that nothing takes the place of."""

    @classmethod
    def read(cls, base: KnowledgeBase, gone: NDArray[np.int64], retracted: NDArray[np.int64]) -> "Gone":
        """Read where records are before they go."""
        sql = "SELECT record, entity, source, id FROM memberships SEMI JOIN gone USING (record)"
        rows = base.query(sql, None, {"gone": pa.table({"record": gone})}).to_pylist()
        entity, source, ids = ({row["record"]: row[name] for row in rows} for name in ("entity", "source", "id"))
        return cls(entity, source, ids, retracted)


def commit_entities(
    world: World,
    found: Resampled,
    gone: Gone,
    inherited: Mapping[int, str],
    update: Update,
    reason: str,
    *,
    before: Sequence[str | None] | None = None,
) -> None:
    """Write what was drawn anew.

    Parameters
    ----------
    inherited
        By number, the entity of the record whose place a new one takes.
    before
        Where something is taken back: for each record the entity that it was in before that.
    """
    base, numbers = world.base, world.records[found.records]
    update.n_touched = len(numbers)
    here, tables = base.among("record", numbers)
    rows = base.query(f"FROM memberships WHERE {here} ORDER BY record", None, tables)
    labels = Clustering.from_labels(found.labels).labels
    identified = _identify(base, rows, labels, found.probability, inherited, before)
    keep_former(base, rows, update.run)
    base.change(f"DELETE FROM memberships WHERE {here}", None, tables)  # noqa: S608 (numbers)
    names = pa.array(identified.names, _TEXT).take(pa.array(labels))
    base.append("memberships", _with(rows, names, found.probability))
    _note(base, identified, rows, gone, update, reason)
    _write_entities(world, found, labels, identified, rows, gone)
    write_draws(world, found)


def draw_again(world: World, seeds: NDArray[np.int64], judged: Judged) -> Resampled:
    """Draw what is tied to some records anew, or lay judgements over what the model drew."""
    if world.memory.is_own:
        return redraw(world, tied(world, seeds, judged), judged)
    inside = world.with_company(touched_by(world.n, world.edges, seeds, judged))
    return world.resample(inside, judged)


def write_draws(world: World, found: Resampled) -> None:
    """Write the pairs and the samples of what was drawn anew."""
    numbers = world.records[found.records]
    _write_pairs(world, found)
    here, tables = world.base.among("record", numbers)
    world.base.change(f"DELETE FROM samples WHERE {here}", None, tables)  # noqa: S608 (numbers)
    world.base.append("samples", samples_table(numbers, world.records[found.roots], in_doubt(found.roots)))


def _with(rows: pa.Table, entity: pa.Array, probability: NDArray[np.float64]) -> pa.Table:
    return rows.set_column(3, "entity", entity).set_column(4, "probability", pa.array(probability))


def _identify(
    base: KnowledgeBase,
    rows: pa.Table,
    labels: NDArray[np.int64],
    probability: NDArray[np.float64],
    inherited: Mapping[int, str],
    before: Sequence[str | None] | None = None,
) -> Identified:
    old = [
        name or inherited.get(number)
        for number, name in zip(rows["record"].to_pylist(), rows["entity"].to_pylist(), strict=True)
    ]
    former = _former(base, rows["record"].to_numpy())
    identified = keep_ids(old, labels, probability, int(base.meta("next_entity") or 0), former, before)
    base.set_meta("next_entity", identified.next_number)
    return identified


def _former(base: KnowledgeBase, numbers: NDArray[np.int64]) -> list[Former]:
    """Return the aliases that had some of these records (ascending)."""
    found = []
    for alias, entity, records in base.rows("SELECT alias, entity, records FROM aliases"):
        place = np.searchsorted(numbers, records)
        there = place[(place < len(numbers)) & (numbers[np.minimum(place, len(numbers) - 1)] == records)]
        if len(there):
            found.append(Former(str(alias), str(entity), there))
    return found


def _note(base: KnowledgeBase, identified: Identified, rows: pa.Table, gone: Gone, update: Update, reason: str) -> None:
    """Tell what became of entities, and keep ids that are no more as aliases."""
    source, ids = rows["source"].to_pylist(), rows["id"].to_pylist()
    changes = list(identified.changes)
    for number in gone.retracted.tolist():
        changes.append(Change("retracted", gone.entity[number], None, len(ids)))
        source.append(gone.source[number])
        ids.append(gone.id[number])
    note_changes(base, changes, update.run, reason, source, ids)
    for change in changes:
        update.changes[change.kind] = update.changes.get(change.kind, 0) + 1
    for name in identified.revived:
        base.change("DELETE FROM aliases WHERE alias = ?", [name])
    if identified.aliases:
        alias, entity = (pa.array(list(part), _TEXT) for part in zip(*identified.aliases.items(), strict=True))
        had: dict[str, list[int]] = {name: [] for name in identified.aliases}
        for number, name in zip(rows["record"].to_pylist(), rows["entity"].to_pylist(), strict=True):
            if name in had:
                had[name].append(number)
        records = pa.array(had.values(), pa.list_(pa.int64()))
        run = np.full(len(alias), update.run)
        table = pa.table({"alias": alias, "entity": entity, "run": run, "records": records})
        base.change(
            "UPDATE aliases SET entity = now.entity FROM now WHERE aliases.entity = now.alias", None, {"now": table}
        )
        base.append("aliases", table)


def _write_entities(
    world: World,
    found: Resampled,
    labels: NDArray[np.int64],
    identified: Identified,
    rows: pa.Table,
    gone: Gone,
) -> None:
    """Write the entities touched, and take away those that are no more."""
    base = world.base
    before = {*rows["entity"].to_pylist(), *gone.entity.values()} - {""}
    old = pa.table({"entity": pa.array(sorted(before), _TEXT)})
    if len(old) <= _FEW:
        base.change(f"DELETE FROM entities WHERE entity IN ({', '.join('?' * len(old))})", sorted(before))  # noqa: S608
    else:
        base.change("DELETE FROM entities USING old WHERE entities.entity = old.entity", None, {"old": old})
    if not len(labels):
        return
    clustering = Clustering(labels, len(identified.names))
    table = record_table(base, world.records[found.records])
    fields = [
        _bare(spec.name, spec.kind, spec.columns, codes[found.records])
        for spec, codes in zip(world.memory.fields, world.codes, strict=True)
    ]
    config = stored_config(stored_job(base))
    canonical = canonical_rows(table, fields, clustering, found.probability, identified, config)
    base.append("entities", entity_rows(base, canonical))


def canonical_rows(
    table: pa.Table,
    fields: Sequence[FieldData],
    clustering: Clustering,
    probability: NDArray[np.float64],
    identified: Identified,
    config: ResolveConfig,
) -> pa.Table:
    """Return a row for each entity: its id, size, least probability, fullest record, and a canonical record."""
    least = np.ones(clustering.n_entities)
    np.minimum.at(least, clustering.labels, probability)
    fullest = fullest_records(fields, clustering)
    values = table.drop_columns(["id"])
    canonical = canonical_table(values, fields, clustering, fullest, golden=config.golden, source=config.source)
    first = {
        "entity": pa.array(identified.names, _TEXT),
        "size": pa.array(clustering.sizes),
        "probability": pa.array(least),
        "record": table["id"].take(pa.array(fullest)),
    }
    # Names may repeat those of the first columns: what they are stored by is told apart later.
    return pa.Table.from_arrays(
        [*first.values(), *canonical.columns], names=[*first, *(f"{i}" for i in range(canonical.num_columns))]
    )


def _bare(name: str, kind: str, columns: tuple[str, ...], codes: NDArray[np.int32]) -> FieldData:
    """Return a field of which nothing but the codes is of use."""
    none = np.zeros(0, dtype=np.int64)
    return FieldData(name, kind, "", columns, [], [], codes, none, KINDS["category"].prepare([], none))


def _write_pairs(world: World, found: Resampled) -> None:
    base, numbers = world.base, world.records[found.records]
    (one, tables), (other, _) = (base.among(side, numbers) for side in ("a", "b"))
    base.change(f"DELETE FROM edges WHERE {one} AND {other}", None, tables)  # noqa: S608 (numbers)
    world.edges.probability[found.edges] = found.together
    here = np.zeros(world.n, dtype=np.bool_)
    here[found.records] = True
    base.append("edges", world.edge_table(np.flatnonzero(here[world.edges.a] & here[world.edges.b])))


def refresh(
    base: KnowledgeBase,
    gone: Gone,
    inherited: Mapping[int, str],
    update: Update,
    progress: Progress = SILENT,
    *,
    labels: Sequence[str | None] | None = None,
) -> None:
    """Resolve all records anew, ids kept; with labels of some, weights are learnt from these.

    Judgements are then heeded where they are.
    """
    config = stored_config(stored_job(base))
    table = record_table(base)
    if labels is not None:
        taken = set(table.column_names)
        column = next(name for name in ("label", *(f"label {i}" for i in range(len(taken)))) if name not in taken)
        table = table.append_column(column, pa.array(labels, _TEXT))
        config = replace(config, labels=column, weights=None)
    rows = base.query("FROM memberships ORDER BY record")
    numbers = rows["record"].to_numpy()
    exclude = [*config.exclude, *([] if config.truth is None else [config.truth])]
    config = replace(config, id="id", exclude=tuple(name for name in exclude if name in table.column_names))
    resolution = resolve(table, replace(config, truth=None, partitions=None, documents=None), progress=progress)
    if labels is not None:
        table = table.drop_columns([column])
    store_fit(base, resolution, numbers, rules=bool(config.also_compare))
    clustering, probability = _heeding(base, resolution)
    identified = _identify(base, rows, clustering.labels, probability, inherited)
    names = pa.array(identified.names, _TEXT).take(pa.array(clustering.labels))
    keep_former(base, None, update.run)
    base.change("DELETE FROM memberships")
    base.append("memberships", _with(rows, names, probability))
    canonical = canonical_rows(table, resolution.fields.fields, clustering, probability, identified, config)
    base.replace("entities", entity_rows(base, canonical))
    update.n_touched = len(table)
    _note(base, identified, rows, gone, update, "all records resolved anew")


def _heeding(base: KnowledgeBase, resolution: Resolution) -> tuple[Clustering, NDArray[np.float64]]:
    """Return the entities of all records and how sure each place is, judgements heeded."""
    clustering, probability = resolution.clustering, resolution.probability
    if resolution.posterior is None or not base.value("SELECT count(*) FROM judgement_current"):
        return clustering, probability
    world = load_world(base)
    judged = world.judged()
    world.weigh_judged(judged)
    found = draw_again(world, np.unique(judged.pairs()), judged)
    write_draws(world, found)
    labels, probability = clustering.labels.astype(np.int64), probability.copy()
    labels[found.records] = found.labels + len(labels)
    probability[found.records] = found.probability
    return Clustering.from_labels(labels), probability
