"""Slips that can be told by a word and its neighbours: *an university*, *informations*, *the the*, *depends of*.

A finder yields edits with the name of the rule that asks for them; what a rule is worth stands in `rules`. The rules
know words and tags, not the structure of sentences, so they keep to neighbours. Those of verbs and of the number of
nouns are files of their own.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from rapidfuzz.distance import OSA

from onoma.correct.forms import Forms
from onoma.correct.lists import CONTRACTED, REPEATED, UNCOUNTED
from onoma.correct.slips.nouns import of_number
from onoma.correct.slips.verbs import (
    AUXILIARIES,
    DO,
    HAVE,
    MANY,
    MODAL,
    ONE,
    Ruled,
    after_modal,
    of_nouns,
    of_perfect,
    of_pronouns,
    of_relatives,
    of_there,
)
from onoma.correct.sounds import article_for
from onoma.correct.spelling import Speller, is_doubled
from onoma.correct.tags import tag_set

__all__ = ["Ruled", "find_ruled"]

_MARGIN, _COMMON, _LONG = 0.8, 100, 8
"""A misspelling is certain where the next candidate is so far behind, the word put so frequent, and one stroke, or two
of a long word, are between them; chosen on JFLEG's development part and 280,000 words of native text (37 such)."""
_SHORTEST, _SHORT, _ENDING = 4, 5, 2
"""Words of fewer letters are not looked at; those of five letters, and what differs in its last two, may be a word that
is not known (*terroir*, *rootsy*)."""
_INSIDE = tag_set("JJ JJR JJS NN NNS NNP NNPS CD RB VBN VBG")
_COMPARED = frozenset(
    ("better", "worse", "easier", "cheaper", "faster", "bigger", "smaller", "higher", "lower", "harder", "stronger")
)
_GOVERNED = {
    ("depend", "of"): "on", ("depends", "of"): "on", ("depended", "of"): "on", ("depend", "from"): "on",
    ("depends", "from"): "on", ("insist", "in"): "on", ("insists", "in"): "on", ("suffer", "of"): "from",
    ("suffers", "of"): "from", ("discuss", "about"): "", ("discussed", "about"): "", ("responsible", "of"): "for",
    ("afraid", "from"): "of", ("interested", "on"): "in", ("participate", "to"): "in", ("participated", "to"): "in",
    ("addicted", "of"): "to", ("despite", "of"): "",
}  # fmt: skip
"""Words and the preposition that is never theirs → the one that is."""
_ADVERBS = frozenset(("not", "n't", "never", "always", "also", "already", "just", "ever", "been", "being"))
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
_JOINED = {
    "alot": ("a", "lot"), "aswell": ("as", "well"), "infact": ("in", "fact"), "ofcourse": ("of", "course"),
    "eventhough": ("even", "though"), "inspite": ("in", "spite"), "atleast": ("at", "least"), "incase": ("in", "case"),
}  # fmt: skip
"""Two words that are often written as one."""
_NO_PLURAL = {word + "s": word for word in sorted(UNCOUNTED)}


def find_ruled(
    words: Sequence[str], folded: Sequence[str], tags: Sequence[str], forms: Forms, speller: Speller | None = None
) -> Iterator[Ruled]:
    """Yield the edits of a tagged sentence that rules name; without a speller no misspellings."""
    last = len(words) - 1
    for i, word in enumerate(folded):
        yield from _of_word(i, words, folded, tags, forms, speller)
        if i == last:
            return
        if word in ("a", "an"):
            if (i == 0 or words[i].islower()) and tags[i] == "DT" and tags[i + 1] in _INSIDE:
                right = article_for(words[i + 1])
                if right and right != word:
                    yield i, i + 1, (right,), "a or an by sound"
        elif word in MANY or word in ONE:
            yield from of_pronouns(i, folded, tags, forms)
        elif word in MODAL or word in DO or word == "to":
            yield from after_modal(i, folded, tags, forms)
        elif word in HAVE:
            yield from of_perfect(i, folded, tags, forms)
        elif word == "who":
            yield from of_relatives(i, folded, tags, forms)
        elif word == "there":
            yield from of_there(i, folded, tags, forms)
        else:
            yield from _idiom(i, folded, tags, forms)
            if tags[i] in ("NN", "NNS"):
                yield from of_nouns(i, words, tags, forms)
            yield from of_number(i, folded, tags, forms, speller)
        if word in REPEATED and folded[i + 1] == word and words[i + 1].islower():
            yield i, i + 2, (word,), "a word twice"


def _of_word(
    i: int,
    words: Sequence[str],
    folded: Sequence[str],
    tags: Sequence[str],
    forms: Forms,
    speller: Speller | None,
) -> Iterator[Ruled]:
    """*Dont*, *writed*, *recieve*, *monday*, *informations*: slips that a word shows by itself."""
    word = folded[i]
    if word in CONTRACTED:
        yield i, i + 1, (CONTRACTED[word],), "misspelt"
    elif speller is not None and not speller.knows(word) and _is_plain(i, words) and tags[i] != "FW":
        past = forms.irregular(word)
        if past and words[i].islower():
            before = next((each for each in reversed(folded[:i]) if each not in _ADVERBS), "")
            yield i, i + 1, (past[before in AUXILIARIES],), "irregular past"
        elif word in _JOINED:
            yield i, i + 1, _JOINED[word], "misspelt"
        elif not past and folded[i + 1 : i + 2] != ["'"]:  # *livin'* is meant
            right, rule = _misspelt(word, speller)
            if right and (words[i].islower() or right in _LINKING or _is_no_name(word, right, rule, speller)):
                yield i, i + 1, (right,), rule
    if word in _CAPITAL and words[i] == word and (not i or words[i - 1].isalpha() or words[i - 1] == ","):
        yield i, i + 1, (word.capitalize(),), "always with a capital"
    if word in _NO_PLURAL and tags[i] != "VBZ":
        yield i, i + 1, (_NO_PLURAL[word],), "no plural"


def _is_plain(i: int, words: Sequence[str]) -> bool:
    """Return whether a word may be no name: in small letters, or the first of a sentence."""
    return words[i].islower() or (i == 0 and words[0][1:].islower())


def _is_no_name(word: str, right: str, rule: str, speller: Speller) -> bool:
    """Return whether a misspelt first word is too long, and too near to a word without capital, to be a name."""
    return len(word) >= _LONG and rule == "misspelt" and OSA.distance(word, right) == 1 and speller.is_small(right)


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


def _misspelt(word: str, speller: Speller) -> tuple[str, str]:
    """Return what a misspelling stands for where that is certain, and which rule says so."""
    found = speller.corrections(word)
    if not found or len(word) < _SHORTEST:
        return "", ""
    right, nearness = found[0]
    rivals = found[1:] if not is_doubled(word, right) else [pair for pair in found[1:] if " " not in pair[0]]
    behind = rivals[0][1] if rivals else -np.inf  # *usefull* is not *use full*
    if nearness - behind < _MARGIN or speller.counts.get(right, 0) < _COMMON or right[0] != word[0]:
        return "", ""
    n_strokes = OSA.distance(word, right)
    if n_strokes > 1 and (len(word) < _LONG or word[-_ENDING:] != right[-_ENDING:]):
        return "", ""  # two strokes at the end are a derivation: *investee*, *stationarity*
    plain = len(word) > _SHORT and (word[-_ENDING:] == right[-_ENDING:] or is_doubled(word, right))
    return right, "misspelt" if plain else "perhaps misspelt"
