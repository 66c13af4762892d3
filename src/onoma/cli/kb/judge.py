"""`onoma judge`: what people say of two records, and taking it back."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.errors import SettingsError
from onoma.kb.commit import Update
from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.judge import Said, list_judgements, retract_judgements
from onoma.kb.judge import judge as keep_judgements
from onoma.kb.proposals import accept_proposal, list_proposals, reject_proposal

__all__ = ["judge"]

_HOW = "onoma judge KB same A B, different A B, retract NUMBER, list, proposals, accept NUMBER or reject NUMBER"


def judge(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    what: Annotated[
        str,
        typer.Argument(
            metavar="same|different|retract|list|proposals|accept|reject", help="What is said, or to be done."
        ),
    ],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="A B | NUMBER", help="Two records by id or source:id; or a judgement.")
    ] = None,
    *,
    by: Annotated[str, typer.Option("--by", help="Who says so.")] = "",
    weight: Annotated[
        str, typer.Option("--weight", metavar="hard|BITS", help="hard: it always holds; or so many bits of evidence.")
    ] = "hard",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say that two records are the same, or different; take back what was said.

    A hard judgement holds in every sample, whatever the records say. With [cyan]--weight 5[/] it is evidence: five bits
    make the pair 32 times as likely. Only what it touches is resolved again.

    For example:

      [cyan]onoma judge people.duckdb same r17 r203 --by ada[/]
      [cyan]onoma judge people.duckdb different shop:17 web:17 --weight 6[/]
      [cyan]onoma judge people.duckdb retract 3[/]
      [cyan]onoma judge people.duckdb list[/]
      [cyan]onoma judge people.duckdb accept 2[/]      what a service or an assistant proposed
    """
    speaker = Speaker(json=json, quiet=quiet)
    command = shlex.join(["onoma", *sys.argv[1:]])
    given = names or []
    if what == "list" and not given:
        _list(speaker, kb)
    elif what == "retract" and given and all(name.isdecimal() for name in given):
        update = retract_judgements(kb, [int(name) for name in given], command=command)
        _tell(speaker, f"retracted: {', '.join(given)}", update, [])
    elif what == "proposals" and not given:
        _list_proposals(speaker, kb)
    elif what in ("accept", "reject") and len(given) == 1 and given[0].isdecimal():
        _settle(speaker, kb, what, int(given[0]), by, command)
    elif what in ("same", "different") and len(given) == 2:
        bits = _bits(weight)
        said = Said("same" if what == "same" else "different", given[0], given[1], bits)
        kept, update = keep_judgements(kb, [said], by=by, command=command)
        told = f"judgement {kept[0].number}: {kept[0].a} and {kept[0].b} are {'the same' if what == 'same' else what}"
        _tell(speaker, told, update, [each.as_dict() for each in kept])
    else:
        raise SettingsError(f"{' '.join([what, *given])!r} is not understood", hint=f"It is {_HOW}.")


def _list_proposals(speaker: Speaker, kb: Path) -> None:
    with read_knowledge_base(kb) as base:
        found = list_proposals(base)
    if speaker.json:
        speaker.answer({"proposals": [each.as_dict() for each in found]})
        return
    rows = ([each.number, each.kind, each.a, each.b, each.by, each.why] for each in found)
    speaker.table("proposals", ("number", "kind", "a", "b", "by", "why"), rows)


def _settle(speaker: Speaker, kb: Path, what: str, number: int, by: str, command: str) -> None:
    """Accept a proposal, or put it aside."""
    with write_knowledge_base(kb) as base:
        if what == "reject":
            found = reject_proposal(base, number)
            if speaker.json:
                speaker.answer({"rejected": found.as_dict()})
            speaker.say(f"rejected: {found.kind} {found.a} {found.b}")
            return
        kept, update = accept_proposal(base, number, by=by, command=command)
    _tell(speaker, f"accepted: {kept[0].kind} {kept[0].a} {kept[0].b}", update, [each.as_dict() for each in kept])


def _bits(weight: str) -> float | None:
    if weight == "hard":
        return None
    try:
        return float(weight)
    except ValueError as error:
        raise SettingsError(f"--weight {weight!r} is not understood; it is hard, or a number of bits") from error


def _tell(speaker: Speaker, told: str, update: Update, kept: list[dict[str, object]]) -> None:
    if speaker.json:
        speaker.answer({"judgements": kept} | update.as_dict())
        return
    speaker.say(told)
    changes = ", ".join(f"{n:,} {kind}" for kind, n in sorted(update.changes.items())) or "no entity changed"
    speaker.say(f"{update.n_touched:,} records resolved again: {changes}")


def _list(speaker: Speaker, kb: Path) -> None:
    with read_knowledge_base(kb) as base:
        found = list_judgements(base, retracted=True)
    if speaker.json:
        speaker.answer({"judgements": [each.as_dict() for each in found]})
        return
    rows = (
        [
            each.number,
            each.kind,
            each.a,
            each.b,
            "hard" if each.weight is None else f"{each.weight:g} bits",
            each.by,
            "retracted" if each.is_retracted else "",
        ]
        for each in found
    )
    speaker.table("judgements", ("number", "kind", "a", "b", "weight", "by", ""), rows)
