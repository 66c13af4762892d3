"""The main job: read, resolve, score where the truth is given, and say what came of it."""

import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import onoma
from onoma.corpus.clustering import ABSENT, Clustering
from onoma.corpus.formats import FORMATS
from onoma.corpus.readers.bibtex import read_bibtex
from onoma.corpus.readers.table import TableRead, read_table
from onoma.corpus.records import alike, with_ids
from onoma.errors import DataError, SettingsError, shown_path
from onoma.evaluate.metrics import REPORTED
from onoma.evaluate.report import Evaluation, evaluate
from onoma.pipeline.evaluation import gold_labels
from onoma.pipeline.settings import to_toml
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.comparison.choice import ModelName
from onoma.resolve.model import ComparisonName, ModelSettings
from onoma.resolve.models.cross_document.records import with_contexts
from onoma.resolve.partitions.records import Carry
from onoma.resolve.posterior.checkpoint import Checkpoint, fingerprint, read_checkpoint
from onoma.resolve.resolution import Resolution, resolve

__all__ = [
    "Job",
    "Outcome",
    "about_job",
    "calibration_error",
    "job_settings",
    "job_to_store",
    "model_settings",
    "read_job",
    "read_resume",
    "run_job",
    "summary",
]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to resolve, and how."""

    table: pa.Table
    id: str | None = None
    source: str | None = None
    link: bool = False
    one_to_one: bool = False
    block: str | None = None
    truth: str | None = None
    exclude: Sequence[str] = ()
    also_compare: Sequence[Sequence[str]] = ()
    labels: str | None = None
    weights: str | None = None
    partitions: int | None = None
    """Sample in so many partitions; None: in one piece."""
    encoding: str | None = None
    """Of files that are not UTF-8; None: it is found."""
    documents: str | None = None
    """The file of the texts that mentions stand in."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    settings: ModelSettings = field(default_factory=ModelSettings)
    notes: Sequence[str] = ()
    rejects: pa.Table | None = None
    several: bool = False
    """The rows come from several files, which are the sources."""


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
    id: str | None = None,
    source: str | None = None,
    link: bool = False,
    one_to_one: bool = False,
    block: str | None = None,
    truth: str | None = None,
    exclude: Sequence[str] = (),
    also_compare: Sequence[Sequence[str]] = (),
    labels: str | None = None,
    weights: str | None = None,
    partitions: int | None = None,
    documents: str | None = None,
    kinds: Mapping[str, str] | None = None,
    settings: ModelSettings | None = None,
    encoding: str | None = None,
    on_error: str = "stop",
) -> Job:
    """Read one file, or several that become one table with a column `source` of their names."""
    if one_to_one and not link:
        raise SettingsError("--one-to-one is for linking: at most one row of each source", hint="Add --link.")
    tables, notes, rejects = [], [], []
    for path in files:
        read = _read_rows(path, on_error, encoding)
        table, bad = (read.table, None) if source is not None else _with_good_ids(read.table, id, on_error)
        tables.append(table)
        notes += read.notes
        for rows, said in (
            (read.rejects, ("1 row could not be read", "rows could not be read")),
            (bad, ("1 row had no id of its own", "rows had no id of their own")),
        ):
            if rows is not None and len(rows):
                notes.append(f"{shown_path(path)}: {said[0] if len(rows) == 1 else f'{len(rows):,} {said[1]}'}")
                rejects.append(rows)
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
    table = tables[0] if len(tables) == 1 else pa.concat_tables(alike(tables), promote_options="permissive")
    if len(table) == 0:
        raise DataError("there are no rows to resolve", file=files[0])
    if documents is not None:
        table = with_contexts(table, read_table(Path(documents)).table)
    if link and source is None:
        raise SettingsError("linking needs two sources", hint="Give two files, or one file and --source COLUMN.")
    for name in (truth, labels, block, source, *exclude, *(column for rule in also_compare for column in rule)):
        if name is not None and name not in table.column_names:
            raise SettingsError(
                f"there is no column {name!r}", hint=f"The columns are {', '.join(table.column_names)}."
            )
    return Job(
        table=table,
        id=id,
        source=source,
        link=link,
        one_to_one=one_to_one,
        block=block,
        truth=truth,
        exclude=exclude,
        also_compare=also_compare,
        labels=labels,
        weights=weights,
        partitions=partitions,
        documents=documents,
        encoding=encoding,
        kinds=kinds or {},
        settings=settings or ModelSettings(),
        notes=notes,
        rejects=pa.concat_tables(rejects) if rejects else None,
        several=len(files) > 1,
    )


def _read_rows(path: Path, on_error: str, encoding: str | None) -> TableRead:
    """Read a table, or a bibliography: a row for each author and editor."""
    bare = path.name.lower()
    for packed in (".gz", ".zst", ".xz"):
        bare = bare.removesuffix(packed)
    if not bare.endswith(FORMATS["bibtex"].extensions):
        return read_table(path, on_error=on_error, encoding=encoding)
    read = read_bibtex(path, on_error=on_error, encoding=encoding)
    return TableRead(read.table.drop_columns(["entry_type", "role", "position"]), read.rejects, read.notes)


def _with_good_ids(table: pa.Table, id: str | None, on_error: str) -> tuple[pa.Table, pa.Table | None]:
    """Leave out rows whose id is missing or was there before, if bad rows are to be rejected."""
    if on_error != "reject":
        return table, None
    rejects = with_ids(table, id, on_error="reject").rejects
    bad = np.asarray(rejects["row"], dtype=np.int64) - 1
    return table.take(pa.array(np.setdiff1d(np.arange(len(table)), bad))), rejects


def model_settings(
    *,
    model: ModelName = "auto",
    comparison: ComparisonName = "kinds",
    seed: int = 0,
    merge_cost: float = 0.5,
    samples: int | None = None,
    burn_in: int | None = None,
    neighbours: int | None = None,
    entities: int | None = None,
) -> ModelSettings:
    """Return the model's settings from those that people give."""
    default = ModelSettings()
    return ModelSettings(
        model=model,
        comparison=comparison,
        seed=seed,
        threshold=merge_cost,
        n_samples=default.n_samples if samples is None else samples,
        n_burn_in=default.n_burn_in if burn_in is None else burn_in,
        n_entities=entities,
        canopies=CanopySettings(neighbours=neighbours),
    )


def job_settings(job: Job) -> dict[str, object]:
    """Return the settings that repeat a job, as they stand in a file of settings; defaults are left out."""
    default, chosen = ModelSettings(), job.settings
    found: dict[str, object] = {
        "id": job.id,
        "source": None if job.several else job.source,
        "link": job.link or None,
        "one_to_one": job.one_to_one or None,
        "block": job.block,
        "truth": job.truth,
        "exclude": list(job.exclude) or None,
        "also_compare": [list(rule) for rule in job.also_compare] or None,
        "model": chosen.model if chosen.model != default.model else None,
        "comparison": chosen.comparison if chosen.comparison != default.comparison else None,
        "labels": job.labels,
        "weights": job.weights,
        "merge_cost": chosen.threshold if chosen.threshold != default.threshold else None,
        "seed": chosen.seed,
        "samples": chosen.n_samples if chosen.n_samples != default.n_samples else None,
        "burn_in": chosen.n_burn_in if chosen.n_burn_in != default.n_burn_in else None,
        "neighbours": chosen.canopies.neighbours,
        "entities": chosen.n_entities,
        "documents": job.documents,
        "encoding": job.encoding,
        "partitions": job.partitions,
        "kinds": dict(job.kinds) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def job_to_store(job: Job) -> dict[str, Any]:
    """Return how a job reads and resolves records, as JSON holds it."""
    return {
        "id": job.id,
        "source": job.source,
        "several": job.several,
        "link": job.link,
        "one_to_one": job.one_to_one,
        "block": job.block,
        "truth": job.truth,
        "exclude": list(job.exclude),
        "also_compare": [list(rule) for rule in job.also_compare],
        "labels": job.labels,
        "weights": job.weights,
        "kinds": dict(job.kinds),
        "settings": asdict(job.settings),
        "toml": to_toml(job_settings(job)),
    }


def about_job(job: Job) -> dict[str, object]:
    """Return what a stopped run is known by: the version, its table and all its settings."""
    settings = job_settings(job) | {"model": asdict(job.settings)}
    return {"version": onoma.__version__, "table": fingerprint(job.table), "settings": settings}


def read_resume(job: Job, path: Path) -> Checkpoint:
    """Read where a run of this job was stopped; refuse that of another job."""
    checkpoint, about = read_checkpoint(path)
    mine: dict[str, Any] = about_job(job)
    if about["version"] != mine["version"]:
        raise DataError(f"was stopped by Onoma {about['version']}; this is {mine['version']}", file=path)
    if about["table"] != mine["table"]:
        raise DataError("was stopped on another table", file=path, hint="Give the same file, or leave out --resume.")
    if about["settings"] != mine["settings"]:
        before, now = _flat(about["settings"]), _flat(mine["settings"])
        differ = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
        said = ", ".join(f"{name} was {before.get(name)!r} and is {now.get(name)!r}" for name in differ[:5])
        raise SettingsError(
            f"{path}: was stopped with other settings: {said}", hint="Give the same ones, or leave out --resume."
        )
    return checkpoint


def _flat(settings: Mapping[str, Any], before: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in settings.items():
        found |= _flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {before + name: value}
    return found


def run_job(
    job: Job,
    *,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
    resume: Checkpoint | None = None,
    carry: Carry | None = None,
) -> Outcome:
    """Resolve, and score if the truth is given; the truth is used for nothing else."""
    if carry is not None and resume is not None:
        raise SettingsError("a run in partitions is not resumed", hint="Leave out --resume: it begins anew.")
    start = time.perf_counter()
    exclude = [*job.exclude, *([] if job.truth is None else [job.truth])]
    resolution = resolve(
        job.table,
        id=job.id,
        source=job.source,
        link=job.link,
        one_to_one=job.one_to_one,
        block=job.block,
        kinds=job.kinds,
        exclude=exclude,
        also_compare=job.also_compare,
        labels=job.labels,
        weights=job.weights,
        settings=job.settings,
        progress=progress,
        stop=stop,
        resume=resume,
        carry=carry,
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
        "model": resolution.settings.model,
        "fields": {each.name: {"kind": each.kind, "reason": each.reason} for each in resolution.fields.fields},
        "ignored": {each.name: each.reason for each in resolution.fields.ignored},
        "missing": [each._asdict() for each in resolution.fields.missing_report],
    }
    if resolution.fit is not None:
        found["samples"] = resolution.n_samples
        found["candidates"] = len(resolution.fit.candidates)
        found["hot_features"] = resolution.fit.candidates.n_hot
        recall = resolution.canopy_recall
        found["canopy_recall"] = None if recall is None else {k: _rounded(v) for k, v in recall._asdict().items()}
    found["interrupted"] = resolution.is_stopped
    found["settings"] = to_toml(job_settings(outcome.job))
    found["notes"] = [*outcome.job.notes, *resolution.notes]
    if outcome.evaluation is not None:
        found["metrics"] = outcome.evaluation.as_dict()
        found["calibration_error"] = outcome.calibration
    return found


def _rounded(value: float) -> float:
    return round(value, 6) if isinstance(value, float) else value


def _free(name: str, tables: Sequence[pa.Table]) -> str:
    taken = {column for table in tables for column in table.column_names}
    return name if name not in taken else next(f"{name}_{i}" for i in range(2, 1000) if f"{name}_{i}" not in taken)


def _source_names(files: Sequence[Path]) -> list[str]:
    """Return the names of the files without folder and ending, or whole where that would not tell them apart."""
    stems = [shown_path(path.name.split(".")[0]) for path in files]
    return stems if len(set(stems)) == len(stems) else [shown_path(path) for path in files]


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
