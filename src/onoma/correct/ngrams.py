"""Counts of n-grams and their modified Kneser–Ney probabilities, in memory-mapped arrays.

For every order the n-grams seen are sorted by a 64-bit key of their word ids. The first bits of a key name a bucket,
the next 32 are kept: 4 bytes an n-gram, and an n-gram that was never seen is taken for one that was about once in 10⁹
look-ups. Beside the keys lie a count (one byte: exact to 127, then in steps of 4 %), log₁₀ p and log₁₀ back-off (two
bytes each, in steps of 1/3,000). So an n-gram costs 9 bytes, and a look-up two random reads.

With c the count in the highest order and, below it, the number of different words before the n-gram (raw where it opens
a sentence), D(c) the discount of counts 1, 2 and 3 or more, and • for any word,

    p(w | h) = (c(hw) − D(c(hw))) / c(h•) + γ(h) p(w | h′),     γ(h) = Σ_w D(c(hw)) / c(h•),

h′ being h without its first word. Chen and Goodman, "An empirical study of smoothing techniques for language modeling",
1999. Pruned models keep frequent n-grams only and give the mass of the rest to the back-off, so that probabilities
still sum to one.

Cost: a sort of the text for each order (27 M words: about a minute), 16 bytes a word of memory.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.correct._ngrams_kernels import begin_marks, find, gram_keys, score_tokens, window_keys
from onoma.errors import DataError, SettingsError
from onoma.progress import SILENT, Progress

__all__ = ["BEGIN", "END", "UNKNOWN", "Ngrams", "Order", "count_ngrams", "load_ngrams"]

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
_MARKS = (UNKNOWN, BEGIN, END)
_UNKNOWN, _BEGIN, _END = range(3)
_EXACT = 128
_RATIO = 1.04
_STEPS = 3000
"""Steps of a stored logarithm for each power of ten: 16 bits reach from 10⁻¹⁰ to 10¹⁰."""
_VERSION = 1


@dataclass(frozen=True)
class Order:
    """The n-grams of one order."""

    offsets: NDArray[np.uint32]
    prints: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    log_p: NDArray[np.int16]
    log_backoff: NDArray[np.int16]

    @property
    def bits(self) -> int:
        """How many first bits of a key name a bucket."""
        return (len(self.offsets) - 1).bit_length() - 1

    def places(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return where each key lies, -1 where it does not."""
        return find(keys, self.offsets, self.prints, self.bits)


@dataclass(frozen=True)
class Ngrams:
    """Counts and probabilities of n-grams of words.

    Parameters
    ----------
    words
        The vocabulary, most frequent first, after the three marks.
    orders
        The n-grams of order 1, 2, …

    Examples
    --------
    >>> model = count_ngrams([["the", "cat", "sat"], ["the", "cat", "ran"]], order=3)
    >>> model.count(["the", "cat"]), model.count(["cat", "the"])
    (2, 0)
    >>> model.log_p(["the", "cat", "sat"]) > model.log_p(["cat", "the", "sat"])
    True
    """

    words: Sequence[str]
    orders: tuple[Order, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ids", {word: number for number, word in enumerate(self.words)})

    _ids: Mapping[str, int] = None  # type: ignore[assignment]

    @property
    def order(self) -> int:
        """The longest n-gram."""
        return len(self.orders)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def __len__(self) -> int:
        return sum(len(order.prints) for order in self.orders)

    def ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the number of each word, that of the unknown word for words not in the vocabulary."""
        known = self._ids
        return np.fromiter((known.get(word, _UNKNOWN) for word in words), np.int32)

    def count(self, words: Sequence[str]) -> int:
        """Return how often an n-gram was seen (to 4 % above 127)."""
        if not 0 < len(words) <= self.order:
            raise SettingsError(f"an n-gram of {len(words)} words; this model holds 1 to {self.order}")
        return int(self.counts(self.ids(words), np.zeros(1, np.int64), len(words))[0])

    def counts(self, ids: NDArray[np.int32], starts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """Return how often the n-gram that begins at each start of a text was seen."""
        order = self.orders[n - 1]
        places = order.places(window_keys(ids, starts, n))
        return np.where(places >= 0, _decode(order.counts[np.maximum(places, 0)]), 0)

    def log_p(self, words: Sequence[str]) -> float:
        """Return log10 p of a sentence, its end included."""
        return float(self.score([words])[0].sum())

    def score(self, sentences: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """Return for each sentence log10 p of each word given those before it, and of its end."""
        ids = self.ids(word for words in sentences for word in (BEGIN, *words, END))
        sizes = np.array([len(words) + 2 for words in sentences], np.int64)
        ends = np.cumsum(sizes)
        scores = self.score_ids(ids, np.repeat(ends - sizes, sizes))
        return [part[1:] for part in np.split(scores, ends[:-1])] if len(sizes) else []

    def score_ids(self, ids: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return log10 p of each token; `starts` gives for each token where its sentence begins."""
        out = np.empty(len(ids), np.float32)
        tables = tuple((order.offsets, order.prints, order.log_p, order.log_backoff) for order in self.orders)
        bits = np.array([order.bits for order in self.orders], np.int64)
        score_tokens(ids, starts, tables, bits, int(self.orders[0].log_p.min()), out)
        return out / np.float32(_STEPS)

    def save(self, folder: str | Path) -> None:
        """Write the model: `model.json`, `words.txt` and five arrays for each order."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "words.txt").write_text("\n".join(self.words) + "\n", "utf-8")
        for n, order in enumerate(self.orders, start=1):
            for name, values in vars(order).items():
                np.save(folder / f"{n}-{name}.npy", values, allow_pickle=False)
        header = {"kind": "ngrams", "version": _VERSION, "order": self.order, "ngrams": len(self)}
        (folder / "model.json").write_text(json.dumps(header, indent=1) + "\n", "utf-8")


def load_ngrams(folder: str | Path) -> Ngrams:
    """Open a saved model; its arrays stay on disk and are read as they are needed."""
    folder = Path(folder)
    header = folder / "model.json"
    try:
        facts = json.loads(header.read_text("utf-8"))
        if facts.get("kind") != "ngrams" or facts.get("version") != _VERSION:
            raise DataError(f"holds {facts.get('kind')!r}, not counts of n-grams", file=header)
        words = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
        orders = tuple(_open_order(folder, n) for n in range(1, facts["order"] + 1))
    except (OSError, ValueError, KeyError, AttributeError) as error:
        if isinstance(error, DataError):
            raise
        hint = "Such a folder is made by: onoma train ngrams TEXT… -o FOLDER"
        raise DataError(f"holds no counts of n-grams that can be read ({error})", file=folder, hint=hint) from error
    return Ngrams(words, orders)


def count_ngrams(
    sentences: Iterable[Sequence[str]],
    *,
    order: int = 5,
    min_word_count: int = 1,
    min_counts: Sequence[int] = (),
    progress: Progress = SILENT,
) -> Ngrams:
    """Count the n-grams of a text and estimate their probabilities.

    Parameters
    ----------
    sentences
        Tokenised sentences.
    order
        The longest n-gram.
    min_word_count
        Rarer words are counted as unknown.
    min_counts
        For orders 1, 2, …: n-grams seen less often are left out of the model after estimation (default: all kept).
    """
    if not 1 <= order <= 9:
        raise SettingsError(f"order {order}; n-grams may have 1 to 9 words")
    words, ids = _encode(sentences, min_word_count)
    if len(ids) == 0:
        raise DataError("there is no sentence to count", hint="A text needs at least one word.")
    with progress.task("counting n-grams", total=2 * order) as task:
        tables = []
        for n in range(1, order + 1):
            tables.append(_Table.of(ids, n))
            task.advance()
        estimated: list[NDArray[np.float64]] = []
        for n, table in enumerate(tables, start=1):
            above = tables[n] if n < order else None
            below = (tables[n - 2], estimated[-1]) if estimated else None
            estimated.append(_estimate(table, above, below, n_words=len(words)))
            task.advance()
    kept = [_kept(table, minimum) for table, minimum in zip(tables, _minima(min_counts, order), strict=True)]
    return Ngrams(words, _assemble(tables, estimated, kept))


def _minima(min_counts: Sequence[int], order: int) -> list[int]:
    return [*min_counts, *([min_counts[-1] if min_counts else 1] * order)][:order]


def _encode(sentences: Iterable[Sequence[str]], min_word_count: int) -> tuple[list[str], NDArray[np.int32]]:
    """Number the words by frequency; return them and the text as numbers, with marks around sentences."""
    first: dict[str, int] = {}
    parts = [
        np.array([-2, *[first.setdefault(word, len(first)) for word in words], -1], np.int32) for words in sentences
    ]
    text = np.concatenate(parts) if parts else np.empty(0, np.int32)
    names = list(first)
    counts = np.bincount(text[text >= 0], minlength=len(first))
    ranked = np.argsort(-counts, kind="stable")[: int((counts >= min_word_count).sum())].tolist()
    mapping = np.full(len(first) + 2, _UNKNOWN, np.int32)
    mapping[ranked] = np.arange(len(_MARKS), len(_MARKS) + len(ranked), dtype=np.int32)
    mapping[-2], mapping[-1] = _BEGIN, _END
    return [*_MARKS, *(names[number] for number in ranked)], mapping[text]


@dataclass(frozen=True)
class _Table:
    """The different n-grams of one order, sorted by key."""

    ids: NDArray[np.int32]
    n: int
    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]
    """A place of the text where each stands."""
    at: NDArray[np.int32]
    """Which n-gram begins at each place of the text; so what is left of a longer one is found without a search."""

    @classmethod
    def of(cls, ids: NDArray[np.int32], n: int) -> "_Table":
        keys = gram_keys(ids, n, _BEGIN, _END)
        places = np.flatnonzero(keys)
        order = places[np.argsort(keys[places], kind="stable")]
        ranked = keys[order]
        new = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        counts = np.diff(np.append(new, len(ranked)))
        at = np.full(len(ids), -1, np.int32)
        at[order] = np.repeat(np.arange(len(new), dtype=np.int32), counts)
        return cls(ids, n, ranked[new], counts, order[new], at)

    def shorter(self, below: "_Table", *, drop: str) -> NDArray[np.int32]:
        """Return for each n-gram the place, among the (n − 1)-grams, of what is left without its first or last word."""
        return below.at[self.first + 1 if drop == "first" else self.first]

    def opens_sentence(self) -> NDArray[np.bool_]:
        return self.ids[self.first] == _BEGIN


def _estimate(
    table: _Table, above: _Table | None, below: tuple[_Table, NDArray[np.float64]] | None, *, n_words: int
) -> NDArray[np.float64]:
    """Return p of each n-gram's last word given the others, by interpolated modified Kneser–Ney."""
    counts = _adjusted(table, above)
    discount = _discounts(counts)[np.minimum(counts, 3)]
    if below is None:
        seen = table.ids[table.first] != _BEGIN  # the begin mark is given, never predicted
        total = max(counts[seen].sum(), 1)
        uniform = 1 / n_words
        spared = discount[seen].sum() / total
        return np.where(seen, (counts - discount) / total + spared * uniform, 1.0)
    shorter, p_shorter = below
    context = table.shorter(shorter, drop="last")
    total = np.bincount(context, counts, len(shorter.keys))
    spared = np.bincount(context, discount, len(shorter.keys))
    lower = p_shorter[table.shorter(shorter, drop="first")]
    return (counts - discount + spared[context] * lower) / total[context]


def _adjusted(table: _Table, above: _Table | None) -> NDArray[np.int64]:
    """Return the counts that Kneser–Ney uses: below the highest order, how many different words come before."""
    if above is None:
        return table.counts
    words_before = np.bincount(above.shorter(table, drop="first"), minlength=len(table.keys))
    return np.where(table.opens_sentence(), table.counts, np.maximum(words_before, 1))


def _discounts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what is taken from counts of 0, 1, 2, and 3 or more, from the counts of counts (Chen and Goodman)."""
    n1, n2, n3, n4 = (max(int((counts == k).sum()), 1) for k in (1, 2, 3, 4))
    y = n1 / (n1 + 2 * n2)
    raw = np.array([0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3])
    # In a short text an estimate may leave its range, which would make a probability zero or more than one.
    return np.clip(raw, [0, 0.1, 0.2, 0.3], [0, 0.9, 1.8, 2.7])


def _kept(table: _Table, minimum: int) -> NDArray[np.bool_]:
    return (table.counts >= minimum) if table.n > 1 else np.ones(len(table.counts), bool)


def _assemble(
    tables: Sequence[_Table], probabilities: Sequence[NDArray[np.float64]], kept: Sequence[NDArray[np.bool_]]
) -> tuple[Order, ...]:
    orders = []
    for index, (table, p, keep) in enumerate(zip(tables, probabilities, kept, strict=True)):
        backoff = np.ones(len(p))
        if index + 1 < len(tables):
            above, p_above, keep_above = tables[index + 1], probabilities[index + 1], kept[index + 1]
            context = above.shorter(table, drop="last")[keep_above]
            lower = p[above.shorter(table, drop="first")][keep_above]
            said = np.bincount(context, p_above[keep_above], len(p))
            instead = np.bincount(context, lower, len(p))
            # What longer n-grams do not say is shared among the words that they do not name.
            backoff = np.maximum(1 - said, 1e-7) / np.maximum(1 - instead, 1e-7)
        orders.append(_order(table, keep, p, backoff))
    return tuple(orders)


def _order(table: _Table, keep: NDArray[np.bool_], p: NDArray[np.float64], backoff: NDArray[np.float64]) -> Order:
    keys = table.keys[keep]
    bits = min(max(len(keys).bit_length() - 3, 1), 28)
    prints = ((keys << np.uint64(bits)) >> np.uint64(32)).astype(np.uint32)
    return Order(
        begin_marks(keys, bits),
        prints,
        _encode_counts(table.counts[keep]),
        _fixed(np.log10(p[keep])),
        _fixed(np.log10(backoff[keep])),
    )


def _fixed(logarithms: NDArray[np.float64]) -> NDArray[np.int16]:
    return np.clip(np.rint(logarithms * _STEPS), -32_768, 32_767).astype(np.int16)


def _encode_counts(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    large = np.rint(np.log(np.maximum(counts, _EXACT) / _EXACT) / np.log(_RATIO)) + _EXACT
    return np.where(counts < _EXACT, counts, np.minimum(large, 255)).astype(np.uint8)


def _decode(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    return _COUNTS[codes]


_COUNTS = np.array(
    [code if code < _EXACT else round(_EXACT * _RATIO ** (code - _EXACT)) for code in range(256)], np.int64
)
"""The count that each byte stands for."""


def _open_order(folder: Path, n: int) -> Order:
    def array(name: str) -> NDArray[np.generic]:
        return np.load(folder / f"{n}-{name}.npy", mmap_mode="c", allow_pickle=False)

    parts = {name: array(name) for name in ("offsets", "prints", "counts", "log_p", "log_backoff")}
    sizes = {len(parts[name]) for name in ("prints", "counts", "log_p", "log_backoff")}
    offsets = parts["offsets"]
    buckets = len(offsets) - 1
    if len(sizes) != 1 or buckets < 2 or buckets & (buckets - 1) or offsets[-1] != sizes.pop():
        raise DataError("is damaged: its arrays do not fit together", file=folder)
    return Order(**parts)  # type: ignore[arg-type]
