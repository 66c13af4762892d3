"""The command `onoma`: gathers the commands, turns errors into messages and exit codes.

Exit codes: 0 it worked, 1 it failed (bad input, a missing file…), 2 it was called wrongly, 130 it was interrupted.
"""

import io
import os
import sys
from typing import Annotated

import typer

import onoma
from onoma.cli.console import say_error
from onoma.cli.interrupt import INTERRUPTED, guarded
from onoma.cli.lazy import LazyCommand, lazy_group
from onoma.errors import OnomaError, SettingsError

__all__ = ["COMMANDS", "app", "main"]

_TOOLS = "Tools"
COMMANDS = {
    "resolve": LazyCommand("Find out which rows are the same thing: no labels, no rules, no thresholds."),
    "plan": LazyCommand(
        "Say what onoma resolve would do: kinds of columns, columns brought together, blocking, model, time."
    ),
    "find": LazyCommand("Say which entity a record is, or that it is none: nothing is added.", room="kb"),
    "show": LazyCommand("Find entities by name, spelt roughly right, and show their records.", room="kb"),
    "count": LazyCommand(
        "Count entities, with the interval that resolve states: that of its checks, or of the samples.", room="kb"
    ),
    "sql": LazyCommand("Ask in SQL about the records and their entities: aggregates come with error bars.", room="kb"),
    "explain": LazyCommand(
        "Say why the records of an entity are together, and what it hangs on; or why two records are the same or not.",
        room="kb",
    ),
    "history": LazyCommand(
        "Tell the life of an entity: created, joined, merged, split, moved, retracted, and why. Or list all runs.",
        room="kb",
    ),
    "judge": LazyCommand("Say that two records are the same, or different; take back what was said.", room="kb"),
    "review": LazyCommand("Look at the pairs whose answer is worth most, one after the other.", room="kb"),
    "erase": LazyCommand("Erase records, and every trace of their values: this cannot be undone.", room="kb"),
    "audit": LazyCommand(
        "Verify the chain of runs, the fingerprints of all records and, where it was sealed, who is who.", room="kb"
    ),
    "serve": LazyCommand(
        "Serve a knowledge base over HTTP: find, entities, explanations, counts, history, review.", room="kb"
    ),
    "studio": LazyCommand(
        "Look at a knowledge base in the browser: who is who, how sure, why, and what to decide next.", room="kb"
    ),
    "mcp": LazyCommand(
        "Offer a knowledge base to an assistant as tools, over standard input and output (MCP).", room="kb"
    ),
    "export": LazyCommand("Export the current records with their entities, and the entities.", room="kb"),
    "cluster": LazyCommand("Turn scores of pairs, whoever made them, into clusters with probabilities.", room="kb"),
    "import-splink": LazyCommand("Take over a Splink model: its comparisons, its weights, its blocking rules."),
    "names": LazyCommand("Cluster a bare list of names, without labels: which were copied from which?"),
    "lineage": LazyCommand("Show which name of an entity descends from which, and what was done to it on the way."),
    "annotate": LazyCommand(
        "Annotate English text: tokens, sentences, tags, lemmas, trees, names and mentions.", room="text"
    ),
    "coref": LazyCommand(
        "Find which mentions of a text are one thing: names, noun phrases and pronouns, in chains.", room="text"
    ),
    "correct": LazyCommand(
        "Correct English: articles, prepositions, numbers, agreement, verbs, spelling, commas.", room="text"
    ),
    "link-text": LazyCommand(
        "Say which entry of an entity list the names of a text mean, or that they mean none of them.", room="text"
    ),
    "build": LazyCommand(
        "Build a knowledge base from documents: who is named in them, and what is said of whom, with its sentences.",
        room="text",
    ),
    "train": LazyCommand("Train text models, and print how good they are on what was held out.", room="text"),
    "models": LazyCommand(
        "List the text models that are installed: what each does, its licence, its scores and its size.", room="text"
    ),
    "extract": LazyCommand(
        "Fields from text: write down what you know, or label a few; get an extractor.", room="text", attribute="app"
    ),
    "facts": LazyCommand(
        "What follows from known facts: complete, ask, explain, rules.", room="knowledge", attribute="app"
    ),
    "relate": LazyCommand(
        "Say which words are synonyms, antonyms or kinds of a word, and how strongly.", room="knowledge"
    ),
    "simulate": LazyCommand("Simulate a table whose truth is known, and print what it is like.", panel=_TOOLS),
    "evaluate": LazyCommand(
        "Measure a clustering against the truth: MUC, B³, CEAF, BLANC, LEA, pairwise, Rand, V.", panel=_TOOLS
    ),
    "convert": LazyCommand("Turn a file into another format, without losing a row.", panel=_TOOLS),
    "compile": LazyCommand(
        "Compile the kernels of onoma resolve ahead, so that the first use does not wait for them.",
        attribute="compile_kernels",
        panel=_TOOLS,
    ),
    "reproduce": LazyCommand(
        "Run a published table or figure again, and print the paper's numbers beside ours.", spares=False, panel=_TOOLS
    ),
}
"""Every command with the first paragraph of its help, in the order in which they are told."""

app = typer.Typer(
    name="onoma",
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
      [cyan]onoma plan shop.csv list.csv --link[/]        what would be done, and why
      [cyan]onoma resolve more.csv --into kb.duckdb[/]    next week's file, added
      [cyan]onoma studio kb.duckdb[/]                     look, and decide, in the browser
      [cyan]onoma review kb.duckdb[/]                     the pairs most worth a look
      [cyan]onoma evaluate gold.csv predicted.csv[/]      how good is a clustering?
      [cyan]onoma convert refs.bib authors.parquet[/]     from one format to another
      [cyan]onoma annotate notes/ -o notes.html[/]        tokens, tags, trees, names
      [cyan]onoma correct essay.txt[/]                    slips of grammar and spelling
      [cyan]onoma build letters/ -o letters.duckdb[/]     who is named, what is said
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
    with guarded() as was_pressed:
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
