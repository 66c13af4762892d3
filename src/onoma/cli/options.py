"""Options that mean the same in every command."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["Json", "OnError", "OnErrorOption", "Out", "Quiet", "Seed"]


class OnError(StrEnum):
    """What to do with rows that cannot be read."""

    stop = "stop"
    reject = "reject"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text for people.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes, no progress: only the answer and errors.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same result.", min=0)]
Out = Annotated[Path | None, typer.Option("--output", "-o", help="Where to write.")]
OnErrorOption = Annotated[
    OnError,
    typer.Option("--on-error", help="Bad rows: stop at the first, or reject them into a file beside the output."),
]
