"""Correction of tagged sentences: propose edits, weigh each against leaving things as they are, take the best.

The edits of one place compete with each other and with no edit:

    P(edit | place) = exp(w · f(edit)) / (1 + Σ exp(w · f(other)))

f holds what the edit does to the n-grams around it (log p after less before), what native text says of the choice
(articles, prepositions, forms of nouns and verbs, commas: a maximum entropy model of its own, learnt from text
without errors), and sparse features of the words and tags around it, as in Rozovskaya et al., "The University of
Illinois System in the CoNLL-2013 Shared Task" and "The Illinois-Columbia System in the CoNLL-2014 Shared Task". The
score is a sum, so an edit's reason is the list of its largest terms.

Cost: about a hundred edits a sentence, some microseconds each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from onoma.correct._context_kernels import edit_rows, edit_scores, native_scores, read_contexts
from onoma.correct.candidates import Proposals, labels
from onoma.correct.ngrams import BEGIN, END, Ngrams
from onoma.correct.tags import TAG_NUMBER, TAGS
from onoma.correct.words import fold_all
from onoma.learning.hashed import CandidateRows

__all__ = ["EditRows", "Encoded", "Weigher", "encode"]

_MARK = len(TAGS)
_FOREIGN = TAG_NUMBER["FW"]


@dataclass(frozen=True)
class Encoded:
    """Tagged sentences as arrays, with a mark before and after each."""

    sentences: Sequence[Sequence[str]]
    tags: Sequence[Sequence[str]]
    folded: Sequence[Sequence[str]]
    keys: NDArray[np.int64]
    """A number of each word, whatever the n-grams know."""
    ids: NDArray[np.int32]
    """The number of each word in the n-grams."""
    tag_numbers: NDArray[np.uint8]
    begins: NDArray[np.int64]
    """Where the mark before each sentence stands, and where the last ends."""


def encode(sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], ngrams: Ngrams) -> Encoded:
    """Return tagged sentences as arrays."""
    folded = [fold_all(words) for words in sentences]
    flat = [word for words in folded for word in (BEGIN, *words, END)]
    numbers = [number for each in tags for number in (_MARK, *(TAG_NUMBER.get(tag, _FOREIGN) for tag in each), _MARK)]
    sizes = np.array([len(words) + 2 for words in folded], np.int64)
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    keys = np.fromiter((word_key(word) for word in flat), np.int64, len(flat))
    return Encoded(sentences, tags, folded, keys, ngrams.ids(flat), np.array(numbers, np.uint8), begins)


_keys: dict[str, int] = {}


def word_key(word: str) -> int:
    """Return a number of a word."""
    known = _keys.get(word)
    if known is None:
        if len(_keys) > 500_000:
            _keys.clear()
        known = _keys[word] = crc32(word.encode("utf-8", "surrogatepass"))
    return known


@dataclass(frozen=True)
class EditRows:
    """Edits of a text with what is known of each; the first row of each place is the edit that changes nothing."""

    sentence: NDArray[np.int64]
    starts: NDArray[np.int64]
    """Of the sentence's words, from 0."""
    ends: NDArray[np.int64]
    actions: NDArray[np.int64]
    """-1 changes nothing."""
    types: NDArray[np.int64]
    """The number of each edit's type, -1 where nothing changes."""
    lm: NDArray[np.float32]
    native: NDArray[np.float32]
    rows: CandidateRows


@dataclass
class Weigher:
    """Proposes edits and describes them.

    Parameters
    ----------
    proposals
        What may be edited.
    ngrams
        Of native text.
    native
        Weights of the choices that native text teaches.
    bits
        Features of edits are numbers below 2^bits.
    """

    proposals: Proposals
    ngrams: Ngrams
    native: NDArray[np.float32]
    bits: int = 20
    _table: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 6), np.int64), repr=False)
    _names: list[int] = field(default_factory=list, repr=False)
    _put: list[tuple[int, ...]] = field(default_factory=list, repr=False)
    _near: list[float] = field(default_factory=list, repr=False)

    def describe(self, text: Encoded) -> EditRows:
        """Return every edit of a text with its features."""
        sentence, starts, ends, actions = self._propose(text)
        self._learn_actions()
        table = self._table[actions]
        bounds = np.stack([text.begins[sentence], text.begins[sentence + 1] - 1], axis=1)
        at, to = text.begins[sentence] + 1 + starts, text.begins[sentence] + 1 + ends
        contexts = read_contexts(text.keys, text.tag_numbers, bounds, at, to)
        put = self._put_array(actions)
        orders = self.ngrams.orders
        tables = tuple((order.offsets, order.prints, order.log_p, order.log_backoff) for order in orders)
        bits = np.array([order.bits for order in orders], np.int64)
        lm = edit_scores(text.ids, bounds, at, to, put, tables, bits, int(orders[0].log_p.min()))
        native = native_scores(table[:, 0], table[:, 1], table[:, 2], table[:, 3], contexts, self.native)
        more = np.flatnonzero(table[:, 5] >= 0)
        said = table[more]
        also = native_scores(said[:, 0], said[:, 5], said[:, 2], said[:, 3], contexts[more], self.native)
        native[more] = np.maximum(native[more], also)
        return self._grouped(sentence, starts, ends, actions, table, contexts, lm, native)

    def _propose(
        self, text: Encoded
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        starts: list[int] = []
        ends: list[int] = []
        actions: list[int] = []
        sizes = []
        for words, folded, tags in zip(text.sentences, text.folded, text.tags, strict=True):
            found = self.proposals.propose(words, folded, tags, 0)
            starts += found[0]
            ends += found[1]
            actions += found[2]
            sizes.append(len(found[0]))
        sentence = np.repeat(np.arange(len(sizes)), sizes)
        return sentence, np.array(starts, np.int64), np.array(ends, np.int64), np.array(actions, np.int64)

    def _learn_actions(self) -> None:
        """Number what new actions say."""
        known = self.proposals.actions
        if len(self._names) == len(known):
            return
        fresh = known[len(self._names) :]
        self._table = np.concatenate([self._table, labels(fresh)])
        for action in fresh:
            self._names.append(crc32(f"{action.type} {action.name}".encode()))
            self._put.append(tuple(self.ngrams.ids(action.put).tolist()))
            self._near.append(action.nearness)

    def _put_array(self, actions: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the words that each edit puts, padded by -1."""
        widest = max((len(words) for words in self._put), default=1) or 1
        table = np.full((len(self._put), widest), -1, np.int32)
        for row, words in enumerate(self._put):
            table[row, : len(words)] = words
        return table[actions]

    def _grouped(
        self,
        sentence: NDArray[np.int64],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        actions: NDArray[np.int64],
        table: NDArray[np.int64],
        contexts: NDArray[np.int64],
        lm: NDArray[np.float32],
        native: NDArray[np.float32],
    ) -> EditRows:
        """Put the edit that changes nothing before the edits of each place, and hash everything."""
        n = len(starts)
        place = (sentence << 24) + (starts << 1) + (ends > starts)
        new = np.flatnonzero(np.concatenate([[True], place[1:] != place[:-1]])) if n else np.empty(0, np.int64)
        before = np.zeros(n, np.int64)
        before[new] = 1
        target = np.arange(n) + np.cumsum(before)
        total = n + len(new)
        source = np.full(total, -1, np.int64)
        source[target] = np.arange(n)
        nothing = source < 0
        source[nothing] = new
        groups = np.append(np.flatnonzero(nothing), total).astype(np.int64)
        types = np.where(nothing, -1, table[source, 4])
        names = np.array(self._names, np.uint64)[actions[source]] << np.uint64(1)
        near = np.array(self._near, np.float32)[actions[source]]
        sizes = np.diff(groups)
        extra = np.stack([near, np.repeat(np.log(sizes), sizes).astype(np.float32) / 3], axis=1)
        mask = np.uint64((1 << self.bits) - 1)
        ids, values = edit_rows(types, names, contexts[source], lm[source], native[source], extra, mask)
        width = ids.shape[1]
        filled = np.where(nothing, 0, width)
        ptr = np.concatenate([[0], np.cumsum(filled)]).astype(np.int64)
        rows = CandidateRows(groups, ptr, ids[~nothing].ravel(), values[~nothing].ravel())
        chosen = np.where(nothing, -1, actions[source])
        at, to = starts[source], np.where(nothing, starts[source], ends[source])
        return EditRows(sentence[source], at, to, chosen, types, lm[source], native[source], rows)
