"""`onoma export`: a knowledge base as files for others."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.kb.ask.past import see_as_of
from onoma.kb.database import read_knowledge_base
from onoma.kb.exports.write import EXPORTS
from onoma.kb.exports.write import export as write

__all__ = ["export"]

_FORMATS = f"{', '.join(EXPORTS[:-1])} or {EXPORTS[-1]}."


def export(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    kind: Annotated[
        str, typer.Option("--format", "-f", help=f"{', '.join(EXPORTS[:-1])} or {EXPORTS[-1]}.")
    ] = "parquet",
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder for parquet, csv and jsonl; else a file.")],
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="RUN|DATE", help="As it was after a run, or on a day.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Export the current records with their entities, and the entities.

    For example:

      [cyan]onoma export people.duckdb --format csv -o out/[/]
      [cyan]onoma export people.duckdb --format ntriples -o people.nt[/]
      [cyan]onoma export people.duckdb --format sssom -o people.sssom.tsv[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    with read_knowledge_base(kb) as base:
        if as_of is not None:
            see_as_of(base, as_of)
        written = write(base, output, kind)
    if json:
        speaker.answer({"output": [str(path) for path in written]})
    for path in written:
        speaker.say(f"written: {path}")
