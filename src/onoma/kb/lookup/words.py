"""Records by the words they hold, spelt roughly right: what answers while somebody types.

All words of all columns are kept in order, each with the records that hold it, and each sequence of three letters with
the words that hold it. A word that is asked for finds the words that begin with it (one stretch of the list) and those
that share most of its letters in threes, which alone are compared letter by letter. A question costs what it touches:

    letters in threes · the words that hold them  +  records of the words that are alike.

Records are known by their numbers, and these do not change when entities do.
"""

import contextlib
import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from onoma.errors import DataError
from onoma.kb.database import KnowledgeBase, quoted
from onoma.kb.lookup._words_kernels import copy_words, invert_lists, split_threes, split_words
from onoma.kb.lookup.snapshot import Lists
from onoma.kb.query import Match, matches
from onoma.kb.world import find_entity

__all__ = ["WordIndex", "search_entities"]

_BEGUN = 0.9
"""How alike a word is that begins with what was typed."""
_LEAST = 0.6
"""Words less alike are other words."""
_COMPARED = 120
"""Words that are compared letter by letter."""
_HOT = 200_000
"""Words of so many letters in threes are not looked at further: what is asked for is too common."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, eq=False)
class WordIndex:
    """The words of all records."""

    records: NDArray[np.int64]
    """Numbers of the records, ascending."""
    words: pa.LargeStringArray
    """Ascending, in the order of their bytes."""
    holders: Lists
    """The records (places) of each word."""
    grams: NDArray[np.uint64]
    """Three letters as one number, ascending."""
    having: Lists
    """The words of each three letters."""
    lengths: NDArray[np.int32]
    """Of the words, in letters."""

    @classmethod
    def load(cls, base: KnowledgeBase) -> "WordIndex":
        """Read the words of all current records."""
        names = [str(stored) for (stored,) in base.rows("SELECT stored FROM columns")]
        joined = ", ".join(f"{quoted(name)}::VARCHAR" for name in names)
        # All that is no word is parted by blanks; in ASCII, which is most of it, the kernel sees to that.
        found = base.query(
            f"""SELECT onoma_record AS record, CASE WHEN strlen(text) = length(text) THEN text
                ELSE regexp_replace(text, '[^\\p{{L}}\\p{{N}}\\p{{M}}]+', ' ', 'g') END AS text
            FROM (SELECT onoma_record, lower(strip_accents(concat_ws(' ', {joined}))) AS text
                FROM records WHERE onoma_retracted IS NULL ORDER BY onoma_record)"""  # noqa: S608 (names that are quoted)
        )
        text, ends = _buffers(found["text"])
        starts, lengths, offsets, items = split_words(text, ends)
        letters, letter_ends = copy_words(text, starts, lengths)
        unordered = _strings(letters, letter_ends)
        order = pc.array_sort_indices(unordered).to_numpy().astype(np.int64)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        words = unordered.take(pa.array(order))
        holders = Lists(*invert_lists(offsets, items, rank))
        return cls(found["record"].to_numpy(), words, holders, *_threes(words))

    def search(self, text: str, *, most: int = 200) -> list[tuple[int, float]]:
        """Return the numbers of the records most alike to what was typed, and how alike, up to 1.

        Each word counts by its length; of a record, the word most alike to it.
        """
        asked = list(dict.fromkeys(_WORD.findall(_plain(text))))[:8]
        if not asked or not len(self.words):
            return []
        total = np.zeros(len(self.records), dtype=np.float32)
        for at, word in enumerate(asked):
            total += len(word) * self._alike(word, is_last=at == len(asked) - 1)
        total /= sum(map(len, asked))
        chosen = np.flatnonzero(total >= max(0.5, 0.75 * float(total.max(initial=0.0))))
        if len(chosen) > most:
            chosen = chosen[np.argpartition(-total[chosen], most)[:most]]
        chosen = chosen[np.lexsort((chosen, -total[chosen]))]
        return [(int(self.records[i]), float(total[i])) for i in chosen]

    def _alike(self, word: str, *, is_last: bool) -> NDArray[np.float32]:
        """Return how alike the nearest word of each record is; what is typed last may be the beginning of a word."""
        found = np.zeros(len(self.records), dtype=np.float32)
        offsets, items = self.holders
        scored = sorted(self._near(word), key=lambda each: each[1])
        begun = False
        for i, score in scored:
            if is_last and not begun and score > _BEGUN:
                self._begin(word, found)
                begun = True
            found[items[offsets[i] : offsets[i + 1]]] = score
        if is_last and not begun:
            self._begin(word, found)
        return found

    def _begin(self, word: str, found: NDArray[np.float32]) -> None:
        first, last = self._place(word), self._place(word + "\U0010ffff")
        offsets, items = self.holders
        found[items[offsets[first] : offsets[last]]] = _BEGUN

    def _place(self, word: str) -> int:
        """Return the first place of a word or of what comes after it; words are in the order of their bytes."""
        key, low, high = word.encode(), 0, len(self.words)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.words[middle].as_py().encode() < key else (low, middle)
        return low

    def _near(self, word: str) -> list[tuple[int, float]]:
        """Return the words spelt like one, and how alike they are."""
        mine = _grams_of(word)
        at = np.minimum(np.searchsorted(self.grams, mine), max(len(self.grams) - 1, 0))
        at = at[self.grams[at] == mine] if len(self.grams) else at[:0]
        at = at[np.argsort(self.having.lengths(at), kind="stable")]
        at = at[(np.cumsum(self.having.lengths(at)) <= _HOT) | (np.arange(len(at)) < 1)]
        if not len(at):
            return []
        which, shared = np.unique(self.having.of(at), return_counts=True)
        likeness = 2.0 * shared / (len(mine) + self.lengths[which])
        if len(which) > _COMPARED:
            which = which[np.argpartition(-likeness, _COMPARED)[:_COMPARED]]
        texts = self.words.take(pa.array(which)).to_pylist()
        scores = process.cdist([word], texts, scorer=OSA.normalized_similarity, dtype=np.float32)[0]
        exact = self._place(word)
        found = [(i, s) for i, s in zip(which.tolist(), scores.tolist(), strict=True) if _LEAST <= s < 1.0]
        if exact < len(self.words) and self.words[exact].as_py() == word:
            found.append((exact, 1.0))
        return found


def search_entities(base: KnowledgeBase, words: WordIndex, text: str, *, most: int = 10) -> list[Match]:
    """Return the entities of the records most alike to a text; one that has it for an id or alias comes first."""
    scores = dict(words.search(text, most=20 * most))
    here, tables = base.among("record", np.array(list(scores), dtype=np.int64))
    rows = base.query(f"SELECT record, entity FROM memberships WHERE {here}", None, tables)  # noqa: S608 (numbers)
    found: dict[str, float] = {}
    for record, entity in zip(rows["record"].to_pylist(), rows["entity"].to_pylist(), strict=True):
        found[entity] = max(found.get(entity, 0.0), round(100 * scores[record], 1))
    with contextlib.suppress(DataError):
        found[find_entity(base, text.strip())] = 101.0
    chosen = sorted(found, key=lambda entity: (-found[entity], entity))[:most]
    return matches(base, [(min(found[entity], 100.0), entity) for entity in chosen])


def _plain(text: str) -> str:
    """Write a text as the words are written: lower case, without accents."""
    parted = unicodedata.normalize("NFD", text.lower())
    return unicodedata.normalize("NFC", "".join(sign for sign in parted if unicodedata.category(sign)[0] != "M"))


def _grams_of(word: str) -> NDArray[np.uint64]:
    return _threes(pa.array([word], pa.large_string()))[0]


def _threes(words: pa.LargeStringArray) -> tuple[NDArray[np.uint64], Lists, NDArray[np.int32]]:
    """Return all sequences of three letters, ascending, the words that have them, and the letters of each word."""
    text, ends = _buffers(words)
    grams, offsets, items, lengths = split_threes(text, ends)
    order = np.argsort(grams, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return grams[order], Lists(*invert_lists(offsets, items, rank)), lengths


def _buffers(texts: pa.Array | pa.ChunkedArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of texts, and where each begins and the last ends."""
    whole = texts.cast(pa.large_string())
    whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) and len(whole) else whole
    if not len(whole):
        return np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, offsets, data = whole.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[whole.offset : whole.offset + len(whole) + 1]
    text = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return text[: ends[-1]], ends


def _strings(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> pa.LargeStringArray:
    """Return the texts that stand one after the other."""
    return pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(text))
