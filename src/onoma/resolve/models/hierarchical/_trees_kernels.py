"""Kernels of `trees.py`: trees taken apart and put together, with what nodes know of those below them."""

import math

import numpy as np

from onoma.numerics.kernels import inner
from onoma.resolve.models.hierarchical._bags_kernels import (
    COUNT,
    FIRST,
    FREE_NODE,
    LENGTHS,
    N_INNER,
    NEXT,
    NORM,
    PARENT,
    PREV,
    SQUARES,
    WIDTH,
    Forest,
    Mentions,
    add_forms,
    add_words,
    give_table,
)

ALONE, CHILD, SIBLING, FOLD = 0, 1, 2, 3
"""Where a subtree can go: nowhere, below a node, beside it under a new one; its children below a node."""


@inner
def root_of(forest: Forest, node: int) -> int:
    """Return the root of a node's tree."""
    while forest.links[node, PARENT] >= 0:
        node = forest.links[node, PARENT]
    return node


@inner
def is_below(forest: Forest, node: int, other: int) -> bool:
    """Return whether a node is another, or below it."""
    while node >= 0:
        if node == other:
            return True
        node = forest.links[node, PARENT]
    return False


@inner
def link(forest: Forest, node: int, parent: int) -> None:
    """Make a node the first child of another."""
    links = forest.links
    first = links[parent, FIRST]
    links[node, PARENT], links[node, PREV], links[node, NEXT] = parent, -1, first
    if first >= 0:
        links[first, PREV] = node
    links[parent, FIRST] = node
    links[parent, WIDTH] += 1


@inner
def unlink(forest: Forest, node: int) -> None:
    """Take a node from among its parent's children."""
    links = forest.links
    parent, before, after = links[node, PARENT], links[node, PREV], links[node, NEXT]
    if before >= 0:
        links[before, NEXT] = after
    else:
        links[parent, FIRST] = after
    if after >= 0:
        links[after, PREV] = before
    links[parent, WIDTH] -= 1
    links[node, PARENT] = links[node, PREV] = links[node, NEXT] = -1


@inner
def new_node(forest: Forest) -> int:
    """Return an inner node without children or words."""
    node = forest.state[FREE_NODE]
    forest.state[FREE_NODE] = forest.links[node, NEXT]
    forest.state[N_INNER] += 1
    forest.links[node, PARENT] = forest.links[node, FIRST] = forest.links[node, NEXT] = forest.links[node, PREV] = -1
    forest.links[node, WIDTH] = forest.links[node, COUNT] = 0
    forest.sums[node] = 0.0
    forest.sizes[node] = 0
    forest.own[node] = np.nan
    forest.value[node] = -1
    return node


@inner
def drop_node(forest: Forest, node: int) -> None:
    """Give an inner node and its tables back."""
    give_table(forest, 2 * node)
    give_table(forest, 2 * node + 1)
    forest.links[node, PARENT] = -2
    forest.links[node, NEXT] = forest.state[FREE_NODE]
    forest.state[FREE_NODE] = node
    forest.state[N_INNER] -= 1


@inner
def note_child(forest: Forest, parent: int, child: int, sign: int) -> None:
    """Count a child's lengths among those of its parent's children, or take them out."""
    for f in range(forest.sums.shape[1]):
        norm = max(forest.sums[child, f, NORM], 0.0)
        forest.sums[parent, f, LENGTHS] += sign * math.sqrt(norm)
        forest.sums[parent, f, SQUARES] += sign * norm


@inner
def pass_up(mentions: Mentions, forest: Forest, first: int, node: int, sign: int) -> None:
    """Add a node's words to a node and all above it, or take them away; what they score as entities is forgotten."""
    a = first
    while a >= 0:
        parent = forest.links[a, PARENT]
        if parent >= 0:
            note_child(forest, parent, a, -1)
        add_words(mentions, forest, a, node, sign)
        add_forms(mentions, forest, a, node, sign)
        forest.links[a, COUNT] += sign * forest.links[node, COUNT]
        forest.own[a] = np.nan
        if parent >= 0:
            note_child(forest, parent, a, 1)
        a = parent


@inner
def replace_child(forest: Forest, node: int, new: int) -> None:
    """Put a node in the place of another, which is without a parent then."""
    links = forest.links
    parent = links[node, PARENT]
    if parent < 0:
        return
    note_child(forest, parent, node, -1)
    for column in (PARENT, PREV, NEXT):
        links[new, column] = links[node, column]
    if links[node, PREV] >= 0:
        links[links[node, PREV], NEXT] = new
    else:
        links[parent, FIRST] = new
    if links[node, NEXT] >= 0:
        links[links[node, NEXT], PREV] = new
    links[node, PARENT] = links[node, PREV] = links[node, NEXT] = -1
    note_child(forest, parent, new, 1)


@inner
def detach(mentions: Mentions, forest: Forest, node: int) -> tuple[int, int]:
    """Take a subtree out of its tree; return where it was: below a node, or beside one.

    A node left with one child gives way to it.
    """
    parent = forest.links[node, PARENT]
    if parent < 0:
        return ALONE, -1
    note_child(forest, parent, node, -1)
    unlink(forest, node)
    if forest.links[parent, WIDTH] > 1:
        pass_up(mentions, forest, parent, node, -1)
        return CHILD, parent
    above = forest.links[parent, PARENT]
    left = forest.links[parent, FIRST]
    unlink(forest, left)
    # What the parent had is taken from those above it, but for what is left.
    replace_child(forest, parent, left)
    drop_node(forest, parent)
    pass_up(mentions, forest, above, node, -1)
    return SIBLING, left


@inner
def attach(mentions: Mentions, forest: Forest, node: int, kind: int, place: int) -> None:
    """Put a subtree that is alone somewhere."""
    if kind == CHILD:
        link(forest, node, place)
        note_child(forest, place, node, 1)
        pass_up(mentions, forest, place, node, 1)
    elif kind == SIBLING:
        above = forest.links[place, PARENT]
        made = new_node(forest)
        add_words(mentions, forest, made, place, 1)
        add_forms(mentions, forest, made, place, 1)
        add_words(mentions, forest, made, node, 1)
        add_forms(mentions, forest, made, node, 1)
        forest.links[made, COUNT] = forest.links[place, COUNT] + forest.links[node, COUNT]
        replace_child(forest, place, made)
        for child in (place, node):
            link(forest, child, made)
            note_child(forest, made, child, 1)
        pass_up(mentions, forest, above, node, 1)
    elif kind == FOLD:
        pass_up(mentions, forest, place, node, 1)
        move_children(forest, node, place)
        drop_node(forest, node)


@inner
def move_children(forest: Forest, node: int, target: int) -> None:
    """Make a node's children those of another."""
    child = forest.links[node, FIRST]
    while child >= 0:
        after = forest.links[child, NEXT]
        link(forest, child, target)
        child = after
    for f in range(forest.sums.shape[1]):
        forest.sums[target, f, LENGTHS] += forest.sums[node, f, LENGTHS]
        forest.sums[target, f, SQUARES] += forest.sums[node, f, SQUARES]


@inner
def collapse(forest: Forest, node: int) -> None:
    """Make a node's children those of its parent, and do away with it."""
    parent = forest.links[node, PARENT]
    note_child(forest, parent, node, -1)
    unlink(forest, node)
    move_children(forest, node, parent)
    drop_node(forest, node)
