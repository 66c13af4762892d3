"""How sure is a score, and is one system better than another?

*What is resampled.* Items come in blocks: the documents given as `groups`, or the gold entities (an item that the gold
lacks is a block of its own). Every measure is a function of a few sums over the items (`onoma.evaluate.metric`). What
an item adds to them is measured once, on the whole data: its share of the links, pairs and entities it is part of. A
block's sums are those of its items, and a resample adds up as many blocks as there are, drawn with replacement.

If no entity crosses a block, as with documents and chains, this is the same as measuring the resampled documents
themselves. With gold entities as blocks a predicted entity may cross them: its credit and its blame are shared among
its items and go where they go, and the pairing of CEAF stays that of the whole data.

*The interval* is the bias-corrected and accelerated bootstrap interval (Efron, 1987). *The p value* of a comparison is
from approximate randomisation (Noreen, 1989): if the two systems are alike, each block's two results may be swapped.

Blocks with the same sums are drawn together (a multinomial over the different ones), so a million entities of a few
shapes cost no more than a few.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, SettingsError
from onoma.evaluate.contingency import Contingency, group_labels
from onoma.evaluate.metric import Metric
from onoma.evaluate.metrics import contributions_of, find_metrics
from onoma.numerics.rng import stream

__all__ = ["Difference", "Interval", "bootstrap", "compare"]

_AT_ONCE = 2_000_000  # numbers held for one batch of resamples


@dataclass(frozen=True)
class Interval:
    """A score with its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """The score of a first system less that of a second, with its confidence interval and p value.

    `p_value` is the chance of a difference at least so large, either way, between two systems that are alike.
    """

    value: float
    low: float
    high: float
    p_value: float


def bootstrap(
    gold: Clustering,
    predicted: Clustering,
    *,
    seed: int,
    metrics: str | Iterable[str] | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Give each score a confidence interval.

    Parameters
    ----------
    gold, predicted
        Clusterings of the same items.
    seed
        Of the resamples; the same for every metric.
    metrics
        Names of `onoma.evaluate.metrics.METRICS`; None: all but mention detection.
    groups
        The document of each item: documents are resampled. None: gold entities are.
    n_resamples
        How many.
    level
        The probability that an interval should cover the true score.

    Returns
    -------
    dict
        By the name of the score: `"b3.precision"`, `"b3.recall"`, `"b3.f1"`, …, `"conll"`.

    Examples
    --------
    >>> gold = Clustering.from_labels(np.arange(200) // 2)
    >>> predicted = Clustering.from_labels(np.where(np.arange(200) < 150, np.arange(200) // 2, np.arange(200)))
    >>> interval = bootstrap(gold, predicted, metrics="pairwise", seed=1)["pairwise.recall"]
    >>> interval.value, 0.6 < interval.low < 0.75 < interval.high < 0.9
    (0.75, True)
    """
    _check(n_resamples, level)
    chosen = find_metrics(metrics)
    rows, counts = _distinct(_block_sums(gold, predicted, chosen, groups))
    rng = stream(seed, "bootstrap")
    resampled = np.concatenate([drawn @ rows for drawn in _multinomials(rng, counts, n_resamples)])
    # A jackknife: the sums without one block of each kind.
    left_out = counts @ rows - rows
    found: dict[str, Interval] = {}
    for metric, part in _parts(chosen):
        value = metric.values((counts @ rows)[part])
        draws, jackknife = metric.values(resampled[:, part]), metric.values(left_out[:, part])
        for i, name in enumerate(_names(metric)):
            low, high = _interval(float(value[i]), draws[:, i], jackknife[:, i], counts, level)
            found[name] = Interval(float(value[i]), low, high)
    return found


def compare(
    gold: Clustering,
    first: Clustering,
    second: Clustering,
    *,
    seed: int,
    metrics: str | Iterable[str] | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
) -> dict[str, Difference]:
    """Compare two systems on the same gold, block by block.

    Takes what `bootstrap` takes. The interval is from the paired bootstrap: a resample draws the same blocks for both.

    Examples
    --------
    >>> gold = Clustering.from_labels(np.arange(200) // 2)
    >>> worse = Clustering.from_labels(np.where(np.arange(200) < 150, np.arange(200) // 2, np.arange(200)))
    >>> found = compare(gold, gold, worse, metrics="pairwise", seed=1)["pairwise.recall"]
    >>> found.value, found.low > 0, found.p_value < 0.001
    (0.25, True, True)
    """
    _check(n_resamples, level)
    chosen = find_metrics(metrics)
    blocks = [_block_sums(gold, side, chosen, groups) for side in (first, second)]
    k = blocks[0].shape[1]
    rows, counts = _distinct(np.concatenate(blocks, axis=1))
    rng = stream(seed, "bootstrap")
    resampled = np.concatenate([drawn @ rows for drawn in _multinomials(rng, counts, n_resamples)])
    swapped = _swapped(stream(seed, "randomisation"), rows, counts, n_resamples)
    total = counts @ rows
    left_out = total - rows
    found: dict[str, Difference] = {}
    for metric, part in _parts(chosen):
        value, draws, jackknife, alike = (
            metric.values(sums[..., :k][..., part]) - metric.values(sums[..., k:][..., part])
            for sums in (total, resampled, left_out, swapped)
        )
        for i, name in enumerate(_names(metric)):
            low, high = _interval(float(value[i]), draws[:, i], jackknife[:, i], counts, level)
            # Rounding must not turn an equal difference into a smaller one.
            as_large = int(np.count_nonzero(np.abs(alike[:, i]) >= abs(value[i]) - 1e-12))
            found[name] = Difference(float(value[i]), low, high, (1 + as_large) / (1 + n_resamples))
    return found


def _block_sums(
    gold: Clustering, predicted: Clustering, metrics: list[Metric], groups: ArrayLike | None
) -> NDArray[np.float64]:
    """Return the sums of each block (rows), those of all metrics side by side."""
    table = Contingency.of(gold, predicted, groups=groups)
    blocks = _blocks(gold) if groups is None else group_labels(groups, len(gold))
    n_blocks = int(blocks.max(initial=-1)) + 1
    there = table.item_cells >= 0
    blocks, cells = blocks[there], table.item_cells[there]
    if not n_blocks:
        raise DataError("there is nothing to resample: the clusterings hold no items")
    sums = [
        np.bincount(blocks, column[cells], minlength=n_blocks)
        for added in contributions_of(metrics, table).values()
        for column in added.T
    ]
    return np.stack(sums, axis=1)


def _blocks(gold: Clustering) -> NDArray[np.int64]:
    blocks = gold.labels.copy()
    outside = blocks < 0
    blocks[outside] = gold.n_entities + np.arange(np.count_nonzero(outside))
    return blocks


def _distinct(blocks: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different rows and how many blocks have each."""
    # Sums of the same shares in another order differ in the last bits, which are no information.
    rows, counts = np.unique(np.round(blocks, 12), axis=0, return_counts=True)
    return rows, counts.astype(np.int64)


def _multinomials(rng: np.random.Generator, counts: NDArray[np.int64], n_resamples: int) -> Iterator[NDArray[np.int64]]:
    """Yield, in batches, how often each kind of block is drawn."""
    n = int(counts.sum())
    batch = max(1, _AT_ONCE // len(counts))
    for done in range(0, n_resamples, batch):
        yield rng.multinomial(n, counts / n, size=min(batch, n_resamples - done))


def _swapped(
    rng: np.random.Generator, rows: NDArray[np.float64], counts: NDArray[np.int64], n_resamples: int
) -> NDArray[np.float64]:
    """Return the sums of both systems after each block's two results were swapped, or not, by the toss of a coin."""
    k = rows.shape[1] // 2
    exchanged = np.concatenate([rows[:, k:], rows[:, :k]], axis=1)
    batch = max(1, _AT_ONCE // len(counts))
    sums = []
    for done in range(0, n_resamples, batch):
        heads = rng.binomial(counts, 0.5, size=(min(batch, n_resamples - done), len(counts)))
        sums.append(heads @ exchanged + (counts - heads) @ rows)
    return np.concatenate(sums)


def _interval(
    value: float,
    draws: NDArray[np.float64],
    jackknife: NDArray[np.float64],
    counts: NDArray[np.int64],
    level: float,
) -> tuple[float, float]:
    """Return the BCa interval: percentiles, moved for bias and for a spread that changes with the value."""
    from scipy.special import ndtr, ndtri  # slow to load, and scoring alone does without

    below = (np.count_nonzero(draws < value) + np.count_nonzero(draws == value) / 2) / len(draws)
    bias = ndtri(np.clip(below, 1 / (len(draws) + 1), 1 - 1 / (len(draws) + 1)))
    away = np.average(jackknife, weights=counts) - jackknife
    spread = float(counts @ away**2)
    acceleration = float(counts @ away**3) / (6 * spread**1.5) if spread > 0 else 0.0
    tails = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    at = ndtr(bias + tails / (1 - acceleration * tails))
    low, high = np.quantile(draws, at)
    return float(low), float(high)


def _parts(metrics: list[Metric]) -> Iterator[tuple[Metric, slice]]:
    start = 0
    empty = Contingency.of(Clustering.singletons(1), Clustering.singletons(1))
    for metric in metrics:
        k = len(metric.sums(empty))
        yield metric, slice(start, start + k)
        start += k


def _names(metric: Metric) -> list[str]:
    return [f"{metric.name}.{part}" if part else metric.name for part in metric.parts]


def _check(n_resamples: int, level: float) -> None:
    if n_resamples < 1:
        raise SettingsError(f"n_resamples is {n_resamples}; it is a whole number from 1 up")
    if not 0 < level < 1:
        raise SettingsError(f"level is {level}; it lies between 0 and 1, as 0.95 does")
