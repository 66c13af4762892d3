"""Running the command in this process, as a person would type it."""

import json
import shlex
import sys

import pytest

from onoma.cli.app import main


class Ran:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def onoma(monkeypatch, capsys, tmp_path):
    """Run `onoma ARGUMENTS` in an empty folder; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("ONOMA_DEBUG", raising=False)

    def run(line):
        monkeypatch.setattr(sys, "argv", ["onoma", *shlex.split(line)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run
