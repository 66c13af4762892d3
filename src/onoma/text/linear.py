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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.numerics.rng import kernel_state, stream
from onoma.progress import SILENT, Progress
from onoma.text._linear_kernels import count_slots, predict, spread, train_epoch

__all__ = ["LinearModel", "Training", "templates_of"]

_PART = re.compile(r"(\w+?)([+-]\d+)?")


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
    n_runs: int = 1
    """Runs in different orders whose weights are added: one model that is as steady as their mean."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Weights of one tagger: which class a token gets from its columns and its neighbours'."""

    classes: tuple[str, ...]
    templates: NDArray[np.int16]
    n_bits: int
    slots: NDArray[np.uint32]
    """The slot of each row of weights."""
    weights: NDArray[np.int8]
    """Rows × classes."""
    rows: NDArray[np.int32]
    """The row of each slot, -1 where none is kept."""

    def predict(
        self, attributes: NDArray[np.uint32], sentences: NDArray[np.int32], column: int, only: NDArray[np.bool_] | None
    ) -> NDArray[np.int32]:
        """Return each token's class (0 where `only` is false), and write it plus one to a column of the attributes."""
        out = np.zeros(len(attributes), np.int32)
        only = np.ones(len(attributes), np.bool_) if only is None else only
        predict(sentences, attributes, column, only, self.templates, 64 - self.n_bits, self.rows, self.weights, out)
        return out

    @classmethod
    def fit(
        cls,
        attributes: NDArray[np.uint32],
        sentences: NDArray[np.int32],
        column: int,
        gold: NDArray[np.int32],
        classes: Sequence[str],
        templates: NDArray[np.int16],
        training: Training,
        *,
        chosen: NDArray[np.int64] | None = None,
        seed: int = 0,
        progress: Progress = SILENT,
    ) -> "LinearModel":
        """Train on the chosen sentences; a token whose gold is -1 is passed over, one below -1 is not predicted."""
        attributes, shift = attributes.copy(), 64 - training.n_bits
        attributes[:, column] = np.maximum(gold, -1) + 1
        chosen = np.arange(len(sentences) - 1) if chosen is None else chosen
        counts = np.zeros(1 << training.n_bits, np.uint8)
        count_slots(attributes, sentences, chosen, gold, templates, shift, counts)
        slots = np.flatnonzero(counts >= training.least_count)
        rows = np.full(1 << training.n_bits, -1, np.int32)
        rows[slots] = np.arange(len(slots), dtype=np.int32)
        total = np.zeros((len(slots), len(classes)), np.float32)
        with progress.task("perceptron", training.n_epochs * training.n_runs, "epochs") as task:
            for run in range(training.n_runs):
                weights, sums = np.zeros_like(total), np.zeros_like(total)
                keys = ("linear", run) if run else ("linear",)
                step, state = 1, kernel_state(seed, *keys)
                for epoch in range(training.n_epochs):
                    order = chosen[stream(seed, *keys, epoch).permutation(len(chosen))]
                    step, mistakes = train_epoch(
                        order, sentences, attributes, column, gold, templates, shift, rows,
                        training.margin, training.dropout, state, step, weights, sums,
                    )  # fmt: skip
                    task.advance(1, mistakes=mistakes)
                total += weights - sums / np.float32(step)
        return cls.of_weights(classes, templates, training.n_bits, slots.astype(np.uint32), total)

    @classmethod
    def of_weights(
        cls,
        classes: Sequence[str],
        templates: NDArray[np.int16],
        n_bits: int,
        slots: NDArray[np.uint32],
        weights: NDArray[np.float32],
    ) -> "LinearModel":
        """Round weights to bytes; rows that round to nothing are dropped."""
        small, _ = to_bytes(weights)
        kept = small.any(axis=1)
        return cls._of(tuple(classes), templates, n_bits, slots[kept], small[kept])

    @classmethod
    def _of(
        cls,
        classes: tuple[str, ...],
        templates: NDArray[np.int16],
        n_bits: int,
        slots: NDArray[np.uint32],
        weights: NDArray[np.int8],
    ) -> "LinearModel":
        rows = np.full(1 << n_bits, -1, np.int32)
        rows[slots] = np.arange(len(slots), dtype=np.int32)
        return cls(classes, templates, n_bits, slots, weights, rows)

    def parts(self, prefix: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what is stored: facts for the header, arrays under names that begin with the prefix."""
        facts = {f"{prefix}_classes": list(self.classes), f"{prefix}_bits": self.n_bits}
        arrays: dict[str, NDArray[Any]] = {f"{prefix}_templates": self.templates}
        return facts, arrays | packed(prefix, self.slots, self.weights)

    @classmethod
    def of_parts(cls, prefix: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "LinearModel":
        """Return the model stored as `parts`."""
        classes = tuple(facts[f"{prefix}_classes"])
        slots, weights = unpacked(prefix, arrays, len(classes))
        return cls._of(classes, arrays[f"{prefix}_templates"], int(facts[f"{prefix}_bits"]), slots, weights)


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


def packed(prefix: str, slots: NDArray[np.uint32], weights: NDArray[np.int8]) -> dict[str, NDArray[Any]]:
    """Return weights as lists of what is not zero: small, and quick to spread out again."""
    row, column = np.nonzero(weights)
    return {
        f"{prefix}_gaps": np.diff(slots.astype(np.int64), prepend=0).astype(np.uint32),
        f"{prefix}_sizes": np.bincount(row, minlength=len(slots)).astype(np.uint8),
        f"{prefix}_columns": column.astype(np.uint8),
        f"{prefix}_values": weights[row, column],
    }


def unpacked(
    prefix: str, arrays: Mapping[str, NDArray[Any]], n_classes: int
) -> tuple[NDArray[np.uint32], NDArray[np.int8]]:
    """Return the slots and weights that `packed` stored."""
    sizes = arrays[f"{prefix}_sizes"]
    weights = np.zeros((len(sizes), n_classes), np.int8)
    spread(sizes, arrays[f"{prefix}_columns"], arrays[f"{prefix}_values"], weights)
    return np.cumsum(arrays[f"{prefix}_gaps"], dtype=np.uint32), weights
