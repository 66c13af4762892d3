"""Text models on disk: one `.npz` holding arrays and a JSON header; the same model gives the same bytes."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.beside import place_for
from onoma.errors import DataError

__all__ = ["load_arrays", "save_arrays"]

_HEADER = "header.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first time a zip can tell: two savings of one model are equal to the byte."""


def save_arrays(path: str | Path, kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays and a header; the file appears whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with place_for(path) as place, zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        text = json.dumps({"kind": kind, "version": 1, **header}, ensure_ascii=False, indent=1)
        archive.writestr(_entry(_HEADER), text.encode("utf-8"))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(_entry(f"{name}.npy"), buffer.getvalue())


def load_arrays(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the header and arrays of a model of one kind."""
    path = Path(path)
    if not path.is_file():
        raise DataError("there is no model here", file=path, hint="Train one, or name a folder of models.")
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read(_HEADER))
            arrays = {
                name[: -len(".npy")]: np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"is damaged or no model: {error}", file=path, hint="Train the model again.") from error
    if header.get("kind") != kind or header.get("version") != 1:
        raise DataError(
            f"holds kind {header.get('kind')!r}, version {header.get('version')}; wanted {kind!r}, version 1",
            file=path,
        )
    return header, arrays


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
