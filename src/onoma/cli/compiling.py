"""The first use on a machine compiles kernels, which takes a third of a minute: that is said."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from numba.core import event

from onoma.cli.console import Speaker

__all__ = ["compiling"]

_PATIENCE = 1.0
"""Seconds of compiling before it is said: what is in the cache takes none."""
_SAID = "compiling kernels for this machine (once for each kind of work, about {seconds} s)"
_SECONDS = 30
"""For `onoma resolve` on two cores: 11 s of processor time in the run, 17 s in the process beside it (`beside.py`)."""


class _Listener(event.Listener):
    """Hears when Numba begins to compile what is not in its cache."""

    def __init__(self) -> None:
        self._timer = threading.Timer(_PATIENCE, self._say)
        self._timer.daemon = True
        self._begun: float | None = None
        self._is_said = False

    def on_start(self, event: object) -> None:  # noqa: ARG002
        if self._begun is None:
            self._begun = time.monotonic()
            self._timer.start()
        elif time.monotonic() > self._begun + _PATIENCE:
            self._say()

    def on_end(self, event: object) -> None:  # noqa: ARG002
        if time.monotonic() < (self._begun or 0) + _PATIENCE:
            self._timer.cancel()

    def stop(self) -> None:
        self._timer.cancel()

    def _say(self) -> None:
        if not self._is_said:
            self._is_said = True
            Speaker().note(_SAID.format(seconds=_SECONDS))


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Say that kernels are compiled inside, once, unless `--quiet` was given."""
    if {"--quiet", "-q"} & {*sys.argv}:
        yield
        return
    listener = _Listener()
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        listener.stop()
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
