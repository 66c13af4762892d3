"""Proposals: judgements that a program or a stranger suggests, and that hold only when a person accepts them."""

from dataclasses import dataclass

from onoma.errors import DataError
from onoma.kb.commit import Update
from onoma.kb.database import KnowledgeBase
from onoma.kb.judge import WHOLE, Around, Judgement, Said, judge_in
from onoma.kb.world import find_record_key

__all__ = ["Proposal", "accept_proposal", "list_proposals", "propose", "reject_proposal"]

_TABLE = """CREATE TABLE IF NOT EXISTS proposals (
    proposal BIGINT NOT NULL, kind VARCHAR NOT NULL, a VARCHAR NOT NULL, b VARCHAR NOT NULL, "by" VARCHAR NOT NULL,
    why VARCHAR NOT NULL, state VARCHAR NOT NULL)"""


@dataclass(frozen=True)
class Proposal:
    """A judgement that is suggested."""

    number: int
    kind: str
    a: str
    b: str
    by: str
    why: str

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        about = {"proposal": self.number, "kind": self.kind, "a": self.a, "b": self.b}
        return about | {"by": self.by, "why": self.why}


def propose(base: KnowledgeBase, said: Said, *, by: str = "", why: str = "") -> Proposal:
    """Keep a proposal about two records that are there; nothing else changes."""
    first, second = (find_record_key(base, name)[0] for name in (said.a, said.b))
    if first == second:
        raise DataError(f"{said.a!r} and {said.b!r} are one record", file=base.path)
    base.change(_TABLE)
    number = int(base.value("SELECT coalesce(max(proposal), 0) + 1 FROM proposals"))
    row = [number, said.kind, said.a, said.b, by, why, "waits"]
    base.change("INSERT INTO proposals VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return Proposal(number, said.kind, said.a, said.b, by, why)


def list_proposals(base: KnowledgeBase) -> list[Proposal]:
    """Return the proposals that wait for a person."""
    if not base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'proposals'"):
        return []
    rows = base.rows(
        """SELECT proposal, kind, a, b, "by", why FROM proposals WHERE state = 'waits' ORDER BY proposal"""
    )
    return [Proposal(*row) for row in rows]


def accept_proposal(
    base: KnowledgeBase, number: int, *, by: str = "", command: str = "", around: Around = WHOLE
) -> tuple[list[Judgement], Update]:
    """Make a proposal a judgement; `around` says where what is touched comes from."""
    found = _waiting(base, number)
    kept = judge_in(
        base,
        [Said("same" if found.kind == "same" else "different", found.a, found.b)],
        by=by or found.by,
        command=command,
        around=around,
    )
    base.change("UPDATE proposals SET state = 'accepted' WHERE proposal = ?", [number])
    return kept


def reject_proposal(base: KnowledgeBase, number: int) -> Proposal:
    """Put a proposal aside."""
    found = _waiting(base, number)
    base.change("UPDATE proposals SET state = 'rejected' WHERE proposal = ?", [number])
    return found


def _waiting(base: KnowledgeBase, number: int) -> Proposal:
    for each in list_proposals(base):
        if each.number == number:
            return each
    raise DataError(
        f"no proposal {number} waits", file=base.path, hint=f"onoma judge {base.path} proposals shows those that do."
    )
