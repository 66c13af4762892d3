"""Whether a file can be read, what went wrong if not, and where bad rows go.

Every reader comes through here first (by way of `source.py`), so that a missing file or a folder is always the same
clear `DataError`.
"""

import difflib
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from onoma.errors import DataError, SettingsError

__all__ = [
    "REJECTS",
    "check_on_error",
    "check_readable",
    "check_text",
    "line_end_of",
    "make_rejects",
]

REJECTS = pa.schema(
    [
        pa.field("row", pa.int64(), metadata={"doc": "line in the file, from 1; null where the format has no lines"}),
        pa.field("reason", pa.string(), nullable=False, metadata={"doc": "why it could not be used"}),
        pa.field("text", pa.string(), metadata={"doc": "what stood there; bytes that are no UTF-8 as \\xNN"}),
    ]
)
"""What could not be used, and why."""


def make_rejects(rows: Sequence[tuple[int | None, str, str]]) -> pa.Table:
    """Make the rejects table of (row, reason, text)."""
    columns = zip(*rows, strict=True) if rows else [[], [], []]
    arrays = [pa.array(values, column.type) for column, values in zip(REJECTS, columns, strict=True)]
    return pa.Table.from_arrays(arrays, schema=REJECTS)


def check_on_error(on_error: str) -> bool:
    """Return whether bad rows are to be collected (`"reject"`) rather than to stop the work (`"stop"`)."""
    if on_error not in ("stop", "reject"):
        raise SettingsError(f"on_error is {on_error!r}; it may be 'stop' or 'reject'")
    return on_error == "reject"


def check_readable(path: str | Path) -> Path:
    """Return the path of a file that exists, is a file and may be read; say what is wrong otherwise."""
    path = Path(path)
    try:
        _refuse_folder(path)
        if path.is_fifo():  # who writes into it would find nobody there once it is closed
            return path
        with path.open("rb"):
            return path
    except FileNotFoundError as error:
        raise DataError("no such file", file=path, hint=_near_names(path)) from error
    except PermissionError as error:
        raise DataError("may not be read by this user", file=path, hint="Check its permissions (ls -l).") from error
    except DataError:  # a ValueError too: it has been said what is wrong
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise DataError(f"cannot be opened: {error}", file=repr(str(path))) from error


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        inside = sorted(child.name for child in path.iterdir() if child.is_file())[:5]
        hint = f"It holds {', '.join(inside)}: name one of them." if inside else "It holds no files."
        raise DataError("is a folder, not a file", file=path, hint=hint)


def _near_names(path: Path) -> str:
    folder = path.parent
    if str(path) == "-":
        return "Standard input is called /dev/stdin."
    if not folder.is_dir():
        return f"There is no folder {folder} either."
    names = sorted(child.name for child in folder.iterdir())
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"The folder {folder} holds {len(names):,} other entries, none with a similar name."


_FEW = 4
"""Zero bytes that a text may hold, however short it is."""


def check_text(raw: bytes, path: Path) -> None:
    """Refuse what cannot be text: binary data."""
    if raw[:4096].count(0) > max(0.1 * min(len(raw), 4096), _FEW):
        hint = "If it is text, it may be UTF-16; then name the encoding, for example: --encoding utf-16-le"
        raise DataError("is binary data, not UTF-8 text: every tenth byte or more is zero", file=path, hint=hint)


def line_end_of(raw: bytes) -> bytes:
    """Return what ends the lines: a carriage return where there is nothing else, as on old Macintoshes."""
    return b"\r" if b"\n" not in raw and b"\r" in raw else b"\n"
