"""Rules that people give as SQL over two rows, `l` and `r`: pairs to compare, pairs to join, pairs to hold apart.

    --block-on        "l.zip = r.zip AND left(l.surname, 3) = left(r.surname, 3)"    compare these, besides those found
    --must-link-on    "l.email = r.email"                                           these are one entity, always
    --cannot-link-on  "l.visit = r.visit"                                           these are two, always

A rule is one expression, run by DuckDB over the table as it came (the column of ids is called `id`), without regard to
order: it holds of a pair if it does with either row as `l`. What must be linked is so through others too; rules that
contradict each other are refused with the rows.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.resolve.config import OPTIONS, ResolveConfig
from onoma.resolve.posterior.judgements import Judged

__all__ = ["RULES", "check_rules", "has_constraints", "rule_judgements", "ruled_pairs"]

RULES = ("block_on", "must_link_on", "cannot_link_on")
"""The options that are conditions on two rows."""
MOST_COMPARED = 20_000_000
MOST_CONSTRAINED = 5_000_000
"""Pairs that a rule may hold of: of each, memory takes some 30 bytes."""


def has_constraints(config: ResolveConfig) -> bool:
    """Say whether rules join rows or hold them apart."""
    return bool(config.must_link_on or config.cannot_link_on)


def check_rules(table: pa.Table, config: ResolveConfig) -> None:
    """Refuse rules that are not understood, before any work."""
    if not any(getattr(config, name) for name in RULES):
        return
    from onoma.corpus.store import check_condition  # DuckDB, much to load for who says nothing in SQL

    if "id" not in table.column_names:
        table = table.append_column("id", pa.nulls(len(table), pa.string()))
    for name in RULES:
        for condition in getattr(config, name):
            check_condition(table, condition, OPTIONS[name].option)


def ruled_pairs(
    table: pa.Table,
    conditions: Sequence[str],
    *,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
    most: int = MOST_COMPARED,
) -> list[NDArray[np.int64]]:
    """Return, for each rule, the pairs of rows that it holds of: of different sources and of one block, if given."""
    if not conditions:
        return []
    from onoma.corpus.store import pairs_where

    return [pairs_where(table, each, source=source, block=block, most=most) for each in conditions]


def rule_judgements(
    table: pa.Table,
    config: ResolveConfig,
    *,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
) -> Judged:
    """Return what rules say of pairs: surely the same, surely different.

    Examples
    --------
    >>> table = pa.table({"id": ["1", "2", "3"], "email": ["a@b", "a@b", None], "visit": [7, 8, 8]})
    >>> said = rule_judgements(table, ResolveConfig(must_link_on=("l.email = r.email",)))
    >>> said.same.tolist(), said.different.tolist()
    ([[0, 1]], [])
    >>> rule_judgements(table, ResolveConfig(must_link_on=("l.email = r.email",), cannot_link_on=("l.id < r.id",)))
    Traceback (most recent call last):
    ...
    onoma.errors.SettingsError: the rules contradict each other: the rows '1' and '2' must be linked, and cannot be
    """
    within = {"source": source, "block": block, "most": MOST_CONSTRAINED}
    same = _together(ruled_pairs(table, config.must_link_on, **within))  # type: ignore[arg-type]
    different = _together(ruled_pairs(table, config.cannot_link_on, **within))  # type: ignore[arg-type]
    judged = Judged(same, different, np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    group = judged.groups(len(table))
    wrong = np.flatnonzero(group[different[:, 0]] == group[different[:, 1]])
    if len(wrong):
        a, b = (repr(table["id"][int(row)].as_py()) for row in different[wrong[0]])
        raise SettingsError(f"the rules contradict each other: the rows {a} and {b} must be linked, and cannot be")
    return judged


def _together(pairs: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs]), axis=0)
