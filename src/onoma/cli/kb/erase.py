"""`onoma erase`: a record, and every trace of its values, out of a knowledge base."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.errors import SettingsError
from onoma.kb.audit.erase import erase as take_out

__all__ = ["erase"]


def erase(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    record: Annotated[list[str], typer.Option("--record", metavar="ID", help="By id or source:id; repeatable.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Erase records, and every trace of their values: this cannot be undone.

    What they touched is resolved again without them, and the file is written anew, so that no byte of it holds what
    only they had. History keeps that an erasure happened, and not of whom. Copies elsewhere (backups, exports) are
    yours to find.

    For example:

      [cyan]onoma erase people.duckdb --record p017[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if not yes:
        if not sys.stdin.isatty():
            raise SettingsError("erasing cannot be undone", hint="Say that it is meant: --yes.")
        typer.confirm(f"Erase {len(record):,} records of {kb} for good?", abort=True, err=True)
    update = take_out(kb, record)
    if json:
        speaker.answer(update.as_dict() | {"erased": len(record)})
        return
    speaker.say(f"erased: {len(record):,}; {update.n_touched:,} other records resolved again")
