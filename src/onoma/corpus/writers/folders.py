"""Writing several files of a folder together.

They are written aside, into a working folder. When all are there, the working folder takes the place of a target that
is not there yet; into one that is, its files are moved in one go, and nothing else there is touched. A process that is
killed while they are written leaves what was there before. One that is killed while they are moved leaves a working
folder that is called ready: whoever writes there next moves the rest.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from onoma.beside import is_left, remove, sweep, working_place
from onoma.errors import DataError

__all__ = ["folder_for", "sweep_folder"]


@contextlib.contextmanager
def folder_for(path: str | Path, drop: Sequence[str] = ()) -> Iterator[Path]:
    """Give a folder to write files into; they appear in `path` together when all went well.

    Parameters
    ----------
    drop
        Names of files that go if they are not written: those of an earlier result that this one does not have.
    """
    path = Path(path)
    target = path.resolve()
    if target.exists() and not target.is_dir():
        raise DataError("is a file; several files are written, into a folder", file=path, hint="Name a folder: -o out/")
    place = target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep_folder(target)
        is_new = not target.exists()
        place = working_place(target if is_new else target / target.name)
        place.mkdir()
        yield place
        if is_new and not target.exists():
            place.rename(target)
        else:
            _move(place, target, drop)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", file=path) from error
    finally:
        if place != target:
            remove(place)


def sweep_folder(target: Path) -> list[Path]:
    """Put in order what killed processes left for a folder: remove what is half, move what is ready; return it."""
    found = sweep(target)
    if target.is_dir():
        found += sweep(target / target.name)
        for each in list(target.iterdir()):
            if is_left(each, target / target.name, ending="ready"):
                _empty(each, target)
                found.append(each)
    return found


def _move(place: Path, target: Path, drop: Sequence[str]) -> None:
    ready = working_place(target / target.name, ending="ready")
    place.rename(ready)  # from here on it is complete, and is brought to its end by anybody
    for name in drop:
        if not (ready / name).exists():
            (target / name).unlink(missing_ok=True)
    _empty(ready, target)
    remove(ready)


def _empty(ready: Path, target: Path) -> None:
    for each in sorted(ready.iterdir()):
        each.replace(target / each.name)
    ready.rmdir()
