"""Entities across documents: named chains grouped by the cross-document model, by their names and what is around them.

Where documents come later, only entities with a name that shares a word with a new one are looked at again, from where
they stand, with the weights that were learnt before. All others keep their place, so that the work is in proportion to
what is new. Groups in which two names exclude each other (Jacob and Johann Bernoulli) are parted at the end: the model
weighs words and letters, and what surrounds two brothers is much the same. Then shorter names join the fuller ones that
they stand for.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.pipeline.building.joining import join_groups
from onoma.pipeline.building.names import initials, initials_of, part_groups
from onoma.progress import SILENT, Progress
from onoma.resolve.models.cross_document.evidence import NATS, prepare_mentions
from onoma.resolve.models.cross_document.membership import membership
from onoma.resolve.models.cross_document.run import run_rounds

__all__ = ["Grouped", "group_records", "touched_by"]

_COMMON = 0.02
"""Share of the names above which a word of names brings no two together."""
_LEARNT = ("bias", "context", "here", "sub_bias", "super_bias")
_ALWAYS = 30
"""Names that a word may have in any case."""


@dataclass(frozen=True, eq=False)
class Grouped:
    """Which records are one entity."""

    labels: NDArray[np.int64]
    probability: NDArray[np.float64]
    """That a record is where it is."""
    learnt: dict[str, float]
    """The weights, for later records."""
    notes: tuple[str, ...] = ()


def group_records(
    records: Sequence[Mapping[str, Any]],
    *,
    seed: int = 0,
    begin: NDArray[np.int64] | None = None,
    learnt: Mapping[str, float] | None = None,
    beside: Iterable[Mapping[str, Any]] = (),
    progress: Progress = SILENT,
) -> Grouped:
    """Group records.

    Parameters
    ----------
    records
        Each has `name`, `context` and `document`, and may have `type` and `gender`.
    begin
        The group that each is in already, -1 of new ones; None: nothing is known.
    learnt
        Weights of an earlier run.
    beside
        Other records of the same collection, which stay where they are.
    """
    if len(records) < 2:
        n = len(records)
        return Grouped(np.arange(n), np.ones(n), dict(learnt or {}))
    names = [str(row["name"]) for row in records]
    contexts = [str(row["context"]) for row in records]
    documents = [str(row["document"]) for row in records]
    prepared = prepare_mentions(names, contexts, documents, seed=seed)
    settings, table = prepared.settings, prepared.table
    if learnt:
        known: dict[str, Any] = {name: learnt[name] for name in _LEARNT}
        settings = replace(settings, **known)
    if begin is not None:
        table = _from(table, begin)
        settings = replace(settings, n_rounds=8, heat=0.02)  # from where they stand: no new disorder
    table = run_rounds(table, settings, seed=seed, progress=progress)
    nats = NATS if prepared.telling else 2.0 / max(settings.bias, 1e-6)
    kinds = [str(row.get("type") or "") for row in records]
    labels = part_groups(np.unique(table["entity"].to_numpy(), return_inverse=True)[1], names, documents, kinds)
    joined = join_groups(labels, records, beside)
    probability = np.where(joined.labels == labels, membership(table, settings, nats=nats), joined.probability)
    used = {name: float(getattr(settings, name)) for name in _LEARNT}
    return Grouped(joined.labels, probability, used, prepared.notes)


def _from(table: pa.Table, begin: NDArray[np.int64]) -> pa.Table:
    """Let groups stand as they are; a new record begins where its name would, or alone."""
    entity = table["entity"].to_numpy().copy()
    first: dict[int, int] = {}
    for row, group in enumerate(begin.tolist()):
        entity[row] = row if group < 0 else first.setdefault(group, row)
    for name in ("entity", "super"):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, table.schema.field(at), pa.array(entity))
    return table


def touched_by(new: Sequence[str], old: Sequence[str]) -> NDArray[np.bool_]:
    """Say which old names share a telling word, or initials, with a new one.

    Examples
    --------
    >>> touched_by(["Ada Lovelace"], ["A. Lovelace", "Charles Babbage", "AL"]).tolist()
    [True, False, True]
    """
    often = Counter(old)
    keys = {name: _keys(name) for name in often}  # once a name: most are many records'
    counts: Counter[str] = Counter()
    for name, n in often.items():
        for key in keys[name]:
            counts[key] += n
    most = max(_COMMON * len(old), _ALWAYS)
    wanted = {key for name in new for key in _keys(name) if counts[key] <= most}
    wanted |= {name.lower() for name in new}
    is_near = {name: name.lower() in wanted or not wanted.isdisjoint(keys[name]) for name in often}
    return np.array([is_near[name] for name in old], np.bool_)


def _keys(name: str) -> set[str]:
    words = [word.strip(".,").lower() for word in name.split()]
    return {word for word in words if len(word) > 1} | initials_of(name) | ({initials(name)} - {""})
