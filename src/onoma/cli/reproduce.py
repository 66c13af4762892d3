"""`onoma reproduce`: published tables beside ours."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Out, Quiet, Seed
from onoma.pipeline import reproduce as studies

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[SYSTEM/TABLE]", help="Which study; without it, list them.")
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="A minute-sized version.")] = False,
    data: Annotated[
        Path | None, typer.Option("--data", envvar="ONOMA_DATA", help="The folder of labelled data (see docs/data.md).")
    ] = None,
    output: Out = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a published table or figure again, and print the paper's numbers beside ours.

    With [cyan]-o DIR[/] the rows (JSON) and pictures (PNG, HTML) are left there.

    Examples:

      [cyan]onoma reproduce[/]
      [cyan]onoma reproduce coreference-scorer/cases --quick[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if name is None:
        known = studies.catalogue().values()
        speaker.table("Studies", ("name", "what", "paper"), ((s.name, s.title, s.paper) for s in known))
        if json:
            speaker.answer({"studies": [{"name": s.name, "title": s.title, "paper": s.paper} for s in known]})
        return
    context = studies.Context(quick=quick, seed=seed, data=data, progress=speaker.progress)
    study = studies.find(name)
    findings = studies.reproduce(name, context, out=output)
    speaker.table(
        f"{study.name}: {study.title}\n{study.paper}",
        ("setting", "metric", "paper", "ours", "unit"),
        ((row.setting, row.metric, row.paper, row.ours, row.unit) for row in findings.rows),
    )
    for note in findings.notes:
        speaker.say(note)
    if output is not None:
        speaker.note(f"rows and pictures are in {output}")
    if json:
        speaker.answer(studies.as_json(study, findings, context))
