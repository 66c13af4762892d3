"""What a resolution leaves behind: a table, a folder of tables, or a knowledge base; never half of it."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from onoma.beside import claimed
from onoma.corpus.formats import format_of, write_table
from onoma.corpus.writers.delimited import flat
from onoma.corpus.writers.files import rejects_beside, write_text
from onoma.corpus.writers.folders import folder_for
from onoma.errors import DataError
from onoma.pipeline.resolution import Outcome, about_job, job_settings, job_to_store, summary
from onoma.pipeline.targets import check_file, check_table
from onoma.resolve.posterior.checkpoint import fingerprint, write_checkpoint

__all__ = [
    "DATABASE",
    "FOLDER_FILES",
    "check_target",
    "claim",
    "files_of",
    "holds_all_tables",
    "resume_path",
    "store_outcome",
    "with_input",
    "write_outcome",
]

DATABASE = (".duckdb", ".ddb")


@contextlib.contextmanager
def claim(target: Path | None) -> Iterator[None]:
    """Be the only one to make this knowledge base, from before it is looked for until it is there."""
    if target is not None and _is_database(target) and target.absolute().parent.is_dir():
        with claimed(target):
            yield
    else:
        yield


def check_target(target: Path) -> list[str]:
    """Refuse an output that cannot be written, before the work and not after it; return what should be said.

    A database with one run of Onoma is replaced, and that is said. Any other file under such a name is left alone.
    """
    if _is_database(target):
        check_file(target)
        if not target.exists():
            return []
        _check_replaceable(target)
        return [f"{target}: an earlier result is there and will be replaced"]
    if _is_file(target):
        check_table(target, ", all tables as .duckdb")
    elif target.exists() and not target.is_dir():
        raise DataError("is a file without an ending; a folder, or a name such as resolved.csv, is wanted", file=target)
    return []


def _check_replaceable(target: Path) -> None:
    """Refuse to replace what is no result of ours, and one that people have worked on."""
    from onoma.kb.database import is_knowledge_base, read_knowledge_base  # much to load, for this alone

    if not is_knowledge_base(target):
        raise DataError(
            "is there already and was not written by onoma resolve; it is not replaced",
            file=target,
            hint="Choose another name, or remove it.",
        )
    with read_knowledge_base(target) as base:
        runs, judgements = base.rows("SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM judgements)")[0]
    if runs > 1 or judgements:
        raise DataError(
            f"is a knowledge base with {runs:,} runs and {judgements:,} judgements; it is not replaced",
            file=target,
            hint=f"Add to it: onoma resolve FILE --into {target}. Or choose another name, or remove it.",
        )


def _is_database(target: Path) -> bool:
    return target.suffix.lower() in DATABASE and not target.is_dir()


def _is_file(target: Path) -> bool:
    return bool(target.suffix) and not target.is_dir()


def holds_all_tables(target: Path) -> bool:
    """Return whether a target is for all that was found out, or for one table."""
    return _is_database(target) or not _is_file(target)


def resume_path(target: Path) -> Path:
    """Return where a stopped run is kept: beside the output, or inside if that is a folder."""
    return target.with_name(f"{target.name}.resume.npz") if _is_file(target) else target / "resume.npz"


def files_of(target: Path) -> list[Path]:
    """Return every file that a resolution may write for a target."""
    return [target, resume_path(target), *([] if _is_file(target) else [target / name for name in FOLDER_FILES])]


def write_outcome(outcome: Outcome, target: Path, *, command: str = "") -> list[Path]:
    """Write the memberships to a table file, or all tables into a folder or database; return what was written.

    Rows that could not be read go into a file of rejects beside them. A run that was stopped leaves a file to resume
    it; one that came to its end removes that of an earlier stop.
    """
    written = _write_tables(outcome, target, command)
    resume = resume_path(target)
    if outcome.resolution.checkpoint is None:
        resume.unlink(missing_ok=True)
        return written
    write_checkpoint(resume, outcome.resolution.checkpoint, about_job(outcome.job))
    return [*written, resume]


def store_outcome(outcome: Outcome, path: Path, *, command: str = "") -> None:
    """Write the outcome of a job as a new knowledge base."""
    from onoma.kb.store import store_resolution  # much to load, for this alone

    job = outcome.job
    about = {
        "settings": job_settings(job),
        "seed": job.config.seed,
        "table_fingerprint": fingerprint(job.table),
        "summary": json.dumps(summary(outcome), ensure_ascii=False),
    }
    store_resolution(
        outcome.resolution,
        path,
        job=job_to_store(job),
        about=about,
        rejects=job.rejects,
        command=command,
        seconds=outcome.seconds["total"],
    )


def _write_tables(outcome: Outcome, target: Path, command: str) -> list[Path]:
    rejects = outcome.job.rejects
    if _is_database(target):
        store_outcome(outcome, target, command=command)
        return [target]
    if _is_file(target):
        write_table(flat(with_input(outcome)) if _is_delimited(target) else with_input(outcome), target)
        return [target, *_write_rejects(rejects, rejects_beside(target))]
    with folder_for(target, drop=FOLDER_FILES) as folder:
        return [target / each.name for each in _write_folder(outcome, folder, command)]


def with_input(outcome: Outcome) -> pa.Table:
    """Return which entity each row is, and the row as it came: id, entity and probability first, by these names."""
    found = outcome.resolution.memberships
    for name in outcome.job.table.column_names:
        column = outcome.job.table[name]
        if name in found.column_names and _same(column, found[name]):
            continue
        options = (name, *(f"{name}_in_file{i}" for i in ("", *range(2, 1000))))
        found = found.append_column(next(each for each in options if each not in found.column_names), column)
    return found


def _same(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    try:
        return bool(one.cast(pa.string()).equals(other.cast(pa.string())))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False


def _is_delimited(target: Path) -> bool:
    return format_of(target).name in ("csv", "tsv")


FOLDER_FILES = (
    *(f"{name}.parquet" for name in ("memberships", "entities", "pairs", "weights", "nodes", "lineage", "review")),
    "summary.json",
    "report.html",
    "rejects.csv",
)
"""What may stand in a folder of results."""


def _write_folder(outcome: Outcome, folder: Path, command: str) -> list[Path]:
    """Write all tables, the summary and the report into a folder; return the files."""
    rejects = outcome.job.rejects
    written = []
    for name, table in outcome.resolution.tables().items():
        path = folder / f"{name}.parquet"
        write_table(table, path)
        written.append(path)
    path = folder / "summary.json"
    write_text(path, [json.dumps(summary(outcome), indent=1, ensure_ascii=False), "\n"])
    from onoma.resolve.report.write import write_report  # its charts take long to load

    report = folder / "report.html"
    write_report(
        outcome.resolution,
        report,
        evaluation=outcome.evaluation,
        gold=outcome.gold,
        command=command,
        settings=job_settings(outcome.job),
        notes=outcome.job.notes,
        n_rejected=0 if rejects is None else len(rejects),
    )
    return [*written, path, report, *_write_rejects(rejects, folder / "rejects.csv")]


def _write_rejects(rejects: pa.Table | None, path: Path) -> list[Path]:
    if rejects is None:
        return []
    write_table(rejects, path)
    return [path]
