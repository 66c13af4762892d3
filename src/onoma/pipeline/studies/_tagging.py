"""Tagging and chunking as classification: sentences, feature templates, decoding, chunk F1. For the studies.

Templates are built per distinct word, not per token: a column is a dictionary of values and one code a token.
"""

import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.learning.features import FeatureIndex
from onoma.learning.sequences.decode import History

__all__ = ["Column", "Sentences", "chunk_columns", "chunk_f1", "history_of", "read_brown", "read_chunks", "tag_columns"]

Column: TypeAlias = Any
"""A dictionary-coded Arrow array, one value a token."""
PAD = "<pad>"


@dataclass(frozen=True)
class Sentences:
    """Tokens of many sentences, one after the other: words, other given columns, and the tags to predict."""

    lengths: NDArray[np.int64]
    words: list[str]
    parts: list[str]
    tags: list[str]

    def take(self, which: NDArray[np.int64]) -> "Sentences":
        """Return some sentences, in the order given."""
        starts = np.concatenate([[0], np.cumsum(self.lengths)])
        tokens = np.concatenate([np.arange(starts[s], starts[s + 1]) for s in which]).tolist()
        parts = [self.parts[i] for i in tokens] if self.parts else []
        return Sentences(self.lengths[which], [self.words[i] for i in tokens], parts, [self.tags[i] for i in tokens])

    def first(self, n: int) -> "Sentences":
        """Return the first n sentences, or all if there are fewer."""
        return self.take(np.arange(min(n, len(self.lengths))))


def read_brown(path: Path) -> Sentences:
    """Read the Brown corpus (NLTK's zip): word/tag, one sentence a line.

    The suffixes of titles, headlines and citations (-tl, -hl, -nc) are stripped: they mark where a word stands.
    """
    suffix = re.compile(r"-(tl|hl|nc)(?=[-+]|$)")
    lengths, words, tags = [], [], []
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not re.fullmatch(r"brown/c[a-r]\d\d", name):
                continue
            for line in archive.read(name).decode("utf-8").split("\n"):
                pairs = [item.rsplit("/", 1) for item in line.split()]
                if pairs:
                    lengths.append(len(pairs))
                    words += [word for word, _ in pairs]
                    tags += [tag for _, tag in pairs]
    base = {tag: suffix.sub("", tag) for tag in set(tags)}
    return Sentences(np.array(lengths), words, [], [base[tag] for tag in tags])


def read_chunks(path: Path, part: str) -> Sentences:
    """Read CoNLL-2000 (NLTK's zip): word, part of speech, chunk tag a line, an empty line after each sentence."""
    with zipfile.ZipFile(path) as archive:
        text = archive.read(f"conll2000/{part}.txt").decode("utf-8")
    blocks = [[line.split() for line in block.split("\n")] for block in text.split("\n\n") if block.strip()]
    blocks = [[row for row in block if row] for block in blocks]
    words, parts, tags = (list(column) for column in zip(*(row for block in blocks for row in block), strict=True))
    return Sentences(np.array([len(block) for block in blocks]), words, parts, tags)


class _Window:
    """One dictionary-coded column of tokens, seen from neighbouring tokens of the same sentence."""

    def __init__(self, values: Sequence[str], lengths: NDArray[np.int64]) -> None:
        coded = pa.array(values).dictionary_encode()
        self.codes = coded.indices.to_numpy()
        self.values: list[str] = coded.dictionary.to_pylist()
        self.sentence = np.repeat(np.arange(len(lengths)), lengths)

    def at(self, offset: int, change: Callable[[str], str | None] = str) -> Column:
        """Return the column `offset` tokens away, its values changed by a function; a pad outside the sentence."""
        n = len(self.codes)
        there = np.clip(np.arange(n) + offset, 0, n - 1)
        is_inside = (self.sentence[there] == self.sentence) & (there == np.arange(n) + offset)
        codes = np.where(is_inside, self.codes[there], len(self.values)).astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array([*map(change, self.values), PAD]))


def _joined(a: Column, b: Column) -> Column:
    """Return the column of pairs of values."""
    width = np.int64(len(b.dictionary))
    keys = a.indices.to_numpy().astype(np.int64) * width + b.indices.to_numpy()
    distinct, codes = np.unique(keys, return_inverse=True)
    left, right = a.dictionary.to_pylist(), b.dictionary.to_pylist()
    values = [f"{left[key // width]}|{right[key % width]}" for key in distinct.tolist()]
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(values))


def _history_columns(sentences: Sentences, *, with_tags: bool) -> dict[str, Column]:
    if not with_tags:
        absent = pa.nulls(len(sentences.words), pa.string())
        return {"t-1": absent, "t-2,t-1": absent}
    tags = _Window(sentences.tags, sentences.lengths)
    return {"t-1": tags.at(-1), "t-2,t-1": _joined(tags.at(-2), tags.at(-1))}


def _shape(word: str) -> str:
    shape = re.sub("[a-z]", "x", re.sub("[A-Z]", "X", re.sub("[0-9]", "d", word)))
    return re.sub(r"(.)\1+", r"\1\1", shape)


def _affix(part: slice) -> Callable[[str], str | None]:
    """Return the function that takes a part of a word; None where the word is shorter."""
    size = len(range(10)[part])
    return lambda word: word[part].lower() if len(word) >= size else None


def tag_columns(sentences: Sentences, *, with_tags: bool) -> dict[str, Column]:
    """Return the templates of part-of-speech tagging: words, affixes, shapes, neighbours, previous tags."""
    words = _Window(sentences.words, sentences.lengths)
    near = {offset: words.at(offset) for offset in (-2, -1, 0, 1, 2)}
    columns = {"bias": words.at(0, lambda _: "1")}
    columns |= {f"w{offset:+d}": near[offset] for offset in near}
    columns["lower"] = words.at(0, str.lower)
    for k in (1, 2, 3, 4):
        columns[f"prefix{k}"] = words.at(0, _affix(slice(0, k)))
    for k in (1, 2, 3, 4, 5):
        columns[f"suffix{k}"] = words.at(0, _affix(slice(-k, None)))
    for offset in (-1, 0, 1):
        columns[f"shape{offset:+d}"] = words.at(offset, _shape)
    for offset in (-1, 1):
        columns[f"suffix3{offset:+d}"] = words.at(offset, lambda word: word[-3:].lower())
    is_first = words.at(-1, lambda _: "")
    columns["first,shape"] = _joined(is_first, columns["shape+0"])
    columns["w-1,w0"], columns["w0,w+1"] = _joined(near[-1], near[0]), _joined(near[0], near[1])
    return columns | _history_columns(sentences, with_tags=with_tags)


def chunk_columns(sentences: Sentences, *, with_tags: bool) -> dict[str, Column]:
    """Return the templates of chunking: words and parts of speech in a window, alone and joined, previous tags."""
    words, parts = _Window(sentences.words, sentences.lengths), _Window(sentences.parts, sentences.lengths)
    w = {offset: words.at(offset) for offset in (-2, -1, 0, 1, 2)}
    p = {offset: parts.at(offset) for offset in (-3, -2, -1, 0, 1, 2, 3)}
    columns = {"bias": words.at(0, lambda _: "1")}
    columns |= {f"w{offset:+d}": w[offset] for offset in w} | {f"p{offset:+d}": p[offset] for offset in p}
    columns["suffix3"] = words.at(0, lambda word: word[-3:].lower())
    for a in (-2, -1, 0, 1):
        columns[f"p{a:+d},p{a + 1:+d}"] = _joined(p[a], p[a + 1])
    for a in (-2, -1, 0):
        columns[f"p{a:+d},p{a + 1:+d},p{a + 2:+d}"] = _joined(_joined(p[a], p[a + 1]), p[a + 2])
    columns["w-1,w0"], columns["w0,w+1"] = _joined(w[-1], w[0]), _joined(w[0], w[1])
    columns["w0,p0"], columns["w0,p+1"], columns["p-1,w0"] = (
        _joined(w[0], p[0]),
        _joined(w[0], p[1]),
        _joined(p[-1], w[0]),
    )
    return columns | _history_columns(sentences, with_tags=with_tags)


def history_of(
    index: FeatureIndex, tags: Sequence[str], rows: Callable[[NDArray[np.int64]], NDArray[np.float64]]
) -> History:
    """Return what previous tags add, from the weights of the templates t-1 and t-2,t-1.

    `rows(ids)` gives the weights of some features, features × tags.
    """
    names = [*tags, PAD]
    first = np.zeros((len(names), len(tags)))
    ids = index.find("t-1", names)
    first[ids >= 0] = rows(ids[ids >= 0])
    ids = index.find("t-2,t-1", [f"{older}|{newer}" for older in names for newer in names])
    known = np.flatnonzero(ids >= 0)
    pair_rows = np.full(len(ids), -1, np.int32)
    pair_rows[known] = np.arange(len(known))
    return History(first, pair_rows.reshape(len(names), len(names)), rows(ids[known]))


def chunks(tags: Iterable[str], lengths: NDArray[np.int64]) -> set[tuple[int, int, str]]:
    """Return the chunks of BIO tags as (start, end, kind); an I- that continues nothing begins a chunk."""
    found, start, kind = set(), 0, ""
    ends = set(np.cumsum(lengths).tolist())
    for i, tag in enumerate([*tags, "O"]):
        position, _, new_kind = tag.partition("-")
        if kind and (position != "I" or new_kind != kind or i in ends):
            found.add((start, i, kind))
            kind = ""
        if position == "B" or (position == "I" and not kind):
            start, kind = i, new_kind
    return found


def chunk_f1(predicted: Sequence[str], gold: Sequence[str], lengths: NDArray[np.int64]) -> float:
    """Return the F1 of chunks: right when start, end and kind agree."""
    ours, theirs = chunks(predicted, lengths), chunks(gold, lengths)
    return 2.0 * len(ours & theirs) / max(len(ours) + len(theirs), 1)
