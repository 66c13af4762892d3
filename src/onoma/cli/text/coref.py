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
    scheme: Annotated[
        str,
        typer.Option("--scheme", help="ontogum: any text; litbank: fiction, people and places, also alone."),
    ] = "ontogum",
    singletons: Annotated[
        bool | None,
        typer.Option(
            "--singletons/--no-singletons", help="Mentions that are alone are chains of one; else as the scheme has it."
        ),
    ] = None,
    gold_mentions: Annotated[
        bool, typer.Option("--gold-mentions", help="Link the mentions that CoNLL-2012 files hold; find none.")
    ] = False,
    substitute: Annotated[
        bool, typer.Option("--substitute", help="Add to .jsonl the text with pronouns replaced by main mentions.")
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
      [cyan]onoma coref novel.txt --scheme litbank -o novel.html[/]
      [cyan]onoma coref key.conll --gold-mentions -o linked.conll[/]
    """
    from onoma.pipeline.coreference import LONGEST, CorefJob, coref_files

    speaker = Speaker(json=json, quiet=quiet)
    job = CorefJob(
        tuple(inputs),
        output,
        source_format,
        text_field,
        id_field,
        model,
        annotator,
        singletons,
        scheme,
        gold_mentions,
        substitute,
    )
    with Interrupt(speaker.note, lambda: "nothing was written") as interrupt:
        counts = coref_files(job, progress=speaker.progress, stop=interrupt)
    speaker.say(
        f"{output}: {counts['documents']:,} documents, {counts['chains']:,} chains, {counts['mentions']:,} mentions"
    )
    if counts["long"]:
        speaker.note(
            f"{counts['long']:,} long: documents of more than {LONGEST:,} mentions are linked in stretches, and "
            f"antecedents looked for at least {LONGEST // 2:,} mentions back"
        )
    if json:
        speaker.answer({"output": str(output), **counts})
