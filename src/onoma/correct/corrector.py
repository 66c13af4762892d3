"""The corrector: weights of edits, the operating point, and what is chosen for each sentence.

Edits are taken from the most probable down, as long as they do not overlap with one taken already. Every edit comes
with its probability and with the terms of its score.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.correct.candidates import Proposals
from onoma.correct.forms import Forms
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows, Weigher, encode
from onoma.correct.ngrams import load_ngrams
from onoma.correct.reasons import Reason, reasons_of
from onoma.correct.spelling import load_speller, save_speller
from onoma.errors import DataError, SettingsError
from onoma.learning.hashed import score_rows, softmax_groups
from onoma.numerics.archive import ArchiveError, read_sealed, write_sealed

__all__ = ["MODEL", "Correction", "Corrector"]

MODEL = Path(__file__).with_name("models") / "english"
"""The model that comes with Onoma."""


@dataclass(frozen=True, slots=True)
class Correction:
    """An edit of a tokenised sentence.

    Parameters
    ----------
    start, end
        The words taken away, counted from 0, `end` exclusive.
    put
        The words put there.
    type
        What kind of slip it mends.
    probability
        That the edit is right.
    reasons
        The largest terms of its score.
    """

    start: int
    end: int
    put: tuple[str, ...]
    type: str
    probability: float
    reasons: tuple[Reason, ...] = ()


@dataclass
class Corrector:
    """Corrects tagged sentences.

    Parameters
    ----------
    weigher
        Proposes and describes edits.
    weights
        Of the features of edits.
    thresholds
        For each precision, the least probability that gives it on development essays.
    card
        Where the model comes from.
    """

    weigher: Weigher
    weights: NDArray[np.float32]
    thresholds: Mapping[float, float]
    card: Mapping[str, Any]

    def probabilities(self, edits: EditRows) -> NDArray[np.float64]:
        """Return the probability of each edit at its place."""
        rows = edits.rows
        return softmax_groups(score_rows(rows.ptr, rows.ids, rows.values, self.weights), rows.groups)

    def threshold(self, precision: float) -> float:
        """Return the least probability of an edit for a precision, between those measured."""
        if not 0 < precision < 1:
            raise SettingsError(f"precision {precision}; it lies between 0 and 1")
        known = sorted(self.thresholds.items())
        return float(np.interp(precision, [p for p, _ in known], [t for _, t in known]))

    def correct(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]],
        *,
        threshold: float,
        types: Collection[str] = TYPES,
        n_reasons: int = 0,
    ) -> list[list[Correction]]:
        """Return the corrections of each sentence, in order."""
        unknown = sorted(set(types) - set(TYPES))
        if unknown:
            raise SettingsError(f"there is no type {unknown[0]!r}; allowed: {', '.join(TYPES)}")
        if not any(sentences):
            return [[] for _ in sentences]
        edits = self.weigher.describe(encode(sentences, tags, self.weigher.ngrams))
        p = self.probabilities(edits)
        actions = self.weigher.proposals.actions
        allowed = np.array([action.type in types for action in actions] or [False])
        good = np.flatnonzero((p >= threshold) & (edits.actions >= 0) & allowed[edits.actions])
        out: list[list[Correction]] = [[] for _ in sentences]
        for row in good[np.argsort(-p[good], kind="stable")].tolist():
            sentence, start, end = int(edits.sentence[row]), int(edits.starts[row]), int(edits.ends[row])
            if any(_overlap(start, end, other) for other in out[sentence]):
                continue
            action = actions[edits.actions[row]]
            why = reasons_of(edits, row, action, self.weights)[:n_reasons] if n_reasons else ()
            out[sentence].append(Correction(start, end, action.put, action.type, float(p[row]), why))
        return [settle(words, found) for words, found in zip(sentences, out, strict=True)]

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder (its n-grams are written by themselves)."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        save_speller(self.weigher.proposals.speller, folder / "words.xz")
        self.weigher.proposals.forms.save(folder / "forms.xz")
        facts = {"kind": "corrector", "bits": self.weigher.bits, "thresholds": sorted(self.thresholds.items())}
        arrays = {"native": self.weigher.native.astype(np.float16), "weights": self.weights.astype(np.float16)}
        with (folder / "weights.npz").open("wb") as file:
            write_sealed(file, facts, arrays, compress=True)
        (folder / "card.json").write_text(json.dumps(self.card, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: str | Path | None = None) -> "Corrector":
        """Read a model from a folder; by default the one that comes with Onoma."""
        folder = MODEL if folder is None else Path(folder)
        try:
            found = read_sealed(folder / "weights.npz")
        except (OSError, ArchiveError) as error:
            hint = "Such a folder is made by: onoma train correct DATA -o FOLDER"
            raise DataError(f"holds no corrector that can be read ({error})", file=folder, hint=hint) from error
        if not found.is_whole or found.facts.get("kind") != "corrector":
            raise DataError("is damaged, or holds something else than a corrector", file=folder / "weights.npz")
        proposals = Proposals(Forms.load(folder / "forms.xz"), load_speller(folder / "words.xz"))
        native, weights = (found.arrays[name].astype(np.float32) for name in ("native", "weights"))
        weigher = Weigher(proposals, load_ngrams(folder / "ngrams"), native, found.facts["bits"])
        card = json.loads((folder / "card.json").read_text("utf-8"))
        return cls(weigher, weights, dict(found.facts["thresholds"]), card)


def settle(words: Sequence[str], found: Sequence[Correction]) -> list[Correction]:
    """Put corrections in order and give them the capitals that their places ask for."""
    out = []
    for correction in sorted(found, key=lambda each: (each.start, each.end)):
        start, end, put = correction.start, correction.end, list(correction.put)
        capital = start < len(words) and words[start][:1].isupper()
        if start == 0 and capital and correction.type != "case" and words:
            taken = any(other is not correction and other.start < 1 < other.end + 1 for other in found)
            if start == end:  # the first word is no longer first
                put = [_capitalised(put[0]), *put[1:]]
                if not taken:
                    put.append(_lowered(words[0]))
                    end = 1
            elif put:
                put[0] = _capitalised(put[0])
            elif end < len(words) and not any(
                other.start <= end < other.end for other in found if other is not correction
            ):
                put, end = [_capitalised(words[end])], end + 1
        elif capital and put and end > start and correction.type != "case" and words[start] not in ("I", "A"):
            put[0] = put[0].upper() if words[start].isupper() and len(words[start]) > 1 else _capitalised(put[0])
        out.append(Correction(start, end, tuple(put), correction.type, correction.probability, correction.reasons))
    return out


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]


def _lowered(word: str) -> str:
    return word[:1].lower() + word[1:] if word[1:].islower() else word


def _overlap(start: int, end: int, other: Correction) -> bool:
    if start == end or other.start == other.end:
        return end >= other.start and start <= other.end
    return end > other.start and start < other.end
