"""`onoma coref`: which mentions of a text are one thing?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.interrupt import Interrupt
from onoma.cli.options import Json, Quiet
from onoma.cli.text.options import Annotator, Documents, IdField, SourceFormat, TextField

if TYPE_CHECKING:
    from onoma.pipeline.coreference import CorefJob

__all__ = ["coref"]


def coref(
    inputs: Documents,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="out.jsonl, .conll, .html, .duckdb; .txt: pronouns replaced by names. Without: chains are shown.",
        ),
    ] = None,
    source_format: SourceFormat = None,
    text_field: TextField = "text",
    id_field: IdField = "id",
    model: Annotated[Path | None, typer.Option("--model", help="A folder with a trained model.")] = None,
    annotator: Annotator = None,
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

      [cyan]onoma coref story.txt[/]
      [cyan]onoma coref letters/*.txt -o letters.html[/]
      [cyan]onoma coref story.txt -o story.jsonl[/]
      [cyan]onoma coref story.txt -o without-pronouns.txt[/]
      [cyan]onoma coref novel.txt --scheme litbank -o novel.html[/]
      [cyan]onoma coref key.conll --gold-mentions -o linked.conll[/]
    """
    from onoma.pipeline.coreference import CorefJob

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
    if job.output is None:
        _show(speaker, job)
    else:
        _write(speaker, job)


def _show(speaker: Speaker, job: "CorefJob") -> None:
    """Print the chains of each document, for people or as JSON."""
    from onoma.pipeline.coreference import coref_each

    shown, n_long = [], 0
    with Interrupt(speaker.note, lambda: "no more is shown") as interrupt:
        for one in coref_each(job, progress=speaker.progress, stop=interrupt):
            n_long += one.is_long
            if speaker.json:
                shown.append(one.as_json() | ({"substituted": one.substituted()} if job.substitute else {}))
                continue
            title = f"{one.name}: {len(one.chains):,} chains, {one.n_mentions:,} mentions"
            if one.chains:
                rows = [(chain.called, len(chain.mentions), chain.said()) for chain in one.chains]
                speaker.table(title, ["what", "n", "mentions, and how sure"], rows)
            else:
                speaker.say(f"{title}: nothing is mentioned twice")
            if job.substitute:
                speaker.say("")
                speaker.say(one.substituted())
            speaker.say("")
    if speaker.json:
        speaker.answer({"documents": shown})
    speaker.note(
        "In brackets: the probability that a mention is the same thing as the one before it (the least, where it is "
        "said several times). -o story.html shows it in the text, -o story.jsonl gives offsets."
    )
    _note_long(speaker, n_long)


def _write(speaker: Speaker, job: "CorefJob") -> None:
    from onoma.pipeline.coreference import coref_files

    with Interrupt(speaker.note, lambda: "nothing was written") as interrupt:
        counts = coref_files(job, progress=speaker.progress, stop=interrupt)
    speaker.say(
        f"{job.output}: {counts['documents']:,} documents, {counts['chains']:,} chains, {counts['mentions']:,} mentions"
    )
    _note_long(speaker, counts["long"])
    if speaker.json:
        speaker.answer({"output": str(job.output), **counts})


def _note_long(speaker: Speaker, n: int) -> None:
    from onoma.pipeline.coreference import LONGEST

    if n:
        speaker.note(
            f"{n:,} long: documents of more than {LONGEST:,} mentions are linked in stretches, and "
            f"antecedents looked for at least {LONGEST // 2:,} mentions back"
        )
