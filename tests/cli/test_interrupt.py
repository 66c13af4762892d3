"""Ctrl-C, pressed once and twice."""

import signal
import sys
import threading
from types import SimpleNamespace

import pytest

from onoma.cli.interrupt import Interrupt, guarded


def press():
    signal.raise_signal(signal.SIGINT)


def test_once_is_heeded_twice_stops():
    said = []
    with Interrupt(said.append) as interrupt, interrupt.heeded() as asked:
        assert not asked()
        press()
        assert asked()
        with pytest.raises(KeyboardInterrupt):
            press()
    assert len(said) == 1


def test_nobody_heeds_it():
    with Interrupt(lambda _: None) as interrupt:
        with pytest.raises(KeyboardInterrupt):
            press()
        with interrupt.heeded():
            pass
        with pytest.raises(KeyboardInterrupt):
            press()
        assert not interrupt.asked


def test_the_handler_before_comes_back():
    before = signal.getsignal(signal.SIGINT)
    with Interrupt(lambda _: None):
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_another_thread_has_no_handlers():
    failed = []

    def work():
        try:
            with Interrupt(lambda _: None) as interrupt, interrupt.heeded() as asked:
                failed.append(asked())
        except ValueError as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failed == [False]


def test_an_interrupt_that_nobody_can_catch_is_quiet(monkeypatch):
    loud = []
    monkeypatch.setattr(sys, "unraisablehook", loud.append)
    with guarded() as is_pressed:
        sys.unraisablehook(SimpleNamespace(exc_type=KeyboardInterrupt))  # before the thread that listens has heard it
        sys.unraisablehook(SimpleNamespace(exc_type=ValueError))
        assert not is_pressed()
    assert [each.exc_type for each in loud] == [ValueError]
