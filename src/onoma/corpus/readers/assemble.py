"""From documents read one by one to the tables of a `Corpus`; shared by the readers of text formats."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.files import make_rejects
from onoma.corpus.schema import CHAINS, DOCUMENTS, MENTIONS, TOKENS
from onoma.errors import DataError

__all__ = ["Assembly", "Document", "Found", "LineError"]

_COUNTED = ("document", "part", "sentence", "token", "word")


class LineError(Exception):
    """Something wrong in one line of a document, counted from 0 in it; the reader adds file and row."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class Found:
    """One mention as a reader found it: tokens `start` to `end` (one past the last), its chain, what else is known."""

    start: int
    end: int
    chain: str
    facts: dict[str, str | None] = field(default_factory=dict)


@dataclass(slots=True)
class Document:
    """One part of one document as a reader found it; `columns` has a list for each further column of its tokens."""

    name: str
    part: int
    row: int
    raw_head: str
    raw_tail: str
    words: list[str]
    sentences: list[int]
    columns: dict[str, list[str | None]]
    mentions: list[Found]


class Assembly:
    """Collects documents and what was rejected, then makes the tables.

    Parameters
    ----------
    path
        The file, for errors and for a document without a name.
    format_name
        The name of the format, which its writer will look for.
    token_columns
        The columns of tokens that the format fills, beyond those every token has.
    mention_columns
        The columns of mentions that the format fills, beyond those every mention has.
    """

    def __init__(
        self, path: Path, format_name: str, *, token_columns: Sequence[str], mention_columns: Sequence[str] = ()
    ) -> None:
        self.path = path
        self.format_name = format_name
        self.documents: list[Document] = []
        self.notes: list[str] = []
        self._rows: dict[tuple[str, int], int] = {}
        self._rejects: list[tuple[int | None, str, str]] = []
        self._token_columns = [*dict.fromkeys([*TOKENS.names, *token_columns])]
        self._mention_columns = [*dict.fromkeys([*MENTIONS.names, *mention_columns])]

    def add(self, document: Document) -> None:
        """Take one document; one that came before under the same name and part is an error."""
        key = (document.name, document.part)
        if key in self._rows:
            raise DataError(
                f"document {document.name!r} part {document.part} stands in the file twice, "
                f"first in row {self._rows[key]:,}",
                file=self.path,
                row=document.row,
            )
        self._rows[key] = document.row
        self.documents.append(document)

    def add_or_reject(self, read: Callable[[], Document], row: int, text: str, *, reject: bool) -> bool:
        """Take the document that is read, or set its text aside if it is broken; say whether it was taken."""
        try:
            self.add(read())
        except DataError as error:
            if not reject:
                raise
            self._rejects.append((row, str(error), text))
            return False
        return True

    def finish(self) -> Corpus:
        """Make the tables."""
        if not self.documents and not self._rejects:
            raise DataError(f"holds no document; is it {self.format_name}?", file=self.path)
        names = pa.array([document.name for document in self.documents], pa.string())
        parts = pa.array([document.part for document in self.documents], pa.int32())
        mentions, chains = self._mentions(names, parts)
        return Corpus(
            documents=self._documents(names, parts),
            tokens=self._tokens(names, parts),
            mentions=mentions,
            chains=chains,
            rejects=make_rejects(self._rejects),
            format=self.format_name,
            notes=tuple(self.notes),
        )

    def _documents(self, names: pa.Array, parts: pa.Array) -> pa.Table:
        found = self.documents
        columns = [
            names,
            parts,
            pa.array([document.sentences[-1] + 1 if document.sentences else 0 for document in found], pa.int64()),
            pa.array([len(document.words) for document in found], pa.int64()),
        ]
        return (
            pa.Table.from_arrays(columns, schema=DOCUMENTS)
            .append_column("raw_head", pa.array([document.raw_head for document in found], pa.string()))
            .append_column("raw_tail", pa.array([document.raw_tail for document in found], pa.string()))
        )

    def _tokens(self, names: pa.Array, parts: pa.Array) -> pa.Table:
        found = self.documents
        counts = np.array([len(document.words) for document in found], dtype=np.int64)
        which = pa.array(np.repeat(np.arange(len(found)), counts))
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        columns = {
            "document": names.take(which),
            "part": parts.take(which),
            "sentence": _chunked((document.sentences for document in found), pa.int64()),
            "token": pa.array(np.arange(len(starts)) - starts, pa.int64()),
            "word": _chunked((document.words for document in found), pa.string()),
        }
        for name in self._token_columns:
            if name not in columns:
                columns[name] = _chunked((d.columns.get(name) or [None] * len(d.words) for d in found), pa.string())
        return pa.table(columns, schema=_extended(TOKENS, self._token_columns))

    def _mentions(self, names: pa.Array, parts: pa.Array) -> tuple[pa.Table, pa.Table]:
        found = [(document, mention) for document in self.documents for mention in document.mentions]
        counts = [len(document.mentions) for document in self.documents]
        which = pa.array(np.repeat(np.arange(len(counts)), counts))
        ids = pa.array(_ids(self.documents), pa.string())
        columns = {
            "id": ids,
            "document": names.take(which),
            "part": parts.take(which),
            "start": pa.array([mention.start for _, mention in found], pa.int64()),
            "end": pa.array([mention.end for _, mention in found], pa.int64()),
            "text": pa.array([" ".join(d.words[m.start : m.end]) for d, m in found], pa.string()),
        }
        for name in self._mention_columns:
            if name not in columns:
                columns[name] = pa.array([mention.facts.get(name) for _, mention in found], pa.string())
        chains = [ids, pa.array([mention.chain for _, mention in found], pa.string())]
        mentions = pa.table(columns, schema=_extended(MENTIONS, self._mention_columns))
        return mentions, pa.Table.from_arrays(chains, schema=CHAINS)


def _ids(documents: Sequence[Document]) -> list[str]:
    """Name each mention by its place; the second at the same place gets `#2`, so that every id is unique."""
    ids = []
    for document in documents:
        seen: Counter[tuple[int, int]] = Counter()
        for mention in document.mentions:
            seen[place := (mention.start, mention.end)] += 1
            again = "" if seen[place] == 1 else f"#{seen[place]}"
            ids.append(f"{document.name}:{document.part}:{mention.start}-{mention.end}{again}")
    return ids


def _chunked(lists: Iterable[Sequence[object]], kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, kind) for values in lists], kind)


def _extended(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    more = [pa.field(name, pa.string()) for name in names if name not in schema.names]
    return pa.schema([*schema, *more])
