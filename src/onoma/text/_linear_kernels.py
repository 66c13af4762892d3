"""Kernels of linear models over hashed templates: which rows of the weights a place in a sentence reads, and learning.

A *template* is a list of parts (column, offset): the columns of the tokens at these offsets, hashed together. A hash is
a *slot*; `marks` and `before` give the row of the weights of a slot, or none for features too rare to keep
(`_slots_kernels`). While learning a row has one weight for each class; later it lists those that are not zero.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import uniform
from onoma.text._slots_kernels import add_rows, mix, row_of

__all__ = ["count_slots", "drop_some", "predict", "slot_of", "train_epoch"]


@nb.njit(cache=True, nogil=True, inline="always")
def slot_of(
    attributes: NDArray[np.uint32],
    begin: int,
    end: int,
    i: int,
    templates: NDArray[np.int16],
    t: int,
    shift: np.uint64,
) -> np.uint64:
    """Return the slot of template t at token i of the sentence from begin to before end."""
    value = np.uint64(t + 1) * np.uint64(0xD6E8FEB86659FD93)
    for p in range(templates[t, 0]):
        place = i + templates[t, 2 + 2 * p]
        if place < begin:
            part = np.uint64(0x1_0000_0000) + np.uint64(begin - place)
        elif place >= end:
            part = np.uint64(0x2_0000_0000) + np.uint64(place - end)
        else:
            part = np.uint64(attributes[place, templates[t, 1 + 2 * p]])
        value = mix(value, part)
    return value >> shift


@nb.njit(cache=True, nogil=True)
def count_slots(
    attributes: NDArray[np.uint32],
    sentences: NDArray[np.int32],
    chosen: NDArray[np.int64],
    gold: NDArray[np.int32],
    templates: NDArray[np.int16],
    shift: int,
    counts: NDArray[np.uint8],
) -> None:
    """Count how often each slot is met in the chosen sentences, up to 255; tokens of gold below -1 are passed over."""
    for s in chosen:
        for i in range(sentences[s], sentences[s + 1]):
            if gold[i] < -1:
                continue
            for t in range(len(templates)):
                slot = slot_of(attributes, sentences[s], sentences[s + 1], i, templates, t, np.uint64(shift))
                if counts[slot] < 255:
                    counts[slot] += np.uint8(1)


@nb.njit(cache=True, nogil=True)
def _rows_at(
    attributes: NDArray[np.uint32],
    begin: int,
    end: int,
    i: int,
    templates: NDArray[np.int16],
    shift: np.uint64,
    marks: NDArray[np.uint64],
    before: NDArray[np.int32],
    found: NDArray[np.int64],
) -> int:
    n = 0
    for t in range(len(templates)):
        row = row_of(marks, before, slot_of(attributes, begin, end, i, templates, t, shift))
        if row >= 0:
            found[n] = row
            n += 1
    return n


@nb.njit(cache=True, nogil=True)
def train_epoch(
    order: NDArray[np.int64],
    sentences: NDArray[np.int32],
    attributes: NDArray[np.uint32],
    column: int,
    gold: NDArray[np.int32],
    templates: NDArray[np.int16],
    shift: int,
    marks: NDArray[np.uint64],
    before: NDArray[np.int32],
    margin: float,
    dropout: float,
    state: NDArray[np.uint64],
    step: int,
    weights: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> tuple[int, int]:
    """One pass of the averaged perceptron over the sentences; return the next step and the number of mistakes.

    A right class must win by `margin`; each feature is left out of an update's look with probability `dropout`, so that
    no single one is relied upon. Each class predicted is written to `column` of the attributes (plus one), so later
    tokens see the model's own choices, right or wrong, as they will when it is used. A token whose gold is -1 is
    predicted but teaches nothing; one below -1 is passed over.
    """
    n_classes = weights.shape[1]
    found = np.empty(len(templates), np.int64)
    scores = np.empty(n_classes, np.float32)
    mistakes = 0
    for s in order:
        begin, end = sentences[s], sentences[s + 1]
        for i in range(begin, end):
            if gold[i] < -1:
                continue
            n = _rows_at(attributes, begin, end, i, templates, np.uint64(shift), marks, before, found)
            if dropout > 0.0:
                n = drop_some(found, n, dropout, state)
            target = gold[i]
            best = _best(weights, found, n, scores, target, margin)
            if target >= 0 and best != target:
                mistakes += 1
                for k in range(n):
                    weights[found[k], target] += 1.0
                    weights[found[k], best] -= 1.0
                    sums[found[k], target] += step
                    sums[found[k], best] -= step
            if target >= 0:
                scores[target] += margin
            for c in range(n_classes):
                if scores[c] > scores[best]:
                    best = c
            attributes[i, column] = best + 1
            step += 1
    return step, mistakes


@nb.njit(cache=True, nogil=True)
def drop_some(found: NDArray[np.int64], n: int, dropout: float, state: NDArray[np.uint64]) -> int:
    """Leave out some of the rows found; return how many are left."""
    kept = 0
    for k in range(n):
        if uniform(state) >= dropout:
            found[kept] = found[k]
            kept += 1
    return kept


@nb.njit(cache=True, nogil=True)
def _best(
    weights: NDArray[np.float32],
    found: NDArray[np.int64],
    n: int,
    scores: NDArray[np.float32],
    target: int,
    margin: float,
) -> int:
    """Return the class that scores most once the target has given up its margin."""
    scores[:] = 0
    for k in range(n):
        row = weights[found[k]]
        for c in range(len(scores)):
            scores[c] += row[c]
    if target >= 0:
        scores[target] -= np.float32(margin)
    best = 0
    for c in range(1, len(scores)):
        if scores[c] > scores[best]:
            best = c
    return best


@nb.njit(cache=True, nogil=True)
def predict(
    sentences: NDArray[np.int32],
    attributes: NDArray[np.uint32],
    column: int,
    only: NDArray[np.bool_],
    templates: NDArray[np.int16],
    shift: int,
    marks: NDArray[np.uint64],
    before: NDArray[np.int32],
    bounds: NDArray[np.int32],
    columns: NDArray[np.uint8],
    values: NDArray[np.int8],
    n_classes: int,
    out: NDArray[np.int32],
) -> None:
    """Write the best class of each token to `out`, and plus one to `column` of the attributes."""
    found = np.empty(len(templates), np.int64)
    scores = np.empty(n_classes, np.int32)
    for s in range(len(sentences) - 1):
        begin, end = sentences[s], sentences[s + 1]
        for i in range(begin, end):
            if not only[i]:
                continue
            n = _rows_at(attributes, begin, end, i, templates, np.uint64(shift), marks, before, found)
            add_rows(found, n, bounds, columns, values, scores)
            best = 0
            for c in range(1, n_classes):
                if scores[c] > scores[best]:
                    best = c
            out[i] = best
            attributes[i, column] = best + 1
