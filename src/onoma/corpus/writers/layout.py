"""A corpus part by part, as the writers of text formats walk through it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from onoma.corpus.corpus import Corpus
from onoma.corpus.writers.brackets import Span
from onoma.errors import DataError

__all__ = ["Part", "parts_of"]


@dataclass(frozen=True)
class Part:
    """One part of one document: its row of the documents table, its tokens and its mentions with their chains."""

    facts: dict[str, object]
    tokens: pa.Table
    mentions: pa.Table

    @property
    def document(self) -> str:
        """The name of the document."""
        return str(self.facts["document"])

    @property
    def part(self) -> int:
        """The number of the part."""
        return int(str(self.facts["part"]))

    @property
    def raw_head(self) -> str:
        """What stood in the file before the first token."""
        return str(self.facts["raw_head"])

    @property
    def raw_tail(self) -> str:
        """What stood in the file after the last token."""
        return str(self.facts["raw_tail"])

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return len(self.tokens)

    def columns(self, *names: str) -> dict[str, list[Any]]:
        """Return columns of the tokens as lists; a column that is not there as Nones."""
        nulls = [None] * len(self.tokens)
        return {name: self.tokens[name].to_pylist() if name in self.tokens.column_names else nulls for name in names}

    def spans(self) -> list[Span]:
        """Return the mentions that are in a chain; `row` is their row in `mentions`."""
        columns = (self.mentions[name].to_pylist() for name in ("start", "end", "chain"))
        return [
            Span(start, end, chain, row)
            for row, (start, end, chain) in enumerate(zip(*columns, strict=True))
            if chain is not None
        ]


def parts_of(corpus: Corpus) -> Iterator[Part]:
    """Yield the parts in the order of the documents table."""
    mentions = corpus.mentions_with_chains()
    keys = {key: i for i, key in enumerate(_keys(corpus.documents))}
    if len(keys) < len(corpus.documents):
        raise DataError("the documents table has two rows for one document and part")
    token_rows = _rows_by_part(corpus.tokens, keys, "tokens")
    mention_rows = _rows_by_part(mentions, keys, "mentions")
    for facts, of_tokens, of_mentions in zip(corpus.documents.to_pylist(), token_rows, mention_rows, strict=True):
        if facts["n_tokens"] != len(of_tokens):
            raise DataError(
                f"document {facts['document']!r} part {facts['part']} should have {facts['n_tokens']:,} tokens; "
                f"the tokens table has {len(of_tokens):,}"
            )
        yield Part(facts, _take(corpus.tokens, of_tokens), _take(mentions, of_mentions))


def _keys(table: pa.Table) -> list[tuple[str, int]]:
    return list(zip(table["document"].to_pylist(), table["part"].to_pylist(), strict=True))


def _rows_by_part(table: pa.Table, keys: dict[tuple[str, int], int], name: str) -> list[np.ndarray]:
    places = [keys.get(key, -1) for key in _keys(table)]
    if -1 in places:
        document, part = _keys(table)[places.index(-1)]
        raise DataError(
            f"the {name} table has rows of document {document!r} part {part}, which is not in the documents"
        )
    which = np.asarray(places, dtype=np.int64)
    order = np.argsort(which, kind="stable")
    bounds = np.searchsorted(which[order], np.arange(len(keys) + 1))
    return [order[bounds[i] : bounds[i + 1]] for i in range(len(keys))]


def _take(table: pa.Table, rows: np.ndarray) -> pa.Table:
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (np.diff(rows) == 1).all():
        return table.slice(rows[0], len(rows))  # no copy: the rows of a part usually stand together
    return table.take(pa.array(rows, pa.int64()))
