"""Judgements taken back to the last digit.

What a judgement touches is drawn anew, among records around it that stay as they are; drawn once more without the
judgement it would come near what was there, but not be it. So what a judgement puts aside is kept with it: where the
records were, the pairs among them and their samples, as numbers. Taken back while these records are still where the
judgement has left them, all of it is there again. Where something else has touched them since, they are drawn anew.
"""

import json
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.kb.database import KnowledgeBase
from onoma.kb.incremental import Resampled
from onoma.kb.world import World

__all__ = ["Aside", "restore", "set_aside"]

_MOST = 500
"""Records whose samples are kept: a judgement touches some tens."""


class Aside:
    """What is known of some records (places of a world) before a run changes it."""

    def __init__(self, world: World, places: NDArray[np.int64]) -> None:
        self._base, self._numbers = world.base, world.records[places]
        self._places = _places(self._base, self._numbers)
        pairs = _among(world, places)
        ends = (world.records[side[pairs]].tolist() for side in (world.edges.a, world.edges.b))
        self._pairs = list(zip(*ends, world.edges.probability[pairs].tolist(), strict=True))
        here, tables = self._base.among("record", self._numbers)
        rows = self._base.query(f"SELECT record, roots FROM samples WHERE {here}", None, tables)  # noqa: S608 (numbers)
        self._samples = list(zip(rows["record"].to_pylist(), rows["roots"].to_pylist(), strict=True))

    def keep(self, run: int) -> None:
        """Keep it with the run, which has made of it what is there now."""
        now = _places(self._base, self._numbers)
        told = {"before": self._places, "after": now, "pairs": self._pairs, "samples": self._samples}
        self._base.set_blob(_name(run), zlib.compress(json.dumps(told).encode(), 1))


def set_aside(world: World, found: Resampled) -> Aside | None:
    """Read what is about to be changed; None where that is too much to keep, or kept anyway."""
    small = len(found.records) <= _MOST and not world.memory.is_own  # what another model says stays beside what is now
    return Aside(world, found.records) if small else None


def _among(world: World, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pairs (numbers of edges) of which both are among some records."""
    inside = np.zeros(world.n, dtype=np.bool_)
    inside[places] = True
    return np.flatnonzero(inside[world.edges.a] & inside[world.edges.b])


def _name(run: int) -> str:
    return f"before run {run}"


def _places(base: KnowledgeBase, numbers: NDArray[np.int64]) -> list[list[object]]:
    """Return where records are, and how sure that is."""
    here, tables = base.among("record", numbers)
    sql = f"SELECT record, entity, probability FROM memberships WHERE {here} ORDER BY record"  # noqa: S608 (numbers)
    rows = base.query(sql, None, tables)
    return [list(row) for row in zip(*(column.to_pylist() for column in rows.columns), strict=True)]


def restore(world: World, runs: Sequence[int]) -> Resampled | None:
    """Return what was there before a run, if all that it touched is as it has left it; None: it is to be drawn anew."""
    blob = world.base.blob(_name(runs[0])) if len({*runs}) == 1 else b""
    if not blob or _still_judged(world.base, runs[0]):
        return None
    told = json.loads(zlib.decompress(blob))
    numbers = np.array([number for number, _, _ in told["before"]], dtype=np.int64)
    at = np.minimum(np.searchsorted(world.records, numbers), max(world.n - 1, 0))
    if not len(numbers) or (world.records[at] != numbers).any() or _places(world.base, numbers) != told["after"]:
        return None
    names = [name for _, name, _ in told["before"]]
    roots = _roots(numbers, names, {int(number): roots for number, roots in told["samples"]})
    if not np.isin(roots, world.records).all():  # it stood with others in some sample, which are not here
        return None
    edges = _among(world, at)
    known = {(a, b): p for a, b, p in told["pairs"]}
    ends = zip(*(world.records[side[edges]].tolist() for side in (world.edges.a, world.edges.b)), strict=True)
    now = world.edges.probability[edges].tolist()
    together = [known.get(pair, p) for pair, p in zip(ends, now, strict=True)]
    labels = np.unique(names, return_inverse=True)[1].astype(np.int64)
    probability = np.array([p for _, _, p in told["before"]], dtype=np.float64)
    return Resampled(
        at.astype(np.int64), labels, probability, np.searchsorted(world.records, roots), edges, np.array(together)
    )


def _roots(numbers: NDArray[np.int64], names: Sequence[str], samples: Mapping[int, list[int]]) -> NDArray[np.int64]:
    """Return what stands for the entity of each record in each sample; one without samples is always where it is."""
    first = {name: number for number, name in zip(numbers[::-1].tolist(), reversed(names), strict=True)}
    length = max((len(roots) for roots in samples.values()), default=1)
    mine = (samples.get(number, [first[name]]) for number, name in zip(numbers.tolist(), names, strict=True))
    return np.stack([np.resize(np.array(roots, dtype=np.int64), length) for roots in mine], axis=1)


def _still_judged(base: KnowledgeBase, run: int) -> bool:
    """Return whether something that was said in a run still holds."""
    return bool(base.value("SELECT count(*) FROM judgement_current WHERE made = ?", [run]))
