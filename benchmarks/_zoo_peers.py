"""Peers on the zoo: tf-idf components, and Splink with comparisons chosen by the type of a column."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["THRESHOLDS", "splink_components", "tfidf_components"]

THRESHOLDS = tuple(round(0.30 + 0.05 * step, 2) for step in range(14))
"""Cosines from which on two rows are joined."""
_NEAREST, _ROWS_AT_ONCE, _COMMON = 30, 500, 0.1
"""Most partners of a row; rows multiplied at once; trigrams that a larger share of rows has are left out."""


def tfidf_components(
    table: pa.Table, columns: Sequence[str], source: NDArray[np.int64] | None
) -> dict[float, NDArray[np.int64]]:
    """Return the connected components of rows whose trigrams have at least a cosine, for each of the thresholds.

    Parameters
    ----------
    columns
        What is compared: their values, in one string.
    source
        The source of each row, where only rows of different ones are compared.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
    texts = [" ".join(str(value) for value in row if value is not None) for row in rows]
    n = len(texts)
    most = max(int(_COMMON * n), 1000)
    words = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), max_df=min(most, n))
    try:
        vectors = words.fit_transform(texts).tocsr()
    except ValueError:  # every trigram is in too many rows
        return dict.fromkeys(THRESHOLDS, np.arange(n))
    turned = vectors.T.tocsr()
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    for first in range(0, n, _ROWS_AT_ONCE):
        block = (vectors[first : first + _ROWS_AT_ONCE] @ turned).tocoo()
        a, b, cosine = block.row.astype(np.int64) + first, block.col.astype(np.int64), block.data
        near = (cosine >= THRESHOLDS[0]) & (a != b)
        if source is not None:
            near &= source[a] != source[b]
        a, b, cosine = a[near], b[near], cosine[near]
        order = np.lexsort((-cosine, a))
        a, b, cosine = a[order], b[order], cosine[order]
        rank = np.arange(len(a)) - np.searchsorted(a, a)
        found.append((a[rank < _NEAREST], b[rank < _NEAREST], cosine[rank < _NEAREST]))
    a, b, cosine = (np.concatenate([part[k] for part in found]) for k in range(3))
    components = {}
    for threshold in THRESHOLDS:
        near = cosine >= threshold
        graph = csr_array((np.ones(int(near.sum())), (a[near], b[near])), shape=(n, n))
        components[threshold] = connected_components(graph, directed=False)[1].astype(np.int64)
    return components


_FEW_VALUES, _LONG, _PREFIX = 50, 30.0, 6
"""Different values up to which a column is a category; letters from which on it is a text; letters of a prefix."""
_MOST_PAIRS = 60
"""Pairs for each row up to which a blocking rule is used."""


def splink_components(table: pa.Table, columns: Sequence[str], source: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the clusters of Splink at probability ½, comparisons and blocking chosen by the type of each column.

    A column of few values is compared by equality, one of long values by shared letters (Jaccard), any other by
    Jaro-Winkler similarity; frequencies of terms count. Rows are compared that are equal in a column, or in its first
    six letters, as far as that gives few pairs. With too little to learn from, all rows are their own.
    """
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    from splink.internals.exceptions import EMTrainingException

    logging.getLogger("splink").setLevel(logging.ERROR)
    n = len(table)
    texts = {name: [_text(value) for value in table[name].to_pylist()] for name in columns}
    comparisons, rules = [], []
    for number, values in enumerate(texts.values()):
        name, known = f"c{number}", [value for value in values if value is not None]
        if len(set(known)) < 2:
            continue
        if len(set(known)) <= _FEW_VALUES:
            comparisons.append(cl.ExactMatch(name))
        elif np.mean([len(value) for value in known]) >= _LONG:
            comparisons.append(cl.JaccardAtThresholds(name, [0.9, 0.8]))
        else:
            comparisons.append(cl.JaroWinklerAtThresholds(name, [0.9, 0.8]).configure(term_frequency_adjustments=True))
        for key, cut in ((name, None), (f"substr({name}, 1, {_PREFIX})", _PREFIX)):
            sizes = np.unique([value[:cut] for value in known], return_counts=True)[1].astype(np.float64)
            if 0 < (sizes * (sizes - 1) / 2).sum() <= _MOST_PAIRS * n:
                rules.append(block_on(key))
    alone = np.arange(n, dtype=np.int64)
    if not rules:
        return alone
    held: dict[str, Any] = {f"c{number}": values for number, values in enumerate(texts.values())}
    frame = pa.table({"id": alone, "side": alone if source is None else source, **held})
    api = DuckDBAPI()
    if source is None:
        inputs: Any = api.register(frame.drop_columns("side"))
    else:
        sides = [frame.filter(pa.array(source == side)).drop_columns("side") for side in (0, 1)]
        inputs = [api.register(side) for side in sides]
    settings = SettingsCreator(
        link_type="dedupe_only" if source is None else "link_only",
        unique_id_column_name="id",
        comparisons=comparisons,
        blocking_rules_to_generate_predictions=rules,
        retain_matching_columns=False,
    )
    linker = Linker(inputs, settings, log_level=logging.ERROR)
    linker.training.estimate_probability_two_random_records_match(rules[:1], recall=0.7)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in rules[:4] if len(comparisons) > 1 else []:
        with suppress(EMTrainingException):  # a rule that gives no pairs teaches nothing
            linker.training.estimate_parameters_using_expectation_maximisation(rule)
    pairs = linker.inference.predict(threshold_match_probability=0.5).as_pandas_dataframe()
    from onoma.numerics.union_find import components

    return components(n, pairs["id_l"].to_numpy(np.int64), pairs["id_r"].to_numpy(np.int64))


def _text(value: object) -> str | None:
    text = "" if value is None else str(value).strip().lower()
    return text or None
