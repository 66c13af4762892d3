"""Golden records: rules that say which of its records gives an entity its value in a column.

| rule | the value of |
|---|---|
| `most frequent` | most records, differences of writing left aside (the default) |
| `longest` | the record where it is longest |
| `newest`, `newest by COLUMN` | the record that came last, or is latest by a date or number; it may be empty |
| `latest non-empty`, `latest non-empty by COLUMN` | the newest record that has a value |
| `source A, B` | the best source that has a value, A before B before all others |
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError

__all__ = ["ANY", "GoldenRule", "check_rules", "golden_rules", "parse_rule", "rule_rows"]

ANY = "*"
"""Stands for all columns that no rule is given for."""
KINDS = ("most frequent", "longest", "newest", "latest non-empty", "source")
_FORM = re.compile(r"(most frequent|longest|newest|latest non-empty|source)(?: by (.+)| (.+))?")


@dataclass(frozen=True)
class GoldenRule:
    """Which record gives the value."""

    kind: str
    by: str | None = None
    """The column that says which record is newer; None: the one that came later."""
    sources: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "source":
            return f"source {', '.join(self.sources)}"
        return self.kind if self.by is None else f"{self.kind} by {self.by}"


def parse_rule(text: str) -> GoldenRule:
    """Read a rule.

    Examples
    --------
    >>> parse_rule("source crm, shop")
    GoldenRule(kind='source', by=None, sources=('crm', 'shop'))
    >>> parse_rule("latest non-empty by changed")
    GoldenRule(kind='latest non-empty', by='changed', sources=())
    >>> parse_rule("best")
    Traceback (most recent call last):
    ...
    onoma.errors.SettingsError: there is no rule 'best' for golden records...
    """
    found = _FORM.fullmatch(text.strip())
    kind, by, rest = found.groups() if found else ("", None, None)
    sources = tuple(each.strip() for each in (rest or "").split(",") if each.strip())
    dated = kind in ("newest", "latest non-empty")
    if not kind or (by and not dated) or bool(sources) != (kind == "source"):
        raise SettingsError(
            f"there is no rule {text!r} for golden records",
            hint="most frequent, longest, newest [by COLUMN], latest non-empty [by COLUMN], or source A, B.",
        )
    return GoldenRule(kind, by, sources)


def golden_rules(said: Mapping[str, str]) -> dict[str, GoldenRule]:
    """Read the rules of a configuration, by column."""
    return {name: parse_rule(text) for name, text in said.items()}


def check_rules(table: pa.Table, said: Mapping[str, str], source: str | None) -> None:
    """Refuse rules about what is not there."""
    for name, rule in golden_rules(said).items():
        for column in (name, rule.by):
            if column not in (None, ANY, *table.column_names):
                raise SettingsError(
                    f"there is no column {column!r}, which a golden rule speaks of",
                    hint=f"The columns are {', '.join(table.column_names)}; {ANY} stands for all others.",
                )
        if rule.kind == "source" and source is None:
            raise SettingsError(
                f"the golden rule of {name!r} speaks of sources, and records have none",
                hint="Say which column they are in: --source COLUMN.",
            )


def rule_rows(
    rule: GoldenRule, name: str, table: pa.Table, clustering: Clustering, source: Sequence[str | None] | None
) -> NDArray[np.int64]:
    """Return for each entity the row whose value it has; -1 where no record has one.

    Of equal ones the later stands for `newest` and `latest non-empty`, the first for the others.
    """
    n = len(table)
    filled = _filled(table[name])
    rows = np.arange(n)
    if rule.kind in ("newest", "latest non-empty"):
        rank = rows.astype(np.float64) if rule.by is None else _ages(table[rule.by])
        order = np.lexsort((-rows, -rank, clustering.labels))
        use = filled if rule.kind == "latest non-empty" else np.ones(n, dtype=np.bool_)
    elif rule.kind == "longest":
        order = np.lexsort((rows, -_lengths(table[name]), clustering.labels))
        use = filled
    else:
        place = {each: at for at, each in enumerate(rule.sources)}
        best = np.array([place.get(str(each), len(place)) for each in (source or [None] * n)])
        order = np.lexsort((rows, best, clustering.labels))
        use = filled
    order = order[use[order]]
    chosen = np.full(clustering.n_entities, -1, dtype=np.int64)
    entity, first = np.unique(clustering.labels[order], return_index=True)
    chosen[entity] = order[first]
    return chosen


def _filled(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    there = pc.is_valid(column)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        there = pc.and_(there, pc.fill_null(pc.not_equal(pc.utf8_trim_whitespace(column), ""), fill_value=False))
    return np.asarray(there.to_numpy(), dtype=np.bool_)


def _lengths(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.array([0 if value is None else len(str(value)) for value in column.to_pylist()], dtype=np.int64)


def _ages(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return numbers that are greater the newer a value is; what is no date or number is the oldest."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.nan_to_num(column.cast(pa.float64()).to_numpy(), nan=-np.inf)
    if pa.types.is_temporal(column.type):
        days = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).cast(pa.float64())
        return np.nan_to_num(days.to_numpy(), nan=-np.inf)
    from onoma.resolve.fields.kinds import find_kind

    texts = ["" if value is None else str(value) for value in column.to_pylist()]
    known = sorted(set(texts))
    written = dict(zip(known, find_kind("date").normalise(known), strict=True))
    # A date may be followed by a time, which the reader of dates leaves aside: it orders those of one day.
    keys = [(written[text], text) if written[text] else ("", "") for text in texts]
    ranks = {key: float(at) for at, key in enumerate(sorted(set(keys)))}
    return np.array([ranks[key] if key[0] else -np.inf for key in keys])
