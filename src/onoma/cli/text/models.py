"""`onoma models`: what is installed."""

from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.errors import DataError

__all__ = ["models"]


def models(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show the card of one model.")] = None,
    *,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the text models that are installed: what each does, its licence, its scores and its size.

    Folders named in ONOMA_MODELS are listed too.

    Examples:

      [cyan]onoma models[/]
      [cyan]onoma models names[/]
      [cyan]onoma models coref-litbank[/]
    """
    from onoma.pipeline.text.cards import installed_models

    speaker = Speaker(json=json, quiet=quiet)
    found = installed_models()
    shown = [(folder, card) for folder, card in found if name in (None, card.name)]
    if not shown:
        known = ", ".join(card.name for _, card in found) or "none"
        raise DataError(f"there is no model {name!r}; installed: {known}")
    if json:
        cards = [
            {
                "name": card.name,
                "folder": folder,
                "does": card.does,
                "data": [dict(each) for each in card.data],
                "licence": card.licence,
                "scores": [dict(each) for each in card.scores],
                "failures": list(card.failures),
                "command": card.command,
                "bytes": card.size,
            }
            for folder, card in shown
        ]
        speaker.answer({"models": cards})
    elif name is None:
        rows = [(card.name, card.does, card.licence, f"{(card.size or 0) / 1e6:.1f} MB") for _, card in shown]
        speaker.table("Models", ["name", "does", "licence", "size"], rows)
    else:
        for folder, card in shown:
            speaker.say(f"{card.name} ({folder}): {card.does}; {(card.size or 0) / 1e6:.1f} MB; {card.licence}")
            speaker.table("Trained on", ["set", "licence"], [(each["name"], each["licence"]) for each in card.data])
            scores = [
                (each["set"], each["measure"], float(each["value"]), each.get("note", "")) for each in card.scores
            ]
            speaker.table("Scores", ["set", "measure", "value", ""], scores)
            for failure in card.failures:
                speaker.say(f"  known failure: {failure}")
            speaker.say(f"  again: {card.command}")
