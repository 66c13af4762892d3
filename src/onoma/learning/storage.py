"""Models on disk: a folder with `model.json` (what it is, its settings and names) and `arrays.npz` (its numbers)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError

__all__ = ["kind_of", "load_model", "save_model"]


def save_model(folder: str | Path, kind: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a model; an existing one in the same folder is replaced."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.json").write_text(json.dumps({"kind": kind, "version": 1, **facts}, indent=1) + "\n", "utf-8")
    with (folder / "arrays.npz").open("wb") as file:
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
    with np.load(Path(folder) / "arrays.npz", allow_pickle=False) as stored:
        return facts, {name: stored[name] for name in stored.files}


def kind_of(folder: str | Path) -> str:
    """Return the kind of a saved model."""
    return str(_facts(Path(folder) / "model.json").get("kind"))


def _facts(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise DataError("there is no model here", file=path, hint="A model is a folder with model.json and arrays.npz.")
    try:
        facts = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DataError(f"is no JSON: {error}", file=path) from error
    if not isinstance(facts, dict):
        raise DataError("holds no object {…}", file=path)
    return facts
