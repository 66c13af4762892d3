"""How the command line speaks: answers on standard output, everything else on standard error.

`Speaker` is made once per command from `--json` and `--quiet`. Progress appears only for work that takes longer than a
second: a live line with rate and time left on a terminal, plain lines elsewhere.
"""

import json
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from onoma import progress as onoma_progress
from onoma.errors import OnomaError

__all__ = ["Speaker", "say_error"]

_PATIENCE = 1.0
"""Seconds before work shows itself."""
_PLAIN_EVERY = 10.0
"""Seconds between two plain lines."""


@dataclass(frozen=True)
class Speaker:
    """The voice of one command."""

    json: bool = False
    quiet: bool = False

    @property
    def out(self) -> Console:
        """Standard output, for answers."""
        return Console(file=sys.stdout, highlight=False, soft_wrap=not sys.stdout.isatty())

    @property
    def err(self) -> Console:
        """Standard error, for everything that is not the answer."""
        return Console(file=sys.stderr, highlight=False, soft_wrap=not sys.stderr.isatty())

    @property
    def progress(self) -> onoma_progress.Progress:
        """Where long work shows itself."""
        return onoma_progress.SILENT if self.quiet else _Shown(self.err)

    def answer(self, result: Mapping[str, object]) -> None:
        """Print one JSON object."""
        self.out.print(json.dumps(result, ensure_ascii=False, default=str), markup=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """Print one line of the answer for people."""
        if not self.json:
            self.out.print(text)

    def note(self, text: str) -> None:
        """Print one line about the work."""
        if not self.quiet:
            self.err.print(f"[dim]{escape(text)}[/]")

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print a table for people; numbers stand right."""
        if self.json:
            return
        shown = [list(row) for row in rows]
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, header_style="bold", pad_edge=False
        )
        for position, column in enumerate(columns):
            numeric = any(isinstance(row[position], int | float) for row in shown)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold")
        for row in shown:
            table.add_row(*(escape(_cell(value)) for value in row))
        self.out.print(table)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def say_error(error: OnomaError) -> None:
    """Print an error for the person at the keyboard: what came and what is allowed, then what to try."""
    console = Speaker().err
    console.print(f"[bold red]error[/] {escape(error.message)}")
    if error.hint:
        # Hints speak Python; here the same is said with an option.
        hint = error.hint.replace("on_error='reject'", "--on-error reject")
        console.print(f"[bold]try[/]   {escape(hint)}")


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
        self.console, self.name, self.total, self.unit = console, name, total, unit
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
        return " · ".join(part for part in parts if part)

    def show(self) -> None: ...

    def refresh(self) -> None: ...

    def hide(self) -> None: ...


class _Live(_Delayed):
    def __init__(self, console: Console, name: str, total: int | None, unit: str) -> None:
        super().__init__(console, name, total, unit)
        self.bar: Progress | None = None
        self.row: TaskID | None = None

    def show(self) -> None:
        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[facts]}"),
            TimeElapsedColumn(),
            *([TimeRemainingColumn()] if self.total else []),
            console=self.console,
            transient=True,
        )
        self.row = bar.add_task(
            escape(self.name), total=self.total, completed=self.done, facts=escape(self.described())
        )
        bar.start()
        self.bar = bar

    def refresh(self) -> None:
        if self.bar is not None and self.row is not None:
            self.bar.update(self.row, completed=self.done, facts=escape(self.described()))

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
            self.console.print(f"{self.name}: {self.ended} {time.monotonic() - self.start:.1f} s", markup=False)

    def _line(self) -> None:
        elapsed = time.monotonic() - self.start
        share = f" {self.done:,} of {self.total:,}" if self.total else f" {self.done:,}" if self.done else ""
        left = f", {elapsed * (self.total - self.done) / self.done:.0f} s left" if self.total and self.done else ""
        facts = self.described()
        self.console.print(
            f"{self.name}:{share} after {elapsed:.0f} s{left}{' · ' + facts if facts else ''}", markup=False
        )
