"""Who is this? One record against the knowledge base of a model that draws for itself.

The nearest records are found as for any new record; their entities and some others are resolved again by the model with
the record among them, and the samples say whom it is with.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from onoma.errors import SettingsError, UnsupportedError
from onoma.kb.database import KnowledgeBase
from onoma.kb.lookup.find import Candidate, Finding, Reason, one_row
from onoma.kb.lookup.snapshot import Query, Snapshot
from onoma.kb.own.refit import fit_part, why_whole, with_others
from onoma.kb.world import World, load_world

__all__ = ["find_own"]

_OTHERS = 300
"""Records that stand for the rest while one is asked about."""
_FAINT = 0.005
_ASKED = "the record that is asked about"


def find_own(base: KnowledgeBase, snapshot: Snapshot, record: Mapping[str, object], *, most: int = 5) -> Finding:
    """Return the entities that a record may be, nothing added."""
    if most < 1:
        raise SettingsError(f"most is {most}; it is at least 1")
    world = load_world(base)
    why = why_whole(world)
    if why:
        raise UnsupportedError(f"{base.path}: a record is found only with all others resolved anew: {why}")
    row = one_row(snapshot, record)
    source = world.memory.config.source
    if world.memory.config.link and source is not None and source not in row.column_names:
        raise SettingsError(
            f"records are linked between sources, and this one does not say which it is from: {source!r} is missing"
        )
    query = snapshot.ask(row)
    near = snapshot.neighbours(query)
    if not len(near):
        return Finding((), 1.0, 0)
    entity = world.entity()
    inside = np.isin(entity, entity[near])
    chosen = with_others(world, inside, _OTHERS)
    named = row.drop_columns(["id"]) if "id" in row.column_names else row
    found = fit_part(world, chosen, more=named.append_column("id", pa.array([_ASKED], pa.string()))).posterior
    if found is None:
        return Finding((), 1.0, len(near))
    rows = found.clustering.labels[None] if found.samples is None else found.samples
    members = entity[np.flatnonzero(chosen)]
    shares: dict[int, float] = {}
    for each in rows:
        mine = members[each[:-1] == each[-1]]
        if len(mine):
            best = int(np.bincount(mine).argmax())
            shares[best] = shares.get(best, 0.0) + 1.0 / len(rows)
    sure = float(found.probability[-1]) if len(rows) == 1 else 1.0
    nil = max(0.0, 1.0 - sure * sum(shares.values())) if shares else 1.0
    order = sorted(shares, key=lambda number: (-shares[number], number))[:most]
    told = [_candidate(world, snapshot, query, number, sure * shares[number]) for number in order]
    return Finding(tuple(each for each in told if each.probability >= _FAINT), nil, len(near))


def _candidate(world: World, snapshot: Snapshot, query: Query, entity: int, probability: float) -> Candidate:
    """Return an entity with its record that shares most values with what is asked."""
    places = np.flatnonzero(world.entity() == entity)
    codes = np.array([each[places] for each in world.codes])
    equal = (codes == np.asarray(query.codes)[:, None]) & (codes >= 0)
    place = int(places[int(equal.sum(axis=0).argmax())])
    reasons = []
    for f, spec in enumerate(world.memory.fields):
        code = int(world.codes[f][place])
        known = snapshot.fields[f].text(code) if code >= 0 else ""
        value = query.values[f]
        level = "missing" if not (known and value) else "equal" if known == value else "another"
        reasons.append(Reason(spec.name, level, 0.0, value, known))
    number = int(world.records[place])
    source, key, name = world.base.rows("SELECT source, id, entity FROM memberships WHERE record = ?", [number])[0]
    shown = f"{source}:{key}" if source else str(key)
    return Candidate(str(name), probability, len(places), shown, 0.0, tuple(reasons))
