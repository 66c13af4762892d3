"""Kernels of `trees.py`: what trees score.

All factors are functions of one node's summary, so that a move costs what its words cost, whatever the entity's size.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import inner
from onoma.resolve.models.hierarchical._bags_kernels import (
    COUNT,
    FORMS,
    LENGTHS,
    LOG2,
    NORM,
    SQUARES,
    START,
    TOTAL,
    TYPES,
    WIDTH,
    Forest,
    Mentions,
    better_form,
    count_of,
    span,
)

COSINE, EVIDENCE, ALPHA, DISCOUNT, EXCLUSIVE = 0, 1, 2, 3, 4
"""Columns of `Scores.bags`."""
MATCH, INITIAL, ALIKE, SHARED, DIFFER, REST = 0, 1, 2, 3, 4, 5
"""Columns of `Scores.names`: how a mention's name meets that of its entity."""
ROOT, INNER, SHAPE, BEST_WIDTH, ONLY_GAINS, BALANCE, CROWD, TAIL = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in `Scores.structure`."""
AS_ROOT, INSIDE = True, False
"""Whether a node is the root of its tree."""


class Scores(NamedTuple):
    """The weights of the model."""

    bags: NDArray[np.float64]
    names: NDArray[np.float64]
    structure: NDArray[np.float64]
    novel: NDArray[np.float64]
    """By field, Σ_{k < K} log(α + d·k) for K = 0, 1, …"""
    spread: NDArray[np.float64]
    """By field, Σ_{t < N} log(α + t) for N = 0, 1, …"""
    crowds: NDArray[np.float64]
    """log n! for n = 0, 1, …"""


@inner
def log_novel(scores: Scores, f: int, n: int) -> float:
    """Return Σ_{k < n} log(α + d·k): what n different words cost."""
    if n < scores.novel.shape[1]:
        return scores.novel[f, n]
    alpha, d = scores.bags[f, ALPHA], scores.bags[f, DISCOUNT]
    if d == 0.0:
        return n * math.log(alpha)
    return n * math.log(d) + math.lgamma(alpha / d + n) - math.lgamma(alpha / d)


@inner
def log_spread(scores: Scores, f: int, n: int) -> float:
    """Return Σ_{t < n} log(α + t)."""
    if n < scores.spread.shape[1]:
        return scores.spread[f, n]
    alpha = scores.bags[f, ALPHA]
    return math.lgamma(alpha + n) - math.lgamma(alpha)


@inner
def word_bond(scores: Scores, mentions: Mentions, word: int, f: int, one: int, other: int) -> float:
    """Return what it adds that two bags share a word: log((j - d + αp)/p) for each repetition, together less apart."""
    a = 1.0 - scores.bags[f, DISCOUNT] + mentions.weights[word, 1]
    rare = np.float64(mentions.weights[word, 2])
    if one == 1:
        return rare + math.log(other - 1 + a)
    if other == 1:
        return rare + math.log(one - 1 + a)
    together = math.lgamma(one + other - 1 + a) + math.lgamma(a)
    return rare + together - math.lgamma(one - 1 + a) - math.lgamma(other - 1 + a)


@inner
def root_score(scores: Scores, n: int) -> float:
    """Return what an entity of n mentions scores for being one: root + crowd·(log n! - tail·log n)."""
    crowd = scores.structure[CROWD]
    if crowd == 0.0 or n == 1:
        return scores.structure[ROOT]
    arranged = scores.crowds[n] if n < len(scores.crowds) else math.lgamma(n + 1.0)
    return scores.structure[ROOT] + crowd * (arranged - scores.structure[TAIL] * math.log(n))


@inner
def compare_bags(
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    one: int,
    other: int,
    dots: NDArray[np.float64],
    shared: NDArray[np.int64],
) -> float:
    """Fill in by field the product of two bags and how many words they share; return what these words add.

    Goes through the smaller bag.
    """
    for f in range(len(dots)):
        dots[f] = 0.0
        shared[f] = 0
    n = len(mentions.forms)
    first, end = span(mentions, forest, one)
    other_first, other_end = span(mentions, forest, other)
    if other_end - other_first < end - first:
        one, other = other, one
        first, end = other_first, other_end
    # Of two mentions, both lists ascend: they are gone through side by side.
    is_list = one < n and other < n
    beside, last = (mentions.offsets[other], mentions.offsets[other + 1]) if is_list else (0, 0)
    bond = 0.0
    for at in range(first, end):
        word = mentions.words[at] if one < n else forest.keys[at]
        here = mentions.rows[one] if one < n else forest.counts[at]
        if here == 0:
            continue
        if is_list:
            while beside < last and mentions.words[beside] < word:
                beside += 1
            if beside == last:
                break
            there = mentions.rows[other] if mentions.words[beside] == word else 0
        else:
            there = count_of(mentions, forest, other, word)
        if there == 0:
            continue
        f = mentions.field[word]
        dots[f] += np.float64(mentions.weights[word, 0]) * here * there
        shared[f] += 1
        if scores.bags[f, EVIDENCE] > 0.0:
            bond += scores.bags[f, EVIDENCE] * word_bond(scores, mentions, word, f, here, there)
        bond -= scores.bags[f, EXCLUSIVE]
    return bond


@inner
def join_evidence(
    forest: Forest, scores: Scores, one: int, other: int, shared: NDArray[np.int64], bond: float
) -> float:
    """Return the evidence of two nodes together less that of each, from the words they share."""
    total = bond
    for f in range(len(shared)):
        weight = scores.bags[f, EVIDENCE]
        if weight == 0.0:
            continue
        types_one, types_other = forest.sizes[one, f, TYPES], forest.sizes[other, f, TYPES]
        words_one, words_other = forest.sizes[one, f, TOTAL], forest.sizes[other, f, TOTAL]
        if types_one == 0 or types_other == 0:
            continue
        novel = log_novel(scores, f, types_one + types_other - shared[f])
        novel -= log_novel(scores, f, types_one) + log_novel(scores, f, types_other)
        spread = log_spread(scores, f, words_one + words_other)
        spread -= log_spread(scores, f, words_one) + log_spread(scores, f, words_other)
        total += weight * (novel - spread)
    return total


@inner
def weigh_words(mentions: Mentions, forest: Forest, scores: Scores, node: int) -> float:
    """Return the evidence of a node's words, from nothing."""
    total, is_mention = 0.0, node < len(mentions.forms)
    first, end = span(mentions, forest, node)
    for at in range(first, end):
        n = mentions.rows[node] if is_mention else forest.counts[at]
        if n <= 1:
            continue
        word = mentions.words[at] if is_mention else forest.keys[at]
        f = mentions.field[word]
        total -= scores.bags[f, EXCLUSIVE] * (n - 1)
        if scores.bags[f, EVIDENCE] > 0.0:
            a = 1.0 - scores.bags[f, DISCOUNT] + mentions.weights[word, 1]
            repeated = math.lgamma(n - 1 + a) - math.lgamma(a) + (n - 1) * np.float64(mentions.weights[word, 2])
            total += scores.bags[f, EVIDENCE] * repeated
    for f in range(forest.sizes.shape[1]):
        weight = scores.bags[f, EVIDENCE]
        if weight > 0.0:
            types, words = forest.sizes[node, f, TYPES], forest.sizes[node, f, TOTAL]
            total += weight * (log_novel(scores, f, types) - log_spread(scores, f, words))
    return total


@inner
def compare_words(mentions: Mentions, one: int, other: int) -> int:
    """Return how two words of names meet: MATCH, INITIAL, ALIKE or DIFFER."""
    if one == other:
        return MATCH
    a, b = mentions.letters[one], mentions.letters[other]
    if a >= 0 or b >= 0:
        letter, its = (a, b if b >= 0 else -1 - b) if a >= 0 else (b, -1 - a)
        return INITIAL if letter == its else DIFFER
    for at in range(mentions.alike_offsets[one], mentions.alike_offsets[one + 1]):
        if mentions.alike[at] == other:
            return ALIKE
    return DIFFER


@inner
def meet_forms(mentions: Mentions, form: int, value: int) -> tuple[int, bool]:
    """Return how a mention's form meets that of its entity (MATCH … DIFFER), and whether second words differ."""
    words = mentions.form_words
    if form == value or words[form, 1] == words[value, 1]:
        return MATCH, False
    met = compare_words(mentions, words[form, 2], words[value, 2])
    if met == DIFFER:
        for i in range(2, words.shape[1]):
            for j in range(2, words.shape[1]):
                w = words[form, i]
                if w >= 0 and w == words[value, j] and mentions.letters[w] < 0:
                    return SHARED, False
        return DIFFER, False
    both = words[form, 3] >= 0 and words[value, 3] >= 0
    return met, both and compare_words(mentions, words[form, 3], words[value, 3]) == DIFFER


@inner
def score_form(mentions: Mentions, scores: Scores, form: int, value: int) -> float:
    """Return what a mention of this form scores in an entity that goes by another."""
    name = mentions.form_words[form, 0]
    met, is_apart = meet_forms(mentions, form, value)
    return scores.names[name, met] + (scores.names[name, REST] if is_apart else 0.0)


@inner
def score_forms(mentions: Mentions, forest: Forest, scores: Scores, node: int, name: int, value: int) -> float:
    """Return what a node's forms of a name score in an entity that goes by some form."""
    if value < 0:
        return 0.0
    if node < len(mentions.forms):
        form = mentions.forms[node, name]
        return mentions.rows[node] * score_form(mentions, scores, form, value) if form >= 0 else 0.0
    total, table = 0.0, 2 * node + FORMS
    if forest.tables[table, LOG2] < 0:
        return total
    start = forest.tables[table, START]
    for slot in range(start, start + (1 << forest.tables[table, LOG2])):
        if forest.counts[slot] > 0 and mentions.form_words[forest.keys[slot], 0] == name:
            total += forest.counts[slot] * score_form(mentions, scores, forest.keys[slot], value)
    return total


@inner
def know_own(mentions: Mentions, forest: Forest, scores: Scores, node: int) -> None:
    """Work out what a node scores as an entity, if that is not known."""
    if math.isnan(forest.own[node, 0]):
        forest.own[node, 0] = weigh_words(mentions, forest, scores, node)
    for name in range(mentions.forms.shape[1]):
        if math.isnan(forest.own[node, 1 + name]):
            forest.own[node, 1 + name] = score_forms(mentions, forest, scores, node, name, forest.value[node, name])


@inner
def own_score(mentions: Mentions, forest: Forest, scores: Scores, node: int) -> float:
    """Return what a node scores as an entity, but for its shape."""
    know_own(mentions, forest, scores, node)
    total = root_score(scores, forest.links[node, COUNT]) + forest.own[node, 0]
    for name in range(mentions.forms.shape[1]):
        total += forest.own[node, 1 + name]
        if forest.value[node, name] >= 0:
            total += mentions.form_root[forest.value[node, name]]
    return total


@inner
def joint_own(
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    root: int,
    node: int,
    shared: NDArray[np.int64],
    bond: float,
    out: NDArray[np.float64],
) -> float:
    """Return what a root and another node score as one entity; fill in the parts (`Forest.own`)."""
    know_own(mentions, forest, scores, root)
    know_own(mentions, forest, scores, node)
    out[0] = forest.own[root, 0] + forest.own[node, 0] + join_evidence(forest, scores, root, node, shared, bond)
    total = root_score(scores, forest.links[root, COUNT] + forest.links[node, COUNT]) + out[0]
    for name in range(mentions.forms.shape[1]):
        mine, theirs = forest.value[root, name], forest.value[node, name]
        value = better_form(mentions, mine, theirs)
        part = 0.0
        for each, its in ((root, mine), (node, theirs)):
            if its == value:
                part += forest.own[each, 1 + name]
            else:
                part += score_forms(mentions, forest, scores, each, name, value)
        out[1 + name] = part
        total += part
        if value >= 0:
            total += mentions.form_root[value]
    return total


@inner
def likeness(norm: float, lengths: float, squares: float, width: int) -> float:
    """Return the cosine of a child with its siblings' sum, had all the same length and the same cosine with each other.

    From |bag|² and the sums of the children's |bag| and |bag|²: their mean cosine is ρ = (|bag|² - Σ|c|²) /
    ((Σ|c|)² - Σ|c|²), and a child's with the others together ρ·√((k - 1) / (1 + (k - 2)·ρ)). -1: nothing to compare.
    """
    between = lengths * lengths - squares
    if between <= 1e-9 * squares or squares <= 0.0:
        return -1.0
    rho = min(max((norm - squares) / between, 0.0), 1.0)
    return rho * math.sqrt((width - 1) / (1.0 + (width - 2) * rho))


@inner
def shape_score(scores: Scores, width: int, sums: NDArray[np.float64], is_root: bool) -> float:
    """Return what an inner node scores for its children: how many, and how alike; mentions score nothing."""
    if width == 0:
        return 0.0
    structure = scores.structure
    total = structure[SHAPE] / (abs(width - structure[BEST_WIDTH]) + 1.0)
    if not is_root:
        total += structure[INNER]
    alike = 0.0
    for f in range(len(sums)):
        if scores.bags[f, COSINE] > 0.0:
            cosine = likeness(sums[f, NORM], sums[f, LENGTHS], sums[f, SQUARES], width)
            if cosine >= 0.0:
                alike += scores.bags[f, COSINE] * (2.0 * cosine - 1.0)
    return total if alike < 0.0 and structure[ONLY_GAINS] > 0.0 else total + width * alike


@inner
def node_shape(forest: Forest, scores: Scores, node: int, is_root: bool) -> float:
    """Return what a node scores for its children."""
    return shape_score(scores, forest.links[node, WIDTH], forest.sums[node], is_root)
