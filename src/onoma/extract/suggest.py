"""What else might be known: dictionary entries and patterns proposed from unlabelled texts.

A word that stands where known words of a label stand is a candidate. Contexts (the words on both sides) are scored by
how much more often they hold known words of the label than words at large; candidates by the contexts they share.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from onoma.extract.constraints import Constraint, LabelSet
from onoma.extract.matching import find_fires, normal
from onoma.extract.tokens import Text

__all__ = ["Suggestion", "suggest_words"]


@dataclass(frozen=True)
class Suggestion:
    """A word for a dictionary, or a pattern, with how strongly the texts speak for it and how often it occurs."""

    label: str
    kind: str
    text: str
    score: float
    count: int


def suggest_words(
    texts: Sequence[Text], constraints: Sequence[Constraint], labels: LabelSet, *, n: int = 10, min_count: int = 3
) -> list[Suggestion]:
    """Return up to n words and n patterns for each label that has a dictionary."""
    seeds: dict[int, set[str]] = defaultdict(set)
    for each in constraints:
        for word in each.words:
            if " " not in word and len(each.labels) == 1:
                seeds[each.labels[0]].add(normal(word))
    known = _known(texts, constraints, labels)
    contexts: Counter[tuple[str, str]] = Counter()
    pairs: Counter[tuple[tuple[str, str], str]] = Counter()
    counts: Counter[str] = Counter()
    for text in texts:
        words = ["", *(normal(token) for token in text.tokens), ""]
        for before, word, after in zip(words, words[1:], words[2:], strict=False):
            counts[word] += 1
            for context in ((before, ""), ("", after)):
                contexts[context] += 1
                pairs[context, word] += 1
    found = []
    for y, words_of in sorted(seeds.items()):
        found += _of_label(labels.taxonomy.labels[y], words_of, known, contexts, pairs, counts, n, min_count)
    return found


def _known(texts: Sequence[Text], constraints: Sequence[Constraint], labels: LabelSet) -> set[str]:
    """Return the words that dictionaries and tests of tokens speak of in most places, of any label, and punctuation."""
    naming = [each for each in constraints if each.kind != "pattern"]
    seen: Counter[str] = Counter()
    spoken: Counter[str] = Counter()
    for text, fires in zip(texts, find_fires(texts, naming, labels), strict=True):
        told = {i for fire in fires for start, size in fire.segments() for i in range(start, start + size)}
        for i, token in enumerate(text.tokens):
            seen[normal(token)] += 1
            spoken[normal(token)] += i in told
    return {word for word, n in seen.items() if 2 * spoken[word] > n or not any(c.isalnum() for c in word)}


def _of_label(
    label: str,
    seeds: set[str],
    known: set[str],
    contexts: Counter[tuple[str, str]],
    pairs: Counter[tuple[tuple[str, str], str]],
    counts: Counter[str],
    n: int,
    min_count: int,
) -> list[Suggestion]:
    total = sum(counts.values())
    base = sum(counts[word] for word in seeds) / max(total, 1)
    held: Counter[tuple[str, str]] = Counter()
    for (context, word), count in pairs.items():
        if word in seeds:
            held[context] += count
    # How much more likely is a word of the label here than anywhere (with one pseudo-count at the base rate)?
    lift = {
        context: float(np.log((count + base) / (contexts[context] + 1) / max(base, 1e-9)))
        for context, count in held.items()
        if count >= 2 and any(context)
    }
    strength: dict[str, float] = defaultdict(float)
    for (context, word), count in pairs.items():
        if word not in known and counts[word] >= min_count and word and lift.get(context, 0.0) > 0.0:
            strength[word] += lift[context] * count / counts[word]
    best = sorted(strength.items(), key=lambda item: (-item[1], item[0]))[:n]
    words = [Suggestion(label, "word", word, round(score, 3), counts[word]) for word, score in best]
    shown = sorted(lift.items(), key=lambda item: (-item[1] * held[item[0]], item[0]))[:n]
    patterns = [
        Suggestion(label, "pattern", f"{before} {{{label}}} {after}".strip(), round(score, 3), held[before, after])
        for (before, after), score in shown
        if score > 0.0
    ]
    return words + patterns
