"""What there is, how sure it is, and what happened last."""

import json
from typing import Any

from onoma.kb.database import KnowledgeBase
from onoma.kb.judge import list_judgements
from onoma.kb.proposals import list_proposals
from onoma.kb.query import count_entities
from onoma.kb.report import run_lines
from onoma.kb.texts import is_from_text
from onoma.studio.charts import Bar
from onoma.studio.naming import label_of

__all__ = ["change_feed", "overview", "stored_summary"]

_SIZES = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, None))
_DOUBTS = ((0.0, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.99), (0.99, 1.01))
_SURE = 0.9
"""Records less sure of their place are in doubt, as `onoma resolve` counts them."""
_NEWS = 12
"""Changes that are listed."""


def overview(base: KnowledgeBase) -> dict[str, Any]:
    """Return what the first page shows."""
    runs = run_lines(base)
    summary = stored_summary(base)
    records = int(base.value("SELECT count(*) FROM memberships"))
    counted = count_entities(base)
    return {
        "records": records,
        "entities": counted.reported,
        "interval": (counted.low, counted.high),
        "quality": summary.get("quality") or {},
        "sizes": _sizes(base),
        "doubts": _doubts(base),
        "runs": runs[-8:][::-1],
        "n_runs": len(runs),
        "changes": change_feed(base, most=_NEWS),
        "judgements": len(list_judgements(base)),
        "proposals": len(list_proposals(base)),
        "in_doubt": int(base.value("SELECT count(*) FROM memberships WHERE probability < ?", [_SURE])),
        "is_open": bool(base.value("SELECT count(*) FROM samples")),
        "model": base.meta("model") or summary.get("model") or "",
        "is_text": is_from_text(base),
    }


def stored_summary(base: KnowledgeBase) -> dict[str, Any]:
    """Return what the last run that resolved all records said of itself."""
    for (text,) in base.rows("SELECT summary FROM runs WHERE summary IS NOT NULL ORDER BY run DESC"):
        try:
            found = json.loads(text)
        except ValueError:
            continue
        if isinstance(found, dict) and ("quality" in found or "model" in found):
            return found
    return {}


def _sizes(base: KnowledgeBase) -> list[Bar]:
    counts = base.rows("SELECT size, count(*) FROM entities GROUP BY size")
    bars = []
    for low, high in _SIZES:
        n = sum(count for size, count in counts if size >= low and (high is None or size <= high))
        label = str(low) if low == high else f"{low}+" if high is None else f"{low}–{high}"
        bars.append(Bar(label, float(n), f"/search?size={low}-{high or ''}"))
    while len(bars) > 2 and not bars[-1].value:
        bars.pop()
    return bars


def _doubts(base: KnowledgeBase) -> list[Bar]:
    """Return how sure the places of records are."""
    cases = ", ".join(f"count(*) FILTER (probability >= {low} AND probability < {high})" for low, high in _DOUBTS)
    counts = base.rows(f"SELECT {cases} FROM memberships")[0]  # noqa: S608 (numbers of ours)
    labels = ("< 50 %", "50–60", "60–70", "70–80", "80–90", "90–99", "≥ 99 %")
    return [Bar(label, float(n), "") for label, n in zip(labels, counts, strict=True)]


def change_feed(base: KnowledgeBase, *, most: int, before: int | None = None) -> list[dict[str, Any]]:
    """Return what happened last to entities, the newest first; what the first run made is not told one by one."""
    return base.query(
        f"""SELECT c.change, c.run, c.kind, c.entity, c.other, c.source, c.id, c.reason, {label_of(base)} AS label,
            e.entity IS NOT NULL AS is_there
        FROM changes c LEFT JOIN entities e USING (entity)
        WHERE c.run > (SELECT min(run) FROM runs) AND c.change < ? ORDER BY c.change DESC LIMIT ?""",  # noqa: S608
        [before if before is not None else 2**62, most],
    ).to_pylist()
