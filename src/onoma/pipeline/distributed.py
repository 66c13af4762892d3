"""The round loop: an engine and a pure step, a checkpoint after every round, and a way back to it."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa

from onoma.engines.engine import Engine
from onoma.engines.manifest import Manifest, start_or_resume, write_manifest
from onoma.errors import DataError, SettingsError
from onoma.resolve.contract import RunContext
from onoma.resolve.partitions.carrier import EngineRound, round_folder
from onoma.resolve.partitions.rounds import (
    RoundSettings,
    Step,
    fingerprint_counts,
)

__all__ = ["Rounds", "Stepping", "run_rounds"]

Rows = TypeVar("Rows")


@dataclass(frozen=True, eq=False)
class Rounds(Generic[Rows]):
    """What came of a run in rounds."""

    rows: Rows
    """The mentions with their entities, where the engine holds them."""
    manifest: Manifest
    is_stopped: bool = False
    """It was asked to end before its last round; the same call goes on."""


@dataclass(frozen=True, eq=False)
class Stepping:
    """What a partition does in a round."""

    step: Step
    schema: pa.Schema
    """The columns to carry through the rounds: those of `MENTIONS` (`resolve/partitions/rounds.py`), and any the step
    needs."""
    settings: object
    """Handed to the step; a dataclass or a mapping that JSON can hold."""


def run_rounds(
    engine: Engine[Rows],
    start: Callable[[], Rows],
    work: Stepping,
    settings: RoundSettings,
    run: RunContext,
    *,
    folder: Path | None = None,
    watch: Callable[[int, Rows], None] | None = None,
) -> Rounds[Rows]:
    """Run rounds of a step until they are done, from where a run in this folder stands.

    Parameters
    ----------
    engine
        Who carries the work; the answer does not depend on it.
    start
        Gives the rows to begin with (asked for also to resume, to see that they are the same).
    work
        What a partition does in a round.
    settings
        How many rounds and partitions there are.
    run
        Seed, progress, and who may stop it.
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
    rows, schema = start(), work.schema
    fresh = Manifest(
        settings={"rounds": asdict(settings), "step": _plain(work.settings), "of": _name_of(work.step)},
        seed=run.seed,
        input=_fingerprint(engine, rows, schema),
        schema=", ".join(f"{each.name} {each.type}" for each in schema),
    )
    manifest = fresh if folder is None else start_or_resume(folder, fresh)
    if folder is not None and manifest.n_done:
        rows = engine.restore(round_folder(folder, manifest.n_done), schema)
    with run.stop.heeded() as asked:
        while manifest.n_done < settings.n_rounds:
            if asked():
                return Rounds(rows, manifest, is_stopped=True)
            one = EngineRound(engine, manifest.n_done, run.seed, settings, schema, run.progress)
            keep = None if folder is None else round_folder(folder, manifest.n_done + 1)
            rows, record = one.run(rows, work.step, work.settings, keep)
            manifest = manifest.after(record)
            if folder is not None:
                write_manifest(folder, manifest)
                shutil.rmtree(round_folder(folder, manifest.n_done - 1), ignore_errors=True)
            if watch is not None:
                watch(manifest.n_done, rows)
    return Rounds(rows, manifest)


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
