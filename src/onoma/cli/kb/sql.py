"""`onoma sql`: any aggregate, with error bars."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.kb.ask.past import see_as_of
from onoma.kb.ask.sql import ask_sql
from onoma.kb.database import read_knowledge_base

__all__ = ["sql"]


def sql(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    question: Annotated[str, typer.Argument(metavar="SELECT", help="One SELECT about records.")],
    *,
    level: Annotated[float, typer.Option("--level", help="Probability of the intervals.", min=0.5, max=0.999)] = 0.95,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="RUN|DATE", help="As it was then; without intervals.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask in SQL about the records and their entities: aggregates come with error bars.

    The table is `records`: the columns of the data, entity and probability.

    It is asked of every posterior sample: mean, low and high stand beside each aggregate (in JSON `NAME_mean` …). Where
    resolve checked its answer, samples are changed first by what the checks leave open: links that are wrong or missed.

    For example:

      [cyan]onoma sql people.duckdb "select city, count(distinct entity) as people from records group by 1"[/]
      [cyan]onoma sql people.duckdb "select count(*) / count(distinct entity) as records_each from records"[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    with read_knowledge_base(kb) as base:
        if as_of is not None:
            see_as_of(base, as_of)
        found = ask_sql(base, question, level=level)
    if json:
        about = {"level": found.level, "samples": found.n_samples, "measures": list(found.measures)}
        about |= {"checked": found.is_checked}
        speaker.answer({"rows": found.table.to_pylist()} | about)
        return
    # Beside an aggregate its mean and interval need no more than that for a name: a line is short.
    brief = {f"{name}_{what}": what for name in found.measures for what in ("mean", "low", "high")}
    names = [brief.get(name, name) for name in found.table.column_names]
    speaker.table("", names, (list(row.values()) for row in found.table.to_pylist()))
    if not found.measures and as_of is not None:
        speaker.say("no intervals: samples are of now, the past has one answer")
    elif not found.measures:
        speaker.say("no intervals: the question has no aggregate, or the knowledge base no samples")
    elif not found.is_checked:
        speaker.say("intervals of the samples alone: the answer was not checked, and the weights are estimates too")
