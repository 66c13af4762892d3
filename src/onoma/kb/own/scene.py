"""What an entity hangs on, where the model draws for itself: it resolves again without a record or a field."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from onoma.errors import OnomaError
from onoma.kb.incremental import FLOOR
from onoma.kb.own.heed import heed
from onoma.kb.own.redraw import Part
from onoma.kb.own.refit import fit_part, why_whole, with_others
from onoma.kb.world import World
from onoma.resolve.posterior.judgements import Judged

__all__ = ["OwnScene"]

_OTHERS = 300
"""Records that stand for the rest while an entity is looked at."""
_MOST = 8
"""Records of an entity that are taken away one by one: those with the weakest places."""


class OwnScene:
    """Some records with those that the model ties to them, and some others."""

    def __init__(self, world: World, seeds: NDArray[np.int64]) -> None:
        self.world, self.judged = world, world.judged()
        entity = world.entity()
        inside = np.zeros(world.n, dtype=np.bool_)
        inside[seeds] = True
        edges = world.edges
        linked = (edges.probability > FLOOR) | (edges.log_copy > np.log(FLOOR / (1.0 - FLOOR)))
        for _ in range(2):
            inside |= np.isin(entity, entity[inside])
            one, other = inside[edges.a] & linked, inside[edges.b] & linked
            inside[edges.b[one]] = inside[edges.a[other]] = True
        self.inside = inside
        self.why_not = why_whole(world)
        whole = bool(self.why_not)
        self.chosen = np.ones(world.n, bool) if whole else with_others(world, inside, _OTHERS)

    def draw(
        self, *, gone: int | None = None, without: str | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return the places of the records drawn and their samples; None if the model cannot do without."""
        chosen = self.chosen.copy()
        if gone is not None:
            chosen[gone] = False
        try:
            found = fit_part(self.world, chosen, without=without).posterior
        except OnomaError:  # such as: a model of names without the names
            return None
        if found is None:
            return None
        places = np.flatnonzero(chosen)
        rows = found.clustering.labels[None] if found.samples is None else found.samples
        return places, self._heeded(places, rows.astype(np.int64))

    def _heeded(self, places: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        here = np.zeros(self.world.n, dtype=np.bool_)
        here[places] = True
        place = np.full(self.world.n, -1, dtype=np.int64)
        place[places] = np.arange(len(places))
        mine: Judged = self.judged.renumbered(place, here)
        if not len(mine.pairs()):
            return rows
        part = Part.of(self.world, here)
        source = part.sources() if self.world.memory.config.one_to_one else None
        return heed(rows, mine, part.likeness, source=source)

    def together(self, members: NDArray[np.int64], *, gone: int | None = None, without: str | None = None) -> float:
        """Return the share of samples in which some records are all one; -1 if the model cannot do without."""
        drawn = self.draw(gone=gone, without=without)
        if drawn is None:
            return -1.0
        places, rows = drawn
        mine = rows[:, np.searchsorted(places, members[members != gone] if gone is not None else members)]
        return float((mine == mine[:, :1]).all(axis=1).mean())

    def without_records(self, members: NDArray[np.int64]) -> Iterator[tuple[int, float]]:
        """Return for some records, those with the weakest places, how probably the others are one without them."""
        numbers = self.world.records[members]
        sure = dict(self.world.base.rows("SELECT record, probability FROM memberships WHERE entity <> ''"))
        order = np.argsort([sure.get(int(number), 1.0) for number in numbers], kind="stable")[:_MOST]
        for place in members[np.sort(order)].tolist():
            share = self.together(members, gone=place)
            if share >= 0:
                yield place, share

    def without_fields(self, members: NDArray[np.int64]) -> Iterator[tuple[str, float]]:
        """Return for each field how probably the records are one without it."""
        for spec in self.world.memory.fields:
            share = self.together(members, without=spec.columns[0]) if len(self.world.memory.fields) > 1 else -1.0
            if share >= 0:
                yield spec.name, share
