"""`onoma coref`: which mentions of a text are one thing?"""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.interrupt import Interrupt
from onoma.cli.options import Json, Quiet

__all__ = ["coref"]


def coref(
    inputs: Annotated[
        list[str], typer.Argument(metavar="FILES…", help="Files, folders, patterns; - is standard input.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="out.jsonl, .conll, .html, .duckdb; .txt: pronouns replaced by names."),
    ],
    source_format: Annotated[
        str | None, typer.Option("--from", help="text, markdown, html or jsonl; else by name.")
    ] = None,
    text_field: Annotated[
        str, typer.Option("--text-field", help="The field of JSON Lines that holds the text.")
    ] = "text",
    id_field: Annotated[
        str, typer.Option("--id-field", help="The field of JSON Lines that names the document.")
    ] = "id",
    model: Annotated[Path | None, typer.Option("--model", help="A folder with a trained model.")] = None,
    annotator: Annotated[
        str | None, typer.Option("--with", help="A folder of text models, or spacy:NAME for a pipeline of spaCy.")
    ] = None,
    singletons: Annotated[
        bool, typer.Option("--singletons", help="Mentions that are alone are chains of one.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find which mentions of a text are one thing: names, noun phrases and pronouns, in chains.

    Every mention of a chain has the probability that it is the same thing as the one before it.

    Examples:

      [cyan]onoma coref letters/*.txt -o letters.html[/]
      [cyan]onoma coref story.txt -o story.jsonl[/]
      [cyan]onoma coref story.txt -o without-pronouns.txt[/]
    """
    from onoma.pipeline.coreference import CorefJob, coref_files

    speaker = Speaker(json=json, quiet=quiet)
    job = CorefJob(tuple(inputs), output, source_format, text_field, id_field, model, annotator, singletons)
    with Interrupt(speaker.note, lambda: "nothing was written") as interrupt:
        counts = coref_files(job, progress=speaker.progress, stop=interrupt)
    speaker.say(
        f"{output}: {counts['documents']:,} documents, {counts['chains']:,} chains, {counts['mentions']:,} mentions"
    )
    if json:
        speaker.answer({"output": str(output), **counts})
