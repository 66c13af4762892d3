"""Commands that are loaded when they are called: `onoma --help` and `onoma --version` load none of them.

A command is known by where it stands and by the one line that the list of commands shows. That line is the first
paragraph of the command's own help, word for word; a test compares them.
"""

import contextlib
import importlib
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from onoma.cli.plain_values import read_plainly

__all__ = ["Commands", "LazyCommand", "lazy_group"]

PANELS = {"": "Records and names", "kb": "Knowledge bases", "text": "Text", "knowledge": "Facts and words"}
"""Under what commands are listed, by the room that their modules stand in."""


@dataclass(frozen=True)
class LazyCommand:
    """A command that is not loaded yet.

    Parameters
    ----------
    summary
        The first paragraph of its help.
    room
        The room of `onoma.cli` that its module stands in; empty: `onoma.cli` itself.
    attribute
        What its module (of the command's name) calls it: a function, or a Typer of several commands. Empty: its name.
    spares
        Whether it looks, before it begins, that no output is one of its inputs (`onoma.cli.sparing`).
    panel
        Under what it is listed; empty: what its room says.
    """

    summary: str
    room: str = ""
    attribute: str = ""
    spares: bool = True
    panel: str = ""

    def listed(self, name: str) -> TyperCommand:
        """Return what the list of commands needs of it: a name, a summary, what it stands under."""
        return TyperCommand(name, help=self.summary, rich_help_panel=self.panel or PANELS[self.room])

    def load(self, name: str) -> Any:  # noqa: ANN401 (typer keeps the class of commands to itself)
        """Load it."""
        place = name.replace("-", "_")
        from onoma.cli.light import arrow_as_asked, collecting_later, without_pandas

        with collecting_later():
            arrow_as_asked()  # to spare files each command loads it, if not for itself
            module = importlib.import_module(".".join(filter(None, ["onoma.cli", self.room, place])))
            from onoma.cli.sparing import Sparing

        without_pandas()
        found = getattr(module, self.attribute or place)
        if isinstance(found, typer.Typer):
            group = typer.main.get_group(found)
            group.name = name
            return group
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
        alone.command(name, cls=Sparing if self.spares else TyperCommand)(found)
        return typer.main.get_command(alone)


class Commands(MutableMapping[str, Any]):
    """Commands by name, each loaded when it is asked for."""

    def __init__(self, lazy: dict[str, LazyCommand]) -> None:
        self.lazy = lazy
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        if name not in self._loaded:
            self._loaded[name] = self.lazy[name].load(name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:  # noqa: ANN401
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        self._loaded.pop(name, None)
        self.lazy = {key: value for key, value in self.lazy.items() if key != name}

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.lazy, *self._loaded]))

    def __len__(self) -> int:
        return len({*self.lazy, *self._loaded})


def lazy_group(lazy: dict[str, LazyCommand]) -> type[TyperGroup]:
    """Return a class of groups with these commands besides those that Typer gives it."""
    read_plainly()

    class Lazy(TyperGroup):
        """A group whose commands are loaded when they are called; to be listed, their summaries are enough."""

        def __init__(self, **settings: Any) -> None:  # noqa: ANN401
            own = settings.pop("commands", None) or {}
            super().__init__(**settings)
            self.commands = Commands(lazy)
            self.commands.update(own)
            self._is_listing = False

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002
            """Return a command; where commands are only listed, one that has nothing but a name and a summary."""
            if self._is_listing and cmd_name in lazy:
                return lazy[cmd_name].listed(cmd_name)
            return self.commands.get(cmd_name)

        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002
            """Return the names of the commands."""
            return [*self.commands]

        def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
            """Write the help with its list of commands."""
            with self._listing():
                super().format_help(ctx, formatter)

        def shell_complete(self, ctx: Any, incomplete: str) -> Any:  # noqa: ANN401
            """Return what may follow, for a shell."""
            with self._listing():
                return super().shell_complete(ctx, incomplete)

        def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
            """Load a command and run it; that kernels are compiled is said."""
            from onoma.cli.light import collecting_later, numba_alone

            with collecting_later():
                numba_alone()  # half a second: not for `--help`
                from onoma.cli.compiling import compiling

            with compiling():
                return super().invoke(ctx)

        @contextlib.contextmanager
        def _listing(self) -> Iterator[None]:
            self._is_listing = True
            try:
                yield
            finally:
                self._is_listing = False

    return Lazy
