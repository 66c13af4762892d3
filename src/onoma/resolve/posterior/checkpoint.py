"""A stopped run on disk: arrays and JSON in one .npz file. No code is stored."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.writers.files import open_output
from onoma.errors import DataError
from onoma.numerics.archive import ArchiveError, read_sealed, write_sealed
from onoma.resolve.comparison.weights import Evidence, Weights
from onoma.resolve.posterior.sampling import Stopped, Tally

__all__ = [
    "Checkpoint",
    "evidence_fingerprint",
    "fingerprint",
    "read_checkpoint",
    "weight_parts",
    "write_checkpoint",
]

VERSION = 2
_ANEW = "Leave out --resume: the run begins anew."


@dataclasses.dataclass(frozen=True, eq=False)
class Checkpoint:
    """All that a stopped run needs to go on, but for the table: what it learnt, and where its chain stood."""

    weights: Weights | None
    """None for a model that learns none."""
    stopped: Stopped
    things: tuple[NDArray[np.float64], ...] = ()
    """By field, how many things have each value, where that was counted."""


def fingerprint(table: pa.Table) -> str:
    """Return a short text that is the same for the same columns, types and values, however they are chunked.

    Examples
    --------
    >>> one = pa.table({"name": ["Ada", "Bob"]})
    >>> fingerprint(one) == fingerprint(pa.concat_tables([one.slice(0, 1), one.slice(1)]))
    True
    >>> fingerprint(one) == fingerprint(one.slice(1))
    False
    """
    digest = _Digest()
    digest.write(str([(field.name, str(field.type)) for field in table.schema]).encode())
    # As text without nulls: what lies in memory where a value is missing is anybody's guess.
    columns = [_plain(column) for column in table.columns]
    plain = pa.table(columns, names=[str(i) for i in range(len(columns))])
    with pa.ipc.new_stream(digest, plain.schema) as stream:
        stream.write_table(plain)
    return digest.hash.hexdigest()


def _plain(column: pa.ChunkedArray) -> pa.Array:
    try:
        texts = column.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        texts = pa.chunked_array([pa.array([json.dumps(value, default=str) for value in column.to_pylist()])])
    return pc.fill_null(texts, "\x00").cast(pa.large_string()).combine_chunks()


def evidence_fingerprint(evidence: Evidence) -> str:
    """Return a short text that is the same for the same candidates at the same levels."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (evidence.a, evidence.b, evidence.levels, evidence.log_share):
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


class _Digest:
    """A file that keeps nothing but a hash of what is written."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.closed = False

    def write(self, data: bytes) -> int:
        self.hash.update(data)
        return len(data)

    def flush(self) -> None:
        pass

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        pass


def write_checkpoint(path: Path, checkpoint: Checkpoint, about: Mapping[str, object]) -> None:
    """Write a checkpoint, with what is needed to know it again (JSON); it appears when all is written."""
    plain, arrays = ({}, {}) if checkpoint.weights is None else weight_parts(checkpoint.weights)
    tally = checkpoint.stopped.tally
    n_kept = int(np.count_nonzero(tally.n_entities))  # every sample has an entity; the room for the others is empty
    header: dict[str, object] = {"version": VERSION, "about": about, "weights": plain, "n_done": tally.n_done}
    header["of"] = checkpoint.stopped.of
    arrays |= {f"state.{name}": array for name, array in checkpoint.stopped.state.items()}
    arrays |= {f"things.{f:03}": counted for f, counted in enumerate(checkpoint.things)}
    arrays |= {"tally.counts": tally.counts, "tally.n_entities": tally.n_entities, "tally.roots": tally.roots[:n_kept]}
    with open_output(path) as file:
        write_sealed(file, header, arrays)


def read_checkpoint(path: Path) -> tuple[Checkpoint, dict[str, Any]]:
    """Return a checkpoint and what was written about it."""
    try:
        header, arrays, _, is_whole = read_sealed(path)
        version = header["version"]
    except FileNotFoundError as error:
        raise DataError("there is nothing to resume: no such file", file=path) from error
    except (ArchiveError, KeyError, TypeError) as error:
        raise DataError("is not the file of a stopped run", file=path, hint=_ANEW) from error
    if version != VERSION:
        raise DataError(f"is of version {version}; this Onoma reads {VERSION}", file=path, hint=_ANEW)
    if not is_whole:
        raise DataError("was edited or damaged after it was written", file=path, hint=_ANEW)
    _check_indices(arrays, path)
    kept, counts = arrays["tally.roots"], arrays["tally.counts"]
    tally = Tally.empty(kept.shape[1], counts.shape[1], len(arrays["tally.n_entities"]))
    tally.n_done = header["n_done"]
    tally.counts[:] = counts
    tally.n_entities[:] = arrays["tally.n_entities"]
    tally.roots[: len(kept)] = kept
    parts: dict[str, Any] = header["weights"] | _named(arrays, "weights.")
    weights = Weights(**parts) if parts else None
    stopped = Stopped(tally, _named(arrays, "state."), header["of"])
    things = tuple(counted for _, counted in sorted(_named(arrays, "things.").items()))
    return Checkpoint(weights, stopped, things), header["about"]


def _check_indices(arrays: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Refuse what would lead a kernel out of its arrays, whoever wrote it."""
    roots, counts = arrays.get("tally.roots"), arrays.get("tally.counts")
    if roots is None or counts is None:
        raise DataError("lacks a part of a stopped run", file=path, hint=_ANEW)
    good = roots.ndim == counts.ndim == 2 and bool(((roots >= 0) & (roots < max(roots.shape[1], 1))).all())
    if any(name.startswith("weights.") for name in arrays):  # a model that learns none keeps none
        good = good and _are_weights(arrays, path)
    if not good:
        raise DataError("holds weights or samples that do not fit each other", file=path, hint=_ANEW)


def _are_weights(arrays: Mapping[str, NDArray[Any]], path: Path) -> bool:
    parent, tables, keep = (arrays.get(f"weights.{name}") for name in ("parent", "tables", "keep"))
    if parent is None or tables is None or keep is None:
        raise DataError("lacks a part of a stopped run", file=path, hint=_ANEW)
    n_fields = len(parent) if parent.ndim == 1 else -1
    return (
        tables.ndim == 4
        and tables.shape[:2] == (3, n_fields)
        and tables.shape[2] == tables.shape[3] + 1
        and keep.shape == (n_fields, tables.shape[2])
        and parent.dtype == np.int64
        and bool(((parent >= -1) & (parent < n_fields)).all())
    )


def weight_parts(weights: Weights) -> tuple[dict[str, object], dict[str, NDArray[Any]]]:
    """Split weights into what JSON holds and arrays, which have `weights.` before their names."""
    plain: dict[str, object] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for part in dataclasses.fields(weights):
        value = getattr(weights, part.name)
        if isinstance(value, np.ndarray):
            arrays[f"weights.{part.name}"] = value
        else:
            plain[part.name] = value.item() if isinstance(value, np.generic) else value
    return plain, arrays


def _named(arrays: Mapping[str, NDArray[Any]], start: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
