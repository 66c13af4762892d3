"""The run manifest: what a run in rounds is, and how far it came. A lost driver finds here where to go on."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import onoma
from onoma.corpus.writers.files import write_text
from onoma.errors import DataError, SettingsError

__all__ = ["Manifest", "RoundRecord", "read_manifest", "start_or_resume", "write_manifest"]

FILE = "manifest.json"
VERSION = 1


@dataclass(frozen=True)
class RoundRecord:
    """What is worth knowing of one round."""

    number: int
    placement: str
    """By what entities were brought together: `super` or `random`."""
    n_entities: int
    largest: int
    """Mentions of the largest partition, as planned."""
    seconds: float


@dataclass(frozen=True)
class Manifest:
    """One run."""

    settings: Mapping[str, Any]
    """Everything that decides the answer, ready for JSON; not the engine, which does not."""
    seed: int
    input: str
    """A fingerprint of the rows that came in."""
    schema: str
    """Of the rows, as text; to be looked at."""
    rounds: tuple[RoundRecord, ...] = ()
    onoma: str = onoma.__version__

    @property
    def n_done(self) -> int:
        """How many rounds are done."""
        return len(self.rounds)

    def after(self, record: RoundRecord) -> "Manifest":
        """Return the manifest with one more round."""
        return replace(self, rounds=(*self.rounds, record))


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest; whoever reads it sees the old one or the new one, whole."""
    write_text(folder / FILE, [json.dumps({"version": VERSION} | asdict(manifest), indent=1), "\n"])


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder, or None where no run has begun."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text("utf-8"))
        version = found.pop("version")
        if version != VERSION:
            raise DataError(f"is a manifest of version {version}; this Onoma reads {VERSION}", file=path)
        rounds = tuple(RoundRecord(**record) for record in found.pop("rounds"))
        return Manifest(**found, rounds=rounds)
    except (OSError, json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise DataError("is no manifest of a run", file=path) from error


def start_or_resume(folder: Path, fresh: Manifest) -> Manifest:
    """Return the manifest of a run that is under way in this folder, or begin one; refuse to mix two runs."""
    folder.mkdir(parents=True, exist_ok=True)
    found = read_manifest(folder)
    if found is None:
        write_manifest(folder, fresh)
        return fresh
    was, wanted = (json.loads(json.dumps(asdict(replace(each, rounds=())))) for each in (found, fresh))
    differ = [name for name in wanted if was[name] != wanted[name]]
    if differ:
        name = differ[0]
        raise SettingsError(
            f"{folder} holds a run with another {name}: {was[name]!r}, and this is {wanted[name]!r}",
            hint="Repeat it with the same settings to resume it, or name another folder.",
        )
    return found
