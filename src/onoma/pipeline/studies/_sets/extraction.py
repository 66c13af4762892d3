"""Labelled texts for the studies of extraction, read from the data folder."""

import gzip
import io
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from onoma.extract.tokens import Style, Text, tokenise

__all__ = ["Labelled", "read_anystyle", "read_bio", "read_chunks", "read_tagged", "read_usaddress"]


@dataclass(frozen=True)
class Labelled:
    """A text with its spans (start, end, label) in tokens; what no span covers is OTHER."""

    text: Text
    spans: tuple[tuple[int, int, str], ...]


def read_tagged(archive: Path, member: str, style: Style = "words") -> list[Labelled]:
    """Read references with inline tags, one a line: ``<author> A. Cau. </author> <title> … </title>``."""
    with zipfile.ZipFile(archive) as files:
        lines = files.read(member).decode("utf-8", "replace").splitlines()
    found = []
    for line in lines:
        parts = re.findall(r"<(\w+)>(.*?)</\1>", line.strip())
        if parts:
            found.append(_joined([(name, content.replace("<br>", " ")) for name, content in parts], style))
    return found


def read_anystyle(path: Path, style: Style = "words") -> list[Labelled]:
    """Read AnyStyle's references (XML: a tag a field)."""
    with gzip.open(path, "rb") as file:
        root = ET.parse(file).getroot()  # noqa: S314
    return [_joined([(field.tag, field.text or "") for field in sequence], style) for sequence in root]


def read_usaddress(archive: Path, members: Iterable[str]) -> list[Labelled]:
    """Read usaddress's addresses (XML: a tag a token)."""
    found = []
    with zipfile.ZipFile(archive) as files:
        for member in members:
            root = ET.parse(io.BytesIO(files.read(member))).getroot()  # noqa: S314
            found += [_joined([(part.tag, part.text or "") for part in address], "words") for address in root]
    return [item for item in found if len(item.text)]


def read_bio(path: Path) -> list[Labelled]:
    """Read a word and its BIO tag a line, an empty line between texts."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return _from_lines(file)


def read_chunks(archive: Path, member: str) -> list[tuple[Labelled, tuple[str, ...]]]:
    """Read CoNLL-2000: word, part of speech, chunk; return texts and their parts of speech."""
    with zipfile.ZipFile(archive) as files:
        blocks = files.read(member).decode("utf-8").strip().split("\n\n")
    rows = [[line.split() for line in block.splitlines()] for block in blocks]
    return [
        (_labelled([row[0] for row in block], [row[2] for row in block]), tuple(r[1] for r in block)) for block in rows
    ]


def _from_lines(lines: Iterable[str]) -> list[Labelled]:
    found, words, tags = list[Labelled](), list[str](), list[str]()
    for line in [*lines, ""]:
        parts = line.split()
        if parts:
            words.append(parts[0])
            tags.append(parts[-1])
        elif words:
            found.append(_labelled(words, tags))
            words, tags = [], []
    return found


def _labelled(words: Sequence[str], tags: Sequence[str]) -> Labelled:
    spans, start, label = list[tuple[int, int, str]](), 0, None
    for i, tag in enumerate([*tags, "O"]):
        name = None if tag == "O" else tag[2:]
        if label is not None and (name != label or tag.startswith("B-")):
            spans.append((start, i, label))
        if name is not None and (name != label or tag.startswith("B-")):
            start = i
        label = name
    return Labelled(Text.of_tokens(words), tuple(spans))


def _joined(parts: Sequence[tuple[str, str]], style: Style) -> Labelled:
    tokens, spans = list[str](), list[tuple[int, int, str]]()
    for name, content in parts:
        cut = tokenise(content, style).tokens
        if not cut:
            continue
        if spans and spans[-1][2] == name and spans[-1][1] == len(tokens):
            spans[-1] = (spans[-1][0], len(tokens) + len(cut), name)
        else:
            spans.append((len(tokens), len(tokens) + len(cut), name))
        tokens += cut
    return Labelled(Text.of_tokens(tokens), tuple(spans))
