"""Ctrl-C: the first one lets work that has an answer at any time end with it, any other stops at once.

At once means: by KeyboardInterrupt where Python runs; and where it does not hear (a kernel, a query, a library) or the
exception is lost on its way, by force a second later. A thread of its own hears the signal, for Python tells the main
thread only when that comes back to it. Working files are removed either way; outputs appear whole or not at all.
"""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Self

from onoma.beside import clear_own

__all__ = ["INTERRUPTED", "Interrupt", "guarded"]

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
_GRACE = 1.0
"""Seconds until force."""


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

    @property
    def is_heeded(self) -> bool:
        """Whether the work that runs now looks for a request, and none came yet."""
        return self._heeded and not self.asked

    def __enter__(self) -> Self:
        _HEARING.append(self)
        # Handlers can be set in the main thread alone; elsewhere nobody presses Ctrl-C.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _HEARING.remove(self)
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


_HEARING: list[Interrupt] = []
"""Those that are entered."""


@contextlib.contextmanager
def guarded() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end what is inside at any moment; what is given tells whether it was pressed."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield lambda: False
        return
    hears, tells = socket.socketpair()
    tells.settimeout(0)
    pressed, over = threading.Event(), threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        pressed.set()
        raise KeyboardInterrupt

    threading.Thread(target=_listen, args=(hears, pressed, over), daemon=True).start()
    wakeup = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
    before = signal.signal(signal.SIGINT, handle)
    loud = sys.unraisablehook, threading.excepthook

    def is_ours(kind: type[BaseException]) -> bool:
        """Whether it is an interrupt that fell where nobody can catch it, or what one made of the work of others."""
        return issubclass(kind, KeyboardInterrupt) or pressed.is_set()

    sys.unraisablehook = lambda lost: None if is_ours(lost.exc_type) else loud[0](lost)
    threading.excepthook = lambda lost: None if is_ours(lost.exc_type) else loud[1](lost)
    try:
        yield pressed.is_set
    finally:
        over.set()
        signal.signal(signal.SIGINT, before)
        signal.set_wakeup_fd(wakeup)
        sys.unraisablehook, threading.excepthook = loud
        tells.close()


def _listen(hears: socket.socket, pressed: threading.Event, over: threading.Event) -> None:
    """Wait for Ctrl-C in a thread of its own; end the process where the main thread does not in time."""
    is_asked = False
    with hears:
        while came := hears.recv(64):
            if signal.SIGINT not in came:
                continue
            if not is_asked and any(each.is_heeded for each in _HEARING):
                is_asked = True
                continue
            pressed.set()
            if over.wait(_GRACE):
                return
            # The work may have come to where it heeds after all.
            if is_asked or not any(each.asked for each in _HEARING):
                leave()
            is_asked = True


def leave() -> None:
    """End at once: remove the working files of this process, tell who waits, and go."""
    clear_own()
    with contextlib.suppress(OSError, ValueError):
        shown = "\x1b[?25h" if sys.stderr.isatty() else ""  # a live line hides the cursor
        os.write(sys.stderr.fileno(), f"{shown}stopped\n".encode())
    os._exit(INTERRUPTED)
