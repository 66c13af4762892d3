"""Where the values of an entity come from: which record, by which rule, and what the others say."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from onoma.corpus.clustering import Clustering
from onoma.kb.database import KnowledgeBase
from onoma.kb.world import find_entity, record_table, stored_config, stored_job
from onoma.resolve.fields.canonical import canonical_rows, fullest_records
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.golden import ANY, golden_rules
from onoma.resolve.fields.kinds import KINDS

__all__ = ["GoldenValue", "golden_values"]


class GoldenValue(NamedTuple):
    """A value of an entity."""

    column: str
    value: object
    record: str
    """The record that it is taken from."""
    rule: str
    others: dict[str, int]
    """Other values of its records, and how many have each."""

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        return self._asdict() | {"value": self.value if isinstance(self.value, str | int | float) else str(self.value)}


def golden_values(base: KnowledgeBase, name: str) -> list[GoldenValue]:
    """Return the values of an entity, each with the record it is taken from and the rule that took it."""
    entity = find_entity(base, name)
    rows = base.rows("SELECT record, source, id FROM memberships WHERE entity = ? ORDER BY record", [entity])
    numbers = [int(record) for record, _, _ in rows]
    names = [f"{source}:{key}" if source else str(key) for _, source, key in rows]
    table = record_table(base, numbers).drop_columns(["id"])
    config = stored_config(stored_job(base))
    rules = golden_rules(config.golden)
    clustering = Clustering.from_labels(np.zeros(len(numbers), dtype=np.int64))
    fields = _fields(base, numbers)
    chosen = canonical_rows(
        table, fields, clustering, fullest_records(fields, clustering), golden=config.golden, source=config.source
    )
    found = []
    for column, at in chosen.items():
        values = table[column].to_pylist()
        value = values[int(at[0])]
        counts: dict[str, int] = {}
        for each in values:
            if each is not None and each != value:
                counts[str(each)] = counts.get(str(each), 0) + 1
        if value is not None or counts:
            rule = rules.get(column, rules.get(ANY))
            said = "most frequent" if rule is None else str(rule)
            found.append(GoldenValue(column, value, names[int(at[0])], said, counts))
    return found


def _fields(base: KnowledgeBase, numbers: list[int]) -> list[FieldData]:
    """Return the fields of some records, of which nothing but the codes is of use."""
    used = """SELECT "column", kind FROM fields WHERE kind <> 'ignored'"""
    specs = [(str(column), str(kind)) for column, kind in base.rows(used)]
    wanted = {"wanted": pa.table({"record": np.array(numbers, dtype=np.int64)})}
    codes = base.query("SELECT codes.* FROM codes SEMI JOIN wanted USING (record) ORDER BY record", None, wanted)
    none = np.zeros(0, dtype=np.int64)
    bare = KINDS["category"].prepare([], none)
    return [
        FieldData(column, kind, "", (column,), [], [], codes[f"f{f}"].to_numpy(), none, bare)
        for f, (column, kind) in enumerate(specs)
        if f"f{f}" in codes.column_names
    ]
