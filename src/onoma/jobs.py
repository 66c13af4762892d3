"""Work that can be watched from elsewhere: what goes on is noted in a file beside the output, and requests heard there.

The note is a working file of its process (`beside.py`), so that nothing is left of one that was killed. Whoever watches
(the studio) reads it; whoever wants the answer so far puts a second file beside it, which the work looks for where it
looks for Ctrl-C.
"""

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from onoma.beside import is_left, remove, sweep, working_place
from onoma.progress import Progress, Stop, Task

__all__ = ["Job", "ask_to_stop", "list_jobs", "noted"]

_EVERY = 0.5
"""Seconds between two notes."""
_ENDING = "job"
_STOP = ".stop"


@dataclass
class Job:
    """What is known of work under way."""

    command: str
    target: str
    started: float
    process: int
    stage: str = ""
    stage_started: float = 0.0
    done: int = 0
    total: int | None = None
    unit: str = ""
    facts: dict[str, float | str] = field(default_factory=dict)
    stages: list[tuple[str, float]] = field(default_factory=list)
    """What was done before, and how many seconds it took."""
    heeds: bool = False
    """Whether it ends with the answer so far, if it is asked to."""
    note: str = ""
    """The name of the file that this was read from."""
    is_asked: bool = False
    """Whether somebody asked it to end."""

    def seconds_left(self, now: float) -> float | None:
        """Return how long the stage takes yet, if that can be told."""
        if not self.total or not self.done or self.done >= self.total:
            return None
        return (now - self.stage_started) * (self.total - self.done) / self.done


class _Noted:
    """Progress that is shown as before and noted in a file."""

    def __init__(self, inner: Progress, place: Path, job: Job) -> None:
        self.inner, self.place, self.job = inner, place, job
        self._last = 0.0

    def task(self, name: str, total: int | None = None, unit: str = "") -> Task:
        return _NotedTask(self, self.inner.task(name, total, unit), name, total, unit)

    def write(self, *, now: bool = False) -> None:
        moment = time.monotonic()
        if not now and moment - self._last < _EVERY:
            return
        self._last = moment
        draft = self.place.with_name(self.place.name + ".tmp")
        with contextlib.suppress(OSError):  # a full disk does not end the work
            draft.write_text(json.dumps(asdict(self.job)), encoding="utf-8")
            draft.replace(self.place)


class _NotedTask:
    def __init__(self, noted_: _Noted, inner: Task, name: str, total: int | None, unit: str) -> None:
        self._noted, self._inner, self._about = noted_, inner, (name, total, unit)

    def __enter__(self) -> Self:
        job = self._noted.job
        job.stage, job.total, job.unit = self._about
        job.done, job.facts, job.stage_started = 0, {}, time.time()
        self._noted.write(now=True)
        self._inner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        job = self._noted.job
        job.stages.append((self._about[0], round(time.time() - job.stage_started, 1)))
        self._noted.write(now=True)
        self._inner.__exit__(kind, error, trace)

    def advance(self, n: int = 1, **facts: float | str) -> None:
        self._noted.job.done += n
        self._noted.job.facts |= facts
        self._noted.write()
        self._inner.advance(n, **facts)


class _Asked:
    """Hears a request in a file, and those that were heard before."""

    def __init__(self, inner: Stop, noted_: _Noted) -> None:
        self._inner, self._noted = inner, noted_
        self._file = noted_.place.with_name(noted_.place.name + _STOP)

    @contextlib.contextmanager
    def heeded(self) -> Iterator[Callable[[], bool]]:
        self._noted.job.heeds = True
        self._noted.write(now=True)
        try:
            with self._inner.heeded() as asked:
                yield lambda: asked() or self._file.exists()
        finally:
            self._noted.job.heeds = False
            self._noted.write(now=True)


@contextlib.contextmanager
def noted(target: Path | None, command: str, progress: Progress, stop: Stop) -> Iterator[tuple[Progress, Stop]]:
    """Note what goes on beside a target (None: nowhere), and hear there that it should end."""
    if target is None or not target.absolute().parent.is_dir() or target.is_dir():
        yield progress, stop
        return
    target = target.resolve()
    sweep(target, ending=_ENDING)  # of work that was killed
    place = working_place(target, ending=_ENDING)
    seen = _Noted(progress, place, Job(command, target.name, time.time(), os.getpid()))
    seen.write(now=True)
    try:
        yield seen, _Asked(stop, seen)
    finally:
        remove(place)


def list_jobs(folder: Path) -> list[Job]:
    """Return the work under way whose output is in a folder; notes of processes that are no more are removed."""
    found = []
    for place in sorted(folder.glob(f".*.{_ENDING}")):
        try:
            about = json.loads(place.read_text(encoding="utf-8"))
            job = Job(**about)
        except (OSError, ValueError, TypeError):
            continue
        if is_left(place, folder / job.target, ending=_ENDING):
            remove(place)
            continue
        job.note = place.name
        job.is_asked = place.with_name(place.name + _STOP).exists()
        found.append(job)
    return found


def ask_to_stop(folder: Path, note: str) -> bool:
    """Ask work under way to end with the answer so far; say whether there is such work that can."""
    for job in list_jobs(folder):
        if job.note == note and job.heeds:
            (folder / (note + _STOP)).touch()
            return True
    return False
