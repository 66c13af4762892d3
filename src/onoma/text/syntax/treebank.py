"""Treebanks in CoNLL-U as arrays: words with offsets into their text, tags, lemmas, heads and labels.

The text is put together again from the words and `SpaceAfter=No`: a blank between words and between sentences, an empty
line between paragraphs and documents. Syntactic words inside a multiword token (*do* + *n't*) stand side by side.
"""

import gzip
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.text.tokens import Tokens, codes_of

__all__ = ["Treebank", "join_treebanks", "read_treebank", "read_treebank_zip"]


@dataclass(frozen=True, eq=False)
class Treebank:
    """Sentences with gold annotation; one entry a word throughout."""

    tokens: Tokens
    words: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: NDArray[np.int32]
    """The head's place among all words, -1 for a root."""
    labels: list[str]

    def __len__(self) -> int:
        return len(self.tokens.sentences) - 1


@dataclass
class _Pile:
    """Words on their way to arrays."""

    rows: list[list[str]]
    heads: list[int]
    sizes: list[int]
    texts: list[str]
    starts: list[int]
    length: int = 0

    def put(self, text: str) -> None:
        self.texts.append(text)
        self.length += len(text)


def read_treebank(path: str | Path) -> Treebank:
    """Read one CoNLL-U file, plain or gzipped."""
    path = Path(path)
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        return _assemble([(str(path), file)])


def read_treebank_zip(path: str | Path, names: Iterable[str]) -> Treebank:
    """Read some files of a zip archive as one treebank."""
    with zipfile.ZipFile(path) as archive:
        return _assemble([(name, io.StringIO(archive.read(name).decode("utf-8"))) for name in names])


def join_treebanks(parts: Sequence[Treebank]) -> Treebank:
    """Return several treebanks as one."""
    words_before = np.cumsum([0] + [len(part.words) for part in parts])
    blank = codes_of("\n\n")
    codes = [np.concatenate([part.tokens.codes, blank]) for part in parts]
    before = np.cumsum([0] + [len(each) for each in codes])
    tokens = Tokens(
        np.concatenate(codes),
        np.concatenate([part.tokens.starts + k for part, k in zip(parts, before, strict=False)]).astype(np.int32),
        np.concatenate([part.tokens.ends + k for part, k in zip(parts, before, strict=False)]).astype(np.int32),
        np.concatenate(
            [[0]] + [part.tokens.sentences[1:] + k for part, k in zip(parts, words_before, strict=False)]
        ).astype(np.int32),
    )
    heads = [np.where(part.heads < 0, -1, part.heads + k) for part, k in zip(parts, words_before, strict=False)]
    words, lemmas, upos, xpos, feats, labels = (
        [value for part in parts for value in getattr(part, name)]
        for name in ("words", "lemmas", "upos", "xpos", "feats", "labels")
    )
    return Treebank(tokens, words, lemmas, upos, xpos, feats, np.concatenate(heads).astype(np.int32), labels)


def _assemble(files: Sequence[tuple[str, Iterable[str]]]) -> Treebank:
    pile = _Pile([], [], [], [], [])
    for name, lines in files:
        for comments, rows, joined in _sentences(lines, name):
            fresh = any(comment.startswith(("# newdoc", "# newpar")) for comment in comments)
            pile.put("\n\n" if fresh and pile.length else "")
            _add(pile, rows, joined, name)
    starts = np.array(pile.starts, np.int32)
    words = [row[1] for row in pile.rows]
    ends = starts + np.fromiter((len(word) for word in words), np.int32, len(words))
    sentences = np.concatenate([[0], np.cumsum(pile.sizes)]).astype(np.int32)
    tokens = Tokens(codes_of("".join(pile.texts)), starts, ends.astype(np.int32), sentences)
    lemmas, upos, xpos, feats, labels = ([row[k] for row in pile.rows] for k in (2, 3, 4, 5, 7))
    return Treebank(tokens, words, lemmas, upos, xpos, feats, np.array(pile.heads, np.int32), labels)


def _add(pile: _Pile, rows: list[list[str]], joined: dict[int, tuple[int, bool]], name: str) -> None:
    base = len(pile.rows)
    for k, row in enumerate(rows, 1):
        pile.starts.append(pile.length)
        pile.put(row[1])
        last, glued = joined.get(k, (k, "SpaceAfter=No" in row[9].split("|")))
        if last == k and not glued:
            pile.put(" ")
        try:
            head = int(row[6])
        except ValueError as error:
            raise DataError(f"a head is a number, not {row[6]!r}", file=name) from error
        pile.heads.append(base + head - 1 if head else -1)
    pile.rows += rows
    pile.sizes.append(len(rows))


def _sentences(
    lines: Iterable[str], name: str
) -> Iterator[tuple[list[str], list[list[str]], dict[int, tuple[int, bool]]]]:
    """Yield each sentence: comments, rows of words, and for words in a multiword token its last word and SpaceAfter."""
    comments: list[str] = []
    rows: list[list[str]] = []
    joined: dict[int, tuple[int, bool]] = {}
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\n")
        if line.startswith("#"):
            comments.append(line)
        elif line:
            row = line.split("\t")
            if len(row) != 10:
                raise DataError(f"line {number:,} has {len(row)} columns; CoNLL-U has 10", file=name)
            if "-" in row[0]:
                first, last = (int(k) for k in row[0].split("-"))
                joined |= {k: (last, "SpaceAfter=No" in row[9].split("|")) for k in range(first, last + 1)}
            elif "." not in row[0]:
                rows.append(row)
        elif rows:
            yield comments, rows, joined
            comments, rows, joined = [], [], {}
    if rows:
        yield comments, rows, joined
