"""Answers for rows of several types, put together: each type was resolved as a table of its own.

Rows of different types are never one entity, so the posterior is a product: entities stand side by side, samples are
paired in order, and what the checks say of the whole is what they say of the parts, by how much each part is of it.
Weights, explanations and trees stay with their type, and are asked for there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.resolve.contract import Pairs, Posterior
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.prepare import Fields, Ignored
from onoma.resolve.posterior.samples import SampledPart, Samples
from onoma.resolve.result import Resolution
from onoma.resolve.types.side import side_by_side

if TYPE_CHECKING:
    from onoma.resolve.check.quality import Quality
    from onoma.resolve.quality.recall import CanopyRecall
    from onoma.resolve.report.explanation import Explanation, Record

__all__ = ["TypeOfRows", "TypedResolution", "fields_together", "put_together"]


class TypeOfRows(NamedTuple):
    """Rows of one type, and why they are taken for one."""

    name: str
    rows: NDArray[np.int64]
    """Ascending."""
    own: tuple[str, ...]
    """The columns that only its rows fill, the fullest first."""

    def said(self) -> str:
        """Return what it is in words."""
        shown = ", ".join(self.own[:4]) + (" …" if len(self.own) > 4 else "")
        return f"{self.name}, {len(self.rows):,} rows that alone fill {shown}"


@dataclass(frozen=True, eq=False)
class TypedResolution(Resolution):
    """Who is who in a table of several types of rows."""

    types: tuple[TypeOfRows, ...] = ()
    parts: tuple[Resolution, ...] = ()
    """The answer of each type, on its rows."""

    @cached_property
    def quality(self) -> "Quality":
        """How good the answer is, told without labels."""
        from onoma.resolve.types.checks import quality_of_parts

        return self.checked or quality_of_parts([each.name for each in self.types], self.parts)

    @cached_property
    def canopy_recall(self) -> "CanopyRecall | None":
        """Estimated blocking recall, each type by its rows."""
        from onoma.resolve.types.checks import recall_of_parts

        return recall_of_parts(self.parts)

    @cached_property
    def nodes(self) -> pa.Table | None:
        """The trees of those types that have some."""
        found = [each.nodes for each in self.parts if each.nodes is not None]
        return pa.concat_tables(found, promote_options="default") if len(found) == 1 else None

    def recalibrated(self) -> Resolution:
        """Return it with probabilities that the checks of each type bear out."""
        parts = tuple(each.recalibrated() for each in self.parts)
        return replace(
            self, parts=parts, posterior=_posterior(len(self.table), self.types, parts), checked=self.quality
        )

    def explain(self, a: "Record", b: "Record") -> "Explanation":
        """Say why two records are, or are not, the same."""
        from onoma.resolve.report.explanation import Explanation, Step, find_record

        one, other = sorted((find_record(self, a), find_record(self, b)))
        for kind, part in zip(self.types, self.parts, strict=True):
            inside = np.isin([one, other], kind.rows)
            if inside.all():
                places = np.searchsorted(kind.rows, [one, other]).tolist()
                return replace(part.explain(*places), a=one, b=other)
        names = [next(kind.name for kind in self.types if row in kind.rows) for row in (one, other)]
        step = Step("type of row", "rows of different types are not compared", "", names[0], names[1], -1000.0)
        return Explanation(one, other, (step,), None)

    def tables(self) -> dict[str, pa.Table]:
        """Return all that was found out as tables; weights say of which type they are."""
        found = super().tables()
        if any(part.weighed is not None for part in self.parts):
            found["weights"] = self.weights()
        return found

    def weights(self) -> pa.Table:
        """Return what agreement means in each type."""
        found = []
        for kind, part in zip(self.types, self.parts, strict=True):
            if part.weighed is not None:
                table = part.weights()
                found.append(table.add_column(0, "type", pa.array([kind.name] * len(table), pa.string())))
        return pa.concat_tables(found, promote_options="permissive")


def put_together(
    table: pa.Table, source: pa.ChunkedArray | None, types: Sequence[TypeOfRows], parts: Sequence[Resolution], note: str
) -> TypedResolution:
    """Return the answer of all rows.

    Parameters
    ----------
    table, source
        All rows.
    parts
        The answer of each type.
    note
        Where the ids come from.
    """
    n = len(table)
    largest = max(parts, key=lambda part: len(part.table))
    told = "; ".join(each.said() for each in types)
    said = [
        note,
        f"rows are of {len(types)} types, each resolved by itself: {told} (--one-type: together)",
    ]
    said += [
        f"{kind.name}: {each}" for kind, part in zip(types, parts, strict=True) for each in part.notes if each != note
    ]
    link = all(part.config.link for part in parts)
    return TypedResolution(
        table,
        fields_together(n, types, [part.fields for part in parts]),
        _posterior(n, types, parts),
        source,
        replace(largest.config, link=link, one_to_one=link and largest.config.one_to_one),
        tuple(said),
        types=tuple(types),
        parts=tuple(parts),
    )


def fields_together(n: int, types: Sequence[TypeOfRows], parts: Sequence[Fields]) -> Fields:
    """Return the fields of all rows: one for each column, whose values stay with their type."""
    found: dict[tuple[str, ...], list[tuple[TypeOfRows, FieldData]]] = {}
    for kind, part in zip(types, parts, strict=True):
        for each in part.fields:
            found.setdefault(each.columns, []).append((kind, each))
    fields = [side_by_side(n, [(kind.name, kind.rows, each) for kind, each in some]) for some in found.values()]
    used = {column for columns in found for column in columns}
    ignored: dict[str, Ignored] = {}
    for kind, part in zip(types, parts, strict=True):
        for left in part.ignored:
            mine = left.name in kind.own  # that a type says nothing in another's column is no news
            if left.name not in used and (mine or left.name not in ignored):
                ignored[left.name] = left
    return Fields(fields, list(ignored.values()), [each for part in parts for each in part.missing_report])


def _posterior(n: int, types: Sequence[TypeOfRows], parts: Sequence[Resolution]) -> Posterior | None:
    """Return what was found out of all rows; None if nothing was compared."""
    if all(part.posterior is None and not part.identical for part in parts):
        return None
    labels, probability = np.empty(n, dtype=np.int64), np.ones(n)
    sides: list[Pairs] = []
    first = 0
    seconds: dict[str, float] = {}
    for kind, part in zip(types, parts, strict=True):
        labels[kind.rows] = part.clustering.labels + first
        first += part.clustering.n_entities
        probability[kind.rows] = part.probability
        if part.posterior is not None:
            a, b, stated = part.posterior.pairs
            sides.append(Pairs(kind.rows[a].astype(np.int32), kind.rows[b].astype(np.int32), stated))
            for stage, spent in part.posterior.seconds.items():
                seconds[stage] = seconds.get(stage, 0.0) + spent
    samples, n_entities = _samples(n, types, parts)
    stopped = [part for part in parts if part.is_stopped]
    return Posterior(
        clustering=Clustering.from_labels(labels),
        probability=probability,
        pairs=_in_order(sides),
        samples=samples,
        n_entities=n_entities,
        is_cut_short=bool(stopped),
        so_far="; ".join(part.so_far for part in stopped),
        seconds=seconds,
    )


def _in_order(sides: Sequence[Pairs]) -> Pairs:
    none = np.zeros(0, dtype=np.int32)
    sides = [*sides, Pairs(none, none, np.zeros(0))]
    a, b, stated = (np.concatenate([side[k] for side in sides]) for k in range(3))
    order = np.lexsort((b, a))
    return Pairs(a[order], b[order], stated[order])


def _samples(
    n: int, types: Sequence[TypeOfRows], parts: Sequence[Resolution]
) -> tuple[Samples | None, NDArray[np.int64] | None]:
    """Return samples of all rows: as many as each type has; a type without any is the same in all."""
    drawn = [part.posterior.samples if part.posterior is not None else None for part in parts]
    sizes = [len(each) for each in drawn if each is not None]
    counts = [part.posterior.n_entities if part.posterior is not None else None for part in parts]
    told = [len(each) for each in counts if each is not None and len(each)]
    total = None
    if told:
        m = min(told)
        pairs = zip(counts, parts, strict=True)
        total = np.sum(
            [
                np.full(m, part.clustering.n_entities) if each is None or not len(each) else each[:m]
                for each, part in pairs
            ],
            axis=0,
        ).astype(np.int64)
    if not sizes:
        return None, total
    m, some = min(sizes), []
    for kind, part, each in zip(types, parts, drawn, strict=True):
        rows = kind.rows.astype(np.int32)
        if each is None:
            clustering = part.clustering
            roots = clustering.order[clustering.offsets[:-1]][clustering.labels][None]
            roots = np.repeat(roots, m, axis=0)
        else:
            roots = np.asarray(each)[:m]
        some.append(SampledPart.of(rows, rows[roots]))
    return Samples.of_parts(n, some, m), total
