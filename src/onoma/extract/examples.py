"""Files of texts and of labelled texts.

Texts: one a line (.txt), or JSON lines with a `text`. Labelled texts: JSON lines, each with `text` and `spans` (a list
of {"start", "end", "label"} in characters), or `tokens` and `labels` (BIO or plain).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onoma.corpus.readers.source import read_lines_of
from onoma.errors import DataError
from onoma.extract.tokens import Style, Text, tokenise

__all__ = ["Example", "read_examples", "read_texts"]


@dataclass(frozen=True)
class Example:
    """A labelled text: spans (start, end, label) in tokens."""

    text: Text
    spans: tuple[tuple[int, int, str], ...]


def read_texts(path: Path) -> list[str]:
    """Read texts, one a line; empty lines are texts without fields."""
    if path.suffix in (".jsonl", ".ndjson"):
        return [str(row["text"]) for row in _rows(path, "text")]
    return read_lines_of(path, encoding=None, notes=[]).removeprefix("\ufeff").splitlines()


def read_examples(path: Path, style: Style) -> list[Example]:
    """Read labelled texts (JSON lines)."""
    found = []
    for number, row in enumerate(_rows(path), 1):
        try:
            found.append(_from_tokens(row) if "tokens" in row else _from_spans(row, style))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"is no labelled text: {error}",
                file=path,
                row=number,
                hint='Wanted: {"text": "…", "spans": [{"start": 0, "end": 4, "label": "…"}]}, or tokens and labels.',
            ) from error
    return found


def _rows(path: Path, *keys: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(read_lines_of(path, encoding=None, notes=[]).removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"is no JSON: {error}", file=path, row=number) from error
            if not isinstance(row, dict) or any(key not in row for key in keys):
                raise DataError(f"holds no object with {', '.join(keys) or 'fields'}", file=path, row=number)
            yield row


def _from_spans(row: dict[str, Any], style: Style) -> Example:
    text = tokenise(str(row["text"]), style)
    ends = [start + len(token) for start, token in zip(text.starts, text.tokens, strict=True)]
    spans = []
    for span in row["spans"]:
        first, last = int(span["start"]), int(span["end"])
        inside = [i for i in range(len(text)) if text.starts[i] < last and ends[i] > first]
        if not inside:
            raise ValueError(f"span {first}:{last} covers no token")
        spans.append((inside[0], inside[-1] + 1, str(span["label"])))
    return Example(text, tuple(sorted(spans)))


def _from_tokens(row: dict[str, Any]) -> Example:
    tokens, tags = [str(token) for token in row["tokens"]], [str(tag) for tag in row["labels"]]
    if len(tokens) != len(tags):
        raise ValueError(f"{len(tokens)} tokens and {len(tags)} labels")
    spans: list[tuple[int, int, str]] = []
    for i, tag in enumerate(tags):
        prefix, _, name = tag.partition("-") if tag[:2] in ("B-", "I-") else ("I", "", tag)
        if tag in ("O", "OTHER"):
            continue
        if prefix == "I" and spans and spans[-1][1] == i and spans[-1][2] == name:
            spans[-1] = (spans[-1][0], i + 1, name)
        else:
            spans.append((i, i + 1, name))
    return Example(Text.of_tokens(tokens), tuple(spans))
