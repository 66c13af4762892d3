"""Kernels of `trees.py`: how trees change.

One step takes a subtree out of its tree (`detach`), scores places where it could be (`lift`), draws one, and puts it
there (`attach`). Where it was is among the places, so that a step that changes nothing puts it back.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import inner, within
from onoma.numerics.rng import below, uniform
from onoma.resolve.models.hierarchical._bags_kernels import (
    ACCEPTED,
    COUNT,
    END,
    FIRST,
    LENGTHS,
    NEXT,
    NORM,
    PARENT,
    PROPOSALS,
    SQUARES,
    WIDTH,
    Forest,
    Mentions,
    add_forms,
    add_words,
    room_of,
    sturdy,
)
from onoma.resolve.models.hierarchical._scores_kernels import (
    AS_ROOT,
    BALANCE,
    INSIDE,
    Scores,
    compare_bags,
    join_evidence,
    joint_own,
    know_own,
    node_shape,
    own_score,
    score_forms,
    shape_score,
)
from onoma.resolve.models.hierarchical._trees_kernels import (
    ALONE,
    CHILD,
    FOLD,
    SIBLING,
    attach,
    collapse,
    detach,
    is_below,
    link,
    new_node,
    note_child,
    root_of,
    unlink,
)

MOST_PLACES = 8
DEEPEST = 60
"""Nodes from a place up to the root: deeper places are not offered."""
WINDOW = 2048
"""In a larger canopy, so many steps in a row draw from as many mentions: what they need stays near the processor."""
FAR = 0.25
"""How often the other mention is drawn from the whole canopy then."""


WHOLE = 0.3
"""How often an entity is moved as a whole, where the best forest is sought."""


class Plan(NamedTuple):
    """How steps are made."""

    temperature: float
    is_exact: bool
    """Offer only what can be taken back by the same offer: the chain samples the model."""
    is_inside: bool
    """Move subtrees within their trees only: entities stay as they are."""
    is_flat: bool
    """Offer no places at which a root gets children that have children: the weights are such that none would stay."""
    near: float
    """How often the other mention shares a word with the first."""
    reshape: float
    """How often a node is collapsed, or children gathered."""
    patience: float
    """Subtrees of more mentions than this are moved the more rarely, so that a step costs as much on average."""


class Scratch(NamedTuple):
    """Working space."""

    dots: NDArray[np.float64]
    shared: NDArray[np.int64]
    joint: NDArray[np.float64]
    place_kind: NDArray[np.int64]
    place_node: NDArray[np.int64]
    place_score: NDArray[np.float64]
    place_own: NDArray[np.float64]
    named: NDArray[np.int32]
    sums: NDArray[np.float64]
    met: NDArray[np.int64]
    """Two roots that the subtree in hand was compared with; -1: none yet."""
    met_dots: NDArray[np.float64]
    met_shared: NDArray[np.int64]
    met_bond: NDArray[np.float64]


@inner
def compare_root(mentions: Mentions, forest: Forest, scores: Scores, node: int, root: int, scratch: Scratch) -> float:
    """Compare a subtree with a root (`compare_bags`), once for each of the two roots of a step."""
    slot = 0 if scratch.met[0] < 0 or scratch.met[0] == root else 1
    if scratch.met[slot] != root:
        scratch.met[slot] = root
        scratch.met_bond[slot] = compare_bags(
            mentions, forest, scores, node, root, scratch.met_dots[slot], scratch.met_shared[slot]
        )
    for f in range(len(scratch.dots)):
        scratch.dots[f] = scratch.met_dots[slot, f]
        scratch.shared[f] = scratch.met_shared[slot, f]
    return scratch.met_bond[slot]


@inner
def sum_up(forest: Forest, node: int, a: int, kind: int, below_a: int, scratch: Scratch) -> None:
    """Fill in what node a would keep of its children's lengths with the words of `node` among its own.

    A child of it has grown to what was filled in before (`below_a`), or `node` or the children of `node` are new ones.
    """
    sums = scratch.sums
    for f in range(forest.sums.shape[1]):
        lengths, squares = forest.sums[a, f, LENGTHS], forest.sums[a, f, SQUARES]
        if below_a >= 0:
            old, new = max(forest.sums[below_a, f, NORM], 0.0), max(sums[f, NORM], 0.0)
            lengths += math.sqrt(new) - math.sqrt(old)
            squares += new - old
        elif kind == CHILD:
            new = max(forest.sums[node, f, NORM], 0.0)
            lengths += math.sqrt(new)
            squares += new
        else:
            lengths += forest.sums[node, f, LENGTHS]
            squares += forest.sums[node, f, SQUARES]
        sums[f, NORM] = forest.sums[a, f, NORM] + forest.sums[node, f, NORM] + 2.0 * scratch.dots[f]
        sums[f, LENGTHS], sums[f, SQUARES] = lengths, squares


@inner
def climb(
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    node: int,
    a: int,
    kind: int,
    below_a: int,
    scratch: Scratch,
) -> float:
    """Return what the nodes from a up to the root would gain by the words of `node`; see `sum_up`."""
    total = 0.0
    while True:
        is_top = forest.links[a, PARENT] < 0
        if is_top:
            bond = compare_root(mentions, forest, scores, node, a, scratch)
        else:
            bond = compare_bags(mentions, forest, scores, node, a, scratch.dots, scratch.shared)
        sum_up(forest, node, a, kind, below_a, scratch)
        width = forest.links[a, WIDTH]
        if below_a < 0:
            width += 1 if kind == CHILD else forest.links[node, WIDTH]
        total += shape_score(scores, width, scratch.sums, is_top) - node_shape(forest, scores, a, is_top)
        if is_top:
            total -= own_score(mentions, forest, scores, a)
            return total + joint_own(mentions, forest, scores, a, node, scratch.shared, bond, scratch.joint)
        below_a = a
        a = forest.links[a, PARENT]


@within
def lift_beside(mentions: Mentions, forest: Forest, scores: Scores, node: int, place: int, scratch: Scratch) -> float:
    """Return what a subtree that is alone would add to the score under a new parent, together with a node."""
    parent = int(np.int64(forest.links[place, PARENT]))
    is_top = parent < 0
    if is_top:
        bond = compare_root(mentions, forest, scores, node, place, scratch)
    else:
        bond = compare_bags(mentions, forest, scores, node, place, scratch.dots, scratch.shared)
    for f in range(forest.sums.shape[1]):
        one, other = forest.sums[place, f, NORM], forest.sums[node, f, NORM]
        scratch.sums[f, NORM] = one + other + 2.0 * scratch.dots[f]
        scratch.sums[f, LENGTHS] = math.sqrt(max(one, 0.0)) + math.sqrt(max(other, 0.0))
        scratch.sums[f, SQUARES] = one + other
    total = shape_score(scores, 2, scratch.sums, is_top) + node_shape(forest, scores, node, INSIDE)
    if not is_top:
        return total + climb(mentions, forest, scores, node, parent, SIBLING, place, scratch)
    total += node_shape(forest, scores, place, INSIDE) - node_shape(forest, scores, place, AS_ROOT)
    total -= own_score(mentions, forest, scores, place)
    return total + joint_own(mentions, forest, scores, place, node, scratch.shared, bond, scratch.joint)


@within
def lift(
    mentions: Mentions, forest: Forest, scores: Scores, node: int, kind: int, place: int, scratch: Scratch
) -> float:
    """Return what a subtree that is alone, and so counts for nothing here, would add to the score somewhere."""
    if kind == ALONE:
        return own_score(mentions, forest, scores, node) + node_shape(forest, scores, node, AS_ROOT)
    if kind == SIBLING:
        return lift_beside(mentions, forest, scores, node, place, scratch)
    total = node_shape(forest, scores, node, INSIDE) if kind == CHILD else 0.0
    return total + climb(mentions, forest, scores, node, place, kind, -1, scratch)


@inner
def depth_of(forest: Forest, node: int) -> int:
    """Return how many nodes are above a node."""
    depth = 0
    while forest.links[node, PARENT] >= 0:
        node = forest.links[node, PARENT]
        depth += 1
    return depth


@inner
def is_balanced(forest: Forest, scores: Scores, one: int, other: int) -> bool:
    """Return whether two nodes may have a parent of their own: neither is far larger than the other."""
    a, b = forest.links[one, COUNT], forest.links[other, COUNT]
    return max(a, b) <= scores.structure[BALANCE] * min(a, b)


@inner
def offer(scratch: Scratch, n: int, kind: int, place: int) -> int:
    """Add a place to those offered, unless it is among them; return how many there are."""
    for k in range(n):
        if scratch.place_kind[k] == kind and scratch.place_node[k] == place:
            return n
    scratch.place_kind[n], scratch.place_node[n] = kind, place
    return n + 1


@inner
def offer_places(forest: Forest, scores: Scores, plan: Plan, node: int, beside: int, scratch: Scratch) -> int:
    """Offer a subtree that is alone the places at a node and at its root."""
    n = 0 if plan.is_inside else offer(scratch, 0, ALONE, -1)
    root = root_of(forest, beside)
    if plan.is_flat:
        if forest.links[root, WIDTH] == 0:
            return offer(scratch, n, SIBLING, root) if is_balanced(forest, scores, node, root) else n
        return offer(scratch, n, CHILD if forest.links[node, WIDTH] == 0 else FOLD, root)
    if depth_of(forest, beside) > DEEPEST:
        return n
    for place in (beside, root):
        if forest.links[place, WIDTH] > 0:
            n = offer(scratch, n, CHILD, place)
        if is_balanced(forest, scores, node, place):
            n = offer(scratch, n, SIBLING, place)
    if not plan.is_exact and forest.links[node, WIDTH] > 0 and forest.links[root, WIDTH] > 0:
        n = offer(scratch, n, FOLD, root)
    return n


@inner
def draw_place(rng_state: NDArray[np.uint64], scratch: Scratch, n: int, temperature: float) -> int:
    """Draw a place in proportion to exp(score / temperature)."""
    top = scratch.place_score[0]
    for k in range(1, n):
        top = max(top, scratch.place_score[k])
    total = 0.0
    for k in range(n):
        total += math.exp((scratch.place_score[k] - top) / temperature)
    x = uniform(rng_state) * total
    for k in range(n):
        x -= math.exp((scratch.place_score[k] - top) / temperature)
        if x < 0.0:
            return k
    return n - 1


@inner
def draw_height(rng_state: NDArray[np.uint64]) -> int:
    """Return a height: 0, 1, 2, … with probabilities 1/2, 1/4, 1/8, …"""
    height = 0
    while height < DEEPEST and uniform(rng_state) < 0.5:
        height += 1
    return height


@inner
def ancestor(forest: Forest, node: int, height: int, or_root: bool) -> int:
    """Return the node so many levels above another; where there is none, the root or -1."""
    for _ in range(height):
        above = forest.links[node, PARENT]
        if above < 0:
            return node if or_root else -1
        node = above
    return node


@inner
def draw_other(
    rng_state: NDArray[np.uint64], mentions: Mentions, plan: Plan, i: int, bounds: tuple[int, int, int, int]
) -> int:
    """Return another mention of the canopy: one that shares a word with the first, one of the window, or any."""
    if uniform(rng_state) < plan.near:
        n = mentions.link_offsets[i + 1] - mentions.link_offsets[i]
        if n > 0:
            found = mentions.links[mentions.link_offsets[i] + below(rng_state, n)]
            start = mentions.list_offsets[found]
            return mentions.listed[start + below(rng_state, mentions.list_offsets[found + 1] - start)]
    first, end, low, high = bounds
    if uniform(rng_state) < FAR:
        return first + below(rng_state, end - first)
    return low + below(rng_state, high - low)


@inner
def is_passed_over(rng_state: NDArray[np.uint64], forest: Forest, plan: Plan, node: int) -> bool:
    """Return whether a subtree is let be this time; how often depends on its size alone, which no move changes."""
    size = forest.links[node, COUNT]
    return size > plan.patience and uniform(rng_state) * size > plan.patience


@inner
def has_room(mentions: Mentions, forest: Forest, node: int, beside: int) -> bool:
    """Return whether the arena has room for any move of a node to a place on the way from another to its root."""
    mine = room_of(mentions, forest, node)
    need = 64 + 4 * mine
    for start in (node, beside):
        a = start
        while a >= 0:
            need += 64 + 4 * (mine + room_of(mentions, forest, a))
            a = forest.links[a, PARENT]
    return forest.state[END] + need <= len(forest.keys)


@within
def detach_knowing(mentions: Mentions, forest: Forest, scores: Scores, node: int, scratch: Scratch) -> tuple[int, int]:
    """Take a subtree out of its tree (`detach`), keeping account of what the rest and the subtree score as entities."""
    know_own(mentions, forest, scores, node)
    scratch.met[0] = scratch.met[1] = -1
    if forest.links[node, PARENT] < 0:
        return ALONE, -1
    root = root_of(forest, node)
    know_own(mentions, forest, scores, root)
    for part in range(len(scratch.joint)):
        scratch.joint[part] = forest.own[root, part]
    for name in range(mentions.forms.shape[1]):
        scratch.named[name] = forest.value[root, name]
    kind, place = detach(mentions, forest, node)
    rest = root_of(forest, place)
    bond = compare_root(mentions, forest, scores, node, rest, scratch)
    joined = join_evidence(forest, scores, rest, node, scratch.shared, bond)
    forest.own[rest, 0] = scratch.joint[0] - forest.own[node, 0] - joined
    for name in range(mentions.forms.shape[1]):
        value = forest.value[rest, name]
        if value == scratch.named[name]:
            gone = score_forms(mentions, forest, scores, node, name, value)
            forest.own[rest, 1 + name] = scratch.joint[1 + name] - gone
        else:
            forest.own[rest, 1 + name] = score_forms(mentions, forest, scores, rest, name, value)
    return kind, place


@within
def attach_knowing(mentions: Mentions, forest: Forest, node: int, k: int, scratch: Scratch) -> None:
    """Put a subtree at one of the places offered; what the entity scores is known from the offer."""
    kind, place = scratch.place_kind[k], scratch.place_node[k]
    attach(mentions, forest, node, kind, place)
    if kind != ALONE:
        root = root_of(forest, place)
        for part in range(len(scratch.joint)):
            forest.own[root, part] = scratch.place_own[k, part]


@within
def regraft(
    rng_state: NDArray[np.uint64],
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    plan: Plan,
    node: int,
    j: int,
    height: int,
    scratch: Scratch,
) -> float:
    """Take a subtree out and put it at a place drawn by its score; return d_log_score.

    The places depend on what is left when it is out, so that the way back is drawn from the same ones; where it was
    may be none of them: then it is put back, or (not exact) that is offered as well.
    """
    kind, place = detach_knowing(mentions, forest, scores, node, scratch)
    beside = ancestor(forest, j, height, not plan.is_exact)
    n = 0 if beside < 0 else offer_places(forest, scores, plan, node, beside, scratch)
    before, is_offered = n, False
    for k in range(n):
        if scratch.place_kind[k] == kind and scratch.place_node[k] == place:
            before, is_offered = k, True
    if not is_offered:
        if plan.is_exact:
            before = n = 0
        n = offer(scratch, n, kind, place)
    for k in range(n):
        scratch.place_score[k] = lift(
            mentions, forest, scores, node, scratch.place_kind[k], scratch.place_node[k], scratch
        )
        for part in range(len(scratch.joint)):
            scratch.place_own[k, part] = scratch.joint[part]
    chosen = draw_place(rng_state, scratch, n, plan.temperature)
    attach_knowing(mentions, forest, node, chosen, scratch)
    forest.state[ACCEPTED] += chosen != before
    return scratch.place_score[chosen] - scratch.place_score[before]


@within
def collapse_step(
    rng_state: NDArray[np.uint64], forest: Forest, scores: Scores, plan: Plan, node: int, scratch: Scratch
) -> float:
    """Offer an inner node to give way to its children; return d_log_score.

    The way back is to gather just these children, one chance in 2^(k - 1) (`gather_step`).
    """
    parent = forest.links[node, PARENT]
    if parent < 0 or forest.links[node, WIDTH] == 0:
        return 0.0
    is_top = forest.links[parent, PARENT] < 0
    width = forest.links[parent, WIDTH] + forest.links[node, WIDTH] - 1
    sums = scratch.sums
    for f in range(forest.sums.shape[1]):
        norm = max(forest.sums[node, f, NORM], 0.0)
        sums[f, NORM] = forest.sums[parent, f, NORM]
        sums[f, LENGTHS] = forest.sums[parent, f, LENGTHS] - math.sqrt(norm) + forest.sums[node, f, LENGTHS]
        sums[f, SQUARES] = forest.sums[parent, f, SQUARES] - norm + forest.sums[node, f, SQUARES]
    d = shape_score(scores, width, sums, is_top) - node_shape(forest, scores, parent, is_top)
    d -= node_shape(forest, scores, node, INSIDE)
    log_q_ratio = -(width - 1) * math.log(2.0) if plan.is_exact else 0.0
    if uniform(rng_state) >= math.exp(min(0.0, d / plan.temperature + log_q_ratio)):
        return 0.0
    collapse(forest, node)
    forest.state[ACCEPTED] += 1
    return d


@within
def gather_step(
    rng_state: NDArray[np.uint64],
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    plan: Plan,
    node: int,
    parent: int,
) -> float:
    """Offer a child, with each of its siblings by the toss of a coin, a node of their own; return d_log_score."""
    width = forest.links[parent, WIDTH]
    if width > 40:
        return 0.0
    made = new_node(forest)
    before = node_shape(forest, scores, parent, forest.links[parent, PARENT] < 0)
    child = forest.links[parent, FIRST]
    while child >= 0:
        after = forest.links[child, NEXT]
        if child == node or uniform(rng_state) < 0.5:
            note_child(forest, parent, child, -1)
            unlink(forest, child)
            link(forest, child, made)
            note_child(forest, made, child, 1)
            add_words(mentions, forest, made, child, 1)
            add_forms(mentions, forest, made, child, 1)
            forest.links[made, COUNT] += forest.links[child, COUNT]
        child = after
    link(forest, made, parent)
    note_child(forest, parent, made, 1)
    k = forest.links[made, WIDTH]
    d = node_shape(forest, scores, parent, forest.links[parent, PARENT] < 0) - before
    d += node_shape(forest, scores, made, INSIDE)
    log_q_ratio = (width - 1) * math.log(2.0)
    is_valid = 2 <= k < width
    if is_valid and uniform(rng_state) < math.exp(min(0.0, d / plan.temperature + log_q_ratio)):
        forest.state[ACCEPTED] += 1
        return d
    collapse(forest, made)
    return 0.0


@inner
def is_arrangeable(forest: Forest, i: int, j: int) -> bool:
    """Return whether two mentions are of one tree, and there is another tree of the same mentions."""
    root = root_of(forest, i)
    return forest.links[root, COUNT] > 2 and root == root_of(forest, j)


@within
def take_step(
    rng_state: NDArray[np.uint64],
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    plan: Plan,
    bounds: tuple[int, int, int, int],
    scratch: Scratch,
) -> float:
    """Make one step in a canopy; return d_log_score, NaN if the arena is full.

    `bounds` are the canopy's first mention, its end, and those of the window from which mentions are drawn.
    """
    i = bounds[2] + below(rng_state, bounds[3] - bounds[2])
    j = draw_other(rng_state, mentions, plan, i, bounds)
    height, height_j = draw_height(rng_state), draw_height(rng_state)
    if not (plan.is_exact or plan.is_inside) and uniform(rng_state) < WHOLE:
        height = DEEPEST
    node = ancestor(forest, i, height, not plan.is_exact)
    if node < 0:
        return 0.0
    if not has_room(mentions, forest, node, j):
        return np.nan
    forest.state[PROPOSALS] += 1
    if uniform(rng_state) < plan.reshape:
        if not plan.is_exact or uniform(rng_state) < 0.5:
            parent = forest.links[node, PARENT]
            if parent < 0 or (plan.is_exact and is_passed_over(rng_state, forest, plan, parent)):
                return 0.0
            return collapse_step(rng_state, forest, scores, plan, node, scratch)
        if node == i:
            return 0.0
        if is_passed_over(rng_state, forest, plan, node):
            return 0.0
        child = i
        while forest.links[child, PARENT] != node:
            child = forest.links[child, PARENT]
        return gather_step(rng_state, mentions, forest, scores, plan, child, node)
    if is_below(forest, j, node) or (plan.is_inside and not is_arrangeable(forest, i, j)):
        return 0.0
    if not plan.is_exact and forest.links[node, PARENT] < 0:
        root = root_of(forest, j)
        if forest.links[root, COUNT] < forest.links[node, COUNT]:
            node, j, height_j = root, node, 0
    if is_passed_over(rng_state, forest, plan, node):
        return 0.0
    return regraft(rng_state, mentions, forest, scores, plan, node, j, height_j, scratch)


@sturdy
def run_canopies(
    rng_state: NDArray[np.uint64],
    mentions: Mentions,
    forest: Forest,
    scores: Scores,
    plan: Plan,
    canopies: NDArray[np.int64],
    n_steps: NDArray[np.int64],
    gains: NDArray[np.float64],
    moved: NDArray[np.int64],
    scratch: Scratch,
) -> int:
    """Make steps canopy by canopy, as many as are left for each; return the canopy at which the arena is full, or -1.

    What the score gained and how many steps changed something is added by canopy.
    """
    for c in range(len(n_steps)):
        first, end = canopies[c], canopies[c + 1]
        low, high = first, end
        while n_steps[c] > 0:
            if end - first > WINDOW and n_steps[c] % WINDOW == 0:
                low = first + below(rng_state, end - first - WINDOW + 1)
                high = low + WINDOW
            accepted = forest.state[ACCEPTED]
            d = take_step(rng_state, mentions, forest, scores, plan, (first, end, low, high), scratch)
            if math.isnan(d):
                return c
            gains[c] += d
            moved[c] += forest.state[ACCEPTED] - accepted
            n_steps[c] -= 1
    return -1


@sturdy
def find_roots(forest: Forest, roots: NDArray[np.int32]) -> None:
    """Fill in the root of each mention."""
    for i in range(len(roots)):
        roots[i] = root_of(forest, i)


@sturdy
def total_log_score(mentions: Mentions, forest: Forest, scores: Scores) -> float:
    """Return the score of all trees."""
    total = 0.0
    for node in range(len(forest.links)):
        if forest.links[node, PARENT] == -2:
            continue
        is_root = forest.links[node, PARENT] < 0
        total += node_shape(forest, scores, node, is_root)
        if is_root:
            total += own_score(mentions, forest, scores, node)
    return total
