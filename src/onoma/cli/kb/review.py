"""`onoma review`: the pairs most worth a look, one key for each answer."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import PairExplanation, explain_records
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.kb.learn import relearn
from onoma.kb.review import Doubt, doubts

__all__ = ["review"]

_KEYS = "y same · n different · s skip · u undo · q quit"


def review(
    kb: Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base.")],
    *,
    by: Annotated[str, typer.Option("--by", help="Who answers.")] = "",
    most: Annotated[int, typer.Option("--most", help="Stop after so many answers; 0: no limit.", min=0)] = 0,
    learn: Annotated[
        bool, typer.Option("--learn", help="At the end, learn from all judgements what agreement weighs.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at the pairs whose answer is worth most, one after the other.

    Shows two records field by field, and what each field says in bits. Keys: [cyan]y[/] the same, [cyan]n[/] different,
    [cyan]s[/] skip, [cyan]u[/] undo the last answer, [cyan]q[/] quit. Each answer is a hard judgement, kept at once.
    """
    speaker = Speaker(json=json, quiet=quiet)
    session = _Session(speaker, kb, by, shlex.join(["onoma", *sys.argv[1:]]))
    session.run(_keys(), most)
    update = relearn(kb, command=session.command, progress=speaker.progress) if learn else None
    if speaker.json:
        speaker.answer({"answers": session.answers} | ({} if update is None else {"learnt": update.as_dict()}))
        return
    speaker.say(f"{len(session.answers)} answers kept")
    if update is not None:
        for note in update.notes:
            speaker.note(note)


class _Session:
    """One sitting."""

    def __init__(self, speaker: Speaker, kb: Path, by: str, command: str) -> None:
        self.speaker, self.kb, self.by, self.command = speaker, kb, by, command
        self.answers: list[dict[str, object]] = []
        self._skipped: set[tuple[str, str]] = set()
        self._done: list[int] = []

    def run(self, keys: Iterator[str], most: int) -> None:
        """Ask until there is nothing to ask, or somebody has had enough."""
        while not most or len(self.answers) < most:
            shown = self._next()
            if shown is None:
                self.speaker.say("nothing is left to decide")
                return
            if not self._answer(shown, keys):
                return

    def _next(self) -> Doubt | None:
        with read_knowledge_base(self.kb) as base:
            found = doubts(base, skip=self._skipped)
            if found:
                self._show(found[0], explain_records(base, found[0].a, found[0].b))
        return found[0] if found else None

    def _answer(self, doubt: Doubt, keys: Iterator[str]) -> bool:
        """Take one answer; say whether to go on."""
        for key in keys:
            if key in ("y", "n"):
                said = Said("same" if key == "y" else "different", doubt.a, doubt.b)
                kept, _ = judge(self.kb, [said], by=self.by, command=self.command)
                self._done.append(kept[0].number)
                self.answers.append(kept[0].as_dict() | {"probability": doubt.probability, "worth": doubt.worth})
                return True
            if key == "s":
                self._skipped.add((doubt.a, doubt.b))
                return True
            if key == "u" and self._done:
                number = self._done.pop()
                self.answers.pop()
                retract_judgements(self.kb, [number], command=self.command)
                self.speaker.say(f"judgement {number} is undone")
                return True
            if key == "q":
                return False
            self.speaker.note(_KEYS)
        return False

    def _show(self, doubt: Doubt, why: PairExplanation) -> None:
        title = (
            f"{doubt.a} and {doubt.b}: {doubt.probability:.0%} the same; an answer settles {doubt.worth:.2f} records"
        )
        rows = [
            [step.field, step.a, step.b, step.level, f"{step.bits:+.1f}"]
            for step in why.pair.steps
            if step.a or step.b or abs(step.bits) >= 0.05
        ]
        self.speaker.say("")
        self.speaker.table(title, ("field", doubt.a, doubt.b, "", "bits"), rows)
        self.speaker.note(_KEYS)


def _keys() -> Iterator[str]:
    """Yield the keys that are pressed: one at a time on a terminal, else the first sign of each line."""
    if not sys.stdin.isatty():
        for line in sys.stdin:
            if line.strip():
                yield line.strip()[0].lower()
        return
    while True:
        key = typer.getchar()
        if key in ("\x03", "\x04", ""):
            return
        yield key.lower()
