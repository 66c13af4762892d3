"""How words are used in open text: the tags a tagged corpus gives them, and how often they have a capital.

A word's *common tags* are its most frequent tag and, if it has at least a tenth of its occurrences, the second; its
*capitals* are the share of its occurrences inside sentences that begin with a capital, in five steps. Both tell a
tagger about words its treebank never shows.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from onoma.text.clusters import simple_words

__all__ = ["Usage", "learn_usage"]

_STEPS = (0.05, 0.3, 0.7, 0.95)
_LEAST = 3
"""Occurrences below which nothing is said of a word's capitals."""


@dataclass(frozen=True)
class Usage:
    """Words in small letters with digits as 0: a code of common tags and a step of capitals, 0 where unknown."""

    tags: Mapping[str, int]
    capitals: Mapping[str, int]


def learn_usage(tagged: Iterable[Iterable[tuple[str, str]]], texts: Iterable[str]) -> Usage:
    """Learn from tagged sentences and from plain ones.

    Examples
    --------
    >>> usage = learn_usage([[("Runs", "NNS"), ("run", "VB")]], ["We saw Ann .", "No Ann or Ann again ."])
    >>> usage.capitals["ann"], usage.capitals.get("we")
    (5, None)
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in tagged:
        for word, tag in sentence:
            for part in simple_words(word)[:1]:
                if len(part) == len(word):
                    counts[part][tag] += 1
    capitals, totals = Counter[str](), Counter[str]()
    for text in texts:
        words, low = simple_words(text, keep_case=True)[1:], simple_words(text)[1:]
        totals.update(low)
        capitals.update(small for word, small in zip(words, low, strict=False) if word[0].isupper())
    steps = {word: 1 + sum(capitals[word] / n >= step for step in _STEPS) for word, n in totals.items() if n >= _LEAST}
    return Usage(_coded(counts), steps)


def _coded(counts: Mapping[str, Counter[str]]) -> dict[str, int]:
    """Return each word's common tags as a code from 1, most frequent codes first."""
    pairs = {}
    for word, found in counts.items():
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:2]
        total = sum(found.values())
        pairs[word] = "/".join(tag for k, (tag, n) in enumerate(ranked) if k == 0 or n * 10 >= total)
    order = sorted(Counter(pairs.values()).items(), key=lambda item: (-item[1], item[0]))
    codes = {pair: k + 1 for k, (pair, _) in enumerate(order)}
    return {word: codes[pair] for word, pair in pairs.items()}
