"""`onoma import-splink`: a model of Splink as settings of ours."""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.corpus.writers.files import write_text
from onoma.corpus.writers.toml import to_toml
from onoma.errors import SettingsError
from onoma.resolve.comparison.splink import read_splink
from onoma.resolve.config import read_config

__all__ = ["import_splink"]


def import_splink(
    model: Annotated[Path, typer.Argument(metavar="MODEL.json", help="A model that Splink has saved.")],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.toml", help="Where to write the settings.")
    ] = Path("splink.toml"),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Take over a Splink model: its comparisons, its weights, its blocking rules.

    Writes settings for `onoma resolve` and, if the model was trained, its weights beside them. Splink's m and u are
    then used as they are, in a posterior instead of a threshold. Without `weights` in the settings they are learnt.

    For example:

      [cyan]onoma import-splink model.json -o people.toml[/]
      [cyan]onoma resolve people.csv --settings people.toml -o people.duckdb[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if output.suffix.lower() != ".toml":
        raise SettingsError(f"{output} is no file of settings", hint="They are TOML: -o people.toml.")
    found = read_splink(model)
    written = [output]
    settings = dict(found.settings)
    if found.weights is not None:
        beside = output.with_suffix(".weights.toml")
        write_text(beside, [to_toml(found.weights)])
        written.append(beside)
        settings = {"weights": str(beside)} | settings
    write_text(output, [to_toml(settings)])
    read_config(output)  # what is written can be read
    for note in found.notes:
        speaker.note(note)
    if json:
        speaker.answer({"output": [str(path) for path in written], "notes": found.notes})
    for path in written:
        speaker.say(f"written: {path}")
    speaker.say(f"onoma resolve FILE --settings {output} -o out.duckdb uses them")
