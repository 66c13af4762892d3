"""`onoma compile`: kernels made ready before they are needed."""

from enum import StrEnum
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.pipeline.warming import WORK, Compiled, compile_ahead

__all__ = ["compile_kernels"]

_SHOWN = 10

Work = StrEnum("Work", {name.replace("-", "_"): name for name in WORK})  # type: ignore[misc]


def compile_kernels(
    work: Annotated[
        list[Work] | None, typer.Argument(metavar="[MODEL]...", help="The models to make ready; all if none is named.")
    ] = None,
    *,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compile the kernels of onoma resolve ahead, so that the first use does not wait for them.

    Resolves a small table by each model, and says what each kernel cost. They are kept beside the program, where that
    can be written, else in a folder of the user; NUMBA_CACHE_DIR names another, in an image for many machines say.

    For example:

      [cyan]onoma compile[/]                all models
      [cyan]onoma compile copying[/]        what most tables need
    """
    speaker = Speaker(json=json, quiet=quiet)
    found = []
    for each in compile_ahead(tuple(str(name) for name in work or ()), progress=speaker.progress):
        found.append(each)
        if not json:
            speaker.say(f"{each.work}: {_kernels(each)}, {each.seconds:.1f} s in all")
    costs = {name: seconds for each in found for name, seconds in each.kernels.items()}
    dearest = sorted(costs.items(), key=lambda item: -item[1])
    if json:
        speaker.answer(
            {
                "work": {each.work: {"seconds": each.seconds, "compiling": each.compiling} for each in found},
                "kernels": dict(dearest),
            }
        )
    elif dearest:
        speaker.say("")
        rows = ([name, f"{seconds:.2f}"] for name, seconds in dearest[:_SHOWN])
        speaker.table("the kernels that took longest", ("kernel", "seconds"), rows)


def _kernels(each: Compiled) -> str:
    n = len(each.kernels)
    return f"{n} kernels compiled in {each.compiling:.1f} s" if n else "all kernels were there"
