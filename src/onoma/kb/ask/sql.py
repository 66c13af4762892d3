"""SQL with error bars: an aggregate over every posterior sample, its mean and its interval.

`records` in a question are the current records with the entity of each. For each sample they stand in the entities of
that sample, and the question is asked again; what varies between the answers is what the model is unsure of. A group
that some sample does not have counts there as nothing (0) where the aggregate counts or sums, and is left aside
elsewhere.

Where `resolve` checked its answer, samples are first changed by what the checks leave open (`checked.py`): how many
links are wrong and how many are missed. Elsewhere the interval is of the posterior alone: it holds what the model
leaves open, not what it gets wrong.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from onoma.errors import DataError, SettingsError
from onoma.kb._schema import BOOKKEEPING
from onoma.kb.ask.checked import Checked, draw_entities, read_checked
from onoma.kb.ask.past import own
from onoma.kb.database import KnowledgeBase, quoted

__all__ = ["Answer", "ask_sql"]

_COUNTING = ("count", "count_star", "sum", "approx_count_distinct")
_MOST_SAMPLES = 200


@dataclass(frozen=True, eq=False)
class Answer:
    """What a question gives."""

    table: pa.Table
    """The keys, and for each aggregate NAME its value now, `NAME_mean`, `NAME_low` and `NAME_high`."""
    keys: tuple[str, ...]
    measures: tuple[str, ...]
    """Empty: the question has no aggregate, and the answer no intervals."""
    n_samples: int
    level: float
    is_checked: bool = False
    """Whether the intervals hold what the checks leave open, too."""


def ask_sql(base: KnowledgeBase, sql: str, *, level: float = 0.95) -> Answer:
    """Answer a SELECT about `records`, with intervals for its aggregates.

    Parameters
    ----------
    sql
        One SELECT. `records` has the columns of the data, `entity` and `probability`.
    level
        The probability of the intervals.
    """
    if not 0 < level < 1:
        raise SettingsError(f"level is {level}; it is between 0 and 1")
    parts = _parts(base, sql)
    try:
        return _asked(base, sql, parts, level)
    finally:
        base.change("DROP VIEW IF EXISTS temp.records")


def _asked(base: KnowledgeBase, sql: str, parts: list[str | None], level: float) -> Answer:
    _let_records_be(base, None)
    try:
        now = base.query(sql)
    except DataError as error:
        names = base.query("FROM records LIMIT 0").column_names
        raise SettingsError(error.message, hint=f"The table is records; its columns are {', '.join(names)}.") from error
    measures = [i for i in range(now.num_columns) if parts[i] is not None] if len(parts) == now.num_columns else []
    checked = read_checked(base)
    n_samples = _n_samples(base)
    if not measures or (not n_samples and checked is None):
        return Answer(now, tuple(now.column_names), (), 0, level)
    whole = _of_all_groups(base, sql)
    if checked is not None:
        return replace(_with_intervals(now, list(_checked(base, whole, checked)), parts, level), is_checked=True)
    draws = []
    for s in range(n_samples):
        _let_records_be(base, s)
        draws.append(base.query(whole))
    return _with_intervals(now, draws, parts, level)


def _checked(base: KnowledgeBase, sql: str, checked: Checked) -> Iterator[pa.Table]:
    """Ask the question of every draw of who is who."""
    numbers, draws = draw_entities(base, checked)
    labels = {f"onoma_d{d}": each for d, each in enumerate(draws)}
    now = _records(base)
    # One table for all draws, the entities of each in a column of its own: a draw reads that column and joins nothing.
    base.change(
        f"CREATE OR REPLACE TEMP TABLE onoma_drawn AS SELECT r.*, d.* FROM ({now}) r JOIN drawn d USING (onoma_number)",  # noqa: S608 (names of ours)
        None,
        {"drawn": pa.table({"onoma_number": numbers} | labels)},
    )
    names = base.query(f"FROM ({now}) LIMIT 0").column_names
    others = ", ".join(quoted(name) for name in names if name not in ("onoma_number", "entity"))
    for name in labels:
        view = f"SELECT '#' || {name} AS entity, {others} FROM temp.onoma_drawn"  # noqa: S608 (names that are quoted)
        base.change(f"CREATE OR REPLACE TEMP VIEW records AS {view}")
        yield base.query(sql)
    base.change("DROP VIEW IF EXISTS temp.records; DROP TABLE IF EXISTS temp.onoma_drawn")


def _of_all_groups(base: KnowledgeBase, sql: str) -> str:
    """Return a question without what leaves groups out: one that some sample would not show is there all the same."""
    found = json.loads(base.value("SELECT json_serialize_sql(?)", [sql]))
    node = found["statements"][0]["node"]
    kept = [each for each in node["modifiers"] if not str(each["type"]).startswith("LIMIT")]
    if len(kept) == len(node["modifiers"]) and node["having"] is None:
        return sql
    node["modifiers"], node["having"] = kept, None
    return str(base.value("SELECT json_deserialize_sql(?::JSON)", [json.dumps(found)]))


def _parts(base: KnowledgeBase, sql: str) -> list[str | None]:
    """Return for each column of a SELECT the aggregate that makes it; None: it makes groups, or is no number."""
    found = json.loads(base.value("SELECT json_serialize_sql(?)", [sql]))
    if found["error"]:
        raise SettingsError(
            f"the question is not understood: {found['error_message']}",
            hint="One SELECT: select city, count(distinct entity) from records group by 1",
        )
    if len(found["statements"]) != 1:
        raise SettingsError("one SELECT is asked at a time")
    node = found["statements"][0]["node"]
    if node.get("type") != "SELECT_NODE":
        return []
    groups = [_bare(each) for each in node.get("group_expressions", [])]
    return [None if _bare(each) in groups else _aggregate(each) for each in node["select_list"]]


def _bare(node: object) -> object:
    """Return an expression without its name and its place in the text."""
    if isinstance(node, dict):
        return {key: _bare(value) for key, value in node.items() if key not in ("alias", "query_location")}
    return [_bare(each) for each in node] if isinstance(node, list) else node


def _aggregate(node: object) -> str | None:
    """Return the first aggregate inside an expression."""
    if isinstance(node, dict):
        name = str(node.get("function_name", "")).lower()
        if node.get("class") == "FUNCTION" and name in _AGGREGATES:
            return name
        return next((found for each in node.values() if (found := _aggregate(each))), None)
    if isinstance(node, list):
        return next((found for each in node if (found := _aggregate(each))), None)
    return None


_AGGREGATES = (*_COUNTING, "avg", "mean", "median", "min", "max", "stddev", "variance", "quantile_cont", "entropy")


def _let_records_be(base: KnowledgeBase, sample: int | None) -> None:
    """Let `records` be those of now, or those of a sample."""
    drawn, join = "m.entity", ""
    if sample is not None:
        # Groups that were drawn at different times are independent: those with fewer samples begin again.
        drawn = f"coalesce('#' || d.roots[({int(sample)} % len(d.roots)) + 1], m.entity)"
        join = "LEFT JOIN samples d ON d.record = m.record"
    base.change(
        f"CREATE OR REPLACE TEMP VIEW records AS SELECT * EXCLUDE (onoma_number) FROM ({_records(base, drawn, join)})"  # noqa: S608 (names of ours)
    )


def _records(base: KnowledgeBase, entity: str = "m.entity", join: str = "") -> str:
    """Return the question for all records, each with its number and its entity."""
    names = ", ".join(BOOKKEEPING)
    return (
        f"SELECT m.record AS onoma_number, {entity} AS entity, m.probability, r.* EXCLUDE ({names}) "  # noqa: S608
        f"FROM {own(base)}.records r JOIN memberships m ON m.record = r.onoma_record {join}"
    )


def _n_samples(base: KnowledgeBase) -> int:
    return min(int(base.value("SELECT coalesce(max(len(roots)), 0) FROM samples")), _MOST_SAMPLES)


def _with_intervals(now: pa.Table, draws: Sequence[pa.Table], parts: Sequence[str | None], level: float) -> Answer:
    names = now.column_names
    keys = [i for i, part in enumerate(parts) if part is None]
    measures = [i for i, part in enumerate(parts) if part is not None and _is_number(now.schema.field(i).type)]
    rows = list(zip(*(now.column(i).to_pylist() for i in keys), strict=True)) if keys else [()] * len(now)
    place = {row: i for i, row in enumerate(rows)}
    if len(place) < len(rows):
        raise SettingsError(
            "the groups of the question are not told apart by its columns", hint="Select what it groups by."
        )
    columns = {name: now.column(i) for i, name in enumerate(names)}
    for m in measures:
        missing = 0.0 if parts[m] in _COUNTING else np.nan
        values = np.full((len(draws), len(rows)), missing)
        for s, draw in enumerate(draws):
            found = zip(*(draw.column(i).to_pylist() for i in keys), strict=True) if keys else [()] * len(draw)
            for row, value in zip(found, draw.column(m).to_pylist(), strict=True):
                if row in place and value is not None:
                    values[s, place[row]] = float(value)
        columns |= _interval(names[m], values, level)
    told = tuple(names[i] for i in measures)
    return Answer(pa.table(columns), tuple(names[i] for i in keys), told, len(draws), level)


def _interval(name: str, values: np.ndarray[Any, np.dtype[np.float64]], level: float) -> dict[str, pa.Array]:
    """Return mean and interval of each group; one that no sample has has none."""
    known = ~np.isnan(values).all(axis=0)
    found = np.full((3, values.shape[1]), np.nan)
    if known.any():
        some = values[:, known]
        found[0, known] = np.nanmean(some, axis=0)
        found[1:, known] = np.nanquantile(some, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return {f"{name}_{what}": pa.array(row) for what, row in zip(("mean", "low", "high"), found, strict=True)}


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
