"""Names held against a list of references, each of which is a thing of its own.

A name descends from one of the references, or from none. References do not descend and names do not copy each other, so
given how names change the choices are independent, and learning is plain EM: no order, no sampling.

    Pr(name descends from reference r) = κ·ratio(r) / (1 + Σ over references of κ·ratio)

with κ the odds that a name has a reference, over the number of references.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.progress import SILENT, Progress
from onoma.resolve.names.candidates import near_references
from onoma.resolve.names.mutation import Mutations, MutationSettings
from onoma.resolve.names.names import WordedNames

__all__ = ["ReferenceLinks", "link_names"]

_NEIGHBOURS = 20
_SETTINGS = MutationSettings(strength=40.0, patterns=0.0)
"""Each reference is a thing of its own: that others are like it is no reason to take names for strangers'."""
_LOW, _HIGH = 0.02, 0.98
"""Bounds of the share of names with a reference."""


@dataclass(frozen=True, eq=False)
class ReferenceLinks:
    """For each name the likeliest reference (-1: none is near), and how likely it is."""

    reference: NDArray[np.int64]
    probability: NDArray[np.float64]
    share: float
    """The share of names that have a reference, as learnt."""


def link_names(
    references: Sequence[str],
    names: Sequence[str],
    *,
    n_rounds: int = 8,
    settings: MutationSettings | None = None,
    progress: Progress = SILENT,
) -> ReferenceLinks:
    """Find the reference that each name descends from, learning from both lists how names change.

    Examples
    --------
    >>> links = link_names(["Ada Lovelace", "Alan Turing", "Grace Hopper"], ["Turing, Alan M.", "A. Lovelace"])
    >>> links.reference.tolist()
    [1, 0]
    """
    both = WordedNames.of([*references, *names])
    n, m = len(references), len(names)
    one, other = near_references(both, n, _NEIGHBOURS) if n and m else (np.zeros(0, np.int32), np.zeros(0, np.int32))
    if len(one) == 0:
        return ReferenceLinks(np.full(m, -1), np.zeros(m), 0.0)
    mutations = Mutations(both, one, other, settings=settings or _SETTINGS)
    share, chances = 0.5, np.zeros(len(one))
    with progress.task("learning how names change", total=n_rounds, unit="rounds") as task:
        for round_ in range(n_rounds):
            chances = _chances(mutations.log_ratios() + np.log(share / (1.0 - share) / n), other, n + m)
            linked = np.bincount(other, chances, n + m)[n:]
            share = float(np.clip((linked.sum() + 1.0) / (m + 2.0), _LOW, _HIGH))
            if round_ < n_rounds - 1:
                mutations.learn(chances, np.concatenate([np.ones(n), 1.0 - linked]))
            task.advance()
    return _likeliest(one, other - n, chances, m, share)


def _chances(log_weights: NDArray[np.float64], name: NDArray[np.int32], n: int) -> NDArray[np.float64]:
    """Return the probability of each pair, given that a name has one reference or none (log weight 0)."""
    most = np.zeros(n)
    np.maximum.at(most, name, log_weights)
    weights = np.exp(log_weights - most[name])
    return weights / (np.bincount(name, weights, n) + np.exp(-most))[name]


def _likeliest(
    reference: NDArray[np.int32], name: NDArray[np.int32], chances: NDArray[np.float64], m: int, share: float
) -> ReferenceLinks:
    found, probability = np.full(m, -1, dtype=np.int64), np.zeros(m)
    order = np.argsort(chances, kind="stable")
    found[name[order]] = reference[order]  # the last one written is the likeliest
    probability[name[order]] = chances[order]
    return ReferenceLinks(found, probability, share)
