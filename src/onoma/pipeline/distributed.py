"""The round loop: an engine and a pure step, a checkpoint after every round, and a way back to it."""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa

from onoma.engines.engine import Engine
from onoma.engines.manifest import Manifest, RoundRecord, start_or_resume, write_manifest
from onoma.errors import DataError, SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.partitions.rounds import (
    COUNTED,
    ENTITIES,
    Placement,
    RoundSettings,
    Step,
    bucket_count,
    count_buckets,
    fingerprint_counts,
    place,
    placement_of,
    plan,
    run_step,
)

__all__ = ["Carrier", "Rounds", "run_rounds"]

Rows = TypeVar("Rows")


@dataclass(frozen=True, eq=False)
class Rounds(Generic[Rows]):
    """What came of a run in rounds."""

    rows: Rows
    """The mentions with their entities, where the engine holds them."""
    manifest: Manifest
    is_stopped: bool = False
    """It was asked to end before its last round; the same call goes on."""


def run_rounds(
    engine: Engine[Rows],
    start: Callable[[], Rows],
    step: Step,
    *,
    schema: pa.Schema,
    step_settings: object,
    settings: RoundSettings,
    seed: int,
    folder: Path | None = None,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
    watch: Callable[[int, Rows], None] | None = None,
) -> Rounds[Rows]:
    """Run rounds of a step until they are done, from where a run in this folder stands.

    Parameters
    ----------
    engine
        Who carries the work; the answer does not depend on it.
    start
        Gives the rows to begin with (asked for also to resume, to see that they are the same).
    step
        What a partition does in a round.
    schema
        The columns to carry through the rounds: those of `MENTIONS` (`resolve/partitions/rounds.py`), and any the step
        needs.
    step_settings
        Handed to the step; a dataclass or a mapping that JSON can hold.
    folder
        For the manifest and the checkpoints; executors must see it under the same name. None: nothing is kept, and a
        run that is lost begins anew (not for engines that put work off until a checkpoint).
    watch
        Called after each round with its number (from 1) and the rows.
    """
    if folder is None and engine.is_lazy:
        raise SettingsError(
            f"the engine {engine.name} needs a folder for its checkpoints", hint="Name one that all executors see."
        )
    rows = start()
    fresh = Manifest(
        settings={"rounds": asdict(settings), "step": _plain(step_settings), "of": _name_of(step)},
        seed=seed,
        input=_fingerprint(engine, rows, schema),
        schema=", ".join(f"{each.name} {each.type}" for each in schema),
    )
    manifest = fresh if folder is None else start_or_resume(folder, fresh)
    if folder is not None and manifest.n_done:
        rows = engine.restore(_checkpoint(folder, manifest.n_done), schema)
    with stop.heeded() as asked:
        while manifest.n_done < settings.n_rounds:
            if asked():
                return Rounds(rows, manifest, is_stopped=True)
            work = _Round(engine, manifest.n_done, seed, settings, schema, progress)
            keep = None if folder is None else _checkpoint(folder, manifest.n_done + 1)
            rows, record = work.run(rows, step, step_settings, keep)
            manifest = manifest.after(record)
            if folder is not None:
                write_manifest(folder, manifest)
                shutil.rmtree(_checkpoint(folder, manifest.n_done - 1), ignore_errors=True)
            if watch is not None:
                watch(manifest.n_done, rows)
    return Rounds(rows, manifest)


@dataclass(frozen=True, eq=False)
class Carrier:
    """An engine that carries partitions of records for `onoma.resolve`."""

    engine: Engine[Any]
    n_partitions: int
    seed: int = 0
    progress: Progress = SILENT

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
        how = RoundSettings(n_partitions=self.n_partitions, n_rounds=n_rounds)
        spread = self.engine.spread(rows, self.n_partitions)
        with stop.heeded() as asked, tempfile.TemporaryDirectory() as folder:
            while n_done < n_rounds and not asked():
                work = _Round(self.engine, n_done, self.seed, how, rows.schema, self.progress)
                # An engine that puts work off would do all rounds at once; what it keeps must be seen by its workers.
                keep = Path(folder) / str(n_done) if self.engine.is_lazy else None
                spread, _ = work.run(spread, step, settings, keep)
                n_done += 1
            return self.engine.gather(spread, rows.schema.names), n_done


@dataclass(frozen=True, eq=False)
class _Round(Generic[Rows]):
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


def _checkpoint(folder: Path, n_done: int) -> Path:
    return folder / f"round-{n_done:05d}"


def _fingerprint(engine: Engine[Rows], rows: Rows, schema: pa.Schema) -> str:
    """Return what the rows are known by, the same on every engine."""
    counted = [each.name for each in schema]
    sums = engine.tally(rows, fingerprint_counts, counted)["count"].to_pylist()
    if not sums or sums[0] == 0:
        raise DataError("there are no mentions to resolve")
    return "-".join(f"{value:x}" for value in sums)


def _plain(settings: object) -> Any:  # noqa: ANN401 (whatever JSON holds)
    found = asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else settings
    return json.loads(json.dumps(dict(found) if isinstance(found, Mapping) else found))


def _name_of(step: Callable[..., pa.Table]) -> str:
    of = step if hasattr(step, "__qualname__") else type(step)
    return f"{of.__module__}.{of.__qualname__}"
