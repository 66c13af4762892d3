"""Writing a file whole or not at all."""

import contextlib
import gzip
import lzma
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, cast

import zstandard

from onoma.beside import place_for

__all__ = ["open_output", "rejects_beside", "write_text"]


def rejects_beside(target: Path) -> Path:
    """Return the file for what could not be read, beside what is written.

    Examples
    --------
    >>> rejects_beside(Path("who.csv.gz")).name
    'who.rejects.csv'
    """
    return target.with_name(f"{target.name.split('.')[0]}.rejects.csv")


@contextlib.contextmanager
def open_output(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes, packed if its name ends in .gz, .zst or .xz; it appears when all is written."""
    suffix = Path(path).suffix.lower()
    with place_for(path) as place, place.open("wb") as raw:
        if suffix == ".gz":
            # No name and no time inside: the same content gives the same bytes.
            with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                yield cast(IO[bytes], packed)
        elif suffix == ".zst":
            # With a checksum of the content: without, half of all flipped bits are read as something else.
            packer = zstandard.ZstdCompressor(write_checksum=True)
            with packer.stream_writer(raw, closefd=False) as packed:
                yield cast(IO[bytes], packed)
        elif suffix == ".xz":
            with lzma.open(raw, "wb") as packed:
                yield cast(IO[bytes], packed)
        else:
            yield raw


def write_text(path: str | Path, pieces: Iterable[str]) -> None:
    """Write text as UTF-8, line ends as they are; in pictures and pages, signs unknown to XML become �."""
    text = "".join(pieces)
    if Path(path).suffix.lower() in (".svg", ".html"):
        text = _NOT_XML.sub("\ufffd", text)
    with open_output(path) as output:
        output.write(text.encode("utf-8"))


_NOT_XML = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]|&#x0*(?:[0-8bcef]|1.|7f);"
)
"""What no XML may hold, plain or as a reference; and what terminals obey."""
