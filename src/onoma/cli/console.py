"""How the command line speaks: answers on standard output, everything else on standard error.

Values are people's data. They are printed as they are: no markup, no codes for pictures, and what a terminal would obey
(escapes, control characters, changes of direction) is shown and not sent. JSON is written plainly.

`Speaker` is made once per command from `--json` and `--quiet`. Progress appears only for work that takes longer than a
second: a live line with rate and time left on a terminal, plain lines elsewhere.
"""

import json
import re
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from onoma import progress as onoma_progress
from onoma.errors import OnomaError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Speaker", "Strong", "printable", "say_error"]

_PATIENCE = 1.0
"""Seconds before work shows itself."""
_PLAIN_EVERY = 10.0
"""Seconds between two plain lines."""


_OBEYED = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")
"""What a terminal obeys, other than tab and the end of a line; and halves of characters, which cannot be sent."""
_SHORT = 8
"""Letters of a cell that is not worth a second line."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d[ T:\d]*")


def printable(text: str) -> str:
    r"""Return a text with all that a terminal would obey written out.

    Examples
    --------
    >>> printable("urn:id:1 [/r0] \x1b]52;c;eA==\x07")
    'urn:id:1 [/r0] \\x1b]52;c;eA==\\x07'
    """
    return _OBEYED.sub(_written_out, text)


def _written_out(found: "re.Match[str]") -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


class Strong(str):
    """A part of a line that stands out."""

    __slots__ = ()


@dataclass(frozen=True)
class Speaker:
    """The voice of one command."""

    json: bool = False
    quiet: bool = False
    said: ClassVar[list[str]] = []
    """The notes so far, of whichever speaker."""

    @property
    def out(self) -> Console:
        """Standard output, for answers."""
        return _console(sys.stdout)

    @property
    def err(self) -> Console:
        """Standard error, for everything that is not the answer."""
        return _console(sys.stderr)

    @property
    def progress(self) -> onoma_progress.Progress:
        """Where long work shows itself."""
        return onoma_progress.SILENT if self.quiet else _Shown(self.err)

    def answer(self, result: Mapping[str, object]) -> None:
        """Print one JSON object."""
        wide = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
        text = json.dumps(result, ensure_ascii=not wide, default=str)
        # The same value, written so that no terminal obeys it.
        sys.stdout.write(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")

    def say(self, *parts: str) -> None:
        """Print one line of the answer for people; what is `Strong` stands out."""
        if not self.json:
            self.out.print(_line(*parts))

    def note(self, text: str) -> None:
        """Print one line about the work."""
        self.said.append(text)
        if not self.quiet:
            self.err.print(Text(printable(text), style="dim"))

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print a table for people; numbers stand right, numbers and dates on one line."""
        if self.json:
            return
        shown = [list(row) for row in rows]
        table = Table(
            title=Text(printable(title)) if title else None,
            title_justify="left",
            title_style="bold",
            box=None,
            header_style="bold",
            pad_edge=False,
        )
        for position, column in enumerate(columns):
            numeric = any(isinstance(row[position], int | float) for row in shown)
            cells = [str(row[position]) for row in shown]
            whole = numeric or all(len(cell) <= _SHORT or _DATE.fullmatch(cell) for cell in cells)
            header = Text(printable(str(column)))
            table.add_column(header, justify="right" if numeric else "left", overflow="fold", no_wrap=whole)
        for row in shown:
            table.add_row(*(Text(printable(_cell(value))) for value in row))
        self.out.print(table)


def _console(file: TextIO) -> Console:
    return Console(file=file, highlight=False, markup=False, emoji=False, soft_wrap=not file.isatty())


def _line(*parts: str) -> Text:
    line = Text()
    for part in parts:
        line.append(printable(part), style="bold" if isinstance(part, Strong) else None)
    return line


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def say_error(error: OnomaError) -> None:
    """Print an error for the person at the keyboard: what came and what is allowed, then what to try."""
    console = Speaker().err
    console.print(Text("error ", style="bold red").append(Text(printable(error.message), style="not bold default")))
    if error.hint:
        # Hints speak Python; here the same is said with an option.
        hint = error.hint.replace("on_error='reject'", "--on-error reject")
        console.print(Text("try   ", style="bold").append(Text(printable(hint), style="not bold default")))


class _Shown:
    """Progress for people: a live line on a terminal, plain lines elsewhere."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def task(self, name: str, total: int | None = None, unit: str = "") -> onoma_progress.Task:
        return (
            _Live(self.console, name, total, unit)
            if self.console.is_terminal
            else _Plain(self.console, name, total, unit)
        )


class _Delayed:
    """A task that keeps count from the start but shows itself only after a while."""

    def __init__(self, console: Console, name: str, total: int | None, unit: str) -> None:
        self.console, self.name, self.total, self.unit = console, printable(name), total, unit
        self.done = 0
        self.ended = ""
        self.facts: dict[str, float | str] = {}
        self.start = time.monotonic()
        self.timer = threading.Timer(_PATIENCE, self.show)
        self.timer.daemon = True

    def __enter__(self) -> Self:
        self.timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.timer.cancel()
        self.ended = "done in" if kind is None else "stopped after"
        self.hide()

    def advance(self, n: int = 1, **facts: float | str) -> None:
        self.done += n
        self.facts |= facts
        self.refresh()

    def described(self) -> str:
        rate = self.done / max(time.monotonic() - self.start, 1e-9)
        parts = [f"{rate:,.0f} {self.unit}/s" if self.done and self.unit else ""]
        parts += [
            f"{name} {value:,.6g}" if isinstance(value, float | int) else f"{name} {value}"
            for name, value in self.facts.items()
        ]
        return printable(" · ".join(part for part in parts if part))

    def show(self) -> None: ...

    def refresh(self) -> None: ...

    def hide(self) -> None: ...


class _Live(_Delayed):
    def __init__(self, console: Console, name: str, total: int | None, unit: str) -> None:
        super().__init__(console, name, total, unit)
        self.bar: Progress | None = None
        self.row: TaskID | None = None

    def show(self) -> None:
        from rich.progress import (  # slow to load, for a terminal alone
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[facts]}", markup=False),
            TimeElapsedColumn(),
            *([TimeRemainingColumn()] if self.total else []),
            console=self.console,
            transient=True,
        )
        self.row = bar.add_task(self.name, total=self.total, completed=self.done, facts=self.described())
        bar.start()
        self.bar = bar

    def refresh(self) -> None:
        if self.bar is not None and self.row is not None:
            self.bar.update(self.row, completed=self.done, facts=self.described())

    def hide(self) -> None:
        if self.bar is not None:
            self.bar.stop()


class _Plain(_Delayed):
    def __init__(self, console: Console, name: str, total: int | None, unit: str) -> None:
        super().__init__(console, name, total, unit)
        self.last = float("inf")

    def show(self) -> None:
        self.last = time.monotonic()
        self._line()

    def refresh(self) -> None:
        if time.monotonic() - self.last >= _PLAIN_EVERY:
            self.last = time.monotonic()
            self._line()

    def hide(self) -> None:
        if self.last != float("inf"):
            self.console.print(
                f"{self.name}: {self.ended} {time.monotonic() - self.start:.1f} s", markup=False, emoji=False
            )

    def _line(self) -> None:
        elapsed = time.monotonic() - self.start
        share = f" {self.done:,} of {self.total:,}" if self.total else f" {self.done:,}" if self.done else ""
        left = f", {elapsed * (self.total - self.done) / self.done:.0f} s left" if self.total and self.done else ""
        facts = self.described()
        self.console.print(
            f"{self.name}:{share} after {elapsed:.0f} s{left}{' · ' + facts if facts else ''}",
            markup=False,
            emoji=False,
        )
