"""Ctrl-C: the first one lets work that has an answer at any time end with it, the second stops at once."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Interrupt"]


class Interrupt:
    """Hears Ctrl-C while it is entered; is what long work may look at (`onoma.progress.Stop`).

    Where no work heeds it, Ctrl-C raises KeyboardInterrupt as always.

    Parameters
    ----------
    note
        Called with what people should know, at the first Ctrl-C that is heeded.
    at_once
        What people should know if Ctrl-C stopped the work at once: what is kept, and how to go on.
    """

    def __init__(self, note: Callable[[str], None], at_once: Callable[[], str] | None = None) -> None:
        self.note = note
        self.at_once = at_once
        self.asked = False
        self._heeded = False
        self._before: object = None

    def __enter__(self) -> Self:
        # Handlers can be set in the main thread alone; elsewhere nobody presses Ctrl-C.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)  # type: ignore[arg-type]  # what signal() gave
        if isinstance(error, KeyboardInterrupt) and self.at_once is not None:
            self.note(f"stopped at once: {self.at_once()}")

    @contextlib.contextmanager
    def heeded(self) -> Iterator[Callable[[], bool]]:
        """Say that the work inside heeds a request; what is given tells whether one came."""
        self._heeded = True
        try:
            yield lambda: self.asked
        finally:
            self._heeded = False

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.asked or not self._heeded:
            raise KeyboardInterrupt
        self.asked = True
        self.note("stopping after this sweep or round, with the answer so far; Ctrl-C again stops at once")
