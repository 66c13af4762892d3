"""Models on disk: a folder with `model.json` (what it is, its settings and names) and `arrays.npz` (its numbers)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from onoma.beside import place_for
from onoma.errors import DataError
from onoma.numerics.archive import ArchiveError, read_archive, seal_of

__all__ = ["kind_of", "load_model", "save_model"]


def save_model(folder: str | Path, kind: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model; an existing one in the same folder is replaced."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise DataError("is no folder; a model is kept in a folder", file=folder, hint="Name another place.") from error
    told = json.loads(json.dumps({"kind": kind, "version": 1, **facts}))  # as it will be read
    told["seal"] = seal_of(told, arrays)
    with place_for(folder / "model.json") as facts_place, place_for(folder / "arrays.npz") as place:
        facts_place.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
        with place.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **dict(arrays))


def load_model(folder: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model of one kind; return its facts and arrays."""
    path = Path(folder) / "model.json"
    facts = _facts(path)
    if facts.get("kind") != kind or facts.get("version") != 1:
        raise DataError(
            f"holds a model of kind {facts.get('kind')!r}, version {facts.get('version')}; wanted {kind!r}, version 1",
            file=path,
        )
    arrays = _arrays(path.with_name("arrays.npz"))
    if facts.pop("seal", None) != seal_of(facts, arrays):
        hint = "Learn the model again."
        raise DataError("was edited or damaged after it was written, or belongs to other numbers", file=path, hint=hint)
    return _Parts(path, facts), _Parts(path.with_name("arrays.npz"), arrays)


def kind_of(folder: str | Path) -> str:
    """Return the kind of a saved model."""
    return str(_facts(Path(folder) / "model.json").get("kind"))


class _Parts(dict[str, Any]):
    """The parts of a model; one that is missing is a fault of the file, and is said so."""

    def __init__(self, path: Path, parts: Mapping[str, Any]) -> None:
        super().__init__(parts)
        self.path = path

    def __missing__(self, name: str) -> NoReturn:
        raise DataError(f"is damaged: {name!r} is missing", file=self.path, hint="Learn the model again.")


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    if not path.exists():
        raise DataError("is missing; without its numbers a model cannot be used", file=path)
    try:
        return read_archive(path)
    except ArchiveError as error:
        raise DataError(
            f"is damaged or cut off: its numbers cannot be read ({error})", file=path, hint="Learn the model again."
        ) from error


def _facts(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise DataError("there is no model here", file=path, hint="A model is a folder with model.json and arrays.npz.")
    try:
        facts = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"is no JSON: {error}", file=path) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", file=path) from error
    if not isinstance(facts, dict):
        raise DataError("holds no object {…}", file=path)
    return facts
