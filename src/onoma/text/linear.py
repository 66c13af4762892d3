"""Linear models over hashed templates: trained by the averaged perceptron, stored in a byte a weight.

The class of a token is the one whose weights sum to most over the token's features; features are templates over the
columns of `words.attributes_of`, hashed, so that no dictionary of features is kept. Training asks for a margin and
leaves features out at random, which together do for a perceptron what regularisation does for a likelihood. After
training, weights are scaled to whole numbers from -127 to 127, and those that round to nothing are dropped.

Cost: one row of weights for each template and token.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.numerics.rng import kernel_state, stream
from onoma.progress import SILENT, Progress
from onoma.text._linear_kernels import count_slots, predict, train_epoch
from onoma.text.slots import Rows, Slots

__all__ = ["LinearModel", "Told", "Training", "templates_of"]

_PART = re.compile(r"(\w+?)([+-]\d+)?")


class Told(NamedTuple):
    """Tokens of which the classes are known."""

    attributes: NDArray[np.uint32]
    """By token and column."""
    sentences: NDArray[np.int32]
    """Where each begins, and the end of the last."""
    column: int
    """The column of the attributes that holds what is predicted."""
    gold: NDArray[np.int32]
    """The class of each token; -1: it is passed over, below -1: it is not predicted."""


@dataclass(frozen=True)
class Training:
    """How a linear model is trained."""

    n_epochs: int = 12
    margin: float = 30.0
    dropout: float = 0.3
    """How often a feature is left out, so that no single one is relied upon."""
    least_count: int = 2
    """Features met less often are not kept."""
    n_bits: int = 22
    """Slots features are hashed to: 2 to this power."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Weights of one tagger: which class a token gets from its columns and its neighbours'."""

    classes: tuple[str, ...]
    templates: NDArray[np.int16]
    n_bits: int
    slots: Slots
    """Which slots have a row of weights."""
    weights: Rows

    def predict(
        self, attributes: NDArray[np.uint32], sentences: NDArray[np.int32], column: int, only: NDArray[np.bool_] | None
    ) -> NDArray[np.int32]:
        """Return each token's class (0 where `only` is false), and write it plus one to a column of the attributes."""
        out = np.zeros(len(attributes), np.int32)
        only = np.ones(len(attributes), np.bool_) if only is None else only
        (marks, before), (bounds, columns, values) = self.slots.arrays, self.weights.arrays
        predict(
            sentences, attributes, column, only, self.templates, 64 - self.n_bits, marks, before, bounds, columns,
            values, len(self.classes), out,
        )  # fmt: skip
        return out

    @classmethod
    def fit(
        cls,
        told: "Told",
        classes: Sequence[str],
        templates: NDArray[np.int16],
        training: Training,
        *,
        seed: int = 0,
        progress: Progress = SILENT,
    ) -> "LinearModel":
        """Train on sentences."""
        attributes, sentences, column, gold = told
        attributes, shift = attributes.copy(), 64 - training.n_bits
        attributes[:, column] = np.maximum(gold, -1) + 1
        counts, everything = np.zeros(1 << training.n_bits, np.uint8), np.arange(len(sentences) - 1)
        count_slots(attributes, sentences, everything, gold, templates, shift, counts)
        slots = Slots.of(np.flatnonzero(counts >= training.least_count), training.n_bits)
        weights, sums = (np.zeros((len(slots), len(classes)), np.float32) for _ in range(2))
        step, state = 1, kernel_state(seed, "linear")
        with progress.task("perceptron", training.n_epochs, "epochs") as task:
            for epoch in range(training.n_epochs):
                order = stream(seed, "linear", epoch).permutation(len(everything))
                step, mistakes = train_epoch(
                    order, sentences, attributes, column, gold, templates, shift, *slots.arrays,
                    training.margin, training.dropout, state, step, weights, sums,
                )  # fmt: skip
                task.advance(1, mistakes=mistakes)
        weights -= sums / np.float32(step)
        return cls.of_weights(classes, templates, training.n_bits, slots.numbers, weights)

    @classmethod
    def of_weights(
        cls,
        classes: Sequence[str],
        templates: NDArray[np.int16],
        n_bits: int,
        slots: NDArray[np.int64],
        weights: NDArray[np.float32],
    ) -> "LinearModel":
        """Round weights to bytes; rows that round to nothing are dropped."""
        small, _ = to_bytes(weights)
        kept = small.any(axis=1)
        return cls(tuple(classes), templates, n_bits, Slots.of(slots[kept], n_bits), Rows.of(small[kept]))

    def parts(self, prefix: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what is stored: facts for the header, arrays under names that begin with the prefix."""
        facts = {f"{prefix}_classes": list(self.classes), f"{prefix}_bits": self.n_bits}
        arrays: dict[str, NDArray[Any]] = {f"{prefix}_templates": self.templates, f"{prefix}_slots": self.slots.marks}
        return facts, arrays | self.weights.stored(prefix)

    @classmethod
    def of_parts(cls, prefix: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "LinearModel":
        """Return the model stored as `parts`."""
        classes, n_bits = tuple(facts[f"{prefix}_classes"]), int(facts[f"{prefix}_bits"])
        slots, weights = Slots.marked(arrays[f"{prefix}_slots"]), Rows.load(prefix, arrays)
        return cls(classes, arrays[f"{prefix}_templates"], n_bits, slots, weights)


def templates_of(text: str, columns: Sequence[str], short: Mapping[str, str] | None = None) -> NDArray[np.int16]:
    """Read templates: names of columns with offsets, joined by `&`; blanks between templates.

    Examples
    --------
    >>> templates_of("word word-1&tag", ["word", "tag"])
    array([[ 1,  0,  0,  0,  0],
           [ 2,  0, -1,  1,  0]], dtype=int16)
    """
    places = {name: k for k, name in enumerate(columns)}
    found = []
    for item in text.split():
        parts = []
        for part in item.split("&"):
            match = _PART.fullmatch(part)
            name = (short or {}).get(match[1], match[1]) if match else part
            if match is None or name not in places:
                raise SettingsError(f"the template {item!r} names {part!r}", hint="Columns: " + ", ".join(columns))
            parts += [places[name], int(match[2] or 0)]
        found.append(parts)
    out = np.zeros((len(found), 1 + max(len(parts) for parts in found)), np.int16)
    for row, parts in zip(out, found, strict=True):
        row[0], row[1 : 1 + len(parts)] = len(parts) // 2, parts
    return out


def to_bytes(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    """Round to -127…127, so scaled that one weight in ten thousand is cut; return the scale too."""
    size = np.abs(weights[weights != 0])
    scale = 127.0 / float(np.quantile(size, 0.9999)) if len(size) else 1.0
    return np.clip(np.rint(weights * np.float32(scale)), -127, 127).astype(np.int8), scale
