"""Why these records are one entity: the tree of its links, and what it hangs on.

What would part an entity is not guessed: each record, and each field, is taken away in turn and the records are drawn
again. The probability that the others are then no longer all together is the share of those draws.
"""

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, UnsupportedError
from onoma.kb.database import KnowledgeBase
from onoma.kb.incremental import Edges, Effort, compare_pairs, resample, touched_by, weigh_levels, with_ring
from onoma.kb.judge import WHOLE, Around
from onoma.kb.memory import SEVERAL_TYPES, TAKEN_APART
from onoma.kb.own.scene import OwnScene
from onoma.kb.part import part_resolution
from onoma.kb.world import EARLIER, World, find_entity, find_record_keys
from onoma.numerics.union_find import find_inplace, union_inplace
from onoma.resolve.comparison.weights import Weights
from onoma.resolve.contract import Capability
from onoma.resolve.posterior.judgements import Judged
from onoma.resolve.registry import find_model
from onoma.resolve.report.explanation import Explanation, Step, explain_pair
from onoma.resolve.result import Resolution

__all__ = ["EntityExplanation", "Link", "PairExplanation", "Removal", "explain_entity", "explain_records"]

_SAMPLES = 400
_CLEAR = 2 / 3
"""What is named parts an entity at least so probably: nearer to even odds, another draw may say otherwise."""
_MOST = 60
"""Records of an entity that are taken away one by one: those with the weakest places."""


class Link(NamedTuple):
    """Two records of an entity, one next to the other in its tree."""

    a: str
    b: str
    bits: float
    """The evidence of the pair alone, as log odds."""
    probability: float


class Removal(NamedTuple):
    """What happens without a record or a field."""

    what: str
    """`record` or `field`."""
    name: str
    split: float
    """The probability that the other records are then not all together."""


@dataclass(frozen=True)
class EntityExplanation:
    """Why some records are one entity."""

    entity: str
    records: tuple[str, ...]
    together: float
    """The probability that they are all one."""
    tree: tuple[Link, ...]
    """The links that hold it, strongest first."""
    removals: tuple[Removal, ...]
    """What would part it, the most first."""
    why_not: str = ""
    """Why it is not told what would part it, if it is not."""

    @property
    def strongest(self) -> Link | None:
        """The link with most evidence."""
        return self.tree[0] if self.tree else None

    @property
    def weakest(self) -> Link | None:
        """The link with least."""
        return self.tree[-1] if self.tree else None

    @property
    def critical(self) -> Removal | None:
        """The record or field without which it would clearly be parted, if there is one."""
        found = self.removals[0] if self.removals else None
        return found if found is not None and found.split > _CLEAR and self.together > 0.5 else None

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        plain = {name: value for name, value in asdict(self).items() if name not in ("tree", "removals")}
        parts = {"tree": [each._asdict() for each in self.tree], "removals": [each._asdict() for each in self.removals]}
        named = {name: getattr(self, name) for name in ("strongest", "weakest", "critical")}
        return plain | parts | {name: None if each is None else each._asdict() for name, each in named.items()}


@dataclass(frozen=True)
class PairExplanation:
    """Why two records are, or are not, the same."""

    a: str
    b: str
    pair: Explanation
    posterior: float
    """The share of samples that hold them together, by whatever way."""
    path: tuple[Link, ...]
    """The best way from one to the other, link after link."""
    judgements: tuple[str, ...]
    resolution: Resolution
    """The two alone, for pictures."""

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        return {
            "a": self.a,
            "b": self.b,
            "probability_alone": self.pair.probability,
            "bits": self.pair.bits,
            "posterior": self.posterior,
            "steps": [step._asdict() for step in self.pair.steps],
            "path": [each._asdict() for each in self.path],
            "judgements": list(self.judgements),
        }


class _Scene:
    """An entity, or two records, with all that is tied to them."""

    def __init__(self, base: KnowledgeBase, seeds: NDArray[np.int64], world: World) -> None:
        self.world, self.base = world, base
        self.judged = world.judged()
        self.entity = world.entity()
        self.weights = world.memory.weights_for(world.total)
        inside = touched_by(world.n, world.edges, seeds, self.judged)
        # What stands around is drawn too: a household decides together who is whose relative.
        self.inside = with_ring(world.n, world.edges, inside, self.weights, self.judged)
        self.near = np.flatnonzero(self.inside[world.edges.a] | self.inside[world.edges.b])

    def draw(
        self, edges: Edges, judged: Judged, inside: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the records inside and, for each sample, the first record of their entities."""
        effort = Effort.of(self.world.memory.config)
        found = resample(
            self.world.n,
            edges,
            inside,
            self.weights,
            effort=effort,
            judged=judged,
            entity=self.entity,
            n_samples=_SAMPLES,
        )
        return found.records, found.roots

    def together(self, members: NDArray[np.int64], drawn: tuple[NDArray[np.int64], NDArray[np.int64]]) -> float:
        """Return the share of samples in which some records are all one."""
        records, roots = drawn
        mine = roots[:, np.searchsorted(records, members)]
        return float((mine == mine[:, :1]).all(axis=1).mean())

    def without_record(self, place: int, members: NDArray[np.int64]) -> float:
        """Return the probability that the others are parted without a record."""
        edges = self.world.edges
        left = edges.take((edges.a != place) & (edges.b != place))
        inside = self.inside.copy()
        inside[place] = False
        said = self.judged
        keep = [(pairs != place).all(axis=1) for pairs in (said.same, said.different, said.weighed)]
        judged = Judged(said.same[keep[0]], said.different[keep[1]], said.weighed[keep[2]], said.bits[keep[2]])
        others = members[members != place]
        return 1.0 - self.together(others, self.draw(left, judged, inside))

    def without_fields(self, members: NDArray[np.int64]) -> list[Removal]:
        """Return for each field the probability that the records are parted without it."""
        world, edges = self.world, self.world.edges.take(self.near)
        places, both = np.unique(np.concatenate([edges.a, edges.b]), return_inverse=True)
        if not len(places):
            return []
        a, b = both[: len(edges.a)].astype(np.int32), both[len(edges.a) :].astype(np.int32)
        levels, shares = compare_pairs(world.fields(places), a, b)
        as_known = weigh_levels(levels, shares, world.memory.weights)
        found = []
        for f, spec in enumerate(world.memory.fields):
            silent = levels.copy()
            silent[:, f] = -1
            copy, relative = weigh_levels(silent, shares, world.memory.weights)
            # What a pair is known by may be of an earlier run; the field's part of it is what is taken away.
            changed = edges._replace(
                log_copy=edges.log_copy + copy - as_known[0], log_relative=edges.log_relative + relative - as_known[1]
            )
            drawn = self.draw(changed, self.judged, self.inside)
            found.append(Removal("field", spec.name, 1.0 - self.together(members, drawn)))
        return found


def explain_entity(base: KnowledgeBase, name: str, *, around: Around = WHOLE) -> EntityExplanation:
    """Say why the records of an entity are together; `around` says where what stands around them comes from."""
    entity = find_entity(base, name)
    rows = base.rows("SELECT record, source, id FROM memberships WHERE entity = ? ORDER BY record", [entity])
    world = around.world(base, [int(record) for record, _, _ in rows])
    members = np.searchsorted(world.records, np.array([row[0] for row in rows], dtype=np.int64))
    names = {int(place): (f"{s}:{key}" if s else str(key)) for place, (_, s, key) in zip(members, rows, strict=True)}
    if world.memory.is_own:
        return _explain_own(world, entity, members, names)
    if world.memory.why_not and not world.memory.is_stated:
        raise UnsupportedError(f"{base.path}: {EARLIER[0]}", hint=EARLIER[1])
    scene = _Scene(base, members, world)
    together = scene.together(members, scene.draw(world.edges, scene.judged, scene.inside))
    removals: list[Removal] = []
    if len(members) > 1 and not world.memory.is_stated:
        removals += scene.without_fields(members)
    if len(members) > 2:
        order = _weakest(scene, members)
        removals += [Removal("record", names[place], scene.without_record(place, members)) for place in order]
    tree = _tree(world, scene.weights, members, names)
    removals.sort(key=lambda each: (-each.split, each.what, each.name))
    return EntityExplanation(entity, tuple(names.values()), together, tuple(tree), tuple(removals))


def _explain_own(world: World, entity: str, members: NDArray[np.int64], names: dict[int, str]) -> EntityExplanation:
    """Say it of a model that draws for itself: it resolves the records again without each record and each field."""
    scene = OwnScene(world, members)
    links = _tree(world, world.weights, members, names)
    if len(members) == 1:
        return EntityExplanation(entity, tuple(names.values()), 1.0, (), ())
    if world.memory.why_not in (SEVERAL_TYPES, TAKEN_APART):  # a part of the records would be read in another way
        share = _share_together(world, members)
        return EntityExplanation(entity, tuple(names.values()), share, tuple(links), (), world.memory.why_not)
    removals = [Removal("field", name, 1.0 - share) for name, share in scene.without_fields(members)]
    if len(members) > 2:
        removals += [Removal("record", names[i], 1.0 - share) for i, share in scene.without_records(members)]
    removals.sort(key=lambda each: (-each.split, each.what, each.name))
    together = max(scene.together(members), 0.0)
    return EntityExplanation(entity, tuple(names.values()), together, tuple(links), tuple(removals))


def _share_together(world: World, members: NDArray[np.int64]) -> float:
    """Return the share of the kept samples in which records are all one; if none are kept, how sure the least is."""
    numbers = world.records[members].tolist()
    kept = "SELECT roots FROM samples WHERE record IN (SELECT unnest(?::BIGINT[]))"
    roots = [each for (each,) in world.base.rows(kept, [numbers])]
    if len(roots) == len(numbers):
        drawn = np.array([each[: min(map(len, roots))] for each in roots])
        return float((drawn == drawn[0]).all(axis=0).mean())
    sure = "SELECT min(probability) FROM memberships WHERE record IN (SELECT unnest(?::BIGINT[]))"
    return float(world.base.rows(sure, [numbers])[0][0])


def _weakest(scene: _Scene, members: NDArray[np.int64]) -> list[int]:
    """Return the records to take away: all, or those that hold most if there are very many."""
    if len(members) <= _MOST:
        return [int(place) for place in members]
    inside = np.zeros(scene.world.n, dtype=np.bool_)
    inside[members] = True
    edges = scene.world.edges
    use = inside[edges.a] & inside[edges.b]
    degree = np.bincount(edges.a[use], minlength=scene.world.n) + np.bincount(edges.b[use], minlength=scene.world.n)
    return [int(place) for place in members[np.argsort(-degree[members], kind="stable")[:_MOST]]]


def _links(edges: Edges, weights: Weights, names: dict[int, str]) -> list[tuple[int, int, Link]]:
    copy, relative = edges.weights(weights)
    bits = np.log2(np.maximum(copy, 1e-300)) - np.log2(1.0 + relative)
    return [
        (a, b, Link(names[a], names[b], round(bit, 3), round(p, 4)))
        for a, b, bit, p in zip(
            edges.a.tolist(), edges.b.tolist(), bits.tolist(), edges.probability.tolist(), strict=True
        )
    ]


def _tree(world: World, weights: Weights, members: NDArray[np.int64], names: dict[int, str]) -> list[Link]:
    """Return the links of the tree with most evidence, strongest first."""
    inside = np.zeros(world.n, dtype=np.bool_)
    inside[members] = True
    use = np.flatnonzero(inside[world.edges.a] & inside[world.edges.b])
    links = sorted(_links(world.edges.take(use), weights, names), key=lambda each: -each[2].bits)
    parent = np.arange(world.n)
    return [link for a, b, link in links if union_inplace(parent, a, b)]


def explain_records(base: KnowledgeBase, a: str, b: str, *, around: Around = WHOLE) -> PairExplanation:
    """Say why two records are, or are not, the same; the one that came first is the first that is told of.

    `around` says where what stands around them comes from.
    """
    named = find_record_keys(base, [a, b])
    keys = [named[a], named[b]]
    world = around.world(base, [number for number, _, _ in keys])
    # In the order in which they are kept, in which they are compared: what is told of one is not told of the other.
    (first, a), (second, b) = sorted(
        (world.place(number), name) for (number, _, _), name in zip(keys, (a, b), strict=True)
    )
    places = np.array([first, second], dtype=np.int64)
    if first == second:
        raise DataError("a record is compared with another, not with itself", file=base.path)
    resolution = part_resolution(world, places)
    weighs = not world.memory.is_own or _weighs_pairs(world)
    if world.memory.is_own:
        own = OwnScene(world, places)
        posterior, inside, weights = _posterior_now(world, places), own.inside, world.weights
        pair = explain_pair(resolution, 0, 1) if weighs else _by_removal(own, places, resolution)
    else:
        pair = explain_pair(resolution, 0, 1)
        scene = _Scene(base, places, world)
        records, roots = scene.draw(world.edges, scene.judged, scene.inside)
        mine = roots[:, np.searchsorted(records, places)]
        posterior, inside, weights = float((mine[:, 0] == mine[:, 1]).mean()), scene.inside, scene.weights
    said = base.rows(
        """SELECT judgement, kind, a, b FROM judgement_current WHERE a IN (?, ?) AND b IN (?, ?) ORDER BY judgement""",
        [keys[0][2], keys[1][2]] * 2,
    )
    told = tuple(f"judgement {number}: {kind} {one} {other}" for number, kind, one, other in said)
    path = _path(world, weights, inside, places)
    return PairExplanation(a, b, pair, posterior, path, told, resolution)


def _weighs_pairs(world: World) -> bool:
    return Capability.EXPLAIN in find_model(world.memory.config.model).capabilities


def _posterior_now(world: World, places: NDArray[np.int64]) -> float:
    """Return the share of the kept samples that hold two records together, judgements heeded."""
    numbers = world.records[places].tolist()
    found = dict(world.base.rows("SELECT record, roots FROM samples WHERE record IN (?, ?)", numbers))
    if len(found) == 2:
        one, other = (np.array(found[number]) for number in numbers)
        n = min(len(one), len(other))
        return float((one[:n] == other[:n]).mean())
    edges = world.edges
    at = np.flatnonzero(np.isin(edges.a, places) & np.isin(edges.b, places))
    if len(at):
        return float(edges.probability[at[0]])
    entity = world.entity()[places]
    return float(entity[0] == entity[1])


_EVEN = 0.01
"""Shares of samples are taken for no surer than this: some hundred samples say no more."""


def _by_removal(scene: OwnScene, places: NDArray[np.int64], resolution: Resolution) -> Explanation:
    """Return what each field adds where no pair is weighed: the log odds of two records less those without it."""

    def log_odds(share: float) -> float:
        p = min(max(share, _EVEN), 1.0 - _EVEN)
        return float(np.log2(p / (1.0 - p)))

    posterior = max(scene.together(places), 0.0)
    whole = log_odds(posterior)
    steps = []
    for name, share in scene.without_fields(places):
        field = next(each for each in resolution.fields.fields if each.name == name)
        one, other = ("" if code < 0 else field.examples[code] for code in field.codes.tolist())
        steps.append(Step(name, "with and without", "", one, other, round(whole - log_odds(share), 3)))
    rest = Step("all else", "", "", "", "", round(whole - sum(step.bits for step in steps), 3))
    return Explanation(0, 1, (rest, *steps), posterior)


def _path(world: World, weights: Weights, inside: NDArray[np.bool_], places: NDArray[np.int64]) -> tuple[Link, ...]:
    """Return the way between two records whose weakest link is the strongest; none if nothing leads there."""
    edges = world.edges
    use = np.flatnonzero(inside[edges.a] & inside[edges.b] & (edges.probability > 0))
    here = np.unique(np.concatenate([edges.a[use], edges.b[use]]))
    wanted = {"wanted": pa.table({"record": world.records[here]})}
    rows = world.base.query(
        "SELECT source, id FROM memberships JOIN wanted USING (record) ORDER BY record", None, wanted
    )
    names = {place: _shown(tuple(row.values())) for place, row in zip(here.tolist(), rows.to_pylist(), strict=True)}
    links = sorted(_links(edges.take(use), weights, names), key=lambda each: -each[2].bits)
    parent = np.arange(world.n)
    beside: dict[int, list[tuple[int, Link]]] = {}
    start, end = (int(place) for place in places)
    for a, b, link in links:
        if union_inplace(parent, a, b):
            beside.setdefault(a, []).append((b, link))
            beside.setdefault(b, []).append((a, link._replace(a=link.b, b=link.a)))  # as it is walked
        if find_inplace(parent, start) == find_inplace(parent, end):
            return _walk(beside, start, end)
    return ()


def _shown(key: tuple[str, ...]) -> str:
    return f"{key[0]}:{key[1]}" if key[0] else key[1]


def _walk(beside: dict[int, list[tuple[int, Link]]], start: int, end: int) -> tuple[Link, ...]:
    """Return the links between two records of a tree."""
    ways: dict[int, tuple[Link, ...]] = {start: ()}
    queue = [start]
    while queue:
        here = queue.pop()
        for there, link in beside.get(here, []):
            if there not in ways:
                ways[there] = (*ways[here], link)
                queue.append(there)
    return ways.get(end, ())
