"""Working files: where an output is made before it is moved to its place, and who may make it.

A working file stands beside its target and is called `.NAME.HOST-PROCESS-CHANCE.part`. So no two writers share one, a
writer removes only what is its own, and what a killed process left is known by its number and removed by whoever writes
there next. A lock is a file `.NAME.lock` beside the target, whether the target is there or not; its holder removes it.
"""

import contextlib
import hashlib
import os
import platform
import re
import secrets
import shutil
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Self

from onoma.errors import DataError

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = ["Lock", "claimed", "clear_own", "is_left", "place_for", "remove", "sweep", "working_place"]

_HOST = hashlib.sha256(platform.node().encode("utf-8", "replace")).hexdigest()[:8]
"""Folders are shared between machines, and the numbers of processes are not."""
_OWN: set[Path] = set()
"""The working files of this process."""
_TAILS = (".wal", ".tmp", ".stop")
"""What stands beside a working file and goes with it: DuckDB's own, a draft, a request to end (`jobs.py`)."""
_LONGEST = 120
"""Bytes of a target's name that its working files carry: file systems allow 255 for all of it."""
_WAIT = "Wait until that is done and try again; reading it is possible meanwhile."
_CLAIMED: ContextVar[frozenset[Path]] = ContextVar("claimed", default=frozenset())


def working_place(target: Path, *, ending: str = "part") -> Path:
    """Return a place beside a target (a path without links) that nobody else uses; nothing is made there."""
    place = target.with_name(f".{_short(target.name)}.{_HOST}-{os.getpid()}-{secrets.token_hex(4)}.{ending}")
    _OWN.add(place)
    return place


def remove(place: Path) -> None:
    """Remove a working file or folder and what stands beside it; nothing happens where it is gone."""
    _OWN.discard(place)
    for each in (place, *(place.with_name(place.name + tail) for tail in _TAILS)):
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                each.unlink(missing_ok=True)


def clear_own() -> None:
    """Remove all working files of this process: for one that ends at once."""
    for place in list(_OWN):
        remove(place)


def sweep(target: Path, *, ending: str = "part") -> list[Path]:
    """Remove the working files of processes that are no more; return them."""
    found = []
    with contextlib.suppress(OSError):  # a folder that cannot be listed has nothing for us to remove
        found = [each for each in target.parent.iterdir() if is_left(each, target, ending=ending)]
    for each in found:
        remove(each)
    return found


def writers(target: Path) -> list[int]:
    """Return the processes that have a working file beside a target."""
    pattern = _pattern(target)
    found = (pattern.fullmatch(each.name) for each in target.parent.iterdir())
    return sorted({int(each["process"]) for each in found if each})


def is_left(place: Path, target: Path, *, ending: str = "part") -> bool:
    """Say whether this is a working file for a target, of a process that is no more."""
    found = _pattern(target, ending).fullmatch(place.name)
    if found is None or (found["host"] is not None and found["host"] != _HOST):
        return False
    process = int(found["process"])
    # Numbers come again: in a container every process may be the first one.
    return place not in _OWN if process == os.getpid() and found["host"] else not _is_alive(process)


def _pattern(target: Path, ending: str = "part") -> re.Pattern[str]:
    name = re.escape(_short(target.name))
    # Without host and chance: as earlier versions called them.
    who = r"(?:(?P<host>[0-9a-f]{8})-)?(?P<process>\d{1,9})(?:-[0-9a-f]{8})?"
    tails = "|".join(map(re.escape, _TAILS))
    return re.compile(rf"\.{name}\.{who}\.{ending}(?:{tails})?")


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # there, asking so would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    return True


def _short(name: str) -> str:
    """Return a name, or its beginning with a hash of it where it is long."""
    if len(os.fsencode(name)) <= _LONGEST:
        return name
    return f"{name[:24]}~{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"


@contextlib.contextmanager
def place_for(path: str | Path) -> Iterator[Path]:
    """Give a place beside `path` to write to; move it there once all went well, leave nothing behind otherwise.

    A device or pipe (`/dev/stdout`) is handed out as it is.
    """
    path = Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    target = path.resolve()  # a link stays a link: what it points to is replaced
    temporary = _reserve(target, path)
    try:
        yield temporary
        temporary.replace(target)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", file=path) from error
    finally:
        remove(temporary)


def _reserve(target: Path, path: Path) -> Path:
    if target.is_dir():
        raise DataError("is a folder; name a file to write", file=path)
    if not target.parent.is_dir():
        hint = f"Make it first: mkdir -p {path.parent}"
        raise DataError(f"cannot be written: there is no folder {path.parent}", file=path, hint=hint)
    sweep(target)
    temporary = working_place(target)
    try:
        temporary.touch(exist_ok=False)
    except OSError as error:
        remove(temporary)
        raise DataError(f"cannot be written: {error.strerror or error}", file=path) from error
    return temporary


class Lock:
    """The right to write to a target, known by its real name; held until the end, even by a process that is killed."""

    def __init__(self, target: Path, path: Path) -> None:
        self._target, self._path = target, path
        self._lock: FileLock | None = None

    def __enter__(self) -> Self:
        if self._target in _CLAIMED.get():
            return self
        from filelock import FileLock, Timeout  # most commands write no knowledge base

        lock = FileLock(self._target.with_name(f".{_short(self._target.name)}.lock"), timeout=0)
        try:
            lock.acquire()
        except Timeout as error:
            numbers = ", ".join(map(str, writers(self._target)))
            who = f"another process ({numbers})" if numbers else "another process"
            raise DataError(f"is being written by {who}", file=self._path, hint=_WAIT) from error
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror or error}", file=self._path) from error
        self._lock = lock
        _OWN.add(Path(lock.lock_file))
        sweep(self._target)
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            # Removed while it is held: whoever waits for this file sees that it is gone, and takes a new one.
            remove(Path(self._lock.lock_file))
            self._lock.release()


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold the right to write to a target from the beginning of long work; inside, its lock is open to this caller."""
    target = path.resolve()
    with Lock(target, path):
        token = _CLAIMED.set(_CLAIMED.get() | {target})
        try:
            yield
        finally:
            _CLAIMED.reset(token)
