"""Resolving a table: from rows to entities, with a probability for every statement."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.arrow import from_arrow
from onoma.corpus.records import with_ids
from onoma.errors import DataError, SettingsError
from onoma.progress import SILENT, Progress
from onoma.resolve.fields.prepare import Fields, prepare_fields
from onoma.resolve.model import Fit, ModelSettings, fit_records
from onoma.resolve.weights import log_bayes_factors

if TYPE_CHECKING:
    from onoma.resolve.charts import Charts
    from onoma.resolve.explanation import Explanation, Record

__all__ = ["Resolution", "resolve"]

TRUTH_NAMES = ("cluster_id", "entity_id", "gold", "gold_id")
"""Columns of these names are never evidence: they are somebody's answer."""


@dataclass(frozen=True, eq=False)
class Resolution:
    """Who is who in a table, and how sure.

    Made by `resolve`. Everything is a table or an array: `memberships`, `pairs`, `entities`, `clustering`.
    """

    table: pa.Table
    """The records, with their ids in the column `id`."""
    fields: Fields
    fit: Fit | None
    """None if there was nothing to compare."""
    source: pa.ChunkedArray | None
    settings: ModelSettings
    notes: tuple[str, ...]

    @property
    def clustering(self) -> Clustering:
        """The clustering with the least expected loss."""
        return Clustering.singletons(len(self.table)) if self.fit is None else self.fit.consensus.clustering

    @property
    def probability(self) -> NDArray[np.float64]:
        """For each record, that it belongs where it is."""
        return np.ones(len(self.table)) if self.fit is None else self.fit.consensus.probability

    @cached_property
    def memberships(self) -> pa.Table:
        """One row for each record: (source,) id, entity, probability."""
        columns = {} if self.source is None else {"source": self.source}
        return pa.table(
            columns | {"id": self.table["id"], "entity": self.clustering.relabel(), "probability": self.probability}
        )

    @cached_property
    def entities(self) -> pa.Table:
        """One row for each entity: its size, the least probability of its records, and a canonical record."""
        clustering = self.clustering
        least = np.ones(clustering.n_entities)
        np.minimum.at(least, clustering.labels, self.probability)
        fullest = self._fullest(clustering)
        names = [name for name in self.table.column_names if name != "id"]
        canonical = self.table.select(names).take(pa.array(fullest))
        columns = {"entity": clustering.relabel().take(pa.array(fullest)), "size": pa.array(clustering.sizes)}
        columns |= {"probability": pa.array(least), "record": self.table["id"].take(pa.array(fullest))}
        taken = set(columns)
        for name in names:
            columns[name if name not in taken else f"{name}_of_record"] = canonical[name]
        return pa.table(columns)

    def _fullest(self, clustering: Clustering) -> NDArray[np.int64]:
        """Return for each entity the record with the fewest missing values, of equal ones the first."""
        filled = np.zeros(len(self.table), dtype=np.int64)
        for field in self.fields.fields:
            filled += field.codes >= 0
        order = np.lexsort((np.arange(len(filled)), -filled, clustering.labels))
        return order[clustering.offsets[:-1]]

    def pairs(self, floor: float = 0.01) -> pa.Table:
        """Return the pairs of records that may be the same with at least this probability: a, b, probability."""
        if self.fit is None:
            return pa.table(
                {"a": pa.array([], pa.string()), "b": pa.array([], pa.string()), "probability": np.zeros(0)}
            )
        together = self.fit.draws.together
        shown = np.flatnonzero(together >= floor)
        ids = self.table["id"].combine_chunks()
        a, b = (ids.take(pa.array(side[shown])) for side in (self.fit.evidence.a, self.fit.evidence.b))
        columns: dict[str, object] = {}
        if self.source is not None:
            source = self.source.combine_chunks()
            columns["a_source"] = source.take(pa.array(self.fit.evidence.a[shown]))
            columns["b_source"] = source.take(pa.array(self.fit.evidence.b[shown]))
        return pa.table(columns | {"a": a, "b": b, "probability": together[shown]})

    def entity_count(self, level: float = 0.95) -> tuple[int, int, int]:
        """Return the number of entities reported, and the interval that holds it with the given probability."""
        if self.fit is None:
            return len(self.table), len(self.table), len(self.table)
        low, high = np.quantile(self.fit.draws.n_entities, [(1 - level) / 2, (1 + level) / 2])
        return self.clustering.n_entities, int(low), int(np.ceil(high))

    @cached_property
    def chart(self) -> "Charts":
        """Pictures: `chart.weights()`, `.sizes()`, `.entity_count()`, `.certainty()`, `.waterfall(a, b)`."""
        from onoma.resolve.charts import Charts

        return Charts(self)

    def explain(self, a: "Record", b: "Record") -> "Explanation":
        """Say step by step why two records are, or are not, the same.

        A record is named by its id, by its row number, or by (source, id). The bits of the steps add up to what the
        model uses; above 0 speaks for the same entity.
        """
        from onoma.resolve.explanation import explain_pair

        return explain_pair(self, a, b)

    def weights(self) -> pa.Table:
        """Return what agreement means: by field and level, how often copies and strangers are at it, and the bits."""
        from onoma.resolve.explanation import weight_table

        return pa.Table.from_pylist([each._asdict() for each in weight_table(self)])

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log Bayes factor of every candidate pair."""
        return np.zeros(0) if self.fit is None else log_bayes_factors(self.fit.evidence, self.fit.weights)[0]


def resolve(
    frame: object,
    *,
    id: str | None = None,  # noqa: A002
    source: str | None = None,
    link: bool = False,
    block: str | None = None,
    kinds: Mapping[str, str] | None = None,
    exclude: Iterable[str] = (),
    settings: ModelSettings | None = None,
    progress: Progress = SILENT,
) -> Resolution:
    """Find out which rows of a table are the same thing. No labels, no configuration.

    Parameters
    ----------
    frame
        An Arrow table, or anything that gives Arrow: pandas, Polars, DuckDB…
    id
        The column of ids; found by name if not given, made if there is none. Never evidence.
    source
        The column that says where a row comes from. Ids need only be unique within a source.
    link
        Join rows of different sources only.
    block
        A column: only rows with the same value in it can be the same. Sharing the value is evidence, too.
    kinds
        What columns are, where the guess is wrong: `{"title": "text"}`.
    exclude
        Columns that are no evidence. Columns called `cluster_id` or `gold` never are.
    settings
        The seed, the price of errors, the effort.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> found = resolve(simulate_people(500, seed=1))
    >>> found.memberships.column_names
    ['id', 'entity', 'probability']
    """
    settings = replace(settings or ModelSettings(), link=link)
    table = from_arrow(frame)
    notes: list[str] = []
    sources, codes = _sources(table, source, link=link)
    table, note = _identified(table, id, sources)
    notes.append(note)
    left_out = {"id", *exclude, *(name for name in table.column_names if name.lower() in TRUTH_NAMES)}
    # A block stays evidence: that two rows share its value says the more the rarer the value is.
    left_out |= {source} if source is not None else set()
    fields = prepare_fields(table, kinds=kinds, exclude=[name for name in table.column_names if name in left_out])
    blocks = None if block is None else _encoded(table, block)
    if len(table) < 2 or not fields.fields:
        notes.append("there is nothing to compare" if len(table) >= 2 else "one row is one entity")
        return Resolution(table, fields, None, sources, settings, tuple(notes))
    fit = fit_records(fields.fields, source=codes, block=blocks, settings=settings, progress=progress)
    return Resolution(table, fields, fit, sources, settings, tuple(notes))


def _sources(
    table: pa.Table, source: str | None, *, link: bool
) -> tuple[pa.ChunkedArray | None, NDArray[np.int32] | None]:
    if source is None:
        if link:
            raise SettingsError("linking needs to know where rows come from", hint="Name the column: source=….")
        return None, None
    codes = _encoded(table, source)
    if link and codes.max(initial=0) == 0:
        raise DataError(f"all rows come from one source, so there is nothing to link (column {source!r})")
    return table[source].cast(pa.string()), codes


def _identified(table: pa.Table, id: str | None, sources: pa.ChunkedArray | None) -> tuple[pa.Table, str]:  # noqa: A002
    if sources is None:
        found = with_ids(table, id)
        return found.table, found.note
    name = id if id is not None else next((c for c in table.column_names if c.lower() == "id"), None)
    if name is None or name not in table.column_names:
        found = with_ids(table, id)
        return found.table, found.note
    ids = table[name].cast(pa.string())
    together = pc.binary_join_element_wise(sources, ids, "\x1f")
    if pc.count_distinct(together).as_py() < len(table):
        raise DataError("an id stands twice within one source", column=name)
    rest = table.drop_columns([name])
    return rest.add_column(0, "id", ids), f"ids are taken from the column {name!r}, within each source"


def _encoded(table: pa.Table, name: str) -> NDArray[np.int32]:
    if name not in table.column_names:
        raise SettingsError(f"there is no column {name!r}", hint=f"The columns are {', '.join(table.column_names)}.")
    return Clustering.from_labels(pc.fill_null(table[name].cast(pa.string()), "")).labels.astype(np.int32)
