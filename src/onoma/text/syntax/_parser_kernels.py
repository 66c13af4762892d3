"""Kernels of the beam parser: persistent states, hashed features, search, and learning from the largest violation.

A state's stack is a linked list of *nodes* that no one changes once made, so beam items share their pasts and a step
costs the same however long the sentence. A node is a token with what hangs from it so far; `below` is the node under it
on the stack. Node 0 is the root, under everything. Transitions (arc-hybrid; Kuhlmann, Gómez-Rodríguez and Satta, 2011):
shift; left (the first waiting token takes the top of the stack); right (the second on the stack takes the top).
"""

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import uniform

__all__ = ["ATOMS", "SLOTS", "count_label_slots", "gold_actions", "parse_batch", "projectivise", "train_epoch"]

SHIFT, LEFT, RIGHT = 0, 1, 2
_TOKEN, _L1, _L1D, _L2, _L2D, _R1, _R1D, _R2, _R2D, _VL, _VR, _BELOW = range(12)
_N_FIELDS = 12
SLOTS = (
    "s0", "s1", "s2", "b0", "b1", "b2", "b3", "s0l", "s0L", "s0r", "s0R", "s1l", "s1r", "b0l", "b0L", "h", "p", "n",
    "s1R", "s1L",
)  # fmt: skip
"""Tops of the stack, waiting tokens, their outermost and next children, a new arc's head, its dependent's sides."""
_VALUES = ("w", "t", "c", "m", "k")
"""Word, tag, clusters from fine to coarse."""
_EXTRA = (
    "s0ld", "s0Ld", "s0rd", "s0Rd", "s1ld", "s1rd", "b0ld", "b0Ld",
    "s0vl", "s0vr", "s1vl", "s1vr", "b0vl", "dist", "dist1", "hld", "hrd", "hvl", "hvr", "hdist", "dir",
)  # fmt: skip
"""Labels of children, numbers of children, distances, the direction of a new arc."""
ATOMS = tuple(slot + value for slot in SLOTS for value in _VALUES) + _EXTRA
"""The names templates are made of."""
_N_VALUES = len(_VALUES)
_X = len(SLOTS) * _N_VALUES
_H = SLOTS.index("h") * _N_VALUES
_N_ATOMS = len(ATOMS)


@nb.njit(cache=True, nogil=True, inline="always")
def _mix(value: np.uint64, part: np.uint64) -> np.uint64:
    value = (value ^ part) * np.uint64(0x9E3779B97F4A7C15)
    return value ^ (value >> np.uint64(29))


@nb.njit(cache=True, nogil=True)
def _slot(template: NDArray[np.int16], number: int, atoms: NDArray[np.uint32], shift: np.uint64) -> int:
    value = np.uint64(number + 1) * np.uint64(0xD6E8FEB86659FD93)
    for p in range(template[0]):
        value = _mix(value, np.uint64(atoms[template[1 + p]]))
    return int(value >> shift)


@nb.njit(cache=True, nogil=True)
def _put(atoms: NDArray[np.uint32], slot: int, token: int, words: NDArray[np.uint32], n: int) -> None:
    """Write the values of a token; -1 is the root, anything else outside the sentence is nothing."""
    at = slot * _N_VALUES
    if 0 <= token < n:
        for v in range(_N_VALUES):
            atoms[at + v] = words[token, v]
    else:
        for v in range(_N_VALUES):
            atoms[at + v] = 0xFFFFFFF1 if token == -1 else 0xFFFFFFF0


@nb.njit(cache=True, nogil=True)
def _length(distance: int) -> int:
    return distance if distance <= 5 else 6 if distance <= 7 else 7 if distance <= 10 else 8 if distance <= 15 else 9


@nb.njit(cache=True, nogil=True)
def _fill(
    atoms: NDArray[np.uint32],
    nodes: NDArray[np.int32],
    top: int,
    front: int,
    place: int,
    words: NDArray[np.uint32],
    n: int,
) -> None:
    """Write what templates may look at; `front` is the node of the first waiting token, at `place`."""
    s1 = nodes[top, _BELOW] if top > 0 else -1
    s2 = nodes[s1, _BELOW] if s1 > 0 else -1
    t0 = nodes[top, _TOKEN]
    t1 = nodes[s1, _TOKEN] if s1 >= 0 else -2
    _put(atoms, 0, t0, words, n)
    _put(atoms, 1, t1, words, n)
    _put(atoms, 2, nodes[s2, _TOKEN] if s2 >= 0 else -2, words, n)
    for k in range(4):
        _put(atoms, 3 + k, place + k if place + k < n else -2, words, n)
    _put(atoms, 7, nodes[top, _L1], words, n)
    _put(atoms, 8, nodes[top, _L2], words, n)
    _put(atoms, 9, nodes[top, _R1], words, n)
    _put(atoms, 10, nodes[top, _R2], words, n)
    if s1 >= 0:
        _put(atoms, 11, nodes[s1, _L1], words, n)
        _put(atoms, 12, nodes[s1, _R1], words, n)
        _put(atoms, 18, nodes[s1, _R2], words, n)
        _put(atoms, 19, nodes[s1, _L2], words, n)
        atoms[_X + 4], atoms[_X + 5] = nodes[s1, _L1D], nodes[s1, _R1D]
        atoms[_X + 10], atoms[_X + 11] = nodes[s1, _VL], nodes[s1, _VR]
    else:
        for slot in (11, 12, 18, 19):
            _put(atoms, slot, -2, words, n)
        atoms[_X + 4], atoms[_X + 5], atoms[_X + 10], atoms[_X + 11] = 0, 0, 0, 0
    _put(atoms, 13, nodes[front, _L1] if place < n else -2, words, n)
    _put(atoms, 14, nodes[front, _L2] if place < n else -2, words, n)
    atoms[_X], atoms[_X + 1] = nodes[top, _L1D], nodes[top, _L2D]
    atoms[_X + 2], atoms[_X + 3] = nodes[top, _R1D], nodes[top, _R2D]
    atoms[_X + 6] = nodes[front, _L1D] if place < n else 0
    atoms[_X + 7] = nodes[front, _L2D] if place < n else 0
    atoms[_X + 8], atoms[_X + 9] = nodes[top, _VL], nodes[top, _VR]
    atoms[_X + 12] = nodes[front, _VL] if place < n else 0
    atoms[_X + 13] = _length(place - t0) if t0 >= 0 and place < n else 0
    atoms[_X + 14] = _length(t0 - t1) if t1 >= 0 else 0


@nb.njit(cache=True, nogil=True)
def _fill_arc(
    atoms: NDArray[np.uint32],
    nodes: NDArray[np.int32],
    top: int,
    front: int,
    action: int,
    words: NDArray[np.uint32],
    n: int,
) -> None:
    """Write what a label is chosen by, beside what `_fill` wrote."""
    head = front if action == LEFT else nodes[top, _BELOW]
    token, dependent = nodes[head, _TOKEN], nodes[top, _TOKEN]
    _put(atoms, 15, token, words, n)
    _put(atoms, 16, dependent - 1 if dependent > 0 else -2, words, n)
    _put(atoms, 17, dependent + 1 if dependent + 1 < n else -2, words, n)
    atoms[_X + 15], atoms[_X + 16] = nodes[head, _L1D], nodes[head, _R1D]
    atoms[_X + 17], atoms[_X + 18] = nodes[head, _VL], nodes[head, _VR]
    atoms[_X + 19] = _length(abs(token - dependent)) if token >= 0 else 0
    atoms[_X + 20] = action


@nb.njit(cache=True, nogil=True)
def _new_node(nodes: NDArray[np.int32], n_nodes: int, token: int, below: int) -> int:
    node = nodes[n_nodes]
    node[:] = 0
    node[_TOKEN], node[_BELOW] = token, below
    node[_L1], node[_L2], node[_R1], node[_R2] = -2, -2, -2, -2
    return n_nodes


@nb.njit(cache=True, nogil=True)
def _apply(
    nodes: NDArray[np.int32], n_nodes: int, top: int, front: int, place: int, action: int, label: int
) -> tuple[int, int, int, int]:
    """Return (top, front, place, number of nodes) after a transition."""
    if action == SHIFT:
        nodes[n_nodes] = nodes[front]
        nodes[n_nodes, _BELOW] = top
        fresh = _new_node(nodes, n_nodes + 1, place + 1, -1)
        return n_nodes, fresh, place + 1, n_nodes + 2
    child = nodes[top, _TOKEN]
    if action == LEFT:
        nodes[n_nodes] = nodes[front]
        node = nodes[n_nodes]
        node[_L2], node[_L2D] = node[_L1], node[_L1D]
        node[_L1], node[_L1D] = child, label + 1
        node[_VL] = min(node[_VL] + 1, 7)
        return nodes[top, _BELOW], n_nodes, place, n_nodes + 1
    below = nodes[top, _BELOW]
    nodes[n_nodes] = nodes[below]
    node = nodes[n_nodes]
    node[_R2], node[_R2D] = node[_R1], node[_R1D]
    node[_R1], node[_R1D] = child, label + 1
    node[_VR] = min(node[_VR] + 1, 7)
    return n_nodes, front, place, n_nodes + 1


@nb.njit(cache=True, nogil=True)
def _allowed(nodes: NDArray[np.int32], top: int, place: int, n: int, action: int) -> bool:
    """Only the last token standing may hang from the root: a sentence has one root."""
    if action == SHIFT:
        return place < n
    if nodes[top, _TOKEN] < 0:
        return False
    if action == LEFT:
        return place < n
    return nodes[nodes[top, _BELOW], _TOKEN] >= 0 or place == n


@nb.njit(cache=True, nogil=True)
def _score(
    atoms: NDArray[np.uint32],
    active: NDArray[np.int64],
    templates: NDArray[np.int16],
    shift: np.uint64,
    weights: NDArray[Any],
    out: NDArray[np.float32],
) -> None:
    a, b, c = np.float32(0), np.float32(0), np.float32(0)
    for t in active:
        row = weights[_slot(templates[t], t, atoms, shift)]
        a += row[0]
        b += row[1]
        c += row[2]
    out[0], out[1], out[2] = a, b, c


@nb.njit(cache=True, nogil=True)
def _label_rows(
    atoms: NDArray[np.uint32],
    templates: NDArray[np.int16],
    shift: np.uint64,
    rows: NDArray[np.int32],
    found: NDArray[np.int64],
) -> int:
    n = 0
    for t in range(len(templates)):
        row = rows[_slot(templates[t], t, atoms, shift)]
        if row >= 0:
            found[n] = row
            n += 1
    return n


@nb.njit(cache=True, nogil=True)
def _best_label(
    weights: NDArray[np.float32],
    found: NDArray[np.int64],
    n: int,
    scores: NDArray[np.float32],
    root: int,
    is_root: bool,
) -> int:
    """Return the label that scores most; the root's child is always `root`, and no other is."""
    if is_root:
        return root
    scores[:] = 0
    for k in range(n):
        row = weights[found[k]]
        for c in range(len(scores)):
            scores[c] += row[c]
    best = 1 if root == 0 else 0
    for c in range(len(scores)):
        if scores[c] > scores[best] and c != root:
            best = c
    return best


@nb.njit(cache=True, nogil=True)
def projectivise(heads: NDArray[np.int32]) -> int:
    """Hang the shortest arc that crosses another from its head's head, until none crosses; return how often.

    Heads are within the sentence, -1 the root.
    """
    n, lifted = len(heads), 0
    while True:
        shortest, which = n + 1, -1
        for i in range(n):
            head = heads[i]
            low, high = min(i, head), max(i, head)
            if head < 0 or high - low >= shortest:
                continue
            for k in range(low + 1, high):
                above = k
                while above >= 0 and above != head:
                    above = heads[above]
                if above != head:
                    shortest, which = high - low, i
                    break
        if which < 0 or heads[heads[which]] < 0:
            return lifted
        heads[which] = heads[heads[which]]
        lifted += 1


@nb.njit(cache=True, nogil=True)
def gold_actions(heads: NDArray[np.int32], actions: NDArray[np.int8]) -> bool:
    """Write the transitions that build a tree (heads within the sentence, -1 the root); false if arcs cross."""
    n = len(heads)
    waiting = np.zeros(n, np.int32)
    for i in range(n):
        if heads[i] >= 0:
            waiting[heads[i]] += 1
    stack = np.empty(n + 1, np.int32)
    size, place = 0, 0
    for step in range(2 * n):
        if size > 0 and place < n and heads[stack[size - 1]] == place and waiting[stack[size - 1]] == 0:
            actions[step] = LEFT
            waiting[place] -= 1
            size -= 1
        elif (
            size > 0
            and waiting[stack[size - 1]] == 0
            and ((size > 1 and heads[stack[size - 1]] == stack[size - 2]) or (size == 1 and place == n))
        ):
            actions[step] = RIGHT
            if size > 1:
                waiting[stack[size - 2]] -= 1
            size -= 1
        elif place < n:
            actions[step] = SHIFT
            stack[size] = place
            size += 1
            place += 1
        else:
            return False
    return True


@nb.njit(cache=True, nogil=True)
def _search(
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
    label_rows: NDArray[np.int32],
    label_weights: NDArray[Any],
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
    atoms = np.zeros((beam + 1, _N_ATOMS), np.uint32)
    scores = np.zeros((beam + 1, 3), np.float32)
    found = np.empty(len(label_templates), np.int64)
    label_scores = np.empty(label_weights.shape[1], np.float32)
    chosen = np.zeros((beam, 2), np.int32)
    chosen_scores = np.zeros(beam, np.float32)
    _new_node(nodes, 0, -1, -1)
    _new_node(nodes, 1, 0, -1)
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
            _fill(atoms[item], nodes, tops[now, item], fronts[now, item], places[now, item], words, n)
            _score(atoms[item], active, templates, shift, weights, scores[item])
            if item == beam:
                continue
            for action in range(3):
                if not _allowed(nodes, tops[now, item], places[now, item], n, action):
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
                is_root = action == RIGHT and nodes[nodes[top, _BELOW], _TOKEN] < 0
                if not is_root:
                    _fill_arc(atoms[before], nodes, top, front, action, words, n)
                    n_found = _label_rows(atoms[before], label_templates, label_shift, label_rows, found)
                    label = _best_label(label_weights, found, n_found, label_scores, root, False)
                else:
                    label = root
            tops[after, item], fronts[after, item], places[after, item], n_nodes = _apply(
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
def _trace_back(trace: NDArray[np.int32], step: int, item: int, path: NDArray[np.int32]) -> None:
    """Write the transitions and labels that lead to an item."""
    for k in range(step - 1, -1, -1):
        path[k, 0], path[k, 1] = trace[k, item, 1], trace[k, item, 2]
        item = trace[k, item, 0]


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
    _new_node(nodes, 0, -1, -1)
    _new_node(nodes, 1, 0, -1)
    top, front, place, n_nodes = 0, 1, 0, 2
    for k in range(end):
        action = path[k, 0]
        if k >= begin:
            _fill(atoms, nodes, top, front, place, words, n)
            for t in active:
                slot = _slot(templates[t], t, atoms, shift)
                weights[slot, action] += change
                sums[slot, action] += change * step
        top, front, place, n_nodes = _apply(nodes, n_nodes, top, front, place, action, path[k, 1])


@nb.njit(cache=True, nogil=True)
def _drop(found: NDArray[np.int64], n: int, dropout: float, state: NDArray[np.uint64]) -> int:
    """Leave out some of the rows found; return how many are left."""
    kept = 0
    for k in range(n):
        if uniform(state) >= dropout:
            found[kept] = found[k]
            kept += 1
    return kept


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
    rows: NDArray[np.int32],
    weights: NDArray[np.float32],
    sums: NDArray[np.float32],
    nodes: NDArray[np.int32],
    atoms: NDArray[np.uint32],
) -> tuple[int, int, int]:
    """Learn labels on the arcs of a path whose heads are right; return how many heads and how many labels were."""
    n = len(words)
    found, scores = np.empty(len(templates), np.int64), np.empty(weights.shape[1], np.float32)
    _new_node(nodes, 0, -1, -1)
    _new_node(nodes, 1, 0, -1)
    top, front, place, n_nodes = 0, 1, 0, 2
    right, labelled = 0, 0
    for k in range(2 * n):
        action = path[k, 0]
        if action != SHIFT:
            head = place if action == LEFT else nodes[nodes[top, _BELOW], _TOKEN]
            child = nodes[top, _TOKEN]
            if head == heads[child]:
                right += 1
                gold = labels[child]
                if path[k, 1] == gold:
                    labelled += 1
                if head >= 0 and gold >= 0:
                    _fill(atoms, nodes, top, front, place, words, n)
                    _fill_arc(atoms, nodes, top, front, action, words, n)
                    n_found = _drop(found, _label_rows(atoms, templates, shift, rows, found), dropout, state)
                    scores[:] = 0
                    for f in range(n_found):
                        row = weights[found[f]]
                        for c in range(len(scores)):
                            scores[c] += row[c]
                    scores[gold] -= margin
                    best = np.argmax(scores)
                    if best != gold:
                        for f in range(n_found):
                            weights[found[f], gold] += 1.0
                            weights[found[f], best] -= 1.0
                            sums[found[f], gold] += step
                            sums[found[f], best] -= step
        top, front, place, n_nodes = _apply(nodes, n_nodes, top, front, place, action, path[k, 1])
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
    atoms = np.zeros(_N_ATOMS, np.uint32)
    for s in range(len(sentences) - 1):
        if not projective[s]:
            continue
        begin, end = sentences[s], sentences[s + 1]
        n = end - begin
        nodes = np.zeros((4 * n + 8, _N_FIELDS), np.int32)
        _new_node(nodes, 0, -1, -1)
        _new_node(nodes, 1, 0, -1)
        top, front, place, n_nodes = 0, 1, 0, 2
        for k in range(2 * n):
            action = actions[2 * begin + k]
            label = 0
            if action != SHIFT:
                label = max(labels[begin + nodes[top, _TOKEN]], 0)
                _fill(atoms, nodes, top, front, place, words[begin:end], n)
                _fill_arc(atoms, nodes, top, front, action, words[begin:end], n)
                for t in range(len(templates)):
                    slot = _slot(templates[t], t, atoms, np.uint64(shift))
                    if counts[slot] < 255:
                        counts[slot] += 1
            top, front, place, n_nodes = _apply(nodes, n_nodes, top, front, place, action, label)


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
    label_rows: NDArray[np.int32],
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
    nodes = np.zeros((4 * longest * (beam + 1) + 8, _N_FIELDS), np.int32)
    trace = np.zeros((2 * longest, beam + 1, 3), np.int32)
    totals = np.zeros((2 * longest + 1, beam + 1), np.float32)
    path, gold_path = np.zeros((2 * longest, 2), np.int32), np.zeros((2 * longest, 2), np.int32)
    atoms, everything = np.zeros(_N_ATOMS, np.uint32), np.arange(len(templates))
    right, labelled = 0, 0
    for s in order:
        begin, end = sentences[s], sentences[s + 1]
        here, gold = words[begin:end], actions[2 * begin : 2 * end]
        n = end - begin
        active = _some(everything, dropout, state)
        worst, _ = _search(
            here, gold, beam, slack, active, templates, np.uint64(shift), weights,
            label_templates, np.uint64(label_shift), label_rows, label_weights, root, nodes, trace, totals,
        )  # fmt: skip
        if worst > 0:
            _trace_back(trace, worst, 0, path)
            _trace_back(trace, worst, beam, gold_path)
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
        _trace_back(trace, 2 * n, 0, path)
        good, fully, _ = _teach_labels(
            here, path, heads[begin:end], labels[begin:end], margin, dropout, state, step,
            label_templates, np.uint64(label_shift), label_rows, label_weights, label_sums, nodes, atoms,
        )  # fmt: skip
        right += good
        labelled += fully
        step += 1
    return step, right, labelled


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
    label_rows: NDArray[np.int32],
    label_weights: NDArray[Any],
    root: int,
    heads: NDArray[np.int32],
    labels: NDArray[np.int32],
) -> None:
    """Write each token's head (a token of the batch, -1 the root) and label."""
    longest = 0
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    nodes = np.zeros((4 * longest * (beam + 1) + 8, _N_FIELDS), np.int32)
    trace = np.zeros((2 * longest, beam + 1, 3), np.int32)
    totals = np.zeros((2 * longest + 1, beam + 1), np.float32)
    path = np.zeros((2 * longest, 2), np.int32)
    stack = np.zeros(longest + 1, np.int32)
    nothing, everything = np.zeros(0, np.int8), np.arange(len(templates))
    for s in range(len(sentences) - 1):
        begin, end = sentences[s], sentences[s + 1]
        n = end - begin
        _search(
            words[begin:end], nothing, beam, slack, everything, templates, np.uint64(shift), weights,
            label_templates, np.uint64(label_shift), label_rows, label_weights, root, nodes, trace, totals,
        )  # fmt: skip
        _trace_back(trace, 2 * n, 0, path)
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
