"""`onoma count`: how many entities there are, and how sure that is."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker, Strong
from onoma.cli.options import Json, Quiet
from onoma.kb.database import read_knowledge_base
from onoma.kb.query import count_entities

__all__ = ["count"]


def count(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    where: Annotated[
        str | None, typer.Option("--where", metavar="SQL", help="A condition on the columns of record_current.")
    ] = None,
    level: Annotated[float, typer.Option("--level", help="Probability of the interval.", min=0.5, max=0.999)] = 0.95,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count entities, with an interval over the samples.

    For example:

      [cyan]onoma count people.duckdb[/]
      [cyan]onoma count people.duckdb --where "city = 'Leeds'"[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    with read_knowledge_base(kb) as base:
        found = count_entities(base, where=where, level=level)
    if json:
        speaker.answer(found.as_dict())
        return
    speaker.say(Strong(f"{found.reported:,}"), f" entities ({level:.0%}: {found.low:,} – {found.high:,})")
