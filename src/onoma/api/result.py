"""The result of a resolution in Python: one object, whether it was just found or comes from a knowledge base."""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from onoma.api.backing import Backing, Fresh, Stored
from onoma.api.tables import Table, Tabular, as_columns, html_table, is_path, take, text_lines
from onoma.corpus.clustering import ABSENT, Clustering
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError
from onoma.evaluate.metrics import REPORTED
from onoma.evaluate.report import Evaluation
from onoma.evaluate.report import evaluate as measure
from onoma.pipeline.evaluation import gold_labels, table_sides
from onoma.resolve.config import ResolveConfig
from onoma.resolve.posterior.checkpoint import Checkpoint
from onoma.resolve.report.explanation import Explanation, Record
from onoma.resolve.result import Resolution

if TYPE_CHECKING:
    import pandas as pd

    from onoma.resolve.check.quality import Quality
    from onoma.resolve.report.charts import Charts

__all__ = ["Result", "load"]

_DOUBT = 0.9
_SHOWN = 4


class Result(Table):
    """Who is who in a table, and how sure.

    As a table it has one row for each row that was given: its id, its entity, the probability that it belongs there,
    and the row as it came; `.to_pandas()` has the index of the frame that was given.

    Made by `onoma.resolve`, `onoma.link` and `onoma.load`.
    """

    def __init__(self, backing: Backing, index: "pd.Index | None" = None) -> None:
        super().__init__(backing.rows, index)
        self._backing = backing

    @property
    def entities(self) -> Table:
        """One row for each entity: its size, the least probability of its records, and the values most agree on."""
        return Table(self._backing.entities)

    def pairs(self, floor: float = 0.01) -> Table:
        """Return the pairs that are the same with at least this probability: a, b (ids), probability."""
        return Table(self._backing.pairs(floor))

    def weights(self) -> Table:
        """Return what agreement weighs: by field and level, how often copies and strangers are at it, and the bits."""
        return Table(self._backing.resolution.weights())

    def explain(self, a: Record, b: Record) -> Explanation:
        """Say step by step why two records are, or are not, the same.

        A record is named by its id, by its row counted from 0, or by (source, id). The bits of the steps add up to what
        the model uses; above 0 speaks for the same entity.
        """
        return self._backing.explain(a, b)

    @property
    def charts(self) -> "Charts":
        """Altair charts: `.weights()`, `.sizes()`, `.entity_count()`, `.certainty()`, `.waterfall(a, b)`."""
        return self._backing.resolution.chart

    def report(self, path: str | Path, *, truth: Tabular | None = None) -> Path:
        """Write the report, one HTML file that needs no network; with the truth, scores and calibration are in it."""
        from onoma.resolve.report.write import write_report  # its charts take long to load

        resolution, target = self._backing.resolution, Path(path)
        gold = evaluation = None
        if truth is not None:
            gold = self._gold(truth)
            there = gold.labels != ABSENT
            evaluation = measure(gold.take(there), resolution.clustering.take(there), metrics=REPORTED)
        settings = self.config.to_toml()
        write_report(
            resolution, target, evaluation=evaluation, gold=gold, command="onoma.resolve(…)", settings=settings
        )
        return target

    def evaluate(self, truth: Tabular, *, metrics: str | Iterable[str] | None = None) -> Evaluation:
        """Measure the entities against the truth.

        Parameters
        ----------
        truth
            The name of a column that came with the rows; a list, array or Series of labels, one for each row; or a
            table (or its file) with ids and clusters. A row without label is left out.
        metrics
            Some of muc, b3, ceafm, ceafe, blanc, lea, pairwise, conll, rand, ari, v; None: all of them.
        """
        if (isinstance(truth, str) and truth in self.columns) or as_columns(truth) is not None:
            gold = self._gold(truth)
            there = gold.labels != ABSENT
            return measure(gold.take(there), self.clustering.take(there), metrics=metrics)
        table = read_table(Path(truth)).table if is_path(truth) else take(truth).with_ids
        sides = table_sides(table, self._table)
        return measure(sides.gold, sides.predicted, metrics=metrics)

    def save(self, path: str | Path) -> Path:
        """Keep it: `people.duckdb` is a knowledge base (for `onoma.load` and `onoma.open`); a folder has all tables and
        the report; `.csv`, `.parquet` and the like have the rows. Nothing is there until all of it is.
        """  # noqa: D205
        target = Path(path)
        self._backing.save(target)
        return target

    @property
    def config(self) -> ResolveConfig:
        """How it was resolved; the model is named."""
        return self._backing.config

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know: where ids come from, what was left out."""
        return self._backing.notes

    @property
    def clustering(self) -> Clustering:
        """The entities as an array: a number for each row."""
        return Clustering.from_labels(self["entity"])

    def entity_count(self) -> tuple[int, int, int]:
        """Return how many entities there are, and an interval that holds their number with 95 % probability."""
        return self._backing.interval

    @property
    def quality(self) -> "Quality":
        """How good it is, told without labels: expected precision and recall, a reliability curve, and whether stated
        probabilities can be relied on; `.sentences()` says it in words.
        """  # noqa: D205
        return self._backing.resolution.quality

    @property
    def n_entities(self) -> int:
        """How many entities there are."""
        return self._backing.interval[0]

    @property
    def checkpoint(self) -> Checkpoint | None:
        """Where sampling stood, if it was stopped before its end: `onoma.resolve(…, resume=checkpoint)` goes on."""
        return self._backing.checkpoint

    @property
    def resolution(self) -> Resolution:
        """What the model found out, in arrays: for those who build on it."""
        return self._backing.resolution

    def _gold(self, truth: Any) -> Clustering:  # noqa: ANN401
        if isinstance(truth, str):
            if truth not in self.columns:
                raise DataError(f"there is no column {truth!r}", hint=f"The columns are {', '.join(self.columns)}.")
            return Clustering.from_labels(gold_labels(self[truth]))
        labels = as_columns(truth)
        if labels is None:
            raise DataError(f"a {type(truth).__name__} came; the truth is a column, or a list of labels")
        if len(labels) != len(self):
            raise DataError(f"{len(labels):,} labels came for {len(self):,} rows")
        column = pa.array([None if each is None or each == "" else str(each) for each in labels], pa.string())
        return Clustering.from_labels(column)

    def _told(self) -> str:
        n, low, high = self._backing.interval
        between = f" (95 %: {low:,} – {high:,})" if low < high else ""
        return f"{len(self):,} rows, {n:,} {'entity' if n == 1 else 'entities'}{between}; model {self.config.model}"

    def _doubt(self) -> str:
        n = sum(p < _DOUBT for p in self["probability"].to_pylist())
        return f"{n:,} {'row is' if n == 1 else 'rows are'} less than 90 % sure of {'its' if n == 1 else 'their'} place"

    def __repr__(self) -> str:
        more = ".to_pandas() .pairs() .entities .explain(a, b) .charts .report(path) .evaluate(truth) .save(path)"
        return "\n".join([self._told(), self._doubt(), "", *text_lines(self._table, _SHOWN), "", more])

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self._told())}</b><br>{escape(self._doubt())}</p>{html_table(self._table, 10)}"


def fresh(outcome: Any, index: "pd.Index | None" = None, read: Iterable[Path] = ()) -> Result:  # noqa: ANN401
    """Return the result of a job."""
    return Result(Fresh(outcome, tuple(read)), index)


def load(path: str | Path) -> Result:
    """Read a result that was saved as a knowledge base (`found.save("people.duckdb")`), as it is now.

    Parameters
    ----------
    path
        The file. To add records, judge pairs or ask for entities, use `onoma.open`.
    """
    place = Path(path)
    if place.is_dir() or (place.exists() and place.suffix.lower() not in (".duckdb", ".ddb")):
        raise DataError(
            "is no knowledge base, and only such a file holds all of a result",
            file=place,
            hint='Save it as one: found.save("people.duckdb").',
        )
    return Result(Stored(place))
