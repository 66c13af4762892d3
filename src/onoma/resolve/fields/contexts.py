"""Mentions that stand in documents: the words around each, as a column of the table."""

from collections.abc import Sequence

import pyarrow as pa

from onoma.errors import DataError

__all__ = ["CONTEXT", "WIDTH", "windows", "with_contexts"]

CONTEXT = "context"
"""The column that is added."""
WIDTH = 50
"""Words on each side of a mention that are its context."""


def windows(texts: Sequence[str], start: Sequence[int], end: Sequence[int], *, width: int) -> list[str]:
    """Return the text around each span: so many words on each side, without the span itself.

    Examples
    --------
    >>> windows(["met Ada Lovelace in London in June"], [4], [16], width=2)
    ['met in London']
    """
    found = []
    for text, first, last in zip(texts, start, end, strict=True):
        # A word with its space is rarely longer than a dozen letters; what is cut off costs nothing.
        before = text[max(0, first - 16 * width) : first].split()[-width:]
        after = text[last : last + 16 * width].split()[:width]
        found.append(" ".join([*before, *after]))
    return found


def with_contexts(mentions: pa.Table, documents: pa.Table, *, width: int = WIDTH) -> pa.Table:
    """Return mentions with a column `context`: the words around each, from the text of its document.

    Parameters
    ----------
    mentions
        `document`, and `start` and `end`: the place of the mention in the text, counted in characters.
    documents
        `document`, and `text`.
    width
        Words on each side.

    Examples
    --------
    >>> mentions = pa.table({"document": ["a"], "start": [4], "end": [7]})
    >>> with_contexts(mentions, pa.table({"document": ["a"], "text": ["met Ada in Bath"]}))["context"].to_pylist()
    ['met in Bath']
    """
    for table, what, wanted in (
        (mentions, "mentions", ("document", "start", "end")),
        (documents, "documents", ("document", "text")),
    ):
        for name in wanted:
            if name not in table.column_names:
                raise DataError(
                    f"the {what} have no column {name!r}", hint=f"They have {', '.join(table.column_names)}."
                )
    texts = dict(zip(documents["document"].cast(pa.string()).to_pylist(), documents["text"].to_pylist(), strict=True))
    keys = mentions["document"].cast(pa.string()).to_pylist()
    for row, key in enumerate(keys):
        if key not in texts:
            raise DataError(f"row {row + 1}: there is no document {key!r}")
    places = (mentions[name].cast(pa.int64()).to_pylist() for name in ("start", "end"))
    found = windows([texts[key] or "" for key in keys], *places, width=width)
    return mentions.append_column("context", pa.array(found, pa.string()))
