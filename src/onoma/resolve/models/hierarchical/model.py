"""The hierarchical model: entities are trees of sub-entities, for mentions of people in ever new company.

What trees score is learnt without labels or by SampleRank (`run.py`); the samples say how sure each record is of its
place. What records of one entity share is told as weights of pairs, so that a decision can be looked at field by field;
the trees themselves do not use it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.progress import Heard
from onoma.resolve.comparison.choice import equal_pairs
from onoma.resolve.comparison.gathering import CONTRAST_LEVELS
from onoma.resolve.comparison.given import field_names
from onoma.resolve.comparison.weights import Evidence, WeightSettings
from onoma.resolve.contract import Capability, PairEvidence, Pairs, Posterior, Problem, RunContext
from onoma.resolve.models.hierarchical.grow import GrownTrees, TreeEntities, grow_records, tree_columns
from onoma.resolve.models.hierarchical.learning import FEWEST
from onoma.resolve.models.hierarchical.partitions import sample_trees
from onoma.resolve.models.hierarchical.run import in_company
from onoma.resolve.posterior.pairs import gather
from onoma.resolve.report.entity_tree import EntityTree

__all__ = ["HIERARCHICAL", "EntityTrees", "Hierarchical", "HierarchicalSettings"]


@dataclass(frozen=True, kw_only=True)
class HierarchicalSettings:
    """How many samples say how sure it is, and how what entities share is counted."""

    samples: int = 20
    weights: WeightSettings = field(default_factory=WeightSettings)


@dataclass(frozen=True, eq=False)
class EntityTrees:
    """The trees, as the contract has them."""

    grown: GrownTrees | None
    """None: they stayed in the partitions that grew them."""
    shared: PairEvidence

    def nodes(self, ids: pa.Array | pa.ChunkedArray) -> pa.Table | None:
        """Return one row for each node: node, parent, entity, size, record (of a leaf), name, words."""
        return None if self.grown is None else self.grown.nodes(ids)

    def tree(self, row: int, ids: pa.Array | pa.ChunkedArray) -> EntityTree | None:
        """Return the tree of a row's entity."""
        return None if self.grown is None else self.grown.tree(row, ids)


class Hierarchical:
    """Entities as trees."""

    name: ClassVar = "hierarchical"
    summary: ClassVar = "mentions of people in ever new company; entities as trees of sub-entities"
    settings: ClassVar = HierarchicalSettings
    capabilities: ClassVar = frozenset(
        {
            Capability.BLOCK,
            Capability.LABELS,
            Capability.PARTITIONS,
            Capability.EXPLAIN,
        }
    )
    conflicts: ClassVar = (frozenset({"partitions", "labels"}),)

    def fit(self, problem: Problem, settings: HierarchicalSettings, run: RunContext) -> Posterior:
        """Grow trees; the pairs that are told are each record with the first of its entity."""
        if problem.labels is not None:
            _check_labels(problem.labels)
        heard, grown = Heard(run.stop), None
        trees: TreeEntities
        if run.carry is None:
            trees = grown = grow_records(
                problem.fields,
                problem.block,
                labels=problem.labels,
                n_samples=settings.samples,
                seed=run.seed,
                progress=run.progress,
                stop=heard,
            )
        else:
            columns = tree_columns(problem.fields, problem.block)
            trees = sample_trees(columns, n_samples=settings.samples, seed=run.seed, carry=run.carry)
        run.clock.lap("sampling")
        shared = _shared(trees, problem, settings, run)
        run.clock.lap("comparison")
        return Posterior(
            clustering=trees.clustering,
            probability=trees.probability,
            pairs=Pairs(shared.evidence.a, shared.evidence.b, shared.draws.together),
            samples=trees.roots,
            n_entities=shared.draws.n_entities,
            details=EntityTrees(grown, shared),
            is_cut_short=heard.is_asked,
            so_far="the answer of the rounds so far",
            seconds=run.clock.laps,
        )


HIERARCHICAL = Hierarchical()


def _check_labels(labels: NDArray[np.int64]) -> None:
    """Refuse labels that are too few to be learnt from: they would be left aside."""
    n = int(np.count_nonzero(in_company(labels) >= 0))
    if n < FEWEST:
        raise DataError(
            f"{n:,} rows have a label that another row has, too; trees learn from at least {FEWEST}",
            hint="Label more rows, or use the model copying or pairwise.",
        )


def _shared(trees: TreeEntities, problem: Problem, settings: HierarchicalSettings, run: RunContext) -> PairEvidence:
    """Return what records of one entity share."""
    candidates = equal_pairs(trees.clustering.labels)
    evidence = gather(problem, candidates, run)
    weights = trees.weights(evidence, _names(problem, evidence), settings.weights)
    return PairEvidence(evidence, weights, trees.draws(evidence), candidates, is_used=False)


def _names(problem: Problem, evidence: Evidence) -> list[tuple[str, Sequence[str]]]:
    return field_names(problem.fields, CONTRAST_LEVELS, evidence)
