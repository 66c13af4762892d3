"""`onoma plan`: what `onoma resolve` would do, in a few seconds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import ColumnMap, Json, Quiet, column_kinds, column_pairs
from onoma.pipeline.plan import Aligned, Plan, plan_files
from onoma.resolve.config import ResolveConfig

__all__ = ["plan", "show_aligned", "show_plan", "times"]


def plan(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="One table, or several sources.")],
    *,
    id: Annotated[str | None, typer.Option("--id", help="The column of ids; found, or made, if not given.")] = None,
    field: Annotated[
        list[str] | None, typer.Option("--field", metavar="COLUMN=KIND", help="What a column is: --field title=text.")
    ] = None,
    map: ColumnMap = None,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", metavar="COLUMN", help="A column that is no evidence.")
    ] = None,
    link: Annotated[bool, typer.Option("--link", help="Join rows of different sources only.")] = False,
    link_and_dedupe: Annotated[
        bool, typer.Option("--link-and-dedupe", help="Rows of one source may be the same, too.")
    ] = False,
    source: Annotated[str | None, typer.Option("--source", help="The column that says where a row comes from.")] = None,
    one_type: Annotated[bool, typer.Option("--one-type", help="All rows are of one type.")] = False,
    block: Annotated[
        str | None, typer.Option("--block", help="Only rows with the same value in this column can be the same.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what onoma resolve would do: kinds of columns, columns brought together, blocking, model, time.

    Of large files only a part is read, so this takes seconds.

    For example:

      [cyan]onoma plan people.csv[/]
      [cyan]onoma plan shop.csv catalogue.csv --link --map title=product_name[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    config = ResolveConfig(
        id=id,
        source=source,
        link=link,
        link_and_dedupe=link_and_dedupe,
        one_type=one_type,
        block=block,
        exclude=tuple(exclude or ()),
        kinds=column_kinds(field or []),
        map=column_pairs(map or []),
    )
    found = plan_files(files, config)
    if json:
        speaker.answer(found.as_dict())
        return
    show_plan(speaker, found)


def show_plan(speaker: Speaker, found: Plan) -> None:
    """Show a plan."""
    rows = [[name, kind, why] for name, (kind, why) in found.fields.items()]
    rows += [[name, "ignored", why] for name, why in found.ignored.items()]
    speaker.table("what the columns are taken for", ("column", "kind", "why"), rows)
    show_aligned(speaker, found.aligned)
    speaker.say("")
    part = f" (a part of {found.looked_at:,} was looked at)" if found.is_sampled else ""
    speaker.say(f"{'about ' if found.is_sampled else ''}{found.rows:,} rows{part}")
    speaker.say(f"blocking: {found.blocking}")
    speaker.say(f"model: {found.model}" + (f", because {found.model_reason}" if found.model_reason else ""))
    for each in found.types:
        speaker.say(f"type of rows: {each}")
    for note in found.notes:
        speaker.say(f"note: {note}")
    low, high = times(found)
    speaker.say(f"expected time: {low} to {high} on two cores")


def show_aligned(speaker: Speaker, aligned: Sequence[Aligned]) -> None:
    """Show which columns were brought together."""
    if aligned:
        speaker.say("")
        speaker.table(
            "columns brought together",
            ("source", "column", "is", "because"),
            [[each.source, each.column, each.to, each.reason] for each in aligned],
        )


def times(found: Plan) -> tuple[str, str]:
    """Return the shortest and the longest time that is expected."""
    return _time(found.shortest), _time(found.longest)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
