"""`onoma.evaluate`."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from onoma.api.tables import Tabular, as_columns, is_path, take
from onoma.corpus.clustering import Clustering
from onoma.corpus.formats import format_of
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError
from onoma.evaluate.report import Evaluation
from onoma.evaluate.report import evaluate as measure
from onoma.pipeline.evaluation import read_sides, table_sides

__all__ = ["evaluate"]


def evaluate(
    gold: Tabular,
    found: Tabular,
    *,
    metrics: str | Iterable[str] | None = None,
    id: str | Sequence[str] = (),
    gold_column: str | None = None,
    found_column: str | None = None,
    items: Literal["union", "gold", "shared"] = "union",
) -> Evaluation:
    """Measure a clustering against the truth: MUC, B³, CEAF, BLANC, LEA, pairwise, Rand, V.

    Parameters
    ----------
    gold, found
        The truth, and what was found: tables with ids and clusters in any form (a `Result` too), two annotated texts
        (files), two lists of labels of the same items, or two `Clustering`s.
    metrics
        Some of muc, b3, ceafm, ceafe, blanc, lea, pairwise, conll, rand, ari, v; None: all of them.
    id
        The id column, or columns; found by name if not given.
    gold_column, found_column
        The columns of clusters; found by name if not given.
    items
        Which items of tables are compared: those of either, those of the gold, or those of both.

    Examples
    --------
    >>> import onoma
    >>> onoma.evaluate(["x", "x", "y", "y"], [1, 1, 2, 3], metrics="b3").as_dict()
    {'b3': {'precision': 1.0, 'recall': 0.75, 'f1': 0.8571428571428571}}
    """
    one, other = _clustering(gold), _clustering(found)
    if one is not None and other is not None:
        if len(one) != len(other):
            raise DataError(f"{len(one):,} labels and {len(other):,} labels came; both are of the same items")
        return measure(one, other, metrics=metrics)
    keys = [id] if isinstance(id, str) else list(id)
    columns = (gold_column, found_column)
    if is_path(gold) and is_path(found) and format_of(gold).holds == "corpus":
        sides = read_sides(Path(gold), Path(found), id=keys, universe=items)
        return measure(sides.gold, sides.predicted, metrics=metrics, groups=sides.documents)
    tables = [read_table(Path(each)).table if is_path(each) else take(each).with_ids for each in (gold, found)]
    sides = table_sides(tables[0], tables[1], id=keys, columns=columns, universe=items)
    return measure(sides.gold, sides.predicted, metrics=metrics)


def _clustering(thing: object) -> Clustering | None:
    if isinstance(thing, Clustering):
        return thing
    labels = as_columns(thing)
    return None if labels is None else Clustering.from_labels([None if each is None else str(each) for each in labels])
