"""Values of the command line are read as Typer reads them, and without Pydantic where they are plain."""

import enum
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.core import _TyperParameter
from typer.testing import CliRunner

from onoma.cli import plain_values

_LOADED = """
import sys
sys.argv = ["onoma", "resolve", sys.argv[1], "--seed", "3", "--on-error", "stop", "-o", sys.argv[2], "--quiet"]
from onoma.cli.app import main
try:
    main()
except SystemExit:
    pass
print("pydantic" in sys.modules)
"""


class Colour(enum.Enum):
    red = "red"
    blue = "Blue"


def answer(line):
    app = typer.Typer(add_completion=False)

    @app.command()
    def command(
        files: Annotated[list[Path] | None, typer.Argument()] = None,
        output: Annotated[Path | None, typer.Option()] = None,
        there: Annotated[Path | None, typer.Option(exists=True)] = None,
        word: Annotated[str | None, typer.Option()] = None,
        words: Annotated[list[str] | None, typer.Option()] = None,
        whole: Annotated[int | None, typer.Option(min=1, max=9)] = None,
        held: Annotated[int | None, typer.Option(min=1, max=9, clamp=True)] = None,
        share: Annotated[float | None, typer.Option()] = None,
        colour: Annotated[Colour, typer.Option()] = Colour.red,
        flag: Annotated[bool, typer.Option()] = False,
    ) -> None:
        typer.echo(repr((files, output, there, word, words, whole, held, share, colour, flag)))

    done = CliRunner().invoke(app, line)
    return done.exit_code, done.output


LINES = [
    [],
    ["a.csv", "b.csv", "--output", "x", "--word", "ü", "--words", "a", "--words", "b", "--whole", "7", "--flag"],
    ["--whole", "0"],
    ["--whole", "10"],
    ["--whole", "x"],
    ["--whole", " 7"],
    ["--whole", "-1"],
    ["--held", "99"],
    ["--share", ".5", "--colour", "Blue"],
    ["--colour", "blue"],
    ["--colour", "green"],
    ["--there", "/"],
    ["--there", "/nowhere/at/all"],
    ["--output", "/"],
]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_value_is_read_as_typer_reads_it(line, monkeypatch):
    monkeypatch.setattr(_TyperParameter, "get_runtime_param", plain_values._typers_own)
    expected = answer(line)
    monkeypatch.setattr(_TyperParameter, "get_runtime_param", plain_values._runtime_param)
    assert answer(line) == expected


def test_a_plain_command_line_needs_no_pydantic(tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("id,name\n" + "".join(f"{i},{name}\n" for i, name in enumerate(["Ann Lee", "Bo Ek"] * 10)))
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, str(people), str(tmp_path / "who.csv")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "False"
