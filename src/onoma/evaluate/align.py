"""Two tables, or two annotated corpora, made into clusterings of the same items.

Measures compare clusterings of one universe of items. Here it is built: the union of the items of both sides, with
those that one side lacks marked absent there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.corpus.corpus import Corpus
from onoma.errors import DataError, SettingsError

__all__ = ["AlignedCorpora", "Alignment", "Universe", "align", "clusterings_from_corpora"]

Universe = Literal["union", "gold", "shared"]
"""Which items are compared: those of either side, those of the gold, or those of both."""


@dataclass(frozen=True)
class Alignment:
    """Two clusterings of the same items, and what did not fit.

    Iterating gives `gold, predicted, ids`.
    """

    gold: Clustering
    predicted: Clustering
    ids: pa.Array
    """The id of each item."""
    n_unlabelled: int
    """Ids with a null gold label, dropped from both sides."""
    n_gold_only: int
    """Labelled ids that the prediction lacks."""
    n_predicted_only: int
    """Predicted ids that the gold lacks."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.gold, self.predicted, self.ids))


def align(
    gold: object,
    predicted: object,
    *,
    id: str = "id",
    entity: str = "entity",
    predicted_id: str | None = None,
    predicted_entity: str | None = None,
    universe: Universe = "union",
) -> Alignment:
    """Match the rows of two tables by their ids.

    Parameters
    ----------
    gold, predicted
        Tables with an id and an entity column: Arrow, or anything that gives Arrow (pandas, Polars, DuckDB…).
        A null gold entity (or -1 among whole numbers) is an unlabelled row: its id is dropped from both sides. A null
        predicted entity is an item the prediction lacks.
    id, entity
        The names of the columns.
    predicted_id, predicted_entity
        Their names in the predicted table, where they differ.
    universe
        Which items to compare. "union": an id that one side lacks is absent there, and counts against the other.
        "gold": ids that the gold lacks are left out, as is right when only a part was labelled. "shared": ids that
        either lacks are left out.

    Examples
    --------
    >>> gold = pa.table({"id": [1, 2, 3, 4], "entity": ["a", "a", "b", None]})
    >>> predicted = pa.table({"id": ["2", "1", "4", "5"], "entity": ["x", "x", "x", "y"]})
    >>> found = align(gold, predicted)
    >>> found.ids.to_pylist(), found.gold.labels.tolist(), found.predicted.labels.tolist()
    (['1', '2', '3', '5'], [0, 0, 1, -1], [0, 0, -1, 1])
    >>> found.n_unlabelled, found.n_gold_only, found.n_predicted_only
    (1, 1, 1)
    """
    if universe not in get_args(Universe):
        raise SettingsError(f"universe is {universe!r}; it is one of {', '.join(map(repr, get_args(Universe)))}")
    gold_ids, gold_labels = _columns(gold, id, entity, "gold")
    predicted_ids, predicted_labels = _columns(
        predicted, predicted_id or id, predicted_entity or entity, "predicted table"
    )
    gold_codes, predicted_codes, ids = _encode(gold_ids, predicted_ids)
    _refuse_duplicates(gold_codes, ids, id, "gold")
    _refuse_duplicates(predicted_codes, ids, predicted_id or id, "predicted table")
    sides = np.full((2, len(ids)), ABSENT, dtype=np.int64)
    sides[0, gold_codes], sides[1, predicted_codes] = gold_labels, predicted_labels
    unlabelled = np.zeros(len(ids), dtype=np.bool_)
    unlabelled[gold_codes[gold_labels == ABSENT]] = True
    return _restricted(sides, ids, unlabelled, universe)


def _restricted(
    sides: NDArray[np.int64], ids: pa.Array, unlabelled: NDArray[np.bool_], universe: Universe
) -> Alignment:
    present = (sides != ABSENT) & ~unlabelled
    kept = {"union": present.any(axis=0), "gold": present[0], "shared": present.all(axis=0)}[universe]
    if not kept.all():
        sides, ids = sides[:, kept], ids.filter(pa.array(kept))
    gold, predicted = (Clustering.from_labels(side) for side in sides)
    n_gold_only = int(np.count_nonzero(present[0] & ~present[1]))
    n_predicted_only = int(np.count_nonzero(present[1] & ~present[0]))
    return Alignment(gold, predicted, ids, int(np.count_nonzero(unlabelled)), n_gold_only, n_predicted_only)


def _columns(table: object, id: str, entity: str, side: str) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the ids and the entities as numbers."""
    rows = table if isinstance(table, pa.Table) else pa.table(table)
    missing = [name for name in (id, entity) if name not in rows.column_names]
    if missing:
        raise DataError(
            f"the {side} lacks the column {' and '.join(map(repr, missing))}; "
            f"it has {', '.join(map(repr, rows.column_names))}"
        )
    ids = rows.column(id)
    if ids.null_count:
        row = int(np.flatnonzero(ids.is_null().to_numpy())[0]) + 1
        raise DataError(f"row {row:,} of the {side} has no id", column=id)
    return ids, Clustering.from_labels(rows.column(entity).combine_chunks()).labels


def _encode(gold: pa.ChunkedArray, predicted: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.int64], pa.Array]:
    """Number the ids of both sides alike; ids of different kinds are compared as strings."""
    kinds = [_plain_type(side.type) for side in (gold, predicted)]
    kind = kinds[0] if kinds[0] == kinds[1] else pa.large_string()
    both = pa.chunked_array([chunk for side in (gold, predicted) for chunk in side.cast(kind).chunks], type=kind)
    encoded = both.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes[: len(gold)], codes[len(gold) :], encoded.dictionary


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind):
        return pa.int64()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.large_string()  # 64-bit offsets: the ids of both sides are put in one array
    return kind


def _refuse_duplicates(codes: NDArray[np.int64], ids: pa.Array, column: str, side: str) -> None:
    counts = np.bincount(codes, minlength=len(ids))
    if counts.max(initial=0) > 1:
        repeated = np.flatnonzero(counts > 1)
        raise DataError(
            f"the id {ids[int(repeated[0])].as_py()!r} stands {counts[repeated[0]]} times in the {side}"
            + (f", and {len(repeated) - 1:,} more ids are repeated" if len(repeated) > 1 else ""),
            column=column,
            hint="An id names one item; remove the repeated rows, or make the ids distinct.",
        )


@dataclass(frozen=True)
class AlignedCorpora:
    """Two corpora as clusterings of the union of their mentions.

    Iterating gives `gold, predicted, groups, keys`.
    """

    gold: Clustering
    predicted: Clustering
    groups: NDArray[np.int64]
    """The document (and part) of each mention: a row of the gold's documents table."""
    keys: pa.Table
    """Each mention's document, part, start and end."""
    n_repeated: int
    """Mentions left out because the same place was a mention already, on either side."""
    n_outside: int
    """Predicted mentions left out because the gold lacks their document."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.gold, self.predicted, self.groups, self.keys))


def clusterings_from_corpora(gold: Corpus, predicted: Corpus) -> AlignedCorpora:
    """Match the mentions of two corpora by document, part, start and end, as the reference scorer of CoNLL does.

    A place that is a mention more than once on one side keeps the mention of the chain that appears first; documents
    that the gold lacks are not scored. Mentions in no chain are absent.
    """
    gold_places, gold_chains, _ = _places(gold, gold)
    predicted_places, predicted_chains, n_outside = _places(predicted, gold)
    n_gold = len(gold_places)
    keys, items = np.unique(np.concatenate([gold_places, predicted_places]), axis=0, return_inverse=True)
    gold_side = Clustering.from_labels(_first_chains(items[:n_gold], gold_chains, len(keys)))
    predicted_side = Clustering.from_labels(_first_chains(items[n_gold:], predicted_chains, len(keys)))
    n_kept = 2 * len(keys) - gold_side.n_absent - predicted_side.n_absent
    documents = gold.documents.select(["document", "part"]).take(pa.array(keys[:, 0]))
    return AlignedCorpora(
        gold_side,
        predicted_side,
        keys[:, 0].copy(),
        documents.append_column("start", pa.array(keys[:, 1])).append_column("end", pa.array(keys[:, 2])),
        n_gold + len(predicted_places) - n_kept,
        n_outside,
    )


def _places(corpus: Corpus, gold: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return (document, start, end) and chain of the mentions, in order of appearance, and how many are outside."""
    mentions = corpus.mentions
    documents = pc.index_in(_names(mentions), value_set=_names(gold.documents)).fill_null(ABSENT)
    places = np.stack(
        [column.to_numpy().astype(np.int64) for column in (documents, mentions["start"], mentions["end"])], 1
    )
    chains = corpus.clustering().labels
    in_chain, inside = chains != ABSENT, places[:, 0] != ABSENT
    n_outside = int(np.count_nonzero(in_chain & ~inside))
    places, chains = places[in_chain & inside], chains[in_chain & inside]
    # The scorer meets the one-token mentions of a token before those that open there.
    order = np.lexsort((places[:, 2] > places[:, 1] + 1, places[:, 1], places[:, 0]))
    return places[order], Clustering.from_labels(chains[order]).labels, n_outside


def _names(table: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(table["document"], table["part"].cast(pa.string()), "\x1f")


def _first_chains(items: NDArray[np.int64], chains: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return each item's chain, of several the one with the least number."""
    labels = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(labels, items, chains)
    labels[labels == np.iinfo(np.int64).max] = ABSENT
    return labels
