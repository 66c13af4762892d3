"""The chain of runs: each has a seal, the SHA-256 of what is told of it and of the seal before.

    seal(r) = SHA-256( seal(r − 1) · what the table of runs tells of r )

So nobody changes, adds or takes away a run without all later seals being wrong. Records carry fingerprints of their own
since they came, and those are verified too; who is who, judgements and changes are sealed as a whole when that is asked
for (`onoma audit --seal`). A seal is no signature: whoever can write the file and knows this can seal anew, so keep the
last seal elsewhere if that matters.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from onoma.corpus.fingerprints import row_fingerprints
from onoma.errors import DataError
from onoma.kb._schema import SEALS
from onoma.kb.audit.blocks import wrong_blocks
from onoma.kb.database import KnowledgeBase, read_knowledge_base, write_knowledge_base
from onoma.kb.world import record_table

__all__ = ["Audit", "audit", "seal_all", "seal_anew"]

_WHO = ("memberships", "judgements", "aliases", "changes", "entities", "former", "proposals")


@dataclass(frozen=True)
class Audit:
    """Whether a knowledge base is as its runs left it."""

    n_runs: int
    faults: tuple[str, ...]
    """What is not as it was, one sentence each; empty: all is."""
    seal: str
    """The last seal: whoever keeps it elsewhere knows this file again."""
    is_sealed_whole: bool
    """Whether who is who was sealed too, after the last run."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing was changed by another hand."""
        return not self.faults

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        about = {"runs": self.n_runs, "whole": self.is_whole, "faults": list(self.faults), "seal": self.seal}
        return about | {"who_is_who_sealed": self.is_sealed_whole}


def seal_anew(base: KnowledgeBase, *, whole: bool = True) -> str:
    """Seal all runs as they are told now, and who is who if that is wanted; return the last seal."""
    base.change(SEALS)
    base.change("DELETE FROM seals")
    last = ""
    for run, told in _runs(base):
        last = _seal(last, told)
        base.change("INSERT INTO seals VALUES (?, ?, '')", [run, last])
    if whole:
        base.change("UPDATE seals SET content = ? WHERE run = (SELECT max(run) FROM seals)", [_content(base)])
    return last


def seal_all(path: Path) -> Audit:
    """Seal a knowledge base; refuse one whose seals are wrong."""
    with write_knowledge_base(path) as base:
        faults = _chain_faults(base)[0] if _has_seals(base) else []
        if faults:
            raise DataError(f"cannot be sealed: {faults[0]}", file=path)
        seal_anew(base)
    return audit(path)


def audit(path: Path) -> Audit:
    """Verify the chain of runs, the fingerprints of all records, all bytes and, where it was sealed, who is who."""
    with read_knowledge_base(path) as base:
        if not _has_seals(base):
            raise DataError("has no seals yet", file=path, hint=f"onoma audit {path} --seal makes them.")
        faults, last = _chain_faults(base)
        faults += _record_faults(base)
        content = str(base.value("SELECT content FROM seals ORDER BY run DESC LIMIT 1") or "")
        if content and content != _content(base):
            faults.append("who is who, judgements or changes are not as they were sealed")
        n = int(base.value("SELECT count(*) FROM runs"))
    faults += wrong_blocks(path)
    return Audit(n, tuple(faults), last, bool(content))


def _has_seals(base: KnowledgeBase) -> bool:
    return _is_there(base, "seals") and bool(base.value("SELECT count(*) FROM seals"))


def _is_there(base: KnowledgeBase, name: str) -> bool:
    return bool(base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [name]))


def _seal(last: str, told: str) -> str:
    return hashlib.sha256(f"{last}\n{told}".encode()).hexdigest()


def _runs(base: KnowledgeBase) -> list[tuple[int, str]]:
    """Return what is told of each run, as one text."""
    rows = base.query("SELECT * FROM runs ORDER BY run").to_pylist()
    return [(int(row["run"]), json.dumps(row, sort_keys=True, default=str)) for row in rows]


def _content(base: KnowledgeBase) -> str:
    """Return the SHA-256 of who is who, and of what was learnt."""
    found = hashlib.sha256()
    for name in _WHO:
        if not _is_there(base, name):
            continue
        found.update(f"{name}\n".encode())
        for batch in base.query(f"SELECT * FROM {name} ORDER BY ALL").to_batches():  # noqa: S608 (a name of ours)
            for row in batch.to_pylist():
                found.update(json.dumps(row, sort_keys=True, default=str).encode())
    for name, value in base.rows("SELECT name, value FROM model ORDER BY name"):
        found.update(f"{name}\n".encode() + bytes(value))
    return found.hexdigest()


def _chain_faults(base: KnowledgeBase) -> tuple[list[str], str]:
    """Return what is wrong with the chain, and its last seal; runs after the last that was sealed are not yet."""
    seals = dict(base.rows("SELECT run, seal FROM seals"))
    last, newest = "", max(seals, default=0)
    for run, told in _runs(base):
        if run not in seals:
            if run < newest:
                return [f"run {run} was added by another hand: later runs are sealed without it"], last
            continue
        last = _seal(last, told)
        if seals.pop(run) != last:
            return [f"run {run} is not as it was sealed"], last
    return [f"run {run}, which was sealed, is gone" for run in sorted(seals)], last


def _record_faults(base: KnowledgeBase) -> list[str]:
    table = record_table(base)
    sql = "SELECT onoma_content FROM records WHERE onoma_retracted IS NULL ORDER BY onoma_record"
    wrong = np.flatnonzero(row_fingerprints(table) != base.array(sql, np.uint64))
    ids = [str(table["id"][int(i)]) for i in wrong[:5]]
    return [f"{len(wrong):,} records are not as they came, such as {', '.join(ids)}"] if len(wrong) else []
