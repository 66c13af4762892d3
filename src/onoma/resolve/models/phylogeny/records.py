"""Records resolved by one name and its context: the phylogeny told in the words of the other models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.progress import SILENT, Progress
from onoma.resolve.contract import Capability, Lineage, Pairs, Posterior, Problem, RunContext
from onoma.resolve.fields.field import FieldData
from onoma.resolve.models.phylogeny.mentions import Mentions
from onoma.resolve.models.phylogeny.model import NameModel, Phylogeny, PhylogenySettings
from onoma.resolve.models.phylogeny.topics import find_topics, tokens_of
from onoma.resolve.posterior.consensus import find_consensus
from onoma.resolve.posterior.copying import Draws

__all__ = ["PHYLOGENY", "NamePhylogeny", "NamePhylogenySettings", "name_draws", "name_fields"]

_NAMES = ("person", "organisation", "place", "text")
"""Kinds of fields that may be the name, the best first."""
_ONE_WORD = 1.3
"""Words in a value, on average, up to which it is a part of a name."""


@dataclass(frozen=True, kw_only=True)
class NamePhylogenySettings:
    """How long names are sampled, and what errors cost."""

    merge_cost: float = 0.5
    """Cost of a pair wrongly together; 1 - merge_cost is that of a pair wrongly apart."""
    samples: int = 100
    burn_in: int = PhylogenySettings.n_burn_in
    neighbours: int | None = PhylogenySettings.neighbours
    """Names that each is held against; None: all others."""
    root_weight: float = 0.0
    """Added to the log weight of coming from nowhere: above 0 more entities, below 0 fewer."""


class NamePhylogeny:
    """Names that descend from names; other fields are looked at only as context."""

    name: ClassVar = "phylogeny"
    summary: ClassVar = "names that descend from names"
    settings: ClassVar = NamePhylogenySettings
    capabilities: ClassVar = frozenset({Capability.BLOCK})
    conflicts: ClassVar[tuple[frozenset[str], ...]] = ()

    def fit(self, problem: Problem, settings: NamePhylogenySettings, run: RunContext) -> Posterior:
        """Learn how names change, sample who descends from whom, agree."""
        effort = PhylogenySettings(
            seed=run.seed,
            n_samples=settings.samples,
            n_burn_in=settings.burn_in,
            neighbours=settings.neighbours,
            root_weight=settings.root_weight,
        )
        found = name_draws(problem.fields, block=problem.block, settings=effort, progress=run.progress)
        run.clock.lap("sampling")
        pairs, draws = found.pairs, found.draws
        consensus = find_consensus(
            problem.n, pairs.a, pairs.b, draws.together, draws.roots, threshold=settings.merge_cost
        )
        run.clock.lap("consensus")
        return Posterior(
            clustering=consensus.clustering,
            probability=consensus.probability,
            pairs=pairs,
            samples=draws.roots,
            n_entities=draws.n_entities,
            details=found.lineage,
            seconds=run.clock.laps,
        )


PHYLOGENY = NamePhylogeny()


class NameDraws(NamedTuple):
    """What was sampled of names, one node a record."""

    pairs: Pairs
    draws: Draws
    lineage: Lineage


def name_fields(fields: Sequence[FieldData]) -> list[FieldData]:
    """Return the fields that name a record: of the first kind there is, the fullest, or all where each has one word."""
    for kind in _NAMES:
        named = [field for field in fields if field.kind == kind]
        if named:
            fullest = max(named, key=_mean_words)
            return [fullest] if _mean_words(fullest) > _ONE_WORD else named
    raise SettingsError(
        f"the phylogeny needs a name; the fields are {', '.join(f'{field.name} ({field.kind})' for field in fields)}",
        hint="Say which column is one: --field COLUMN=person.",
    )


def _mean_words(field: FieldData) -> float:
    words = [value.count(" ") + 1 for value in field.values]
    return float(np.average(words, weights=field.counts)) if words else 0.0


def name_draws(
    fields: Sequence[FieldData],
    *,
    block: NDArray[np.int32] | None = None,
    settings: PhylogenySettings | None = None,
    progress: Progress = SILENT,
) -> NameDraws:
    """Resolve records by their names; fields of text are context.

    Parameters
    ----------
    block
        Only records of one block can be the same.
    """
    named = name_fields(fields)
    names = [" ".join(filter(None, parts)) for parts in zip(*map(_texts, named), strict=True)]
    kinds = None if block is None else [str(number) for number in block.tolist()]
    mentions = Mentions(names, kinds, topics=_topics(fields, named, settings), is_apart=True)
    model = NameModel(mentions, settings or PhylogenySettings())
    model.learn(progress=progress)
    return _told(model.sample(progress=progress))


def _texts(field: FieldData) -> list[str]:
    return ["" if code < 0 else field.examples[code] for code in field.codes.tolist()]


def _topics(
    fields: Sequence[FieldData], named: Sequence[FieldData], settings: PhylogenySettings | None
) -> NDArray[np.int32] | None:
    context = [_texts(field) for field in fields if field.kind == "text" and field not in named]
    if not context:
        return None
    texts = [" ".join(parts) for parts in zip(*context, strict=True)]
    return find_topics(tokens_of(texts), seed=settings.seed if settings else 0).most


def _told(phylogeny: Phylogeny) -> NameDraws:
    """Tell a phylogeny, one node a record, as pairs in order and as draws."""
    pairs, descent, place = phylogeny.pairs, phylogeny.descent, phylogeny.nodes.place
    record = np.empty(len(place), dtype=np.int32)
    record[place] = np.arange(len(place), dtype=np.int32)
    one, other = record[pairs.a], record[pairs.b]
    a, b = np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((b, a))
    directed = descent.descended.reshape(-1, 2)
    copied = directed.sum(1)[order]
    together = descent.together[order]
    roots = record[descent.roots[:, place]]
    draws = Draws(descent.n_sweeps, copied, np.zeros(len(a)), together, together, descent.n_entities, roots)
    return NameDraws(Pairs(a[order], b[order], together), draws, _lineage(phylogeny, record, directed))


def _lineage(phylogeny: Phylogeny, record: NDArray[np.int32], directed: NDArray[np.float64]) -> Lineage:
    """Return who descends from whom: of each pair, the second from the first and the first from the second."""
    pairs = phylogeny.pairs
    one, other = record[pairs.a], record[pairs.b]
    parent, child = np.stack([one, other], axis=1).ravel(), np.stack([other, one], axis=1).ravel()
    order = np.lexsort((parent, child))
    return Lineage(parent[order], child[order], directed.ravel()[order])
