"""Rounds in one process: entities placed, every partition sampled, entities placed anew."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings, features_of, step
from onoma.resolve.partitions.rounds import RoundSettings, bucket_count, count_buckets, place, placement_of, plan

__all__ = ["Placing", "Round", "run_rounds", "with_entities"]


@dataclass(frozen=True)
class Round:
    """What a round came to."""

    number: int
    n_entities: int
    seconds: float
    """Processor time of all partitions so far."""
    longest: float
    """The same if every partition had a machine of its own: the slowest of each round, added up."""


class Placing(NamedTuple):
    """How entities are placed in partitions, each sampled for itself."""

    n_partitions: int = 1
    random_every: int = 4
    """Every so many rounds entities are placed at random, otherwise by super-entity."""


def run_rounds(
    table: pa.Table,
    settings: CrossDocumentSettings,
    *,
    seed: int = 0,
    placing: Placing | None = None,
    n_done: int = 0,
    watch: Callable[[Round, pa.Table], bool] | None = None,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
) -> pa.Table:
    """Sample all rounds; return the table with the entities found, in its own order.

    Parameters
    ----------
    table
        As `step` takes it.
    placing
        How entities are placed in partitions.
    n_done
        Rounds that the table has seen already: those of a run that was stopped.
    watch
        Told of each round and the table after it; True ends the run.
    """
    placing = placing or Placing()
    rounds = RoundSettings(
        n_partitions=placing.n_partitions, n_rounds=settings.n_rounds, random_every=placing.random_every
    )
    # One partition is the same table in every round; several are other mentions each time.
    features = features_of(table, settings) if placing.n_partitions == 1 else None
    seconds = longest = 0.0
    with stop.heeded() as is_asked, progress.task("rounds", total=settings.n_rounds, unit="rounds") as task:
        task.advance(n_done)
        for number in range(n_done, settings.n_rounds):
            parts = _placed(table, rounds, seed, number)
            spent = []
            found = []
            for key, part in parts:
                begun = time.thread_time()
                found.append(step(part, settings=settings, seed=seed, round=number, key=key, features=features))
                spent.append(time.thread_time() - begun)
            table = found[0] if len(found) == 1 else pa.concat_tables(found).sort_by("mention")
            seconds, longest = seconds + sum(spent), longest + max(spent)
            n_entities = int(np.count_nonzero(table["mention"].to_numpy() == table["entity"].to_numpy()))
            task.advance(1, entities=n_entities)
            if (watch is not None and watch(Round(number, n_entities, seconds, longest), table)) or is_asked():
                break
    return table


def _placed(table: pa.Table, rounds: RoundSettings, seed: int, number: int) -> list[tuple[int, pa.Table]]:
    """Return the partitions of a round that have mentions."""
    if rounds.n_partitions == 1:
        return [(0, table)]
    kind = placement_of(number, rounds)
    counts = count_buckets(table, kind=kind, seed=seed, round=number, n_buckets=bucket_count(rounds))
    keys = place(table, placement=plan(counts, kind=kind, seed=seed, round=number, settings=rounds)).to_numpy()
    order = np.argsort(keys, kind="stable")
    offsets = np.searchsorted(keys[order], np.arange(rounds.n_partitions + 1))
    return [
        (key, table.take(pa.array(order[first:last])))
        for key, (first, last) in enumerate(itertools.pairwise(offsets.tolist()))
        if last > first
    ]


def with_entities(
    table: pa.Table,
    settings: CrossDocumentSettings,
    n_entities: int,
    *,
    seed: int = 0,
    n_partitions: int = 1,
    n_tries: int = 12,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
) -> tuple[pa.Table, CrossDocumentSettings]:
    """Search the bias that gives so many entities, by doubling and halving; return what came nearest, and how.

    A request to stop ends the search with what it has.
    """
    best: tuple[int, pa.Table, CrossDocumentSettings] | None = None
    low, high = 0.0, np.inf
    tried = settings
    for _ in range(n_tries):
        found = run_rounds(table, tried, seed=seed, placing=Placing(n_partitions), progress=progress, stop=stop)
        n_found = count_entities(found["entity"].to_numpy())
        if best is None or abs(n_found - n_entities) < best[0]:
            best = (abs(n_found - n_entities), found, tried)
        with stop.heeded() as is_asked:
            if best[0] == 0 or is_asked():
                break
        low, high = (low, tried.bias) if n_found > n_entities else (tried.bias, high)
        bias = 2.0 * low if high == np.inf else (low + high) / 2.0
        tried = replace(tried, bias=bias, sub_bias=max(settings.sub_bias, 1.2 * bias))
    if best is None:
        return table, settings
    return best[1], best[2]


def count_entities(entity: NDArray[np.int64]) -> int:
    """Return how many entities there are."""
    return len(np.unique(entity))
