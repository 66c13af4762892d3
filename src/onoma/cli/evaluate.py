"""`onoma evaluate`: how good is a clustering?"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from onoma.cli.console import Speaker
from onoma.cli.evaluate_edits import evaluate_edits, refuse_other_options
from onoma.cli.options import Json, OnError, OnErrorOption, Quiet, Seed
from onoma.errors import DataError
from onoma.evaluate import Evaluation, bootstrap, by_group, compare, largest_errors
from onoma.evaluate import evaluate as measure
from onoma.evaluate.significance import Difference, Interval
from onoma.pipeline.evaluation import Sides, read_sides

__all__ = ["Items", "evaluate"]


class Items(StrEnum):
    """Which items of two tables are compared."""

    union = "union"
    gold = "gold"
    shared = "shared"


def evaluate(
    gold: Annotated[Path, typer.Argument(help="The truth: a CoNLL file, or a table with an id and a cluster column.")],
    predicted: Annotated[Path, typer.Argument(help="The clustering to measure, in a file of the same kind.")],
    *,
    metrics: Annotated[
        str | None,
        typer.Option(help="Some of muc, b3, ceafm, ceafe, blanc, lea, pairwise, conll, rand, ari, v: b3,lea."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Break the scores down by this column of GOLD (text: document).")
    ] = None,
    id: Annotated[
        list[str] | None, typer.Option("--id", help="The id column; several together make one id: --id source --id id.")
    ] = None,
    gold_column: Annotated[str | None, typer.Option(help="The cluster column of GOLD.")] = None,
    predicted_column: Annotated[str | None, typer.Option(help="The cluster column of PREDICTED.")] = None,
    items: Annotated[
        Items, typer.Option(help="Tables: compare the items of either file, those of the gold, or those of both.")
    ] = Items.union,
    intervals: Annotated[int, typer.Option(help="Add 95 % intervals from so many bootstrap resamples.", min=0)] = 0,
    versus: Annotated[
        Path | None, typer.Option("--versus", help="A second prediction: test whether the first is better.")
    ] = None,
    edits: Annotated[
        bool, typer.Option("--edits", help="Corrections: GOLD is M², PREDICTED corrected sentences, one a line, or M².")
    ] = False,
    beta: Annotated[float, typer.Option(help="With --edits: the weight of recall in F.", min=0)] = 0.5,
    errors: Annotated[int, typer.Option(help="How many of the largest errors to show.", min=0)] = 5,
    on_error: OnErrorOption = OnError.stop,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure a clustering against the truth: MUC, B³, CEAF, BLANC, LEA, pairwise, Rand, V.

    Text is scored as the official CoNLL scorer (v8.01) scores it. In tables an empty gold label means "not labelled":
    such rows are left out on both sides.

    For example:

      [cyan]onoma evaluate gold.conll system.conll[/]
      [cyan]onoma evaluate people.csv predicted.csv --metrics b3,pairwise --by state[/]
      [cyan]onoma evaluate gold.csv ours.csv --versus theirs.csv --intervals 1000[/]
      [cyan]onoma evaluate essays.m2 corrected.txt --edits[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if edits:
        options = {"--metrics": metrics, "--by": by, "--id": id, "--intervals": intervals, "--versus": versus}
        refuse_other_options(options | {"--gold-column": gold_column, "--predicted-column": predicted_column})
        evaluate_edits(speaker, gold, predicted, beta=beta, errors=errors)
        return
    chosen = None if metrics is None else [name.strip() for name in metrics.split(",") if name.strip()]

    def read(path: Path, group: str | None = None) -> Sides:
        return read_sides(
            gold,
            path,
            id=id or (),
            gold_column=gold_column,
            predicted_column=predicted_column,
            by=group,
            universe=items.value,
            on_error=on_error.value,
        )

    with speaker.progress.task("measuring"):
        sides = read(predicted, by)
        result = measure(sides.gold, sides.predicted, metrics=chosen, groups=sides.documents)
        answer: dict[str, object] = dict(result.as_dict())
        ranges: dict[str, Interval] = {}
        if intervals:
            ranges = bootstrap(
                sides.gold, sides.predicted, seed=seed, metrics=chosen, groups=sides.documents, n_resamples=intervals
            )
            answer["intervals"] = {name: [value.low, value.high] for name, value in ranges.items()}
        groups = {} if sides.by is None else by_group(sides.gold, sides.predicted, sides.by, metrics=chosen)
        if by is not None:
            answer["by"] = {str(group): found.as_dict() for group, found in groups.items()}
        differences = {} if versus is None else _versus(sides, read(versus), chosen, seed)
        if differences:
            answer["versus"] = {name: vars(value) for name, value in differences.items()}
    for note in sides.notes:
        speaker.note(note)
    if json:
        speaker.answer(answer)
        return
    _show(speaker, result, ranges)
    _show_groups(speaker, groups, by)
    _show_differences(speaker, differences)
    if errors:
        _show_errors(speaker, sides, errors)


def _versus(sides: Sides, other: Sides, metrics: list[str] | None, seed: int) -> dict[str, Difference]:
    """Compare two predictions; both must speak of the same items."""
    if len(sides.gold) != len(other.gold) or sides.gold != other.gold:
        raise DataError(
            "the two predictions hold different items, so they cannot be compared item by item",
            hint="Use --items gold (tables), or give both predictions the same mentions.",
        )
    return compare(sides.gold, sides.predicted, other.predicted, seed=seed, metrics=metrics, groups=sides.documents)


def _show(speaker: Speaker, result: Evaluation, ranges: dict[str, Interval]) -> None:
    counts = (
        f"{result.n_gold_items:,} gold items in {result.n_gold_entities:,} entities, "
        f"{result.n_predicted_items:,} predicted in {result.n_predicted_entities:,}"
    )
    scores = result.as_dict()
    triples = {name: value for name, value in scores.items() if isinstance(value, dict)}
    single = {name: value for name, value in scores.items() if not isinstance(value, dict)}
    interval = {name.removesuffix(".f1"): f"{value.low:.4f} – {value.high:.4f}" for name, value in ranges.items()}
    extra = ("F1 95 %",) if ranges else ()
    speaker.table(
        counts,
        ("metric", "precision", "recall", "F1", *extra),
        (
            [name, value["precision"], value["recall"], value["f1"], *([interval[name]] if ranges else [])]
            for name, value in triples.items()
        ),
    )
    extra = ("95 %",) if ranges else ()
    rows = ([name, value, *([interval[name]] if ranges else [])] for name, value in single.items())
    if single:
        speaker.say("")
        speaker.table("", ("metric", "value", *extra), rows)


def _show_groups(speaker: Speaker, groups: dict[object, Evaluation], by: str | None) -> None:
    if not groups:
        return
    first = next(iter(groups.values())).as_dict()
    names = list(first)
    rows = []
    for group, found in sorted(groups.items(), key=lambda item: -item[1].n_items):
        scores = found.as_dict()
        values = [score["f1"] if isinstance(score := scores[name], dict) else score for name in names]
        rows.append([str(group), found.n_items, *values])
    speaker.say("")
    speaker.table(f"by {by} (F1, or the value)", (str(by), "items", *names), rows[:50])
    if len(rows) > 50:
        speaker.say(f"… and {len(rows) - 50:,} more; --json has them all")


def _show_differences(speaker: Speaker, differences: dict[str, Difference]) -> None:
    shown = {name: value for name, value in differences.items() if name.endswith(".f1") or "." not in name}
    if shown:
        speaker.say("")
        speaker.table(
            "first prediction less second",
            ("metric", "difference", "95 %", "p"),
            ([name, v.value, f"{v.low:+.4f} – {v.high:+.4f}", v.p_value] for name, v in shown.items()),
        )


def _show_errors(speaker: Speaker, sides: Sides, n: int) -> None:
    found = largest_errors(sides.gold, sides.predicted, n)
    for table, title, names, others in (
        (found.split, "gold entities most split", sides.gold_names, sides.predicted_names),
        (found.merged, "predicted entities most merged", sides.predicted_names, sides.gold_names),
    ):
        if len(table):
            speaker.say("")
            speaker.table(title, ("entity", "items", "wrong pairs", "falls into"), _error_rows(table, names, others))


def _error_rows(table: pa.Table, names: Sequence[str], others: Sequence[str]) -> list[list[object]]:
    rows: list[list[object]] = []
    for row in table.to_pylist():
        parts = [
            f"{part['size']:,} in {'nothing' if part['entity'] is None else others[part['entity']]}"
            for part in row["parts"][:4]
        ]
        more = ", …" if len(row["parts"]) > 4 else ""
        rows.append([names[row["entity"]], row["size"], row["wrong_pairs"], ", ".join(parts) + more])
    return rows
