import contextlib
import io
import json
import time

from rich.console import Console

from onoma.cli import console


def test_answers_and_notes_go_their_own_ways(capsys):
    speaker = console.Speaker()
    speaker.say("answer")
    speaker.note("note [with brackets]")
    captured = capsys.readouterr()
    assert captured.out == "answer\n"
    assert captured.err == "note [with brackets]\n"


def test_json_is_one_line_and_quiet_is_quiet(capsys):
    speaker = console.Speaker(json=True, quiet=True)
    speaker.say("for people")
    speaker.table("t", ("a",), [[1]])
    speaker.note("note")
    speaker.answer({"name": "Ångström " * 50, "x": [1, None]})
    captured = capsys.readouterr()
    assert captured.err == ""
    assert json.loads(captured.out)["x"] == [1, None]
    assert captured.out.count("\n") == 1


def test_cells_are_for_people(capsys):
    console.Speaker().table(
        "title", ("what", "value"), [["a", 0.123456], ["b", 1234567], ["c", None], ["[d]", 12345.6]]
    )
    out = capsys.readouterr().out
    for cell in ("0.1235", "1,234,567", "–", "[d]", "12,346"):
        assert cell in out


def run_task(monkeypatch, *, terminal, patience, steps=3):
    monkeypatch.setattr(console, "_PATIENCE", patience)
    monkeypatch.setattr(console, "_PLAIN_EVERY", 0.0)
    stream = io.StringIO()
    shown = console._Shown(Console(file=stream, force_terminal=terminal, width=120))
    with shown.task("sampling", total=steps, unit="sweeps") as task:
        for _ in range(steps):
            time.sleep(0.05)
            task.advance(1, entities=7)
    return stream.getvalue()


def test_plain_lines_where_there_is_no_terminal(monkeypatch):
    text = run_task(monkeypatch, terminal=False, patience=0.01)
    assert "sampling: " in text
    assert "of 3 after" in text
    assert "entities 7" in text
    assert "done in" in text


def test_work_that_was_stopped_is_not_called_done(monkeypatch):
    monkeypatch.setattr(console, "_PATIENCE", 0.01)
    stream = io.StringIO()
    task = console._Shown(Console(file=stream, width=120)).task("sampling")
    with contextlib.suppress(KeyboardInterrupt), task:
        time.sleep(0.1)
        raise KeyboardInterrupt
    assert "sampling: stopped after" in stream.getvalue()
    assert "done" not in stream.getvalue()


def test_a_live_line_on_a_terminal(monkeypatch):
    text = run_task(monkeypatch, terminal=True, patience=0.01)
    assert "sampling" in text
    assert "\x1b[" in text


def test_short_work_shows_nothing(monkeypatch):
    assert run_task(monkeypatch, terminal=False, patience=60) == ""
