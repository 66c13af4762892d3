"""`onoma find`: which entity is this record?"""

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.corpus.readers.table import read_table
from onoma.errors import SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.lookup.find import Finding
from onoma.kb.lookup.live import Live
from onoma.kb.texts import is_from_text

__all__ = ["find"]


def find(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    record: Annotated[
        str | None, typer.Option("--record", metavar="JSON", help="One record: an object of columns and values.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--table", metavar="FILE", help="Many records, in any format that is read.")
    ] = None,
    most: Annotated[int, typer.Option("--most", help="How many entities to tell of each record.", min=1)] = 5,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which entity a record is, or that it is none: nothing is added.

    Each entity comes with the probability that the record is it and with what speaks for it; NIL is the probability
    that it is none that is there. They are the probabilities that adding the record would give. In a knowledge base
    from texts it is a name that is asked for, with its type and the words around it where they are known; it is linked
    as onoma link-text does.

    For example:

      [cyan]onoma find people.duckdb --record '{"given_name": "Jon", "surname": "Smith", "city": "Leeds"}'[/]
      [cyan]onoma find people.duckdb --table new.csv --json[/]
      [cyan]onoma find letters.duckdb --record '{"name": "Lovelace", "context": "notes on the engine"}'[/]
    """
    if (record is None) == (table is None):
        raise SettingsError(
            "give one record (--record JSON) or a table of them (--table FILE)",
            hint=f"""Like this: onoma find {kb} --record '{{"name": "Jon Smith", "city": "Leeds"}}'.""",
        )
    speaker = Speaker(json=json, quiet=quiet)
    rows = read_table(table).table if table is not None else None
    if _is_from_text(kb):
        from onoma.pipeline.linking import find_mention

        asked = [_record(record or "")] if rows is None else rows.to_pylist()
        found = [find_mention(kb, each, most=most) for each in asked]
    elif rows is not None:
        found = Live(kb).find_many(rows, most=most)
    else:
        found = [Live(kb).find(_record(record or ""), most=most)]
    if json:
        told = [each.as_dict() for each in found]
        speaker.answer({"records": told} if table is not None else told[0])
        return
    for i, each in enumerate(found):
        _tell(speaker, each, f"row {i + 1}" if table is not None else "")


def _is_from_text(kb: Path) -> bool:
    with read_knowledge_base(kb) as base:
        return is_from_text(base)


def _record(text: str) -> dict[str, object]:
    try:
        found = json_module.loads(text)
    except ValueError as error:
        raise SettingsError(f"--record is no JSON: {error}", hint=_LIKE) from error
    if not isinstance(found, dict):
        raise SettingsError(f"--record is {type(found).__name__}, not an object of columns and values", hint=_LIKE)
    return found


_LIKE = 'Like this: --record \'{"name": "Jon Smith", "city": "Leeds"}\''


def _tell(speaker: Speaker, found: Finding, title: str) -> None:
    rows: list[tuple[object, ...]] = [
        (each.entity, each.probability, each.size, each.record, each.reason) for each in found.candidates
    ]
    rows.append(("NIL", found.nil, "", "", f"none of them; compared with {found.n_compared:,} records"))
    speaker.table(title, ("entity", "probability", "records", "most alike", "bits that say most"), rows)
