"""The knowledge bases that studies and benchmarks measure on: facts in three parts, coded together, with types."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from onoma.corpus.readers.facts import read_triples
from onoma.corpus.readers.nell import nell_types
from onoma.corpus.readers.table import read_table
from onoma.knowledge.facts import Facts, Triples
from onoma.knowledge.types import Types
from onoma.pipeline.reproduce import Context

__all__ = ["KnowledgeBase", "read_knowledge_base"]


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """Facts to learn from, facts to choose settings by, facts to be measured on."""

    name: str
    train: Facts
    valid: Triples
    test: Triples
    everything: Facts
    types: Types | None

    @property
    def n_entities(self) -> int:
        """How many entities occur in any part."""
        return len(self.train.entities)


def read_knowledge_base(context: Context, name: str) -> KnowledgeBase:
    """Read `knowledge/NAME/{train,valid,test}.tsv` (or packed), and its types where it has any."""
    tables = [read_triples(_file(context, f"knowledge/{name}/{part}.tsv")).table for part in ("train", "valid", "test")]
    everything = Facts.from_table(pa.concat_tables(tables))
    train = Facts.from_table(tables[0], entities=everything.entities, relations=everything.relations)
    valid, test = (everything.code(table)[0] for table in tables[1:])
    return KnowledgeBase(name, train, valid, test, everything, _types(context, name, everything))


def _file(context: Context, path: str) -> Path:
    root = context.file(str(Path(path).parent))
    plain = root / Path(path).name
    return plain if plain.exists() else context.file(f"{path}.xz")


def _types(context: Context, name: str, facts: Facts) -> Types | None:
    if name == "nell995":
        return Types.from_table(nell_types(facts.entities), facts.entities)
    source = {"fb15k237": "entity_types_from_schema.tsv", "codex-s": "entity_types.tsv", "codex-m": "entity_types.tsv"}
    if name not in source:
        return None
    table = read_table(_file(context, f"knowledge/{name}/{source[name]}"), header=False, types="text").table
    return Types.from_table(table.select(table.column_names[:2]).rename_columns(["entity", "type"]), facts.entities)
