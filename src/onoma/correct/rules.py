"""Slips that a rule of grammar names: *an university*, *I has*, *can goes*, *informations*, *the the*.

Such slips are rare in the text that models learn from, and certain where they are seen. A rule names an edit, whose
probability is then at least the rule's (`SHARES`), whatever the model and the writer say. And a rule may forbid one
that is frequent and never right: *if he were* stays. The rules know words and tags, not sentences' structure, so they
keep to neighbours and are silent where English has a reason (*did she go*, *suggest that he go*, *you and he have*).
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.correct.candidates import Proposals
from onoma.correct.lists import TYPES, UNCOUNTED
from onoma.correct.model import EditRows, Encoded
from onoma.correct.slips.find import find_ruled

__all__ = ["SHARES", "apply_rules", "share_of"]

SHARES: Mapping[str, tuple[float, float]] = {
    "a or an by sound": (0.72, 0.86),
    "pronoun and verb": (0.96, 0.64),
    "noun and verb": (0.8, 0.8),
    "after a modal or do": (0.89, 0.86),
    "after to": (0.92, 0.88),
    "after have": (0.92, 0.88),
    "looking forward to": (0.91, 0.86),
    "number of a noun": (0.95, 0.91),
    "no plural": (0.95, 0.8),
    "a word twice": (0.93, 0.92),
    "misspelt": (0.92, 0.91),
    "perhaps misspelt": (0.93, 0.3),
    "irregular past": (0.94, 0.86),
    "compared twice": (0.93, 0.86),
    "be agree": (0.91, 0.86),
    "verb and its preposition": (0.92, 0.86),
    "for so long": (0.91, 0.86),
    "on the other hand": (0.91, 0.86),
    "always with a capital": (0.93, 0.94),
}
"""How many of a rule's edits are right in the text of learners and of practised writers. Measured on development parts
by `onoma reproduce gec/rules` (308 edits, annotators asked for 281; 68 and 56): a rule's own edits and ten more of the
mean of all rules, since most make few. Those of which the parts hold none (*for so long*, *on the other hand*)
have that mean. What is *perhaps misspelt* is left out of it and stays in practised writers' text: 5 of 9 were asked for
there, and 3 of 12 that the rule finds in 209,000 words of Wikipedia are slips."""
_SUBJUNCTIVE = frozenset(("if", "though", "wish", "wishes", "wished", "unless", "suppose"))

_SPELLING = ("misspelt", "perhaps misspelt")
_AGREEMENT, _NUMBER = TYPES.index("agreement"), TYPES.index("number")
_BEFORE = [TYPES.index(name) for name in ("article", "preposition")]


def share_of(rule: str, learner: float) -> float:
    """Return how many of a rule's edits are right where the writer is a learner with this probability."""
    learners, practised = SHARES[rule]
    return learner * learners + (1 - learner) * practised


def apply_rules(
    text: Encoded, edits: EditRows, p: NDArray[np.float64], proposals: Proposals, *, learner: float = 1.0
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Return probabilities with those of ruled edits raised, and the rule of each row that was raised."""
    ruled: dict[int, str] = {}
    out = p
    for k, (words, folded, tags) in enumerate(zip(text.sentences, text.folded, text.tags, strict=True)):
        for start, end, put, rule in find_ruled(words, folded, tags, proposals.forms, proposals.speller):
            row, share = _row_of(edits, proposals, k, (start, end, put)), share_of(rule, learner)
            if row < 0 or p[row] >= share:
                continue
            if out is p:
                out = p.copy()
            groups = edits.rows.groups
            place = int(np.searchsorted(groups, row, side="right")) - 1
            others = np.arange(groups[place], groups[place + 1])
            # What the others of the place have left is shared as before.
            out[others] *= (1 - share) / max(1 - p[row], 1e-12)
            out[row] = share
            ruled[row] = rule
            if rule in _SPELLING:  # what counts say of its neighbours is said of a word that they do not know
                out[[each for each in _beside(edits, k, start).tolist() if each not in ruled]] = 0.0
        for at, kinds in _spared(folded):
            first, last = np.searchsorted(edits.sentence, (k, k + 1)).tolist()
            here = edits.ends[first:last] == at if kinds == _BEFORE else edits.starts[first:last] == at
            rows = first + np.flatnonzero(here & np.isin(edits.types[first:last], kinds))
            out = p.copy() if out is p else out
            out[rows] = 0.0
    return out, ruled


def _beside(edits: EditRows, sentence: int, at: int) -> NDArray[np.int64]:
    """Return the rows that put, take or change an article or preposition before a word."""
    first, last = np.searchsorted(edits.sentence, (sentence, sentence + 1)).tolist()
    near = (edits.ends[first:last] == at) & np.isin(edits.types[first:last], _BEFORE)
    return np.asarray(first + np.flatnonzero(near), np.int64)


def _spared(folded: Sequence[str]) -> Iterator[tuple[int, list[int]]]:
    """Yield places with the types of edits that are not for them.

    Where *were* is the subjunctive's (*if he were*, *I wish it were*) agreement stays; *information* has no plural;
    before what is made of digits (*the Q3 numbers*, *an i7*) articles and prepositions stay, for counts have all digits
    alike.
    """
    for i, word in enumerate(folded):
        if word == "were" and _SUBJUNCTIVE & set(folded[max(0, i - 4) : i]):
            yield i, [_AGREEMENT]
        elif word in UNCOUNTED:
            yield i, [_NUMBER]
        elif "0" in word:
            yield i, _BEFORE


def _row_of(edits: EditRows, proposals: Proposals, sentence: int, edit: tuple[int, int, tuple[str, ...]]) -> int:
    """Return the row of an edit, -1 where it was not proposed."""
    first, last = np.searchsorted(edits.sentence, (sentence, sentence + 1)).tolist()
    mine = (
        (edits.starts[first:last] == edit[0]) & (edits.ends[first:last] == edit[1]) & (edits.actions[first:last] >= 0)
    )
    rows = (first + np.flatnonzero(mine)).tolist()
    return next((row for row in rows if proposals.actions[edits.actions[row]].put == edit[2]), -1)
