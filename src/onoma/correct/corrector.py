"""The corrector: weights of edits, the operating point, and what is chosen for each sentence.

Edits are taken from the most probable down, as long as they do not overlap with one taken already. Every edit comes
with its probability and with the terms of its score. Where a rule names an edit (`rules`), the rule's share of right
edits is the least that its probability can be.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.correct.calibration import Calibration
from onoma.correct.candidates import Proposals
from onoma.correct.forms import Forms
from onoma.correct.joint import choose_rows_jointly
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows, Encoded, Weigher, encode
from onoma.correct.ngrams import load_ngrams
from onoma.correct.packed import load_packed
from onoma.correct.reasons import WRITER, Reason, reasons_of
from onoma.correct.rules import apply_rules
from onoma.correct.spelling import load_speller, save_speller
from onoma.correct.writers import Writers
from onoma.errors import DataError, SettingsError
from onoma.learning.hashed import score_rows, softmax_groups
from onoma.learning.packing import load_arrays, save_arrays

__all__ = ["MODEL", "Caution", "Correction", "Corrector"]

MODEL = Path(__file__).with_name("models") / "english"
"""The model that comes with Onoma."""
_KIND, _WRITERS = "correct/corrector", "writers.json"
_COUNTED = ("choice", "number")
"""Types that mend one thing in two ways: the word that counts (*much*, *many*, *every*), or the noun after it."""
_DOUBT = 1e-3
"""What is left of the doubt in a ruled edit when edits are chosen jointly: of two that contradict, the likelier."""
_ROUNDING = 1e-3
"""Scores are sums of 32-bit numbers."""


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


@dataclass(frozen=True)
class Caution:
    """What is asked of edits besides the threshold.

    Parameters
    ----------
    least
        Types whose edits must be more probable than the threshold says.
    learner
        The probability that a learner wrote the text: what rules are worth depends on it.
    """

    least: Mapping[str, float] = field(default_factory=dict)
    learner: float = 1.0


@dataclass
class Corrector:
    """Corrects tagged sentences.

    Parameters
    ----------
    weigher
        Proposes and describes edits.
    weights
        Of the features of edits.
    calibration
        What scores are worth, by type.
    thresholds
        For each precision, the least probability that gives it on development essays.
    card
        Where the model comes from.
    writers
        How doubtful the text of learners and of practised writers is.
    """

    weigher: Weigher
    weights: NDArray[np.float32]
    calibration: Calibration
    thresholds: Mapping[float, float]
    card: Mapping[str, Any]
    writers: Writers

    def probabilities(self, edits: EditRows) -> NDArray[np.float64]:
        """Return the probability of each edit at its place."""
        rows = edits.rows
        scores = score_rows(rows.ptr, rows.ids, rows.values, self.weights)
        return softmax_groups(self.calibration.apply(scores, edits.types), rows.groups)

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
        joint: bool = True,
    ) -> list[list[Correction]]:
        """Return the corrections of each sentence, in order; `joint` makes numbers of nouns and verbs agree."""
        if not any(sentences):
            _check_types(types)
            return [[] for _ in sentences]
        text, edits, p = self.weigh(sentences, tags)
        return self.choose(text, edits, p, threshold=threshold, types=types, n_reasons=n_reasons, joint=joint)

    def weigh(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]
    ) -> tuple[Encoded, EditRows, NDArray[np.float64]]:
        """Return sentences as arrays, every edit of them, and the edits' probabilities."""
        text = encode(sentences, tags, self.weigher.ngrams)
        edits = self.weigher.describe(text)
        return text, edits, self.probabilities(edits)

    def choose(
        self,
        text: Encoded,
        edits: EditRows,
        p: NDArray[np.float64],
        *,
        threshold: float,
        types: Collection[str] = TYPES,
        caution: Caution = Caution(),  # noqa: B008 (frozen)
        n_reasons: int = 0,
        joint: bool = True,
    ) -> list[list[Correction]]:
        """Return the corrections among edits whose probabilities are known."""
        _check_types(types)
        actions = self.weigher.proposals.actions
        p, ruled = apply_rules(text, edits, p, self.weigher.proposals, learner=caution.learner)
        allowed = np.array([action.type in types for action in actions] or [False])[edits.actions]
        for name, enough in caution.least.items():
            allowed &= (edits.types != TYPES.index(name)) | (p >= enough)
        if joint:
            told = p.copy()
            certain = [row for row in ruled if p[row] >= threshold]
            told[certain] = 1.0 - _DOUBT * (1.0 - p[certain])  # agreement is no reason against a rule
            good = choose_rows_jointly(text, edits, told, (threshold, allowed), actions)
        else:
            good = np.flatnonzero((p >= threshold) & (edits.actions >= 0) & allowed)
        out: list[list[Correction]] = [[] for _ in text.sentences]
        for row in good[np.argsort(-p[good], kind="stable")].tolist():
            sentence, start, end = int(edits.sentence[row]), int(edits.starts[row]), int(edits.ends[row])
            if any(_overlap(start, end, other) for other in out[sentence]):
                continue
            action = actions[edits.actions[row]]
            if action.type in _COUNTED and any(
                other.type in _COUNTED and other.type != action.type and _neighbours(start, end, other)
                for other in out[sentence]
            ):
                continue  # *many thing*: *many things* or *much thing*, not both
            why = self._reasons(edits, row, p, ruled.get(row, WRITER))[:n_reasons] if n_reasons else ()
            out[sentence].append(Correction(start, end, action.put, action.type, float(p[row]), why))
        return [settle(words, found) for words, found in zip(text.sentences, out, strict=True)]

    def _reasons(self, edits: EditRows, row: int, p: NDArray[np.float64], rest: str) -> tuple[Reason, ...]:
        """Return the terms of an edit's log odds; `rest` is what they lack: a rule's part, or what the writer's is."""
        why = reasons_of(edits, row, self.weights, self.calibration)
        nothing = edits.rows.groups[np.searchsorted(edits.rows.groups, row, side="right") - 1]
        odds = float(np.log(max(p[row], 1e-300)) - np.log(max(p[nothing], 1e-300)))
        lacking = odds - sum(reason.weight for reason in why)
        if rest != WRITER:  # a rule comes first, whatever the model adds
            why = (Reason(rest, lacking), *why)
        elif abs(lacking) > _ROUNDING:
            why = tuple(sorted((*why, Reason(rest, lacking)), key=lambda reason: -abs(reason.weight)))
        return why

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder (its n-grams are written by themselves)."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        save_speller(self.weigher.proposals.speller, folder / "words.npz")
        self.weigher.proposals.forms.save(folder / "forms.npz")
        facts = {"bits": self.weigher.bits}
        arrays: dict[str, NDArray[Any]] = {
            "native": self.weigher.native.astype(np.float16),
            "weights": self.weights.astype(np.float16),
            "scale": self.calibration.scale,
            "shift": self.calibration.shift,
        }
        save_arrays(folder / "weights.npz", _KIND, facts, arrays)
        self.writers.save(folder / _WRITERS)
        told = {**self.card, "thresholds": {str(precision): p for precision, p in sorted(self.thresholds.items())}}
        (folder / "card.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: str | Path | None = None) -> "Corrector":
        """Read a model from a folder; by default the one that comes with Onoma."""
        folder = MODEL if folder is None else Path(folder)
        try:
            facts, arrays = load_arrays(folder / "weights.npz", _KIND)
        except DataError as error:
            hint = "Such a folder is made by: onoma train correct DATA -o FOLDER"
            raise DataError(f"holds no corrector that can be read ({error})", file=folder, hint=hint) from error
        proposals = Proposals(Forms.load(folder / "forms.npz"), load_speller(folder / "words.npz"))
        native, weights = (arrays[name].astype(np.float32) for name in ("native", "weights"))
        packed = folder / "ngrams.npz"
        ngrams = load_packed(packed) if packed.exists() else load_ngrams(folder / "ngrams")
        weigher = Weigher(proposals, ngrams, native, facts["bits"])
        card = json.loads((folder / "card.json").read_text("utf-8"))
        thresholds = {float(precision): p for precision, p in card["thresholds"].items()}
        calibration = Calibration(arrays["scale"], arrays["shift"])
        return cls(weigher, weights, calibration, thresholds, card, Writers.load(folder / _WRITERS))


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


def _check_types(types: Collection[str]) -> None:
    unknown = sorted(set(types) - set(TYPES))
    if unknown:
        raise SettingsError(f"there is no type {unknown[0]!r}; allowed: {', '.join(TYPES)}")


def _capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]


def _lowered(word: str) -> str:
    return word[:1].lower() + word[1:] if word[1:].islower() else word


def _neighbours(start: int, end: int, other: Correction) -> bool:
    return end in (other.start, other.start - 1) or other.end in (start, start - 1)


def _overlap(start: int, end: int, other: Correction) -> bool:
    if start == end or other.start == other.end:
        return end >= other.start and start <= other.end
    return end > other.start and start < other.end
