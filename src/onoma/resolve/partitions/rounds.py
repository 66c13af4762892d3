"""Rounds of local inference: which entities meet in a round, and what happens to them there.

Mentions are held by many partitions. In a round every *entity* goes to one of them as a whole; each partition runs its
own chain (the *step*) and talks to nobody; then entities are placed anew (Singh, Subramanya, Pereira and McCallum,
2011). Moves between disjoint pairs of entities touch no common factor, so partitions may work at the same time.

*Placement.* Usually all entities of one super-entity meet; every k-th round they meet at random, so that any two can.
Super-entities (or entities) fall into many more buckets than partitions by a hash salted with the seed and the round;
only the sizes of these buckets are needed to give every partition about the same load (the heaviest goes first, to the
lightest partition). A bucket heavier than a part of a partition, as that of a giant super-entity, is split by entity.
An entity is never split.

*Randomness* is keyed by seed, round and partition key: never by machine, worker or order of arrival.

This file is pure: it says what is done with one table. Who carries it out is the business of an engine.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.numerics.rng import kernel_state

__all__ = [
    "COUNTED",
    "MENTIONS",
    "Placement",
    "RoundSettings",
    "Step",
    "count_buckets",
    "fingerprint_counts",
    "place",
    "placement_of",
    "plan",
    "run_step",
]

MENTIONS = pa.schema(
    [
        pa.field("mention", pa.int64(), metadata={"doc": "unique"}),
        pa.field("entity", pa.int64(), metadata={"doc": "the smallest mention in it"}),
        pa.field("sub", pa.int64(), metadata={"doc": "sub-entity: the smallest mention in it"}),
        pa.field("super", pa.int64(), metadata={"doc": "super-entity: one of its mentions"}),
        pa.field("name", pa.int64(), metadata={"doc": "the normalised name"}),
        pa.field("tokens", pa.list_(pa.int32()), metadata={"doc": "words of the context"}),
        pa.field("weights", pa.list_(pa.float32()), metadata={"doc": "their weights"}),
    ]
)
"""What rounds work on; a table may carry more columns, which stay as they are."""

COUNTED = ("mention", "entity", "super")
"""The columns that placement needs to see."""

ENTITIES = -1
"""The item under which entities are counted, beside the buckets."""
_BUCKETS = 64
"""Buckets for each partition: their sizes are all that is collected."""

PlacementKind = Literal["super", "random"]


class Step(Protocol):
    """What a partition does in a round: a pure function, the same rows out as in and in the same order."""

    def __call__(self, partition: pa.Table, *, settings: Any, seed: int, round: int, key: int) -> pa.Table:  # noqa: ANN401
        """Return the partition with other entities, sub-entities and super-entities."""


@dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """How rounds go."""

    n_partitions: int = 8
    """Chosen for the size of the data, not of the cluster: the answer depends on it, not on the number of workers."""
    n_rounds: int = 20
    random_every: int = 4
    """Every k-th round brings entities together at random; 1: always."""
    fill: float = 0.5
    """A bucket that would fill more than this part of a partition is split."""

    def __post_init__(self) -> None:
        for name in ("n_partitions", "n_rounds", "random_every"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} is {getattr(self, name)}; it is a whole number from 1 up")
        if not 0 < self.fill <= 1:
            raise SettingsError(f"fill is {self.fill}; it is a part of a partition, above 0 and up to 1")


@dataclass(frozen=True, eq=False)
class Placement:
    """Where every entity goes in one round; small, however many there are."""

    kind: PlacementKind
    salts: tuple[int, int]
    first: NDArray[np.int64]
    """The first piece of each bucket; one more entry than buckets."""
    keys: NDArray[np.int32]
    """The partition of each piece."""
    sizes: NDArray[np.int64]
    """Mentions of each bucket."""
    loads: NDArray[np.int64]
    """Mentions of each partition, as planned."""

    @property
    def n_split(self) -> int:
        """How many buckets are split."""
        return int(np.count_nonzero(np.diff(self.first) > 1))


def placement_of(round: int, settings: RoundSettings) -> PlacementKind:
    """Return by what entities meet in a round (they are counted from 0).

    Examples
    --------
    >>> [placement_of(k, RoundSettings(random_every=3)) for k in range(4)]
    ['super', 'super', 'random', 'super']
    """
    return "random" if (round + 1) % settings.random_every == 0 else "super"


def count_buckets(rows: pa.Table, *, kind: PlacementKind, seed: int, round: int, n_buckets: int) -> pa.Table:
    """Count the mentions of each bucket, and the entities (as item -1) by their smallest mention; sums may be added."""
    ids = rows["super" if kind == "super" else "entity"].to_numpy()
    buckets = _slots(_mixed(ids, _salts(seed, round)[0]), np.full(len(ids), n_buckets))
    counts = np.bincount(buckets, minlength=1)
    there = np.flatnonzero(counts)
    n_entities = np.count_nonzero(rows["mention"].to_numpy() == rows["entity"].to_numpy())
    return pa.table(
        {"item": np.concatenate([[ENTITIES], there]), "count": np.concatenate([[n_entities], counts[there]])}
    ).cast(pa.schema([("item", pa.int64()), ("count", pa.int64())]))


def plan(
    counts: pa.Table,
    *,
    kind: PlacementKind,
    seed: int,
    round: int,
    settings: RoundSettings,
) -> Placement:
    """Decide where each bucket goes, from the sizes of all (as `count_buckets` gives them, added up).

    Examples
    --------
    >>> counts = pa.table({"item": [-1, 3, 70], "count": [9, 10, 90]})
    >>> found = plan(counts, kind="super", seed=0, round=0, settings=RoundSettings(n_partitions=2))
    >>> found.n_split, found.loads.tolist()
    (1, [55, 45])
    """
    sizes = np.zeros(bucket_count(settings), dtype=np.int64)
    items, values = counts["item"].to_numpy(), counts["count"].to_numpy()
    sizes[items[items >= 0]] = values[items >= 0]
    limit = max(1, int(settings.fill * sizes.sum() / settings.n_partitions))
    n_pieces = np.maximum(1, -(-sizes // limit))
    first = np.concatenate([[0], np.cumsum(n_pieces)])
    weights = np.repeat(sizes / n_pieces, n_pieces)
    keys, loads = _balanced(weights, settings.n_partitions)
    return Placement(kind, _salts(seed, round), first, keys, sizes, np.rint(loads).astype(np.int64))


def bucket_count(settings: RoundSettings) -> int:
    """Return into how many buckets entities fall."""
    return _BUCKETS * settings.n_partitions


def place(rows: pa.Table, *, placement: Placement) -> pa.Array:
    """Return the partition that each row goes to."""
    entity = rows["entity"].to_numpy()
    ids = rows["super"].to_numpy() if placement.kind == "super" else entity
    n_buckets = len(placement.first) - 1
    bucket = _slots(_mixed(ids, placement.salts[0]), np.full(len(ids), n_buckets))
    piece = _slots(_mixed(entity, placement.salts[1]), np.diff(placement.first)[bucket])
    return pa.array(placement.keys[placement.first[bucket] + piece])


def run_step(
    partition: pa.Table,
    key: int,
    *,
    step: Callable[..., pa.Table],
    settings: object,
    seed: int,
    round: int,
) -> pa.Table:
    """Run the step on one partition; refuse what breaks its promise."""
    given = partition["mention"].to_numpy()
    if not bool((given[1:] > given[:-1]).all()):
        raise DataError(f"two mentions of partition {key} have one number", hint="Are their ids different?")
    found = step(partition, settings=settings, seed=seed, round=round, key=key)
    mention, entity, sub, above = (found[name].to_numpy() for name in ("mention", "entity", "sub", "super"))
    if not np.array_equal(mention, given):
        raise DataError(f"the step gave other mentions, or another order, than partition {key} has")
    for name, ids in (("entity", entity), ("sub", sub)):
        at = np.minimum(np.searchsorted(mention, ids), len(mention) - 1)
        if not (np.array_equal(mention[at], ids) and np.array_equal(ids[at], ids) and bool((ids <= mention).all())):
            raise DataError(f"the step gave an id of {name} that is not its smallest mention, in partition {key}")
        inside = entity[at] if name == "sub" else entity
        if not (np.array_equal(inside, entity) and np.array_equal(above[at], above)):
            raise DataError(f"the step divided a group: a {name} of partition {key} lies in two above it")
    return found


def fingerprint_counts(rows: pa.Table) -> pa.Table:
    """Return counts that, added up, are a fingerprint of the rows: the number (item 0) and two sums of hashes.

    Columns of whole numbers and lists of numbers count; the sums do not depend on how the rows are cut or ordered.
    """
    row = _mixed(rows["mention"].to_numpy(), 1)
    total = np.zeros(2, dtype=np.int64)
    for place_of_column, name in enumerate(sorted(rows.column_names)):
        column = rows[name].combine_chunks()
        owner = row
        if pa.types.is_list(column.type):
            owner = np.repeat(row, np.diff(column.offsets.to_numpy()))
            column = column.flatten()
        if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            continue
        bits = column.to_numpy(zero_copy_only=False)
        numbers = bits.view(f"u{bits.dtype.itemsize}").astype(np.uint64)
        mixed = _mixed(numbers ^ owner, place_of_column + 2)
        total += [int((mixed >> np.uint64(32)).sum()), int((mixed & np.uint64(0xFFFFFFFF)).sum())]
    return pa.table({"item": np.arange(3), "count": np.array([len(rows), *total])})


def _balanced(weights: NDArray[np.float64], n: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Give each piece to the partition that has least so far, the heaviest pieces first."""
    keys = np.zeros(len(weights), dtype=np.int32)
    loads = np.zeros(n)
    heap = [(0.0, key) for key in range(n)]
    for piece in np.argsort(-weights, kind="stable"):
        load, key = heapq.heappop(heap)
        keys[piece] = key
        loads[key] = load + weights[piece]
        heapq.heappush(heap, (float(loads[key]), key))
    return keys, loads


def _salts(seed: int, round: int) -> tuple[int, int]:
    one, other = kernel_state(seed, "placement", round)[:2]
    return int(one), int(other)


def _mixed(ids: NDArray[np.generic], salt: int) -> NDArray[np.uint64]:
    """Return 64 well-mixed bits for each id: the finisher of SplitMix64 (Steele, Lea and Flood, 2014), salted."""
    x = ids.astype(np.uint64) + np.uint64(salt)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _slots(mixed: NDArray[np.uint64], n: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return a number below n for each hash, by its upper half."""
    return (((mixed >> np.uint64(32)) * n.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)
