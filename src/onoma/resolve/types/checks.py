"""What the checks of each type say of the whole.

Precision is a share of the reported pairs and recall one of the matches there are, so that of the whole is the mean
over types, weighted by these; types are checked by decoys of their own, so intervals add as errors that have nothing to
do with each other. The number of entities is the sum.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.check.quality import Quality, Share
from onoma.resolve.quality.recall import CanopyRecall
from onoma.resolve.result import Resolution

__all__ = ["quality_of_parts", "recall_of_parts"]

Floats = NDArray[np.float64]


def quality_of_parts(names: Sequence[str], parts: Sequence[Resolution]) -> Quality:
    """Return what is said of the whole.

    Parameters
    ----------
    names
        Of the types.
    parts
        The answer of each.
    """
    told = [part.quality for part in parts]
    pairs = np.array([_pairs(part) for part in parts])
    precision = _mean([each.precision for each in told], pairs)
    right = np.array([0.0 if each.precision is None else each.precision.estimate for each in told]) * pairs
    recalls = [each.recall for each in told]
    matches = [0.0 if each is None else x / max(each.estimate, 0.05) for x, each in zip(right, recalls, strict=True)]
    because = [f"{name}: {why}" for name, each in zip(names, told, strict=True) for why in each.because]
    return Quality(
        calibrated=all(each.calibrated for each in told),
        because=tuple(because),
        n_links=sum(each.n_links for each in told),
        n_given_up=sum(each.n_given_up for each in told),
        precision=precision,
        recall=_mean(recalls, np.array(matches)),
        harsher_recall=_mean([each.harsher_recall for each in told], np.array(matches)),
        together=1.0 if not any(matches) else float(np.average([each.together for each in told], weights=matches)),
        entities=_entities(parts, told),
        entity_draws=_drawn(told),
        n_safe=sum(each.n_safe for each in told),
        decoys=_pooled([each.decoys for each in told]),
        recall_by_change=_pooled([each.recall_by_change for each in told]),
        seconds=sum(each.seconds for each in told),
        ceiling=min(each.ceiling for each in told),
        pair_ceiling=min(each.pair_ceiling for each in told),
    )


def recall_of_parts(parts: Sequence[Resolution]) -> CanopyRecall | None:
    """Return the blocking recall of the whole, each type counting by the matches that it has."""
    found = [(part.canopy_recall, _pairs(part) + 1.0) for part in parts]
    told = [(each, weight) for each, weight in found if each is not None]
    if not told:
        return None
    weights = np.array([weight for _, weight in told])
    recall = _mean([Share(each.found, each.low, each.high) for each, _ in told], weights)
    direct = float(np.average([each.direct for each, _ in told], weights=weights))
    n, exhaustive = sum(each.n_records for each, _ in told), all(each.exhaustive for each, _ in told)
    return None if recall is None else CanopyRecall(direct, *recall, n, exhaustive)


def _pairs(part: Resolution) -> float:
    sizes = part.clustering.sizes.astype(np.float64)
    return float((sizes * (sizes - 1.0)).sum() / 2.0)


def _mean(shares: Sequence[Share | None], weights: Floats) -> Share | None:
    """Return the weighted mean of the shares that are known; errors are independent."""
    known = [(each, w) for each, w in zip(shares, weights.tolist(), strict=True) if each is not None and w > 0.0]
    if not known:
        return next((each for each in shares if each is not None), None)
    part = np.array([w for _, w in known]) / sum(w for _, w in known)
    at, low, high = (np.array([each[k] for each, _ in known]) for k in range(3))
    mean = float(part @ at)
    below, above = (float(np.sqrt(((part * off) ** 2).sum())) for off in (at - low, high - at))
    return Share(mean, max(mean - below, 0.0), min(mean + above, 1.0))


def _entities(parts: Sequence[Resolution], told: Sequence[Quality]) -> tuple[int, int]:
    """Return the interval of the number of entities: that of sums of draws, or the sum of intervals."""
    drawn = _drawn(told)
    if drawn is not None:
        low, high = np.quantile(drawn, [0.025, 0.975])
        return int(np.floor(low)), int(np.ceil(high))
    ends = [each.entities or part.entity_count()[1:] for part, each in zip(parts, told, strict=True)]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def _drawn(told: Sequence[Quality]) -> Floats | None:
    """Return draws of the number of entities, where each type has some."""
    drawn = [each.entity_draws for each in told]
    known = [each for each in drawn if each is not None]
    if len(known) < len(drawn) or len({len(each) for each in known}) != 1:
        return None
    # Types are drawn for themselves, in an order of their own.
    return np.sum([np.roll(each, k * len(each) // len(known)) for k, each in enumerate(known)], axis=0)


def _pooled(found: Sequence[object]) -> dict[str, tuple[int, float]]:
    """Return the shares of all types together, by how many each is of."""
    sums: dict[str, list[float]] = {}
    for each in found:
        for name, (n, share) in dict(each).items():  # type: ignore[call-overload]
            total = sums.setdefault(name, [0.0, 0.0])
            total[0] += n
            total[1] += n * share
    return {name: (int(n), hits / max(n, 1.0)) for name, (n, hits) in sums.items()}
