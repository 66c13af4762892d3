"""Every measure by name, and the CoNLL average, which is made of three of them.

The CoNLL average is the mean of the F1s of MUC, B³ and CEAF-e (Denis and Baldridge, 2009; Pradhan et al., 2011).
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.evaluate.b_cubed import B_CUBED
from onoma.evaluate.blanc import BLANC
from onoma.evaluate.ceaf import CEAF_E, CEAF_M
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.detection import MENTIONS
from onoma.evaluate.lea import LEA
from onoma.evaluate.metric import Metric
from onoma.evaluate.muc import MUC
from onoma.evaluate.pairwise import PAIRWISE
from onoma.evaluate.rand import ADJUSTED_RAND, RAND
from onoma.evaluate.score import ratios
from onoma.evaluate.v_measure import V_MEASURE

__all__ = ["CONLL", "METRICS", "REPORTED", "conll", "contributions_of", "find_metrics", "sums_of"]


def conll(gold: Clustering, predicted: Clustering) -> float:
    """Return the mean of the F1s of MUC, B³ and CEAF-e.

    Examples
    --------
    >>> conll(Clustering.from_labels([0, 0, 1]), Clustering.from_labels([0, 0, 1]))
    1.0
    """
    return _average(*_sums(Contingency.of(gold, predicted)).tolist())


def _sums(table: Contingency) -> NDArray[np.float64]:
    return np.concatenate([metric.sums(table) for metric in _AVERAGED])


def _contributions(table: Contingency) -> NDArray[np.float64]:
    return np.concatenate([metric.contributions(table) for metric in _AVERAGED], axis=1)


def _values(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    f1 = ratios(sums.reshape(*sums.shape[:-1], 3, 4))[..., 2]
    return f1.mean(axis=-1, keepdims=True)


def _average(*sums: float) -> float:
    return float(_values(np.array(sums))[0])


_AVERAGED = (MUC, B_CUBED, CEAF_E)

CONLL = Metric("conll", _sums, _contributions, _values, _average, ("",), made_of=_AVERAGED)

METRICS = {
    metric.name: metric
    for metric in (
        MUC,
        B_CUBED,
        CEAF_M,
        CEAF_E,
        BLANC,
        LEA,
        PAIRWISE,
        CONLL,
        RAND,
        ADJUSTED_RAND,
        V_MEASURE,
        MENTIONS,
    )
}
"""Every measure by name."""

REPORTED = tuple(name for name in METRICS if name != "mentions")
"""What is measured unless something else is asked for."""


def find_metrics(names: str | Iterable[str] | None) -> list[Metric]:
    """Return the measures of these names (None: the usual ones), each once, or say which there are."""
    wanted = REPORTED if names is None else (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in METRICS]
    if unknown:
        raise SettingsError(
            f"there is no metric {', '.join(map(repr, unknown))}", hint=f"Known metrics: {', '.join(METRICS)}."
        )
    return [METRICS[name] for name in wanted]


def sums_of(metrics: Iterable[Metric], table: Contingency) -> dict[str, NDArray[np.float64]]:
    """Return the sums of each measure, those that several are made of computed once."""
    return _each_once(metrics, lambda metric: metric.sums(table))


def contributions_of(metrics: Iterable[Metric], table: Contingency) -> dict[str, NDArray[np.float64]]:
    """Return what items add to each measure, those that several are made of computed once."""
    return _each_once(metrics, lambda metric: metric.contributions(table))


def _each_once(
    metrics: Iterable[Metric], compute: Callable[[Metric], NDArray[np.float64]]
) -> dict[str, NDArray[np.float64]]:
    known: dict[str, NDArray[np.float64]] = {}
    wanted = list(metrics)
    for metric in wanted:
        for part in metric.made_of or (metric,):
            if part.name not in known:
                known[part.name] = compute(part)
        if metric.made_of:
            known[metric.name] = np.concatenate([known[part.name] for part in metric.made_of], axis=-1)
    return {metric.name: known[metric.name] for metric in wanted}
