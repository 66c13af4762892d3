"""Chains on disk: arrays and JSON in one .npz file. No code is stored: settings are named, and looked up by name."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from onoma.beside import place_for
from onoma.errors import DataError
from onoma.mcmc import gibbs, metropolis, minibatch, schedules, subsampling
from onoma.numerics.archive import ArchiveError, read_sealed, write_sealed

__all__ = ["decode", "encode", "read", "write"]

VERSION = 2

KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        gibbs.Gibbs,
        metropolis.Metropolis,
        minibatch.Poisson,
        schedules.Constant,
        schedules.Geometric,
        schedules.Linear,
        schedules.Logarithmic,
        schedules.Restart,
        subsampling.Adaptive,
        subsampling.Confidence,
        subsampling.Exact,
        subsampling.Uniform,
    )
}
"""Every settings object that a file may name."""

Settings = TypeVar("Settings")


def encode(settings: object) -> object:
    """Return settings as JSON: an object for a settings object, with its kind.

    Examples
    --------
    >>> encode(schedules.Geometric(2.0, 0.1, 100))
    {'kind': 'Geometric', 'start': 2.0, 'end': 0.1, 'n_steps': 100}
    """
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        fields = {field.name: encode(getattr(settings, field.name)) for field in dataclasses.fields(settings)}
        return {"kind": type(settings).__name__, **fields}
    return settings


def decode(value: object, kinds: Mapping[str, type[Any]] = KINDS) -> Any:  # noqa: ANN401 (whatever was encoded)
    """Return the settings that `encode` made this JSON from."""
    if not isinstance(value, dict):
        return value
    kind = str(value.get("kind"))
    if kind not in kinds:
        raise DataError(f"unknown kind of settings {kind!r}; known: {', '.join(sorted(kinds))}")
    return kinds[kind](**{name: decode(part, kinds) for name, part in value.items() if name != "kind"})


def write(path: Path, settings: object, fingerprint: str, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write a checkpoint beside the place, then move it there: a reader sees the old one or the new one."""
    header = {"version": VERSION, "graph": fingerprint, "settings": encode(settings)}
    with place_for(path) as place, place.open("wb") as file:
        write_sealed(file, header, arrays)


def read(path: Path, kind: type[Settings], fingerprint: str) -> tuple[Settings, dict[str, NDArray[Any]]]:
    """Return the settings and arrays of a checkpoint made on this graph."""
    try:
        header, arrays, _, is_whole = read_sealed(path)
        version = header["version"]
    except (OSError, ArchiveError, KeyError, TypeError) as error:
        raise DataError(f"not a checkpoint of chains: {error}", file=path) from error
    if version != VERSION:
        raise DataError(f"checkpoint of version {version}; this Onoma reads {VERSION}", file=path)
    if not is_whole:
        raise DataError("was edited or damaged after it was written", file=path, hint="Begin the chains anew.")
    if header["graph"] != fingerprint:
        raise DataError(
            f"made on graph {header['graph']}, and this one is {fingerprint}",
            file=path,
            hint="Compile the same variables, factors, weights and observations, in the same order.",
        )
    return decode(header["settings"], {**KINDS, kind.__name__: kind}), arrays
