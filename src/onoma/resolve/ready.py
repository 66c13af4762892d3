"""A table made ready: its ids and sources told, its columns read as fields, several types of rows found."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.readers.arrow import from_arrow
from onoma.corpus.readers.table import read_table
from onoma.numerics.memory import give_back
from onoma.resolve.blocking.conditions import check_rules
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.contexts import CONTEXT, with_contexts
from onoma.resolve.fields.golden import check_rules as check_golden
from onoma.resolve.fields.prepare import Fields, Ignored, prepare_fields
from onoma.resolve.fields.rows import check_known, identified, read_sources, unambiguous
from onoma.resolve.sources import pick_link
from onoma.resolve.types.finding import find_types, may_have_types
from onoma.resolve.types.together import TypeOfRows, fields_together

__all__ = ["TRUTH_NAMES", "Ready", "make_ready", "prepare_rows"]

TRUTH_NAMES = ("cluster_id", "entity_id", "gold", "gold_id")
"""Columns of these names are never evidence: they are somebody's answer."""


@dataclass(frozen=True, eq=False)
class Ready:
    """A table read and prepared, before anything is compared: what plan and run share."""

    config: ResolveConfig
    """What it was prepared for."""
    table: pa.Table
    """With its ids first."""
    sources: pa.ChunkedArray | None
    source: NDArray[np.int32] | None
    """The source of each row, as text and as a number."""
    fields: Fields
    left_out: frozenset[str | None]
    """Columns that are no evidence."""
    note: str
    """Where the ids come from."""
    types: tuple[TypeOfRows, ...] = ()
    """The types of rows, where there are several."""
    parts: "tuple[Ready, ...]" = ()
    """Each of them, as a table of its own."""
    apart: bool = False
    """Whether the fields are what one column was taken apart into."""

    @cached_property
    def linking(self) -> tuple[bool | None, str]:
        """Whether rows of different sources only are joined, and why; None: only the answers of both tell."""
        return (False, "") if self.source is None else pick_link(self.fields.fields, self.config, self.source)


def make_ready(frame: object, config: ResolveConfig, *, one_type: bool = False) -> Ready:
    """Read a table, tell its ids and sources, infer the kinds of its columns and make their values comparable.

    Parameters
    ----------
    one_type
        Do not look for several types of rows.
    """
    table = _in_context(unambiguous(from_arrow(frame)), config)
    give_back(len(table))  # what it took to read it
    check_known(table, list(config.exclude))
    check_golden(table, config.golden, config.source)
    sources, codes = read_sources(table, config.source, link=config.link)
    table, note = identified(table, config.id, sources)
    check_rules(table, config)
    return prepare_rows(table, sources, codes, note, config, one_type=one_type)


def prepare_rows(
    table: pa.Table,
    sources: pa.ChunkedArray | None,
    codes: NDArray[np.int32] | None,
    note: str,
    config: ResolveConfig,
    *,
    one_type: bool,
) -> Ready:
    """Prepare rows that have their ids: each type of them for itself."""
    left_out, answers = _left_out(table, config)
    unused = [name for name in table.column_names if name in left_out]

    def part_of(rows: NDArray[np.int64]) -> Ready:
        some = pa.array(rows)
        its = None if codes is None else np.unique(codes[rows], return_inverse=True)[1].ravel().astype(np.int32)
        from_where = None if sources is None else sources.take(some)
        return prepare_rows(table.take(some), from_where, its, note, config, one_type=True)

    if not one_type and may_have_types(config):
        found = find_types(table.drop_columns(unused), codes, part_of, lambda part: part.fields.fields)
        if found:
            types, parts = tuple(each for each, _ in found), tuple(part for _, part in found)
            fields = fields_together(len(table), types, [part.fields for part in parts])
            return Ready(config, table, sources, codes, fields, frozenset(left_out), note, types, parts)
    fields = prepare_fields(table, kinds=config.kinds, exclude=unused)
    fields.ignored.extend(Ignored(name, "by its name it is the answer, and no evidence") for name in answers)
    give_back(len(table))
    return Ready(config, table, sources, codes, fields, frozenset(left_out), note)


def _in_context(table: pa.Table, config: ResolveConfig) -> pa.Table:
    """Return mentions with the words around them, where a file of documents is named."""
    if config.documents is None or CONTEXT in table.column_names:
        return table
    return with_contexts(table, read_table(Path(config.documents), encoding=config.encoding).table)


def _left_out(table: pa.Table, config: ResolveConfig) -> tuple[set[str | None], list[str]]:
    """Return the columns that are no evidence, and those of them that are so by their names.

    A block stays evidence: that two rows share its value says the more the rarer the value is.
    """
    said = {"id", config.source, config.labels, config.truth, *config.exclude}
    known = {*said, *config.kinds}
    answers = [name for name in table.column_names if name.lower() in TRUTH_NAMES and name not in known]
    return {*said, *answers}, answers
