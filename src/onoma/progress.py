"""Long work shows itself: how a room reports progress without speaking, and hears that it should end.

A function that may run for more than a second takes `progress: Progress = SILENT`, opens a task and advances it.
Whoever speaks to people (the command line, a notebook, the studio) passes its own `Progress`; the rooms never print.
Work that has an answer at any time takes `stop: Stop = NEVER` and looks at it now and then.
"""

import contextlib
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Protocol, Self

__all__ = ["NEVER", "SILENT", "Heard", "Progress", "Stop", "Task"]


class Task(Protocol):
    """One piece of work under way; a context manager."""

    def advance(self, n: int = 1, **facts: float | str) -> None:
        """Say that n more units are done, and anything worth seeing (log_score=…, entities=…)."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Progress(Protocol):
    """Something that shows progress."""

    def task(self, name: str, total: int | None = None, unit: str = "") -> Task:
        """Open a task of so many units (None: unknown)."""


class _Silent:
    def __repr__(self) -> str:
        return "SILENT"

    def task(self, name: str, total: int | None = None, unit: str = "") -> Task:  # noqa: ARG002
        return self

    def advance(self, n: int = 1, **facts: float | str) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


SILENT: Progress = _Silent()
"""Shows nothing."""


class Stop(Protocol):
    """Somebody who may ask long work to end early with what it has."""

    def heeded(self) -> contextlib.AbstractContextManager[Callable[[], bool]]:
        """Say that the work inside heeds a request; what is given tells whether one came."""


class _Never:
    @contextlib.contextmanager
    def heeded(self) -> Iterator[Callable[[], bool]]:
        yield lambda: False


NEVER: Stop = _Never()
"""Never asks."""


class Heard:
    """Passes a request on, and remembers whether the work saw one.

    Examples
    --------
    >>> heard = Heard(NEVER)
    >>> with heard.heeded() as asked:
    ...     asked()
    False
    >>> heard.is_asked
    False
    """

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self.is_asked = False

    @contextlib.contextmanager
    def heeded(self) -> Iterator[Callable[[], bool]]:
        """Say that the work inside heeds a request; what is given tells whether one came."""
        with self._stop.heeded() as asked:

            def look() -> bool:
                self.is_asked = self.is_asked or asked()
                return self.is_asked

            yield look
