"""Kernels of `trees.py`: bags of words for the nodes of trees, all in one arena.

A mention's words are a slice of a list. The words of an inner node, those of all mentions below it with their counts,
are a hash table with open addressing in the arena. Blocks have powers of two as sizes; one that is given back waits in
a list of its size. A word whose count falls to nought keeps its slot until the table is built anew.

Each node has two tables: its words, and the forms of its names.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import inner

Function = TypeVar("Function", bound=Callable[..., object])


def sturdy(function: Function) -> Function:
    """Compile a function that allocates nothing and that Python calls: see `onoma.numerics.kernels`."""
    njit: Any = nb.njit
    return njit(cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True)(function)


WORDS, FORMS = 0, 1
START, LOG2, USED = 0, 1, 2
END, TAKEN, FREE_NODE, N_INNER, ACCEPTED, PROPOSALS, HEADS = 0, 1, 2, 3, 4, 5, 8
"""Places in `state`: end of the arena, slots taken, first free node, inner nodes, moves, proposals, free blocks."""
LEAST = 2
"""log2 of the smallest block."""
PARENT, FIRST, NEXT, PREV, WIDTH, COUNT = 0, 1, 2, 3, 4, 5
"""Columns of `links`."""
NORM, LENGTHS, SQUARES = 0, 1, 2
"""Third axis of `sums`: |bag|², Σ over children of |bag|, the same of |bag|²."""
TOTAL, TYPES = 0, 1
"""Third axis of `sizes`: words counted as often as they occur, and once."""


class Forest(NamedTuple):
    """Trees over n mentions: nodes 0 … n - 1 are the mentions, the others inner nodes."""

    links: NDArray[np.int32]
    sums: NDArray[np.float64]
    sizes: NDArray[np.int32]
    own: NDArray[np.float64]
    """By node, what its words score if it is an entity, then what each of its names does; NaN: not known."""
    value: NDArray[np.int32]
    """By node and name, the form it goes by; -1: none."""
    tables: NDArray[np.int64]
    keys: NDArray[np.int32]
    counts: NDArray[np.int32]
    state: NDArray[np.int64]


class Mentions(NamedTuple):
    """What was observed, and what words and forms weigh."""

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    """Each mention's words, each once, ascending."""
    forms: NDArray[np.int32]
    """By mention and name the form; -1: missing."""
    rows: NDArray[np.int32]
    """How many rows of the table a mention stands for: each has all its words and forms."""
    field: NDArray[np.int8]
    """The field of each word."""
    weights: NDArray[np.float32]
    """By word: its share of a squared length, α·p and -log p."""
    form_words: NDArray[np.int32]
    """By form: its name, its spelling without spaces, and up to four words; -1: none."""
    form_rank: NDArray[np.int32]
    form_root: NDArray[np.float32]
    """What an entity of this name scores for being one."""
    letters: NDArray[np.int32]
    """By word of names: its letter if it is an initial, else -1 less its first letter."""
    alike_offsets: NDArray[np.int64]
    alike: NDArray[np.int32]
    link_offsets: NDArray[np.int64]
    links: NDArray[np.int32]
    """By mention, the lists of those that share a word with it."""
    list_offsets: NDArray[np.int64]
    listed: NDArray[np.int32]


@inner
def take_block(forest: Forest, log2: int) -> int:
    """Return where a block of the arena begins, its keys all -1; there must be room."""
    state = forest.state
    head = state[HEADS + log2]
    if head >= 0:
        start = head << LEAST
        state[HEADS + log2] = forest.keys[start]
    else:
        start = state[END]
        state[END] += 1 << log2
    state[TAKEN] += 1 << log2
    for slot in range(start, start + (1 << log2)):
        forest.keys[slot] = -1
        forest.counts[slot] = 0
    return start


@inner
def give_table(forest: Forest, table: int) -> None:
    """Give a table's block back."""
    log2 = forest.tables[table, LOG2]
    if log2 < 0:
        return
    start = forest.tables[table, START]
    forest.keys[start] = np.int32(forest.state[HEADS + log2])
    forest.state[HEADS + log2] = start >> LEAST
    forest.state[TAKEN] -= 1 << log2
    forest.tables[table, LOG2] = -1
    forest.tables[table, USED] = 0


@inner
def find_slot(forest: Forest, start: int, log2: int, word: int) -> int:
    """Return the slot of a word, or the empty one where it would be."""
    mask = (1 << log2) - 1
    at = ((np.int64(word) * 2654435769) & 0xFFFFFFFF) >> (32 - log2)
    while True:
        key = forest.keys[start + at]
        if key == word or key < 0:
            return int(start + at)
        at = (at + 1) & mask


@inner
def reserve(forest: Forest, table: int, n_more: int) -> None:
    """Make room for some more words, building the table anew if it is three quarters full then."""
    old_log2, old_start = forest.tables[table, LOG2], forest.tables[table, START]
    if old_log2 >= 0 and 4 * (forest.tables[table, USED] + n_more) <= 3 << old_log2:
        return
    n_kept = 0
    if old_log2 >= 0:
        for slot in range(old_start, old_start + (1 << old_log2)):
            n_kept += forest.counts[slot] > 0
    log2 = LEAST
    while 3 << log2 < 4 * (n_kept + n_more):
        log2 += 1
    start = take_block(forest, log2)
    if old_log2 >= 0:
        for slot in range(old_start, old_start + (1 << old_log2)):
            if forest.counts[slot] > 0:
                at = find_slot(forest, start, log2, forest.keys[slot])
                forest.keys[at] = forest.keys[slot]
                forest.counts[at] = forest.counts[slot]
        give_table(forest, table)
    forest.tables[table, START] = start
    forest.tables[table, LOG2] = log2
    forest.tables[table, USED] = n_kept


@inner
def span(mentions: Mentions, forest: Forest, node: int) -> tuple[int, int]:
    """Return where a node's words begin and end: in the list of a mention, or in the arena."""
    if node < len(mentions.forms):
        return mentions.offsets[node], mentions.offsets[node + 1]
    log2 = forest.tables[2 * node + WORDS, LOG2]
    if log2 < 0:
        return 0, 0
    start = forest.tables[2 * node + WORDS, START]
    return start, start + (1 << log2)


@inner
def room_of(mentions: Mentions, forest: Forest, node: int) -> int:
    """Return how many slots a node's tables have, or a mention would need."""
    if node < len(mentions.forms):
        return mentions.offsets[node + 1] - mentions.offsets[node] + mentions.forms.shape[1]
    total = 0
    for table in (2 * node, 2 * node + 1):
        if forest.tables[table, LOG2] >= 0:
            total += 1 << forest.tables[table, LOG2]
    return total


@inner
def count_of(mentions: Mentions, forest: Forest, node: int, word: int) -> int:
    """Return how often a node has a word."""
    if node < len(mentions.forms):
        low, high = mentions.offsets[node], mentions.offsets[node + 1]
        while low < high:
            middle = (low + high) // 2
            if mentions.words[middle] < word:
                low = middle + 1
            else:
                high = middle
        return mentions.rows[node] if low < mentions.offsets[node + 1] and mentions.words[low] == word else 0
    table = 2 * node + WORDS
    if forest.tables[table, LOG2] < 0:
        return 0
    return forest.counts[find_slot(forest, forest.tables[table, START], forest.tables[table, LOG2], word)]


@inner
def add_words(mentions: Mentions, forest: Forest, node: int, other: int, sign: int) -> None:
    """Add another node's words to those of an inner node, or take them away; lengths and sizes follow."""
    is_mention = other < len(mentions.forms)
    first, end = span(mentions, forest, other)
    table = 2 * node + WORDS
    if sign > 0:
        more = end - first if is_mention else forest.tables[2 * other + WORDS, USED]
        if more > 0:
            reserve(forest, table, more)
    start, log2 = forest.tables[table, START], forest.tables[table, LOG2]
    for at in range(first, end):
        word = mentions.words[at] if is_mention else forest.keys[at]
        n = mentions.rows[other] if is_mention else forest.counts[at]
        if n == 0:
            continue
        slot = find_slot(forest, start, log2, word)
        if forest.keys[slot] < 0:
            forest.keys[slot] = word
            forest.tables[table, USED] += 1
        before = forest.counts[slot]
        after = before + sign * n
        forest.counts[slot] = after
        f = mentions.field[word]
        forest.sums[node, f, NORM] += mentions.weights[word, 0] * (
            np.float64(after) * after - np.float64(before) * before
        )
        forest.sizes[node, f, TOTAL] += sign * n
        forest.sizes[node, f, TYPES] += (after > 0) - (before > 0)


@inner
def add_form(forest: Forest, node: int, form: int, n: int) -> None:
    """Count a form of a name at an inner node."""
    table = 2 * node + FORMS
    if n > 0:
        reserve(forest, table, 1)
    slot = find_slot(forest, forest.tables[table, START], forest.tables[table, LOG2], form)
    if forest.keys[slot] < 0:
        forest.keys[slot] = form
        forest.tables[table, USED] += 1
    forest.counts[slot] += n


@inner
def add_forms(mentions: Mentions, forest: Forest, node: int, other: int, sign: int) -> None:
    """Add another node's forms of names to those of an inner node, or take them away; what it goes by follows."""
    if other < len(mentions.forms):
        for name in range(mentions.forms.shape[1]):
            if mentions.forms[other, name] >= 0:
                add_form(forest, node, mentions.forms[other, name], sign * mentions.rows[other])
    elif forest.tables[2 * other + FORMS, LOG2] >= 0:
        start = forest.tables[2 * other + FORMS, START]
        for slot in range(start, start + (1 << forest.tables[2 * other + FORMS, LOG2])):
            if forest.counts[slot] > 0:
                add_form(forest, node, forest.keys[slot], sign * forest.counts[slot])
    for name in range(mentions.forms.shape[1]):
        theirs = forest.value[other, name]
        if sign > 0:
            forest.value[node, name] = better_form(mentions, forest.value[node, name], theirs)
        elif theirs >= 0 and theirs == forest.value[node, name]:
            forest.value[node, name] = best_form(mentions, forest, node, name)


@inner
def better_form(mentions: Mentions, one: int, other: int) -> int:
    """Return which of two forms an entity goes by: the fuller one."""
    if one < 0 or (other >= 0 and mentions.form_rank[other] > mentions.form_rank[one]):
        return other
    return one


@inner
def best_form(mentions: Mentions, forest: Forest, node: int, name: int) -> int:
    """Return the fullest form of an inner node's name."""
    best, table = -1, 2 * node + FORMS
    if forest.tables[table, LOG2] < 0:
        return best
    start = forest.tables[table, START]
    for slot in range(start, start + (1 << forest.tables[table, LOG2])):
        if forest.counts[slot] > 0 and mentions.form_words[forest.keys[slot], 0] == name:
            best = better_form(mentions, best, forest.keys[slot])
    return best
