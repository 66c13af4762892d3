"""Next week's file: records are added, changed and retracted; only what they touch is resolved again."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.fingerprints import row_fingerprints
from onoma.corpus.formats import read_rows
from onoma.corpus.readers.table import read_table
from onoma.corpus.records import alike
from onoma.errors import DataError, SettingsError
from onoma.kb.ask.past import keep_former
from onoma.kb.commit import Gone, Update, commit_entities, refresh
from onoma.kb.database import KnowledgeBase, write_knowledge_base
from onoma.kb.incremental import OutgrownError, Resampled, near_pairs, touched_by
from onoma.kb.memory import Written, write_values
from onoma.kb.own.redraw import redraw, tied
from onoma.kb.own.refit import refit, why_whole
from onoma.kb.store import Run, append_records, append_segment, append_values, codes_table, note_run
from onoma.kb.world import World, load_world, stored_config, stored_job, stored_memory
from onoma.progress import SILENT, Progress
from onoma.resolve.blocking.index import FieldIndex, Segment, feature_ids, find_neighbours
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.contexts import CONTEXT, with_contexts
from onoma.resolve.fields.rows import identified
from onoma.resolve.posterior.judgements import Judged

__all__ = [
    "Incoming",
    "Plan",
    "Update",
    "as_incoming",
    "note_update",
    "plan_update",
    "read_incoming",
    "read_retractions",
    "take_in",
    "update_in",
    "update_knowledge_base",
    "why_anew",
]

GROWTH, ENOUGH, LARGE_GROWTH = 0.5, 5_000, 3.0
"""When there are so many more records than the weights were learnt from, they are learnt again.

Weights are a few hundred numbers: those of some thousand records are as good as those of many more, so that then only a
much larger table is worth it.
"""
_BESIDE = 500
_TOGETHER = ("date", "set")
"""Kinds whose values are read in the light of each other: which part of a date is the month, what parts a list."""


@dataclass(frozen=True, eq=False)
class Incoming:
    """Records to add, with their sources and ids."""

    table: pa.Table
    """Ids are in the column `id`."""
    source: list[str]


def read_incoming(
    base: KnowledgeBase,
    files: Sequence[Path],
    update: Update,
    *,
    id: str | None = None,
    documents: Path | None = None,
    on_error: str = "stop",
) -> list[Incoming]:
    """Read files of new records as those of the knowledge base were read; what could not be read is kept and told."""
    found, rejects = [], []
    encoding = stored_config(stored_job(base)).encoding
    for path in files:
        read = read_rows(path, on_error=on_error, encoding=encoding)
        update.notes += read.notes
        if read.rejects is not None and len(read.rejects):
            update.notes.append(f"{path}: {len(read.rejects):,} rows could not be read; they are in the table rejects")
            rejects.append(read.rejects)
        found.append(as_incoming(base, read.table, id=id, name=path.name.split(".")[0], documents=documents))
    for each in rejects:
        if base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'rejects'"):
            base.append("rejects", each)
        else:
            base.replace("rejects", each)
    return found


def as_incoming(
    base: KnowledgeBase, table: pa.Table, *, id: str | None = None, name: str = "", documents: Path | None = None
) -> Incoming:
    """Return a table as new records; `name` is its source where sources are files, `documents` its texts."""
    job = stored_job(base)
    config = stored_config(job)
    table = _in_context(base, _as_parsed(base, _as_mapped(table, config), config), config, documents)
    column = config.source
    if column and column not in table.column_names:
        if not job.get("several"):
            raise DataError(f"there is no column {column!r}, which says where a record comes from")
        table = table.append_column(column, pa.array([name] * len(table), pa.string()))
    sources = None if not column else table[column].cast(pa.string())
    wanted = id or (config.id if config.id in table.column_names else None)
    table, note = identified(table, wanted, sources)
    if note.startswith("no column of ids"):
        raise DataError(
            "the new records have no ids, so that it cannot be said which of them are there already",
            hint="Name the column of ids: --id COLUMN.",
        )
    source = [""] * len(table) if sources is None else [each or "" for each in sources.to_pylist()]
    return Incoming(table, source)


def _as_mapped(table: pa.Table, config: ResolveConfig) -> pa.Table:
    """Return a table whose columns are called as those of the knowledge base, as far as its job says so."""
    others = {other: name for name, other in config.map.items() if name not in table.column_names}
    return table.rename_columns([others.get(name, name) for name in table.column_names])


def _as_parsed(base: KnowledgeBase, table: pa.Table, config: ResolveConfig) -> pa.Table:
    """Return records with the fields of raw texts, where those of the knowledge base were parsed."""
    if not config.parse:
        return table
    from onoma.extract.columns import parse_more

    return parse_more(table, config.parse, {str(name) for (name,) in base.rows("SELECT name FROM columns")})


def _in_context(base: KnowledgeBase, table: pa.Table, config: ResolveConfig, documents: Path | None) -> pa.Table:
    """Return mentions with the words around them, where those of the knowledge base have such from documents."""
    if config.documents is None:
        if documents is not None:
            raise SettingsError("the records of this knowledge base stand in no documents; leave out --documents")
        return table
    if CONTEXT in table.column_names:
        return table
    path = documents or Path(config.documents)
    if not path.exists():
        raise DataError(
            f"the mentions of this knowledge base stand in documents, and {path} is not there",
            file=base.path,
            hint="Name the texts that the new ones stand in: --documents FILE.",
        )
    return with_contexts(table, read_table(path, encoding=config.encoding).table)


def read_retractions(path: Path, id: str | None = None) -> pa.Table:
    """Read which records to retract: the column of ids, and `source` if it is there."""
    table = read_table(path).table
    name = id if id in table.column_names else "id" if "id" in table.column_names else table.column_names[0]
    ids = table[name].cast(pa.string())
    there = table["source"].cast(pa.string()) if "source" in table.column_names else pa.nulls(len(ids), pa.string())
    return pa.table({"id": ids, "source": there})


def update_knowledge_base(
    path: Path,
    tables: Sequence[Path | pa.Table] = (),
    *,
    retract: pa.Table | None = None,
    id: str | None = None,
    documents: Path | None = None,
    on_error: str = "stop",
    command: str = "",
    progress: Progress = SILENT,
) -> Update:
    """Add, change and retract records; the file is as before if anything fails.

    Parameters
    ----------
    path
        The knowledge base.
    tables
        New records, or files of them. One whose id and content are there already is passed over; one whose id is
        there with other content takes the place of that.
    documents
        The texts that new mentions stand in, where the first ones had such; default, the same file.
    retract
        Records to take away: a column `id`, and `source` where ids are not unique without (null: any).
    """
    begun = time.perf_counter()
    with write_knowledge_base(path) as base, progress.task("updating") as task:
        update = Update(run=1 + int(base.value("SELECT max(run) FROM runs")))
        files = [each for each in tables if isinstance(each, Path)]
        incoming = read_incoming(base, files, update, id=id, documents=documents, on_error=on_error)
        given = [each for each in tables if not isinstance(each, Path)]
        for i, table in enumerate(given, 1):
            incoming.append(as_incoming(base, table, id=id, name=f"table {i}", documents=documents))
        plan = plan_update(base, incoming, retract, update)
        if plan.is_empty:
            update.notes.append("nothing is new: the knowledge base was left as it is")
        else:
            _apply(base, plan, update, progress)
            task.advance(1)
        update.n_records, update.n_entities = base.rows("SELECT count(*), count(DISTINCT entity) FROM memberships")[0]
        update.seconds = time.perf_counter() - begun
        if not plan.is_empty:
            note_update(base, update, command)
    return update


def update_in(
    base: KnowledgeBase,
    *,
    tables: Sequence[pa.Table] = (),
    retract: pa.Table | None = None,
    begun: float,
    command: str = "",
) -> Update:
    """Add, change and retract records of a knowledge base that is open to be changed."""
    update = Update(run=1 + int(base.value("SELECT max(run) FROM runs")))
    plan = plan_update(base, [as_incoming(base, table) for table in tables], retract, update)
    if plan.is_empty:
        update.notes.append("nothing is new: the knowledge base was left as it is")
        return update
    _apply(base, plan, update, SILENT)
    update.n_records, update.n_entities = base.rows("SELECT count(*), count(DISTINCT entity) FROM memberships")[0]
    update.seconds = time.perf_counter() - begun
    note_update(base, update, command)
    return update


def note_update(base: KnowledgeBase, update: Update, command: str) -> None:
    """Tell of an update in the table of runs."""
    counts = {name: getattr(update, name) for name in ("n_added", "n_changed", "n_retracted", "n_touched")}
    run = Run(update.run, "refresh" if update.is_refreshed else "update", command, **counts)
    about = {"rows": update.n_records, "entities": update.n_entities}
    note_run(base, run, update.seconds, about)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done."""

    table: pa.Table | None
    """New and changed records."""
    source: list[str]
    replaced: list[int | None]
    """For each of them the number of the record whose place it takes."""
    gone: NDArray[np.int64]
    """Numbers of all records that go: replaced and retracted."""
    retracted: NDArray[np.int64]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return self.table is None and not len(self.gone)


def plan_update(base: KnowledgeBase, incoming: Sequence[Incoming], retract: pa.Table | None, update: Update) -> Plan:
    """Say what is new, changed, the same as before, and to go."""
    tables, source, replaced = [], [], []
    for each in incoming:
        same, old = _known(base, each)
        fresh = [i for i in range(len(each.table)) if i not in same]
        update.n_same += len(same)
        update.n_changed += sum(i in old for i in fresh)
        update.n_added += sum(i not in old for i in fresh)
        if fresh:
            tables.append(each.table.take(pa.array(fresh)))
            source += [each.source[i] for i in fresh]
            replaced += [old.get(i) for i in fresh]
    retracted = np.zeros(0, dtype=np.int64) if retract is None else _retracted(base, retract, update)
    table = pa.concat_tables(alike(tables), promote_options="permissive") if tables else None
    _check_once(source, table)
    gone = np.union1d(retracted, np.array([number for number in replaced if number is not None], dtype=np.int64))
    return Plan(table, source, replaced, gone, retracted)


def _known(base: KnowledgeBase, incoming: Incoming) -> tuple[set[int], dict[int, int]]:
    """Return which rows are there already as they are, and the record of each whose id is there."""
    content = row_fingerprints(incoming.table)
    if len(content) == 1:
        rows = base.rows(
            """SELECT m.record, r.onoma_content FROM memberships m JOIN records r ON r.onoma_record = m.record
            WHERE m.id = ? AND m.source = ?""",
            [str(incoming.table["id"][0]), incoming.source[0]],
        )
        same = {0} if any(known == int(content[0]) for _, known in rows) else set()
        return same, {0: int(rows[-1][0])} if rows else {}
    keys = pa.table(
        {
            "place": np.arange(len(incoming.table)),
            "source": pa.array(incoming.source, pa.string()),
            "id": incoming.table["id"],
            "content": pa.array(content, pa.uint64()),
        }
    )
    found = base.query(
        """SELECT k.place, m.record, r.onoma_content = k.content AS same FROM keys k
        JOIN memberships m ON (m.source, m.id) = (k.source, k.id)
        JOIN records r ON r.onoma_record = m.record""",
        None,
        {"keys": keys},
    )
    same = set(found.filter(found["same"])["place"].to_pylist())
    return same, dict(zip(found["place"].to_pylist(), found["record"].to_pylist(), strict=True))


def _check_once(source: Sequence[str], table: pa.Table | None) -> None:
    if table is None:
        return
    keys = list(zip(source, table["id"].to_pylist(), strict=True))
    if len(set(keys)) < len(keys):
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise DataError(f"the record {twice[1]!r} stands twice among the new ones")


def _retracted(base: KnowledgeBase, retract: pa.Table, update: Update) -> NDArray[np.int64]:
    found = base.query(
        """SELECT DISTINCT m.record, k.id FROM keys k JOIN memberships m
        ON m.id = k.id AND (k.source IS NULL OR k.source = m.source)""",
        None,
        {"keys": retract},
    )
    unknown = len(set(retract["id"].to_pylist()) - set(found["id"].to_pylist()))
    if unknown:
        update.notes.append(f"{unknown:,} of the ids to retract are not there")
    update.n_retracted = len(found)
    return np.sort(found["record"].to_numpy())


def _apply(base: KnowledgeBase, plan: Plan, update: Update, progress: Progress) -> None:
    gone = Gone.read(base, plan.gone, plan.retracted)
    numbers = take_in(base, plan, update)
    inherited = {
        int(number): gone.entity[old] for number, old in zip(numbers, plan.replaced, strict=True) if old is not None
    }
    why = why_anew(base) or _try_touching(base, plan, numbers, gone, inherited, update)
    if why:
        update.notes.append(f"all records are resolved anew: {why}")
        update.is_refreshed = True
        refresh(base, gone, inherited, update, progress)


def _try_touching(
    base: KnowledgeBase,
    plan: Plan,
    numbers: NDArray[np.int64],
    gone: Gone,
    inherited: dict[int, str],
    update: Update,
) -> str:
    """Resolve again what is touched; return why that cannot be done, if it cannot."""
    try:
        found, world = _touch(base, plan, numbers)
    except OutgrownError as error:
        return str(error)
    commit_entities(world, found, gone, inherited, update, "new, changed or retracted records")
    return ""


def why_anew(base: KnowledgeBase, *, more: int = 0) -> str:
    """Say why new records cannot just be added; empty if they can. `more`: how many are not taken in yet."""
    if not base.blob("memory"):
        return "nothing was learnt before"
    memory = stored_memory(base)
    n = int(base.value("SELECT count(*) FROM memberships")) + more
    growth = GROWTH if memory.n_records < ENOUGH else LARGE_GROWTH
    if (memory.is_own or not memory.why_not) and n > (1 + growth) * memory.n_records:
        return f"there are {n:,} records, and what agreement weighs was learnt from {memory.n_records:,}"
    return "" if memory.is_own else memory.why_not


def take_in(base: KnowledgeBase, plan: Plan, update: Update) -> NDArray[np.int64]:
    """Keep the new records, in no entity yet, and take away those that go; return the numbers of the new."""
    if len(plan.gone):
        here, tables = base.among("onoma_record", plan.gone)
        base.change(f"UPDATE records SET onoma_retracted = {update.run} WHERE {here}", None, tables)  # noqa: S608
        here, tables = base.among("record", plan.gone)
        keep_former(base, base.query(f"FROM memberships WHERE {here}", None, tables), update.run)
        base.change(f"DELETE FROM memberships WHERE {here}", None, tables)  # noqa: S608
    if plan.table is None:
        return np.zeros(0, dtype=np.int64)
    first = int(base.meta("next_record") or 0)
    numbers = np.arange(first, first + len(plan.table))
    known = {str(name) for (name,) in base.rows("SELECT name FROM columns")}
    append_records(base, plan.table, numbers, plan.source, run=update.run)
    update.notes += [
        f"the column {name!r} is new: it is kept with the records and not compared; resolving all anew may compare it"
        for name in plan.table.column_names
        if name not in known
    ]
    base.set_meta("next_record", first + len(numbers))
    nobody = pa.array([""] * len(numbers), pa.string())
    rows = {"record": numbers, "source": pa.array(plan.source, pa.string()), "id": plan.table["id"], "entity": nobody}
    base.append("memberships", pa.table(rows | {"probability": np.zeros(len(numbers))}))
    return numbers


def _touch(base: KnowledgeBase, plan: Plan, numbers: NDArray[np.int64]) -> tuple[Resampled, World]:
    """Resolve again what the new records and those that go touch."""
    world = load_world(base)
    if world.memory.is_own:
        return _touch_own(world, plan, numbers), world
    orphans = world.drop(plan.gone)
    segments = _take_in_values(world, plan.table, numbers)
    judged = world.judged()
    new = world.weigh(*_candidates(world, segments, judged, len(numbers)))
    near = near_pairs(world.n, world.edges, new, world.weights)
    first = world.n - len(numbers)
    seeds = np.concatenate([np.arange(first, world.n), new.a[near], new.b[near], orphans]).astype(np.int64)
    world.add_edges(new)
    inside = world.with_company(touched_by(world.n, world.edges, np.unique(seeds), judged))
    return world.resample(inside, judged), world


def _touch_own(world: World, plan: Plan, numbers: NDArray[np.int64]) -> Resampled:
    """Let the model resolve again what the new records and those that go touch."""
    why = why_whole(world)
    if why:
        raise OutgrownError(why)
    orphans = world.drop(plan.gone)
    segments = _take_in_values(world, plan.table, numbers)
    judged = world.judged()
    a, b = _candidates(world, segments, judged, len(numbers))
    seeds = np.unique(np.concatenate([np.arange(world.n - len(numbers), world.n), a, b, orphans]).astype(np.int64))
    touched = refit(world, tied(world, seeds, judged))
    world.weigh_judged(judged)
    return redraw(world, tied(world, np.flatnonzero(touched), judged), judged)


def _take_in_values(world: World, table: pa.Table | None, numbers: NDArray[np.int64]) -> list[Segment]:
    """Give the values of new records their codes; return the features of all values."""
    if table is None:
        return []
    segments = world.segments()
    for f, spec in enumerate(world.memory.fields):
        name = spec.columns[0]
        column = table[name] if name in table.column_names else pa.chunked_array([pa.nulls(len(table), pa.string())])
        written = write_values(spec, column, _beside(world, f) if spec.kind in _TOGETHER else [])
        segments[f] = _take_in_field(world, f, written, segments[f])
    world.records = np.concatenate([world.records, numbers])
    world.base.append("codes", codes_table(numbers, [codes[-len(numbers) :] for codes in world.codes]))
    return segments


def _beside(world: World, f: int) -> list[str]:
    """Return some values of a field as they came."""
    rows = world.base.rows("SELECT example FROM field_values WHERE field = ? AND code < ?", [f, _BESIDE])
    return [str(example) for (example,) in rows]


def _take_in_field(world: World, f: int, written: Written, segment: Segment) -> Segment:
    wanted = pa.table({"place": np.arange(len(written.values)), "value": pa.array(written.values, pa.string())})
    found = world.base.query(
        "SELECT w.place, v.code FROM field_values v JOIN wanted w ON v.value = w.value WHERE v.field = ?",
        [f],
        {"wanted": wanted},
    )
    code = np.full(len(written.values) + 1, -1, dtype=np.int32)  # the last is where -1 points
    code[found["place"].to_numpy()] = found["code"].to_numpy()
    new = np.flatnonzero(code[:-1] < 0)
    code[new] = world.n_values[f] + np.arange(len(new), dtype=np.int32)
    if len(new):
        values = [written.values[i] for i in new.tolist()]
        append_values(world.base, f, world.n_values[f], values, [written.examples[i] for i in new.tolist()])
        features = world.memory.fields[f].made.prepare(values, np.ones(len(values), np.int64)).features()
        ids = feature_ids(features)[features.ids]
        append_segment(world.base, f, world.n_values[f], features.offsets, ids)
        offsets = np.concatenate([segment.offsets, features.offsets[1:] + segment.offsets[-1]])
        segment = Segment(offsets, np.concatenate([segment.ids, ids]))
        world.n_values[f] += len(new)
    world.codes[f] = np.concatenate([world.codes[f], code[written.codes]])
    return segment


def _candidates(
    world: World, segments: Sequence[Segment], judged: Judged, n_new: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of new records to weigh: with their nearest others, and those that were judged."""
    if n_new == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    fields = [
        FieldIndex(spec.kind, codes, segment)
        for spec, codes, segment in zip(world.memory.fields, world.codes, segments, strict=True)
    ]
    first = world.n - n_new
    a, b = find_neighbours(fields, first, settings=world.memory.blocking)
    said = np.sort(judged.pairs(), axis=1)
    said = said[said[:, 1] >= first]
    keys = np.union1d(a.astype(np.int64) * world.n + b, said[:, 0] * world.n + said[:, 1])
    return keys // world.n, keys % world.n
