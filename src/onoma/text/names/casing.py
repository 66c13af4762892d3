"""Text whose case says nothing of its words: no capitals at all, nothing but capitals, or a capital on every word.

Words of such a sentence are written as they mostly are in open text (`usage`). Where there are no capitals, or nothing
else, a word has a capital if it has one there in seven of ten occurrences, and the first word has one. In a headline
(*Shares Fall After Chief Resigns*) a word that has one there in less than three of ten, or of which only a dictionary
knows, loses it. Offsets stay as they are.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.text._words_kernels import look_up_all
from onoma.text.characters import CASED_LOWER, CASED_UPPER, LETTER, tables_for
from onoma.text.tokens import Tokens
from onoma.text.words import WordTable, token_keys

__all__ = ["usually_cased"]

_LEAST = 3
"""Words of a sentence below which one case may be chance: *Yes.*, *NO ENTRY*."""
_LONG = 4
"""Letters from which a headline gives every word a capital; at least two of these words seldom have one elsewhere."""
_LEXICON, _CAPITALS = 3, 5
"""The columns of a word table that say whether a dictionary has a word, and how often it has a capital."""
_SELDOM, _MOSTLY = 2, 4
"""Steps of capitals (`usage`): below three in ten, from seven in ten on."""


def usually_cased(tokens: Tokens, words: WordTable) -> Tokens:
    """Return tokens as they would usually be written, in sentences whose case says nothing.

    Examples
    --------
    >>> from onoma.text.annotate import Annotator
    >>> words = Annotator.load().words
    >>> usually_cased(Tokens.of_words([["i", "saw", "paris", "today"], ["Ann", "saw", "paris"]]), words).words()
    ['I', 'saw', 'Paris', 'today', 'Ann', 'saw', 'paris']
    >>> usually_cased(Tokens.of_words([["STORM", "HITS", "LONDON"]]), words).words()
    ['Storm', 'hits', 'London']
    >>> usually_cased(Tokens.of_words([["Shares", "of", "Acme", "Fall", "After", "Resignation"]]), words).words()
    ['Shares', 'of', 'Acme', 'fall', 'after', 'resignation']
    """
    if not len(tokens):
        return tokens
    classes, lower = tables_for(tokens.codes)
    facts = _Facts(tokens, classes)
    one_case, headline = facts.of_one_case(), facts.all_with_capitals()
    if not one_case.any() and not headline.any():
        return tokens
    rows = look_up_all(words.places, words.keys, token_keys(tokens))
    steps, known = (np.zeros(len(tokens), np.int64) for _ in range(2))
    steps[rows >= 0], known[rows >= 0] = words.values[rows[rows >= 0]][:, [_CAPITALS, _LEXICON]].T
    is_small = facts.is_long & (steps <= _SELDOM) & ((steps > 0) | (known > 0))
    headline &= ~one_case & (facts.summed(is_small) > 1)
    is_first = np.zeros(len(tokens), np.bool_)
    is_first[tokens.sentences[:-1][np.diff(tokens.sentences) > 0]] = True
    of_one, of_headline = (np.repeat(each, np.diff(tokens.sentences)) for each in (one_case, headline))
    codes = tokens.codes.copy()
    made_small = of_one | (of_headline & is_small & ~is_first)
    at = _characters(tokens.starts[made_small], tokens.ends[made_small])
    codes[at] = lower[codes[at]]
    for k in tokens.starts[of_one & ((steps >= _MOSTLY) | is_first)].tolist():
        capital = chr(codes[k]).upper()
        codes[k] = ord(capital) if len(capital) == 1 else codes[k]
    return Tokens(codes, tokens.starts, tokens.ends, tokens.sentences)


class _Facts:
    """How the words of each sentence are written."""

    def __init__(self, tokens: Tokens, classes: NDArray[np.uint8]) -> None:
        self.tokens, self.kinds = tokens, classes[tokens.codes]
        first, sizes = self.kinds[tokens.starts], tokens.ends - tokens.starts
        self.is_word = (first >= CASED_LOWER) & (first <= LETTER)
        self.is_long = self.is_word & (sizes >= _LONG)
        self.is_open = first == CASED_UPPER
        self.is_i = (sizes == 1) & (tokens.codes[tokens.starts] == ord("I"))

    def summed(self, counts: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """Sum what is counted of tokens by sentence."""
        before = np.append(0, np.cumsum(counts))
        return np.diff(before[self.tokens.sentences])

    def of_one_case(self) -> NDArray[np.bool_]:
        """Return which sentences have small letters only (*I* apart), or capitals only."""
        upper, small = (self.summed(self._letters(kind)) for kind in (CASED_UPPER, CASED_LOWER))
        no_capitals, nothing_else = (upper == self.summed(self.is_i)) & (small > 0), (small == 0) & (upper > 0)
        return np.asarray((self.summed(self.is_word) >= _LEAST) & (no_capitals | nothing_else))

    def all_with_capitals(self) -> NDArray[np.bool_]:
        """Return in which sentences every word but short ones begins with a capital."""
        return np.asarray((self.summed(self.is_word) >= _LEAST) & (self.summed(self.is_long & ~self.is_open) == 0))

    def _letters(self, kind: int) -> NDArray[np.int64]:
        before = np.append(0, np.cumsum(self.kinds == kind))
        return before[self.tokens.ends] - before[self.tokens.starts]


def _characters(starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the places of all characters of some tokens."""
    sizes = (ends - starts).astype(np.int64)
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
