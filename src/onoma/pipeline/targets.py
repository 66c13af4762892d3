"""Whether a file can be written: asked before the work, not after it."""

from collections.abc import Iterable
from pathlib import Path

from onoma.corpus.formats import FORMATS, format_of
from onoma.errors import DataError

__all__ = ["check_file", "check_place", "check_spared", "check_table"]


def check_file(target: Path) -> None:
    """Refuse a folder, and a file in a folder that is not there."""
    if target.is_dir():
        raise DataError("is a folder; name a file to write", file=target)
    check_place(target)


def check_place(target: Path) -> None:
    """Refuse a file or folder in a folder that is not there."""
    if not target.absolute().parent.is_dir():
        hint = f"Make it first: mkdir -p {target.parent}"
        raise DataError(f"cannot be written: there is no folder {target.parent}", file=target, hint=hint)


def check_table(target: Path, besides: str = "") -> None:
    """Refuse a table that cannot be written; `besides` says what could be, other than the formats of tables."""
    check_file(target)
    tables = [entry for entry in FORMATS.values() if entry.write_table]
    bare = target.name.lower()
    for packed in (".gz", ".zst", ".xz"):
        bare = bare.removesuffix(packed)
    known = [ending for entry in tables for ending in entry.extensions]
    if not bare.endswith(tuple(known)) or format_of(target).write_table is None:
        ending = Path(bare).suffix
        came = f"the ending {ending!r} is not written" if ending else "the name has no ending"
        raise DataError(
            f"{came}; a table can be written as {', '.join(known)}{besides}",
            file=target,
            hint=f"For example: -o {bare.split('.')[0] or 'found'}.csv",
        )


def check_spared(target: Path, read: Iterable[Path]) -> None:
    """Refuse to write over a file that is read: it would be lost."""
    if _exists(target) and any(_exists(path) and target.samefile(path) for path in read):
        raise DataError("is read by this very command and would be lost", file=target, hint="Choose another name.")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a text too long for a name, or with signs that no name has
        return False
