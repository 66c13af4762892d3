"""Arrays and facts that come back from disk: read without surprises, and known to be those that were written.

Kernels trust the indices in their arrays. So whatever is stored for them (models, stopped runs, chains) carries a
seal: a hash of its facts and of the names, types, shapes and bytes of its arrays. What was edited or damaged afterwards
does not fit its seal and is refused before a kernel sees it. A seal guards against accidents, not against a forger: it
has no key.
"""

import contextlib
import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArchiveError", "Sealed", "read_archive", "read_sealed", "seal_of", "write_sealed"]

_FAULTS = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    SyntaxError,
    MemoryError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""All that NumPy says of an archive that is none."""


class ArchiveError(ValueError):
    """A file that is no archive of arrays, or a damaged one."""


def read_archive(source: Path | IO[bytes]) -> dict[str, NDArray[Any]]:
    """Return the arrays of an .npz file; a missing file is a FileNotFoundError, anything else wrong an ArchiveError."""
    try:
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            stored = stack.enter_context(np.load(file, allow_pickle=False))
            return {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        raise
    except (*_FAULTS, AttributeError) as error:  # AttributeError: a lone .npy has no files
        raise ArchiveError(str(error) or type(error).__name__) from error


def write_sealed(
    file: IO[bytes], facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, compress: bool = False
) -> None:
    """Write facts (as JSON holds them) and arrays as one .npz file, with their seal.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_sealed(file, {"a": 1}, {"x": np.arange(3)})
    >>> found = read_sealed(io.BytesIO(file.getvalue()))
    >>> found.facts, found.arrays["x"].tolist(), found.is_whole
    ({'a': 1}, [0, 1, 2], True)
    """
    told: dict[str, Any] = json.loads(json.dumps(facts))  # as it will be read
    told["seal"] = seal_of(told, arrays)
    header = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    save = np.savez_compressed if compress else np.savez
    save(file, allow_pickle=False, header=header, **dict(arrays))


class Sealed(NamedTuple):
    """Facts and arrays that were written together."""

    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    is_sealed: bool
    """False: they were written without a seal, by an earlier version."""
    is_whole: bool
    """They fit their seal."""


def read_sealed(source: Path | IO[bytes]) -> Sealed:
    """Read what `write_sealed` wrote; a missing file is a FileNotFoundError, anything else an ArchiveError."""
    arrays = read_archive(source)
    try:
        facts: dict[str, Any] = json.loads(arrays.pop("header").tobytes())
        seal = facts.pop("seal", None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArchiveError(f"it has no facts: {error}") from error
    return Sealed(facts, arrays, seal is not None, seal == seal_of(facts, arrays))


def seal_of(facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of facts (as JSON holds them) and arrays.

    Examples
    --------
    >>> seal_of({"a": 1}, {"x": np.arange(3)}) == seal_of({"a": 1}, {"x": np.arange(3)})
    True
    >>> seal_of({"a": 1}, {"x": np.arange(3)}) == seal_of({"a": 1}, {"x": np.arange(3, dtype=np.int32)})
    False
    """
    digest = hashlib.blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"\0{name}\0{array.dtype.str}\0{arrays[name].shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
