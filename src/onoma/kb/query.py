"""Asking a knowledge base: names, lives of entities, counts with intervals."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from onoma.errors import DataError, SettingsError
from onoma.kb.ask.checked import Checked, draw_entities, read_checked
from onoma.kb.database import KnowledgeBase, quoted
from onoma.kb.texts import is_from_text
from onoma.kb.world import find_entity, record_table

__all__ = [
    "Count",
    "Event",
    "Match",
    "count_entities",
    "history",
    "matches",
    "record_rows",
    "show",
    "word_scores",
]


class Match(NamedTuple):
    """An entity found by name."""

    entity: str
    size: int
    score: float
    """How alike the name is, up to 100."""
    shown: dict[str, object]
    """The canonical values that are there."""


def show(base: KnowledgeBase, name: str, *, most: int = 10, least: float = 60.0) -> list[Match]:
    """Return the entities whose canonical values are most alike to a name, or that have it for an id or alias."""
    columns = [column for column in base.query("FROM entities LIMIT 0").column_names if column not in _OURS]
    joined = ", ".join(f"{quoted(column)}::VARCHAR" for column in columns) or "''"
    # Only what is looked at is read of all of them, and the values of those that are told.
    table = base.query(f"SELECT entity, lower(concat_ws(' ', {joined})) AS told FROM entities")  # noqa: S608 (names that are quoted)
    names, texts = table["entity"].to_pylist(), table["told"].to_pylist()
    exact = _exact(base, name)
    scores = word_scores(name, texts)
    likely = np.flatnonzero(scores >= least)
    likely = likely[np.argsort(-scores[likely], kind="stable")][: max(4 * most, 40)]
    # Of those that hold all of the words, the shortest says least else.
    scored = [(float(scores[i]), int(i)) for i in likely]
    scored.sort(key=lambda each: (-each[0], -fuzz.ratio(name.lower(), texts[each[1]]), each[1]))
    chosen = [] if exact is None else [(100.0, exact)]
    chosen = [*chosen, *((score, names[i]) for score, i in scored if names[i] != exact)][:most]
    return matches(base, chosen)


def matches(base: KnowledgeBase, chosen: Sequence[tuple[float, str]]) -> list[Match]:
    """Return some entities, each with how alike it is, with their canonical values."""
    marks = ", ".join("?" * len(chosen)) or "NULL"
    found = base.query(f"SELECT * FROM entities WHERE entity IN ({marks})", [entity for _, entity in chosen])  # noqa: S608
    rows = {row["entity"]: row for row in found.to_pylist()}
    return [
        Match(
            entity,
            int(rows[entity]["size"]),
            round(score, 1),
            {column: value for column, value in rows[entity].items() if column not in _OURS and value is not None},
        )
        for score, entity in chosen
        if entity in rows
    ]


def word_scores(name: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Return how alike each text (lower case) is to a name, up to 100: its words, each by the word most alike there.

    Alike is one less the edits for each letter; two letters that changed places are one edit. Words count by their
    length. Each different word of the texts is compared once.

    Examples
    --------
    >>> word_scores("jon smiht", ["john smith leeds", "ada lovelace"]).round().tolist()
    [78.0, 5.0]
    """
    asked = list(dict.fromkeys(_WORD.findall(name.lower())))
    numbers: dict[str, int] = {}
    places = [[numbers.setdefault(word, len(numbers)) for word in _WORD.findall(text)] for text in texts]
    scores = np.zeros(len(texts))
    if not asked or not numbers:
        return scores
    likeness = process.cdist(asked, list(numbers), scorer=OSA.normalized_similarity, dtype=np.float32)
    some = np.flatnonzero([len(each) > 0 for each in places])
    starts = np.cumsum([0, *(len(places[i]) for i in some[:-1])])
    best = np.maximum.reduceat(likeness[:, np.concatenate([places[i] for i in some])], starts, axis=1)
    lengths = np.array([len(word) for word in asked], dtype=np.float64)
    scores[some] = 100 * lengths @ best / lengths.sum()
    return scores


_OURS = ("entity", "size", "probability", "record")
"""Columns of `entities` that are not of the data."""
_WORD = re.compile(r"\w+")


def _exact(base: KnowledgeBase, name: str) -> str | None:
    try:
        return find_entity(base, name)
    except DataError:
        return None


def record_rows(base: KnowledgeBase, entity: str) -> list[dict[str, object]]:
    """Return the records of an entity as they came, with the probability of each to belong there."""
    rows = base.rows("SELECT record, probability FROM memberships WHERE entity = ? ORDER BY record", [entity])
    table = record_table(base, [int(record) for record, _ in rows])
    return [
        {"probability": float(p)} | {name: value for name, value in row.items() if value is not None}
        for (_, p), row in zip(rows, table.to_pylist(), strict=True)
    ]


class Event(NamedTuple):
    """A line in the life of an entity."""

    run: int
    made: str
    kind: str
    entity: str
    other: str | None
    record: str | None
    reason: str


def history(base: KnowledgeBase, name: str) -> list[Event]:
    """Return the life of an entity, that of the ones it came from or went into included, first things first."""
    names = (
        {name} if base.value("SELECT 1 FROM changes WHERE entity = ? LIMIT 1", [name]) else {find_entity(base, name)}
    )
    while True:
        more = base.rows(
            """SELECT DISTINCT unnest([entity, other]) FROM changes
            WHERE kind IN ('merged', 'split') AND (list_contains(?, entity) OR list_contains(?, other))""",
            [sorted(names), sorted(names)],
        )
        grown = names | {str(each) for (each,) in more if each is not None}
        if grown == names:
            break
        names = grown
    rows = base.rows(
        """SELECT c.run, r.made, c.kind, c.entity, c.other, c.source, c.id, c.reason
        FROM changes c LEFT JOIN runs r USING (run)
        WHERE list_contains(?, c.entity) OR list_contains(?, c.other) ORDER BY c.change""",
        [sorted(names), sorted(names)],
    )
    return [
        Event(run, "" if made is None else str(made), kind, entity, other, _key(source, key), reason)
        for run, made, kind, entity, other, source, key, reason in rows
    ]


def _key(source: str | None, key: str | None) -> str | None:
    return key if not source or key is None else f"{source}:{key}"


@dataclass(frozen=True)
class Count:
    """How many entities there are."""

    reported: int
    """In the clustering that is reported."""
    low: int | None
    high: int | None
    """None: nothing was sampled, and how sure the number is is not known."""
    level: float = 0.95
    is_checked: bool = False
    """Whether the interval holds what the checks leave open: how many links are wrong, and how many are missed."""

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        interval = None if self.low is None else [self.low, self.high]
        return {"entities": self.reported, "interval": interval, "level": self.level, "checked": self.is_checked}


def count_entities(base: KnowledgeBase, *, where: str | None = None, level: float = 0.95) -> Count:
    """Count the entities, or those with a record for which a condition holds, with an interval.

    The interval is the one that `resolve` states: that of the checks where there were any, else that of the samples.

    Parameters
    ----------
    where
        A condition in SQL on the columns of `record_current`: `city = 'Leeds' AND born > 1900`.
    level
        The probability that the interval holds the number.
    """
    if not 0 < level < 1:
        raise SettingsError(f"level is {level}; it is between 0 and 1")
    try:
        if where is not None:
            base.check_expression(where)
        return _count(base, where, level)
    except DataError as error:
        if where is None:
            raise
        raise _no_condition(base, where, error) from error


def _count(base: KnowledgeBase, condition: str | None, level: float) -> Count:
    checked = read_checked(base)
    if condition is None:
        chosen = "memberships"
        reported = int(base.value("SELECT count(DISTINCT entity) FROM memberships"))
        stated = _stated(base) if level == LEVEL else None
        if stated is not None:
            return Count(reported, *stated, level, is_checked=checked is not None)
        if checked is not None:
            return _counted(reported, checked.totals(_n_records(base), reported), level, is_checked=True)
    else:
        # On a line of its own, for it may end in a comment.
        chosen = f"(SELECT onoma_record AS record, entity FROM record_current WHERE (\n{condition}\n))"  # noqa: S608
        reported = int(base.value(f"SELECT count(DISTINCT entity) FROM {chosen}"))  # noqa: S608
        if checked is not None:
            return _counted(reported, _drawn_counts(base, chosen, checked), level, is_checked=True)
    lists = base.query(f"SELECT record, roots FROM samples SEMI JOIN {chosen} USING (record)")  # noqa: S608
    if not len(lists):
        told = None if base.is_past or is_from_text(base) else reported
        return Count(reported, told, told, level)
    # Who keeps company with a record in doubt is in doubt too.
    sure = int(base.value(f"SELECT count(DISTINCT entity) FROM {chosen} ANTI JOIN samples USING (record)"))  # noqa: S608
    found = _counted(reported, sure + _groups(lists, is_whole=condition is None), level)
    low, high = (reported if each is None else each for each in (found.low, found.high))
    return Count(reported, min(low, reported), max(high, reported), level)


LEVEL = 0.95
"""The level at which `resolve` states its interval."""


def _counted(
    reported: int, drawn: NDArray[np.int64] | NDArray[np.float64], level: float, *, is_checked: bool = False
) -> Count:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Count(reported, int(np.floor(low)), int(np.ceil(high)), level, is_checked)


def _stated(base: KnowledgeBase) -> tuple[int, int] | None:
    """Return the interval that the last run stated; None where it stated none."""
    if base.is_past:
        return None
    rows = base.rows("SELECT entities_low, entities_high FROM runs ORDER BY run DESC LIMIT 1")
    return None if not rows or rows[0][0] is None else (int(rows[0][0]), int(rows[0][1]))


def _n_records(base: KnowledgeBase) -> int:
    return int(base.value("SELECT count(*) FROM memberships"))


def _drawn_counts(base: KnowledgeBase, chosen: str, checked: Checked) -> NDArray[np.int64]:
    """Return how many entities some records are in, in each draw of who is who."""
    some = base.array(f"SELECT record FROM {chosen}", np.int64)  # noqa: S608 (a condition that was checked)
    numbers, draws = draw_entities(base, checked)
    places = np.searchsorted(numbers, some)
    return np.array([len(np.unique(labels[places])) for labels in draws], dtype=np.int64)


def _groups(lists: pa.Table, *, is_whole: bool) -> NDArray[np.int64]:
    """Return for each sample how many entities there are among records, given the first of its entity in each.

    `is_whole`: all records in doubt are there; then the first of each entity is, and they are counted.
    """
    one = lists["roots"].combine_chunks()
    lengths = pc.list_value_length(one).to_numpy()
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    roots, n_samples = one.flatten().to_numpy(), int(lengths.max())
    if (lengths == n_samples).all():
        drawn = roots.reshape(len(lengths), n_samples)
    else:  # groups that were drawn at different times are independent: those with fewer samples begin again
        drawn = roots[starts[:, None] + np.arange(n_samples)[None, :] % lengths[:, None]]
    if is_whole:
        return np.asarray((drawn == lists["record"].to_numpy()[:, None]).sum(axis=0))
    ordered = np.sort(drawn, axis=0)
    return np.asarray(1 + (ordered[1:] != ordered[:-1]).sum(axis=0))


def _no_condition(base: KnowledgeBase, where: str, error: DataError) -> SettingsError:
    """Say which columns a condition may speak of, and give one that holds for a record of this knowledge base."""
    row = base.query("SELECT * EXCLUDE (probability) FROM record_current LIMIT 1").to_pylist()
    names = [name for name in base.query("FROM record_current LIMIT 0").column_names if not name.startswith("onoma_")]
    texts = {name: row[0][name] for name in names if row and isinstance(row[0].get(name), str)}
    wanted = [name for name in texts if texts[name].isalpha()] or list(texts)
    why = error.message.partition("DuckDB could not answer: ")[2] or error.message
    hint = None
    if wanted:
        value = texts[wanted[0]].replace("'", "''")
        hint = f"Texts stand in single quotes, columns in double ones if at all: {_named(wanted[0])} = '{value}'"
    return SettingsError(
        f"the condition {where!r} is not understood: {why}; the columns are {', '.join(names)}", hint=hint
    )


def _named(column: str) -> str:
    return column if column.isidentifier() else quoted(column)
