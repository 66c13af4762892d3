"""`onoma link-text`: which entry of an entity list the names of a text mean.

(`onoma link` would be a false friend: `onoma.link` in Python joins two tables, as `onoma resolve --link` does.)
"""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.cli.text.options import Documents

__all__ = ["link_text"]


def link_text(
    inputs: Documents,
    *,
    entities: Annotated[
        Path,
        typer.Option("--kb", metavar="FILE", help="The list: alias, entry, count; Wikidata's JSON; a KB from text."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="links.jsonl: a document a line.")],
    model: Annotated[Path | None, typer.Option("--model", help="A folder with a linking model.")] = None,
    least: Annotated[
        float, typer.Option("--least", help="Entries less probable than this are told as none.", min=0.0, max=1.0)
    ] = 0.5,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which entry of an entity list the names of a text mean, or that they mean none of them.

    Every named thing of a document (its names and whatever else refers to it) gets its likeliest entries with their
    probabilities; NIL is the probability that it is none of the list.

    Examples:

      [cyan]onoma link-text news/ --kb places.tsv -o links.jsonl[/]
      [cyan]onoma link-text news/ --kb people.duckdb --least 0.9 -o links.jsonl[/]
    """
    from onoma.pipeline.link_texts import LinkJob, link_files

    speaker = Speaker(json=json, quiet=quiet)
    counts = link_files(LinkJob(tuple(inputs), entities, output, model, least), progress=speaker.progress)
    speaker.say(f"{output}: {counts['documents']:,} documents, {counts['named']:,} named, {counts['linked']:,} linked")
    if json:
        speaker.answer({"output": str(output), **counts})
