"""`onoma resolve`: from a table to entities."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, OnError, OnErrorOption, Quiet, Seed
from onoma.errors import SettingsError
from onoma.pipeline.resolution import Outcome, check_target, read_job, run_job, summary, write_outcome
from onoma.resolve.model import ModelSettings

__all__ = ["resolve"]


def resolve(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="One table, or several to be taken together.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A table (id, entity, probability), or a folder for all tables."),
    ] = None,
    id: Annotated[str | None, typer.Option("--id", help="The column of ids; found, or made, if not given.")] = None,  # noqa: A002
    field: Annotated[
        list[str] | None, typer.Option("--field", metavar="COLUMN=KIND", help="What a column is: --field title=text.")
    ] = None,
    link: Annotated[bool, typer.Option("--link", help="Join rows of different sources only.")] = False,
    source: Annotated[str | None, typer.Option("--source", help="The column that says where a row comes from.")] = None,
    block: Annotated[
        str | None, typer.Option("--block", help="Only rows with the same value in this column can be the same.")
    ] = None,
    truth: Annotated[
        str | None, typer.Option("--truth", help="A column with the true ids: scores the result, is never evidence.")
    ] = None,
    merge_cost: Annotated[
        float,
        typer.Option(
            "--merge-cost", help="Price of a pair wrongly joined, of 1 for both errors together.", min=0.01, max=0.99
        ),
    ] = 0.5,
    on_error: OnErrorOption = OnError.stop,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find out which rows are the same thing: no labels, no rules, no thresholds.

    Says what each column was taken for and why, how many entities there are and how sure that is. Every membership and
    every pair has a probability.

    For example:

      [cyan]onoma resolve people.csv -o resolved.csv[/]
      [cyan]onoma resolve people.csv --truth cluster_id[/]            how good is it?
      [cyan]onoma resolve shop.csv catalogue.csv --link -o out/[/]    two files, matched
      [cyan]onoma resolve papers.csv --block author_name --field title=text[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if output is not None:
        check_target(output)
    job = read_job(
        files,
        id=id,
        source=source,
        link=link,
        block=block,
        truth=truth,
        kinds=_kinds(field or []),
        settings=ModelSettings(seed=seed, threshold=merge_cost),
        on_error=on_error.value,
    )
    for note in job.notes:
        speaker.note(note)
    outcome = run_job(job, progress=speaker.progress)
    written = [] if output is None else write_outcome(outcome, output, command=shlex.join(["onoma", *sys.argv[1:]]))
    if json:
        speaker.answer(summary(outcome) | {"output": [str(path) for path in written]})
        return
    _show(speaker, outcome)
    for path in written:
        speaker.say(f"written: {path}")
    if not written:
        speaker.note("nothing was written: add -o resolved.csv, or -o FOLDER for all tables")


def _kinds(pairs: list[str]) -> dict[str, str]:
    kinds = {}
    for pair in pairs:
        column, separator, kind = pair.partition("=")
        if not separator:
            raise SettingsError(f"--field {pair!r} is not understood; it is COLUMN=KIND, such as --field title=text")
        kinds[column] = kind
    return kinds


def _show(speaker: Speaker, outcome: Outcome) -> None:
    resolution = outcome.resolution
    for note in resolution.notes:
        speaker.note(note)
    fields = resolution.fields
    rows = [[each.name, each.kind, each.reason] for each in fields.fields]
    rows += [[each.name, "ignored", each.reason] for each in fields.ignored]
    speaker.table("what the columns were taken for", ("column", "kind", "why"), rows)
    if fields.missing_report:
        speaker.say("")
        speaker.table(
            "taken for missing",
            ("column", "value", "rows", "why"),
            ([each.column, each.value, each.n_records, each.why] for each in fields.missing_report[:10]),
        )
    entities, low, high = resolution.entity_count()
    speaker.say("")
    speaker.say(f"{len(resolution.table):,} rows, [bold]{entities:,} entities[/] (95 %: {low:,} – {high:,})")
    doubtful = int((resolution.probability < 0.9).sum())
    speaker.say(f"{doubtful:,} rows are less than 90 % sure of their place")
    spent = ", ".join(f"{name} {value:.1f}" for name, value in outcome.seconds.items() if name != "total")
    speaker.note(f"{outcome.seconds['total']:.1f} s ({spent}), {outcome.peak_mb:,.0f} MB")
    if outcome.evaluation is not None:
        scores = {name: value for name, value in outcome.evaluation.as_dict().items() if isinstance(value, dict)}
        speaker.say("")
        speaker.table(
            "against the truth",
            ("metric", "precision", "recall", "F1"),
            ([name, value["precision"], value["recall"], value["f1"]] for name, value in scores.items()),
        )
        if outcome.calibration is not None:
            speaker.say(f"calibration error of the stated pairs: {outcome.calibration:.4f}")
