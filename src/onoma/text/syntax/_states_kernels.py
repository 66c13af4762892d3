"""Kernels of the parser's states: what has been built so far, what templates see of it, and the transitions.

A state's stack is a linked list of *nodes* that no one changes once made, so beam items share their pasts and a step
costs the same however long the sentence. A node is a token with what hangs from it so far; `below` is the node under it
on the stack. Node 0 is the root, under everything. Transitions (arc-hybrid; Kuhlmann, Gómez-Rodríguez and Satta, 2011):
shift; left (the first waiting token takes the top of the stack); right (the second on the stack takes the top).
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.text._slots_kernels import mix, row_of

__all__ = [
    "ATOMS", "BELOW", "LEFT", "N_ATOMS", "N_FIELDS", "RIGHT", "SHIFT", "SLOTS", "TOKEN", "allowed", "apply", "fill",
    "fill_arc", "gold_actions", "label_rows", "new_node", "projectivise", "slot_of",
]  # fmt: skip

SHIFT, LEFT, RIGHT = 0, 1, 2
TOKEN, _L1, _L1D, _L2, _L2D, _R1, _R1D, _R2, _R2D, _VL, _VR, BELOW = range(12)
N_FIELDS = 12
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
N_ATOMS = len(ATOMS)


@nb.njit(cache=True, nogil=True, inline="always")
def slot_of(templates: NDArray[np.int16], t: int, atoms: NDArray[np.uint32], shift: np.uint64) -> np.uint64:
    """Return the slot of template t."""
    value = np.uint64(t + 1) * np.uint64(0xD6E8FEB86659FD93)
    for p in range(templates[t, 0]):
        value = mix(value, np.uint64(atoms[templates[t, 1 + p]]))
    return value >> shift


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
def fill(
    atoms: NDArray[np.uint32],
    nodes: NDArray[np.int32],
    top: int,
    front: int,
    place: int,
    words: NDArray[np.uint32],
    n: int,
) -> None:
    """Write what templates may look at; `front` is the node of the first waiting token, at `place`."""
    s1 = nodes[top, BELOW] if top > 0 else -1
    s2 = nodes[s1, BELOW] if s1 > 0 else -1
    t0 = nodes[top, TOKEN]
    t1 = nodes[s1, TOKEN] if s1 >= 0 else -2
    _put(atoms, 0, t0, words, n)
    _put(atoms, 1, t1, words, n)
    _put(atoms, 2, nodes[s2, TOKEN] if s2 >= 0 else -2, words, n)
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
def fill_arc(
    atoms: NDArray[np.uint32],
    nodes: NDArray[np.int32],
    top: int,
    front: int,
    action: int,
    words: NDArray[np.uint32],
    n: int,
) -> None:
    """Write what a label is chosen by, beside what `_fill` wrote."""
    head = front if action == LEFT else nodes[top, BELOW]
    token, dependent = nodes[head, TOKEN], nodes[top, TOKEN]
    _put(atoms, 15, token, words, n)
    _put(atoms, 16, dependent - 1 if dependent > 0 else -2, words, n)
    _put(atoms, 17, dependent + 1 if dependent + 1 < n else -2, words, n)
    atoms[_X + 15], atoms[_X + 16] = nodes[head, _L1D], nodes[head, _R1D]
    atoms[_X + 17], atoms[_X + 18] = nodes[head, _VL], nodes[head, _VR]
    atoms[_X + 19] = _length(abs(token - dependent)) if token >= 0 else 0
    atoms[_X + 20] = action


@nb.njit(cache=True, nogil=True)
def new_node(nodes: NDArray[np.int32], n_nodes: int, token: int, below: int) -> int:
    """Make a node of a token from which nothing hangs yet."""
    node = nodes[n_nodes]
    node[:] = 0
    node[TOKEN], node[BELOW] = token, below
    node[_L1], node[_L2], node[_R1], node[_R2] = -2, -2, -2, -2
    return n_nodes


@nb.njit(cache=True, nogil=True)
def apply(
    nodes: NDArray[np.int32], n_nodes: int, top: int, front: int, place: int, action: int, label: int
) -> tuple[int, int, int, int]:
    """Return (top, front, place, number of nodes) after a transition."""
    if action == SHIFT:
        nodes[n_nodes] = nodes[front]
        nodes[n_nodes, BELOW] = top
        fresh = new_node(nodes, n_nodes + 1, place + 1, -1)
        return n_nodes, fresh, place + 1, n_nodes + 2
    child = nodes[top, TOKEN]
    if action == LEFT:
        nodes[n_nodes] = nodes[front]
        node = nodes[n_nodes]
        node[_L2], node[_L2D] = node[_L1], node[_L1D]
        node[_L1], node[_L1D] = child, label + 1
        node[_VL] = min(node[_VL] + 1, 7)
        return nodes[top, BELOW], n_nodes, place, n_nodes + 1
    below = nodes[top, BELOW]
    nodes[n_nodes] = nodes[below]
    node = nodes[n_nodes]
    node[_R2], node[_R2D] = node[_R1], node[_R1D]
    node[_R1], node[_R1D] = child, label + 1
    node[_VR] = min(node[_VR] + 1, 7)
    return n_nodes, front, place, n_nodes + 1


@nb.njit(cache=True, nogil=True)
def allowed(nodes: NDArray[np.int32], top: int, place: int, n: int, action: int) -> bool:
    """Only the last token standing may hang from the root: a sentence has one root."""
    if action == SHIFT:
        return place < n
    if nodes[top, TOKEN] < 0:
        return False
    if action == LEFT:
        return place < n
    return nodes[nodes[top, BELOW], TOKEN] >= 0 or place == n


@nb.njit(cache=True, nogil=True)
def label_rows(
    atoms: NDArray[np.uint32],
    templates: NDArray[np.int16],
    shift: np.uint64,
    marks: NDArray[np.uint64],
    before: NDArray[np.int32],
    found: NDArray[np.int64],
) -> int:
    """Write the rows of the weights of a label's features; return how many there are."""
    n = 0
    for t in range(len(templates)):
        row = row_of(marks, before, slot_of(templates, t, atoms, shift))
        if row >= 0:
            found[n] = row
            n += 1
    return n


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
