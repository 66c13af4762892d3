"""From raw text to tokens and sentences, by two learnt questions.

*Does a token end after this character?* is asked wherever two kinds of characters meet inside a run without blanks, in
contractions (*do|n't*), and in the few words that treebanks cut in two (*can|not*, *gon|na*). *Does a sentence end
after this token?* is asked after every token. Both are linear models over hashed windows, of characters and of words.

What needs no learning is a rule: a blank ends a token, the full stop of *Figs.* belongs to it (`conventions`); an empty
line, a heading or a list item ends a sentence. No question looks beyond its block (paragraph, heading, item), so texts
joined by an empty line are cut as each alone.

Cost: a few microseconds a token; memory is bounded, because a text is cut block by block.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.learning.packing import load_arrays, save_arrays
from onoma.progress import SILENT, Progress
from onoma.text._tokeniser_kernels import CHARACTER_COLUMNS, cut_tokens, describe_characters, find_chunks, kinds_beside
from onoma.text._words_kernels import build_table
from onoma.text.characters import tables_for
from onoma.text.conventions import Cuts, known_cuts
from onoma.text.linear import LinearModel, Told, Training, templates_of
from onoma.text.syntax.treebank import Treebank
from onoma.text.tokens import Tokens, codes_of
from onoma.text.words import COLUMNS, WordTable, attributes_of, word_keys

__all__ = ["Tokeniser", "train_tokeniser"]

_CHARACTERS = """
code code+1 code&code+1 code-1&code&code+1 code&code+1&code+2 code-1&code&code+1&code+2 kind-1&kind&kind+1&kind+2
kind&kind+1 chunk chunk&from_start left&code+1 code&right+1 left&right+1 left&code+1&right+2 left&code+1&next
left&code+1&to_end to_end&code&code+1&next to_end&code&code+1 flags&code&code+1 flags&kind&kind+1&to_end
flags&code+1&left flags split-1 split-1&code&code+1 from_start&code&code+1 before&code&code+1&from_start
kind-2&kind-1&kind&kind+1&kind+2 code-2&code-1&code&code+1 flags&next&to_end&code+1 left&code+1&flags&next
"""
_SENTENCES = """
l l+1 l-1 l+2 l&l+1 l-1&l l&f+1 l&sh+1 l&c+1 f&f+1 l-1&l&f+1 sh-1&l&sh+1 f-1&l&f+1 l&gap l&gap&f+1 gap&f&f+1 l-1&l&l+1
l+1&l+2 f+1&f+2 f+1&f+2&l l&f+1&f+2&gap c-1&l&c+1 m-1&l&m+1 k-1&k&k+1&k+2 sh sh+1 l&since f&f+1&since since since&f+1
k&f+1 c&c+1 c-1&c&f+1 l-2&l-1&l open&l open&l&f+1 open l&l-1&sh-1&gap l+1&gap&since s1&f+1 w+1 w+1&l c+1&f+1&l c+1&c+2
x&x+1 x+1&f+1&x l+3 m&m+1&m+2
"""
_SHORT = {
    "l": "lower", "w": "word", "f": "flags", "sh": "shape", "c": "cluster", "m": "cluster_mid", "k": "cluster_coarse",
    "s1": "suffix1", "x": "lexicon",
}  # fmt: skip
SENTENCE_COLUMNS = (*COLUMNS, "gap", "since", "open", "ends")
TOKEN_TRAINING = Training(n_epochs=10, margin=10.0, dropout=0.2, n_bits=20)
_BATCH = 1 << 18
"""Characters described at once."""


@dataclass(frozen=True, eq=False)
class _Chunks:
    """Runs without blanks, their blocks, and what stands beside them."""

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    blocks: NDArray[np.int32]
    beside: NDArray[np.uint8]

    @classmethod
    def of(cls, codes: NDArray[np.uint32]) -> "_Chunks":
        classes, _ = tables_for(codes)
        starts, ends, blocks = find_chunks(codes, classes)
        return cls(starts, ends, blocks, kinds_beside(codes, classes, starts, ends, blocks))

    def batches(self) -> Iterator["_Chunks"]:
        """Yield runs of chunks of at most so many characters (or one chunk); they know no blocks."""
        first = 0
        while first < len(self.starts):
            last = max(int(np.searchsorted(self.ends, self.starts[first] + _BATCH, "right")), first + 1)
            part = slice(first, last)
            yield _Chunks(self.starts[part], self.ends[part], self.blocks[:0], self.beside[part])
            first = last

    def bounds(self) -> NDArray[np.int32]:
        """Return where chunks and the gaps between them begin, in turn, counted from the first chunk."""
        return (np.stack([self.starts, self.ends], axis=1).ravel() - self.starts[0]).astype(np.int32)

    def first_tokens(self, starts: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the first token of each block (and the end)."""
        return np.append(np.searchsorted(starts, self.starts[self.blocks[:-1]]), len(starts)).astype(np.int32)

    def describe(
        self,
        codes: NDArray[np.uint32],
        cut_keys: NDArray[np.uint32],
        cuts: NDArray[np.uint8],
        places: NDArray[np.int32],
    ) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Return the rows of all characters from the first chunk to the last, and where a token might end."""
        begin, n = int(self.starts[0]), int(self.ends[-1] - self.starts[0])
        rows, asked = np.zeros((n, len(CHARACTER_COLUMNS)), np.uint32), np.zeros(n, np.bool_)
        classes, lower = tables_for(codes)
        describe_characters(
            codes, classes, lower, self.starts, self.ends, self.beside, begin, places, cut_keys, cuts, rows, asked
        )
        return rows, asked


@dataclass(frozen=True, eq=False)
class Tokeniser:
    """Cuts text into tokens and sentences."""

    characters: LinearModel
    sentences: LinearModel
    cut_keys: NDArray[np.uint32]
    """Hashes of runs of letters that may be cut in two…"""
    cuts: NDArray[np.uint8]
    """…and after how many letters."""
    words: WordTable

    @cached_property
    def _cut_places(self) -> NDArray[np.int32]:
        return np.asarray(build_table(self.cut_keys))

    def tokenise(self, text: str) -> Tokens:
        """Return the tokens and sentences of a text."""
        codes = codes_of(text)
        chunks = _Chunks.of(codes)
        known = known_cuts(text, chunks.starts, chunks.blocks)
        starts, ends, bounds = self._tokens(codes, chunks, known)
        blocks = Tokens(codes, starts, ends, bounds)
        return Tokens(codes, starts, ends, self._sentences(blocks, known))

    def _tokens(
        self, codes: NDArray[np.uint32], chunks: _Chunks, known: Cuts
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return where tokens start and end, and the first token of each block (and the end)."""
        parts, column = [], len(CHARACTER_COLUMNS) - 1
        for part in chunks.batches():
            rows, asked = part.describe(codes, self.cut_keys, self.cuts, self._cut_places)
            split = self.characters.predict(rows, part.bounds(), column, asked)
            known.apply(split, int(part.starts[0]))
            parts.append(cut_tokens(part.starts, part.ends, int(part.starts[0]), split))
        if not parts:
            return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(1, np.int32)
        starts, ends = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        return starts, ends, chunks.first_tokens(starts)

    def _sentences(self, blocks: Tokens, known: Cuts) -> NDArray[np.int32]:
        if not len(blocks):
            return np.zeros(1, np.int32)
        rows = _sentence_rows(blocks, self.words)
        last = self.sentences.predict(rows, blocks.sentences, len(SENTENCE_COLUMNS) - 1, None) == 1
        last[np.isin(blocks.ends, known.go_on)] = False
        last[blocks.sentences[1:] - 1] = True
        return np.append(0, np.flatnonzero(last) + 1).astype(np.int32)

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`; the table of words is kept in its own file."""
        facts, arrays = self.characters.parts("characters")
        more, others = self.sentences.parts("sentences")
        tables: dict[str, NDArray[Any]] = {"cut_keys": self.cut_keys, "cuts": self.cuts}
        save_arrays(path, "text/tokeniser", facts | more, arrays | others | tables)

    @classmethod
    def load(cls, path: str | Path, words: WordTable) -> "Tokeniser":
        """Read what `save` wrote."""
        facts, arrays = load_arrays(path, "text/tokeniser")
        characters, sentences = (LinearModel.of_parts(name, facts, arrays) for name in ("characters", "sentences"))
        return cls(characters, sentences, arrays["cut_keys"], arrays["cuts"], words)


def train_tokeniser(
    treebank: Treebank,
    words: WordTable,
    *,
    training: Training = TOKEN_TRAINING,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Tokeniser:
    """Learn to cut text as a treebank does."""
    codes, gold = treebank.tokens.codes, treebank.tokens
    chunks = _Chunks.of(codes)
    cut_keys, cuts = _learn_cuts(treebank)
    rows, asked = chunks.describe(codes, cut_keys, cuts, np.asarray(build_table(cut_keys)))
    begin = int(chunks.starts[0])
    is_end = np.zeros(len(codes), np.bool_)
    is_end[gold.ends - 1] = True
    labels = np.where(asked, is_end[begin : begin + len(rows)].astype(np.int32), -2).astype(np.int32)
    templates = templates_of(_CHARACTERS, CHARACTER_COLUMNS)
    column = len(CHARACTER_COLUMNS) - 1
    characters = LinearModel.fit(
        Told(rows, chunks.bounds(), column, labels),
        ("inside", "end"),
        templates,
        training,
        seed=seed,
        progress=progress,
    )
    sentences = _train_sentences(gold, chunks, words, training, seed, progress)
    return Tokeniser(characters, sentences, cut_keys, cuts, words)


def _train_sentences(
    gold: Tokens, chunks: "_Chunks", words: WordTable, training: Training, seed: int, progress: Progress
) -> LinearModel:
    tokens = Tokens(gold.codes, gold.starts, gold.ends, chunks.first_tokens(gold.starts))
    labels = np.zeros(len(gold), np.int32)
    labels[gold.sentences[1:] - 1] = 1
    labels[tokens.sentences[1:] - 1] = -2
    rows = _sentence_rows(tokens, words)
    templates = templates_of(_SENTENCES, SENTENCE_COLUMNS, _SHORT)
    column = len(SENTENCE_COLUMNS) - 1
    return LinearModel.fit(
        Told(rows, tokens.sentences, column, labels),
        ("inside", "end"),
        templates,
        training,
        seed=seed,
        progress=progress,
    )


def _sentence_rows(blocks: Tokens, words: WordTable) -> NDArray[np.uint32]:
    """Return the columns of words and: the gap after, tokens since the block's start, brackets open, the decision."""
    rows = attributes_of(blocks, words, 4)
    n = len(COLUMNS)
    gap = np.zeros(len(blocks), np.uint32)
    gap[:-1] = blocks.starts[1:] > blocks.ends[:-1]
    rows[:, n] = gap
    since = np.arange(len(blocks)) - np.repeat(blocks.sentences[:-1], np.diff(blocks.sentences))
    rows[:, n + 1] = np.digitize(since, (1, 2, 3, 4, 6, 10, 20))
    single = blocks.ends - blocks.starts == 1
    first = blocks.codes[blocks.starts]
    depth = np.cumsum((single & (first == ord("("))).astype(np.int64) - (single & (first == ord(")"))))
    before = np.where(blocks.sentences[:-1] > 0, depth[np.maximum(blocks.sentences[:-1] - 1, 0)], 0)
    rows[:, n + 2] = np.clip(depth - np.repeat(before, np.diff(blocks.sentences)), 0, 1)
    return rows


def _learn_cuts(treebank: Treebank) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return the runs of letters that the treebank cuts in two at least as often as it leaves them whole."""
    words, tokens = [word.lower() for word in treebank.words], treebank.tokens
    whole = Counter(words)
    cut: Counter[tuple[str, int]] = Counter()
    touching = np.flatnonzero(tokens.ends[:-1] == tokens.starts[1:])
    for k in touching.tolist():
        first, second = words[k], words[k + 1]
        if first.isalpha() and second.isalpha() and len(first) + len(second) < 200:
            cut[first + second, len(first)] += 1
    kept = {word: size for (word, size), count in sorted(cut.items()) if count >= max(whole[word], 1)}
    return word_keys(list(kept)), np.array(list(kept.values()), np.uint8)
