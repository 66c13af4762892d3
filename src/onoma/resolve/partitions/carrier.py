"""Who carries partitions: an engine that places entities, works on each partition, and brings the rows back."""

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa

from onoma.engines.engine import Engine
from onoma.engines.manifest import RoundRecord
from onoma.errors import SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.partitions.rounds import (
    COUNTED,
    ENTITIES,
    Placement,
    RoundSettings,
    Step,
    bucket_count,
    count_buckets,
    place,
    placement_of,
    plan,
    run_step,
)

__all__ = ["Carrier", "EngineRound", "round_folder"]

Rows = TypeVar("Rows")


@dataclass(frozen=True, eq=False)
class Carrier:
    """An engine that carries partitions of records for `onoma.resolve`."""

    engine: Engine[Any]
    n_partitions: int
    seed: int = 0
    progress: Progress = SILENT
    folder: Path | None = None
    """For the rounds of an engine that puts work off; all its workers must see it under this name."""

    def __call__(self, rows: pa.Table, function: Callable[[pa.Table, int], pa.Table], schema: pa.Schema) -> pa.Table:
        """Place rows by their super-entities, work on each partition, give back what came of all."""
        settings = RoundSettings(n_partitions=self.n_partitions, n_rounds=1, random_every=2)
        spread = self.engine.spread(rows, self.n_partitions)
        _, placement = _plan(self.engine, spread, 0, self.seed, settings)
        met = self.engine.exchange(spread, partial(place, placement=placement), COUNTED, self.n_partitions)
        with self.progress.task("partitions", total=len(rows), unit="records") as task:
            return self.engine.gather(self.engine.map(met, function, schema, task), schema.names)

    def rounds(
        self,
        rows: pa.Table,
        step: Step,
        settings: object,
        *,
        n_rounds: int,
        n_done: int = 0,
        stop: Stop = NEVER,
    ) -> tuple[pa.Table, int]:
        """Run rounds of a step, entities placed anew before each; return the rows and how many rounds are done."""
        if self.engine.is_lazy and self.folder is None:
            raise SettingsError(
                f"the engine {self.engine.name} needs a folder for its rounds", hint="Add -o, where all workers see it."
            )
        how = RoundSettings(n_partitions=self.n_partitions, n_rounds=n_rounds)
        spread = self.engine.spread(rows, self.n_partitions)
        with stop.heeded() as asked, self._rounds_folder() as folder:
            while n_done < n_rounds and not asked():
                work = EngineRound(self.engine, n_done, self.seed, how, rows.schema, self.progress)
                keep = None if folder is None else round_folder(folder, n_done + 1)
                spread, _ = work.run(spread, step, settings, keep)
                n_done += 1
            return self.engine.gather(spread, rows.schema.names), n_done

    @contextlib.contextmanager
    def _rounds_folder(self) -> Iterator[Path | None]:
        """Give a folder to an engine that would otherwise do all rounds at once, at the end."""
        if self.folder is None or not self.engine.is_lazy:
            yield None
            return
        try:
            yield self.folder
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, eq=False)
class EngineRound(Generic[Rows]):
    """One round."""

    engine: Engine[Rows]
    number: int
    seed: int
    settings: RoundSettings
    schema: pa.Schema
    progress: Progress

    def run(self, rows: Rows, step: Step, step_settings: object, folder: Path | None) -> tuple[Rows, RoundRecord]:
        """Count, place, exchange, step, keep."""
        begun = time.perf_counter()
        n_entities, placement = _plan(self.engine, rows, self.number, self.seed, self.settings)
        name = f"round {self.number + 1} of {self.settings.n_rounds}"
        with self.progress.task(name, total=int(placement.sizes.sum()), unit="mentions") as task:
            task.advance(0, entities=float(n_entities), largest=float(placement.loads.max()))
            where = partial(place, placement=placement)
            met = self.engine.exchange(rows, where, COUNTED, self.settings.n_partitions)
            work = partial(run_step, step=step, settings=step_settings, seed=self.seed, round=self.number)
            rows = self.engine.map(met, work, self.schema, task)
            if folder is not None:
                rows = self.engine.checkpoint(rows, folder)
        largest, seconds = int(placement.loads.max()), round(time.perf_counter() - begun, 3)
        return rows, RoundRecord(self.number + 1, placement.kind, n_entities, largest, seconds)


def _plan(engine: Engine[Rows], rows: Rows, number: int, seed: int, settings: RoundSettings) -> tuple[int, Placement]:
    """Return how many entities there are, and where they go in a round."""
    kind = placement_of(number, settings)
    count = partial(count_buckets, kind=kind, seed=seed, round=number, n_buckets=bucket_count(settings))
    counts = engine.tally(rows, count, COUNTED)
    n_entities = counts["count"][counts["item"].index(ENTITIES).as_py()].as_py()
    return n_entities, plan(counts, kind=kind, seed=seed, round=number, settings=settings)


def round_folder(folder: Path, n_done: int) -> Path:
    """Return where the rows after so many rounds are kept."""
    return folder / f"round-{n_done:05d}"
