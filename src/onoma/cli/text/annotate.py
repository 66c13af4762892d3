"""`onoma annotate`: tokens, tags, trees, names and mentions for documents."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.interrupt import Interrupt
from onoma.cli.options import Json, Quiet

__all__ = ["annotate"]


def annotate(
    inputs: Annotated[
        list[str], typer.Argument(metavar="FILES…", help="Files, folders, patterns; - is standard input.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="out.jsonl, .conllu, .conll, .html, .duckdb, .spacy, .txt; or a folder (Parquet)."
        ),
    ],
    source_format: Annotated[
        str | None,
        typer.Option("--from", help="text, markdown, html, jsonl, conllu, conll2012, brat or docbin; else by name."),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", help="The format of the output, where its name does not say it (brat, parquet)."),
    ] = None,
    text_field: Annotated[
        str, typer.Option("--text-field", help="The field of JSON Lines that holds the text.")
    ] = "text",
    id_field: Annotated[
        str, typer.Option("--id-field", help="The field of JSON Lines that names the document.")
    ] = "id",
    model: Annotated[
        str | None, typer.Option("--with", help="A folder of models, or spacy:NAME for a pipeline of spaCy.")
    ] = None,
    style: Annotated[str, typer.Option("--style", help="How names are understood: wiki, social…")] = "wiki",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="How many processes; the answer is the same.", min=1)] = 1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not go on from an earlier run that was broken off.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Annotate English text: tokens, sentences, tags, lemmas, trees, names and mentions.

    Plain text, Markdown, web pages (their main text), JSON Lines and annotated formats are read. A file that is no text
    is still a document of the output, with its problem. A run that was broken off goes on where it was.

    Examples:

      [cyan]onoma annotate letters/*.txt -o letters.jsonl[/]
      [cyan]onoma annotate pages/ -o pages.html --jobs 2[/]
      [cyan]onoma annotate posts.jsonl --text-field body --style social -o posts.duckdb[/]
      [cyan]cat note.txt | onoma annotate - -o note.conllu[/]
      [cyan]onoma annotate notes/ --with spacy:en_core_web_sm -o notes.jsonl[/]
    """
    from onoma.pipeline.text.annotation import AnnotationJob, annotate_files

    speaker = Speaker(json=json, quiet=quiet)
    job = AnnotationJob(
        tuple(inputs), output, source_format, target_format, text_field, id_field, model, style, jobs, not fresh
    )
    kept = f"what is done is kept in {output}.parts; the same command goes on from there"
    with Interrupt(speaker.note, lambda: kept) as interrupt:
        report = annotate_files(job, progress=speaker.progress, stop=interrupt)
    if report.is_stopped:
        speaker.note(f"stopped after {report.n_documents:,} documents: {kept}")
        raise typer.Exit(130)
    if report.n_kept:
        speaker.note(f"{report.n_kept:,} documents were annotated by an earlier run")
    for document, problem in report.problems[:10]:
        speaker.note(f"{document}: {problem}")
    if report.n_problems > 10:
        speaker.note(f"… and {report.n_problems - 10:,} more documents with a problem; the output names each")
    speaker.say(
        f"{output}: {report.n_documents:,} documents, {report.n_sentences:,} sentences, {report.n_tokens:,} tokens, "
        f"{report.n_names:,} names"
    )
    if json:
        speaker.answer(
            {
                "output": str(output),
                "documents": report.n_documents,
                "sentences": report.n_sentences,
                "tokens": report.n_tokens,
                "names": report.n_names,
                "kept": report.n_kept,
                "problems": report.n_problems,
            }
        )
