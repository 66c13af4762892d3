"""How good is an extraction: tokens, spans, and what a taxonomy makes of near misses.

Spans count only if both ends and the label are right. The scores of tokens leave OTHER out, as in Singh, Hillard and
Leggetter (2010): recall over the tokens that have a label, precision over the tokens that got one. The weighted scores
give part of the credit for a parent, child or sibling (`learning.taxonomy`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.learning.sequences.semicrf_layout import Segmentation
from onoma.learning.taxonomy import Taxonomy

__all__ = ["Scores", "score_segments"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Scores:
    """What was measured; shares from 0 to 1.

    Attributes
    ----------
    accuracy, weighted_accuracy
        Of all tokens, OTHER included.
    precision, recall, f1, f2
        Of tokens without OTHER; `weighted` holds the same four with credit for near misses.
    macro
        Mean over the labels of their tokens' precision, recall, F1 and F2.
    span_precision, span_recall, span_f1
        Of whole spans.
    labels
        Span precision, recall, F1 and count of each label.
    """

    accuracy: float
    weighted_accuracy: float
    precision: float
    recall: float
    f1: float
    f2: float
    weighted: tuple[float, float, float, float]
    macro: tuple[float, float, float, float]
    span_precision: float
    span_recall: float
    span_f1: float
    labels: dict[str, tuple[float, float, float, int]]


def score_segments(gold: Segmentation, found: Segmentation, taxonomy: Taxonomy, other: int) -> Scores:
    """Compare two segmentations of the same tokens.

    Examples
    --------
    >>> tree = Taxonomy.flat(["OTHER", "CITY"])
    >>> gold = Segmentation.of_spans([(0, 1, 0), (1, 3, 1)], 3)
    >>> scores = score_segments(gold, Segmentation.of_spans([(0, 2, 0), (2, 3, 1)], 3), tree, 0)
    >>> round(scores.accuracy, 3), scores.precision, scores.recall, scores.span_f1
    (0.667, 1.0, 0.5, 0.0)
    """
    if len(gold.labels) != len(found.labels):
        raise DataError(f"{len(gold.labels):,} tokens in one, {len(found.labels):,} in the other")
    truth, guess = gold.tokens(), found.tokens()
    table = taxonomy.credits()
    shared = np.eye(len(taxonomy))[guess, truth]
    credit = table[guess, truth]
    is_named, is_guessed = truth != other, guess != other
    plain = _rates(shared, is_named, is_guessed)
    by_label = [
        _rates(shared, truth == y, guess == y) for y in range(len(taxonomy)) if y != other and (truth == y).any()
    ]
    spans = _span_scores(_kept(gold, other), _kept(found, other), taxonomy.labels)
    return Scores(
        _share(shared.sum(), len(truth)),
        _share(credit.sum(), len(truth)),
        *plain,
        _rates(credit, is_named, is_guessed),
        tuple(np.mean(by_label, axis=0).tolist()) if by_label else (0.0,) * 4,
        *spans[None][:3],
        {str(name): value for name, value in spans.items() if name is not None},
    )


def _rates(
    credit: NDArray[np.float64], is_named: NDArray[np.bool_], is_guessed: NDArray[np.bool_]
) -> tuple[float, float, float, float]:
    precision = _share(credit[is_guessed & is_named].sum(), is_guessed.sum())
    recall = _share(credit[is_guessed & is_named].sum(), is_named.sum())
    return precision, recall, _f(precision, recall, 1.0), _f(precision, recall, 2.0)


def _f(precision: float, recall: float, beta: float) -> float:
    return _share((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


def _kept(segments: Segmentation, other: int) -> set[tuple[int, int, int]]:
    return {span for span in segments.spans() if span[2] != other}


def _span_scores(
    gold: set[tuple[int, int, int]], found: set[tuple[int, int, int]], names: Sequence[str]
) -> dict[str | None, tuple[float, float, float, int]]:
    scores: dict[str | None, tuple[float, float, float, int]] = {}
    for y in (None, *range(len(names))):
        wanted = [span for span in gold if y is None or span[2] == y]
        given = [span for span in found if y is None or span[2] == y]
        if y is None or wanted or given:
            right = len(set(wanted) & set(given))
            p, r = _share(right, len(given)), _share(right, len(wanted))
            scores[None if y is None else names[y]] = (p, r, _f(p, r, 1.0), len(wanted))
    return scores
