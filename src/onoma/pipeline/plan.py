"""The plan of a resolution, before any work: what columns are, how sources meet, which model, how long.

Only a part of each file is read: of delimited text and JSON Lines some stretches spread over the file, of Parquet the
first rows; about ten thousand rows in all. Small files are read whole.

Expected time: 2 s + 1 µs · rows · neighbours · fields, measured on two cores over tables of 5,000 to a million rows
(`python -m benchmarks scale resolve`); within a factor of three on machines like that.
"""

import gzip
import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO

import pyarrow as pa

from onoma.corpus.readers.source import compression_of
from onoma.corpus.readers.table import TableRead
from onoma.pipeline.resolution import Job, read_job, read_rows
from onoma.resolve.api import whole_records
from onoma.resolve.auto import pick_model
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.align import Aligned
from onoma.resolve.fields.rows import identified, read_sources
from onoma.resolve.ready import Ready, make_ready, prepare_rows
from onoma.resolve.registry import AUTO

__all__ = ["Aligned", "Plan", "plan_files", "plan_job"]

_MOST_ROWS = 10_000
_STRETCH, _N_STRETCHES = 500_000, 4
"""Bytes of a stretch of a file, and how many are read."""
_SECONDS, _SECONDS_OF_A_PAIR = 2.0, 1e-6
_TIMES = 3.0


@dataclass(frozen=True)
class Plan:
    """What a resolution would do."""

    rows: int
    """Of all files; estimated where only a part was read."""
    looked_at: int
    fields: Mapping[str, tuple[str, str]]
    """By field its kind and why."""
    ignored: Mapping[str, str]
    aligned: Sequence[Aligned]
    blocking: str
    model: str
    model_reason: str
    seconds: float
    """Expected; within a factor of three."""
    notes: Sequence[str] = ()
    types: Sequence[str] = ()
    """The types of rows, where there are several: each is resolved by itself, with its own model."""
    ready: Ready | None = field(default=None, repr=False, compare=False)
    """The table prepared, where all of it was looked at: the run need not do it again."""

    @property
    def is_sampled(self) -> bool:
        """Whether only a part was looked at."""
        return self.looked_at < self.rows

    @property
    def shortest(self) -> float:
        """The least time expected, in seconds."""
        return self.seconds / _TIMES

    @property
    def longest(self) -> float:
        """The most time expected, in seconds."""
        return self.seconds * _TIMES

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        found = asdict(replace(self, ready=None))
        del found["ready"]
        found["fields"] = {name: {"kind": kind, "reason": why} for name, (kind, why) in self.fields.items()}
        found["aligned"] = [each._asdict() for each in self.aligned]
        found["seconds"] = [round(self.shortest, 1), round(self.longest, 1)]
        return found


def plan_files(files: Sequence[Path], config: ResolveConfig | None = None) -> Plan:
    """Look at files, and say how they would be resolved.

    Parameters
    ----------
    files
        One file, or several sources.
    config
        What is asked for.
    """
    share: dict[Path, float] = {}
    job = read_job(files, config, on_error="reject", reader=partial(_read_part, share=share))
    return plan_job(job, share=min(share.values(), default=1.0))


def plan_job(job: Job, *, share: float = 1.0, resume: bool = False, engine: bool = False) -> Plan:
    """Say how a job would be done.

    Parameters
    ----------
    share
        The share of the rows that the job's table holds.
    resume, engine
        Whether a stopped run is to go on, and whether partitions are carried: not every model can.
    """
    config = job.config
    n = round(len(job.table) / share)
    table = _some_rows(job.table)
    is_whole, one_type = len(table) == n, resume or engine
    made = make_ready(table, config, one_type=one_type) if is_whole else _looked_at(job, table, one_type=one_type)
    ready, fields = made if is_whole else None, made.fields
    link, linking = (config.link, "") if ready is None or ready.parts else ready.linking
    if link is None:
        linking = "whether rows of one source can be the same is decided by the answers of both readings"
    config = replace(config, link=bool(link))
    model, why = config.model, "it was so chosen"
    if model == AUTO:
        asked = {"resume": resume, "engine": engine}
        largest = max(made.parts or (made,), key=lambda part: len(part.table))
        its = largest.fields.fields
        model, why = pick_model(its, config, **asked) if its else ("", "there is nothing to compare")
    k, _ = CanopySettings(neighbours=config.neighbours).resolved(n)
    notes, readings = ([linking] if linking else []), 2.0 if link is None else 1.0
    settled = model and link is not None  # without anything to compare there is no model
    if settled and (record := whole_records(made, replace(config, model=model), n)) is not None:
        notes.append(
            f"{record.name} holds whole records: it is tried as one text and taken apart, and the checks decide"
        )
        readings = 3.0  # as one text, by halves, and by fields
    return Plan(
        rows=n,
        looked_at=len(table),
        fields={each.name: (each.kind, each.reason) for each in fields.fields},
        ignored={each.name: each.reason for each in fields.ignored},
        aligned=list(job.aligned),
        blocking=_blocking(config, n, k),
        model=model,
        model_reason=why,
        seconds=(_SECONDS + _SECONDS_OF_A_PAIR * n * k * len(fields.fields)) * readings,
        notes=notes,
        types=[each.said() for each in made.types],
        ready=ready,
    )


def _looked_at(job: Job, table: pa.Table, *, one_type: bool) -> Ready:
    """Prepare a part as `resolve` would the whole."""
    config = job.config
    sources, codes = read_sources(table, config.source, link=False)
    table, note = identified(table, config.id, sources)
    return prepare_rows(table, sources, codes, note, config, one_type=one_type)


def _blocking(config: ResolveConfig, n: int, k: int) -> str:
    where = " of the other sources" if config.link else ""
    within = f" with the same {config.block!r}" if config.block is not None else ""
    pairs = n * k * 0.6  # many are neighbours of each other
    return (
        f"every row is compared with the {k} rows{where}{within} it shares most with, about {_rounded(pairs):,} pairs"
    )


def _rounded(x: float) -> int:
    digits = 10 ** max(0, int(math.log10(max(x, 1.0))) - 1)
    return int(round(x / digits) * digits)


def _some_rows(table: pa.Table) -> pa.Table:
    """Return four stretches of a long table: rows next to each other often belong together."""
    if len(table) <= _MOST_ROWS:
        return table
    size, step = _MOST_ROWS // _N_STRETCHES, len(table) // _N_STRETCHES
    return pa.concat_tables([table.slice(i * step, size) for i in range(_N_STRETCHES)])


def _read_part(path: Path, on_error: str, encoding: str | None, *, share: dict[Path, float]) -> TableRead:
    """Read a part of a file, and note which share of its rows it is."""
    share[path] = 1.0
    if not path.is_file() or path.stat().st_size <= _STRETCH * _N_STRETCHES:
        return read_rows(path, on_error, encoding)
    with path.open("rb") as file:
        head = file.read(8)
    if head[:4] == b"PAR1":
        return _first_rows(path, share)
    packed = compression_of(head)
    name = path.name.lower()
    name = name.removesuffix(".gz") if packed == "gzip" else name
    if packed not in (None, "gzip") or not name.endswith((".csv", ".tsv", ".txt", ".jsonl", ".ndjson")):
        return read_rows(path, on_error, encoding)
    with tempfile.NamedTemporaryFile("wb", suffix=Path(name).suffix) as part:
        if packed:
            share[path] = _copy_beginning(path, part)
        else:
            share[path] = _copy_stretches(path, part, header=not name.endswith(("jsonl", "ndjson")))
        part.flush()
        return read_rows(Path(part.name), on_error, encoding)


def _copy_beginning(path: Path, target: IO[bytes]) -> float:
    """Copy the first lines of a packed file; return about which share of it they are."""
    with path.open("rb") as raw, gzip.open(raw) as file:
        target.write(b"".join(file.readlines(_STRETCH * _N_STRETCHES)))
        return min(raw.tell() / path.stat().st_size, 1.0)


def _first_rows(path: Path, share: dict[Path, float]) -> TableRead:
    import pyarrow.parquet as pq  # not to be waited for where there is none

    file = pq.ParquetFile(path)
    batch = next(file.iter_batches(_MOST_ROWS), None)
    table = file.schema_arrow.empty_table() if batch is None else pa.Table.from_batches([batch])
    share[path] = len(table) / max(file.metadata.num_rows, 1)
    return TableRead(table, pa.table({}), [])


def _copy_stretches(path: Path, target: IO[bytes], *, header: bool) -> float:
    """Copy the header and whole lines of some stretches; return which share of the file they are."""
    taken = 0
    with path.open("rb") as file:
        if header:
            target.write(file.readline())
        step = path.stat().st_size // _N_STRETCHES
        for i in range(_N_STRETCHES):
            if i:
                file.seek(i * step)
                file.readline()
            lines = b"".join(file.readlines(_STRETCH))
            taken += len(lines)
            target.write(lines if lines.endswith(b"\n") else lines + b"\n")
    return min(taken / path.stat().st_size, 1.0)
