"""Annotated text as four tables: documents, sentences, tokens and spans.

`Annotations` holds a batch of documents; many documents are a stream of batches, so that memory does not grow with
their number. Offsets count in code points of the raw text; tokens are counted in their document, so that the tables of
two batches can be put one under the other. `as_corpus` gives the same text to whoever works on mentions and chains.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.corpus import Corpus
from onoma.corpus.schema import (
    ANNOTATED_DOCUMENTS,
    ANNOTATED_TOKENS,
    CHAINS,
    DOCUMENTS,
    MENTIONS,
    SENTENCES,
    SPANS,
    TEXTS,
    check,
)
from onoma.errors import DataError

__all__ = ["Annotations", "Text", "texts_table"]


@dataclass(frozen=True)
class Text:
    """One raw document: its name, its text, the file it came from."""

    document: str
    text: str
    source: str | None = None
    problem: str | None = None
    """Why the text could not be read, or not all of it; None where it was."""


@dataclass(frozen=True, eq=False)
class Annotations:
    """A batch of annotated documents.

    Parameters
    ----------
    documents, sentences, tokens, spans
        Tables as `onoma.corpus.schema` declares them (`ANNOTATED_DOCUMENTS`, `SENTENCES`, `ANNOTATED_TOKENS`,
        `SPANS`). A document's rows stand together, documents in one order in all tables.

    Examples
    --------
    >>> empty = Annotations.build(ANNOTATED_DOCUMENTS.empty_table(), ANNOTATED_TOKENS.empty_table())
    >>> empty
    Annotations(0 documents, 0 tokens, 0 spans)
    """

    documents: pa.Table
    sentences: pa.Table
    tokens: pa.Table
    spans: pa.Table

    @classmethod
    def build(
        cls,
        documents: pa.Table,
        tokens: pa.Table,
        spans: pa.Table | None = None,
        sentences: pa.Table | None = None,
    ) -> "Annotations":
        """Make annotations of tables from anywhere; optional columns and tables may be missing."""
        tokens = _complete(tokens, ANNOTATED_TOKENS, "tokens table")
        return cls(
            documents=_complete(documents, ANNOTATED_DOCUMENTS, "documents table"),
            sentences=_sentences_of(tokens)
            if sentences is None
            else _complete(sentences, SENTENCES, "sentences table"),
            tokens=tokens,
            spans=SPANS.empty_table() if spans is None else _complete(spans, SPANS, "spans table"),
        )

    @classmethod
    def concat(cls, batches: Sequence["Annotations"]) -> "Annotations":
        """Put batches one under the other."""
        if not batches:
            return cls.build(ANNOTATED_DOCUMENTS.empty_table(), ANNOTATED_TOKENS.empty_table())
        return cls(
            *(
                pa.concat_tables([getattr(batch, name) for batch in batches], promote_options="default")
                for name in ("documents", "sentences", "tokens", "spans")
            )
        )

    @classmethod
    def of_corpus(cls, corpus: Corpus, *, layer: str = "mention") -> "Annotations":
        """Take a corpus as annotations; its mentions become spans of one layer, chains are left behind."""
        mentions = corpus.mentions
        spans = pa.table(
            {
                **{name: mentions[name] for name in ("document", "part", "start", "end", "text", "type")},
                "layer": pa.array([layer] * len(mentions), pa.string()),
            }
        )
        kept = [name for name in corpus.tokens.column_names if name in ANNOTATED_TOKENS.names]
        return cls.build(corpus.documents.select(DOCUMENTS.names), _heads_as_tokens(corpus.tokens.select(kept)), spans)

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        counts = f"{len(self.documents):,} documents, {len(self.tokens):,} tokens, {len(self.spans):,} spans"
        return f"Annotations({counts})"

    def __iter__(self) -> Iterator["Annotations"]:
        """Yield each document alone."""
        bounds = [_bounds(table, self.documents) for table in (self.sentences, self.tokens, self.spans)]
        for row in range(len(self.documents)):
            cut = [
                table.slice(bound[row], bound[row + 1] - bound[row])
                for table, bound in zip((self.sentences, self.tokens, self.spans), bounds, strict=True)
            ]
            yield Annotations(self.documents.slice(row, 1), *cut)

    def layer(self, name: str) -> pa.Table:
        """Return the spans of one layer."""
        return self.spans.filter(pc.equal(self.spans["layer"], name))

    def as_corpus(self, *, layer: str = "mention") -> Corpus:
        """Return the text as a `Corpus` whose mentions are the spans of one layer, each a chain of its own."""
        spans = self.layer(layer)
        ids = pa.array([f"m{row}" for row in range(len(spans))], pa.string())
        columns = {name: spans[name] for name in MENTIONS.names if name != "id"}
        mentions = pa.table({"id": ids, **columns})
        chains = pa.table({"mention": ids, "chain": ids})
        return Corpus.build(
            self.documents.select(DOCUMENTS.names),
            self.tokens,
            check(mentions, MENTIONS),
            check(chains, CHAINS),
        )


def texts_table(texts: Sequence[Text]) -> pa.Table:
    """Return raw documents as a table.

    Examples
    --------
    >>> texts_table([Text("a", "Ada wrote.")]).column_names
    ['document', 'text', 'source']
    """
    rows = [{"document": text.document, "text": text.text, "source": text.source} for text in texts]
    return pa.Table.from_pylist(rows, schema=TEXTS)


def _complete(table: pa.Table, schema: pa.Schema, name: str) -> pa.Table:
    for column in schema:
        if column.nullable and column.name not in table.column_names:
            table = table.append_column(column, pa.nulls(len(table), column.type))
    return check(table, schema, name=name)


def _heads_as_tokens(tokens: pa.Table) -> pa.Table:
    """Turn CoNLL-U's heads (counted in the sentence from 1, 0 the root, as text) into tokens of the document."""
    if "head" not in tokens.column_names or tokens["head"].null_count == len(tokens):
        return tokens.drop_columns(["head"]) if "head" in tokens.column_names else tokens
    rows = zip(*(tokens[name].to_pylist() for name in ("document", "part", "sentence", "token", "head")), strict=True)
    first: dict[tuple[str, int, int], int] = {}
    heads: list[int | None] = []
    for document, part, sentence, token, head in rows:
        start = first.setdefault((document, part, sentence), token)
        number = int(head) if head is not None and str(head).isdigit() else None
        heads.append(None if number is None else token if number == 0 else start + number - 1)
    position = tokens.schema.get_field_index("head")
    return tokens.set_column(position, "head", pa.array(heads, pa.int64()))


def _sentences_of(tokens: pa.Table) -> pa.Table:
    """Gather the sentences that the tokens say they stand in."""
    if not len(tokens):
        return SENTENCES.empty_table()
    document = pc.dictionary_encode(tokens["document"].combine_chunks()).indices.to_numpy(zero_copy_only=False)
    part, sentence, token = (tokens[name].to_numpy() for name in ("part", "sentence", "token"))
    is_new = np.ones(len(tokens), np.bool_)
    is_new[1:] = (np.diff(document) != 0) | (np.diff(part) != 0) | (np.diff(sentence) != 0)
    first = np.flatnonzero(is_new)
    last = np.append(first[1:], len(tokens)) - 1
    columns = {name: tokens[name].take(pa.array(first)) for name in ("document", "part", "sentence")}
    columns |= {"start": pa.array(token[first]), "end": pa.array(token[last] + 1)}
    return _complete(pa.table(columns), SENTENCES, "sentences table")


def _bounds(table: pa.Table, documents: pa.Table) -> list[int]:
    """Return where the rows of each document begin, and one more."""
    counts: dict[tuple[str, int], int] = {}
    for document, part in zip(table["document"].to_pylist(), table["part"].to_pylist(), strict=True):
        counts[document, part] = counts.get((document, part), 0) + 1
    bounds = [0]
    for document, part in zip(documents["document"].to_pylist(), documents["part"].to_pylist(), strict=True):
        bounds.append(bounds[-1] + counts.pop((document, part), 0))
    if counts:
        document, part = next(iter(counts))
        raise DataError(f"rows of document {document!r}, part {part}, which the documents table does not hold")
    return bounds
