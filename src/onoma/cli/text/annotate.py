"""`onoma annotate`: tokens, tags, trees, names and mentions for documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from onoma.cli.console import Speaker, Strong
from onoma.cli.interrupt import Interrupt
from onoma.cli.options import Json, Quiet
from onoma.cli.text.options import Annotator, Documents, Fresh, IdField, TextField
from onoma.errors import SettingsError

if TYPE_CHECKING:
    from onoma.corpus.documents import Annotations
    from onoma.pipeline.text.annotation import AnnotationJob

__all__ = ["annotate"]


def annotate(
    inputs: Documents,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="out.jsonl, .conllu, .conll, .html, .duckdb, .spacy, .txt; or a folder (Parquet). Without: names are "
            "shown in the text.",
        ),
    ] = None,
    source_format: Annotated[
        str | None,
        typer.Option("--from", help="text, markdown, html, jsonl, conllu, conll2012, brat or docbin; else by name."),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", help="The format of the output, where its name does not say it (brat, parquet)."),
    ] = None,
    text_field: TextField = "text",
    id_field: IdField = "id",
    model: Annotator = None,
    style: Annotated[str, typer.Option("--style", help="How names are understood: wiki, social…")] = "wiki",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="How many processes; the answer is the same.", min=1)] = 1,
    fresh: Fresh = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Annotate English text: tokens, sentences, tags, lemmas, trees, names and mentions.

    Plain text, Markdown, web pages (their main text), JSON Lines and annotated formats are read. A file that is no text
    is still a document of the output, with its problem. A run that was broken off goes on where it was.

    Examples:

      [cyan]onoma annotate letter.txt[/]
      [cyan]onoma annotate letters/*.txt -o letters.jsonl[/]
      [cyan]onoma annotate pages/ -o pages.html --jobs 2[/]
      [cyan]onoma annotate posts.jsonl --text-field body --style social -o posts.duckdb[/]
      [cyan]cat note.txt | onoma annotate - -o note.conllu[/]
      [cyan]onoma annotate notes/ --with spacy:en_core_web_sm -o notes.jsonl[/]
    """
    from onoma.pipeline.text.annotation import AnnotationJob, annotate_each

    speaker = Speaker(json=json, quiet=quiet)
    if output is None:
        if target_format is not None or jobs > 1 or fresh:
            raise SettingsError("--to, --jobs and --fresh go with a file to write", hint="Name it: -o out.jsonl")
        _show(
            speaker,
            annotate_each(
                inputs, source_format=source_format, text_field=text_field, id_field=id_field, model=model, style=style
            ),
        )
        return
    job = AnnotationJob(
        tuple(inputs), output, source_format, target_format, text_field, id_field, model, style, jobs, not fresh
    )
    _write(speaker, job)


def _show(speaker: Speaker, documents: "Iterator[Annotations]") -> None:
    """Print each document with its names marked, or as JSON what was found."""
    shown = []
    for one in documents:
        row = one.documents.slice(0, 1).to_pylist()[0]
        starts, ends = one.tokens["start_char"].to_pylist(), one.tokens["end_char"].to_pylist()
        names = [
            {"start": starts[name["start"]], "end": ends[name["end"] - 1], "type": name["type"], "text": name["text"]}
            for name in one.layer("name").to_pylist()
        ]
        counts = {"sentences": len(one.sentences), "tokens": len(one.tokens)}
        if speaker.json:
            shown.append({"document": row["document"], **counts, "names": names, "problem": row["problem"]})
            continue
        if row["problem"]:
            speaker.note(f"{row['document']}: {row['problem']}")
        told = ", ".join(f"{number:,} {what}" for what, number in (counts | {"names": len(names)}).items())
        speaker.say(Strong(row["document"]), f": {told}")
        parts: list[str] = []
        at, text = 0, row["text"] or ""
        for name in names:
            parts += [text[at : name["start"]], Strong(f"[{text[name['start'] : name['end']]} {name['type']}]")]
            at = name["end"]
        speaker.say(*parts, text[at:].rstrip())
        speaker.say("")
    if speaker.json:
        speaker.answer({"documents": shown})
    speaker.note("Tags, lemmas, trees and mentions: -o out.jsonl, .conllu, .duckdb …; a page: -o out.html")


def _write(speaker: Speaker, job: "AnnotationJob") -> None:
    from onoma.pipeline.text.annotation import annotate_files

    kept = f"what is done is kept in {job.output}.parts; the same command goes on from there"
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
        f"{job.output}: {report.n_documents:,} documents, {report.n_sentences:,} sentences, "
        f"{report.n_tokens:,} tokens, {report.n_names:,} names"
    )
    if speaker.json:
        speaker.answer(
            {
                "output": str(job.output),
                "documents": report.n_documents,
                "sentences": report.n_sentences,
                "tokens": report.n_tokens,
                "names": report.n_names,
                "kept": report.n_kept,
                "problems": report.n_problems,
            }
        )
