"""Entities as trees of sub-entities (Wick, Singh and McCallum 2012): a step costs the same however large an entity is.

Leaves are mentions; an inner node sums up the words and the names of all mentions below it. The log score of a forest
is a sum over nodes,

    Σ_roots [ root + Σ_f evidence_f + Σ_a names_a ]
    + Σ_inner [ inner + shape / (|k - 8| + 1) + k Σ_f cosine_f (2 cos_f - 1) ]

with k the number of children and cos_f how alike they are in field f, each against its siblings. All factors look at
one node's summary, so that a subtree moves at the cost of its words and the depth of the tree.

The words of an entity are *evidence*: how much more probable they are from one author than from as many as there are
mentions. With n_w occurrences of word w, K different words and N in all, of frequency p_w in the table,

    evidence_f = weight_f · [ Σ_{k<K} log(α + d k) - Σ_{t<N} log(α + t) + Σ_w Σ_{0<j<n_w} log((j - d + α p_w) / p_w) ]

(the sequence of draws of Pitman and Yor, over the probability of the same words at random). An entity goes by its
fullest name; each mention's form is scored against that.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state
from onoma.resolve.models.hierarchical._bags_kernels import (
    ACCEPTED,
    COUNT,
    FREE_NODE,
    HEADS,
    LOG2,
    NEXT,
    NORM,
    PARENT,
    PROPOSALS,
    TOTAL,
    TYPES,
    WIDTH,
    Forest,
    Mentions,
)
from onoma.resolve.models.hierarchical._moves_kernels import (
    MOST_PLACES,
    Plan,
    Scratch,
    find_roots,
    run_canopies,
    total_log_score,
)
from onoma.resolve.models.hierarchical._scores_kernels import Scores

__all__ = ["BagScores", "NameScores", "StructureScores", "TreeChain", "TreeMoves", "TreeScores"]

_NEVER = -8.0
"""What an inner node scores, at most, for none to stay where likeness weighs nothing."""
_TABLED = 4096


@dataclass(frozen=True, kw_only=True)
class BagScores:
    """What the words of one field score."""

    cosine: float = 0.0
    """An inner node's children score this much each where all are alike, and its negative where they share nothing."""
    evidence: float = 0.0
    """The weight of an entity's words as evidence; 0: none."""
    alpha: float = 10.0
    """How many words an entity has of its own accord before it repeats itself."""
    discount: float = 0.3
    """How far new words keep coming, 0 to 1."""
    exclusive: float = 0.0
    """What each repetition of a word costs: two mentions of one paper are two people."""


@dataclass(frozen=True, kw_only=True)
class NameScores:
    """What a mention's name scores against that of its entity."""

    match: float = 2.0
    initial: float = 1.0
    alike: float = 1.0
    shared: float = -4.0
    """The first words differ, but another is the same."""
    differ: float = -8.0
    rest: float = -8.0
    """Added where second words differ."""


@dataclass(frozen=True, kw_only=True)
class StructureScores:
    """What trees score for their form."""

    root: float = -7.0
    inner: float = -8.0
    shape: float = 1.0
    best_width: float = 8.0
    only_gains: bool = False
    """Children that are unlike cost nothing: then trees group what is alike, but do not decide what is one entity."""
    crowd: float = 0.0
    """Weight of what is known of sizes beforehand: an entity of n mentions scores crowd·(log n! - tail·log n)."""
    tail: float = 2.0
    """Of the number of mentions of an entity, n^-tail (Lotka: 2)."""
    balance: float = 8.0
    """Two nodes get a parent of their own if the larger has at most this many times the mentions of the other."""


@dataclass(frozen=True, kw_only=True)
class TreeScores:
    """The weights of the model: by field, by name, and for the form of trees."""

    bags: Sequence[BagScores]
    names: Sequence[NameScores]
    structure: StructureScores = field(default_factory=StructureScores)

    def arrays(self) -> Scores:
        """Return them as kernels want them."""
        bags = np.array([[b.cosine, b.evidence, b.alpha, b.discount, b.exclusive] for b in self.bags]).reshape(-1, 5)
        names = np.array([[n.match, n.initial, n.alike, n.shared, n.differ, n.rest] for n in self.names])
        s = self.structure
        structure = np.array([s.root, s.inner, s.shape, s.best_width, float(s.only_gains), s.balance, s.crowd, s.tail])
        counts = np.arange(_TABLED - 1)
        novel, spread = np.zeros((len(bags), _TABLED)), np.zeros((len(bags), _TABLED))
        for f, (_, _, alpha, discount, _) in enumerate(bags):
            np.cumsum(np.log(alpha + discount * counts), out=novel[f, 1:])
            np.cumsum(np.log(alpha + counts), out=spread[f, 1:])
        crowds = np.array([math.lgamma(n + 1.0) for n in range(_TABLED)])
        return Scores(bags, names.reshape(-1, 6), structure, novel, spread, crowds)


class TreeMoves(NamedTuple):
    """Which moves a chain over forests offers."""

    near: float = 0.5
    """How often a mention is put beside one that shares a word with it, and not any of the canopy."""
    reshape: float = 0.1
    """How often a step collapses a node, or gathers children."""
    patience: float = 32.0
    """Subtrees of more mentions than this are moved the more rarely."""


class TreeChain:
    """A chain over forests of the mentions of some canopies.

    Parameters
    ----------
    mentions
        What was observed, the mentions of each canopy next to each other.
    canopies
        Where each canopy's mentions begin, and the end of the last.
    scores
        The weights.
    seed, keys
        Of the chain's random numbers.
    is_exact
        Sample the model; else look for its best forest, offering more.
    moves
        Which moves it offers.
    """

    def __init__(
        self,
        mentions: Mentions,
        canopies: NDArray[np.int64],
        scores: TreeScores,
        *,
        seed: int,
        keys: Sequence[int | str] = (),
        is_exact: bool = False,
        moves: TreeMoves | None = None,
    ) -> None:
        near, reshape, patience = moves or TreeMoves()
        self._mentions, self._canopies = mentions, canopies
        self.scores = scores.arrays()
        is_flat = not is_exact and scores.structure.inner <= _NEVER and all(bag.cosine == 0.0 for bag in scores.bags)
        self._plan = Plan(
            temperature=1.0,
            is_exact=is_exact,
            is_inside=False,
            is_flat=is_flat,
            near=near,
            reshape=reshape,
            patience=patience,
        )
        self._rng_state = kernel_state(seed, "trees", *keys)
        self.forest = new_forest(mentions, len(self.scores.bags))
        n_fields, n_parts = len(self.scores.bags), 1 + mentions.forms.shape[1]
        self.scratch = Scratch(
            np.zeros(n_fields),
            np.zeros(n_fields, np.int64),
            np.zeros(n_parts),
            np.zeros(MOST_PLACES, np.int64),
            np.zeros(MOST_PLACES, np.int64),
            np.zeros(MOST_PLACES),
            np.zeros((MOST_PLACES, n_parts)),
            np.zeros(n_parts, np.int32),
            np.zeros((n_fields, 3)),
            np.full(2, -1, np.int64),
            np.zeros((2, n_fields)),
            np.zeros((2, n_fields), np.int64),
            np.zeros(2),
        )
        self.gains = np.zeros(len(canopies) - 1)
        self.moved = np.zeros(len(canopies) - 1, np.int64)

    def run(self, n_steps: NDArray[np.int64], *, temperature: float) -> None:
        """Make so many steps in each canopy."""
        self._run(n_steps, self.scores, self._plan._replace(temperature=temperature))

    def arrange(self, scores: TreeScores, n_steps: NDArray[np.int64], *, temperature: float) -> None:
        """Arrange trees by other weights, which must have the same α; entities stay as they are."""
        plan = self._plan._replace(temperature=temperature, is_exact=False, is_inside=True, is_flat=False)
        self._run(n_steps, scores.arrays(), plan)

    def _run(self, n_steps: NDArray[np.int64], scores: Scores, plan: Plan) -> None:
        left = np.where(np.diff(self._canopies) > 1, n_steps, 0)
        while True:
            full = run_canopies(
                self._rng_state,
                self._mentions,
                self.forest,
                scores,
                plan,
                self._canopies,
                left,
                self.gains,
                self.moved,
                self.scratch,
            )
            if full < 0:
                return
            self.grow()

    def sampling_copy(self) -> "TreeChain":
        """Return a chain that goes on from the same trees by steps that sample the model."""
        other = copy.copy(self)
        other.forest = copy.deepcopy(self.forest)
        other._rng_state = self._rng_state.copy()
        other._plan = self._plan._replace(is_exact=True, is_flat=False)
        other.scratch = copy.deepcopy(self.scratch)
        other.gains, other.moved = self.gains.copy(), self.moved.copy()
        return other

    def words_of(self, node: int) -> dict[int, int]:
        """Return the words of a node and how often it has each."""
        if node < len(self._mentions.forms):
            words = self._mentions.words[self._mentions.offsets[node] : self._mentions.offsets[node + 1]]
            return dict.fromkeys(words.tolist(), int(self._mentions.rows[node]))
        start, log2, _ = self.forest.tables[2 * node].tolist()
        slots = slice(start, start + (1 << log2) if log2 >= 0 else start)
        keys, counts = self.forest.keys[slots], self.forest.counts[slots]
        return dict(zip(keys[counts > 0].tolist(), counts[counts > 0].tolist(), strict=True))

    def grow(self) -> None:
        """Make the arena half as large again."""
        room = len(self.forest.keys) // 2 + (1 << 16)
        keys = np.concatenate([self.forest.keys, np.zeros(room, np.int32)])
        counts = np.concatenate([self.forest.counts, np.zeros(room, np.int32)])
        self.forest = self.forest._replace(keys=keys, counts=counts)

    @property
    def roots(self) -> NDArray[np.int32]:
        """The root of each mention's tree."""
        roots = np.empty(len(self._mentions.forms), np.int32)
        find_roots(self.forest, roots)
        return roots

    @property
    def log_score(self) -> float:
        """The score of all trees, computed anew."""
        return float(total_log_score(self._mentions, self.forest, self.scores))

    @property
    def n_entities(self) -> int:
        """Trees there are."""
        links = self.forest.links
        return int((links[:, PARENT] == -1).sum())

    @property
    def n_proposals(self) -> int:
        """Steps made so far."""
        return int(self.forest.state[PROPOSALS])

    @property
    def n_accepted(self) -> int:
        """Steps that changed something."""
        return int(self.forest.state[ACCEPTED])


def new_forest(mentions: Mentions, n_fields: int) -> Forest:
    """Return a forest in which every mention is alone."""
    n, n_names = mentions.forms.shape
    n_nodes = max(2 * n, 2)
    links = np.full((n_nodes, 6), -1, np.int32)
    links[:, WIDTH] = 0
    links[:, COUNT] = 1
    links[:n, COUNT] = mentions.rows
    links[n:, PARENT] = -2
    links[n:, NEXT] = np.append(np.arange(n + 1, n_nodes), -1)
    lengths = np.diff(mentions.offsets)
    row = np.repeat(np.arange(n), lengths)
    place = row * n_fields + mentions.field[mentions.words]
    sizes = np.zeros((n_nodes, n_fields, 2), np.int32)
    found = np.bincount(place, minlength=n * n_fields).reshape(n, n_fields)
    sizes[:n, :, TOTAL] = found * mentions.rows[:, np.newaxis]
    sizes[:n, :, TYPES] = found
    sums = np.zeros((n_nodes, n_fields, 3))
    squares = np.bincount(place, mentions.weights[mentions.words, 0], minlength=n * n_fields)
    sums[:n, :, NORM] = squares.reshape(n, n_fields) * np.square(mentions.rows, dtype=np.float64)[:, np.newaxis]
    value = np.full((n_nodes, n_names), -1, np.int32)
    value[:n] = mentions.forms
    tables = np.zeros((2 * n_nodes, 3), np.int64)
    tables[:, LOG2] = -1
    state = np.full(48, -1, np.int64)
    state[:HEADS] = 0
    state[FREE_NODE] = n
    room = int(1.5 * lengths.sum()) + 8 * n + (1 << 14)
    own = np.full((n_nodes, 1 + n_names), np.nan)
    keys, counts = np.zeros(room, np.int32), np.zeros(room, np.int32)
    return Forest(links, sums, sizes, own, value, tables, keys, counts, state)
