"""What a resolution leaves behind: a table, a folder of tables with the report, or one database; never half of it."""

import importlib.metadata
import json
import platform
from pathlib import Path

import pyarrow as pa

from onoma.corpus.formats import FORMATS, format_of, write_table
from onoma.corpus.store import database_tables, write_database
from onoma.corpus.writers.files import write_text
from onoma.errors import DataError
from onoma.pipeline.resolution import Outcome, about_job, job_settings, summary
from onoma.pipeline.settings import to_toml
from onoma.resolve.checkpoint import fingerprint, write_checkpoint
from onoma.resolve.report import write_report
from onoma.resolve.resolution import Resolution

__all__ = ["check_target", "resume_path", "write_outcome"]

DATABASE = (".duckdb", ".ddb")
_OURS = {"memberships", "entities", "runs"}
"""Tables by which a database is known as one of ours."""


def check_target(target: Path) -> list[str]:
    """Refuse an output that cannot be written, before the work and not after it; return what should be said.

    A database that Onoma wrote is replaced, and that is said. Any other file under such a name is left alone.
    """
    if _is_database(target):
        if not target.exists():
            return []
        if not set(database_tables(target) or []) >= _OURS:
            raise DataError(
                "is there already and was not written by onoma resolve; it is not replaced",
                file=target,
                hint="Choose another name, or remove it.",
            )
        return [f"{target}: an earlier result is there and will be replaced"]
    if _is_file(target) and format_of(target).write_table is None:
        tables = ", ".join(entry.name for entry in FORMATS.values() if entry.write_table)
        raise DataError(
            f"{format_of(target).name} is not written; a table can be written as {tables}, all tables as duckdb",
            file=target,
        )
    if not _is_file(target) and target.exists() and not target.is_dir():
        raise DataError("is a file without an ending; a folder, or a name such as resolved.csv, is wanted", file=target)
    return []


def _is_database(target: Path) -> bool:
    return target.suffix.lower() in DATABASE and not target.is_dir()


def _is_file(target: Path) -> bool:
    return bool(target.suffix) and not target.is_dir()


def resume_path(target: Path) -> Path:
    """Return where a stopped run is kept: beside the output, or inside if that is a folder."""
    return target.with_name(f"{target.name}.resume.npz") if _is_file(target) else target / "resume.npz"


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


def _write_tables(outcome: Outcome, target: Path, command: str) -> list[Path]:
    rejects = outcome.job.rejects
    if _is_database(target):
        write_database(_all_tables(outcome, command), target)
        return [target]
    if _is_file(target):
        write_table(outcome.resolution.memberships, target)
        return [target, *_write_rejects(rejects, target.with_name(f"{target.name.split('.')[0]}.rejects.csv"))]
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in _tables(outcome.resolution).items():
        path = target / f"{name}.parquet"
        write_table(table, path)
        written.append(path)
    path = target / "summary.json"
    write_text(path, [json.dumps(summary(outcome), indent=1, ensure_ascii=False), "\n"])
    report = target / "report.html"
    write_report(
        outcome.resolution,
        report,
        evaluation=outcome.evaluation,
        gold=outcome.gold,
        command=command,
        settings=to_toml(job_settings(outcome.job)),
        notes=outcome.job.notes,
        n_rejected=0 if rejects is None else len(rejects),
    )
    return [*written, path, report, *_write_rejects(rejects, target / "rejects.csv")]


def _tables(resolution: Resolution) -> dict[str, pa.Table]:
    tables = {
        "memberships": resolution.memberships,
        "entities": resolution.entities,
        "pairs": resolution.pairs(),
    }
    if resolution.fit is not None:
        tables["weights"] = resolution.weights()
    return tables


def _all_tables(outcome: Outcome, command: str) -> dict[str, pa.Table]:
    resolution = outcome.resolution
    fields = resolution.fields
    used = [{"column": each.name, "kind": each.kind, "reason": each.reason} for each in fields.fields]
    unused = [{"column": each.name, "kind": "ignored", "reason": each.reason} for each in fields.ignored]
    text = pa.string()
    tables = {"records": resolution.table, **_tables(resolution)}
    tables["fields"] = pa.Table.from_pylist(
        used + unused, schema=pa.schema([("column", text), ("kind", text), ("reason", text)])
    )
    tables["missing"] = pa.Table.from_pylist(
        [each._asdict() for each in fields.missing_report],
        schema=pa.schema([("column", text), ("value", text), ("n_records", pa.int64()), ("why", text)]),
    )
    tables["runs"] = _run(outcome, command)
    if outcome.job.rejects is not None:
        tables["rejects"] = outcome.job.rejects
    return tables


def _run(outcome: Outcome, command: str) -> pa.Table:
    """Return one row about the run: what was asked, on what, with which versions, and what came of it."""
    versions = {name: importlib.metadata.version(name) for name in ("onoma", "numpy", "numba", "pyarrow", "duckdb")}
    entities, low, high = outcome.resolution.entity_count()
    row = {
        "command": command,
        "settings": to_toml(job_settings(outcome.job)),
        "seed": outcome.job.settings.seed,
        "table_fingerprint": fingerprint(outcome.job.table),
        "versions": json.dumps({"python": platform.python_version(), **versions}),
        "rows": len(outcome.resolution.table),
        "entities": entities,
        "entities_low": low,
        "entities_high": high,
        "interrupted": outcome.resolution.checkpoint is not None,
        "summary": json.dumps(summary(outcome), ensure_ascii=False),
    }
    return pa.Table.from_pylist([row])


def _write_rejects(rejects: pa.Table | None, path: Path) -> list[Path]:
    if rejects is None:
        return []
    write_table(rejects, path)
    return [path]
