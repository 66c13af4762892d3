"""Fields compared by how names change, where that tells more than the rules of their kind.

A first look with the rules says which records are probably copies, and the mutation model of names is learnt from
those, field by field. Whether it compares a field better is asked of the other fields: sampled without the field in
question, they say how likely each candidate pair is one entity, and that comparison is the better one whose levels tell
more about it. With r the probability of a pair by the other fields and p(ℓ) the mean r of the pairs at level ℓ, a
comparison tells

    Σ over pairs of  r·log p(ℓ) + (1 − r)·log(1 − p(ℓ))

No labels are used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onoma.progress import SILENT, Progress
from onoma.resolve.comparison.compare import compare_records
from onoma.resolve.comparison.swaps import mark_swaps
from onoma.resolve.comparison.weights import Evidence, Weights, edge_weights
from onoma.resolve.fields.field import FieldData
from onoma.resolve.posterior.copying import CopyingSampler, Draws
from onoma.resolve.posterior.linking import LinkingSampler

if TYPE_CHECKING:
    from onoma.resolve.names.fields import MutationComparison

__all__ = ["LearntComparison", "compared_anew", "comparisons_note", "learn_comparisons", "told"]

_KINDS = ("person", "organisation", "place", "text")
"""Kinds whose values are words."""
_MOST_WORDS = 20
_FEWEST = 20
"""Distinct values from which on there is something to learn."""
_N_SETTLE, _N_GLANCES = 10, 20
"""Sweeps until a sampler has settled, and those that are looked at."""


@dataclass(frozen=True, eq=False)
class LearntComparison:
    """How a field is better compared, and by how much: what the levels tell of all there is to tell."""

    field: str
    comparison: "MutationComparison"
    by_kind: float
    by_mutation: float


def learn_comparisons(
    fields: Sequence[FieldData], evidence: Evidence, weights: Weights, *, seed: int, progress: Progress = SILENT
) -> list[LearntComparison]:
    """Return better comparisons for the fields for which there are any.

    Parameters
    ----------
    fields
        The fields, as their kinds compare them.
    evidence, weights
        Of a first look.
    seed
        Of the samplers.
    """
    from onoma.resolve.names.fields import learn_mutations  # much to load, for those who ask for it alone

    copied = _glance(evidence, weights, seed).copied
    found = []
    worded = [f for f, field in enumerate(fields) if _is_worded(field)]
    with progress.task("learning how values change", total=len(worded), unit="fields") as task:
        anew = dict(
            zip(worded, (learn_mutations(fields[f], evidence.a, evidence.b, copied) for f in worded), strict=True)
        )
        levels = _levels(fields, anew, evidence)
        for f, comparison in anew.items():
            together = _glance(_without(evidence, f), weights, seed).together
            by_kind, by_mutation = (told(each[:, f], together) for each in (evidence.levels, levels))
            if by_mutation > by_kind:
                found.append(LearntComparison(fields[f].name, comparison, by_kind, by_mutation))
            task.advance()
    return found


def compared_anew(fields: Sequence[FieldData], learnt: Sequence[LearntComparison]) -> list[FieldData]:
    """Return the fields with the comparisons learnt."""
    better = {each.field: each.comparison for each in learnt}
    return [replace(field, comparison=better.get(field.name, field.comparison)) for field in fields]


def comparisons_note(learnt: Sequence[LearntComparison]) -> str:
    """Say which fields are compared by how values change, and why."""
    shown = ", ".join(f"{each.field} (tells {each.by_mutation:.0%}, not {each.by_kind:.0%})" for each in learnt)
    return f"compared by how values change, which tells more of what the other fields say: {shown}"


def told(levels: NDArray[np.int8], together: NDArray[np.float64]) -> float:
    """Return the share of what there is to know about pairs with unequal values that their levels tell.

    Examples
    --------
    >>> round(told(np.array([1] * 50 + [2] * 50, np.int8), np.array([1.0] * 50 + [0.0] * 50)), 2)
    0.91
    """
    unequal = levels > 0
    if not unequal.any():
        return 0.0
    yes = np.bincount(levels[unequal], together[unequal]).astype(np.float64) + 0.5
    no = np.bincount(levels[unequal], 1.0 - together[unequal]).astype(np.float64) + 0.5
    return 1.0 - _surprise(yes, no) / _surprise(yes.sum(keepdims=True), no.sum(keepdims=True))


def _surprise(yes: NDArray[np.float64], no: NDArray[np.float64]) -> float:
    """Return how many nats it takes to say which pairs are one entity, given how many of each group are."""
    every = yes + no
    return -float(np.sum(yes * np.log(yes / every) + no * np.log(no / every)))


def _is_worded(field: FieldData) -> bool:
    if field.kind not in _KINDS or len(field.values) < _FEWEST:
        return False
    return float(np.average([value.count(" ") + 1 for value in field.values], weights=field.counts)) <= _MOST_WORDS


def _levels(fields: Sequence[FieldData], anew: "dict[int, MutationComparison]", evidence: Evidence) -> NDArray[np.int8]:
    """Return the levels of the candidates by the new comparisons, and as they were in the other fields."""
    every = [replace(field, comparison=anew.get(f, field.comparison)) for f, field in enumerate(fields)]
    levels = evidence.levels.copy()
    chosen = list(anew)
    levels[:, chosen] = compare_records([every[f] for f in chosen], evidence.a, evidence.b)
    mark_swaps(every, evidence.a, evidence.b, levels)
    return levels


def _without(evidence: Evidence, f: int) -> Evidence:
    levels, log_share = evidence.levels.copy(), np.array(evidence.log_share)
    levels[:, f], log_share[:, f] = -1, 0.0
    return replace(evidence, levels=levels, log_share=log_share)


def _glance(evidence: Evidence, weights: Weights, seed: int) -> Draws:
    """Sample a little."""
    copy, relative = edge_weights(evidence, weights)
    if evidence.linking:
        links = LinkingSampler(evidence.n, evidence.a, evidence.b, seed=seed)
        links.run(copy, n_sweeps=_N_SETTLE)
        return links.run(copy, n_sweeps=_N_GLANCES)
    sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=seed)
    sampler.run(copy, relative, n_sweeps=_N_SETTLE)
    return sampler.run(copy, relative, n_sweeps=_N_GLANCES)
