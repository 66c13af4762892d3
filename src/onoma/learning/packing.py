"""Models in one file: a zip of arrays and a JSON header; the same model gives the same bytes.

Each array is a `.npy` packed by Zstandard, which packs weights as well as zip's own method does and unpacks them ten
times as fast.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from onoma.beside import place_for
from onoma.errors import DataError

__all__ = ["joined", "load_arrays", "open_arrays", "parted", "save_arrays"]

_HEADER, _SUFFIX, _VERSION, _LEVEL = "header.json", ".npy.zst", 2, 12
_DAMAGE = (
    OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error, zstandard.ZstdError,
)  # fmt: skip
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first time a zip can tell: two savings of one model are equal to the byte."""


def save_arrays(path: str | Path, kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and a header; the file appears whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    with place_for(path) as place, zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        text = json.dumps({"kind": kind, "version": _VERSION, **header}, ensure_ascii=False, indent=1)
        archive.writestr(_entry(_HEADER), text.encode("utf-8"), zipfile.ZIP_DEFLATED, 9)
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(_entry(name + _SUFFIX), packer.compress(buffer.getvalue()))


def load_arrays(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the header and arrays of a model of one kind."""
    with open_arrays(path, kind) as (header, arrays):
        return header, dict(arrays)


@contextmanager
def open_arrays(path: str | Path, kind: str) -> Iterator[tuple[dict[str, Any], Iterator[tuple[str, NDArray[Any]]]]]:
    """Give the header and, one by one, the arrays of a model of one kind: whoever lets each go holds one at a time."""
    path = Path(path)
    if not path.is_file():
        raise DataError("there is no model here", file=path, hint="Train one, or name a folder of models.")
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read(_HEADER))
            if header.get("kind") != kind or header.get("version") != _VERSION:
                raise DataError(
                    f"holds kind {header.get('kind')!r}, version {header.get('version')}; "
                    f"wanted {kind!r}, version {_VERSION}",
                    file=path,
                )
            yield header, _arrays(archive)
    except _DAMAGE as error:
        raise DataError(f"is damaged or no model: {error}", file=path, hint="Train the model again.") from error


def joined(texts: Iterable[str]) -> NDArray[np.uint8]:
    """Return texts without line ends as one array, to be stored.

    Examples
    --------
    >>> parted(joined(["one", "", "two"]))
    ['one', '', 'two']
    """
    return np.frombuffer("\n".join(texts).encode(), np.uint8)


def parted(stored: NDArray[np.uint8]) -> list[str]:
    """Return the texts that `joined` put together; no bytes are no text."""
    return stored.tobytes().decode().split("\n") if len(stored) else []


def _arrays(archive: zipfile.ZipFile) -> Iterator[tuple[str, NDArray[Any]]]:
    for name in archive.namelist():
        if name.endswith(_SUFFIX):
            with archive.open(name) as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
                yield name.removesuffix(_SUFFIX), _array(stream)


def _array(stream: Any) -> NDArray[Any]:  # noqa: ANN401 (zstandard's readers have no public class)
    """Unpack right into the array: no second copy of it is ever held."""
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array is of another version")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if fortran or dtype.hasobject:
        raise ValueError(f"an array of {dtype} is not one of numbers")
    array = np.empty(shape, dtype)
    room = array.reshape(-1).view(np.uint8).data
    while len(room):
        n = stream.readinto(room)
        if not n:
            raise ValueError("an array ends early")
        room = room[n:]
    if stream.read(1):
        raise ValueError("an array goes on after its end")
    return array


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, _EPOCH)
