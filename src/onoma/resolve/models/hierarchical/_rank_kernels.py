"""Kernels of `rank.py`: what a tree scores part by part, and SampleRank on moves of subtrees.

The features of a forest are what its weights multiply: by field the evidence and the cosines, by name how forms meet,
then roots, inner nodes and their widths; last what no weight multiplies. They are made anew for the two or three trees
of a move, which costs as much as the trees are large: for learning from some thousands of labels, not for resolving.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import inner
from onoma.numerics.rng import below, uniform
from onoma.resolve.models.hierarchical._bags_kernels import (
    ACCEPTED,
    COUNT,
    FIRST,
    FORMS,
    LENGTHS,
    LOG2,
    NEXT,
    NORM,
    PARENT,
    PROPOSALS,
    SQUARES,
    START,
    TOTAL,
    TYPES,
    WIDTH,
    Forest,
    Mentions,
    span,
    sturdy,
)
from onoma.resolve.models.hierarchical._moves_kernels import (
    Plan,
    Scratch,
    ancestor,
    draw_height,
    draw_other,
    has_room,
    offer_places,
)
from onoma.resolve.models.hierarchical._scores_kernels import (
    BEST_WIDTH,
    CROWD,
    DISCOUNT,
    EXCLUSIVE,
    ONLY_GAINS,
    REST,
    TAIL,
    Scores,
    likeness,
    log_novel,
    log_spread,
    meet_forms,
)
from onoma.resolve.models.hierarchical._trees_kernels import ALONE, attach, detach, is_below, root_of

N_FORMS = 6
"""How forms can meet, and REST."""


class Learning(NamedTuple):
    """Weights as they are learnt."""

    weights: NDArray[np.float64]
    """By feature."""
    total: NDArray[np.float64]
    """The sum of the weights over steps, for their mean."""
    is_free: NDArray[np.bool_]
    """Which weights are learnt; the others stay."""
    least: NDArray[np.float64]
    """What a weight may not fall below."""
    counts: NDArray[np.int64]
    """Steps, moves that the truth tells apart, moves that changed the weights."""
    features: NDArray[np.float64]
    """Working space: before, after."""
    seen: NDArray[np.int64]
    """Working space: by label, rows of the subtree that have it."""


@inner
def next_node(forest: Forest, node: int, top: int) -> int:
    """Return the node after another on a walk through a tree, parents first; -1 at its end."""
    if forest.links[node, FIRST] >= 0:
        return forest.links[node, FIRST]
    while node != top:
        if forest.links[node, NEXT] >= 0:
            return forest.links[node, NEXT]
        node = forest.links[node, PARENT]
    return -1


@inner
def add_words_features(mentions: Mentions, forest: Forest, scores: Scores, root: int, out: NDArray[np.float64]) -> None:
    """Add the evidence of a root's words, and what repetitions cost."""
    is_mention = root < len(mentions.forms)
    first, end = span(mentions, forest, root)
    for at in range(first, end):
        n = mentions.rows[root] if is_mention else forest.counts[at]
        if n <= 1:
            continue
        word = mentions.words[at] if is_mention else forest.keys[at]
        f = mentions.field[word]
        out[-1] -= scores.bags[f, EXCLUSIVE] * (n - 1)
        a = 1.0 - scores.bags[f, DISCOUNT] + mentions.weights[word, 1]
        out[f] += math.lgamma(n - 1 + a) - math.lgamma(a) + (n - 1) * np.float64(mentions.weights[word, 2])
    for f in range(forest.sizes.shape[1]):
        out[f] += log_novel(scores, f, forest.sizes[root, f, TYPES])
        out[f] -= log_spread(scores, f, forest.sizes[root, f, TOTAL])


@inner
def add_form_features(mentions: Mentions, form: int, value: int, n: int, out: NDArray[np.float64], first: int) -> None:
    """Count how a form meets what the entity goes by."""
    met, is_apart = meet_forms(mentions, form, value)
    at = first + N_FORMS * mentions.form_words[form, 0]
    out[at + met] += n
    if is_apart:
        out[at + REST] += n


@inner
def add_name_features(mentions: Mentions, forest: Forest, root: int, out: NDArray[np.float64], first: int) -> None:
    """Count how the forms of a root's names meet what it goes by."""
    for name in range(mentions.forms.shape[1]):
        value = forest.value[root, name]
        if value < 0:
            continue
        out[-1] += mentions.form_root[value]
        if root < len(mentions.forms):
            add_form_features(mentions, mentions.forms[root, name], value, mentions.rows[root], out, first)
            continue
        start = forest.tables[2 * root + FORMS, START]
        for slot in range(start, start + (1 << forest.tables[2 * root + FORMS, LOG2])):
            if forest.counts[slot] > 0 and mentions.form_words[forest.keys[slot], 0] == name:
                add_form_features(mentions, forest.keys[slot], value, forest.counts[slot], out, first)


@inner
def add_shape_features(forest: Forest, scores: Scores, root: int, out: NDArray[np.float64], first: int) -> None:
    """Add what the inner nodes of a tree score for their children: cosines, inner nodes, widths."""
    n_fields = forest.sums.shape[1]
    node = root
    while node >= 0:
        width = forest.links[node, WIDTH]
        if width > 0:
            out[first + 2] += 1.0 / (abs(width - scores.structure[BEST_WIDTH]) + 1.0)
            out[first + 1] += node != root
            alike = 0.0
            for f in range(n_fields):
                sums = forest.sums[node, f]
                cosine = likeness(sums[NORM], sums[LENGTHS], sums[SQUARES], width)
                if cosine >= 0.0:
                    alike += scores.bags[f, 0] * (2.0 * cosine - 1.0)
            if alike >= 0.0 or scores.structure[ONLY_GAINS] == 0.0:
                for f in range(n_fields):
                    sums = forest.sums[node, f]
                    cosine = likeness(sums[NORM], sums[LENGTHS], sums[SQUARES], width)
                    if cosine >= 0.0:
                        out[n_fields + f] += width * (2.0 * cosine - 1.0)
        node = next_node(forest, node, root)


@sturdy
def add_features(mentions: Mentions, forest: Forest, scores: Scores, root: int, out: NDArray[np.float64]) -> None:
    """Add the features of a tree."""
    n_fields, n_names = forest.sums.shape[1], mentions.forms.shape[1]
    structure = 2 * n_fields + N_FORMS * n_names
    add_words_features(mentions, forest, scores, root, out)
    add_name_features(mentions, forest, root, out, 2 * n_fields)
    add_shape_features(forest, scores, root, out, structure)
    out[structure] += 1.0
    n = forest.links[root, COUNT]
    out[-1] += scores.structure[CROWD] * (math.lgamma(n + 1.0) - scores.structure[TAIL] * math.log(n))


@inner
def company(mentions: Mentions, forest: Forest, labels: NDArray[np.int64], seen: NDArray[np.int64], root: int) -> int:
    """Return how many more pairs with those of `seen` a tree has that are truly one than truly two."""
    found = 0
    node = root
    while node >= 0:
        if node < len(mentions.forms) and labels[node] >= 0:
            found += mentions.rows[node] * (2 * seen[labels[node]] - seen[-1])
        node = next_node(forest, node, root)
    return found


@inner
def note_labels(
    mentions: Mentions, forest: Forest, labels: NDArray[np.int64], seen: NDArray[np.int64], top: int, sign: int
) -> None:
    """Count the labels of a subtree's rows, or take them away; the last place has their sum."""
    node = top
    while node >= 0:
        if node < len(mentions.forms) and labels[node] >= 0:
            seen[labels[node]] += sign * mentions.rows[node]
            seen[-1] += sign * mentions.rows[node]
        node = next_node(forest, node, top)


@inner
def learn(learning: Learning, score: float, truth: int, rate: float, margin: float) -> None:
    """Move the weights if the model does not prefer what the truth does: just so far that it does, at most `rate`."""
    difference, weights = learning.features[1], learning.weights
    learning.counts[0] += 1
    if truth != 0:
        learning.counts[1] += 1
        sign = 1.0 if truth > 0 else -1.0
        square = 0.0
        for k in range(len(weights)):
            square += difference[k] * difference[k] * learning.is_free[k]
        if sign * score < margin and square > 0.0:
            step = sign * min(rate, (margin - sign * score) / square)
            for k in range(len(weights)):
                if learning.is_free[k]:
                    weights[k] = max(weights[k] + step * difference[k], learning.least[k])
            learning.counts[2] += 1
    for k in range(len(weights)):
        learning.total[k] += weights[k]


@inner
def rank_step(
    rng_state: NDArray[np.uint64],
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    plan: Plan,
    labels: NDArray[np.int64],
    learning: Learning,
    rate: float,
    margin: float,
    bounds: tuple[int, int, int, int],
    scratch: Scratch,
) -> bool:
    """Move a subtree, learn whether that was right, and leave it there if the model likes it; False: arena is full."""
    i = bounds[0] + below(rng_state, bounds[1] - bounds[0])
    j = draw_other(rng_state, mentions, plan, i, bounds)
    node = ancestor(forest, i, draw_height(rng_state), True)
    if labels[i] < 0 or is_below(forest, j, node):
        return True
    if not has_room(mentions, forest, node, j):
        return False
    before, after = learning.features[0], learning.features[1]
    before[:] = 0.0
    after[:] = 0.0
    mine, its = root_of(forest, node), root_of(forest, j)
    add_features(mentions, forest, scores, mine, before)
    if its != mine:
        add_features(mentions, forest, scores, its, before)
    kind, place = detach(mentions, forest, node)
    beside = ancestor(forest, j, draw_height(rng_state), True)
    n = offer_places(forest, scores, plan, node, beside, scratch)
    chosen = below(rng_state, n)
    new_kind, new_place = scratch.place_kind[chosen], scratch.place_node[chosen]
    note_labels(mentions, forest, labels, learning.seen, node, 1)
    truth = 0
    if new_kind != ALONE:
        truth += company(mentions, forest, labels, learning.seen, root_of(forest, new_place))
    if kind != ALONE:
        truth -= company(mentions, forest, labels, learning.seen, root_of(forest, place))
    note_labels(mentions, forest, labels, learning.seen, node, -1)
    attach(mentions, forest, node, new_kind, new_place)
    now = root_of(forest, node)
    add_features(mentions, forest, scores, now, after)
    if kind != ALONE and root_of(forest, place) != now:
        add_features(mentions, forest, scores, root_of(forest, place), after)
    if its != mine and root_of(forest, j) != now:
        add_features(mentions, forest, scores, root_of(forest, j), after)
    score = 0.0
    for k in range(len(after)):
        after[k] -= before[k]
        score += learning.weights[k] * after[k]
    learn(learning, score, truth, rate, margin)
    forest.state[PROPOSALS] += 1
    if uniform(rng_state) < math.exp(min(0.0, score / plan.temperature)):
        forest.state[ACCEPTED] += 1
    else:
        detach(mentions, forest, node)
        attach(mentions, forest, node, kind, place)
    return True


@sturdy
def rank_canopies(
    rng_state: NDArray[np.uint64],
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    plan: Plan,
    canopies: NDArray[np.int64],
    n_steps: NDArray[np.int64],
    labels: NDArray[np.int64],
    learning: Learning,
    rate: float,
    margin: float,
    scratch: Scratch,
) -> bool:
    """Make steps canopy by canopy, as many as are left for each; False: the arena is full."""
    for c in range(len(n_steps)):
        first, end = canopies[c], canopies[c + 1]
        while n_steps[c] > 0:
            bounds = (first, end, first, end)
            if not rank_step(
                rng_state, mentions, forest, scores, plan, labels, learning, rate, margin, bounds, scratch
            ):
                return False
            n_steps[c] -= 1
    return True
