"""`onoma audit`: is a knowledge base as its runs left it?"""

from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.kb.audit.seals import audit as verify
from onoma.kb.audit.seals import seal_all

__all__ = ["audit"]


def audit(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    seal: Annotated[bool, typer.Option("--seal", help="Seal all runs, and who is who, as they are now.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Verify the chain of runs, the fingerprints of all records and, where it was sealed, who is who.

    The exit code is 1 where something is not as it was, and what that is, is named. Keep the last seal elsewhere to
    know the file again.

    For example:

      [cyan]onoma audit people.duckdb --seal[/]
      [cyan]onoma audit people.duckdb[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    found = seal_all(kb) if seal else verify(kb)
    if json:
        speaker.answer(found.as_dict())
    for fault in found.faults:
        speaker.say(fault)
    if found.is_whole:
        also = ", records and who is who" if found.is_sealed_whole else " and records"
        speaker.say(f"whole: {found.n_runs:,} runs{also} are as they were left; last seal {found.seal[:16]}")
    else:
        raise typer.Exit(1)
