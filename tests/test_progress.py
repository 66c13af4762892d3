"""Rooms report without speaking, and hear that they should end."""

import contextlib

import pytest

from onoma.progress import NEVER, SILENT, Heard


def test_silence_takes_everything_and_says_nothing(capsys):
    with SILENT.task("x", total=3, unit="rows") as task:
        task.advance(2, log_score=-1.5, entities=3)
        task.advance()
    assert capsys.readouterr() == ("", "") and repr(SILENT) == "SILENT"


def test_an_error_inside_a_task_goes_on_its_way():
    with pytest.raises(ZeroDivisionError), SILENT.task("x"):
        _ = 1 / 0


class After:
    """Asks after a few looks."""

    def __init__(self, n):
        self.left = n

    @contextlib.contextmanager
    def heeded(self):
        def asked():
            self.left -= 1
            return self.left < 0

        yield asked


def test_never_asks():
    with NEVER.heeded() as asked:
        assert not any(asked() for _ in range(5))


def test_a_request_that_was_heard_is_remembered():
    heard = Heard(After(2))
    with heard.heeded() as asked:
        assert [asked() for _ in range(4)] == [False, False, True, True]
    assert heard.is_asked
    unheard = Heard(After(2))
    with unheard.heeded() as asked:
        asked()
    assert not unheard.is_asked
