"""A room that can be called: `onoma.resolve(table)`, though `onoma.resolve` is a package as well.

Python puts a package into the package around it, so that `onoma.resolve` is the room as soon as anything in it is
loaded. The room therefore passes a call on to the function of its name in `onoma.api`, and has that function's
signature, so that editors and notebooks show its arguments.
"""

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any

__all__ = ["open_door"]


class _Room(ModuleType):
    def __call__(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 (those of the function)
        return _function(self)(*arguments, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(_function(self))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name == self.__name__.rpartition(".")[2]:
            return _function(self)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), self.__name__.rpartition(".")[2]})

    def __repr__(self) -> str:
        return f"<function and package {self.__name__}>"


def open_door(room: str) -> None:
    """Let a package be called."""
    sys.modules[room].__class__ = _Room


def _function(room: ModuleType) -> Any:  # noqa: ANN401
    return getattr(importlib.import_module("onoma.api"), room.__name__.rpartition(".")[2])
