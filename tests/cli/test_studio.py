"""The command: what it refuses, what it prints, and that Ctrl-C ends it."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from onoma.cli.app import app

needs = pytest.mark.skipif(
    find_spec("fastapi") is None or find_spec("jinja2") is None, reason="the extra studio is not installed"
)


@needs
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7"])
def test_other_machines_are_let_in_only_by_those_who_know(tmp_path, host):
    found = CliRunner().invoke(app, ["studio", str(tmp_path / "kb.duckdb"), "--host", host])
    assert found.exit_code != 0
    assert "--i-know" in str(found.exception.hint)


@needs
def test_a_file_that_is_not_there_is_told(tmp_path):
    found = CliRunner().invoke(app, ["studio", str(tmp_path / "kb.duckdb"), "--no-browser"])
    assert "no such file" in str(found.exception)


@needs
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
def test_it_prints_its_address_answers_and_ends(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("id,name\n1,Ada Lovelace\n2,Ada Lovelace\n3,Grace Hopper\n")
    base = tmp_path / "people.duckdb"
    subprocess.run([sys.executable, "-m", "onoma", "resolve", table, "-o", base, "-q", "--no-check"], check=True)
    command = [sys.executable, "-m", "onoma", "studio", base, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as studio:
        url = studio.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:") and "token=" in url
        for _ in range(100):
            try:
                with urllib.request.urlopen(url) as page:
                    assert page.status == 200
                break
            except OSError:
                time.sleep(0.1)
        studio.send_signal(signal.SIGINT)
        _, told = studio.communicate(timeout=60)
    assert "Traceback" not in told and "ended" in told
    assert not base.with_name(base.name + ".wal").exists()
