import pytest
import typer

import onoma as package
from onoma.cli import app as app_module


def test_help_reads_like_a_manual(onoma):
    ran = onoma("--help")
    assert ran.code == 0
    for word in ("simulate", "evaluate", "convert", "reproduce", "Exit codes", "--json"):
        assert word in ran.out


def test_no_arguments_shows_the_help(onoma):
    ran = onoma("")
    assert "A short tour" in ran.out + ran.err


@pytest.mark.parametrize("command", ["simulate", "evaluate", "convert", "reproduce"])
def test_every_command_explains_itself_with_examples(onoma, command):
    ran = onoma(f"{command} --help")
    assert ran.code == 0
    assert f"onoma {command}" in ran.out
    for option in ("--json", "--quiet"):
        assert option in ran.out


def test_version(onoma):
    assert onoma("--version").out.strip() == f"onoma {package.__version__}"


@pytest.mark.parametrize(
    "line", ["nonsense", "evaluate", "convert one", "simulate people 10 -o x.csv --seed -1", "simulate x 1"]
)
def test_wrong_calls_exit_with_2(onoma, line):
    ran = onoma(line)
    assert ran.code == 2
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (PermissionError(13, "Permission denied", "secret.csv"), "secret.csv: Permission denied"),
        (MemoryError(), "more memory"),
        (ZeroDivisionError("division by zero"), "a fault in Onoma"),
    ],
)
def test_what_nobody_foresaw_is_said_without_a_traceback(onoma, monkeypatch, raised, said):
    def fail(**_settings):
        raise raised

    monkeypatch.setattr(app_module, "app", fail)
    ran = onoma("")
    assert ran.code == 1
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_the_traceback_is_there_for_those_who_ask(onoma, monkeypatch):
    def fail(**_settings):
        raise ZeroDivisionError

    monkeypatch.setattr(app_module, "app", fail)
    monkeypatch.setenv("ONOMA_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        onoma("")


def test_an_interrupt_exits_with_130(onoma, monkeypatch):
    def stop(*_arguments, **_settings):
        raise KeyboardInterrupt

    monkeypatch.setattr("onoma.cli.convert.convert_file", stop)
    assert onoma("convert a.csv b.csv").code == 130


def test_the_list_of_commands_says_what_each_says_of_itself(monkeypatch):
    commands = typer.main.get_command(app_module.app).commands
    assert len(commands) == len(app_module.COMMANDS)
    for name, lazy in app_module.COMMANDS.items():
        told = " ".join(commands[name].help.split("\n\n")[0].split())
        assert told == lazy.summary, name
        assert commands[name].name == name


def test_commands_are_listed_by_what_they_are_for(onoma):
    told = onoma("--help").out
    panels = [*dict.fromkeys(lazy.listed(name).rich_help_panel for name, lazy in app_module.COMMANDS.items())]
    assert panels[0] == "Records and names"
    assert panels[-1] == "Tools"
    places = [told.index(f"─ {panel} ─") for panel in panels]
    assert places == sorted(places)


def test_a_command_mistyped_is_guessed(onoma):
    ran = onoma("resolv people.csv")
    assert ran.code == 2
    assert "resolve" in ran.err
