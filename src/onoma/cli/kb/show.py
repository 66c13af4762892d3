"""`onoma show`: entities by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.kb.ask.past import see_as_of
from onoma.kb.database import read_knowledge_base
from onoma.kb.query import record_rows
from onoma.kb.query import show as find
from onoma.kb.texts import common_folder

__all__ = ["show"]


def show(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    name: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="A name, roughly; or an entity, alias or record.")
    ],
    *,
    most: Annotated[int, typer.Option("--most", help="How many entities to show.", min=1)] = 5,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="RUN|DATE", help="As it was after a run, or on a day.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find entities by name, spelt roughly right, and show their records.

    For example:

      [cyan]onoma show people.duckdb jon smiht leeds[/]
      [cyan]onoma show people.duckdb e17[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    with read_knowledge_base(kb) as base:
        if as_of is not None:
            see_as_of(base, as_of)
        found = find(base, " ".join(name), most=most)
        records = {each.entity: record_rows(base, each.entity) for each in found}
        folder = common_folder(base)
    if json:
        speaker.answer({"entities": [each._asdict() | {"records": records[each.entity]} for each in found]})
        return
    if not found:
        speaker.say("nothing is alike")
    for each in found:
        title = f"{each.entity}: {each.size:,} {'record' if each.size == 1 else 'records'}, {each.score:.0f} % alike"
        speaker.table(title, ("id", "probability", "record"), (_told(row, folder) for row in records[each.entity]))
        speaker.say("")


def _told(row: Mapping[str, object], folder: str) -> tuple[object, object, str]:
    """Return a record's id, its probability, and its values in one line: tables have more columns than screens.

    The folder that all documents lie in is left out of their names.
    """
    values = [str(value) for name, value in row.items() if name not in ("id", "probability") and value is not None]
    told = " · ".join(value.removeprefix(folder) for value in values)
    return str(row["id"]).removeprefix(folder), row["probability"], told
