"""Mentions in context: the words around a name as a bag, weighed by how rare they are.

A bag holds the words of a window around a mention: (1 + log how often) · (log((1 + N) / (1 + n)) + 1) for a word that
n of N contexts have, of length 1. The 1 that is added to the rarity matters: without it the words that many contexts
share would be worth nothing, and among mentions of one name those are the words of the entities most often met.
Function words are left out: those of a short list for each of some languages, and in any language words of more than
half of all contexts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["Bags", "WordCounts", "bags_of", "count_words", "function_words", "weigh_words"]

_CHUNK = 200_000
"""Contexts split into words at a time."""
_COMMON = 0.5
"""Share of the contexts above which a word is taken for a function word, whatever the language."""
_MANY = 1_000
"""Contexts from which such shares tell something."""
_LISTS = {
    "en": """a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further had has have having he her
    here hers him his how i if in into is it its itself just may me more most mr mrs ms must my no nor not now of off
    on once one only or other our out over own said same she should so some such than that the their them then there
    these they this those through to too under until up very was we were what when where which while who whom why will
    with would you your""",
    "de": """aber als am an auch auf aus bei bis das dass dem den der des die dies diese dieser durch ein eine einem
    einen einer eines er es für hat haben ich ihm ihr im in ist ja kann mit nach nicht noch nur ob oder sein seine sich
    sie sind so über um und uns unter vom von vor war was welche wenn werden wie wir wird worden wurde zu zum zur""",
    "fr": """à au aussi aux avec ce ces cette comme dans de des du elle en est et être eut fut il ils je la le les leur
    lui mais me même ne nous on ou où par pas plus pour qu que qui sa sans se ses si son sont sur un une vous y été""",
    "fi": """ei en että he hän ja jo joka jos kanssa kuin kun mutta ne niin nyt oli olivat on ovat se sekä tai te tämä
    vaan vielä""",
    "sv": """af att av de den det efter en ett från för ha har hon han i icke inte ja jag med men och om på sig sin som
    så till under var vi vid är""",
    "es": """al como con de del el en es esta este fue ha la las lo los más no o para pero por que se sin sobre su sus
    un una y""",
    "it": """al alla che con da dal dei del della di e gli ha i il in la le lo ma nel nella non per si sono su un
    una""",
}


def function_words() -> list[str]:
    """Return the function words of all languages that have a list."""
    return sorted({word for words in _LISTS.values() for word in words.split()})


@dataclass(frozen=True, eq=False)
class Bags:
    """Sparse rows of unit length, one for each context."""

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    weights: NDArray[np.float32]
    vocabulary: pa.Array

    def columns(self) -> dict[str, pa.Array]:
        """Return the bags as columns `tokens` and `weights` of a table of mentions."""
        offsets = pa.array(self.offsets.astype(np.int32))
        return {
            "tokens": pa.ListArray.from_arrays(offsets, pa.array(self.words)),
            "weights": pa.ListArray.from_arrays(offsets, pa.array(self.weights)),
        }

    def __len__(self) -> int:
        return len(self.offsets) - 1


def bags_of(contexts: pa.Array | pa.ChunkedArray | Sequence[str], *, without: Sequence[str] | None = None) -> Bags:
    """Return the bags of contexts.

    Parameters
    ----------
    contexts
        Texts; null is an empty one.
    without
        Words to leave out; None: function words.

    Examples
    --------
    >>> bags = bags_of(["The baker of Bath", "a baker and a poet", ""])
    >>> bags.vocabulary.to_pylist()
    ['baker', 'bath', 'poet']
    >>> bags.offsets.tolist()
    [0, 2, 4, 4]
    """
    return weigh_words(count_words(contexts, without=without))


@dataclass(frozen=True, eq=False)
class WordCounts:
    """How often each context has each of its words: one entry for each word of each context."""

    owner: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: NDArray[np.int64]
    vocabulary: pa.Array
    n: int
    """Contexts."""

    @property
    def frequency(self) -> NDArray[np.int64]:
        """How many contexts have each word."""
        return np.bincount(self.words, minlength=max(len(self.vocabulary), 1))


def count_words(
    contexts: pa.Array | pa.ChunkedArray | Sequence[str], *, without: Sequence[str] | None = None
) -> WordCounts:
    """Count the words of contexts, but for those to leave out and single letters."""
    column = contexts if isinstance(contexts, pa.Array | pa.ChunkedArray) else pa.array(contexts, pa.string())
    lengths, words, vocabulary = _words(column)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    dropped = pc.is_in(vocabulary, pa.array(function_words() if without is None else list(without), pa.string()))
    kept = ~dropped.to_numpy(zero_copy_only=False) & (pc.utf8_length(vocabulary).to_numpy() > 1)
    use = kept[words]
    n_words = max(len(vocabulary), 1)
    keys, counts = np.unique(owner[use] * n_words + words[use], return_counts=True)
    return WordCounts(keys // n_words, keys % n_words, counts, vocabulary, len(column))


def weigh_words(
    found: WordCounts, *, frequency: NDArray[np.int64] | None = None, n_contexts: int | None = None
) -> Bags:
    """Weigh the words of contexts by how rare they are, here or in a larger number of contexts.

    Parameters
    ----------
    found
        The words.
    frequency
        How many of all contexts have each word of the vocabulary; None: those found.
    n_contexts
        How many contexts there are in all.
    """
    frequency = found.frequency if frequency is None else frequency
    n = found.n if n_contexts is None else n_contexts
    owner, words, counts = found.owner, found.words, found.counts
    if n >= _MANY:
        use = frequency[words] <= _COMMON * n
        owner, words, counts = owner[use], words[use], counts[use]
    weights = (1.0 + np.log(counts)) * (np.log((1.0 + n) / (1.0 + frequency[words])) + 1.0)
    norm = np.sqrt(np.bincount(owner, weights**2, minlength=found.n))
    weights = (weights / norm[owner]).astype(np.float32)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=found.n))])
    return _compact(Bags(offsets, words.astype(np.int32), weights, found.vocabulary))


def _words(column: pa.Array | pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.int64], pa.Array]:
    """Return how many words each text has, the words' numbers one after the other, and the words."""
    lengths, numbers = [], []
    for first in range(0, max(len(column), 1), _CHUNK):
        chunk = column.slice(first, _CHUNK)
        chunk = chunk.combine_chunks() if isinstance(chunk, pa.ChunkedArray) else chunk
        small = pc.utf8_lower(pc.fill_null(chunk.cast(pa.string()), ""))
        plain = pc.utf8_trim_whitespace(pc.replace_substring_regex(small, r"[^\p{L}\p{N}]+", " "))
        split = pc.split_pattern(plain, " ")
        lengths.append(np.diff(split.offsets.to_numpy()))
        numbers.append(pc.dictionary_encode(split.flatten()))
    whole = pa.chunked_array(numbers).unify_dictionaries()
    vocabulary = whole.chunk(0).dictionary
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in whole.chunks]).astype(np.int64)
    return np.concatenate(lengths), codes, vocabulary


def _compact(bags: Bags) -> Bags:
    """Number the words that are left by the alphabet."""
    used = np.flatnonzero(np.bincount(bags.words, minlength=len(bags.vocabulary)))
    words = bags.vocabulary.take(pa.array(used))
    order = pc.array_sort_indices(words).to_numpy()
    number = np.zeros(max(len(bags.vocabulary), 1), np.int32)
    number[used[order]] = np.arange(len(used), dtype=np.int32)
    return Bags(bags.offsets, number[bags.words], bags.weights, words.take(pa.array(order)))
