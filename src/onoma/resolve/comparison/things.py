"""Values are as rare as the things that have them, not as their records.

In the model a stranger's values are drawn as those of *fresh* records are, the first of their things; what copies say
was copied. Where things have many records each, counting records makes common what one thing has: the title of a paper
that is cited by every third row would say next to nothing. So each record counts by how likely it is fresh,

    1 - Σ_p w_ip / (1 + w_ip + ½ Σ_{q≠p} w_iq) / 2,    with w the weights of its pairs,

which sums to one over a thing of any size. That needs weights, and weights need rarity: they are found in turn, from
counts of records on, until hardly a record changes its mind. Relatives are things of their own, and count in full.

Where things have a record or two, nothing changes, for a value has as large a part of the things as of the records.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.comparison.compare import shares_of_values
from onoma.resolve.comparison.weight_learning import chance_to_choose
from onoma.resolve.comparison.weights import Evidence, Weights, edge_weights
from onoma.resolve.fields.field import FieldData

__all__ = [
    "BEGIN",
    "GO_ON",
    "MOST_RECORDS",
    "ROUNDS",
    "Things",
    "count_fresh",
    "count_things",
    "counted_anew",
    "moved",
    "with_things",
]

Floats = NDArray[np.float64]
Things = tuple[Floats, ...]
"""By field, how many things have each value."""
MOST_RECORDS = 100_000
"""Records of the largest table in which things are counted: beyond, weights are learnt from a part, once."""
ROUNDS = 5
"""How often weights are learnt again at most: what is found in one round shows the next, of a tenth as many records."""
BEGIN, GO_ON = 0.01, 0.001
"""Records that find an origin, or lose it, as a part of all, from which on weights are learnt again a first time, and
once more. Where things have a record or two they are fewer than one in a hundred, and nothing is gained."""


def count_fresh(evidence: Evidence, weights: Weights) -> Floats:
    """Return for each record how likely it is fresh: no copy of another."""
    copy, relative = edge_weights(evidence, weights)
    z, n = copy + relative, evidence.n
    rivals = np.asarray(np.bincount(evidence.a, z, n) + np.bincount(evidence.b, z, n), dtype=np.float64)
    fresh = np.ones(n)
    for end in (evidence.a, evidence.b):
        fresh -= np.bincount(end, copy * chance_to_choose(evidence, z, rivals, end), n)
    return np.clip(fresh, 0.0, 1.0)


def moved(before: Floats, after: Floats) -> float:
    """Return how many records find an origin, or lose it, as a part of all."""
    return float(np.abs(after - before).mean())


def count_things(fields: Sequence[FieldData], fresh: Floats) -> Things:
    """Return, by field, how many things have each value: one at least, if a record has it."""
    found = []
    for field in fields:
        known = field.codes >= 0
        things = np.bincount(field.codes[known], fresh[known], len(field.counts))
        found.append(np.maximum(things, np.minimum(field.counts, 1)))
    return tuple(found)


def with_things(fields: Sequence[FieldData], things: Things) -> list[FieldData]:
    """Return the fields, their values as rare as the things that have them."""
    return [replace(field, things=counted) for field, counted in zip(fields, things, strict=True)]


def counted_anew(evidence: Evidence, fields: Sequence[FieldData]) -> Evidence:
    """Return the evidence with values as rare as these fields have them."""
    return replace(evidence, log_share=shares_of_values(fields, evidence.a, evidence.levels))
