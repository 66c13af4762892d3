"""`onoma build`: from documents to a knowledge base."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.interrupt import INTERRUPTED, Interrupt
from onoma.cli.options import Json, Quiet, Seed
from onoma.cli.text.options import Annotator, Documents, Fresh, IdField, SourceFormat, TextField
from onoma.errors import SettingsError
from onoma.jobs import noted

__all__ = ["build"]


def build(
    inputs: Documents,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The knowledge base to make: kb.duckdb.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="KB", help="Add documents to this one; ids are kept.")
    ] = None,
    source_format: SourceFormat = None,
    text_field: TextField = "text",
    id_field: IdField = "id",
    annotator: Annotator = None,
    model: Annotated[Path | None, typer.Option("--model", help="A folder with a coreference model.")] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="How many processes read; the answer is the same.", min=1)
    ] = 1,
    entities: Annotated[
        Path | None,
        typer.Option(
            "--kb", metavar="FILE", help="An entity list to link to: alias, entry, count; or Wikidata's JSON."
        ),
    ] = None,
    facts: Annotated[
        Path | None,
        typer.Option(
            "--facts", metavar="FILE", help="Known facts (subject, relation, object): what texts say of such others."
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="Where documents are read: processes[4], spark://host:port, yarn, k8s://…"),
    ] = None,
    seed: Seed = 0,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Build a knowledge base from documents: who is named in them, and what is said of whom, with its sentences.

    Mentions are found and joined in chains, chains with a name are grouped across documents, and what sentences say of
    two of them becomes facts. A run that was broken off goes on where it was.

    Examples:

      [cyan]onoma build letters/ -o letters.duckdb[/]
      [cyan]onoma show letters.duckdb lovelace[/]
      [cyan]onoma explain letters.duckdb e3[/]
      [cyan]onoma build news/ --kb places.tsv -o news.duckdb[/]
      [cyan]onoma build news/ --facts born-in.tsv -o news.duckdb[/]
      [cyan]onoma build more-letters/ --into letters.duckdb[/]
    """
    from onoma.pipeline.building.build import BuildJob
    from onoma.pipeline.building.build import build as run

    speaker = Speaker(json=json, quiet=quiet)
    if (output is None) == (into is None):
        raise SettingsError(
            "say where to: a new knowledge base, or one to add to", hint="onoma build DOCS -o kb.duckdb, or --into KB."
        )
    target = output or into
    assert target is not None  # noqa: S101 (one of the two)
    command = " ".join(["onoma", *sys.argv[1:]])
    job = BuildJob(
        tuple(inputs),
        target,
        into is not None,
        source_format,
        text_field,
        id_field,
        annotator,
        model,
        jobs,
        entities,
        seed,
        not fresh,
        command,
        facts,
        engine,
    )
    kept = f"what was read is kept in {target}.parts; the same command goes on from there"
    with (
        Interrupt(speaker.note, lambda: kept) as interrupt,
        noted(target, command, speaker.progress, interrupt) as (progress, stop),
    ):
        report = run(job, progress=progress, stop=stop)
    if report.is_stopped:
        speaker.note(f"stopped: {kept}")
        raise typer.Exit(INTERRUPTED)
    if report.kept:
        speaker.note(f"{report.kept:,} documents were read by an earlier run")
    for document, problem in report.problems[:10]:
        speaker.note(f"{document}: {problem}")
    if len(report.problems) > 10:
        speaker.note(f"… and {len(report.problems) - 10:,} more documents with problems")
    if json:
        speaker.answer({"output": str(target), **report.as_dict()})
        return
    linked = f" ({report.linked:,} linked)" if entities is not None else ""
    known = f", {report.known:,} known already" if report.known else ""
    speaker.say(
        f"{target}: {report.documents:,} documents{known}, {report.mentions:,} mentions, "
        f"{report.entities:,} entities{linked}, {report.facts:,} facts"
    )
    if facts is not None:
        speaker.say(f"{report.learnt:,} of these are of the given relations and learnt")
        for note in report.notes[-2:]:
            speaker.say(note)
