"""Linking by an entity list: reading the list, the model that comes with Onoma, and entries as roots of entities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, SettingsError
from onoma.kb.database import is_knowledge_base, read_knowledge_base
from onoma.kb.lookup.find import Candidate, Finding, Reason
from onoma.kb.texts import is_from_text
from onoma.linking.entities import EntityList, read_entity_json
from onoma.linking.model import Knowledge, LinkModel, Links, load_link_model
from onoma.linking.profiles import NIL, Mentions

__all__ = ["Rooted", "find_mention", "link_model", "link_records", "read_entities", "root_entities"]

_SURE = 0.9
"""A record whose own link is at least so probable leaves a group that is something else."""
_FLOOR = 1e-4
"""What an entry is worth that a record has no candidate for: a name may be spelt in a way that nobody listed."""


def read_entities(path: Path) -> EntityList:
    """Read an entity list: a table (alias, entry, count…), JSON lines as Wikidata's, or a knowledge base from text."""
    if path.suffix == ".duckdb":
        return _from_base(path)
    if path.suffix in (".jsonl", ".ndjson"):
        return EntityList.of(read_entity_json(path))
    return EntityList.of(read_table(path).table)


def _from_base(path: Path) -> EntityList:
    if not is_knowledge_base(path):
        raise DataError("is no knowledge base", file=path)
    with read_knowledge_base(path) as base:
        if not is_from_text(base):
            raise DataError(
                "is a knowledge base of records; its names cannot be told from its other columns",
                file=path,
                hint="Export it (onoma export) and give a table with the columns alias and entry.",
            )
        return EntityList.of(base.query(_NAMED))


_NAMED = """WITH around AS (
    SELECT s.entity, string_agg(left(c.context, 1000), ' ' ORDER BY s.probability DESC, s.id) AS told
    FROM memberships s JOIN contexts c USING (id) GROUP BY 1)
SELECT m.name AS alias, s.entity AS entry, count(*) AS count, any_value(e.type) AS type,
    left(any_value(a.told), 4000) AS description
FROM memberships s JOIN entities e USING (entity) JOIN mentions m ON m.chain = s.id JOIN around a USING (entity)
WHERE m.name IS NOT NULL GROUP BY 1, 2 ORDER BY 2, 1
"""
"""What the entities of a knowledge base are called, and the words around their names."""


def find_mention(path: Path, record: Mapping[str, Any], *, most: int = 5) -> Finding:
    """Say which entities of a knowledge base from texts a name may be: `name`, and if known `type` and `context`."""
    unknown = sorted(set(record) - set(_ASKED))
    if not str(record.get("name") or "").strip() or unknown:
        told = f"there is no {unknown[0]!r} in texts" if unknown else "a name is needed"
        raise SettingsError(
            told, hint=f"""Like this: onoma find {path.name} --record '{{"name": "Ada Lovelace", "type": "PER"}}'."""
        )
    asked = {name: str(record.get(name) or "") for name in _ASKED} | {"document": ""}
    ranked = link_records([asked], read_entities(path)).ranked(0, most + 1)
    nil = dict(ranked).get(NIL, 0.0)
    found = []
    with read_knowledge_base(path) as base:
        n_records = int(base.value("SELECT count(*) FROM memberships"))
        for entity, p in [each for each in ranked if each[0] != NIL][:most]:
            (row,) = base.rows(
                """SELECT e.size, e.name, (SELECT arg_max(s.id, s.probability) FROM memberships s
                WHERE s.entity = e.entity) FROM entities e WHERE e.entity = ?""",
                [entity],
            )
            bits = float(np.log2(max(p, 1e-12) / max(nil, 1e-12)))
            reason = Reason("name", f"like {row[1]}", bits, asked["name"], str(row[1]))
            found.append(Candidate(entity, p, int(row[0]), str(row[2]), bits, (reason,)))
    return Finding(tuple(found), nil, n_records)


_ASKED = ("name", "type", "context")


@cache
def link_model(folder: str | None = None) -> LinkModel:
    """Read a linking model; by default the one that comes with Onoma."""
    if folder is not None:
        return load_link_model(folder)
    with resources.as_file(resources.files("onoma.linking").joinpath("models", "newspapers")) as place:
        return load_link_model(place)


def link_records(
    records: Sequence[Mapping[str, Any]], entities: EntityList, *, model: LinkModel | None = None
) -> Links:
    """Link records, each with `name`, `document`, `type` and `context`."""
    columns = {name: [str(row[name]) for row in records] for name in ("name", "document", "type", "context")}
    mentions = Mentions(columns["name"], columns["document"], columns["type"], columns["context"])
    return (model or link_model()).link(mentions, Knowledge.of(entities))


@dataclass(frozen=True, eq=False)
class Rooted:
    """Entities with entries as their roots."""

    labels: NDArray[np.int64]
    entries: list[str | None]
    """The entry of each record's entity."""


def root_entities(labels: NDArray[np.int64], links: Sequence[Sequence[tuple[str, float]]]) -> Rooted:
    """Let groups of records attach to entries, or found entities of their own.

    A group is the entry whose probabilities, multiplied over its records, outweigh those of NIL and of other entries.
    A record that is sure of another entry leaves the group; groups of one entry are one entity.

    Parameters
    ----------
    labels
        The group of each record.
    links
        For each record its entries and NIL with their probabilities.

    Examples
    --------
    >>> links = [[("Q90", 0.8), ("NIL", 0.2)], [("Q90", 0.6), ("NIL", 0.4)], [("NIL", 1.0)], [("Q90", 0.95)]]
    >>> root_entities(np.array([0, 0, 1, 2]), links).labels.tolist()
    [0, 0, 1, 0]
    """
    members: dict[int, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(row)
    root: list[tuple[str, object]] = [("", 0)] * len(labels)
    entries: list[str | None] = [None] * len(labels)
    for label, rows in members.items():
        chosen = _pooled([links[row] for row in rows])
        for row in rows:
            own, p = max(links[row], key=lambda each: each[1], default=(NIL, 1.0))
            entry = own if own not in (NIL, chosen) and p >= _SURE else chosen
            entries[row] = entry
            root[row] = ("group", label) if entry is None else ("entry", entry)
    numbers: dict[tuple[str, object], int] = {}
    found = np.array([numbers.setdefault(each, len(numbers)) for each in root], np.int64)
    return Rooted(found, entries)


def _pooled(links: Sequence[Sequence[tuple[str, float]]]) -> str | None:
    """Return the entry that a group is, None if likelier none; a record that is sure of itself may leave, unheard."""
    leaving = [max((p for name, p in some if name != NIL and p >= _SURE), default=_FLOOR) for some in links]
    totals: dict[str, float] = {}
    for name in {name for some in links for name, _ in some} | {NIL}:
        shares = [max(dict(some).get(name, 0.0), _FLOOR, leave) for some, leave in zip(links, leaving, strict=True)]
        totals[name] = float(np.log(shares).sum())
    best = max(sorted(totals), key=lambda name: (totals[name], name == NIL))
    return None if best == NIL else best
