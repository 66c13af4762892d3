"""That the first use compiles is said once, with how long it takes; never where nothing is compiled."""

import re

import pytest

from onoma.cli import compiling as module
from onoma.cli.compiling import compiling


@pytest.mark.parametrize(("argv", "n_said"), [([], 1), (["-q"], 0)])
def test_the_first_compile_is_said_with_its_time(argv, n_said, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["onoma", *argv])
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    heard = []
    monkeypatch.setattr(module.event, "register", lambda _, listener: heard.append(listener))
    monkeypatch.setattr(module.event, "unregister", lambda _, listener: heard.remove(listener))
    with compiling():
        for listener in heard:
            listener.on_start(None)
            listener._timer.join()
            listener.on_start(None)
    assert len(re.findall(r"compiling kernels .*once.*about \d+ s", capsys.readouterr().err)) == n_said
    with compiling():
        pass
    assert capsys.readouterr().err == ""
