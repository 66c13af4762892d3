"""What was read and grouped, into a knowledge base: a new one, or one that is there already."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.kb.database import KnowledgeBase
from onoma.kb.identity import Change, keep_ids
from onoma.kb.store import append_records, note_changes
from onoma.kb.texts import TEXT_TABLES
from onoma.pipeline.building.names import fullest, gender_of
from onoma.pipeline.building.reading import Read

__all__ = [
    "Member",
    "Place",
    "append_reads",
    "current_places",
    "members_of",
    "retract_documents",
    "store_entities",
]

_TEXT = pa.string()


@dataclass
class Member:
    """A record and where it is."""

    number: int
    id: str
    name: str
    type: str
    names: Sequence[str]
    document: str
    mentions: int
    context: str
    entity: str | None = None
    """None: it is new."""
    probability: float = 1.0
    entry: str | None = None
    """The entry of the entity list that it was linked to."""
    candidates: list[tuple[str, float]] = field(default_factory=list)
    gender: str = ""
    """As its pronouns and titles say: `m`, `f` or nothing."""

    def as_row(self) -> dict[str, Any]:
        """Return what groups records."""
        told = ("name", "context", "document", "type", "gender")
        return {name: getattr(self, name) for name in told}


class Place(NamedTuple):
    """Where a record is, without all else that is known of it."""

    name: str
    document: str
    entity: str


def current_places(base: KnowledgeBase) -> list[Place]:
    """Return where all records are, in the order of their numbers."""
    rows = base.rows(
        """SELECT r.name, r.document, m.entity FROM records r JOIN memberships m ON m.record = r.onoma_record
        ORDER BY r.onoma_record"""
    )
    return [Place(*row) for row in rows]


def members_of(base: KnowledgeBase, entities: Iterable[str]) -> list[Member]:
    """Return the records of some entities, in the order of their numbers."""
    wanted = {"wanted": pa.table({"entity": pa.array(sorted(entities), _TEXT)})}
    mine = "memberships m JOIN wanted USING (entity)"
    rows = base.query(
        f"""SELECT r.onoma_record, r.id, r.name, r.type, r.names, r.document, r.mentions, c.context, m.entity,
            m.probability
        FROM {mine} JOIN records r ON m.record = r.onoma_record JOIN contexts c ON c.id = r.id
        ORDER BY r.onoma_record""",  # noqa: S608 (our own words)
        None,
        wanted,
    )
    links = base.query(
        f"SELECT id, entry, l.probability FROM {mine} JOIN links l USING (id) ORDER BY id, rank",  # noqa: S608
        None,
        wanted,
    )
    said = base.query(
        f"SELECT chain, kind, text FROM {mine} JOIN mentions t ON t.chain = m.id WHERE kind != 'nominal'",  # noqa: S608
        None,
        wanted,
    )
    candidates, told = _by_first(links), _by_first(said)
    members = []
    for number, key, name, kind, names, document, mentions, context, entity, p in _tuples(rows):
        member = Member(number, key, name, kind, names.split(" | "), document, mentions, context, entity, p)
        member.candidates = candidates.get(key, [])
        member.gender = gender_of(told.get(key, ()))
        members.append(member)
    return members


def _tuples(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _by_first(table: pa.Table) -> dict[str, list[Any]]:
    """Return what rows say after their first column, by that."""
    found: dict[str, list[Any]] = {}
    for key, *rest in _tuples(table):
        found.setdefault(key, []).append(tuple(rest))
    return found


def append_reads(base: KnowledgeBase, reads: Iterable[tuple[str, Read]], *, run: int, first: int) -> list[Member]:
    """Keep documents with all that was read in them; return their records, numbered from the first."""
    found: list[Member] = []
    batch: list[tuple[str, Read]] = []
    for each in reads:
        batch.append(each)
        if len(batch) >= 200:
            found += _append(base, batch, run, first + len(found))
            batch = []
    return found + (_append(base, batch, run, first + len(found)) if batch or not found else [])


def _append(base: KnowledgeBase, reads: Sequence[tuple[str, Read]], run: int, first: int) -> list[Member]:
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TEXT_TABLES}
    records: list[dict[str, Any]] = []
    members: list[Member] = []
    for mark, read in reads:
        rows["documents"].append({**read.document, "fingerprint": mark, "run": run})
        rows["sentences"] += read.sentences
        rows["mentions"] += read.mentions
        rows["statements"] += read.paths
        places = {row["sentence"]: row for row in read.sentences}
        said: dict[str, list[tuple[str, str]]] = {}
        for row in read.mentions:
            said.setdefault(row["chain"], []).append((row["kind"], row["text"]))
        for row in read.records:
            rows["contexts"].append({"id": row["id"], "context": row["context"]})
            place = places[row["sentence"]]
            sentence = " ".join(str(read.document["text"])[place["start"] : place["end"]].split())
            records.append({**_record_row(row), "sentence": sentence})
            members.append(_member(row, first + len(members)))
            members[-1].gender = gender_of(said.get(row["id"], ()))
    for name, some in rows.items():
        if some:
            base.append(name, pa.Table.from_pylist(some))
    table = pa.Table.from_pylist(records, schema=_RECORDS)
    numbers = np.arange(first, first + len(members))
    append_records(base, table, numbers, [""] * len(members), run=run)
    return members


_RECORDS = pa.schema(
    [(name, pa.int64() if name == "mentions" else _TEXT) for name in ("id", "name", "type", "names", "document")]
    + [("mentions", pa.int64()), ("sentence", _TEXT)]
)


def _record_row(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in ("id", "name", "type", "document", "mentions")}
    return kept | {"names": " | ".join(row["names"])}


def _member(row: Mapping[str, Any], number: int) -> Member:
    names = ("id", "name", "type", "names", "document", "mentions", "context")
    return Member(number, *(row[name] for name in names))


def retract_documents(base: KnowledgeBase, documents: Sequence[str], *, run: int) -> list[str]:
    """Take away documents whose text has changed, with their records; return the entity of each record that went."""
    gone = {"gone": pa.table({"document": pa.array(documents, _TEXT)})}
    rows = base.query(
        """SELECT m.entity, m.id FROM memberships m JOIN records r ON r.onoma_record = m.record
        JOIN gone USING (document) WHERE r.onoma_retracted IS NULL ORDER BY m.record""",
        None,
        gone,
    ).to_pylist()
    note_changes(
        base,
        [Change("retracted", row["entity"], None, k) for k, row in enumerate(rows)],
        run,
        "its document has changed",
        [""] * len(rows),
        [row["id"] for row in rows],
    )
    base.change(
        f"""UPDATE records SET onoma_retracted = {run} FROM gone
        WHERE records.document = gone.document AND onoma_retracted IS NULL""",  # noqa: S608 (a number)
        None,
        gone,
    )
    mine = "(SELECT onoma_record FROM records WHERE onoma_retracted IS NOT NULL)"
    for name in ("contexts", "links"):
        base.change(f"DELETE FROM {name} WHERE id IN (SELECT id FROM memberships WHERE record IN {mine})")  # noqa: S608
    base.change(f"DELETE FROM memberships WHERE record IN {mine}")  # noqa: S608
    for name in ("documents", "sentences", "mentions", "statements"):
        base.change(f"DELETE FROM {name} USING gone WHERE {name}.document = gone.document", None, gone)  # noqa: S608
    entities = [str(row["entity"]) for row in rows]
    base.change(
        "DELETE FROM entities USING parted WHERE entities.entity = parted.entity",
        None,
        {"parted": pa.table({"entity": pa.array(sorted(set(entities)), _TEXT)})},
    )
    return entities


def store_entities(
    base: KnowledgeBase, members: Sequence[Member], labels: NDArray[np.int64], *, run: int, reason: str
) -> int:
    """Give records their entities, all of whose records are here; keep ids; return how many changes there were.

    Parameters
    ----------
    members
        The records, with their entities before and the probability that they belong to those after.
    labels
        Their new entities.
    """
    if not members:
        return 0
    probability = np.array([each.probability for each in members])
    old = [each.entity for each in members]
    identified = keep_ids(old, labels, probability, int(base.meta("next_entity") or 0))
    base.set_meta("next_entity", identified.next_number)
    names = [identified.names[label] for label in labels.tolist()]
    _note_aliases(base, members, identified.aliases, run)
    ids = [each.id for each in members]
    note_changes(base, identified.changes, run, reason, [""] * len(ids), ids)
    affected = pa.table({"entity": pa.array(sorted({each for each in [*old, *names] if each}), _TEXT)})
    for table in ("memberships", "entities"):
        base.change(
            f"DELETE FROM {table} USING affected WHERE {table}.entity = affected.entity",  # noqa: S608
            None,
            {"affected": affected},
        )
    rows = {"record": [each.number for each in members], "source": [""] * len(ids), "id": ids, "entity": names}
    base.append("memberships", pa.table(rows | {"probability": probability}))
    base.append("entities", _entities(members, names))
    return len(identified.changes)


def _note_aliases(base: KnowledgeBase, members: Sequence[Member], aliases: Mapping[str, str], run: int) -> None:
    if not aliases:
        return
    had: dict[str, list[int]] = {name: [] for name in aliases}
    for each in members:
        if each.entity in had:
            had[str(each.entity)].append(each.number)
    base.append(
        "aliases",
        pa.table(
            {
                "alias": pa.array(list(aliases), _TEXT),
                "entity": pa.array(list(aliases.values()), _TEXT),
                "run": np.full(len(aliases), run),
                "records": pa.array([had[name] for name in aliases], pa.list_(pa.int64())),
            }
        ),
    )


def _entities(members: Sequence[Member], names: Sequence[str]) -> pa.Table:
    groups: dict[str, list[Member]] = {}
    for each, name in zip(members, names, strict=True):
        groups.setdefault(name, []).append(each)
    return pa.Table.from_pylist([_entity(name, group) for name, group in groups.items()])


def _entity(name: str, group: Sequence[Member]) -> dict[str, Any]:
    called: Counter[str] = Counter()
    for each in group:
        called[each.name] += each.mentions
    first = min(group, key=lambda each: (-called[each.name], each.number))
    n_documents = len({each.document for each in group})
    entries = Counter(each.entry for each in group if each.entry)
    kind = Counter(each.type for each in group).most_common(1)[0][0]
    return {
        "entity": name,
        "size": len(group),
        "probability": float(np.mean([each.probability for each in group])),
        "record": first.number,
        "name": fullest(list(called.elements())) if kind in ("PER", "ORG") else first.name,
        "type": kind,
        "names": " | ".join(sorted({one for each in group for one in each.names})),
        "document": first.document if n_documents == 1 else f"{n_documents} documents",
        "mentions": sum(each.mentions for each in group),
        "entry": entries.most_common(1)[0][0] if entries else None,
    }
