"""`onoma extract`: fields from text."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet, Seed
from onoma.cli.sparing import Sparing

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, help="Fields from text: write down what you know, or label a few; get an extractor."
)


class Style(StrEnum):
    """How texts are cut into tokens."""

    words = "words"
    marks = "marks"


Labels = Annotated[Path | None, typer.Option("--labels", "-l", help="labels.toml: the labels, and their tree if any.")]
Constraints = Annotated[Path | None, typer.Option("--constraints", "-c", help="constraints.toml: what you know.")]


@app.command("train", cls=Sparing)
def train(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of the new extractor.")],
    labels: Labels = None,
    constraints: Constraints = None,
    text: Annotated[list[Path] | None, typer.Option("--text", "-t", help="Texts without labels, one a line.")] = None,
    labelled: Annotated[Path | None, typer.Option("--labelled", help="Labelled texts (JSON lines).")] = None,
    tokens: Annotated[Style, typer.Option(help="Cut at blanks (words), or at punctuation too (marks).")] = Style.words,
    rounds: Annotated[
        int | None, typer.Option(help="Passes over the texts; default: 5, more for few texts.", min=1)
    ] = None,
    longest: Annotated[int, typer.Option(help="The longest field learnt from constraints, in tokens.", min=1)] = 5,
    clusters: Annotated[int, typer.Option(help="Clusters of words learnt from the texts; 0: none.", min=0)] = 60,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make an extractor from constraints, from labelled texts, or from both.

    For example:

      [cyan]onoma extract train -l labels.toml -c constraints.toml -t requests.txt -o model/[/]
      [cyan]onoma extract train --labelled few.jsonl -o model/[/]
    """
    from onoma.pipeline.extraction import constraint_plan, train_extractor

    speaker = Speaker(json=json, quiet=quiet)
    plan = constraint_plan(style=tokens.value, longest=longest, n_clusters=clusters, n_rounds=rounds, seed=seed)
    trained = train_extractor(
        labels,
        output,
        constraints=constraints,
        texts=text or [],
        labelled=labelled,
        plan=plan,
        progress=speaker.progress,
    )
    notes = trained.extractor.notes
    if trained.report is not None:
        for name in trained.report.silent:
            speaker.note(f"never fires: {name}")
        for name in trained.report.conflicts:
            speaker.note(f"contradict each other: {name}")
    for hint in trained.hints:
        speaker.note(hint)
    for name in trained.unused:
        speaker.note(f"not used by this way to learn: {name}")
    speaker.note("probabilities are calibrated" if notes.get("calibrated") else "probabilities are not calibrated")
    if json:
        report = trained.report
        speaker.answer(
            {
                "extractor": str(output),
                "notes": notes,
                "silent": [] if report is None else report.silent,
                "conflicts": [] if report is None else report.conflicts,
                "unused": list(trained.unused),
                "hints": list(trained.hints),
            }
        )
    speaker.say(f"{output}: learnt from {notes['learnt from']}")


@app.command("run", cls=Sparing)
def run(
    extractor: Annotated[str, typer.Argument(help="A folder made by train, or: citations, addresses.")],
    files: Annotated[list[Path], typer.Argument(help="Texts, one a line.", exists=True, dir_okay=False)],
    output: Annotated[Path | None, typer.Option("--output", "-o", help=".jsonl, .csv, .html or .bib")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the fields of texts.

    For example:

      [cyan]onoma extract run citations refs.txt -o refs.bib[/]
      [cyan]onoma extract run model/ requests.txt -o fields.csv[/]
    """
    from onoma.extract.columns import open_extractor
    from onoma.pipeline.extraction import as_object, run_extractor, write_extracted

    speaker = Speaker(json=json, quiet=quiet)
    opened = open_extractor(extractor)
    found = run_extractor(opened, files)
    if not opened.notes.get("calibrated"):
        speaker.note("probabilities are not calibrated")
    if output is not None:
        write_extracted(found, output)
        speaker.note(f"{len(found):,} texts, {sum(len(item.spans) for item in found):,} fields: {output}")
    if json:
        speaker.answer({"texts": [as_object(item) for item in found]} if output is None else {"output": str(output)})
    elif output is None:
        rows = [
            [number, span.label, span.text, span.probability]
            for number, item in enumerate(found, 1)
            for span in item.spans
        ]
        speaker.table("", ("text", "label", "field", "probability"), rows)


@app.command("evaluate", cls=Sparing)
def evaluate(
    extractor: Annotated[str, typer.Argument(help="A folder made by train, or: citations, addresses.")],
    gold: Annotated[Path, typer.Argument(help="Labelled texts (JSON lines).", exists=True, dir_okay=False)],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare an extractor with labelled texts: tokens, spans, and near misses in the taxonomy.

    For example:

      [cyan]onoma extract evaluate model/ gold.jsonl[/]
    """
    from onoma.extract.columns import open_extractor
    from onoma.pipeline.extraction import evaluate_extractor

    speaker = Speaker(json=json, quiet=quiet)
    scores = evaluate_extractor(open_extractor(extractor), gold)
    if json:
        speaker.answer(asdict(scores))
        return
    rows: list[list[object]] = [
        ["tokens: accuracy", scores.accuracy, scores.weighted_accuracy],
        ["tokens without the other label: precision", scores.precision, scores.weighted[0]],
        ["… recall", scores.recall, scores.weighted[1]],
        ["… F1", scores.f1, scores.weighted[2]],
        ["… F2", scores.f2, scores.weighted[3]],
        ["mean over labels: F1", scores.macro[2], None],
        ["spans: precision", scores.span_precision, None],
        ["… recall", scores.span_recall, None],
        ["… F1", scores.span_f1, None],
    ]
    speaker.table("", ("measure", "plain", "weighted"), rows)
    by_label = [[name, *values] for name, values in scores.labels.items()]
    speaker.table("spans by label", ("label", "precision", "recall", "F1", "gold"), by_label)


@app.command("explain")
def explain(
    extractor: Annotated[str, typer.Argument(help="A folder made by train, or: citations, addresses.")],
    text: Annotated[str, typer.Argument(help="One text.")],
    number: Annotated[int, typer.Option("--number", "-n", help="Reasons for each field.", min=1)] = 6,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which features speak for and against each field of a text.

    For example:

      [cyan]onoma extract explain citations "A. Cau. Refinement. Proc. BCS, 1992."[/]
    """
    from onoma.extract.columns import open_extractor
    from onoma.pipeline.extraction import explain_text

    speaker = Speaker(json=json, quiet=quiet)
    found = explain_text(open_extractor(extractor), text, number)
    if json:
        speaker.answer({"fields": [asdict(span) | {"reasons": [asdict(r) for r in why]} for span, why in found]})
        return
    for span, why in found:
        speaker.table(
            f"{span.label}: {span.text} ({span.probability:.2f})",
            ("feature", "weight"),
            [[reason.feature, reason.weight] for reason in why],
        )


@app.command("suggest", cls=Sparing)
def suggest(
    text: Annotated[list[Path], typer.Argument(help="Texts without labels, one a line.", exists=True, dir_okay=False)],
    labels: Annotated[Path, typer.Option("--labels", "-l", help="labels.toml")],
    constraints: Annotated[
        Path, typer.Option("--constraints", "-c", help="constraints.toml with a few words a label.")
    ],
    number: Annotated[int, typer.Option("--number", "-n", help="Words and patterns a label.", min=1)] = 10,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Propose more words and patterns from texts and the words you have.

    For example:

      [cyan]onoma extract suggest requests.txt -l labels.toml -c constraints.toml[/]
    """
    from onoma.pipeline.extraction import suggest as propose

    speaker = Speaker(json=json, quiet=quiet)
    found = propose(constraints, labels, text, n=number)
    if json:
        speaker.answer({"suggestions": [asdict(item) for item in found]})
        return
    speaker.table(
        "",
        ("label", "kind", "text", "score", "count"),
        [[item.label, item.kind, item.text, item.score, item.count] for item in found],
    )
