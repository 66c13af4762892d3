"""The one way into a file: whatever is read is first a plain file of UTF-8 on disk.

A stream (a pipe, `/dev/stdin`, a FIFO) is read once, into a spool file, for what is read of it is gone. What is packed
is unpacked; what is not UTF-8 is written again in UTF-8 (`encoding.py`). A plain UTF-8 file stands for itself. Readers
may so look at a file as often as they like, and their memory does not depend on how well it was packed.
"""

import codecs
import errno
import lzma
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa

from onoma.corpus.readers.encoding import check_encoding, find_encoding, to_utf8
from onoma.corpus.readers.files import check_readable, check_text
from onoma.errors import DataError, shown_path

__all__ = [
    "Reading",
    "Source",
    "compression_of",
    "decode",
    "open_source",
    "read_bytes",
    "read_lines_of",
    "read_text",
    "reading",
]

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zX", "xz"))
_ENDINGS = {".gz": "gzip", ".zst": "zstd", ".xz": "xz", ".bz2": "bzip2"}
_NO_TEXT = bytes(set(range(32)) - set(b"\t\n\f\r"))
_BINARY = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # Parquet, zip (.xlsx), the old .xls: no text in any encoding
_HEAD = 4096
_PIECE = 1 << 22
_MOST_TIMES, _MOST_FREE = 300, 1 << 28


class Source(NamedTuple):
    """A file that can be read: the path as the user named it, the plain file, and what was done to get there."""

    path: Path
    plain: Path
    notes: list[str]

    def head(self, size: int = 4) -> bytes:
        """Return the first bytes."""
        with self.plain.open("rb") as file:
            return file.read(size)


@dataclass
class Reading:
    """How all files are read for a while, and what was done to read them."""

    encoding: str | None = None
    notes: list[str] = field(default_factory=list)


_READING: ContextVar[Reading | None] = ContextVar("reading", default=None)


@contextmanager
def reading(encoding: str | None = None) -> Iterator[Reading]:
    """Name the encoding of all text that is read inside where none is named; gather what is to be said of the files."""
    token = _READING.set(found := Reading(check_encoding(encoding)))
    try:
        yield found
    finally:
        _READING.reset(token)


@contextmanager
def open_source(path: str | Path, *, encoding: str | None = None, text: bool = True) -> Iterator[Source]:
    """Give the plain file behind a path; what had to be made for it is gone at the end.

    Parameters
    ----------
    path
        A file, packed or not, or a stream.
    encoding
        Of a text; None: as `reading` says, else a byte-order mark, UTF-8, or what is found.
    text
        Whether it is to be text; otherwise its bytes stay as they are.
    """
    around = _READING.get() or Reading()
    encoding = check_encoding(encoding) or around.encoding
    path = check_readable(path)
    with tempfile.TemporaryDirectory(prefix="onoma-", ignore_cleanup_errors=True) as folder:
        plain, notes = _spooled(path, Path(folder)), list[str]()
        with plain.open("rb") as file:
            packed = compression_of(head := file.read(4))
        if packed is not None:
            notes += _unchecked(path, packed, plain)
            plain = _unpacked(plain, packed, path, Path(folder) / "unpacked")
            with plain.open("rb") as file:
                head = file.read(4)
        elif path.suffix.lower() in _ENDINGS:
            notes.append(_not_packed(path, plain))
        if text and not head.startswith(_BINARY):
            plain = _in_utf8(plain, encoding, path, Path(folder) / "utf8", notes)
        around.notes += notes
        yield Source(path, plain, notes)


def read_bytes(path: str | Path) -> bytes:
    """Return the whole content of a file or stream, unpacked."""
    with open_source(path, text=False) as source:
        return source.plain.read_bytes()


def read_text(path: str | Path, *, encoding: str | None = None, notes: list[str] | None = None) -> str:
    """Return the whole text of a file or stream, line ends and byte-order mark as they are."""
    with open_source(path, encoding=encoding) as source:
        if notes is not None:
            notes += source.notes
        return decode(source.plain.read_bytes(), Path(path))


def read_lines_of(path: str | Path, *, encoding: str | None, notes: list[str]) -> str:
    """Return the whole text of a file of lines; where only carriage returns end them, these become line ends."""
    text = read_text(path, encoding=encoding, notes=notes)
    if "\n" in text or "\r" not in text:
        return text
    notes.append("its lines end in carriage returns alone, as on old Macintoshes")
    return text.replace("\r", "\n")


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
            hint="If the file is in another encoding, name it, for example: --encoding latin-1",
        ) from error


def compression_of(head: bytes) -> str | None:
    """Return `"gzip"`, `"zstd"`, `"xz"` or None by the first bytes; names may lie, bytes do not."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def _spooled(path: Path, folder: Path) -> Path:
    """Give a regular file whose name is text: the file itself, a link to it, or a copy of the stream."""
    if not path.is_file():
        with path.open("rb") as stream, (folder / "spool").open("wb") as spool:
            _copy(stream, spool, path)
        return folder / "spool"
    if shown_path(path) == str(path):
        return path
    (folder / "link").symlink_to(path.resolve())  # DuckDB and Arrow take names that are UTF-8
    return folder / "link"


def _unpacked(plain: Path, packed: str, path: Path, target: Path) -> Path:
    """Unpack a file; damage, a missing end and a bomb are errors."""
    most = max(_MOST_FREE, _MOST_TIMES * plain.stat().st_size)
    try:
        with (
            plain.open("rb") as raw,
            lzma.open(raw) if packed == "xz" else pa.CompressedInputStream(raw, packed) as stream,
            target.open("wb") as file,
        ):
            _copy(stream, file, path, most)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise DataError(
            f"is damaged or cut off: its {packed} data cannot be unpacked ({error})",
            file=path,
            hint="Fetch or make the file again.",
        ) from error
    return target


def _not_packed(path: Path, plain: Path) -> str:
    """Say of a file that is named as packed that it is not; refuse it if it is not plainly something else."""
    packed = _ENDINGS[path.suffix.lower()]
    with plain.open("rb") as file:
        head = file.read(_HEAD)
    if not (head.startswith(_BINARY) or _is_text(head)):
        known = "what is unpacked (gzip, zstd, xz) is known by its first bytes"
        hint = "Unpack it first." if packed == "bzip2" else "Fetch or make the file again."
        raise DataError(f"is called {path.suffix} and does not begin as {packed} data; {known}", file=path, hint=hint)
    return f"{path.name} is not packed, though its name says {packed}; it was read as it is"


def _is_text(head: bytes) -> bool:
    """Say whether a file begins with UTF-8 without signs that texts do not hold."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    return head.translate(None, _NO_TEXT) == head


def _copy(stream: IO[bytes], target: IO[bytes], path: Path, most: int | None = None) -> None:
    """Copy a stream to a file on disk; a full disk is not the stream's fault."""
    n_bytes = 0
    while piece := stream.read(_PIECE):
        n_bytes += len(piece)
        if most is not None and n_bytes > most:
            hint = "If you trust it, unpack it first and name the plain file."
            raise DataError(f"unpacks to more than {_MOST_TIMES} times its size", file=path, hint=hint)
        try:
            target.write(piece)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            free = shutil.disk_usage(tempfile.gettempdir()).free
            hint = f"{tempfile.gettempdir()} has {free / 1e9:,.1f} GB free; TMPDIR names another place."
            raise DataError("does not fit on the disk when it is unpacked or spooled", file=path, hint=hint) from error


def _unchecked(path: Path, packed: str, plain: Path) -> list[str]:
    """Say of zstd data without a checksum that damage in it cannot be seen."""
    with plain.open("rb") as file:
        head = file.read(5)
    if packed != "zstd" or len(head) < 5 or head[4] & 0b100:
        return []
    return [f"{path.name} carries no checksum: damage in it might not be seen (zstd --check writes one)"]


def _in_utf8(plain: Path, encoding: str | None, path: Path, target: Path, notes: list[str]) -> Path:
    """Give the file in UTF-8."""
    found = find_encoding(plain) if encoding is None else encoding
    if found is None or found in ("utf-8", "utf-8-sig", "ascii"):
        return plain
    if encoding is None:
        wrong = "if that is wrong, give --encoding NAME or save it as UTF-8"
        notes.append(f"{path.name} is not UTF-8 and was read as {found}; {wrong}")
    with target.open("wb") as file:
        to_utf8(plain, found, file, path)
    return target
