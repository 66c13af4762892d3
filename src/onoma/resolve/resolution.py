"""Resolving a table: from rows to entities, with a probability for every statement."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.arrow import from_arrow
from onoma.errors import SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.auto import pick_model
from onoma.resolve.blocking.rules import rule_codes, rule_pairs
from onoma.resolve.comparison.choice import Supervision
from onoma.resolve.comparison.folding import Folding, fold_fields, fold_rows, unfold
from onoma.resolve.comparison.gathering import count_pairs
from onoma.resolve.comparison.given import read_weights
from onoma.resolve.comparison.recomparison import compared_anew, comparisons_note
from onoma.resolve.comparison.weights import log_bayes_factors
from onoma.resolve.fields.canonical import canonical_table, fullest_records
from onoma.resolve.fields.prepare import Fields, Ignored, prepare_fields
from onoma.resolve.fields.rows import (
    check_known,
    encoded,
    identified,
    read_sources,
    says_the_same,
    silent_note,
    unambiguous,
)
from onoma.resolve.model import Fit, ModelSettings, fit_records
from onoma.resolve.partitions.records import Carry
from onoma.resolve.posterior.checkpoint import Checkpoint

if TYPE_CHECKING:
    from onoma.resolve.models.hierarchical.entity_tree import EntityTree
    from onoma.resolve.quality.recall import CanopyRecall
    from onoma.resolve.report.charts import Charts
    from onoma.resolve.report.explanation import Explanation, Record

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
    checkpoint: Checkpoint | None = None
    """All that is needed to go on, if sampling was stopped before its end."""
    identical: bool = False
    """All rows say the same, so nothing was compared."""
    block: NDArray[np.int32] | None = None
    """The block of each record, where only records of one block can be the same."""

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped before its end; with a `checkpoint`, it can go on."""
        return self.checkpoint is not None or (self.fit is not None and self.fit.is_cut_short)

    @property
    def so_far(self) -> str:
        """What the answer of a run is that was stopped before its end."""
        if self.settings.model in ("hierarchical", "cross-document"):
            return "the answer of the rounds so far"
        return f"the answer of {self.n_samples} samples of {self.settings.n_samples}"

    @property
    def clustering(self) -> Clustering:
        """The clustering with the least expected loss."""
        if self.fit is not None:
            return self.fit.consensus.clustering
        n = len(self.table)
        return Clustering.from_labels(np.zeros(n, dtype=np.int64)) if self.identical else Clustering.singletons(n)

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
        """One row for each entity: its size, the least probability of its records, and a canonical record.

        `record` is the id of its fullest record; the columns have the values that most of its records agree on.
        """
        clustering = self.clustering
        least = np.ones(clustering.n_entities)
        np.minimum.at(least, clustering.labels, self.probability)
        fullest = fullest_records(self.fields.fields, clustering)
        names = [name for name in self.table.column_names if name != "id"]
        canonical = canonical_table(self.table.select(names), self.fields.fields, clustering, fullest)
        columns = {"entity": clustering.relabel().take(pa.array(fullest)), "size": pa.array(clustering.sizes)}
        columns |= {"probability": pa.array(least), "record": self.table["id"].take(pa.array(fullest))}
        taken = set(columns)
        for name in names:
            columns[name if name not in taken else f"{name}_of_record"] = canonical[name]
        return pa.table(columns)

    @cached_property
    def nodes(self) -> pa.Table | None:
        """The trees of the hierarchical model, one row for each node; None for other models."""
        return None if self.fit is None or self.fit.trees is None else self.fit.trees.nodes(self.table["id"])

    def tree(self, record: "Record") -> "EntityTree":
        """Return the tree of a record's entity (hierarchical model): see `EntityTree`."""
        from onoma.resolve.report.explanation import find_record

        if self.fit is None or self.fit.trees is None:
            raise SettingsError("there are no trees here", hint='They are grown by the model "hierarchical".')
        return self.fit.trees.tree(find_record(self, record), self.table["id"])

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
        """Return the number of entities reported, and an interval that holds their number with this probability.

        The clustering reported is one of many and need not have a typical number of entities; where it lies beyond the
        interval of the samples, the interval reaches to it.
        """
        reported = self.clustering.n_entities
        if self.fit is None:
            return reported, reported, reported
        low, high = np.quantile(self.fit.draws.n_entities, [(1 - level) / 2, (1 + level) / 2])
        return reported, min(int(low), reported), max(int(np.ceil(high)), reported)

    @property
    def n_samples(self) -> int:
        """How many samples the answer rests on."""
        return 0 if self.fit is None else self.fit.draws.n_sweeps

    @cached_property
    def canopy_recall(self) -> "CanopyRecall | None":
        """How many matches were within reach, by the model's own judgement.

        None where no match is expected, for `exact-match`, which learns nothing to judge by, and for trees of names.
        """
        from onoma.resolve.quality.recall import estimate_recall

        by_name = self.settings.model in ("exact-match", "hierarchical", "phylogeny", "cross-document")
        return None if self.fit is None or by_name else estimate_recall(self)

    @cached_property
    def chart(self) -> "Charts":
        """Pictures: `chart.weights()`, `.sizes()`, `.entity_count()`, `.certainty()`, `.waterfall(a, b)`."""
        from onoma.resolve.report.charts import Charts

        return Charts(self)

    def explain(self, a: "Record", b: "Record") -> "Explanation":
        """Say step by step why two records are, or are not, the same.

        A record is named by its id, by its row number, or by (source, id). The bits of the steps add up to what the
        model uses; above 0 speaks for the same entity.
        """
        from onoma.resolve.report.explanation import explain_pair

        return explain_pair(self, a, b)

    def weights(self) -> pa.Table:
        """Return what agreement means: by field and level, how often copies and strangers are at it, and the bits."""
        from onoma.resolve.report.explanation import weight_table

        return pa.Table.from_pylist([each._asdict() for each in weight_table(self)])

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log Bayes factor of every candidate pair."""
        return np.zeros(0) if self.fit is None else log_bayes_factors(self.fit.evidence, self.fit.weights)[0]


def resolve(
    frame: object,
    *,
    id: str | None = None,
    source: str | None = None,
    link: bool = False,
    one_to_one: bool = False,
    block: str | None = None,
    kinds: Mapping[str, str] | None = None,
    exclude: Iterable[str] = (),
    also_compare: Sequence[Sequence[str]] = (),
    labels: str | None = None,
    weights: str | Path | None = None,
    settings: ModelSettings | None = None,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
    resume: Checkpoint | None = None,
    carry: Carry | None = None,
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
    one_to_one
        With `link`: no source has duplicates inside, so an entity has at most one row of each.
    block
        A column: only rows with the same value in it can be the same. Sharing the value is evidence, too.
    kinds
        What columns are, where the guess is wrong: `{"title": "text"}`.
    exclude
        Columns that are no evidence. Columns called `cluster_id` or `gold` never are.
    also_compare
        Columns, or several together: rows that agree on them are compared, whatever else they share.
    labels
        A column with the true entities of some rows (missing: not known): weights are learnt from it. Never evidence.
    weights
        A file of weights to use instead of learning them; see `onoma.resolve.comparison.given`.
    settings
        The model, the seed, the price of errors, the effort.
    stop
        May ask sampling to end early: the answer is then that of the samples so far, and has a `checkpoint`.
    resume
        The checkpoint of a run that was stopped, on the same table with the same settings.
    carry
        Who samples in partitions; None: all is sampled here.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> found = resolve(simulate_people(500, seed=1))
    >>> found.memberships.column_names
    ['id', 'entity', 'probability']
    """
    settings = replace(settings or ModelSettings(), link=link, one_to_one=one_to_one)
    if one_to_one and not link:
        raise SettingsError("one-to-one is for linking: at most one row of each source", hint="Add link=True.")
    table = unambiguous(from_arrow(frame))
    exclude = list(exclude)
    check_known(table, exclude)
    notes: list[str] = []
    sources, codes = read_sources(table, source, link=link)
    table, note = identified(table, id, sources)
    notes.append(note)
    # A block stays evidence: that two rows share its value says the more the rarer the value is.
    said = {"id", source, labels, *exclude, *(kinds or {})}
    answers = [name for name in table.column_names if name.lower() in TRUTH_NAMES and name not in said]
    left_out = {"id", source, labels, *exclude, *answers}
    fields = prepare_fields(table, kinds=kinds, exclude=[name for name in table.column_names if name in left_out])
    fields.ignored.extend(Ignored(name, "by its name it is the answer, and no evidence") for name in answers)
    if settings.model == "auto":
        model, why = pick_model(fields.fields, link=link, weighed=weights is not None or settings.comparison != "kinds")
        settings = replace(settings, model=model)
        notes.append(f"the model is {model}: {why}")
    if len(table) < 2 or not fields.fields:
        identical = len(table) > 1 and not link and says_the_same(table, left_out)
        notes.append(silent_note(len(table), identical=identical))
        return Resolution(table, fields, None, sources, settings, tuple(notes), identical=identical)
    rules = [rule_codes(table, fields.fields, columns) for columns in also_compare]
    blocks = None if block is None else encoded(table, block)
    known = None if labels is None else _labelled(table, labels)
    given = Supervision(known, None if weights is None else read_weights(weights))
    work = _Work(fields, codes, blocks, given, settings, progress, stop, resume, carry)
    fit, stopped = work.run(rules, also_compare, notes)
    if fit.comparisons:
        fields = fields._replace(fields=compared_anew(fields.fields, fit.comparisons))
        notes.append(comparisons_note(fit.comparisons))
    return Resolution(table, fields, fit, sources, settings, tuple(notes), stopped, block=blocks)


@dataclass(frozen=True, eq=False)
class _Work:
    """What is fitted, rows that only repeat others set aside."""

    fields: Fields
    source: NDArray[np.int32] | None
    block: NDArray[np.int32] | None
    supervision: Supervision
    settings: ModelSettings
    progress: Progress
    stop: Stop
    resume: Checkpoint | None
    carry: Carry | None

    def run(
        self, rules: Sequence[NDArray[np.int64]], names: Sequence[Sequence[str]], notes: list[str]
    ) -> tuple[Fit, Checkpoint | None]:
        """Fit; add to the notes what people should know."""
        fields = self.fields.fields
        folding = self._folded(notes)
        kept = slice(None) if folding is None else folding.kept
        source, block = (None if part is None else part[kept] for part in (self.source, self.block))
        if folding is not None:
            fields = fold_fields(fields, folding)
        fit = fit_records(
            fields,
            source=source,
            block=block,
            extra=self._extra([rule[kept] for rule in rules], names, source, block, notes),
            supervision=self.supervision if folding is None else self.supervision.take(kept),
            settings=self.settings,
            progress=self.progress,
            stop=self.stop,
            resume=None if self.resume is None else (self.resume.weights, self.resume.stopped),
            carry=self.carry,
        )
        notes += fit.notes
        if fit.n_cut:
            notes.append(f"{fit.n_cut:,} faint pairs were left out to sample in partitions")
        stopped = None if fit.stopped is None else Checkpoint(fit.weights, fit.stopped)
        if folding is not None:
            n_pairs = count_pairs(len(folding.leader), None, self.block, 0)
            fit = unfold(fit, folding, self.fields.fields, n_pairs)
        return fit, stopped

    def _folded(self, notes: list[str]) -> Folding | None:
        """Find the rows that follow others, if there are any."""
        if self.settings.link or self.settings.model in ("hierarchical", "phylogeny", "cross-document"):
            return None
        folding = fold_rows(self.fields.fields, self.block)
        n, common = len(folding.followers), folding.n_common
        if n:
            said = (
                "1 row repeats others in every field and follows"
                if n == 1
                else f"{n:,} rows repeat others in every field and follow"
            )
            notes.append(f"{said} them")
        if common:
            notes.append(
                f"{common:,} rows repeat each other in every field, but with values so common that this is no proof"
            )
        return folding if n else None

    def _extra(
        self,
        rules: Sequence[NDArray[np.int64]],
        names: Sequence[Sequence[str]],
        source: NDArray[np.int32] | None,
        block: NDArray[np.int32] | None,
        notes: list[str],
    ) -> NDArray[np.int64]:
        """Return the keys of the pairs that the rules ask for."""
        found = [np.zeros(0, dtype=np.int64)]
        for rule, columns in zip(rules, names, strict=True):
            cap = self.settings.canopies.resolved(len(rule))[1]
            pairs = rule_pairs(rule, cap=cap, source=source if self.settings.link else None, block=block)
            found.append(pairs.keys)
            said = f"rows that agree on {', '.join(columns)} are compared: {len(pairs.keys):,} pairs"
            if pairs.n_capped:
                said += f"; {pairs.n_capped:,} groups of more than {cap:,} rows are left out"
            notes.append(said)
        return np.unique(np.concatenate(found))


def _labelled(table: pa.Table, name: str) -> NDArray[np.int64]:
    """Return the labels of a column as numbers; -1 where there is none."""
    column = table[name].cast(pa.string()) if name in table.column_names else None
    if column is None:
        raise SettingsError(f"there is no column {name!r}", hint=f"The columns are {', '.join(table.column_names)}.")
    return Clustering.from_labels(pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)).labels
