"""The command `onoma`: gathers the commands, turns errors into messages and exit codes.

Exit codes: 0 it worked, 1 it failed (bad input, a missing file…), 2 it was called wrongly, 130 it was interrupted.
"""

import io
import os
import sys
from typing import Annotated

import typer

import onoma
from onoma.cli import (
    annotate,
    convert,
    count,
    evaluate,
    explain,
    export,
    facts,
    history,
    judge,
    lineage,
    models,
    names,
    relate,
    reproduce,
    resolve,
    review,
    show,
    simulate,
    train,
)
from onoma.cli.compiling import compiling
from onoma.cli.console import say_error
from onoma.cli.interrupt import INTERRUPTED, guarded
from onoma.cli.sparing import Sparing
from onoma.errors import OnomaError, SettingsError

__all__ = ["app", "main"]

app = typer.Typer(
    name="onoma",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (
    resolve.resolve,
    show.show,
    count.count,
    explain.explain,
    history.history,
    judge.judge,
    review.review,
    export.export,
    names.names,
    lineage.lineage,
    simulate.simulate,
    evaluate.evaluate,
    convert.convert,
    annotate.annotate,
    train.train,
    models.models,
):
    app.command(_command.__name__, cls=Sparing)(_command)
app.add_typer(facts.app, name="facts")
app.command("relate", cls=Sparing)(relate.relate)
app.command("reproduce")(reproduce.reproduce)


def _version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        typer.echo(f"onoma {onoma.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """[bold]onoma[/]: from names to the things named.

    A short tour:

      [cyan]onoma simulate people 5000 -o people.csv[/]   a table whose truth is known
      [cyan]onoma resolve people.csv -o who.csv[/]        which rows are the same person?
      [cyan]onoma resolve more.csv --into kb.duckdb[/]    next week's file, into a knowledge base
      [cyan]onoma review kb.duckdb[/]                     the pairs most worth a look
      [cyan]onoma evaluate gold.csv predicted.csv[/]      how good is a clustering?
      [cyan]onoma convert refs.bib authors.parquet[/]     from one format to another
      [cyan]onoma annotate notes/ -o notes.html[/]        tokens, tags, trees and names in text
      [cyan]onoma facts complete kb.tsv -o more.csv[/]    what follows from known facts?
      [cyan]onoma reproduce[/]                            published tables, and ours

    Every command explains itself: [cyan]onoma COMMAND --help[/].
    Answers go to standard output, notes and progress to standard error.
    [cyan]--json[/] prints one object for programs, [cyan]--quiet[/] only the answer.
    Exit codes: 0 it worked, 1 it failed, 2 it was called wrongly, 130 Ctrl-C.
    """


def main() -> None:
    """Run the command line; never show a traceback for bad input."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that has no such letter
    with guarded() as was_pressed, compiling():
        try:
            app(prog_name="onoma")
        except BaseException as error:
            if was_pressed():  # whatever became of it on the way
                sys.exit(INTERRUPTED)
            if not isinstance(error, Exception) or os.environ.get("ONOMA_DEBUG"):
                raise
            told = _told(error)
            say_error(told)
            sys.exit(2 if isinstance(told, SettingsError) else 1)


def _told(error: Exception) -> OnomaError:
    """Return an error as people are told of it."""
    if isinstance(error, OnomaError):
        return error
    if isinstance(error, OSError):
        return OnomaError(f"{os.fsdecode(error.filename)}: {error.strerror}" if error.filename else str(error))
    if isinstance(error, MemoryError):
        return OnomaError("this needs more memory than the machine has", hint="Try a part of the data first.")
    if isinstance(error, UnicodeError):
        return OnomaError(
            f"a name or value is no text that can be written: {error}", hint="Give the file another name."
        )
    return OnomaError(
        f"something unforeseen happened ({type(error).__name__}: {error}); this is a fault in Onoma, not yours",
        hint="Run the same command with ONOMA_DEBUG=1 to see where, and report it with the input if you can.",
    )
