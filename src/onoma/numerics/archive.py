"""Arrays and facts that come back from disk: read without surprises, and known to be those that were written.

Kernels trust the indices in their arrays. So whatever is stored for them (models, stopped runs, chains) carries a
seal: a hash of its facts and of the names, types, shapes and bytes of its arrays. What was edited or damaged afterwards
does not fit its seal and is refused before a kernel sees it. A seal guards against accidents, not against a forger: it
has no key.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArchiveError", "read_archive", "seal_of"]

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


def read_archive(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an .npz file; a missing file is a FileNotFoundError, anything else wrong an ArchiveError."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        raise
    except (*_FAULTS, AttributeError) as error:  # AttributeError: a lone .npy has no files
        raise ArchiveError(str(error) or type(error).__name__) from error


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
