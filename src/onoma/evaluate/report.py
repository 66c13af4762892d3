"""One call for every measure, by group if asked, and where the largest errors are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, SettingsError
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metrics import METRICS, find_metrics, sums_of
from onoma.evaluate.score import LinkScore, Score, VMeasure

__all__ = ["Evaluation", "LargestErrors", "by_group", "evaluate", "largest_errors"]


@dataclass(frozen=True)
class Evaluation:
    """What was measured, with the counts behind it."""

    scores: Mapping[str, Score | LinkScore | VMeasure | float]
    """Each measure's result by its name."""
    n_items: int
    """Items that the gold, the prediction or both hold."""
    n_gold_items: int
    n_predicted_items: int
    n_gold_entities: int
    n_predicted_entities: int

    def __getitem__(self, name: str) -> Score | LinkScore | VMeasure | float:
        return self.scores[name]

    def as_dict(self) -> dict[str, float | dict[str, float]]:
        """Return each measure as a number, or as a mapping of precision, recall and f1."""
        return {name: _plain(score) for name, score in self.scores.items()}


def evaluate(
    gold: Clustering,
    predicted: Clustering,
    *,
    metrics: str | Iterable[str] | None = None,
    groups: ArrayLike | None = None,
) -> Evaluation:
    """Measure a predicted clustering against a gold one.

    Parameters
    ----------
    gold, predicted
        Clusterings of the same items; an item that one side lacks has label -1 there.
    metrics
        Names of `onoma.evaluate.metrics.METRICS`; None: all but mention detection.
    groups
        The document of each item. Only BLANC looks at it: its pairs are taken within a document.

    Examples
    --------
    >>> gold, predicted = Clustering.from_labels([0, 0, 1, 1]), Clustering.from_labels([0, 0, 1, 2])
    >>> evaluate(gold, predicted, metrics=["b3", "rand"]).as_dict()
    {'b3': {'precision': 1.0, 'recall': 0.75, 'f1': 0.8571428571428571}, 'rand': 0.8333333333333334}
    """
    chosen = find_metrics(metrics)
    table = Contingency.of(gold, predicted, groups=groups)
    return Evaluation(
        {name: METRICS[name].result(*sums.tolist()) for name, sums in sums_of(chosen, table).items()},
        table.n_either,
        table.n_gold,
        table.n_predicted,
        gold.n_entities,
        predicted.n_entities,
    )


def by_group(
    gold: Clustering,
    predicted: Clustering,
    groups: ArrayLike | pa.Array | pa.ChunkedArray,
    *,
    metrics: str | Iterable[str] | None = None,
) -> dict[object, Evaluation]:
    """Measure each group of items by itself: both clusterings are restricted to the items of the group.

    So an error between two groups is seen in neither. A group is a value of `groups` (null is a value too); they come
    in order of first appearance.

    Examples
    --------
    >>> gold, predicted = Clustering.from_labels([0, 0, 1, 1]), Clustering.from_labels([0, 0, 1, 2])
    >>> found = by_group(gold, predicted, ["fr", "fr", "de", "de"], metrics="pairwise")
    >>> {group: found[group].as_dict()["pairwise"]["recall"] for group in found}
    {'fr': 1.0, 'de': 0.0}
    """
    column = groups if isinstance(groups, pa.Array | pa.ChunkedArray) else pa.array(groups)
    if len(column) != len(gold):
        raise DataError(f"{len(column):,} groups for {len(gold):,} items; each item has one")
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    names = encoded.dictionary.to_pylist()
    members = Clustering.from_labels(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))
    return {names[group]: _restricted(gold, predicted, members.members(group), metrics) for group in range(len(names))}


def _restricted(
    gold: Clustering, predicted: Clustering, items: NDArray[np.int64], metrics: str | Iterable[str] | None
) -> Evaluation:
    # Not `take`: its cost follows the largest label, which is that of the whole clustering.
    sides = (Clustering.from_labels(side.labels[items]) for side in (gold, predicted))
    return evaluate(*sides, metrics=metrics)


class LargestErrors(NamedTuple):
    """The gold entities most split and the predicted entities most merged, worst first.

    Each table has the columns `entity` (its number), `size`, `wrong_pairs` (pairs split, or merged, wrongly) and
    `parts`: the entities of the other side it falls into and how many items each takes, largest first; a null entity
    is for the items that the other side lacks.
    """

    split: pa.Table
    merged: pa.Table


def largest_errors(gold: Clustering, predicted: Clustering, n: int = 10) -> LargestErrors:
    """Find the n entities on each side that cost the most pairs.

    Examples
    --------
    >>> found = largest_errors(Clustering.from_labels([0, 0, 0, 1]), Clustering.from_labels([0, 0, 1, 1]))
    >>> found.split.to_pylist()
    [{'entity': 0, 'size': 3, 'wrong_pairs': 2, 'parts': [{'entity': 0, 'size': 2}, {'entity': 1, 'size': 1}]}]
    """
    if n < 0:
        raise SettingsError(f"n is {n}; it is a whole number from 0 up")
    return LargestErrors(
        _worst(Contingency.of(gold, predicted), n),
        _worst(Contingency.of(predicted, gold), n),
    )


def _worst(table: Contingency, n: int) -> pa.Table:
    """Return the n entities of the table's first side that lose the most pairs."""
    sizes = table.gold_sizes
    kept = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(kept, table.rows, table.overlaps * (table.overlaps - 1) // 2)
    wrong = sizes * (sizes - 1) // 2 - kept
    worst = np.lexsort((np.arange(len(wrong)), -wrong))[:n]
    worst = worst[wrong[worst] > 0]
    part = pa.struct([("entity", pa.int64()), ("size", pa.int64())])
    return pa.table(
        {
            "entity": pa.array(worst, pa.int64()),
            "size": pa.array(sizes[worst], pa.int64()),
            "wrong_pairs": pa.array(wrong[worst], pa.int64()),
            "parts": pa.array([_parts(table, int(entity)) for entity in worst], pa.list_(part)),
        }
    )


def _parts(table: Contingency, entity: int) -> list[dict[str, int | None]]:
    cells = slice(table.offsets[entity], table.offsets[entity + 1])
    parts: list[dict[str, int | None]] = [
        {"entity": int(other), "size": int(size)}
        for other, size in zip(table.columns[cells], table.overlaps[cells], strict=True)
    ]
    missing = int(table.gold_sizes[entity] - table.gold_shared[entity])
    parts += [{"entity": None, "size": missing}] if missing else []
    return sorted(parts, key=lambda part: -(part["size"] or 0))


def _plain(score: Score | LinkScore | VMeasure | float) -> float | dict[str, float]:
    if isinstance(score, float):
        return score
    if isinstance(score, VMeasure):
        return score.v
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}
