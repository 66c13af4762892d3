"""Opening a file: what it is, whether it can be read, and what went wrong if not.

Every reader comes through here first, so that a missing file, a folder, a cut-off archive or bad UTF-8 is always the
same clear `DataError`.
"""

import difflib
import io
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa

from onoma.errors import DataError, SettingsError

__all__ = [
    "REJECTS",
    "check_on_error",
    "check_readable",
    "check_text",
    "compression_of",
    "decode",
    "make_rejects",
    "read_bytes",
    "read_text",
    "unpack",
]

REJECTS = pa.schema(
    [
        pa.field("row", pa.int64(), metadata={"doc": "line in the file, from 1; null where the format has no lines"}),
        pa.field("reason", pa.string(), nullable=False, metadata={"doc": "why it could not be used"}),
        pa.field("text", pa.string(), metadata={"doc": "what stood there; bytes that are no UTF-8 as \\xNN"}),
    ]
)
"""What could not be used, and why."""

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zX", "xz"))
_WIDE_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


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


def compression_of(head: bytes) -> str | None:
    """Return `"gzip"`, `"zstd"`, `"xz"` or None by the first bytes; names may lie, bytes do not."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def read_bytes(path: str | Path) -> bytes:
    """Return the whole content of a file, unpacked if it is gzip, zstd or xz."""
    path = check_readable(path)
    raw = path.read_bytes()  # at once: what is read of a pipe is gone
    if compression_of(raw) is None:
        return raw
    content = io.BytesIO()
    _unpack(io.BytesIO(raw), path, content)
    return content.getvalue()


def unpack(path: Path, target: IO[bytes]) -> None:
    """Write what is packed in a gzip, zstd or xz file to `target`; damage and a missing end are errors."""
    with path.open("rb") as file:
        _unpack(file, path, target)


def _unpack(file: IO[bytes], path: Path, target: IO[bytes]) -> None:
    packed = compression_of(file.read(4))
    file.seek(0)
    try:
        with lzma.open(file) if packed == "xz" else pa.CompressedInputStream(file, packed) as stream:
            while piece := stream.read(1 << 22):
                target.write(piece)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise DataError(
            f"is damaged or cut off: its {packed} data cannot be unpacked ({error})",
            file=path,
            hint="Fetch or make the file again.",
        ) from error


def read_text(path: str | Path) -> str:
    """Return the whole text of a UTF-8 file, unpacked, line ends and byte-order mark as they are."""
    return decode(read_bytes(path), Path(path))


def check_text(raw: bytes, path: Path) -> None:
    """Refuse what cannot be UTF-8 text: UTF-16, UTF-32, and binary data."""
    for mark, name in _WIDE_MARKS:
        if raw.startswith(mark):
            hint = f"Convert it first: iconv -f {name} -t UTF-8 {path.name}"
            raise DataError(f"is {name}; only UTF-8 is read", file=path, hint=hint)
    if raw[:4096].count(0) > 0.1 * min(len(raw), 4096):
        hint = "If it is text, it may be UTF-16; convert it with iconv."
        raise DataError("is binary data, not UTF-8 text: every tenth byte or more is zero", file=path, hint=hint)


def decode(raw: bytes, path: Path) -> str:
    """Decode UTF-8; name the line and byte where that fails."""
    check_text(raw, path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        raise DataError(
            f"byte {column:,} of the line is 0x{raw[error.start]:02X}, which is not UTF-8",
            file=path,
            row=line,
            hint=f"If it is Latin-1, convert it: iconv -f LATIN1 -t UTF-8 {path.name}",
        ) from error
