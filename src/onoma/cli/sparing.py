"""A command never writes over a file that it reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from onoma.cli.options import OnError
from onoma.corpus.writers.files import rejects_beside
from onoma.pipeline.targets import check_spared

__all__ = ["Sparing"]

_WRITTEN = ("output", "target", "picture", "svg", "report")
"""The parameters that name a file to be written; every other one that names a file is read."""


class Sparing(TyperCommand):
    """A command that looks, before it begins, whether an output is one of its inputs."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  (typer keeps the class of contexts to itself)
        """Run the command."""
        read = [path for name, value in ctx.params.items() if name not in _WRITTEN for path in _paths(value)]
        for target in (path for name in _WRITTEN for path in _paths(ctx.params.get(name))):
            check_spared(target, read)
            if ctx.params.get("on_error") == OnError.reject:
                check_spared(rejects_beside(target), read)
        return super().invoke(ctx)


def _paths(value: object) -> Iterator[Path]:
    """Yield what could be a file: paths, and texts, of which some options take a file or a word."""
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, Path | str) and each:
            yield Path(each)
