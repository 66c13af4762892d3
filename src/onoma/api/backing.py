"""What a result stands on: an answer just found, or a knowledge base."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onoma.beside import remove, working_place
from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, UnsupportedError
from onoma.kb.database import KnowledgeBase, read_knowledge_base
from onoma.kb.explain import explain_records
from onoma.kb.exports.write import export
from onoma.kb.part import part_resolution
from onoma.kb.world import load_world, record_table, stored_config, stored_job, stored_memory
from onoma.pipeline.output import DATABASE, check_target, claim, with_input, write_outcome
from onoma.pipeline.resolution import Outcome
from onoma.pipeline.targets import check_spared, check_table
from onoma.resolve.config import ResolveConfig
from onoma.resolve.posterior.checkpoint import Checkpoint
from onoma.resolve.report.explanation import Explanation, Record
from onoma.resolve.result import Resolution

__all__ = ["Backing", "Fresh", "Stored"]


class Backing(Protocol):
    """What every result can be asked."""

    @property
    def rows(self) -> pa.Table:
        """Every row: id, entity, probability, and the row as it came."""

    @property
    def entities(self) -> pa.Table:
        """One row for each entity."""

    @property
    def config(self) -> ResolveConfig:
        """As it was used."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know."""

    @property
    def resolution(self) -> Resolution:
        """The resolution, for pictures."""

    @property
    def interval(self) -> tuple[int, int, int]:
        """The number of entities, and an interval."""

    @property
    def checkpoint(self) -> Checkpoint | None:
        """Where sampling stood, if it was stopped before its end."""

    def pairs(self, floor: float) -> pa.Table:
        """Return pairs: a, b, probability."""

    def explain(self, a: Record, b: Record) -> Explanation:
        """Say why two records are, or are not, the same."""

    def save(self, target: Path) -> list[Path]:
        """Keep it; return what was written."""


@dataclass(frozen=True, eq=False)
class Fresh:
    """An answer just found."""

    outcome: Outcome
    read: Sequence[Path] = ()
    """The files that were read: they are not written over."""

    @cached_property
    def rows(self) -> pa.Table:
        """Every row: id, entity, probability, and the row as it came."""
        return with_input(self.outcome)

    @property
    def entities(self) -> pa.Table:
        """One row for each entity."""
        return self.resolution.entities

    @property
    def config(self) -> ResolveConfig:
        """As it was used."""
        return self.resolution.config

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know."""
        return (*self.outcome.job.notes, *self.resolution.notes)

    @property
    def resolution(self) -> Resolution:
        """The resolution itself."""
        return self.outcome.resolution

    @property
    def interval(self) -> tuple[int, int, int]:
        """The number of entities, and an interval."""
        return self.resolution.entity_count()

    @property
    def checkpoint(self) -> Checkpoint | None:
        """Where sampling stood, if it was stopped before its end."""
        return self.resolution.checkpoint

    def pairs(self, floor: float) -> pa.Table:
        """Return pairs: a, b, probability."""
        return self.resolution.pairs(floor)

    def explain(self, a: Record, b: Record) -> Explanation:
        """Say why two records are, or are not, the same."""
        return self.resolution.explain(a, b)

    def save(self, target: Path) -> list[Path]:
        """Keep it as the command line does: a table, a folder, or a knowledge base."""
        check_spared(target, self.read)
        with claim(target):
            check_target(target)
            return write_outcome(self.outcome, target, command="onoma.resolve(…)")


@dataclass(frozen=True, eq=False)
class Stored:
    """A result in a knowledge base, as it is now."""

    path: Path

    @property
    def checkpoint(self) -> Checkpoint | None:
        """None: a knowledge base goes on from where it is in any case."""
        return None

    @cached_property
    def rows(self) -> pa.Table:
        """Every row: (source,) id, entity, probability, and the row as it came."""
        with read_knowledge_base(self.path) as base:
            found = _without_empty(
                base.query("SELECT source, id, entity, probability FROM memberships ORDER BY record")
            )
            table = record_table(base)
        for name in table.column_names:
            if name not in found.column_names:
                found = found.append_column(name, table[name])
        return found

    @cached_property
    def entities(self) -> pa.Table:
        """One row for each entity."""
        with read_knowledge_base(self.path) as base:
            return base.query("FROM entities")

    @cached_property
    def config(self) -> ResolveConfig:
        """As it was used."""
        with read_knowledge_base(self.path) as base:
            config = stored_config(stored_job(base))
            return replace(config, model=stored_memory(base).config.model) if base.blob("memory") else config

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know."""
        return (f"read from {self.path.name}",)

    @cached_property
    def resolution(self) -> Resolution:
        """The records with what is known of their pairs."""
        with read_knowledge_base(self.path) as base:
            _check_remembers(base)
            world = load_world(base)
            found = part_resolution(world, np.arange(world.n))
        labels = Clustering.from_labels(self.rows["entity"])
        posterior = None if found.posterior is None else replace(found.posterior, clustering=labels)
        source = self.rows["source"] if "source" in self.rows.column_names else None
        return replace(found, posterior=posterior, source=source)

    @cached_property
    def interval(self) -> tuple[int, int, int]:
        """The number of entities, and the interval of the last run that told one."""
        n = int(pc.count_distinct(self.rows["entity"]).as_py())
        with read_knowledge_base(self.path) as base:
            told = base.rows("SELECT entities, entities_low, entities_high FROM run_last")
        low, high = (told[0][1], told[0][2]) if told and told[0][0] == n else (None, None)
        return n, n if low is None else int(low), n if high is None else int(high)

    def pairs(self, floor: float) -> pa.Table:
        """Return pairs: a, b, probability."""
        with read_knowledge_base(self.path) as base:
            found = base.query("SELECT * FROM pairs WHERE probability >= ?", [floor])
        return _without_empty(found)

    def explain(self, a: Record, b: Record) -> Explanation:
        """Say why two records are, or are not, the same."""
        with read_knowledge_base(self.path) as base:
            _check_remembers(base)
            found = explain_records(base, self._named(a), self._named(b))
        return replace(found.pair, posterior=found.posterior)

    def save(self, target: Path) -> list[Path]:
        """Keep a copy: a knowledge base, a table, or a folder of tables."""
        check_spared(target, [self.path])
        if target.suffix.lower() in DATABASE:
            check_target(target)
            return [self._copied(target)]
        if target.suffix:
            from onoma.corpus.formats import write_table

            check_table(target)
            write_table(self.rows, target)
            return [target]
        with read_knowledge_base(self.path) as base:
            return export(base, target, "parquet")

    def _named(self, record: Record) -> str:
        if isinstance(record, tuple):
            return ":".join(record)
        if isinstance(record, str):
            return record
        if not 0 <= record < len(self.rows):
            raise DataError(f"there is no row {record:,}; rows are counted from 0 to {len(self.rows) - 1:,}")
        source = self.rows["source"][record].as_py() if "source" in self.rows.column_names else ""
        key = str(self.rows["id"][record].as_py())
        return f"{source}:{key}" if source else key

    def _copied(self, target: Path) -> Path:
        import shutil

        place = working_place(target)
        try:
            shutil.copyfile(self.path, place)
            place.replace(target)
        finally:
            remove(place)
        return target


def _check_remembers(base: KnowledgeBase) -> None:
    if not base.blob("memory"):
        raise UnsupportedError(
            f"{base.path}: it holds no weights of agreement to explain with", hint="Its model does not learn any."
        )


def _without_empty(table: pa.Table) -> pa.Table:
    """Leave out columns of sources where there are none."""
    empty = [
        name
        for name in ("source", "a_source", "b_source")
        if name in table.column_names and not pc.any(pc.not_equal(table[name], "")).as_py()
    ]
    return table.drop_columns(empty) if empty else table
