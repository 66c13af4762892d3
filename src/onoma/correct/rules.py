"""Slips that a rule of grammar names: *an university*, *I has*, *can goes*, *informations*, *the the*.

Such slips are rare in the text that models learn from, and certain where they are seen. A rule names an edit, whose
probability is then at least the rule's (`SHARES`), whatever the model and the writer say. And a rule may forbid one
that is frequent and never right: *if he were* stays. The rules know words and tags, not sentences' structure, so they
keep to neighbours and are silent where English has a reason (*did she go*, *suggest that he go*, *you and he have*).
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from onoma.correct.candidates import Proposals
from onoma.correct.forms import Forms
from onoma.correct.lists import CONTRACTED, REPEATED, TYPES
from onoma.correct.model import EditRows, Encoded
from onoma.correct.sounds import article_for
from onoma.correct.spelling import Speller
from onoma.correct.tags import tag_set

__all__ = ["SHARES", "Ruled", "apply_rules", "find_ruled"]

SHARES: Mapping[str, float] = {
    "a or an by sound": 0.9,
    "pronoun and verb": 0.9,
    "after a modal or do": 0.9,
    "looking forward to": 0.9,
    "no plural": 0.9,
    "a word twice": 0.9,
    "misspelt": 0.9,
    "irregular past": 0.9,
    "compared twice": 0.9,
    "be agree": 0.9,
    "verb and its preposition": 0.9,
    "for so long": 0.9,
    "on the other hand": 0.9,
    "always with a capital": 0.9,
}
"""How many of each rule's edits are right. On CoNLL-2013 and the development parts of CWEB and JFLEG the rules make 52
edits in 192,000 words: annotators asked for 20 of the 35 in the first two, by our own reading all but two are right
(most of the others were asked for in other words, or overlooked). On 640,000 words of native text they make 8, of which
five are slips. Few for each rule, so all have one number, below what reading says. `misspelt` is of 178 words of
JFLEG's development part, of which 164 have the word that is put in one of four rewrites. Of the rules from `irregular
past` on the development essays hold nothing and those of CWEB 15 capitals (13 asked for, one was wrong and its word is
gone): they stand on grammar, not on counts."""
_MARGIN, _COMMON, _LONG = 0.8, 100, 8
"""A misspelling is certain where the next candidate is so far behind, the word put so frequent, and one stroke, or two
of a long word, are between them; chosen on JFLEG's development part and 280,000 words of native text (37 such)."""
_SUBJUNCTIVE = frozenset(("if", "though", "wish", "wishes", "wished", "unless", "suppose"))

Ruled = tuple[int, int, tuple[str, ...], str]
"""Start, end, the words put (in small letters), and the rule."""

_SHORTEST = 4
_AGREEMENT = TYPES.index("agreement")
_BEFORE = [TYPES.index(name) for name in ("article", "preposition")]
_MANY = frozenset(("i", "you", "we", "they"))
_ONE = frozenset(("he", "she", "it"))
_BEING = {
    ("i", "is"): "am", ("i", "are"): "am", ("i", "were"): "", ("you", "is"): "are", ("you", "was"): "were",
    ("we", "is"): "are", ("we", "was"): "were", ("we", "am"): "are", ("they", "is"): "are", ("they", "was"): "were",
    ("they", "am"): "are", ("you", "am"): "are", ("he", "are"): "is", ("she", "are"): "is", ("it", "are"): "is",
    ("he", "am"): "is", ("she", "am"): "is", ("it", "am"): "is",
}  # fmt: skip
_BE = frozenset(("am", "is", "are", "was", "were", "be", "been", "being", "'s", "'re", "'m"))
_OPEN = frozenset(
    (
        "do", "does", "did", "can", "could", "will", "would", "shall", "should", "may", "might", "must", "let", "have",
        "has", "had", "make", "makes", "made", "see", "saw", "help", "helped", "watch", "hear", "heard", "to", "need",
        "dare", "that", "if", "though", "lest", "as", "wish", "whether", "than", "were", "is", "be", "or",
    )
)  # fmt: skip
"""After these, some words back, a base form may belong to a third person."""
_BACK = 5
_JOINING = frozenset(("and", "or", "nor", "&", ",", "of", "between", "like", "than", "but", "except"))
_CLAUSE = tag_set("CC , . : `` '' WRB WDT WP -LRB-")
_CLAUSE_WORDS = frozenset(("that", "if", "because", "when", "while", "although", "since", "as", "so", "think", "know"))
_BETWEEN = frozenset(
    ("always", "often", "never", "also", "usually", "sometimes", "really", "still", "only", "just", "already", "not")
)
_MODAL = frozenset(("can", "could", "will", "would", "should", "may", "might", "must", "ca", "wo"))
_DO = frozenset(("do", "does", "did"))
_INSIDE = tag_set("JJ JJR JJS NN NNS NNP NNPS CD RB VBN VBG")
_COMPARED = frozenset(
    ("better", "worse", "easier", "cheaper", "faster", "bigger", "smaller", "higher", "lower", "harder", "stronger")
)
_GOVERNED = {
    ("depend", "of"): "on", ("depends", "of"): "on", ("depended", "of"): "on", ("depend", "from"): "on",
    ("depends", "from"): "on", ("insist", "in"): "on", ("insists", "in"): "on", ("suffer", "of"): "from",
    ("suffers", "of"): "from", ("discuss", "about"): "", ("discussed", "about"): "", ("responsible", "of"): "for",
    ("afraid", "from"): "of", ("interested", "on"): "in", ("participate", "to"): "in", ("participated", "to"): "in",
}  # fmt: skip
"""Words and the preposition that is never theirs → the one that is."""
_LINKING = frozenset(
    (
        "furthermore", "moreover", "however", "therefore", "nevertheless", "nonetheless", "consequently",
        "finally", "firstly", "secondly", "thirdly", "unfortunately", "fortunately", "especially", "actually",
        "basically", "generally", "usually", "sometimes", "although", "besides", "nowadays", "recently",
    )
)  # fmt: skip
"""What a sentence begins with that is no name."""
_SPANS = frozenset(("years", "months", "weeks", "days", "hours", "minutes"))
_CAPITAL = frozenset(
    (
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "april",
        "june", "july", "september", "october", "november", "december", "english", "spanish", "german", "italian",
        "japanese", "korean", "russian", "portuguese", "london", "paris", "america", "europe", "africa",
        "asia", "india", "japan", "spain", "germany", "italy", "france", "england", "russia", "brazil", "canada",
        "australia", "mexico", "i",
    )
)  # fmt: skip
"""Of the words that native text always writes with a capital: those that mean nothing else."""
_NO_PLURAL = {
    word + "s": word
    for word in ("information", "advice", "furniture", "homework", "equipment", "knowledge", "software", "luggage",
                 "feedback", "data", "machinery", "jewelry", "baggage", "hardware", "scenery", "evidence")
}  # fmt: skip


def apply_rules(
    text: Encoded, edits: EditRows, p: NDArray[np.float64], proposals: Proposals
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Return probabilities with those of ruled edits raised, and the rule of each row that was raised."""
    ruled: dict[int, str] = {}
    out = p
    for k, (words, folded, tags) in enumerate(zip(text.sentences, text.folded, text.tags, strict=True)):
        for start, end, put, rule in find_ruled(words, folded, tags, proposals.forms, proposals.speller):
            row = _row_of(edits, proposals, k, (start, end, put))
            if row < 0 or p[row] >= SHARES[rule]:
                continue
            if out is p:
                out = p.copy()
            groups = edits.rows.groups
            place = int(np.searchsorted(groups, row, side="right")) - 1
            others = np.arange(groups[place], groups[place + 1])
            # What the others of the place have left is shared as before.
            out[others] *= (1 - SHARES[rule]) / max(1 - p[row], 1e-12)
            out[row] = SHARES[rule]
            ruled[row] = rule
            if rule == "misspelt":  # what counts say of its neighbours is said of a word that they do not know
                out[_beside(edits, k, start)] = 0.0
        for at, kinds in _spared(folded):
            first, last = np.searchsorted(edits.sentence, (k, k + 1)).tolist()
            here = edits.starts[first:last] == at if kinds == [_AGREEMENT] else edits.ends[first:last] == at
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

    Where *were* is the subjunctive's (*if he were*, *I wish it were*) agreement stays; before what is made of digits
    (*the Q3 numbers*, *an i7*) articles and prepositions do, for counts have all digits alike.
    """
    for i, word in enumerate(folded):
        if word == "were" and _SUBJUNCTIVE & set(folded[max(0, i - 4) : i]):
            yield i, [_AGREEMENT]
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


def find_ruled(
    words: Sequence[str], folded: Sequence[str], tags: Sequence[str], forms: Forms, speller: Speller | None = None
) -> Iterator[Ruled]:
    """Yield the edits of a tagged sentence that rules name; without a speller no misspellings."""
    last = len(words) - 1
    for i, word in enumerate(folded):
        if word in CONTRACTED:
            yield i, i + 1, (CONTRACTED[word],), "misspelt"
        elif speller is not None and not speller.knows(word) and _is_plain(i, words, folded) and tags[i] != "FW":
            past = forms.irregular_past(word)
            right = past or _misspelt(word, speller)
            if right and (words[i].islower() or right in _LINKING):
                yield i, i + 1, (right,), "irregular past" if past else "misspelt"
        if word in _CAPITAL and words[i] == word and (not i or words[i - 1].isalpha() or words[i - 1] == ","):
            yield i, i + 1, (word.capitalize(),), "always with a capital"
        if word in _NO_PLURAL and tags[i] != "VBZ":
            yield i, i + 1, (_NO_PLURAL[word],), "no plural"
        elif i == last:
            return
        elif word in ("a", "an"):
            if (i == 0 or words[i].islower()) and tags[i] == "DT" and tags[i + 1] in _INSIDE:
                right = article_for(words[i + 1])
                if right and right != word:
                    yield i, i + 1, (right,), "a or an by sound"
        elif word in _MANY or word in _ONE:
            yield from _pronoun(i, folded, tags, forms)
        elif word in _MODAL or word in _DO or word == "to":
            yield from _bare(i, folded, tags, forms)
        else:
            yield from _idiom(i, folded, tags, forms)
        if word in REPEATED and folded[i + 1] == word and words[i + 1].islower():
            yield i, i + 2, (word,), "a word twice"


def _is_plain(i: int, words: Sequence[str], folded: Sequence[str]) -> bool:
    """Return whether a word is no name: in small letters, or the first of a sentence and before a comma."""
    return words[i].islower() or (i == 0 and words[0][1:].islower() and folded[1:2] == [","])


def _idiom(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*More better*, *I am agree*, *depends of*, *since two years*."""
    word, following = folded[i], folded[i + 1]
    after = folded[i + 2] if i + 2 < len(folded) else ""
    if word == "more" and following in _COMPARED and (i + 2 == len(folded) or tags[i + 2] not in ("NN", "NNS", "JJ")):
        yield i, i + 1, (), "compared twice"
    elif word in ("am", "are", "is") and following in ("agree", "disagree") and following in forms.verbs:
        yield i, i + 2, (forms.verbs[following][word == "is"],), "be agree"
    elif word == "in" and folded[i + 1 : i + 4] == ["the", "other", "hand"] and tags[i + 4 : i + 5] == [","]:
        yield i, i + 1, ("on",), "on the other hand"
    elif (word, following) in _GOVERNED and tags[i + 1] == "IN":
        right = _GOVERNED[word, following]
        yield i + 1, i + 2, (right,) if right else (), "verb and its preposition"
    elif word == "since" and tags[i + 1] == "CD" and after in _SPANS and "ago" not in folded[i + 3 : i + 4]:
        yield i, i + 1, ("for",), "for so long"


def _misspelt(word: str, speller: Speller) -> str:
    found = speller.corrections(word)
    if not found or len(word) < _SHORTEST:
        return ""
    (right, nearness), behind = found[0], found[1][1] if len(found) > 1 else -np.inf
    if nearness - behind < _MARGIN or speller.counts.get(right, 0) < _COMMON:
        return ""
    return right if len(word) >= _LONG or OSA.distance(word, right) == 1 else ""


def _pronoun(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*I has*, *he go*: a pronoun and the verb after it, adverbs between."""
    at = _next(folded, i + 1)
    if at < 0 or tags[i] != "PRP" or (i and (folded[i - 1] in _JOINING or tags[i - 1] == "DT")):
        return
    who, verb = folded[i], folded[at]
    opens = i == 0 or tags[i - 1] in _CLAUSE or folded[i - 1] in _CLAUSE_WORDS
    if who in ("you", "it") and not opens:
        return  # it may be an object
    if verb in _BE:
        right = _BEING.get((who, verb), "")
        if right:
            yield at, at + 1, (right,), "pronoun and verb"
        return
    slots = {slot: lemma for lemma, slot in forms.verb_slots(verb)}
    if who in _MANY:
        if tags[at] == "VBZ" and "VBZ" in slots:
            yield at, at + 1, (forms.verbs[slots["VBZ"]][0],), "pronoun and verb"
    elif verb != "need" and tags[at] in ("VBP", "VB") and "VB" in slots and not slots.keys() & {"VBD", "VBN"}:
        before = folded[max(0, i - _BACK) : i]
        if not any(each in _OPEN or tag == "MD" for each, tag in zip(before, tags[max(0, i - _BACK) : i], strict=True)):
            yield at, at + 1, (forms.verbs[slots["VB"]][1],), "pronoun and verb"


def _bare(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*Can goes*, *did not went*, *looking forward to hear*: the form after a modal, *do* or *to*."""
    word = folded[i]
    if word == "to":
        at = i + 1
        if i > 1 and folded[i - 1] == "forward" and folded[i - 2].startswith("look") and tags[at] == "VB":
            slots = {slot: lemma for lemma, slot in forms.verb_slots(folded[at])}
            if "VB" in slots and folded[at] not in forms.plural:
                yield at, at + 1, (forms.verbs[slots["VB"]][4],), "looking forward to"
        return
    if word in _MODAL and tags[i] != "MD":
        return
    at = _next(folded, i + 1)
    if at > 0 and folded[at] == "to" and word in _MODAL and tags[at + 1 : at + 2] == ["VB"]:
        yield at, at + 1, (), "after a modal or do"
        return
    if at < 0 or (word in _DO and folded[at - 1] not in ("not", "n't")):
        return
    found = forms.verb_slots(folded[at])
    slots = {slot: lemma for lemma, slot in found}
    if not slots or slots.keys() - {"VBZ", "VBD"} or tags[at] not in ("VBZ", "VBD", "VBN") or folded[at] in _BE:
        return
    if folded[at] in forms.singular or folded[at] in forms.plural:
        return
    yield at, at + 1, (forms.verbs[found[0][0]][0],), "after a modal or do"


def _next(folded: Sequence[str], at: int) -> int:
    """Return the place of the first word that is no adverb, -1 behind the sentence's end."""
    while at < len(folded) and (folded[at] in _BETWEEN or folded[at] == "n't"):
        at += 1
    return at if at < len(folded) else -1
