"""The main job from files to files: read, resolve, score where the truth is given, write."""

import json
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.corpus.formats import FORMATS, format_of, write_table
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, SettingsError
from onoma.evaluate.metrics import REPORTED
from onoma.evaluate.report import Evaluation, evaluate
from onoma.pipeline.evaluation import gold_labels
from onoma.progress import SILENT, Progress
from onoma.resolve.model import ModelSettings
from onoma.resolve.report import write_report
from onoma.resolve.resolution import Resolution, resolve

__all__ = ["Job", "Outcome", "calibration_error", "check_target", "read_job", "run_job", "summary", "write_outcome"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to resolve, and how."""

    table: pa.Table
    id: str | None = None
    source: str | None = None
    link: bool = False
    block: str | None = None
    truth: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    settings: ModelSettings = field(default_factory=ModelSettings)
    notes: Sequence[str] = ()
    rejects: pa.Table | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a job."""

    job: Job
    resolution: Resolution
    gold: Clustering | None
    """The truth, where it was given."""
    evaluation: Evaluation | None
    calibration: float | None
    """Mean gap between stated and true pair probabilities, in ten bins; None without truth."""
    seconds: Mapping[str, float]
    peak_mb: float


def read_job(
    files: Sequence[Path],
    *,
    id: str | None = None,  # noqa: A002
    source: str | None = None,
    link: bool = False,
    block: str | None = None,
    truth: str | None = None,
    kinds: Mapping[str, str] | None = None,
    settings: ModelSettings | None = None,
    on_error: str = "stop",
) -> Job:
    """Read one file, or several that become one table with a column `source` of their names."""
    tables, notes, rejects = [], [], []
    for path in files:
        read = read_table(path, on_error=on_error)
        tables.append(read.table)
        notes += read.notes
        if len(read.rejects):
            notes.append(f"{path}: {len(read.rejects):,} rows could not be read")
            rejects.append(read.rejects)
    if len(files) > 1:
        if source is not None:
            raise SettingsError(
                "several files are sources already; --source is for one file that holds several",
                hint="Leave out --source, or join the files first.",
            )
        source = _free("source", tables)
        tables = [
            table.append_column(source, pa.array([name] * len(table), pa.string()))
            for table, name in zip(tables, _source_names(files), strict=True)
        ]
    table = tables[0] if len(tables) == 1 else pa.concat_tables(_alike(tables), promote_options="permissive")
    if len(table) == 0:
        raise DataError("there are no rows to resolve", file=files[0])
    if link and source is None:
        raise SettingsError("linking needs two sources", hint="Give two files, or one file and --source COLUMN.")
    for name in (truth, block, source):
        if name is not None and name not in table.column_names:
            raise SettingsError(
                f"there is no column {name!r}", hint=f"The columns are {', '.join(table.column_names)}."
            )
    return Job(
        table=table,
        id=id,
        source=source,
        link=link,
        block=block,
        truth=truth,
        kinds=kinds or {},
        settings=settings or ModelSettings(),
        notes=notes,
        rejects=pa.concat_tables(rejects) if rejects else None,
    )


def run_job(job: Job, *, progress: Progress = SILENT) -> Outcome:
    """Resolve, and score if the truth is given; the truth is used for nothing else."""
    start = time.perf_counter()
    exclude = [] if job.truth is None else [job.truth]
    resolution = resolve(
        job.table,
        id=job.id,
        source=job.source,
        link=job.link,
        block=job.block,
        kinds=job.kinds,
        exclude=exclude,
        settings=job.settings,
        progress=progress,
    )
    seconds = {"total": time.perf_counter() - start}
    if resolution.fit is not None:
        seconds = dict(resolution.fit.seconds) | seconds
    gold = evaluation = calibration = None
    if job.truth is not None:
        gold = Clustering.from_labels(gold_labels(job.table[job.truth]))
        evaluation = _score(gold, resolution.clustering)
        calibration = calibration_error(resolution, gold)
    return Outcome(job, resolution, gold, evaluation, calibration, seconds, _peak_mb())


def _score(gold: Clustering, predicted: Clustering) -> Evaluation:
    labelled = gold.labels != ABSENT
    return evaluate(gold.take(labelled), predicted.take(labelled), metrics=REPORTED)


def calibration_error(resolution: Resolution, gold: Clustering, *, floor: float = 0.01, bins: int = 10) -> float | None:
    """Return the expected calibration error of the stated pairs: those at or above the floor, both rows labelled."""
    if resolution.fit is None:
        return None
    evidence, stated = resolution.fit.evidence, resolution.fit.draws.together
    one, other = gold.labels[evidence.a], gold.labels[evidence.b]
    use = (stated >= floor) & (one != ABSENT) & (other != ABSENT)
    if not use.any():
        return None
    p, y = stated[use], one[use] == other[use]
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    gap = np.bincount(place, p, bins) - np.bincount(place, y, bins)
    return float(np.abs(gap).sum() / len(p))


def summary(outcome: Outcome) -> dict[str, object]:
    """Return one JSON-ready object."""
    resolution = outcome.resolution
    entities, low, high = resolution.entity_count()
    found: dict[str, object] = {
        "rows": len(resolution.table),
        "entities": entities,
        "interval": [low, high],
        "seconds": {name: round(value, 3) for name, value in outcome.seconds.items()},
        "peak_mb": round(outcome.peak_mb),
        "seed": outcome.job.settings.seed,
        "fields": {each.name: {"kind": each.kind, "reason": each.reason} for each in resolution.fields.fields},
        "ignored": {each.name: each.reason for each in resolution.fields.ignored},
        "missing": [each._asdict() for each in resolution.fields.missing_report],
    }
    if resolution.fit is not None:
        found["candidates"] = len(resolution.fit.candidates)
    if outcome.evaluation is not None:
        found["metrics"] = outcome.evaluation.as_dict()
        found["calibration_error"] = outcome.calibration
    return found


def check_target(target: Path) -> None:
    """Refuse an output that no table can be written to: before the work, not after it."""
    if _is_file(target) and format_of(target).write_table is None:
        tables = ", ".join(entry.name for entry in FORMATS.values() if entry.write_table)
        raise DataError(f"{format_of(target).name} is not written; a table can be written as {tables}", file=target)


def _is_file(target: Path) -> bool:
    return bool(target.suffix) and not target.is_dir()


def write_outcome(outcome: Outcome, target: Path, *, command: str = "") -> list[Path]:
    """Write the memberships to a table file, or all tables into a folder; return what was written.

    Rows that could not be read go into a file of rejects beside them.
    """
    resolution, rejects = outcome.resolution, outcome.job.rejects
    if _is_file(target):
        write_table(resolution.memberships, target)
        return [target, *_write_rejects(rejects, target.with_name(f"{_stem(target)}.rejects.csv"))]
    target.mkdir(parents=True, exist_ok=True)
    tables = {
        "memberships": resolution.memberships,
        "entities": resolution.entities,
        "pairs": resolution.pairs(),
    }
    if resolution.fit is not None:
        tables["weights"] = resolution.weights()
    written = []
    for name, table in tables.items():
        path = target / f"{name}.parquet"
        write_table(table, path)
        written.append(path)
    path = target / "summary.json"
    path.write_text(json.dumps(summary(outcome), indent=1) + "\n", "utf-8")
    report = target / "report.html"
    write_report(
        resolution,
        report,
        evaluation=outcome.evaluation,
        gold=outcome.gold,
        command=command,
        notes=outcome.job.notes,
        n_rejected=0 if rejects is None else len(rejects),
    )
    return [*written, path, report, *_write_rejects(rejects, target / "rejects.csv")]


def _write_rejects(rejects: pa.Table | None, path: Path) -> list[Path]:
    if rejects is None:
        return []
    write_table(rejects, path)
    return [path]


def _alike(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """Return the tables with columns of one name made text where their types differ."""
    kinds: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for column in table.schema:
            kinds.setdefault(column.name, set()).add(column.type)
    return [
        pa.table(
            {
                name: table[name].cast(pa.string()) if len(kinds[name]) > 1 else table[name]
                for name in table.column_names
            }
        )
        for table in tables
    ]


def _free(name: str, tables: Sequence[pa.Table]) -> str:
    taken = {column for table in tables for column in table.column_names}
    return name if name not in taken else next(f"{name}_{i}" for i in range(2, 1000) if f"{name}_{i}" not in taken)


def _source_names(files: Sequence[Path]) -> list[str]:
    """Return the names of the files without folder and ending, or whole where that would not tell them apart."""
    stems = [_stem(path) for path in files]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in files]


def _stem(path: Path) -> str:
    return path.name.split(".")[0]


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
