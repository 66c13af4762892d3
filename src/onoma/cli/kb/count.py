"""`onoma count`: how many entities there are, and how sure that is."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker, Strong
from onoma.cli.options import Json, Quiet
from onoma.kb.ask.past import see_as_of
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
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="RUN|DATE", help="As it was after a run, or on a day.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count entities, with the interval that resolve states: that of its checks, or of the samples.

    For example:

      [cyan]onoma count people.duckdb[/]
      [cyan]onoma count people.duckdb --where "city = 'Leeds'"[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    with read_knowledge_base(kb) as base:
        if as_of is not None:
            see_as_of(base, as_of)
        found = count_entities(base, where=where, level=level)
    if json:
        speaker.answer(found.as_dict())
        return
    sure = "how sure, is not known" if found.low is None else f"{level:.0%}: {found.low:,} – {found.high:,}"
    speaker.say(Strong(f"{found.reported:,}"), f" entities ({sure})")
