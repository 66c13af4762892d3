"""Exact matching: what is equal in every field is one, and nothing else is. A point to compare other models with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.resolve.contract import Capability, Posterior, Problem, RunContext, pairs_with_first
from onoma.resolve.fields.field import FieldData

__all__ = ["EXACT_MATCH", "ExactMatch", "ExactMatchSettings", "equal_rows"]


@dataclass(frozen=True, kw_only=True)
class ExactMatchSettings:
    """There is nothing to set."""


class ExactMatch:
    """Hold together what is equal, and nothing else."""

    name: ClassVar = "exact-match"
    summary: ClassVar = "rows that are equal in every field, and nothing else"
    settings: ClassVar = ExactMatchSettings
    capabilities: ClassVar = frozenset({Capability.BLOCK, Capability.FOLD})
    conflicts: ClassVar[tuple[frozenset[str], ...]] = ()

    def fit(self, problem: Problem, settings: ExactMatchSettings, run: RunContext) -> Posterior:  # noqa: ARG002
        """Find the rows that are equal."""
        clustering = equal_rows(problem.fields, problem.block)
        probability = np.ones(len(clustering))
        run.clock.lap("comparison")
        pairs = pairs_with_first(clustering, probability)
        return Posterior(clustering=clustering, probability=probability, pairs=pairs, seconds=run.clock.laps)


EXACT_MATCH = ExactMatch()


def equal_rows(fields: Sequence[FieldData], block: NDArray[np.int32] | None = None) -> Clustering:
    """Cluster the records that are equal in every field, missing values included; one without any value is alone."""
    n = len(fields[0].codes)
    labels = np.zeros(n, dtype=np.int64) if block is None else block.astype(np.int64)
    filled = np.zeros(n, dtype=np.bool_)
    for field in fields:
        filled |= field.codes >= 0
        keys = labels * (len(field.values) + 1) + field.codes + 1
        labels = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return Clustering.from_labels(np.where(filled, labels, labels.max(initial=0) + 1 + np.arange(n)))
