"""Coreference across documents: mentions grouped into entities by name and by the words around them.

Two mentions of one entity score ψ(m, n), two of different ones -ψ(m, n), where

    ψ(m, n) = cosine of the contexts' bags + similarity of the names - b,

and the bias b sets how many entities there are. The world with the greatest sum is looked for by Metropolis–Hastings
with a falling temperature. Three levels have the same model: *sub-entities* (a higher bias) are mentions so alike that
they move between entities together; *super-entities* (a lower bias, and the cosine of the entities' summed bags) are
entities so alike that they should meet in one partition. Two levels stand still while the third is sampled, in turn.

Sub-entities are part of the world that is sampled, by exp of both levels' scores: every move is one of a chain with
that distribution. Super-entities are no evidence: they decide which entities meet, not which are one.

After Singh, Subramanya, Pereira and McCallum, "Large-scale cross-document coreference using distributed inference and
hierarchical models", ACL 2011. A move costs as much as the bag of what is moved has words, however large entities are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.numerics.rng import kernel_state
from onoma.resolve.models.cross_document._features_kernels import least_by
from onoma.resolve.models.cross_document.features import mention_features, number_densely
from onoma.resolve.models.cross_document.levels import Features, Level, Moves

__all__ = ["CrossDocumentSettings", "LevelName", "features_of", "log_score", "start", "step"]

LevelName = Literal["sub", "entity", "super"]


@dataclass(frozen=True, kw_only=True)
class CrossDocumentSettings:
    """The model's weights, and how it is sampled."""

    bias: float = 0.7
    context: float = 1.0
    """What a cosine of 1 scores."""
    same: float = 1.0
    """What equal names score, where the table does not say what each two names score."""
    here: float = 0.0
    """What any two mentions of one document score besides."""
    sub_bias: float = 1.4
    super_bias: float = 0.2
    super_ratio: float = 1.3
    """The bias of super-entities is at least so many times the mean cosine of the entities that are there."""
    levels: Sequence[LevelName] = ("sub", "entity", "super")
    """What is sampled in each round, in this order; without `sub`, mentions move alone."""
    per_mention: float = 5.0
    """Proposals of each level and round for each item."""
    n_rounds: int = 20
    heat: float = 0.1
    cold: float = 0.001
    """The temperature of the first and of the last round."""
    new: float = 0.05
    """Share of proposals that put an item into a group of its own."""
    shared: float = 0.85
    """Share of proposals that follow a word or name which the item shares with another; others follow chance."""

    by_pairs: bool = False
    """Score pairs of mentions one by one, without sums and sub-entities: what the flat model costs as published."""
    meet_by_name: bool = True
    """Let two rounds of three bring together entities with near names, instead of those of a super-entity."""

    def __post_init__(self) -> None:
        if not set(self.levels) <= {"sub", "entity", "super"} or "entity" not in self.levels:
            raise SettingsError(f"levels are {tuple(self.levels)}; they are of sub, entity, super, entity among them")
        if not 0 < self.cold <= self.heat:
            raise SettingsError(f"temperatures fall from {self.heat} to {self.cold}; both are above 0")
        if not (self.new > 0 and self.shared >= 0 and self.new + self.shared <= 1):
            raise SettingsError(f"shares of proposals are {self.new} and {self.shared}; they are at most 1 in all")
        if self.by_pairs and ("sub" in self.levels or self.shared > 0):
            raise SettingsError("pairs are scored one by one without sub-entities and shared features")
        if self.n_rounds < 1 or self.per_mention <= 0:
            raise SettingsError("rounds and proposals are above 0")

    def temperature(self, round: int) -> float:
        """Return the temperature of a round: a geometric way from heat to cold, which stays cold then."""
        part = 1.0 if self.n_rounds == 1 else min(round / (self.n_rounds - 1), 1.0)
        return float(self.heat ** (1.0 - part) * self.cold**part)


def start(names: NDArray[np.int64], *, from_names: bool) -> dict[str, NDArray[np.int64]]:
    """Return the columns of a start: every mention alone, or those of one name together.

    Examples
    --------
    >>> start(np.array([7, 3, 7]), from_names=True)["entity"].tolist()
    [0, 1, 0]
    """
    alone = np.arange(len(names))
    entity = smallest(names, alone) if from_names else alone
    return {"mention": alone, "entity": entity, "sub": alone.copy(), "super": entity.copy()}


def step(
    partition: pa.Table,
    *,
    settings: CrossDocumentSettings,
    seed: int,
    round: int,
    key: int,
    features: Features | None = None,
) -> pa.Table:
    """Sample every level once, in turn; a pure function of the partition and the numbers given.

    Parameters
    ----------
    partition
        Mentions in whole entities: `mention`, `entity`, `sub`, `super`, `name`, `tokens`, `weights`; also, where they
        matter, `document`, and the names near each mention's own, `near`, with what they score, `near_weights`, and
        score besides in one document, `near_here`.
    settings
        Weights and effort.
    round
        Which round this is, from 0.
    key
        The number of the partition.
    features
        The rows of the mentions (`features_of`), where a caller has them from an earlier round; None: made here.

    Returns
    -------
    pa.Table
        The partition with other columns `entity`, `sub`, `super`; an id is the smallest mention of its group.
    """
    state = kernel_state(seed, "cross-document", round, key)
    world = _World(partition, features_of(partition, settings) if features is None else features)
    for level in settings.levels:
        world.sample(level, state, settings, settings.temperature(round))
    found = world.table(has_sub="sub" in settings.levels)
    if settings.meet_by_name and "near" in partition.column_names and round % 3 < 2:
        at = found.column_names.index("super")
        found = found.set_column(at, found.schema.field("super"), pa.array(meeting_names(found, seed, round)))
    return found


def features_of(table: pa.Table, settings: CrossDocumentSettings) -> Features:
    """Return the rows that mentions are compared by; rounds do not change them."""
    return mention_features(table, context=settings.context, same=settings.same, here=settings.here)


class _World:
    """Three nested partitions of the mentions, numbered from 0."""

    def __init__(self, partition: pa.Table, features: Features) -> None:
        self._partition, self._features = partition, features
        self._of = {
            name: np.unique(partition[name].to_numpy(), return_inverse=True)[1].astype(np.int64)
            for name in ("sub", "entity", "super")
        }

    def sample(
        self,
        level: LevelName,
        state: NDArray[np.uint64],
        settings: CrossDocumentSettings,
        temperature: float,
    ) -> None:
        """Sample one level, the others fixed."""
        if level == "sub":
            self._sample_sub(state, settings, temperature)
        elif level == "entity":
            self._sample_entities(state, settings, temperature)
        else:
            self._sample_super(state, settings, temperature)

    def _sample_sub(self, state: NDArray[np.uint64], settings: CrossDocumentSettings, temperature: float) -> None:
        """Move mentions between the sub-entities of their entity."""
        chain = Level(self._features, self._of["sub"], pool=self._of["entity"])
        moves = Moves(settings.sub_bias, temperature, new=settings.new)
        chain.run(state, moves, _steps(settings, len(self._features)))
        self._of["sub"] = _numbered(chain.group)

    def _sample_entities(self, state: NDArray[np.uint64], settings: CrossDocumentSettings, temperature: float) -> None:
        """Move mentions, or whole sub-entities, between entities."""
        moves = Moves(settings.bias, temperature, new=settings.new, shared=settings.shared)
        entity, above = self._of["entity"], _first(self._of["entity"], self._of["super"])
        items, size, item = self._features, None, None
        if "sub" in settings.levels:
            item = self._of["sub"]
            items, size = self._features.summed(item), np.bincount(item)
            entity = _first(item, entity)
        informed = settings.shared > 0 and not settings.by_pairs
        chain = Level(items, entity, size=size, above=above, informed=informed, by_pairs=settings.by_pairs)
        chain.run(state, moves, _steps(settings, len(items)))
        group, beyond = chain.group, chain.above
        if item is not None:
            group, beyond = group[item], beyond[item]
        self._of["entity"], self._of["super"] = _numbered(group), _numbered(beyond)

    def _sample_super(self, state: NDArray[np.uint64], settings: CrossDocumentSettings, temperature: float) -> None:
        """Move entities between super-entities."""
        entity = self._of["entity"]
        items = self._features.summed(entity).unit()
        chain = Level(items, _first(entity, self._of["super"]), informed=settings.shared > 0)
        bias = max(settings.super_bias, settings.super_ratio * items.mean_product())
        moves = Moves(bias, temperature, new=settings.new, shared=settings.shared)
        chain.run(state, moves, _steps(settings, len(items)))
        self._of["super"] = _numbered(chain.group[entity])

    def table(self, *, has_sub: bool) -> pa.Table:
        """Return the partition with the groups as they are."""
        found = self._partition
        mention = found["mention"].to_numpy()
        if not has_sub:
            self._of["sub"] = np.arange(len(mention))
        for name, groups in self._of.items():
            at = found.column_names.index(name)
            found = found.set_column(at, found.schema.field(name), pa.array(smallest(groups, mention)))
        return found


def log_score(partition: pa.Table, settings: CrossDocumentSettings) -> float:
    """Return the log score of the entities of a table, but for a constant: twice Σ ψ over the pairs together."""
    features = features_of(partition, settings)
    entity = np.unique(partition["entity"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    return Level(features, entity).log_score(settings.bias)


def meeting_names(table: pa.Table, seed: int, round: int) -> NDArray[np.int64]:
    """Return for each mention the name under which its entity goes to the next round, the same in all partitions.

    Of the names near those of an entity, the one that comes first in an order that is another in each round: entities
    choose the same name with a probability that is the share of near names they have in common (Broder, 1997).
    """
    near = table["near"].combine_chunks()
    lengths = np.diff(near.offsets.to_numpy())
    names = near.flatten().to_numpy()
    entity = np.unique(table["entity"].to_numpy(), return_inverse=True)[1]
    salt = kernel_state(seed, "cross-document", "names", round)[0]
    number, n_known = number_densely(names)
    known = np.empty(n_known, np.int64)
    known[number] = names
    mixed = known.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ salt
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed, kind="stable")  # equal ones by the name, as they are numbered
    rank = np.empty(n_known, np.int64)
    rank[order] = np.arange(n_known)
    first = least_by(np.repeat(entity, lengths), rank[number], int(entity.max(initial=-1)) + 1, n_known)
    chosen = np.append(known[order], -1)[first]
    return chosen[entity]


def smallest(groups: NDArray[np.int64], mention: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each mention the smallest of its group."""
    _, of = np.unique(groups, return_inverse=True)
    least = np.full(int(of.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(least, of, mention)
    return least[of]


def _steps(settings: CrossDocumentSettings, n_items: int) -> int:
    return int(np.ceil(settings.per_mention * n_items))


def _numbered(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def _first(item: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each item, numbered from 0, the value of one of its mentions: they all have the same."""
    found = np.empty(int(item.max(initial=-1)) + 1, np.int64)
    found[item] = values
    return found
