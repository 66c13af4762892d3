"""The models that are installed: what each does, what it was trained on and under which licence, how good, how large.

A folder of models holds one `.npz` a model and `cards.json`: a card for each. Folders: the one inside the package, and
those named in the environment variable ONOMA_MODELS (apart by `:`, or `;` on Windows).
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onoma.beside import place_for
from onoma.errors import DataError
from onoma.text.annotate import MODELS

__all__ = ["Card", "identity_of", "installed", "read_cards", "write_card"]


@dataclass(frozen=True)
class Card:
    """What is known of one model."""

    name: str
    does: str
    data: tuple[Mapping[str, str], ...] = ()
    """What it was trained on: name and licence of each."""
    licence: str = ""
    """Of the model."""
    scores: tuple[Mapping[str, Any], ...] = ()
    """Set, measure, value, and whether the set was used for choices."""
    failures: tuple[str, ...] = ()
    """What it is known to do badly."""
    command: str = ""
    """What trains it again, to the byte."""
    path: Path | None = field(default=None, compare=False)

    @property
    def size(self) -> int | None:
        """Bytes on disk; None where the file is missing."""
        return self.path.stat().st_size if self.path is not None and self.path.exists() else None


def installed() -> dict[str, list[Card]]:
    """Return the cards of every folder of models."""
    named = [Path(each) for each in os.environ.get("ONOMA_MODELS", "").split(os.pathsep) if each]
    return {str(folder): read_cards(folder) for folder in (MODELS, *named)}


def read_cards(folder: str | Path) -> list[Card]:
    """Return the cards of one folder; a model without one has a card that says only its name."""
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError("there is no folder of models here", file=folder)
    cards = _stored(folder)
    for path in sorted(folder.glob("*.npz")):
        cards.setdefault(path.stem, {"does": ""})
    return [
        Card(
            name,
            str(card.get("does", "")),
            tuple(card.get("data", ())),
            str(card.get("licence", "")),
            tuple(card.get("scores", ())),
            tuple(card.get("failures", ())),
            str(card.get("command", "")),
            folder / f"{name}.npz",
        )
        for name, card in cards.items()
    ]


def write_card(folder: str | Path, card: Card) -> None:
    """Write or replace one card of a folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cards = _stored(folder)
    cards[card.name] = {
        "does": card.does,
        "data": [dict(each) for each in card.data],
        "licence": card.licence,
        "scores": [dict(each) for each in card.scores],
        "failures": list(card.failures),
        "command": card.command,
    }
    text = json.dumps(dict(sorted(cards.items())), ensure_ascii=False, indent=1) + "\n"
    with place_for(folder / "cards.json") as place:
        place.write_text(text, "utf-8")


def identity_of(folder: str | Path) -> str:
    """Return a hash of the models of a folder: the same for the same bytes."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(folder).glob("*.npz")):
        digest.update(path.name.encode() + b"\0" + hashlib.blake2b(path.read_bytes()).digest())
    return f"onoma:{digest.hexdigest()}"


def _stored(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / "cards.json"
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DataError(f"is no JSON: {error}", file=path) from error
    if not isinstance(found, dict):
        raise DataError("holds no object {…} of cards", file=path)
    return found
