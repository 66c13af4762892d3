"""Kernels of `mutation.py`: the probability of one name given another, summed over alignments of their words.

The words of the parent are read from left to right, in their order or turned round (the last words first). Before each
word, and at the end, one operation is drawn, by the class of the word: keep it, write another word for it, join it
with the next, split it, drop it, insert a word, or stop there and drop all that follow; at the end insert or stop.
F(i, j) is the probability of having read i words and written j; row n is the end, row n + 1 the end with words added.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean

KEEP, INITIAL, NICKNAME, SLIP, TRUNCATE, EXTEND, JOIN, SPLIT, DROP, INSERT, STOP = range(11)
N_OPERATIONS = 11
FIRST, MIDDLE, LAST, ONLY, LETTER, SMALL, NUMBER, END, MORE = range(9)
"""Classes of words, the end of a name, and the end once a word was put there: additions come together."""
N_CLASSES = 9
N_TURNS = 4

Names = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int8], NDArray[np.float64]]
"""Of all names: where their words begin, the words, the word that each and the next make together (-1: none), their
classes, the probability of each if it came from nowhere."""
Model = tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
]
"""Operations (by class), kept words (class, word), related words (class, link), turns (comma or not, turn), split
points (by word), and one over the probability that a fresh word begins like this one (by link; 0: it does not)."""
Pair = tuple[int, int, int, NDArray[np.int32], int]
"""Parent, child, turn, the links of all pairs, and where those of this one begin."""
Counts = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Expected counts: operations (by class), kept words (class, word), related words (class, link), turns (comma or not,
turn), inserted words (by place of the child's word)."""


@kernel
def relate_words(
    a: NDArray[np.int32], b: NDArray[np.int32], offsets: NDArray[np.int64], letters: NDArray[np.int32]
) -> NDArray[np.int8]:
    """Say of each pair of words whether b is a beginning of a (1), a one of b (2), or neither (0)."""
    found = np.zeros(len(a), dtype=np.int8)
    for e in range(len(a)):
        i, j = offsets[a[e]], offsets[b[e]]
        n, m = offsets[a[e] + 1] - i, offsets[b[e] + 1] - j
        same = 0
        while same < min(n, m) and letters[i + same] == letters[j + same]:
            same += 1
        if same == m and m < n:
            found[e] = 1
        elif same == n and n < m:
            found[e] = 2
    return found


@kernel
def unequal_words(
    parents: NDArray[np.int32],
    children: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    n_words: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each pair of names where its block of links begins, and for each pair of words its key (-1: equal)."""
    starts = np.zeros(len(parents) + 1, dtype=np.int64)
    for e in range(len(parents)):
        n = offsets[parents[e] + 1] - offsets[parents[e]]
        m = offsets[children[e] + 1] - offsets[children[e]]
        starts[e + 1] = starts[e] + n * m
    keys = np.empty(starts[-1], dtype=np.int64)
    for e in range(len(parents)):
        at = starts[e]
        for i in range(offsets[parents[e]], offsets[parents[e] + 1]):
            for j in range(offsets[children[e]], offsets[children[e] + 1]):
                keys[at] = -1 if ids[i] == ids[j] else np.int64(ids[i]) * n_words + ids[j]
                at += 1
    return starts, keys


@kernel
def words_apart(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    classes: NDArray[np.int8],
    least: int,
) -> NDArray[np.bool_]:
    """Say of each pair of names whether both have at least so many words that are not small, and none in common."""
    found = np.zeros(len(a), dtype=np.bool_)
    for e in range(len(a)):
        one, other, shared = 0, 0, False
        for j in range(offsets[b[e]], offsets[b[e] + 1]):
            other += classes[j] != SMALL
        for i in range(offsets[a[e]], offsets[a[e] + 1]):
            if classes[i] == SMALL:
                continue
            one += 1
            for j in range(offsets[b[e]], offsets[b[e] + 1]):
                shared |= ids[i] == ids[j]
        found[e] = one >= least and other >= least and not shared
    return found


@lean
def turned(i: int, turn: int, n: int) -> int:
    """Return which word is read at place i: as they stand, or from the second, the last, the last but one on."""
    if turn == 0:
        return i
    shift = turn if turn == 1 else n - (turn - 1)
    return (i + shift) % n


@lean
def n_turns(n: int) -> int:
    """Return in how many ways n words may be turned."""
    return 1 if n < 2 else min(n, N_TURNS)


@lean
def steps(
    pair: Pair,
    names: Names,
    model: Model,
    i: int,
    j: int,
    out: NDArray[np.float64],
) -> None:
    """Fill the probabilities of what may happen at (i, j): insert, drop, meet, join, split, stop."""
    parent, child, turn, links, start = pair
    offsets, ids, joined, classes, fresh = names
    operations, kept, related, _, split, beginning = model
    p0, c0 = offsets[parent], offsets[child]
    n, m = offsets[parent + 1] - p0, offsets[child + 1] - c0
    for step in range(6):
        out[step] = 0.0
    if i >= n:
        kind = END + i - n
        out[0] = operations[kind, INSERT] * fresh[c0 + j] if j < m else 0.0
        out[5] = operations[kind, STOP] if j == m else 0.0
        return
    at = turned(i, turn, n)
    word, kind = ids[p0 + at], classes[p0 + at]
    out[1] = operations[kind, DROP]
    if j == m:
        out[5] = operations[kind, STOP]
        return
    out[0] = operations[kind, INSERT] * fresh[c0 + j]
    has_next = i + 1 < n and at + 1 < n
    if word == ids[c0 + j]:
        # What cannot be done to a word leaves it as it is.
        out[2] = kept[kind, word] + (0.0 if has_next else operations[kind, JOIN])
    else:
        link = links[start + at * m + j]
        if link >= 0:
            out[2] = related[kind, link] + operations[kind, EXTEND] * beginning[link] * fresh[c0 + j]
    if has_next and joined[p0 + at] == ids[c0 + j]:
        out[3] = operations[kind, JOIN]
    if j + 1 < m and joined[c0 + j] == word:
        out[4] = operations[kind, SPLIT] * split[word]


@lean
def after_insert(i: int, n: int) -> int:
    """Return the row after a word was inserted in row i."""
    return n + 1 if i == n else i


@lean
def fill_words(
    pair: Pair,
    names: Names,
    model: Model,
    forward: NDArray[np.float64],
    out: NDArray[np.float64],
) -> float:
    """Fill F for one pair and turn; return the probability of the child."""
    parent, child, offsets = pair[0], pair[1], names[0]
    n, m = offsets[parent + 1] - offsets[parent], offsets[child + 1] - offsets[child]
    for i in range(n + 4):
        for j in range(m + 4):
            forward[i, j] = 0.0
    forward[0, 0] = 1.0
    total = 0.0
    for i in range(n + 2):
        for j in range(m + 1):
            here = forward[i, j]
            if here == 0.0:
                continue
            steps(pair, names, model, i, j, out)
            total += here * out[5]
            forward[after_insert(i, n), j + 1] += here * out[0]
            if i >= n:
                continue
            forward[i + 1, j] += here * out[1]
            forward[i + 1, j + 1] += here * out[2]
            forward[i + 2, j + 1] += here * out[3]
            forward[i + 1, j + 2] += here * out[4]
    return total


@kernel
def longest_name(offsets: NDArray[np.int64]) -> int:
    """Return the number of words of the longest name."""
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    return longest


@lean
def fill_turns(
    parent: int,
    child: int,
    comma: int,
    links: NDArray[np.int32],
    start: int,
    names: Names,
    model: Model,
    forward: NDArray[np.float64],
    out: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> float:
    """Fill for each turn the probability of it and the child; return their sum. Turns not to be had are none."""
    many = n_turns(names[0][parent + 1] - names[0][parent])
    turns = model[3][comma]
    total = 0.0
    for turn in range(N_TURNS):
        shares[turn] = 0.0
    for turn in range(many):
        weight = turns[turn]
        if turn == 0:
            for other in range(many, N_TURNS):
                weight += turns[other]
        shares[turn] = weight * fill_words((parent, child, turn, links, start), names, model, forward, out)
        total += shares[turn]
    return total


@kernel
def score_names(
    parents: NDArray[np.int32],
    children: NDArray[np.int32],
    comma: NDArray[np.int8],
    starts: NDArray[np.int64],
    links: NDArray[np.int32],
    names: Names,
    model: Model,
) -> NDArray[np.float64]:
    """Return for each pair of names the log probability of the child given the parent."""
    size = longest_name(names[0]) + 4
    forward, out, shares = np.empty((size, size)), np.empty(6), np.empty(N_TURNS)
    found = np.empty(len(parents))
    for e in range(len(parents)):
        pair = (parents[e], children[e], comma[e])
        total = fill_turns(*pair, links, starts[e], names, model, forward, out, shares)
        found[e] = np.log(total) if total > 0.0 else -np.inf
    return found


@lean
def fill_rest(
    pair: Pair,
    names: Names,
    model: Model,
    backward: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill the probability of what is left to do, for one pair and turn."""
    parent, child, offsets = pair[0], pair[1], names[0]
    n, m = offsets[parent + 1] - offsets[parent], offsets[child + 1] - offsets[child]
    for i in range(n + 4):
        for j in range(m + 4):
            backward[i, j] = 0.0
    for i in range(n + 1, -1, -1):
        for j in range(m, -1, -1):
            steps(pair, names, model, i, j, out)
            backward[i, j] = out[5] + out[0] * backward[after_insert(i, n), j + 1]
            if i >= n:
                continue
            backward[i, j] += (
                out[1] * backward[i + 1, j]
                + out[2] * backward[i + 1, j + 1]
                + out[3] * backward[i + 2, j + 1]
                + out[4] * backward[i + 1, j + 2]
            )


@lean
def count_met(
    kind: int,
    word: int,
    place: int,
    link: int,
    seen: float,
    met: float,
    ids: NDArray[np.int32],
    related: NDArray[np.float64],
    counts: Counts,
) -> None:
    """Add a word of the child that met one of the parent `seen` times, all ways of which have the probability `met`."""
    n_operations, n_kept, n_related, _, n_inserted = counts
    if word == ids[place]:
        n_kept[kind, word] += seen
        return
    plain = related[kind, link] / met
    n_related[kind, link] += seen * plain
    n_operations[kind, EXTEND] += seen * (1.0 - plain)
    n_inserted[place] += seen * (1.0 - plain)


@lean
def count_steps(
    pair: Pair,
    share: float,
    names: Names,
    model: Model,
    forward: NDArray[np.float64],
    backward: NDArray[np.float64],
    out: NDArray[np.float64],
    counts: Counts,
) -> None:
    """Add the expected operations of one pair and turn, `share` times."""
    parent, child, turn, links, start = pair
    offsets, ids, _, classes, _ = names
    n_operations, _, _, _, n_inserted = counts
    p0, c0 = offsets[parent], offsets[child]
    n, m = offsets[parent + 1] - p0, offsets[child + 1] - c0
    for i in range(n + 2):
        at = turned(i, turn, n) if i < n else -1
        kind = classes[p0 + at] if i < n else END + i - n
        for j in range(m + 1):
            here = share * forward[i, j]
            if here == 0.0:
                continue
            steps(pair, names, model, i, j, out)
            n_operations[kind, STOP] += here * out[5]
            if out[0] > 0.0:
                seen = here * out[0] * backward[after_insert(i, n), j + 1]
                n_operations[kind, INSERT] += seen
                n_inserted[c0 + j] += seen
            if i >= n:
                continue
            n_operations[kind, DROP] += here * out[1] * backward[i + 1, j]
            n_operations[kind, JOIN] += here * out[3] * backward[i + 2, j + 1]
            n_operations[kind, SPLIT] += here * out[4] * backward[i + 1, j + 2]
            if out[2] > 0.0:
                seen = here * out[2] * backward[i + 1, j + 1]
                link = links[start + at * m + j]
                count_met(kind, ids[p0 + at], c0 + j, link, seen, out[2], ids, model[2], counts)


@kernel
def count_names(
    parents: NDArray[np.int32],
    children: NDArray[np.int32],
    weights: NDArray[np.float64],
    comma: NDArray[np.int8],
    starts: NDArray[np.int64],
    links: NDArray[np.int32],
    names: Names,
    model: Model,
    counts: Counts,
) -> None:
    """Add the expected operations of pairs, each times its weight."""
    size = longest_name(names[0]) + 4
    forward, backward, out = np.empty((size, size)), np.empty((size, size)), np.empty(6)
    shares = np.empty(N_TURNS)
    for e in range(len(parents)):
        if weights[e] <= 0.0:
            continue
        parent, child = parents[e], children[e]
        total = fill_turns(parent, child, comma[e], links, starts[e], names, model, forward, out, shares)
        for turn in range(N_TURNS):
            if total <= 0.0 or shares[turn] < 1e-9 * total:
                continue
            share = weights[e] * shares[turn] / total
            counts[3][comma[e], turn] += share
            pair = (parent, child, turn, links, starts[e])
            whole = fill_words(pair, names, model, forward, out)
            fill_rest(pair, names, model, backward, out)
            count_steps(pair, share / whole, names, model, forward, backward, out, counts)
