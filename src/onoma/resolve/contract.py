"""The contract of a model: what it is given, what it gives back, and how it says what it can do.

    model.fit(problem, settings, run) -> Posterior

A `Problem` is records as prepared fields, with what is known of them; the settings are the model's own, a frozen
dataclass whose fields have defaults; a `RunContext` is how to work: seed, progress, a way to be stopped, a place to go
on from, someone who carries partitions. A `Posterior` is a clustering with how sure it is, and in `details` what the
model really has to say beside it: `PairEvidence`, `Trees`, a `Lineage`, or nothing.

A model says what it honours twice over, and `onoma.resolve.registry.check` holds it to that before any work: by its
`capabilities`, and by the fields of its settings (a model whose settings have no `samples` refuses `--samples`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.blocking.canopies import Candidates
from onoma.resolve.comparison.given import GivenWeights
from onoma.resolve.comparison.recomparison import LearntComparison
from onoma.resolve.comparison.weights import Evidence, Weights
from onoma.resolve.fields.field import FieldData
from onoma.resolve.posterior.checkpoint import Checkpoint
from onoma.resolve.posterior.copying import Draws
from onoma.resolve.posterior.judgements import NO_JUDGEMENTS, Judged
from onoma.resolve.posterior.samples import Roots
from onoma.resolve.report.entity_tree import EntityTree

__all__ = [
    "Capability",
    "Carry",
    "Clock",
    "Lineage",
    "Model",
    "PairEvidence",
    "Pairs",
    "Posterior",
    "Problem",
    "RunContext",
    "Trees",
    "pairs_with_first",
]


class Capability(StrEnum):
    """What a model can be asked for."""

    LINK = "link"
    """Join records of different sources only."""
    ONE_TO_ONE = "one_to_one"
    """When linking two sources, let an entity have at most one record of each."""
    MANY_SOURCES = "many_sources"
    """The same between more than two sources."""
    BLOCK = "block"
    """Hold apart records of different blocks."""
    EXTRA_PAIRS = "also_compare"
    """Compare pairs that blocking would not find."""
    BLOCKING_RULES = "block_on"
    """The same of pairs that a condition holds of."""
    MUST_LINK = "must_link_on"
    """Hold together pairs that a condition holds of."""
    CANNOT_LINK = "cannot_link_on"
    """Hold apart pairs that a condition holds of."""
    LABELS = "labels"
    """Learn from the true entities of some records."""
    WEIGHTS = "weights"
    """Take weights of agreement instead of learning them."""
    RESUME = "resume"
    """Go on from where a run was stopped."""
    PARTITIONS = "partitions"
    """Sample in partitions, carried by an execution backend."""
    FOLD = "fold"
    """Do without rows that repeat others in every field."""
    INCREMENTAL = "incremental"
    """Take new records into a knowledge base without resolving all anew."""
    JUDGEMENTS = "judgements"
    """Heed what people say of pairs."""
    EXPLAIN = "explain"
    """Say field by field why two records are, or are not, the same."""


class Carry(Protocol):
    """Who brings rows of one `super` together, works on each partition, and gives the rows back in order."""

    @property
    def n_partitions(self) -> int:
        """How many partitions there are."""

    def __call__(self, rows: pa.Table, function: Callable[[pa.Table, int], pa.Table], schema: pa.Schema) -> pa.Table:
        """Return what the function gives, ordered by `mention`; rows have `mention`, `entity` and `super`."""

    def rounds(
        self,
        rows: pa.Table,
        step: Callable[..., pa.Table],
        settings: object,
        *,
        n_rounds: int,
        n_done: int = 0,
        stop: Stop = NEVER,
    ) -> tuple[pa.Table, int]:
        """Run rounds of a step, entities placed anew before each; return the rows and how many rounds are done."""


class Clock:
    """How long each part of the work took."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        """Seconds of each part."""
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Note that a part ends here."""
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Records, and what is known of them."""

    fields: Sequence[FieldData]
    """At least one field."""
    source: NDArray[np.int32] | None = None
    """The source of each record."""
    link: bool = False
    """Join records of different sources only."""
    one_to_one: bool = False
    """When linking, let an entity have at most one record of each source."""
    block: NDArray[np.int32] | None = None
    """Only records of one block can be the same."""
    extra: NDArray[np.int64] | None = None
    """Keys a·n + b (a < b) of pairs to compare besides those found."""
    labels: NDArray[np.int64] | None = None
    """For each record its true entity; -1: not known. None: nothing is known."""
    weights: GivenWeights | None = None
    """User-supplied weights, instead of learning them."""
    judged: Judged = NO_JUDGEMENTS
    """Pairs that are surely the same, or surely different; the former are in `extra`, with all that follow."""

    @property
    def n(self) -> int:
        """How many records there are."""
        return len(self.fields[0].codes)

    @property
    def apart(self) -> int:
        """1: only records of different sources are compared; 0: any."""
        return 1 if self.link and self.source is not None else 0


@dataclass(frozen=True, eq=False, kw_only=True)
class RunContext:
    """How to work."""

    seed: int = 0
    progress: Progress = SILENT
    stop: Stop = NEVER
    """May ask the model to end early, with the answer it has so far."""
    resume: Checkpoint | None = None
    """Where a run on the same problem with the same settings was stopped."""
    carry: Carry | None = None
    """Who samples in partitions; None: all is sampled here."""
    clock: Clock = field(default_factory=Clock)


class Pairs(NamedTuple):
    """Pairs of records, in order, each with the probability that both are one entity."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    probability: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """What pairs of records share, and what that weighs."""

    evidence: Evidence
    """The pairs compared, level by level."""
    weights: Weights
    draws: Draws
    """How often each pair was copied, related and together."""
    candidates: Candidates
    comparisons: tuple[LearntComparison, ...] = ()
    """Of fields that were not compared by the rules of their kind."""
    n_cut: int = 0
    """Plausible pairs left out so that records could be sampled in partitions."""
    leader: NDArray[np.int64] | None = None
    """For each record the one it follows because it says the same, itself if it was compared; None: all were."""
    things: tuple[NDArray[np.float64], ...] = ()
    """By field, how many things have each value, where its rarity was counted so; none: in records."""
    is_used: bool = True
    """False: the weights describe the entities that were found; the model found them by other means."""


@runtime_checkable
class Trees(Protocol):
    """Entities as trees of sub-entities."""

    @property
    def shared(self) -> PairEvidence:
        """What records of one entity share: told for explanations, not used."""

    def nodes(self, ids: pa.Array | pa.ChunkedArray) -> pa.Table | None:
        """Return one row for each node; None if the trees stayed where they grew."""

    def tree(self, row: int, ids: pa.Array | pa.ChunkedArray) -> EntityTree | None:
        """Return the tree of a row's entity."""


@dataclass(frozen=True, eq=False)
class Lineage:
    """Which record's name descends from which."""

    parent: NDArray[np.int32]
    child: NDArray[np.int32]
    probability: NDArray[np.float64]
    """That the child's name comes from the parent's, directly."""

    def table(self, ids: pa.Array | pa.ChunkedArray, floor: float = 0.01) -> pa.Table:
        """Return the likelier descents: parent, child, probability."""
        kept = np.flatnonzero(self.probability >= floor)
        ids = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
        ends = {name: ids.take(pa.array(getattr(self, name)[kept])) for name in ("parent", "child")}
        return pa.table(ends | {"probability": self.probability[kept]})


Details = PairEvidence | Trees | Lineage | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Posterior:
    """What a model found out: who is who, and how sure that is."""

    clustering: Clustering
    """The clustering to report."""
    probability: NDArray[np.float64]
    """For each record, that it belongs where it is."""
    pairs: Pairs
    """What is stated of pairs; one that is not listed is hardly one entity, or was never looked at."""
    samples: Roots | None = None
    """By sample and record, one record of its entity; None: the model has one answer."""
    n_entities: NDArray[np.int64] | None = None
    """In each sample, how many there were."""
    details: Details = None
    state: Checkpoint | None = None
    """Where the run stood, if it was stopped before its end and can go on."""
    is_cut_short: bool = False
    """It was stopped before its end, and cannot go on from there."""
    so_far: str = ""
    """What the answer of a run is that was stopped: `the answer of 12 samples of 100`."""
    notes: tuple[str, ...] = ()
    """What people should know."""
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """How many samples the answer rests on."""
        return 0 if self.n_entities is None else len(self.n_entities)

    @cached_property
    def weighed(self) -> PairEvidence | None:
        """What pairs share and what that weighs, if the model has it."""
        if isinstance(self.details, PairEvidence):
            return self.details
        return self.details.shared if isinstance(self.details, Trees) else None


class Model(Protocol):
    """A model of who is who."""

    name: ClassVar[str]
    """What it is called on the command line."""
    settings: ClassVar[type[Any]]
    """Its own settings: a frozen dataclass whose fields have defaults."""
    capabilities: ClassVar[frozenset[Capability]]
    conflicts: ClassVar[tuple[frozenset[str], ...]]
    """Options that it takes, but not together."""
    summary: ClassVar[str]
    """One line for help texts."""

    def fit(self, problem: Problem, settings: Any, run: RunContext) -> Posterior:  # noqa: ANN401 (of its own type)
        """Find out who is who."""


def pairs_with_first(clustering: Clustering, probability: NDArray[np.float64]) -> Pairs:
    """Return each record with the first of its entity; a pair is as sure as the less sure of the two.

    Examples
    --------
    >>> pairs_with_first(Clustering.from_labels([0, 0, 1, 0]), np.array([1.0, 0.9, 1.0, 0.8]))
    Pairs(a=array([0, 0], dtype=int32), b=array([1, 3], dtype=int32), probability=array([0.9, 0.8]))
    """
    labels, n = clustering.labels, len(clustering)
    first = np.full(clustering.n_entities, n)
    np.minimum.at(first, labels, np.arange(n))
    follows = np.flatnonzero(first[labels] != np.arange(n))
    order = np.lexsort((follows, first[labels[follows]]))
    a, b = first[labels[follows[order]]].astype(np.int32), follows[order].astype(np.int32)
    return Pairs(a, b, np.minimum(probability[a], probability[b]))
