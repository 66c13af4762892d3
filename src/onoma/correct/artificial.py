"""Artificial learners: native sentences with the slips that learners make, as often as they make them.

What an edit does can be undone: every action that would be proposed on native text (*NN → NNS*, *the → ∅*) is the slip
that the opposite correction mends. Its rate is how often annotators of learners' essays asked for that correction,
divided by how often the slip could have been made, counted on the corrected essays. Where an opposite was asked for but
seldom, its rate is drawn towards that of its type (by ten imagined chances). Misspellings change, lose,
double or swap letters.

Only these rates come from essays; sentences and words are native text's. After Rozovskaya and Roth, "Training paradigms
for correcting errors in grammar and usage", NAACL 2010.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from onoma.corpus.edits import Edit, EditedSentence, apply_edits
from onoma.correct.candidates import Action, Proposals
from onoma.correct.gold import wanted_edits
from onoma.correct.words import fold_all
from onoma.numerics.rng import stream

__all__ = ["Slip", "SlipRates", "count_slips", "make_mistakes"]

Slip = tuple[str, str, str]
"""Type, what is given up, what is put: labels where there are some, else words where they are few, else nothing."""
_OPEN = frozenset(("word", "spelling", "compound", "case"))
"""Types whose slips are of open classes: one rate for all."""
_PRIOR = 10
"""Imagined chances at the rate of a slip's type: a slip seen once in three chances is not that frequent."""
_SAMPLE = 2_000
"""Sentences on which frequencies of slips are brought to those of essays."""
_MOST_SCALED = 3.0
_LEAST_LETTERS = 5
_LETTERS = "etaoinshrdlu"


@dataclass(frozen=True)
class SlipRates:
    """How often each slip is made where it could be."""

    rates: Mapping[Slip, float]
    types: Mapping[str, float]
    per_word: Mapping[str, float]
    """How often a slip of each type is made, for each word of the essays."""
    misspelt: float = 0.004
    """Words misspelt, of all."""

    def of(self, slip: Slip) -> float:
        """Return the rate of a slip."""
        return self.rates.get(slip, self.types.get(slip[0], 0.0) * 0.3)


def count_slips(
    sentences: Sequence[EditedSentence],
    tags: Sequence[Sequence[str]],
    corrected_tags: Sequence[Sequence[str]],
    proposals: Proposals,
) -> SlipRates:
    """Estimate rates on annotated essays: source tags and tags of the corrected sentences are given."""
    made: Counter[Slip] = Counter()
    chances: Counter[Slip] = Counter()
    for sentence, own, after in zip(sentences, tags, corrected_tags, strict=True):
        wanted = wanted_edits(sentence)
        for start, end, action in _all(sentence.tokens, own, proposals):
            if (start, end, tuple(fold_all(action.put))) in wanted:
                source = " ".join(fold_all(sentence.tokens[start:end]))
                made[_opposite(_slip(action, source))] += 1
        for start, end, action in _all(corrected(sentence), after, proposals):
            chances[_slip(action, " ".join(fold_all(corrected(sentence)[start:end])))] += 1
    by_type: Counter[str] = Counter()
    all_chances: Counter[str] = Counter()
    for slip, n in chances.items():
        by_type[slip[0]] += made[slip]
        all_chances[slip[0]] += n
    types = {name: by_type[name] / n for name, n in all_chances.items()}
    rates = {slip: (made[slip] + _PRIOR * types[slip[0]]) / (n + _PRIOR) for slip, n in chances.items()}
    n_words = sum(len(sentence.tokens) for sentence in sentences)
    return SlipRates(rates, types, {name: n / n_words for name, n in by_type.items()})


def corrected(sentence: EditedSentence) -> list[str]:
    """Return a sentence as its first annotator wants it; of edits that overlap, the first."""
    kept: list[Edit] = []
    edits = next(iter(sentence.annotators.values()), ())
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return apply_edits(sentence.tokens, kept)


def make_mistakes(
    sentences: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]],
    proposals: Proposals,
    rates: SlipRates,
    *,
    strength: float = 1.0,
    seed: int = 0,
) -> list[EditedSentence]:
    """Return native sentences with slips, annotated with the edits that mend them."""
    rng = stream(seed, "mistakes")
    scale = _scales(sentences[:_SAMPLE], tags[:_SAMPLE], proposals, rates)
    out = []
    for words, own in zip(sentences, tags, strict=True):
        chosen: list[tuple[int, int, tuple[str, ...], str]] = []
        proposed = _all(words, own, proposals)
        draws = rng.random(len(proposed))
        taken = -1
        for (start, end, action), draw in zip(proposed, draws, strict=True):
            if start <= taken:
                continue
            slip = _slip(action, " ".join(fold_all(words[start:end])))
            rate = rates.of(slip) * scale.get(slip[0], 1.0) * strength
            if draw < rate:
                chosen.append((start, end, action.put, action.type))
                taken = max(end, start)
        misspelt = np.flatnonzero(rng.random(len(words)) < rates.misspelt * strength)
        spans = {k for start, end, _, _ in chosen for k in range(start - 1, end + 1)}
        chosen += [
            (k, k + 1, (_misspell(words[k], rng),), "spelling")
            for k in misspelt.tolist()
            if k not in spans and words[k].isalpha() and words[k].islower() and len(words[k]) >= _LEAST_LETTERS
        ]
        out.append(_with_slips(words, sorted(chosen)))
    return out


def _scales(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], proposals: Proposals, rates: SlipRates
) -> dict[str, float]:
    """Return by what rates are multiplied so that each type is as frequent as in essays, whatever the text is about.

    An encyclopaedia is in the past tense: at the essays' rates it would have twice their slips of tense.
    """
    expected: dict[str, float] = defaultdict(float)
    for words, own in zip(sentences, tags, strict=True):
        for start, end, action in _all(words, own, proposals):
            slip = _slip(action, " ".join(fold_all(words[start:end])))
            expected[slip[0]] += rates.of(slip)
    n_words = max(sum(map(len, sentences)), 1)
    return {
        name: min(rates.per_word.get(name, 0.0) * n_words / total, _MOST_SCALED)
        for name, total in expected.items()
        if total > 0
    }


def _with_slips(words: Sequence[str], slips: Sequence[tuple[int, int, tuple[str, ...], str]]) -> EditedSentence:
    tokens: list[str] = []
    edits: list[Edit] = []
    at = 0
    for start, end, put, name in slips:
        tokens += words[at:start]
        source = words[start:end]
        first = start == 0 and bool(words) and words[0][:1].isupper()
        shown = [put[0][:1].upper() + put[0][1:], *put[1:]] if first and put and source else list(put)
        edits.append(Edit(len(tokens), len(tokens) + len(shown), (" ".join(source),), name))
        tokens += shown
        at = end
    return EditedSentence((*tokens, *words[at:]), {0: edits})


def _all(words: Sequence[str], tags: Sequence[str], proposals: Proposals) -> list[tuple[int, int, Action]]:
    starts, ends, numbers = proposals.propose(words, fold_all(words), tags, 0)
    return [(a, b, proposals.actions[k]) for a, b, k in zip(starts, ends, numbers, strict=True)]


def _slip(action: Action, source: str) -> Slip:
    if action.kind:
        return action.type, action.other, action.label
    if action.type in _OPEN:
        return action.type, "", ""
    if action.n_taken and "VB" in action.name:
        return action.type, *action.name.split(" ")[0].partition(">")[::2]
    return action.type, source, " ".join(action.put)


def _opposite(slip: Slip) -> Slip:
    return slip[0], slip[2], slip[1]


def _misspell(word: str, rng: np.random.Generator) -> str:
    k = int(rng.integers(1, len(word) - 1))
    way = int(rng.integers(5))
    letter = _LETTERS[int(rng.integers(len(_LETTERS)))]
    if way == 0:
        return word[:k] + word[k + 1 :]
    if way == 1:
        return word[:k] + word[k] + word[k:]
    if way == 2:
        return word[:k] + letter + word[k + 1 :]
    if way == 3:
        return word[: k - 1] + word[k] + word[k - 1] + word[k + 1 :]
    return word[:k] + letter + word[k:]
