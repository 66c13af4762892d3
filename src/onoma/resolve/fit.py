"""What a model of records is given, and what it found out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from onoma.progress import Progress, Stop
from onoma.resolve.blocking.canopies import Candidates
from onoma.resolve.comparison.choice import Supervision
from onoma.resolve.comparison.gathering import CONTRAST_LEVELS, gather_evidence
from onoma.resolve.comparison.given import field_names
from onoma.resolve.comparison.recomparison import LearntComparison
from onoma.resolve.comparison.weights import Evidence, Weights
from onoma.resolve.fields.field import FieldData
from onoma.resolve.model_settings import ModelSettings
from onoma.resolve.models.hierarchical.fields import GrownTrees
from onoma.resolve.posterior.consensus import Consensus
from onoma.resolve.posterior.copying import Draws
from onoma.resolve.posterior.sampling import Stopped

__all__ = ["Clock", "Fit", "Material"]


@dataclass(frozen=True, eq=False)
class Fit:
    """Everything the model found out."""

    evidence: Evidence
    weights: Weights
    draws: Draws
    consensus: Consensus
    candidates: Candidates
    seconds: dict[str, float]
    stopped: Stopped | None = None
    """Where the chain stood, if it was stopped before its end."""
    is_cut_short: bool = False
    """It was stopped before its end, and cannot go on from there."""
    trees: GrownTrees | None = None
    """The trees of the hierarchical model."""
    comparisons: tuple[LearntComparison, ...] = ()
    """Of fields that were not compared by the rules of their kind."""
    n_cut: int = 0
    """Plausible pairs left out so that records could be sampled in partitions."""
    notes: tuple[str, ...] = ()
    """What the model made of the fields, where that should be said."""


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


@dataclass(frozen=True, eq=False)
class Material:
    """The records, what is known of them, and how to work."""

    fields: Sequence[FieldData]
    source: NDArray[np.int32] | None
    block: NDArray[np.int32] | None
    supervision: Supervision
    settings: ModelSettings
    progress: Progress
    stop: Stop
    clock: Clock = field(default_factory=Clock)

    @property
    def apart(self) -> int:
        """1: only records of different sources are compared; 0: any."""
        return 1 if self.settings.link and self.source is not None else 0

    def gather(self, candidates: Candidates) -> Evidence:
        """Compare the candidates."""
        return gather_evidence(
            self.fields,
            candidates,
            self.source,
            self.block,
            self.apart,
            seed=self.settings.seed,
            settings=self.settings.canopies,
            progress=self.progress,
        )

    def names(self, evidence: Evidence) -> list[tuple[str, Sequence[str]]]:
        """Return what the fields and their levels are called."""
        return field_names(self.fields, CONTRAST_LEVELS, evidence)
