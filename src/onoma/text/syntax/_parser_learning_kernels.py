"""Kernels that teach the parser: transitions by the largest violation, labels by the arcs whose heads are right."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import uniform
from onoma.text._linear_kernels import drop_some
from onoma.text.syntax._parser_kernels import search, sum_dense, trace_back
from onoma.text.syntax._states_kernels import (
    BELOW,
    LEFT,
    N_ATOMS,
    N_FIELDS,
    SHIFT,
    TOKEN,
    apply,
    fill,
    fill_arc,
    label_rows,
    new_node,
    slot_of,
)

__all__ = ["count_label_slots", "train_epoch"]


@nb.njit(cache=True, nogil=True)
def _follow(
    words: NDArray[np.uint32],
    path: NDArray[np.int32],
    begin: int,
    end: int,
    change: float,
    step: int,
    active: NDArray[np.int64],
    templates: NDArray[np.int16],
    shift: np.uint64,
    weights: NDArray[np.float32],
    sums: NDArray[np.float32],
    nodes: NDArray[np.int32],
    atoms: NDArray[np.uint32],
) -> None:
    """Add `change` to the weights of the transitions of a path from `begin` to before `end`."""
    n = len(words)
    new_node(nodes, 0, -1, -1)
    new_node(nodes, 1, 0, -1)
    top, front, place, n_nodes = 0, 1, 0, 2
    for k in range(end):
        action = path[k, 0]
        if k >= begin:
            fill(atoms, nodes, top, front, place, words, n)
            for t in active:
                slot = slot_of(templates, t, atoms, shift)
                weights[slot, action] += change
                sums[slot, action] += change * step
        top, front, place, n_nodes = apply(nodes, n_nodes, top, front, place, action, path[k, 1])


@nb.njit(cache=True, nogil=True)
def _teach_labels(
    words: NDArray[np.uint32],
    path: NDArray[np.int32],
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    margin: float,
    dropout: float,
    state: NDArray[np.uint64],
    step: int,
    templates: NDArray[np.int16],
    shift: np.uint64,
    marks: NDArray[np.uint64],
    before: NDArray[np.int32],
    weights: NDArray[np.float32],
    sums: NDArray[np.float32],
    nodes: NDArray[np.int32],
    atoms: NDArray[np.uint32],
) -> tuple[int, int, int]:
    """Learn labels on the arcs of a path whose heads are right; return how many heads and how many labels were."""
    n = len(words)
    found, scores = np.empty(len(templates), np.int64), np.empty(weights.shape[1], np.float32)
    new_node(nodes, 0, -1, -1)
    new_node(nodes, 1, 0, -1)
    top, front, place, n_nodes = 0, 1, 0, 2
    right, labelled = 0, 0
    for k in range(2 * n):
        action = path[k, 0]
        if action != SHIFT:
            head = place if action == LEFT else nodes[nodes[top, BELOW], TOKEN]
            child = nodes[top, TOKEN]
            if head == heads[child]:
                right += 1
                gold = labels[child]
                if path[k, 1] == gold:
                    labelled += 1
                if head >= 0 and gold >= 0:
                    fill(atoms, nodes, top, front, place, words, n)
                    fill_arc(atoms, nodes, top, front, action, words, n)
                    n_found = drop_some(
                        found, label_rows(atoms, templates, shift, marks, before, found), dropout, state
                    )
                    sum_dense(weights, found, n_found, scores)
                    scores[gold] -= margin
                    best = np.argmax(scores)
                    if best != gold:
                        for f in range(n_found):
                            weights[found[f], gold] += 1.0
                            weights[found[f], best] -= 1.0
                            sums[found[f], gold] += step
                            sums[found[f], best] -= step
        top, front, place, n_nodes = apply(nodes, n_nodes, top, front, place, action, path[k, 1])
    return right, labelled, 0


@nb.njit(cache=True, nogil=True)
def count_label_slots(
    words: NDArray[np.uint32],
    sentences: NDArray[np.int32],
    actions: NDArray[np.int8],
    labels: NDArray[np.int32],
    projective: NDArray[np.bool_],
    templates: NDArray[np.int16],
    shift: int,
    counts: NDArray[np.uint8],
) -> None:
    """Count how often each slot of the labels' templates is met on the gold trees, up to 255."""
    atoms = np.zeros(N_ATOMS, np.uint32)
    for s in range(len(sentences) - 1):
        if not projective[s]:
            continue
        begin, end = sentences[s], sentences[s + 1]
        n = end - begin
        nodes = np.zeros((4 * n + 8, N_FIELDS), np.int32)
        new_node(nodes, 0, -1, -1)
        new_node(nodes, 1, 0, -1)
        top, front, place, n_nodes = 0, 1, 0, 2
        for k in range(2 * n):
            action = actions[2 * begin + k]
            label = 0
            if action != SHIFT:
                label = max(labels[begin + nodes[top, TOKEN]], 0)
                fill(atoms, nodes, top, front, place, words[begin:end], n)
                fill_arc(atoms, nodes, top, front, action, words[begin:end], n)
                for t in range(len(templates)):
                    slot = slot_of(templates, t, atoms, np.uint64(shift))
                    if counts[slot] < 255:
                        counts[slot] += 1
            top, front, place, n_nodes = apply(nodes, n_nodes, top, front, place, action, label)


@nb.njit(cache=True, nogil=True)
def _some(templates: NDArray[np.int64], dropout: float, state: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the templates a sentence is read with: each is left out with probability `dropout`."""
    kept, n = np.empty(len(templates), np.int64), 0
    for t in templates:
        if uniform(state) >= dropout:
            kept[n] = t
            n += 1
    return kept[:n]


@nb.njit(cache=True, nogil=True)
def train_epoch(
    order: NDArray[np.int64],
    sentences: NDArray[np.int32],
    words: NDArray[np.uint32],
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
    actions: NDArray[np.int8],
    beam: int,
    slack: float,
    dropout: float,
    state: NDArray[np.uint64],
    margin: float,
    templates: NDArray[np.int16],
    shift: int,
    weights: NDArray[np.float32],
    sums: NDArray[np.float32],
    label_templates: NDArray[np.int16],
    label_shift: int,
    label_marks: NDArray[np.uint64],
    label_before: NDArray[np.int32],
    label_weights: NDArray[np.float32],
    label_sums: NDArray[np.float32],
    root: int,
    step: int,
) -> tuple[int, int, int]:
    """One pass over the sentences in `order`; return the next step, heads right and labels right too.

    Heads are within the sentence. The weights of transitions move by the largest violation (Huang, Fayong and Guo,
    2012): at the step where the beam's best leads the gold by most, the gold prefix is rewarded, the best punished.
    Each sentence is read with some of the templates, so that no single one is relied upon.
    """
    longest = 0
    for s in order:
        longest = max(longest, sentences[s + 1] - sentences[s])
    nodes = np.zeros((4 * longest * (beam + 1) + 8, N_FIELDS), np.int32)
    trace = np.zeros((2 * longest, beam + 1, 3), np.int32)
    totals = np.zeros((2 * longest + 1, beam + 1), np.float32)
    path, gold_path = np.zeros((2 * longest, 2), np.int32), np.zeros((2 * longest, 2), np.int32)
    atoms, everything = np.zeros(N_ATOMS, np.uint32), np.arange(len(templates))
    label_scores = np.empty(label_weights.shape[1], np.float32)
    right, labelled = 0, 0
    for s in order:
        begin, end = sentences[s], sentences[s + 1]
        here, gold = words[begin:end], actions[2 * begin : 2 * end]
        n = end - begin
        active = _some(everything, dropout, state)
        worst, _ = search(
            here, gold, beam, slack, active, templates, np.uint64(shift), weights,
            label_templates, np.uint64(label_shift), label_marks, label_before, label_weights, label_scores, root,
            nodes, trace, totals,
        )  # fmt: skip
        if worst > 0:
            trace_back(trace, worst, 0, path)
            trace_back(trace, worst, beam, gold_path)
            first = 0
            while first < worst and path[first, 0] == gold_path[first, 0]:
                first += 1
            for change, way in ((1.0, gold_path), (-1.0, path)):
                _follow(
                    here,
                    way,
                    first,
                    worst,
                    change,
                    step,
                    active,
                    templates,
                    np.uint64(shift),
                    weights,
                    sums,
                    nodes,
                    atoms,
                )
        trace_back(trace, 2 * n, 0, path)
        good, fully, _ = _teach_labels(
            here, path, heads[begin:end], labels[begin:end], margin, dropout, state, step,
            label_templates, np.uint64(label_shift), label_marks, label_before, label_weights, label_sums, nodes, atoms,
        )  # fmt: skip
        right += good
        labelled += fully
        step += 1
    return step, right, labelled
