"""`onoma convert`: from one format to another."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Encoding, Json, OnError, OnErrorOption, Quiet
from onoma.corpus.convert import convert as convert_file
from onoma.corpus.formats import write_table
from onoma.corpus.writers.files import rejects_beside

__all__ = ["convert"]


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file to read.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    *,
    source_format: Annotated[
        str | None, typer.Option("--from", help="The format of IN, where its name does not say it.")
    ] = None,
    target_format: Annotated[
        str | None, typer.Option("--to", help="The format of OUT, where its name does not say it.")
    ] = None,
    encoding: Encoding = None,
    quote_formulas: Annotated[
        bool,
        typer.Option(
            "--quote-formulas",
            help="Write ' before values of CSV that a spreadsheet would run as formulas.",
        ),
    ] = False,
    on_error: OnErrorOption = OnError.stop,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Turn a file into another format, without losing a row.

    Tables: csv, tsv, jsonl, parquet; spreadsheets (xlsx, xls, ods) are read. Bibliographies: bibtex (one row for each
    author and editor). Annotated text: conll2012, conllu. Endings decide; .gz and .zst are read and written. Text
    becomes a table of its mentions.

    For example:

      [cyan]onoma convert people.csv.gz people.parquet[/]
      [cyan]onoma convert refs.bib authors.csv[/]
      [cyan]onoma convert GUM_news.conllu news.conll[/]
      [cyan]onoma convert messy.csv clean.csv --on-error reject[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    with speaker.progress.task(f"converting {source.name}"):
        report = convert_file(
            source,
            target,
            on_error=on_error.value,
            source_format=source_format,
            target_format=target_format,
            encoding=encoding,
            quote_formulas=quote_formulas,
        )
        rejects = rejects_beside(target) if len(report.rejects) else None
        if rejects is not None:
            write_table(report.rejects, rejects)
    for note in report.notes:
        speaker.note(note)
    what = "documents" if report.target_format in ("conll2012", "conllu") else "rows"
    speaker.say(f"{target}: {report.n_written:,} {what} ({report.source_format} to {report.target_format})")
    if rejects is not None:
        speaker.say(f"{rejects}: {len(report.rejects):,} rows could not be read, with the reason for each")
    if json:
        speaker.answer(
            {
                "output": str(target),
                "from": report.source_format,
                "to": report.target_format,
                "written": report.n_written,
                "rejected": len(report.rejects),
                "rejects": None if rejects is None else str(rejects),
                "notes": list(report.notes),
            }
        )
