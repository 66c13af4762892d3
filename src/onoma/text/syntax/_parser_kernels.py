"""Kernels of the parser's beam search, with weights as they are learnt (dense) or as they are kept (rows of bytes)."""

from typing import Any, TypeAlias

import numba as nb
import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from onoma.text._slots_kernels import add_rows
from onoma.text.syntax._states_kernels import (
    BELOW,
    LEFT,
    N_ATOMS,
    N_FIELDS,
    RIGHT,
    SHIFT,
    TOKEN,
    allowed,
    apply,
    fill,
    fill_arc,
    label_rows,
    new_node,
    slot_of,
)

__all__ = ["parse_batch", "search", "sum_dense", "trace_back"]

LabelWeights: TypeAlias = NDArray[np.float32] | tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int8]]
"""Rows × labels, or the three arrays of `slots.Rows`."""


@nb.njit(cache=True, nogil=True)
def sum_dense(weights: NDArray[np.float32], found: NDArray[np.int64], n: int, scores: NDArray[np.float32]) -> None:
    """Write the sum of the first n rows found."""
    scores[:] = 0
    for k in range(n):
        row = weights[found[k]]
        for c in range(len(scores)):
            scores[c] += row[c]


def sum_rows(weights: LabelWeights, found: NDArray[np.int64], n: int, scores: NDArray[np.float32]) -> None:
    """Write the sum of the first n rows found, of weights that are one array or three of `slots.Rows`."""
    raise NotImplementedError("for kernels")


@overload(sum_rows, inline="always")
def _sum_rows(weights, found, n, scores):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, ARG001 -- as Numba asks
    if isinstance(weights, nb.types.Array):
        return lambda weights, found, n, scores: sum_dense(weights, found, n, scores)
    return lambda weights, found, n, scores: add_rows(found, n, weights[0], weights[1], weights[2], scores)


@nb.njit(cache=True, nogil=True)
def _score(
    atoms: NDArray[np.uint32],
    active: NDArray[np.int64],
    templates: NDArray[np.int16],
    shift: np.uint64,
    weights: NDArray[Any],
    slots: NDArray[np.uint64],
    out: NDArray[np.float32],
) -> None:
    """Write what each transition scores; all slots are found first, so that many looks at memory are under way."""
    for k in range(len(active)):
        slots[k] = slot_of(templates, active[k], atoms, shift)
    a, b, c = np.float32(0), np.float32(0), np.float32(0)
    for k in range(len(active)):
        slot = slots[k]
        a += weights[slot, 0]
        b += weights[slot, 1]
        c += weights[slot, 2]
    out[0], out[1], out[2] = a, b, c


@nb.njit(cache=True, nogil=True)
def _best_label(weights: LabelWeights, found: NDArray[np.int64], n: int, scores: NDArray[np.float32], root: int) -> int:
    """Return the label that scores most, other than the root's."""
    sum_rows(weights, found, n, scores)
    best = 1 if root == 0 else 0
    for c in range(len(scores)):
        if scores[c] > scores[best] and c != root:
            best = c
    return best


@nb.njit(cache=True, nogil=True)
def search(
    words: NDArray[np.uint32],
    gold: NDArray[np.int8],
    beam: int,
    slack: float,
    active: NDArray[np.int64],
    templates: NDArray[np.int16],
    shift: np.uint64,
    weights: NDArray[Any],
    label_templates: NDArray[np.int16],
    label_shift: np.uint64,
    label_marks: NDArray[np.uint64],
    label_before: NDArray[np.int32],
    label_weights: LabelWeights,
    label_scores: NDArray[np.float32],
    root: int,
    nodes: NDArray[np.int32],
    trace: NDArray[np.int32],
    totals: NDArray[np.float32],
) -> tuple[int, int]:
    """Beam search over one sentence; with gold transitions, follow them too (as item `beam`).

    Items more than `slack` behind the best are let go: where the model is sure, the beam is narrow.

    `trace[step, item]` is (item before, transition, label). Return, with gold, the step and item of the largest
    violation (step 0 if the gold wins); without gold, the last step and 0.
    """
    n = len(words)
    learning = len(gold) > 0
    tops = np.zeros((2, beam + 1), np.int32)
    fronts, places = np.zeros((2, beam + 1), np.int32), np.zeros((2, beam + 1), np.int32)
    is_gold = np.zeros((2, beam + 1), np.bool_)
    is_gold[:, beam] = True
    atoms = np.zeros((beam + 1, N_ATOMS), np.uint32)
    scores = np.zeros((beam + 1, 3), np.float32)
    found, slots = np.empty(len(label_templates), np.int64), np.empty(len(active), np.uint64)
    chosen = np.zeros((beam, 2), np.int32)
    chosen_scores = np.zeros(beam, np.float32)
    new_node(nodes, 0, -1, -1)
    new_node(nodes, 1, 0, -1)
    n_nodes = 2
    tops[0, :], fronts[0, :], places[0, :] = 0, 1, 0
    is_gold[0, 0] = True
    totals[0, :] = 0
    n_items, now = 1, 0
    worst, worst_step = np.float32(-1.0), 0
    for step in range(2 * n):
        n_chosen = 0
        for item in range(beam + 1):
            if item >= n_items and not (item == beam and learning):
                continue
            fill(atoms[item], nodes, tops[now, item], fronts[now, item], places[now, item], words, n)
            _score(atoms[item], active, templates, shift, weights, slots, scores[item])
            if item == beam:
                continue
            for action in range(3):
                if not allowed(nodes, tops[now, item], places[now, item], n, action):
                    continue
                value = totals[step, item] + scores[item, action]
                if n_chosen == beam and value <= chosen_scores[beam - 1]:
                    continue
                k = n_chosen if n_chosen < beam else beam - 1
                while k > 0 and value > chosen_scores[k - 1]:
                    chosen_scores[k] = chosen_scores[k - 1]
                    chosen[k] = chosen[k - 1]
                    k -= 1
                chosen_scores[k] = value
                chosen[k, 0], chosen[k, 1] = item, action
                n_chosen = min(n_chosen + 1, beam)
        n_items = 0
        while n_items < n_chosen and chosen_scores[n_items] >= chosen_scores[0] - slack:
            n_items += 1
        after = 1 - now
        gold_in_beam = False
        for item in range(beam + 1):
            if item < n_items:
                before, action = chosen[item]
                totals[step + 1, item] = chosen_scores[item]
                is_gold[after, item] = learning and is_gold[now, before] and action == gold[step]
                gold_in_beam = gold_in_beam or is_gold[after, item]
            elif item == beam and learning:
                before, action = beam, gold[step]
                totals[step + 1, item] = totals[step, item] + scores[item, action]
            else:
                continue
            label = 0
            top, front = tops[now, before], fronts[now, before]
            if action != SHIFT:
                is_root = action == RIGHT and nodes[nodes[top, BELOW], TOKEN] < 0
                if not is_root:
                    fill_arc(atoms[before], nodes, top, front, action, words, n)
                    n_found = label_rows(atoms[before], label_templates, label_shift, label_marks, label_before, found)
                    label = _best_label(label_weights, found, n_found, label_scores, root)
                else:
                    label = root
            tops[after, item], fronts[after, item], places[after, item], n_nodes = apply(
                nodes, n_nodes, top, front, places[now, before], action, label
            )
            trace[step, item, 0], trace[step, item, 1], trace[step, item, 2] = before, action, label
        now = after
        if (learning and not gold_in_beam) or (learning and step == 2 * n - 1 and not is_gold[now, 0]):
            violation = totals[step + 1, 0] - totals[step + 1, beam]
            if violation > worst:
                worst, worst_step = violation, step + 1
    return (worst_step, 0) if learning else (2 * n, 0)


@nb.njit(cache=True, nogil=True)
def trace_back(trace: NDArray[np.int32], step: int, item: int, path: NDArray[np.int32]) -> None:
    """Write the transitions and labels that lead to an item."""
    for k in range(step - 1, -1, -1):
        path[k, 0], path[k, 1] = trace[k, item, 1], trace[k, item, 2]
        item = trace[k, item, 0]


@nb.njit(cache=True, nogil=True)
def parse_batch(
    sentences: NDArray[np.int32],
    words: NDArray[np.uint32],
    beam: int,
    slack: float,
    templates: NDArray[np.int16],
    shift: int,
    weights: NDArray[Any],
    label_templates: NDArray[np.int16],
    label_shift: int,
    label_marks: NDArray[np.uint64],
    label_before: NDArray[np.int32],
    label_weights: LabelWeights,
    n_labels: int,
    root: int,
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
) -> None:
    """Write each token's head (a token of the batch, -1 the root) and label."""
    longest = 0
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    nodes = np.zeros((4 * longest * (beam + 1) + 8, N_FIELDS), np.int32)
    trace = np.zeros((2 * longest, beam + 1, 3), np.int32)
    totals = np.zeros((2 * longest + 1, beam + 1), np.float32)
    path = np.zeros((2 * longest, 2), np.int32)
    stack = np.zeros(longest + 1, np.int32)
    label_scores = np.empty(n_labels, np.float32)
    nothing, everything = np.zeros(0, np.int8), np.arange(len(templates))
    for s in range(len(sentences) - 1):
        begin, end = sentences[s], sentences[s + 1]
        n = end - begin
        search(
            words[begin:end], nothing, beam, slack, everything, templates, np.uint64(shift), weights,
            label_templates, np.uint64(label_shift), label_marks, label_before, label_weights, label_scores, root,
            nodes, trace, totals,
        )  # fmt: skip
        trace_back(trace, 2 * n, 0, path)
        size, place = 0, 0
        for k in range(2 * n):
            action = path[k, 0]
            if action == SHIFT:
                stack[size] = place
                size += 1
                place += 1
            else:
                child = stack[size - 1]
                head = place if action == LEFT else (stack[size - 2] if size > 1 else -1)
                heads[begin + child] = begin + head if head >= 0 else -1
                labels[begin + child] = path[k, 1]
                size -= 1
