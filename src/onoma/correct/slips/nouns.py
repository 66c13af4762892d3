"""Slips of number that the words before a noun make certain: *many person*, *every days*, *one of the best place*.

Nouns that have hardly a plural in native text (*research*, *progress*) are left alone, and so are parts of longer names
(*many person hours*) and measures (*a two year old child*).
"""

from collections.abc import Iterator, Sequence

from onoma.correct.forms import Forms
from onoma.correct.slips.verbs import Ruled
from onoma.correct.spelling import Speller
from onoma.correct.tags import tag_set

__all__ = ["of_number"]

_MANY = frozenset(
    (
        "many", "several", "these", "those", "various", "two", "three", "four", "five", "six", "seven", "eight", "nine",
        "ten",
    )
)  # fmt: skip
_ONE = frozenset(("every", "each"))
_UNLIKE = frozenset(
    ("kind", "sort", "type", "time", "means", "series", "species", "others", "people", "percent", "fold")
)
"""*These kind of*, *every two means*: said so, or meant otherwise."""
_DESCRIBES = tag_set("JJ JJR JJS")
_AFTER = tag_set(", . IN VBZ VBP VBD MD TO WDT WP RB : -RRB-")
_FINITE = tag_set("VBZ VBP VBD MD , .")
_OWNERS = frozenset(("the", "my", "our", "their", "his", "her", "your", "its"))
_COUNTABLE = 0.15
"""A noun is counted where native text has its plural at least so often, by one of its singular."""
_AGES = frozenset(("old", "long", "tall", "high", "wide", "deep", "away", "later", "apart"))


def of_number(
    i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms, speller: Speller | None
) -> Iterator[Ruled]:
    """Yield the noun after a word that asks for one or for many."""
    word = folded[i]
    if word in _MANY:
        at = _noun(i + 1, tags)
        if at == i + 1 and folded[at] in forms.verbs and tags[at + 1 : at + 2] and tags[at + 1] not in _FINITE:
            return  # *the two fall in love*, *studies like these point to it*
        if at > 0 and tags[i] in ("JJ", "CD", "DT") and _lacks_plural(at, folded, tags, forms, speller):
            yield at, at + 1, (forms.plural[folded[at]],), "number of a noun"
    elif word in _ONE:
        noun, after = folded[i + 1], folded[i + 2] if i + 2 < len(folded) else ""
        told = tags[i + 1] == "NNS" and noun in forms.singular and noun not in _UNLIKE and after not in ("'", "'s")
        if told and (word == "every" or not i or tags[i - 1] in ("IN", ",", "VB", "VBP", "VBZ", "VBD")):
            yield i + 1, i + 2, (forms.singular[noun],), "number of a noun"
    elif word == "one" and folded[i + 1] == "of" and i + 4 < len(folded) and folded[i + 2] in _OWNERS:
        at = _noun(i + 4, tags)
        best = folded[i + 3] == "most" or tags[i + 3] == "JJS"
        if best and at > 0 and _lacks_plural(at, folded, tags, forms, speller):
            yield at, at + 1, (forms.plural[folded[at]],), "number of a noun"


def _noun(at: int, tags: Sequence[str]) -> int:
    """Return the place of a noun behind at most two adjectives, -1 where there is none."""
    for k in range(at, min(at + 3, len(tags))):
        if tags[k] == "NN":
            return k
        if tags[k] not in _DESCRIBES:
            return -1
    return -1


def _lacks_plural(at: int, folded: Sequence[str], tags: Sequence[str], forms: Forms, speller: Speller | None) -> bool:
    noun = folded[at]
    many = forms.plural.get(noun)
    if many is None or noun in _UNLIKE:
        return False
    if at + 1 < len(tags) and (tags[at + 1] not in _AFTER or folded[at + 1] in _AGES):
        return False
    if speller is None:
        return True
    return speller.counts.get(many, 0) >= _COUNTABLE * max(speller.counts.get(noun, 0), 1)
