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


FOLDERS = {
    "resolve, a table of a folder": (["resolve", "fo/entities.parquet", "-o", "fo"], "fo/entities.parquet"),
    "resolve, by another name": (["resolve", "link.parquet", "-o", "fo"], "fo/entities.parquet"),
    "resolve, weights in settings": (["resolve", "y.csv", "--settings", "s.toml", "-o", "w.parquet"], "w.parquet"),
    "resolve, the settings": (["resolve", "y.csv", "--settings", "s.toml", "-o", "s.toml"], "s.toml"),
    "resolve, what was stopped": (["resolve", "x.csv.resume.npz", "-o", "x.csv"], "x.csv.resume.npz"),
    "export": (["export", "fo/records.parquet", "-o", "fo"], "fo/records.parquet"),
    "facts, a model": (["facts", "complete", "y.csv", "--load", "fo", "--save", "fo"], "fo"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_nor_by_a_file_of_a_folder_or_one_that_settings_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fo").mkdir()
    for file in ("fo/entities.parquet", "fo/records.parquet", "w.parquet", "y.csv", "x.csv.resume.npz"):
        (tmp_path / file).write_text("name\nada\n")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "fo/entities.parquet")
    (tmp_path / "s.toml").write_text('weights = "w.parquet"\n')
    line, lost = FOLDERS[name]
    result = CliRunner().invoke(app, line)
    assert isinstance(result.exception, DataError), result.output
    assert f"{lost}: is read by this very command and would be lost" in str(result.exception)


def test_what_a_killed_run_left_is_removed_and_said(onoma, tmp_path):
    (tmp_path / "x.csv").write_text("name\nada\n")
    left = [tmp_path / ".y.csv.99999999.part", tmp_path / ".y.csv.99999999.part.tmp"]
    left[0].write_text("half")
    left[1].mkdir()
    ran = onoma("convert x.csv y.csv")
    assert ran.code == 0
    assert ran.err.count("put in order what a killed run left") == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x.csv", "y.csv"]


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


def test_every_command_that_reads_text_takes_its_encoding():
    commands = dict(_commands(typer.main.get_command(app)))
    alone = ("resolve", "convert", "plan", "names", "lineage", "evaluate", "relate", "annotate", "coref")
    parts = ("facts complete", "facts ask", "facts explain", "facts rules", "extract run", "extract train")
    for name in (*alone, *parts):
        assert "--encoding" in {flag for each in commands[name].params for flag in each.opts}, name
    for name in ("resolve", "convert", "export", "names", "facts complete", "extract run"):
        assert "--quote-formulas" in {flag for each in commands[name].params for flag in each.opts}, name


def _commands(group, above=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command
