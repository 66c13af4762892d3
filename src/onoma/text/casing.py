"""Text of one case: where a sentence has no capitals, or nothing but capitals, its case says nothing of its words.

Each word is then written as it mostly is in open text (`usage`): with a capital if it has one there in seven of ten
occurrences, in small letters otherwise; the first word with a capital. Offsets stay as they are.
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
_CAPITALS = 5
"""The column of a word table that says how often a word has a capital."""
_MOSTLY = 4
"""The step of capitals (`usage`) from seven in ten on."""


def usually_cased(tokens: Tokens, words: WordTable) -> Tokens:
    """Return tokens as they would usually be written, in sentences of small letters or of capitals only.

    Examples
    --------
    >>> from onoma.text.annotate import Annotator
    >>> words = Annotator.load().words
    >>> usually_cased(Tokens.of_words([["i", "saw", "paris", "today"], ["Ann", "saw", "paris"]]), words).words()
    ['I', 'saw', 'Paris', 'today', 'Ann', 'saw', 'paris']
    >>> usually_cased(Tokens.of_words([["STORM", "HITS", "LONDON"]]), words).words()
    ['Storm', 'hits', 'London']
    """
    one_case = _of_one_case(tokens)
    if not one_case.any():
        return tokens
    _, lower = tables_for(tokens.codes)
    chosen = np.flatnonzero(np.repeat(one_case, np.diff(tokens.sentences)))
    codes = tokens.codes.copy()
    at = _characters(tokens.starts[chosen], tokens.ends[chosen])
    codes[at] = lower[codes[at]]
    rows = look_up_all(words.places, words.keys, token_keys(tokens)[chosen])
    usual = np.isin(chosen, tokens.sentences[:-1])
    usual[rows >= 0] |= words.values[rows[rows >= 0], _CAPITALS] >= _MOSTLY
    for k in tokens.starts[chosen[usual]].tolist():
        capital = chr(codes[k]).upper()
        codes[k] = ord(capital) if len(capital) == 1 else codes[k]
    return Tokens(codes, tokens.starts, tokens.ends, tokens.sentences)


def _of_one_case(tokens: Tokens) -> NDArray[np.bool_]:
    """Return which sentences have small letters only (*I* apart), or capitals only."""
    if not len(tokens):
        return np.zeros(0, np.bool_)
    classes, _ = tables_for(tokens.codes)
    kinds, sizes = classes[tokens.codes], tokens.ends - tokens.starts
    is_word = (kinds[tokens.starts] >= CASED_LOWER) & (kinds[tokens.starts] <= LETTER)
    is_i = (sizes == 1) & (tokens.codes[tokens.starts] == ord("I"))

    def letters(kind: int) -> NDArray[np.int64]:
        before = np.append(0, np.cumsum(kinds == kind))
        return before[tokens.ends] - before[tokens.starts]

    def summed(counts: NDArray[np.integer]) -> NDArray[np.int64]:
        before = np.append(0, np.cumsum(counts))
        return np.diff(before[tokens.sentences])

    upper, small = summed(letters(CASED_UPPER)), summed(letters(CASED_LOWER))
    no_capitals, nothing_else = (upper == summed(is_i)) & (small > 0), (small == 0) & (upper > 0)
    return np.asarray((summed(is_word) >= _LEAST) & (no_capitals | nothing_else))


def _characters(starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the places of all characters of some tokens."""
    sizes = (ends - starts).astype(np.int64)
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
