"""What happened: runs, judgements, changes; settings; documents; work under way."""

import json
import time
from pathlib import Path
from typing import Any

from onoma.errors import DataError
from onoma.jobs import list_jobs
from onoma.kb.database import KnowledgeBase
from onoma.kb.report import run_lines
from onoma.kb.world import stored_job
from onoma.studio.naming import record_name
from onoma.studio.overview import change_feed, stored_summary

__all__ = ["history_page", "jobs_page", "settings_page", "text_page", "texts_page"]

_MOST = 100
_COLOURS = 8
_LONGEST = 300_000
"""Characters of a document that are shown."""


def history_page(base: KnowledgeBase, before: int | None) -> dict[str, Any]:
    """Return the runs, the judgements and a page of changes."""
    judgements = [
        {
            "number": number, "kind": kind, "a": record_name(a_source, a), "b": record_name(b_source, b),
            "by": by, "run": made, "retracted": retracted, "weight": weight,
        }
        for number, kind, a_source, a, b_source, b, weight, by, made, retracted in base.rows(
            """SELECT judgement, kind, a_source, a, b_source, b, weight, "by", made, retracted FROM judgements
            ORDER BY judgement DESC LIMIT 400"""
        )
    ]  # fmt: skip
    by_run: dict[int, list[int]] = {}
    for each in judgements:
        if each["retracted"] is None:
            by_run.setdefault(int(each["run"]), []).append(int(each["number"]))
    changes = change_feed(base, most=_MOST, before=before)
    return {
        "runs": run_lines(base)[::-1][:60],
        "judgements": judgements,
        "by_run": by_run,
        "changes": changes,
        "older": changes[-1]["change"] if len(changes) == _MOST else None,
        "before": before,
    }


def settings_page(base: KnowledgeBase) -> dict[str, Any]:
    """Return what the columns were taken for, the model, and how to run it again."""
    run = base.query("SELECT command, settings, seed, versions FROM runs ORDER BY run LIMIT 1").to_pylist()[0]
    summary = stored_summary(base)
    weights = base.query("SELECT field, kind, level, copied, strangers, bits FROM weights").to_pylist()
    return {
        "fields": base.query('SELECT "column", kind, reason FROM fields').to_pylist(),
        "aligned": summary.get("aligned") or [],
        "missing": base.query("FROM missing").to_pylist(),
        "model": base.meta("model") or summary.get("model") or "",
        "model_reason": summary.get("model_reason") or "",
        "run": run,
        "versions": json.loads(run["versions"] or "{}"),
        "weights": weights,
        "job": json.dumps(stored_job(base), indent=1, ensure_ascii=False, default=str),
        "columns": [str(name) for (name,) in base.rows("SELECT name FROM columns")],
    }


def texts_page(base: KnowledgeBase, page: int) -> dict[str, Any]:
    """Return the documents of a knowledge base that was built from text."""
    rows = base.query(
        """SELECT d.document, d.n_tokens, d.problem, left(d.text, 140) AS beginning,
            (SELECT count(*) FROM mentions m WHERE m.document = d.document) AS mentions
        FROM documents d ORDER BY d.document LIMIT ? OFFSET ?""",
        [_MOST, _MOST * (page - 1)],
    ).to_pylist()
    total = int(base.value("SELECT count(*) FROM documents"))
    return {"documents": rows, "page": page, "pages": max(1, -(-total // _MOST)), "total": total}


def text_page(base: KnowledgeBase, document: str, chain: str) -> dict[str, Any]:
    """Return a document with its mentions, and what is known of one chain."""
    found = base.rows("SELECT text FROM documents WHERE document = ?", [document])
    if not found:
        raise DataError(f"there is no document {document!r}", file=base.path)
    text = str(found[0][0] or "")[:_LONGEST]
    mentions = base.query(
        """SELECT m.id, m.start, m."end", m.text, m.kind, m.chain, m.probability, s.entity
        FROM mentions m LEFT JOIN memberships s ON s.id = m.chain
        WHERE m.document = ? ORDER BY m.start, m."end" DESC""",
        [document],
    ).to_pylist()
    chains = list(dict.fromkeys(each["chain"] for each in mentions))
    colour = {name: f"c{i % _COLOURS}" for i, name in enumerate(chains)}
    entity = next((each["entity"] for each in mentions if each["chain"] == chain), None)
    return {
        "document": document,
        "pieces": _pieces(text, mentions, colour),
        "chain": chain,
        "entity": entity,
        "said": [each for each in mentions if each["chain"] == chain],
        "n_chains": len(chains),
        "n_mentions": len(mentions),
    }


def _pieces(text: str, mentions: list[dict[str, Any]], colour: dict[str, str]) -> list[dict[str, Any]]:
    """Return a text in pieces, those of mentions marked; of mentions one in the other, the outer one."""
    found: list[dict[str, Any]] = []
    at = 0
    for each in mentions:
        start, end = int(each["start"]), int(each["end"])
        if start < at or end > len(text):
            continue
        found += [{"text": text[at:start], "mention": None}] if start > at else []
        found.append({"text": text[start:end], "mention": each, "colour": colour[each["chain"]]})
        at = end
    return [*found, {"text": text[at:], "mention": None}]


def jobs_page(path: Path) -> dict[str, Any]:
    """Return the work under way beside a knowledge base."""
    now = time.time()
    return {
        "jobs": [
            {"job": job, "left": job.seconds_left(now), "ran": now - job.started}
            for job in list_jobs(path.absolute().parent)
        ]
    }
