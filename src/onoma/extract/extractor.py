"""An extractor: tokens, attributes, a semi-Markov CRF and its labels, as one thing that runs, explains and is saved.

Spans carry the probability that the model gives to exactly this segment with exactly this label. A model learnt from
labels was checked on texts held out from learning and says how well its probabilities hold there; one learnt from
constraints alone has nothing to be checked on and says that it is not calibrated.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.extract.constraints import LabelSet
from onoma.extract.features import FeatureMaker
from onoma.extract.tokens import Style, Text, tokenise
from onoma.learning.sequences.semicrf import SemiCRF
from onoma.learning.sequences.semicrf_layout import Segmentation, Sequences
from onoma.learning.taxonomy import Taxonomy

__all__ = ["AS_FOUND", "Extractor", "Reason", "Span", "fit_stated", "gold_segments", "restate"]

_PIECE = 2000
"""Texts are labelled in pieces of so many, so that memory stays bounded."""
_LONG = 4000
"""A longer text is cut into pieces of so many tokens before it is labelled: a page, not a field."""


AS_FOUND = (1.0, 0.0)
_LEAST_SCALE = 0.05
"""A surer span is never stated to be less sure."""


@dataclass(frozen=True)
class Span:
    """A field found in a text.

    Attributes
    ----------
    label
        What it is.
    text
        Its words, as they stand in the source.
    start, end
        Its characters in the source; the end is exclusive.
    probability
        Of exactly this span with exactly this label, under the model.
    """

    label: str
    text: str
    start: int
    end: int
    probability: float


@dataclass(frozen=True)
class Reason:
    """One feature's part in a decision: positive speaks for the label, negative against it."""

    feature: str
    weight: float


@dataclass
class Extractor:
    """Finds fields in texts.

    Attributes
    ----------
    labels
        The labels.
    maker
        Turns tokens into attributes.
    model
        Scores segmentations.
    style
        How texts are cut into tokens.
    notes
        How it was made, and whether its probabilities are calibrated.
    stated
        By what log odds of spans are multiplied and what is added, so that they hold on texts not learnt from.
    """

    labels: LabelSet
    maker: FeatureMaker
    model: SemiCRF
    style: Style = "words"
    notes: dict[str, Any] = field(default_factory=dict)
    stated: tuple[float, float] = AS_FOUND

    def sequences(self, texts: Sequence[Text]) -> Sequences:
        """Return texts as the model reads them."""
        return self.maker.transform(texts)

    def segments(self, texts: Sequence[Text]) -> Segmentation:
        """Return the best segmentation of texts, all tokens one after another."""
        return self.model.predict(self.sequences(texts))

    def run(self, texts: Iterable[str]) -> list[list[Span]]:
        """Return the fields of each text, in order; the other label is left out.

        Parameters
        ----------
        texts
            Strings.
        """
        cut = [tokenise(text, self.style) for text in texts]
        found = []
        for at in range(0, len(cut), _PIECE):
            found += self.spans(cut[at : at + _PIECE])
        return found

    def spans(self, texts: Sequence[Text]) -> list[list[Span]]:
        """Return the fields of texts that are cut into tokens."""
        pieces = [piece for text in texts for piece in _pieces(text)]
        sequences = self.sequences(pieces)
        segments = self.model.predict(sequences)
        chances = self.model.marginals(sequences, segments).segments
        found, at = [], 0
        for text in texts:
            spans = []
            for start, end, y in _runs(segments, at, len(text), is_chain=self.model.structure.is_chain):
                if y != self.labels.other_id:
                    first, last = text.bounds(start, end)
                    chance = float(np.min(chances[at + start : at + end][segments.lengths[at + start : at + end] > 0]))
                    chance = float(restate(np.array([chance]), self.stated)[0])
                    name = self.labels.taxonomy.labels[y]
                    spans.append(Span(name, text.source[first:last], first, last, round(chance, 4)))
            found.append(spans)
            at += len(text)
        return found

    def explain(self, source: str, *, n_reasons: int = 8) -> list[tuple[Span, list[Reason]]]:
        """Return the fields of a text, each with the features that speak most for and against its label."""
        text = tokenise(source, self.style)
        sequences = self.sequences([text])
        names = self.maker.names()
        found = []
        for span in self.spans([text])[0]:
            tokens = [i for i, start in enumerate(text.starts) if span.start <= start < span.end]
            y = self.labels.taxonomy.labels.index(span.label)
            weights = self._contributions(sequences, tokens, self.labels.taxonomy.ancestors(y))
            top = sorted(weights.items(), key=lambda item: -abs(item[1]))[:n_reasons]
            found.append((span, [Reason(_named(key, names), round(value, 4)) for key, value in top]))
        return found

    def _contributions(
        self, sequences: Sequences, tokens: Sequence[int], labels: Sequence[int]
    ) -> dict[tuple[str, int], float]:
        """Return Σ value · weight by role and attribute for one segment."""
        rows, layout, weights = sequences.attributes(), self.model.layout(), self.model.weights_
        found: dict[tuple[str, int], float] = {}
        roles = [
            ("inside", layout.inside, tokens),
            ("first", layout.begin, tokens[:1]),
            ("last", layout.end, tokens[-1:]),
        ]
        for role, ptr, places in roles:
            if len(ptr) <= 1:
                continue
            for i in places:
                for j in range(rows.indptr[i], rows.indptr[i + 1]):
                    a = int(rows.indices[j])
                    for k in range(ptr[a], ptr[a + 1]):
                        if layout.label[k] in labels:
                            value = float(rows.data[j] * weights[k])
                            found[role, a] = found.get((role, a), 0.0) + value
        return found

    def save(self, folder: str | Path) -> None:
        """Write the extractor to a folder (arrays and JSON)."""
        folder = Path(folder)
        self.model.save(folder)
        facts = {
            "kind": "extractor",
            "version": 1,
            "labels": list(self.labels.taxonomy.labels),
            "parents": list(self.labels.taxonomy.parents),
            "other": self.labels.other,
            "style": self.style,
            "features": self.maker.facts(),
            "notes": self.notes,
            "stated": self.stated,
        }
        (folder / "extractor.json").write_text(json.dumps(facts, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> "Extractor":
        """Read an extractor written by `save`."""
        path = Path(folder) / "extractor.json"
        if not path.exists():
            raise DataError("there is no extractor here", file=path, hint="Make one with: onoma extract train")
        try:
            facts = json.loads(path.read_text("utf-8"))
            labels = LabelSet(Taxonomy(tuple(facts["labels"]), tuple(facts["parents"])), facts["other"])
            maker = FeatureMaker.of_facts(facts["features"])
            style, notes = facts["style"], facts["notes"]
            scale, shift = map(float, facts.get("stated", AS_FOUND))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"is damaged: {error}", file=path, hint="Train it again.") from error
        return cls(labels, maker, SemiCRF.load(folder), style, notes, (scale, shift))


def gold_segments(
    spans: Sequence[Sequence[tuple[int, int, int]]], sizes: Sequence[int], other: int, *, is_chain: bool = False
) -> Segmentation:
    """Return labelled spans (in tokens of each text) as one segmentation; gaps are the other label, token by token."""
    found, at = list[tuple[int, int, int]](), 0
    for each, size in zip(spans, sizes, strict=True):
        place = 0
        for start, end, y in [*sorted(each), (size, size, -1)]:
            if start < place or end > size:
                raise DataError(f"span {start}:{end} overlaps another or leaves its text of {size} tokens")
            if start > place and other < 0:
                raise DataError("a token has no field, and there is no other label", hint='Name one: other = "OTHER".')
            found += [(at + i, at + i + 1, other) for i in range(place, start)]
            if y >= 0:
                found += (
                    [(at + i, at + i + 1, y) for i in range(start, end)] if is_chain else [(at + start, at + end, y)]
                )
            place = end
        at += size
    return Segmentation.of_spans(found, at)


def _runs(segments: Segmentation, at: int, size: int, *, is_chain: bool) -> list[tuple[int, int, int]]:
    """Return the segments of one text; in a chain, runs of one label."""
    lengths, labels = segments.lengths[at : at + size], segments.labels[at : at + size]
    found: list[tuple[int, int, int]] = []
    for start in np.flatnonzero(lengths).tolist():
        end, y = start + int(lengths[start]), int(labels[start])
        if is_chain and found and found[-1][2] == y and found[-1][1] == start:
            found[-1] = (found[-1][0], end, y)
        else:
            found.append((start, end, y))
    return found


def _pieces(text: Text) -> list[Text]:
    if len(text) <= _LONG:
        return [text]
    return [
        Text(text.source, text.tokens[at : at + _LONG], text.starts[at : at + _LONG])
        for at in range(0, len(text), _LONG)
    ]


def _named(key: tuple[str, int], names: Sequence[str]) -> str:
    role, attribute = key
    name = names[attribute] if attribute < len(names) else f"attribute {attribute}"
    return name if role == "inside" else f"{role}: {name}"


def restate(chances: NDArray[np.float64], stated: tuple[float, float]) -> NDArray[np.float64]:
    """Return probabilities with their log odds multiplied and shifted.

    Examples
    --------
    >>> restate(np.array([0.5, 0.9]), (1.0, 0.0)).round(3).tolist()
    [0.5, 0.9]
    """
    scale, shift = stated
    found: NDArray[np.float64] = 1 / (1 + np.exp(-(scale * _log_odds(chances) + shift)))
    return found


def fit_stated(chances: NDArray[np.float64], is_right: NDArray[np.bool_]) -> tuple[float, float]:
    """Return scale and shift of log odds that make right spans most likely (Platt, 1999), by Newton's method.

    The probability of a span is that of its least certain token, which is too high for the whole and knows nothing of
    texts unlike those learnt from. Both numbers are drawn to (1, 0) as if by one span.
    """
    if not len(chances):
        return AS_FOUND
    X = np.stack([_log_odds(chances), np.ones(len(chances))], axis=1)
    start = np.array(AS_FOUND)
    w = start.copy()
    for _ in range(50):
        p = 1 / (1 + np.exp(-X @ w))
        slope = X.T @ (p - is_right) + (w - start)
        step = np.linalg.solve((X.T * (p * (1 - p))) @ X + np.eye(2), slope)
        w = w - step
        if np.abs(step).max() < 1e-9:
            break
    return max(float(w[0]), _LEAST_SCALE), float(w[1])


def _log_odds(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    kept = np.clip(chances, 1e-6, 1 - 1e-6)
    found: NDArray[np.float64] = np.log(kept / (1 - kept))
    return found


def calibration(chances: NDArray[np.float64], is_right: NDArray[np.bool_]) -> dict[str, float]:
    """Return the mean stated probability, the share that was right, and the expected calibration error (ten bins)."""
    if not len(chances):
        return {"n": 0.0, "stated": 0.0, "right": 0.0, "error": 0.0}
    bins = np.minimum((chances * 10).astype(int), 9)
    error = sum(
        abs(float(chances[bins == b].mean() - is_right[bins == b].mean())) * float((bins == b).mean())
        for b in np.unique(bins)
    )
    return {
        "n": float(len(chances)),
        "stated": float(chances.mean()),
        "right": float(is_right.mean()),
        "error": float(error),
    }
