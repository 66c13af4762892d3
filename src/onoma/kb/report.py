"""What changed between two runs of a knowledge base, as one HTML page that needs no network."""

from collections.abc import Sequence
from pathlib import Path

from onoma.corpus.writers.files import write_text
from onoma.errors import DataError
from onoma.kb.database import KnowledgeBase, quoted
from onoma.resolve.report.page import Html, page, section, table, tile

__all__ = ["RunLine", "run_lines", "write_changes"]

_MOST = 200
"""Changes of one kind that are listed; the rest is counted."""
_NAMED_BY = 4
"""Values that stand for an entity."""
_OURS = ("entity", "size", "probability", "record")
_TOLD = {
    "created": "Entities that are new",
    "joined": "Records that joined an entity",
    "merged": "Entities that became one",
    "split": "Entities that were split off",
    "moved": "Records that moved to another entity",
    "retracted": "Records that were retracted",
}

RunLine = tuple[int, str, str, int | None, int | None, int | None, int | None, int | None, str]
"""Run, when, kind, added, changed, retracted, resolved again, entities, command."""


def run_lines(base: KnowledgeBase) -> list[RunLine]:
    """Return one line for each run."""
    rows = base.rows(
        """SELECT run, made, kind, n_added, n_changed, n_retracted, n_touched, entities, command
        FROM runs ORDER BY run"""
    )
    return [(run, str(made), kind, *counts, command or "") for run, made, kind, *counts, command in rows]


def write_changes(base: KnowledgeBase, path: Path, *, since: int, until: int | None = None) -> None:
    """Write what the runs after one and up to another (None: the last) changed.

    Parameters
    ----------
    since
        The run whose state it is compared with.
    """
    lines = run_lines(base)
    last = lines[-1][0] if until is None else until
    known = {line[0] for line in lines}
    if since not in known or last not in known or since >= last:
        raise DataError(
            f"runs {since} and {last} cannot be compared; there are {min(known)} to {max(known)}", file=base.path
        )
    between = [line for line in lines if since < line[0] <= last]
    body = [Html(f"<h1>{len(between):,} {'run' if len(between) == 1 else 'runs'} after run {since}</h1>")]
    body.append(_summary(base, since, last))
    heads = ("run", "when", "kind", "added", "changed", "retracted", "resolved again", "entities", "command")
    body.append(section("runs", "The runs", table(heads, between)))
    for kind, title in _TOLD.items():
        body += _changes(base, kind, title, since, last)
    write_text(path, [page(f"{base.path.name}: changes", "\n".join(body))])


def _summary(base: KnowledgeBase, since: int, last: int) -> Html:
    counts = dict(
        base.rows("SELECT kind, count(*) FROM changes WHERE run > ? AND run <= ? GROUP BY kind", [since, last])
    )
    entities = dict(base.rows("SELECT run, entities FROM runs WHERE run IN (?, ?)", [since, last]))
    tiles = [
        tile(f"{entities.get(since) or 0:,}", f"entities after run {since}"),
        tile(f"{entities.get(last) or 0:,}", f"entities after run {last}"),
    ]
    tiles += [tile(f"{counts[kind]:,}", kind) for kind in _TOLD if kind in counts]
    return Html(f'<div class="tiles">{"".join(tiles)}</div>')


def _changes(base: KnowledgeBase, kind: str, title: str, since: int, last: int) -> list[Html]:
    rows: Sequence[tuple[object, ...]] = base.rows(
        f"""SELECT c.run, c.entity, {_named(base)} AS name, c.other, c.id, c.reason, e.size
        FROM changes c LEFT JOIN entities e USING (entity)
        WHERE c.kind = ? AND c.run > ? AND c.run <= ? ORDER BY c.change""",  # noqa: S608 (names that are quoted)
        [kind, since, last],
    )
    if not rows:
        return []
    more = f"{len(rows) - _MOST:,} more are in the table changes." if len(rows) > _MOST else ""
    heads = ("run", "entity", "what it is now", "from", "record", "why", "records now")
    return [section(kind, f"{title}: {len(rows):,}", table(heads, rows[:_MOST]), more)]


def _named(base: KnowledgeBase) -> str:
    """Return SQL for the first canonical values of an entity that are there: people know names, not numbers."""
    columns = [str(name) for (name,) in base.rows("SELECT column_name FROM (DESCRIBE entities)")]
    first = [f"nullif(e.{quoted(name)}::VARCHAR, '')" for name in columns if name not in _OURS][:_NAMED_BY]
    return f"concat_ws(' ', {', '.join(first)})" if first else "''"
