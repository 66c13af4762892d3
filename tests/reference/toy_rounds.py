"""A small step for rounds, importable by executors: random moves of mentions, drawn from the keyed stream."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from onoma.numerics.rng import stream
from onoma.resolve.partitions.rounds import MENTIONS

SCHEMA = pa.schema([field.remove_metadata() for field in MENTIONS])


def mentions(n: int, *, seed: int = 0, giant: float = 0.0) -> pa.Table:
    """Return n mentions, each alone, of n / 4 super-entities; a part of them in one giant super-entity."""
    rng = stream(seed, "toy mentions")
    ids = np.sort(rng.choice(10 * n, n, replace=False))
    above = ids[rng.integers(0, max(n // 4, 1), n)]
    above[rng.random(n) < giant] = ids[0]
    lengths = rng.integers(0, 6, n)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    tokens = pa.array(rng.integers(0, 50, lengths.sum()), pa.int32())
    weights = pa.array(rng.random(lengths.sum()), pa.float32())
    columns = [ids, ids, ids, above, rng.integers(0, 9, n)]
    lists = [pa.ListArray.from_arrays(offsets, values) for values in (tokens, weights)]
    return pa.table([*columns, *lists], names=SCHEMA.names).cast(SCHEMA)


def smallest(mention: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return for each mention the smallest one of its group."""
    _, place = np.unique(group, return_inverse=True)
    first = np.full(place.max() + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, place, mention)
    return first[place]


def move(partition: pa.Table, *, settings: dict, seed: int, round: int, key: int) -> pa.Table:
    """Move a part of the mentions to the entities of others, those with like bags rather than not."""
    if "marks" in settings:
        (Path(settings["marks"]) / f"{round}-{key}").touch()
        time.sleep(settings["pause"])
    rng = stream(seed, "toy move", round, key)
    mention = partition["mention"].to_numpy()
    entity = partition["entity"].to_numpy().copy()
    sums = np.array([sum(weights or [0.0]) for weights in partition["weights"].to_pylist()])
    movers = np.flatnonzero(rng.random(len(mention)) < 0.3)
    for mover, other in zip(movers, rng.integers(0, len(mention), len(movers)), strict=True):
        if abs(sums[mover] - sums[other]) < rng.random():
            entity[mover] = entity[other]
    entity = smallest(mention, entity)
    _, first = np.unique(entity, return_index=True)
    above = partition["super"].to_numpy()[first][np.searchsorted(entity[first], entity)]
    for name, values in (("entity", entity), ("sub", entity), ("super", above)):
        place = partition.schema.get_field_index(name)
        partition = partition.set_column(place, partition.schema.field(name), pa.array(values))
    return partition


def interrupted(rows: pa.Table) -> pa.Table:
    """Do to this process what Ctrl-C in a terminal does to all."""
    os.kill(os.getpid(), signal.SIGINT)
    return rows


def asleep(rows: pa.Table) -> pa.Table:
    """Take longer than anybody waits."""
    time.sleep(600)
    return rows
