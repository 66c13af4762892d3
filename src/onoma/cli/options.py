"""Options that mean the same in every command."""

import functools
import inspect
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from onoma.errors import SettingsError

__all__ = [
    "ColumnMap",
    "Encoding",
    "Json",
    "OnError",
    "OnErrorOption",
    "Out",
    "Quiet",
    "Seed",
    "column_kinds",
    "column_pairs",
    "with_settings",
]


class OnError(StrEnum):
    """What to do with rows that cannot be read."""

    stop = "stop"
    reject = "reject"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text for people.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes, no progress: only the answer and errors.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same result.", min=0)]
Out = Annotated[Path | None, typer.Option("--output", "-o", help="Where to write.")]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Of text that is not UTF-8, such as latin-1; found if not given."),
]
OnErrorOption = Annotated[
    OnError,
    typer.Option("--on-error", help="Bad rows: stop at the first, or reject them into a file beside the output."),
]


ColumnMap = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="COLUMN=OTHER", help="What another file calls a column: --map title=paper_title."),
]


def column_kinds(pairs: list[str]) -> dict[str, str]:
    """Read `--field COLUMN=KIND`."""
    kinds = {}
    for pair in pairs:
        column, separator, kind = pair.rpartition("=")
        if not separator:
            raise SettingsError(f"--field {pair!r} is not understood; it is COLUMN=KIND, such as --field title=text")
        kinds[column] = kind
    return kinds


def column_pairs(pairs: list[str]) -> dict[str, str]:
    """Read `--map COLUMN=OTHER`."""
    found = {}
    for pair in pairs:
        column, separator, other = pair.partition("=")
        if not separator or not column or not other:
            raise SettingsError(
                f"--map {pair!r} is not understood; it is COLUMN=OTHER, such as --map title=paper_title"
            )
        found[column] = other
    return found


def with_settings(kind: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a dataclass as options of its own.

    The command has a parameter `settings` of that class and gets them there; commands that share options say them once.
    """
    hints = get_type_hints(kind, include_extras=True)
    shared = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[name])
        for name, field in kind.__dataclass_fields__.items()
    ]

    def widen(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def widened(**given: Any) -> None:  # noqa: ANN401  (whatever the options are)
            settings = kind(**{each.name: given.pop(each.name) for each in shared})
            command(**given, settings=settings)

        own = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [part for each in own for part in (shared if each.name == "settings" else [each])]
        widened.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads the options here
        widened.__annotations__ = {each.name: each.annotation for each in parameters}
        return widened

    return widen
