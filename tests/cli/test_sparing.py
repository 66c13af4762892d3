"""Whatever the command and the name of the option: what is read is never written over."""

import pytest
import typer
from typer.testing import CliRunner

from onoma.cli.app import app
from onoma.cli.sparing import Sparing
from onoma.errors import DataError

COMMANDS = {
    "resolve": ["resolve", "x.csv", "-o", "x.csv"],
    "resolve, one of several": ["resolve", "y.csv", "x.csv", "-o", "./x.csv"],
    "resolve, a text that is a file": ["resolve", "y.csv", "--weights", "x.csv", "-o", "x.csv"],
    "names": ["names", "x.csv", "-o", "x.csv"],
    "names, the references": ["names", "y.csv", "--against", "x.csv", "-o", "x.csv"],
    "convert": ["convert", "x.csv", "x.csv"],
    "export": ["export", "x.csv", "--format", "ntriples", "-o", "x.csv"],
    "lineage": ["lineage", "x.csv", "ada", "--svg", "x.csv"],
    "explain": ["explain", "x.csv", "e1", "--picture", "x.csv"],
    "history": ["history", "x.csv", "--report", "x.csv"],
    "facts": ["facts", "complete", "x.csv", "-o", "x.csv"],
    "facts, the types": ["facts", "complete", "y.csv", "--types", "x.csv", "-o", "x.csv"],
    "facts, a picture": ["facts", "explain", "x.csv", "r(a, b)", "--picture", "x.csv"],
    "facts, rules": ["facts", "rules", "x.csv", "-o", "x.csv"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_input_is_never_lost(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file in ("x.csv", "y.csv"):
        (tmp_path / file).write_text("name\nada\n")
    result = CliRunner().invoke(app, COMMANDS[name])
    assert isinstance(result.exception, DataError), result.output
    assert "x.csv: is read by this very command and would be lost" in str(result.exception)
    assert (tmp_path / "x.csv").read_text() == "name\nada\n"


def test_nor_by_the_file_of_rejects(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.rejects.csv").write_text("name\nada\n")
    result = CliRunner().invoke(app, ["convert", "x.rejects.csv", "x.csv", "--on-error", "reject"])
    assert isinstance(result.exception, DataError), result.output
    assert "x.rejects.csv" in str(result.exception)
    assert CliRunner().invoke(app, ["convert", "x.rejects.csv", "x.csv"]).exit_code == 0


def test_every_command_that_writes_is_such_a_command():
    def commands(group):
        for each in group.commands.values():
            yield from commands(each) if hasattr(each, "commands") else [each]

    written = {"output", "target", "picture", "svg", "report"}
    writing = [
        each for each in commands(typer.main.get_command(app)) if written & {param.name for param in each.params}
    ]
    assert len(writing) > 10
    assert {each.name for each in writing if not isinstance(each, Sparing)} <= {"reproduce"}
