"""`onoma history`: the life of an entity, or of the whole knowledge base."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.kb.database import read_knowledge_base
from onoma.kb.query import Event
from onoma.kb.query import history as life
from onoma.kb.texts import is_from_text, named_entity

if TYPE_CHECKING:
    from onoma.kb.report import RunLine

__all__ = ["history"]


def history(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    entity: Annotated[
        str | None,
        typer.Argument(help="An entity, an alias, the id of a record, or (texts) a name; all runs if not given."),
    ] = None,
    *,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write what changed as a page.")
    ] = None,
    since: Annotated[int, typer.Option("--since", help="With --report: the run to compare with.", min=1)] = 1,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell the life of an entity: created, joined, merged, split, moved, retracted, and why. Or list all runs.

    For example:

      [cyan]onoma history people.duckdb e17[/]
      [cyan]onoma history people.duckdb[/]
      [cyan]onoma history people.duckdb --since 3 --report changes.html[/]
    """
    from onoma.kb.report import run_lines, write_changes  # its page takes long to load

    speaker = Speaker(json=json, quiet=quiet)
    with read_knowledge_base(kb) as base:
        if report is not None:
            write_changes(base, report, since=since)
        if entity is None:
            lines = run_lines(base)
            if json:
                speaker.answer({"runs": [dict(zip(_RUNS, line, strict=True)) for line in lines]})
            speaker.table("runs", ("run", "when", "kind", "entities", "records", "command"), map(_shown, lines))
        else:
            events = life(base, named_entity(base, entity) if is_from_text(base) else entity)
            if json:
                speaker.answer({"entity": entity, "events": [each._asdict() for each in events]})
            rows = ([each.run, each.made, _told(each), each.reason] for each in events)
            speaker.table(f"the life of {entity}", ("run", "when", "what", "why"), rows)
    if report is not None:
        speaker.say(f"written: {report}")


_RUNS = ("run", "when", "kind", "added", "changed", "retracted", "touched", "entities", "command")


def _shown(line: "RunLine") -> tuple[object, ...]:
    """Return a run as people read it: counts in words, so that a line fits on a screen."""
    run, when, kind, *counts, entities, command = line
    words = ("added", "changed", "retracted", "touched")
    told = ", ".join(f"{n:,} {word}" for n, word in zip(counts, words, strict=True) if n)
    return run, when, kind, entities, told, command


def _told(event: Event) -> str:
    said = {
        "created": f"{event.entity} was created",
        "joined": f"{event.record} joined {event.entity}",
        "merged": f"{event.other} became a part of {event.entity}",
        "split": f"{event.entity} was split from {event.other}",
        "moved": f"{event.record} moved from {event.other} to {event.entity}",
        "retracted": f"{event.record} was retracted from {event.entity}",
    }
    return said.get(event.kind, event.kind)
