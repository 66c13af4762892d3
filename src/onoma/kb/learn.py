"""Learning from judgements what agreement weighs: on request, and all is resolved anew."""

import time
from pathlib import Path

import numpy as np

from onoma.errors import DataError
from onoma.kb.commit import Gone, Update, refresh
from onoma.kb.database import KnowledgeBase, write_knowledge_base
from onoma.kb.judge import list_judgements
from onoma.kb.store import Run, note_run
from onoma.numerics.union_find import components
from onoma.progress import SILENT, Progress

__all__ = ["relearn"]


def relearn(path: Path, *, command: str = "", progress: Progress = SILENT) -> Update:
    """Learn the weights again, from all records and with the judgements as labels; resolve all anew, ids kept."""
    begun = time.perf_counter()
    with write_knowledge_base(path) as base:
        labels = judged_labels(base)
        update = Update(run=1 + int(base.value("SELECT max(run) FROM runs")))
        update.notes.append(f"{sum(1 for each in labels if each is not None):,} records have labels from judgements")
        nobody = Gone({}, {}, {}, np.zeros(0, dtype=np.int64))
        refresh(base, nobody, {}, update, progress, labels=labels)
        update.is_refreshed = True
        update.n_records, update.n_entities = base.rows("SELECT count(*), count(DISTINCT entity) FROM memberships")[0]
        update.seconds = time.perf_counter() - begun
        about = {"rows": update.n_records, "entities": update.n_entities}
        note_run(base, Run(update.run, "learn", command, n_touched=update.n_touched), update.seconds, about)
    return update


def judged_labels(base: KnowledgeBase) -> list[str | None]:
    """Return for each record, in the order of their numbers, the label that judgements give it; None: unknown.

    Records judged the same, and those of one entity that somebody looked at, have one label; records judged different
    have two.
    """
    rows = base.rows("SELECT source, id FROM memberships ORDER BY record")
    place = {f"{source}:{key}" if source else str(key): i for i, (source, key) in enumerate(rows)}
    pairs = [
        (each.kind, place[each.a], place[each.b])
        for each in list_judgements(base)
        if each.a in place and each.b in place
    ]
    if not pairs:
        raise DataError("there are no judgements to learn from", file=base.path, hint="onoma review KB asks for some.")
    same = np.array([(a, b) for kind, a, b in pairs if kind == "same"], dtype=np.int64).reshape(-1, 2)
    group = components(len(rows), np.ascontiguousarray(same[:, 0]), np.ascontiguousarray(same[:, 1]))
    judged = {i for _, a, b in pairs for i in (a, b)}
    return [f"g{group[i]}" if i in judged else None for i in range(len(rows))]
