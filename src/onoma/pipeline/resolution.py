"""The main job: read, resolve, score where the truth is given, and say what came of it."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import onoma
from onoma.corpus.clustering import ABSENT, Clustering
from onoma.corpus.formats import FORMATS
from onoma.corpus.formats import read_rows as read_any
from onoma.corpus.readers.table import TableRead
from onoma.corpus.records import alike, id_column, with_ids
from onoma.errors import DataError, SettingsError, shown_path
from onoma.numerics.parts import n_threads
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.api import resolve
from onoma.resolve.blocking.conditions import check_rules
from onoma.resolve.check.abstain import Review
from onoma.resolve.check.quality import Quality
from onoma.resolve.comparison.given import read_weights
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Carry
from onoma.resolve.fields.align import Aligned, align_tables, check_shared
from onoma.resolve.posterior.checkpoint import Checkpoint, fingerprint, read_checkpoint
from onoma.resolve.quality.recall import CanopyRecall
from onoma.resolve.ready import Ready
from onoma.resolve.result import Resolution

if TYPE_CHECKING:
    from onoma.evaluate.report import Evaluation

__all__ = [
    "Job",
    "Outcome",
    "about_job",
    "calibration_error",
    "job_settings",
    "job_to_store",
    "make_job",
    "read_job",
    "read_resume",
    "read_rows",
    "run_job",
    "summary",
]


@dataclass(frozen=True, kw_only=True)
class Job:
    """What to resolve, and how."""

    table: pa.Table
    config: ResolveConfig = field(default_factory=ResolveConfig)
    aligned: Sequence[Aligned] = ()
    """Columns that other files call otherwise, and why they are taken for the same."""
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
    evaluation: "Evaluation | None"
    calibration: float | None
    """Mean gap between stated and true pair probabilities, in ten bins; None without truth."""
    seconds: Mapping[str, float]
    peak_mb: float | None
    """The most memory that was used; None where the system does not tell."""
    recall: CanopyRecall | None = None
    """The blocking recall, where that was estimated."""
    quality: Quality | None = None
    """What the checks said; None: they were not asked for, or the run was stopped."""
    stated: Mapping[str, float] = field(default_factory=dict)
    """With the truth: how far pairs stated at 95 % or more, and all pairs, hold before and after recalibration."""


Reader = Callable[[Path, str, str | None], TableRead]
"""Reads a file, given what to do with bad rows and the encoding."""


def read_job(
    files: Sequence[Path],
    config: ResolveConfig | None = None,
    *,
    on_error: str = "stop",
    reader: Reader | None = None,
) -> Job:
    """Read one file, or several that become one table with a column `source` of their names.

    Parameters
    ----------
    reader
        Reads a file; `read_rows` if not given.
    """
    config = config or ResolveConfig()
    tables, notes, rejects = _read(files, config, on_error, reader or read_rows)
    if not any(len(table) for table in tables):
        raise DataError("there are no rows to resolve", file=files[0])
    job = make_job(tables, _source_names(files), config)
    return replace(job, notes=notes, rejects=pa.concat_tables(rejects) if rejects else None)


def make_job(tables: Sequence[pa.Table], names: Sequence[str], config: ResolveConfig) -> Job:
    """Return the job of one table, or of several that become one with a column `source` of their names."""
    aligned: Sequence[Aligned] = ()
    if config.parse:
        tables, config = _parsed(tables, config)
    if config.map and len(tables) == 1:
        raise SettingsError("--map is for several files", hint="It says which of their columns are the same.")
    if len(tables) > 1:
        if config.source is not None:
            raise SettingsError(
                "several files are sources already; --source is for one file that holds several",
                hint="Leave out --source, or join the files first.",
            )
        known = [name for name in (config.id, config.truth, config.labels, "id") if name]
        alignment = align_tables(_with_one_id(tables, config.id), names, given=config.map, exclude=known)
        check_shared(alignment)
        tables, aligned = alignment.tables, alignment.aligned
        config = replace(config, source=_free("source", tables))
        tables = [
            table.append_column(config.source, pa.array([name] * len(table), pa.string()))
            for table, name in zip(tables, names, strict=True)
        ]
    table = tables[0] if len(tables) == 1 else pa.concat_tables(alike(tables), promote_options="permissive")
    if config.link and config.source is None:
        raise SettingsError("linking needs two sources", hint="Give two files, or one file and --source COLUMN.")
    _check_columns(table, config)
    check_rules(table, config)
    if config.weights is not None:
        read_weights(config.weights)  # what is wrong with it is said before any work
    return Job(table=table, config=config, aligned=aligned, several=len(tables) > 1)


def _parsed(tables: Sequence[pa.Table], config: ResolveConfig) -> tuple[list[pa.Table], ResolveConfig]:
    """Return tables with the fields of their raw texts, which are then no evidence themselves."""
    from onoma.extract.columns import parse_table

    without = tuple(dict.fromkeys((*config.exclude, *config.parse)))
    return [parse_table(table, config.parse) for table in tables], replace(config, exclude=without)


def _read(
    files: Sequence[Path], config: ResolveConfig, on_error: str, reader: Reader
) -> tuple[list[pa.Table], list[str], list[pa.Table]]:
    """Return the tables of files, what is to be said of them, and the rows that could not be read."""
    tables, notes, rejects = [], [], []
    for path in files:
        read = reader(path, on_error, config.encoding)
        table, bad = (read.table, None) if config.source else _with_good_ids(read.table, config.id, on_error)
        tables.append(table)
        notes += read.notes
        for rows, said in (
            (read.rejects, ("1 row could not be read", "rows could not be read")),
            (bad, ("1 row had no id of its own", "rows had no id of their own")),
        ):
            if rows is not None and len(rows):
                notes.append(f"{shown_path(path)}: {said[0] if len(rows) == 1 else f'{len(rows):,} {said[1]}'}")
                rejects.append(rows)
    return tables, notes, rejects


def _check_columns(table: pa.Table, config: ResolveConfig) -> None:
    """Refuse columns that are not there, before any work."""
    ruled = (column for rule in config.also_compare for column in rule)
    for name in (config.truth, config.labels, config.block, config.source, *config.exclude, *ruled):
        if name is not None and name not in table.column_names:
            raise SettingsError(
                f"there is no column {name!r}", hint=f"The columns are {', '.join(table.column_names)}."
            )


def _with_one_id(tables: Sequence[pa.Table], id: str | None) -> list[pa.Table]:
    """Give every table a column `id` where the tables call theirs by different names, or some have none."""
    if id is not None or len({id_column(table) for table in tables}) == 1:
        return list(tables)
    return [with_ids(table).table for table in tables]


def read_rows(path: Path, on_error: str, encoding: str | None) -> TableRead:
    """Read a table, or a bibliography: a row for each author and editor."""
    bare = path.name.lower()
    for packed in (".gz", ".zst", ".xz"):
        bare = bare.removesuffix(packed)
    if not bare.endswith(FORMATS["bibtex"].extensions):
        return read_any(path, on_error=on_error, encoding=encoding)
    from onoma.corpus.readers.bibtex import read_bibtex  # its parser is much to load

    read = read_bibtex(path, on_error=on_error, encoding=encoding)
    return TableRead(read.table.drop_columns(["entry_type", "role", "position"]), read.rejects, read.notes)


def _with_good_ids(table: pa.Table, id: str | None, on_error: str) -> tuple[pa.Table, pa.Table | None]:
    """Leave out rows whose id is missing or was there before, if bad rows are to be rejected."""
    if on_error != "reject":
        return table, None
    rejects = with_ids(table, id, on_error="reject").rejects
    bad = np.asarray(rejects["row"], dtype=np.int64) - 1
    return table.take(pa.array(np.setdiff1d(np.arange(len(table)), bad))), rejects


def job_settings(job: Job) -> str:
    """Return the file of settings that repeats a job."""
    return job.config.to_toml(leave_out=("source",) if job.several else ())


def job_to_store(job: Job) -> dict[str, Any]:
    """Return how a job reads and resolves records, as JSON holds it."""
    return {"config": job.config.to_json(), "several": job.several, "toml": job_settings(job)}


def about_job(job: Job) -> dict[str, Any]:
    """Return what a stopped run is known by: the version, its table and its configuration."""
    return {"version": onoma.__version__, "table": fingerprint(job.table), "settings": job.config.to_json()}


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
    recall: bool = True,
    ready: Ready | None = None,
) -> Outcome:
    """Resolve, and score if the truth is given; the truth is used for nothing else.

    Parameters
    ----------
    recall
        Whether to estimate the blocking recall, which takes a while.
    ready
        The job's table, where a plan has prepared it already.
    """
    start = time.perf_counter()
    table = job.table if ready is None else ready
    resolution = resolve(table, job.config, progress=progress, stop=stop, resume=resume, carry=carry)
    seconds = {} if resolution.posterior is None else dict(resolution.posterior.seconds)
    before, quality = resolution, None
    # Who stops it, waits for it; so nothing is estimated then.
    with _estimating(resolution, wanted=recall and not resolution.is_stopped) as estimate:
        if not job.config.no_check and not resolution.is_stopped:
            quality, resolution = resolution.quality, resolution.recalibrated()
            if job.config.review_budget is not None:
                resolution = resolution.abstaining(job.config.review_budget)
        waited = time.perf_counter()
        reach = estimate()
    seconds |= {} if reach is None else {"blocking recall": time.perf_counter() - waited}
    seconds |= {"checks": quality.seconds} if quality is not None and quality.seconds else {}
    seconds["total"] = time.perf_counter() - start
    gold = evaluation = calibration = None
    stated: dict[str, float] = {}
    if job.config.truth is not None:
        from onoma.pipeline.evaluation import gold_labels  # measures are much to load

        gold = Clustering.from_labels(gold_labels(job.table[job.config.truth]))
        evaluation = _score(gold, resolution.clustering)
        calibration = calibration_error(resolution, gold)
        stated = _held(before, resolution, gold)
    return Outcome(job, resolution, gold, evaluation, calibration, seconds, _peak_mb(), reach, quality, stated)


@contextmanager
def _estimating(resolution: Resolution, *, wanted: bool) -> Iterator[Callable[[], CanopyRecall | None]]:
    """Estimate the blocking recall beside what is done inside, which knows nothing of it.

    What is given waits for it. Most of it is done by kernels, and most of the checks is not: two cores have both in
    little more than the time of the longer one, and what the run waits for it is the time that counts as its own.
    """

    def estimate() -> CanopyRecall | None:
        return resolution.canopy_recall

    if not wanted:
        yield lambda: None
    elif n_threads() == 1:
        yield estimate
    else:
        with ThreadPoolExecutor(1) as pool:
            yield pool.submit(estimate).result


def _held(before: Resolution, after: Resolution, gold: Clustering) -> dict[str, float]:
    """Return how far what is stated holds, before and after recalibration, where there is something stated."""
    found = {}
    for name, each in (("unchecked", before), ("checked", after)):
        error = calibration_error(each, gold)
        if error is not None:
            found[f"calibration_error_{name}"] = error
        share = _sure_and_true(each, gold)
        if share is not None:
            found[f"true_of_sure_{name}"] = share
    return found


def _sure_and_true(resolution: Resolution, gold: Clustering, least: float = 0.95) -> float | None:
    """Return the share that is true of the pairs of an entity whose rows are both so sure of their place."""
    use = (resolution.probability >= least) & (gold.labels != ABSENT)
    found, true = (each.take(use) for each in (resolution.clustering, gold))
    cells = Clustering.from_labels(found.labels.astype(np.int64) * (len(true) + 1) + true.labels)
    n_sure, n_true = (float((s * (s - 1.0)).sum()) for s in (found.sizes, cells.sizes))
    return n_true / n_sure if n_sure else None


def _score(gold: Clustering, predicted: Clustering) -> "Evaluation":
    from onoma.evaluate.metrics import REPORTED
    from onoma.evaluate.report import evaluate

    labelled = gold.labels != ABSENT
    return evaluate(gold.take(labelled), predicted.take(labelled), metrics=REPORTED)


def calibration_error(resolution: Resolution, gold: Clustering, *, floor: float = 0.01, bins: int = 10) -> float | None:
    """Return the expected calibration error of the stated pairs: those at or above the floor, both rows labelled."""
    if resolution.posterior is None:
        return None
    a, b, stated = resolution.posterior.pairs
    one, other = gold.labels[a], gold.labels[b]
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
        "peak_mb": None if outcome.peak_mb is None else round(outcome.peak_mb),
        "seed": resolution.config.seed,
        "model": resolution.config.model,
        "fields": {each.name: {"kind": each.kind, "reason": each.reason} for each in resolution.fields.fields},
        "ignored": {each.name: each.reason for each in resolution.fields.ignored},
        "aligned": [each._asdict() for each in outcome.job.aligned],
        "missing": [each._asdict() for each in resolution.fields.missing_report],
    }
    if resolution.posterior is not None:
        found["samples"] = resolution.n_samples
    if resolution.weighed is not None:
        found["candidates"] = len(resolution.weighed.candidates)
        found["hot_features"] = resolution.weighed.candidates.n_hot
        recall = outcome.recall
        found["canopy_recall"] = None if recall is None else {k: _rounded(v) for k, v in recall._asdict().items()}
    if outcome.quality is not None:
        found["calibrated"] = outcome.quality.calibrated
        found["quality"] = outcome.quality.as_dict()
    if resolution.review is not None:
        found["review"] = _review(resolution, resolution.review)
    found["interrupted"] = resolution.is_stopped
    found["settings"] = job_settings(outcome.job)
    found["notes"] = [*outcome.job.notes, *resolution.notes]
    if outcome.evaluation is not None:
        found["metrics"] = outcome.evaluation.as_dict()
        found["calibration_error"] = outcome.calibration
        found["stated"] = {name: _rounded(value) for name, value in outcome.stated.items()}
    return found


def _review(resolution: Resolution, review: Review) -> dict[str, object]:
    questions = review.table(resolution).to_pylist()
    return {
        "given_up": review.n_given_up,
        "rows_left_out": int(review.left_out.sum()),
        "expected_precision": round(review.precision, 6),
        "questions": [{k: _rounded(v) for k, v in each.items()} for each in questions],
    }


def _rounded(value: float) -> float:
    return round(value, 6) if isinstance(value, float) else value


def _free(name: str, tables: Sequence[pa.Table]) -> str:
    taken = {column for table in tables for column in table.column_names}
    return name if name not in taken else next(f"{name}_{i}" for i in range(2, 1000) if f"{name}_{i}" not in taken)


def _source_names(files: Sequence[Path]) -> list[str]:
    """Return the names of the files without folder and ending, or whole where that would not tell them apart."""
    stems = [shown_path(path.name.split(".")[0]) for path in files]
    return stems if len(set(stems)) == len(stems) else [shown_path(path) for path in files]


def _peak_mb() -> float | None:
    """Return the most memory that this process ever held; None where the system does not tell (Windows)."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
