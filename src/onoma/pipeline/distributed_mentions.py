"""Mentions in context on an engine, from files to entities: words counted, names compared, bags made, rounds run.

The driver sees the different names, counts of words, the bags of a sample, and at the end who belongs to whom.
Contexts stay with the rows. `onoma resolve --model cross-document --engine …` reads its table here and lets the engine
carry the rounds; this is for mentions that no one machine reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.corpus.readers.files import check_readable
from onoma.engines.engine import Engine
from onoma.engines.manifest import Manifest
from onoma.errors import DataError, SettingsError
from onoma.evaluate.metrics import REPORTED
from onoma.evaluate.report import Evaluation, evaluate
from onoma.pipeline.distributed import Stepping, run_rounds
from onoma.resolve.contract import RunContext
from onoma.resolve.models.cross_document.evidence import weigh_evidence
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings
from onoma.resolve.models.cross_document.partitions import (
    NAMES,
    NamedStep,
    Names,
    Vocabulary,
    begin,
    count_contexts,
    count_names,
    distinct_names,
    in_sample,
    name_key,
    numbered,
    sample_bags,
)
from onoma.resolve.models.cross_document.records import CONTEXT, DOCUMENT, NAME
from onoma.resolve.partitions.rounds import MENTIONS, RoundSettings

__all__ = ["MentionColumns", "ResolvedMentions", "resolve_mentions"]

_SAMPLE = 50_000
"""Mentions whose bags are looked at to weigh contexts."""


@dataclass(frozen=True, kw_only=True)
class MentionColumns:
    """Which columns of the files are what."""

    id: str = "id"
    name: str | None = "name"
    """None: all mentions have one name."""
    context: str = "context"
    document: str | None = None
    truth: str | None = None
    """Carried along to score the result by; never evidence."""

    @classmethod
    def of_schema(cls, schema: pa.Schema, *, id: str | None = None, truth: str | None = None) -> "MentionColumns":
        """Find the columns by what they are called.

        Examples
        --------
        >>> found = MentionColumns.of_schema(pa.schema([("id", pa.string()), ("snippet", pa.string())]))
        >>> found.context, found.name
        ('snippet', None)
        """
        by_name = {name.lower(): name for name in schema.names if name not in (id, truth)}

        def called(likely: Sequence[str]) -> str | None:
            return next((by_name[name] for name in likely if name in by_name), None)

        context = called(CONTEXT)
        if context is None:
            raise SettingsError(
                f"there is no column of text around each mention; the columns are {', '.join(schema.names)}",
                hint=f"Call it {CONTEXT[0]}.",
            )
        return cls(id=id or "id", name=called(NAME), context=context, document=called(DOCUMENT), truth=truth)


@dataclass(frozen=True, eq=False)
class ResolvedMentions:
    """Who is who among mentions."""

    memberships: pa.Table
    """`id`, `entity`."""
    clustering: Clustering
    gold: Clustering | None
    manifest: Manifest
    notes: tuple[str, ...]
    is_stopped: bool

    @property
    def evaluation(self) -> Evaluation | None:
        """The score against the truth, where that was given."""
        if self.gold is None:
            return None
        labelled = self.gold.labels != ABSENT
        return evaluate(self.gold.take(labelled), self.clustering.take(labelled), metrics=REPORTED)


def resolve_mentions(
    engine: Engine[Any],
    files: Sequence[Path],
    columns: MentionColumns,
    *,
    folder: Path,
    rounds: RoundSettings,
    settings: CrossDocumentSettings | None = None,
    run: RunContext | None = None,
) -> ResolvedMentions:
    """Resolve the mentions of Parquet files.

    Parameters
    ----------
    engine
        Who carries the work; files and folder must be where it sees them.
    files
        Parquet files of one form.
    folder
        For the manifest and checkpoints; with those of the same run, it goes on from there.
    run
        Seed, progress, and who may stop it.
    """
    run = run or RunContext()
    work = _Mentions(engine, rounds, run.seed)
    rows = work.read(files, columns)
    with run.progress.task("words and names", total=3, unit="passes") as task:
        vocabulary = work.words(rows)
        task.advance()
        names = work.names(rows)
        task.advance()
        keep = ["id", *(["truth"] if columns.truth is not None else [])]
        start = work.start(rows, vocabulary, names, keep, folder)
        chosen, note = work.weigh(start, names, settings or CrossDocumentSettings())
        task.advance()
    step = NamedStep(names.evidence if names.telling else None)
    stepping = Stepping(step, start.schema, replace(chosen, n_rounds=rounds.n_rounds))
    found = run_rounds(engine, lambda: start, stepping, rounds, run, folder=folder)
    return _result(engine.gather(found.rows, ["entity", *keep]), found.manifest, (note,), stopped=found.is_stopped)


@dataclass(frozen=True, eq=False)
class _Mentions:
    """The passes over all mentions before the rounds."""

    engine: Engine[Any]
    rounds: RoundSettings
    seed: int

    def read(self, files: Sequence[Path], columns: MentionColumns) -> Any:  # noqa: ANN401 (rows of some engine)
        """Return the columns wanted, under our names, and a number for each mention."""
        wanted = {ours: theirs for ours, theirs in vars(columns).items() if theirs is not None}
        found = _schema_of(files[0], list(wanted.values()))
        schema = pa.schema([("mention", pa.int64()), *((ours, pa.string()) for ours in {**wanted, "name": ""})])
        rows = self.engine.scan(files, pa.schema([found.field(name) for name in dict.fromkeys(wanted.values())]))
        return self.engine.each(rows, partial(_renamed, wanted=wanted), schema)

    def words(self, rows: Any) -> Vocabulary:  # noqa: ANN401
        """Count the words of all contexts."""
        return Vocabulary.of_counts(self.engine.tally(rows, count_contexts, ["context"]))

    def names(self, rows: Any) -> Names:  # noqa: ANN401
        """Bring mentions of one name together, and the different names here; compare these."""
        engine, n = self.engine, self.rounds.n_partitions
        met = engine.exchange(engine.each(rows, _selected, NAMES), partial(name_key, n_partitions=n), ["name"], n)
        found = engine.gather(engine.map(met, distinct_names, NAMES), NAMES.names)
        return Names.of_table(found, engine.tally(rows, count_names, ["name"]))

    def start(self, rows: Any, vocabulary: Vocabulary, names: Names, keep: list[str], folder: Path) -> Any:  # noqa: ANN401
        """Make the bags, and keep what the first round begins with."""
        fields = [field.remove_metadata() for field in MENTIONS]
        if "document" in rows.schema.names:
            fields.append(pa.field("document", pa.int64()))
        schema = pa.schema([*fields, *((name, pa.string()) for name in keep)])
        make = partial(begin, vocabulary=vocabulary, names=names, from_names=names.telling, keep=keep)
        return self.engine.checkpoint(self.engine.each(rows, make, schema), folder / "start")

    def weigh(self, start: Any, names: Names, settings: CrossDocumentSettings) -> tuple[CrossDocumentSettings, str]:  # noqa: ANN401
        """Set weights by a sample: all mentions of some names or, where names do not tell, some mentions."""
        n = int(names.counts.sum())
        sample = partial(in_sample, share=min(1.0, _SAMPLE / max(n, 1)), by="name" if names.telling else "mention")
        chosen = self.engine.each(start, sample, start.schema)
        wanted = ["name", "tokens", "weights", *(["document"] if "document" in start.schema.names else [])]
        found = self.engine.gather(chosen, wanted)
        evidence = replace(names.evidence, of=found["name"].to_numpy())
        story = found["document"].to_numpy() if "document" in wanted else None
        bags = sample_bags(found)
        return weigh_evidence(settings, bags, evidence, story, telling=names.telling, seed=self.seed)


def _result(table: pa.Table, manifest: Manifest, notes: tuple[str, ...], *, stopped: bool) -> ResolvedMentions:
    clustering = Clustering.from_labels(table["entity"])
    gold = Clustering.from_labels(table["truth"]) if "truth" in table.column_names else None
    memberships = pa.table({"id": table["id"], "entity": clustering.relabel()})
    return ResolvedMentions(memberships, clustering, gold, manifest, notes, stopped)


def _schema_of(path: Path, wanted: Sequence[str]) -> pa.Schema:
    try:
        schema = pq.read_schema(check_readable(path))
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(
            "is not a Parquet file, which is what engines read", file=path, hint="onoma convert makes one."
        ) from error
    missing = [name for name in wanted if name not in schema.names]
    if missing:
        raise DataError(f"lacks the column {missing[0]!r}; it has {', '.join(schema.names)}", file=path)
    return schema


def _renamed(rows: pa.Table, *, wanted: dict[str, str]) -> pa.Table:
    columns = {ours: rows[theirs].cast(pa.string()) for ours, theirs in wanted.items()}
    return numbered(pa.table({"name": pa.nulls(len(rows), pa.string())} | columns))


def _selected(rows: pa.Table) -> pa.Table:
    return rows.select(NAMES.names)
