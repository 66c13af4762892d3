"""Weights that other tables have taught: for tables in which one field says nearly all there is to say.

With one telling field there is nothing to learn from: what copies share can only be told from what strangers share by
another field that agrees or does not. So nothing is. The telling field is compared by likeness, whose levels have log
odds learnt from other tables (`fields/kinds/likeness.py`); only how many of the candidates are the same is estimated,
with care. What other fields there are weigh as copies usually agree (`noise.py`) against how strangers agree here. Log
odds are those of candidates, so strangers are candidates, too: that two places lie in one country says little if most
places that are compared do.

The levels keep their meaning as shares: with u the shares among strangers, those of copies are m = u · odds / κ, where
κ = Σ u · odds is the prior weight of a pair.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.resolve.blocking.canopies import find_candidates
from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.weights import COPIED, FRESH, RELATED, Evidence, Weights, WeightSettings
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds.likeness import LARGEST, LikenessComparison, likeness_model

__all__ = ["FEW_THE_SAME", "count_in_part", "taught_share", "taught_weights"]

FEW_THE_SAME = 0.4
"""What is joined by weights learnt here is joined by what a family shares where less of it is the same thing by what
other tables teach (`taught_share`). Of 31 development tables and parts with a title beside other fields where that is
less, weights that are taught are better on 30 and as good on one (mean pairwise F1 .19 → .30); of 48 where it is more,
learnt ones are on 33. The gap is .37 to .40; without the shop at its lower edge .36 to .40, without the songs at its
upper .37 to .43."""
_FEWEST_JOINED = 10
"""Pairs that are enough to say that."""


def count_in_part(field: FieldData, *, seed: int) -> NDArray[np.int64] | None:
    """Return how many candidates of a part of a large table are at each level after the first; None: it is small.

    Two records of a part are one thing as often as any two of the table. But each record has the nearest of so many
    others as candidates, and those of a large table are nearer than what likeness was learnt from.

    Parameters
    ----------
    field
        The field compared by likeness.
    seed
        Of the choice of records.
    """
    if len(field.codes) <= LARGEST:
        return None
    rows = stream(seed, "taught").choice(len(field.codes), LARGEST, replace=False)
    filled = field.codes[np.sort(rows)]
    known, codes, counts = np.unique(filled[filled >= 0], return_inverse=True, return_counts=True)
    values = [field.values[each] for each in known.tolist()]
    comparison = LikenessComparison(values, counts)
    part = replace(
        field,
        codes=codes.astype(np.int32),
        values=values,
        examples=values,
        counts=counts.astype(np.int64),
        comparison=comparison,
    )
    found = find_candidates([part])
    one, other = part.codes[found.a], part.codes[found.b]
    differ = one != other
    return count_levels(comparison.compare(one[differ], other[differ]), len(comparison.levels))


def count_levels(levels: NDArray[np.int8], n_levels: int) -> NDArray[np.int64]:
    """Return how many pairs are at each level after the first."""
    return np.bincount(levels[levels > 0] - 1, minlength=n_levels - 1)


def taught_share(field: FieldData, evidence: Evidence, f: int, labels: NDArray[np.int64], *, seed: int) -> float | None:
    """Return how many of the pairs that are together are the same thing by what other tables teach, or None.

    Weights learnt in a table without sources or with few duplicates may settle on its families: of a shop, what one
    brand makes is alike in every column, and decoys, made of rows that are apart, do not show it. What other tables
    teach of titles as like as these does.

    Parameters
    ----------
    field, f
        The field compared by likeness, and its place among the fields; its weights are learnt.
    labels
        The entity of each record.
    seed
        Of the part of a large table in which candidates are counted.
    """
    from scipy.special import expit  # slow to load, and few tables need it

    level, model = evidence.levels[:, f].astype(np.int64), likeness_model()
    together = level[(labels[evidence.a] == labels[evidence.b]) & (level >= 0)]
    if len(together) < _FEWEST_JOINED:
        return None
    log_odds = model.level_log_odds()
    seen = count_in_part(field, seed=seed)
    if seen is None:
        seen = count_levels(evidence.levels[:, f], len(log_odds))
    log_odds[1:] += model.shift(seen, evidence.n, float(evidence.words[f]))
    return float(expit(log_odds)[together].mean())


def taught_weights(evidence: Evidence, settings: WeightSettings) -> Weights:
    """Return the weights of a table with one telling field, without learning."""
    from scipy.special import expit  # slow to load, and few tables need it

    f, none, model = evidence.taught, np.zeros(len(evidence.a)), likeness_model()
    log_odds = model.level_log_odds()
    known = evidence.background[:0], evidence.background_weight[:0]
    nearby = replace(evidence, background=known[0], background_weight=known[1], background_pairs=None)
    counts = LevelCounts(nearby, replace(settings, relatives=False))
    level, seen = evidence.levels[:, f], evidence.taught_counts
    if seen is None:
        seen = count_levels(evidence.levels[:, f], len(log_odds))
    log_odds[1:] += model.shift(seen, evidence.n, float(evidence.words[f]))
    counts.add(1.0, none, none, np.where(level >= 0, expit(log_odds)[level], 0.0))
    learnt = counts.weights(0.0, 0.0)
    tables, keep, k = learnt.tables.copy(), learnt.keep.copy(), int(evidence.n_levels[f])
    fresh = tables[FRESH, f, -1, :k]
    # Two records of all those that share a value are no others who have it.
    n_filled = evidence.n * max(float((evidence.levels[:, f] >= 0).mean()) if len(evidence.a) else 1.0, 1e-9)
    log_odds[0] -= model.common * (fresh[0] - np.log(2.0 / max(n_filled, 2.0)))
    log_kappa = float(np.logaddexp.reduce(fresh + log_odds))
    tables[FRESH, f, :, :k] = tables[RELATED, f, :, :k] = fresh
    tables[COPIED, f, :, :k] = fresh + log_odds - log_kappa
    keep[:] = 0.0  # candidates are near each other: that few records have a value does not say how few of these do
    keep[f] = model.common
    return replace(learnt, tables=tables, keep=keep, kappa=float(np.exp(log_kappa)))
