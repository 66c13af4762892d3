"""Annotated text: documents, their tokens, the mentions in them and the chains these form.

A `Corpus` is four Arrow tables (`onoma.corpus.schema`) and nothing that a table could not say. Read from a file, it
also carries, in columns whose names begin with `raw_`, the text between and around what was understood, so that a
writer of the same format gives back the same bytes, or the same bytes with other chains.
"""

from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.files import REJECTS
from onoma.corpus.schema import CHAINS, DOCUMENTS, MENTIONS, TOKENS, check
from onoma.errors import DataError

__all__ = ["Corpus"]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents with tokens, mentions and chains.

    Parameters
    ----------
    documents, tokens, mentions, chains
        Tables as `onoma.corpus.schema` declares them; a document's rows stand together and in order.
    rejects
        What could not be used (`row`, `reason`, `text`): documents, for the text formats.
    format
        The format whose `raw_` columns the tables carry; None if they carry none.
    notes
        What a reader wants known.

    Examples
    --------
    >>> documents = pa.table({"document": ["d"], "part": [0], "n_sentences": [1], "n_tokens": [2]})
    >>> words = ["Ada", "wrote"]
    >>> tokens = pa.table({"document": ["d"] * 2, "part": [0] * 2, "sentence": [0] * 2, "token": [0, 1], "word": words})
    >>> mentions = pa.table({"id": ["m"], "document": ["d"], "part": [0], "start": [0], "end": [1]})
    >>> Corpus.build(documents, tokens, mentions, pa.table({"mention": ["m"], "chain": ["1"]}))
    Corpus(1 documents, 2 tokens, 1 mentions in 1 chains)
    """

    documents: pa.Table
    tokens: pa.Table
    mentions: pa.Table
    chains: pa.Table
    rejects: pa.Table = field(default_factory=REJECTS.empty_table)
    format: str | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def build(cls, documents: pa.Table, tokens: pa.Table, mentions: pa.Table, chains: pa.Table) -> "Corpus":
        """Make a corpus of tables from anywhere; optional columns may be missing."""
        return cls(
            documents=check(documents, DOCUMENTS, name="documents table"),
            tokens=check(_with_optional(tokens, TOKENS), TOKENS, name="tokens table"),
            mentions=check(_with_optional(mentions, MENTIONS), MENTIONS, name="mentions table"),
            chains=check(chains, CHAINS, name="chains table"),
        )

    def __repr__(self) -> str:
        counts = f"{len(self.documents):,} documents, {len(self.tokens):,} tokens, {len(self.mentions):,} mentions"
        return f"Corpus({counts} in {self.clustering().n_entities:,} chains)"

    def with_chains(self, chains: pa.Table, mentions: pa.Table | None = None) -> "Corpus":
        """Return the same text with other chains, and mentions if given: a system's answer on the key's tokens."""
        mentions = self.mentions if mentions is None else check(_with_optional(mentions, MENTIONS), MENTIONS)
        return replace(self, mentions=mentions, chains=check(chains, CHAINS, name="chains table"))

    def mentions_with_chains(self) -> pa.Table:
        """Return the mentions in their order with a column `chain`, null for a mention in none."""
        ids = self.chains["mention"]
        if len(pc.unique(ids)) < len(ids):
            counts = pc.value_counts(ids)
            twice = next(entry["values"] for entry in counts.to_pylist() if entry["counts"] > 1)
            raise DataError(f"mention {twice!r} stands in two rows of the chains table; each mention has one chain")
        rows = pc.index_in(self.mentions["id"], value_set=ids)
        unknown = pc.invert(pc.is_in(ids, value_set=self.mentions["id"]))
        if pc.any(unknown).as_py():
            name = self.chains.filter(unknown)["mention"][0].as_py()
            raise DataError(f"the chains table names the mention {name!r}, which is not in the mentions table")
        return self.mentions.append_column("chain", self.chains["chain"].take(rows))

    def clustering(self) -> Clustering:
        """Return the mentions clustered by chain, chains of different documents and parts apart."""
        table = self.mentions_with_chains()
        part = table["part"].cast(pa.string())
        return Clustering.from_labels(pc.binary_join_element_wise(table["document"], part, table["chain"], "\x1f"))


def _with_optional(table: pa.Table, schema: pa.Schema) -> pa.Table:
    for column in schema:
        if column.nullable and column.name not in table.column_names:
            table = table.append_column(column, pa.nulls(len(table), column.type))
    return table
