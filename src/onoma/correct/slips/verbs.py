"""Slips of verbs that neighbours make certain: *I has*, *can goes*, *have went*, *had to waited*, *people who is*.

Each finder looks at one word and what stands around it, and yields edits (`find`). It is silent where English has a
reason: *did she go*, *suggest that he go*, *you and he have*, *all we can to help*, *the people I talked to went home*.
"""

from collections.abc import Iterator, Sequence

from onoma.correct.forms import Forms
from onoma.correct.tags import tag_set

__all__ = ["AUXILIARIES", "Ruled", "after_modal", "of_nouns", "of_perfect", "of_pronouns", "of_relatives", "of_there"]

Ruled = tuple[int, int, tuple[str, ...], str]
"""Start, end, the words put (in small letters), and the rule."""
AUXILIARIES = frozenset(
    ("am", "is", "are", "was", "were", "be", "been", "being", "'s", "'re", "'m", "have", "has", "had", "having", "'ve")
)
"""What a participle follows."""
MANY = frozenset(("i", "you", "we", "they"))
ONE = frozenset(("he", "she", "it"))
_BEING = {
    ("i", "is"): "am", ("i", "are"): "am", ("i", "were"): "", ("you", "is"): "are", ("you", "was"): "were",
    ("we", "is"): "are", ("we", "was"): "were", ("we", "am"): "are", ("they", "is"): "are", ("they", "was"): "were",
    ("they", "am"): "are", ("you", "am"): "are", ("he", "are"): "is", ("she", "are"): "is", ("it", "are"): "is",
    ("he", "am"): "is", ("she", "am"): "is", ("it", "am"): "is",
}  # fmt: skip
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}
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
_JOINING = frozenset(("and", "or", "nor", "&", "of", "between", "like", "than", "except"))
_CLAUSE = tag_set("CC , . : `` '' WRB WDT WP -LRB-")
_CLAUSE_WORDS = frozenset(("that", "if", "because", "when", "while", "although", "since", "as", "so", "think", "know"))
_BETWEEN = frozenset(
    ("always", "often", "never", "also", "usually", "sometimes", "really", "still", "only", "just", "already", "not")
)
MODAL = frozenset(("can", "could", "will", "would", "should", "may", "might", "must", "ca", "wo"))
DO = frozenset(("do", "does", "did"))
HAVE = frozenset(("have", "has", "had", "'ve"))
_SUBJECT = tag_set("PRP NN NNS NNP NNPS WDT WP EX RB")
_WHOLE = frozenset(("all", "everything", "anything", "whatever", "what", "best", "much", "most"))
"""*All we can to help*: the modal has no verb of its own."""
_OBJECT = tag_set("DT PRP$ PRP CD")
_WANTING = frozenset(
    (
        "have", "has", "had", "want", "wants", "wanted", "need", "needs", "needed", "able", "try", "tries", "tried",
        "decide", "decides", "decided", "hope", "hopes", "hoped", "like", "likes",
    )
)  # fmt: skip
"""Words whose *to* goes with a verb."""
_PEOPLE = frozenset(("people", "children", "students", "parents", "women", "men"))
_INSIDE = tag_set("DT PRP$ JJ JJR JJS")
_SINGULAR = frozenset(("a", "an", "this", "that", "each", "every", "another", "one", "no", "any", "either", "neither"))
_BEHIND = tag_set("DT PRP$ PRP TO VBG IN")
"""What follows a verb rather than a noun: *women candidates face it*."""
_MASS = frozenset(
    ("news", "series", "species", "means", "headquarters", "works", "data", "media", "odds", "lots", "dollars")
)
_OWNERS = frozenset(("my", "your", "his", "her", "our", "their", "this", "that"))
_SOME = frozenset(("family", "team", "staff", "group", "band", "class", "crew", "side", "lot", "majority", "company"))
"""Nouns of several people, which may go with a plural."""
_SEVERAL = frozenset(
    ("many", "several", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "these", "those")
)
_DESCRIBES = tag_set("JJ JJR JJS CD DT")
_OPENS = frozenset(("that", "because", "if", "when", "while", "although", "think", "believe", "so"))


def of_pronouns(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*I has*, *he go*: a pronoun and the verb after it, adverbs between."""
    at = _next(folded, i + 1)
    if at < 0 or tags[i] != "PRP" or (i and (_is_joined(i, folded, tags) or tags[i - 1] == "DT")):
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
    if slots.keys() == {"VBN"} and opens and at == i + 1 and who not in ("you", "it") and not verb.endswith("ed"):
        yield at, at + 1, (forms.verbs[slots["VBN"]][2],), "pronoun and verb"  # *I seen*
    elif who in MANY:
        if tags[at] == "VBZ" and "VBZ" in slots:
            yield at, at + 1, (forms.verbs[slots["VBZ"]][0],), "pronoun and verb"
    elif verb != "need" and tags[at] in ("VBP", "VB") and "VB" in slots and not slots.keys() & {"VBD", "VBN"}:
        back = 0 if i > 1 and folded[i - 2] == "," and folded[i - 1] in ("but", "and", "so") else _BACK
        before = zip(folded[max(0, i - back) : i], tags[max(0, i - back) : i], strict=True)
        if not any(each in _OPEN or tag == "MD" for each, tag in before):
            yield at, at + 1, (forms.verbs[slots["VB"]][1],), "pronoun and verb"


def _is_joined(i: int, folded: Sequence[str], tags: Sequence[str]) -> bool:
    """Return whether a pronoun may be one of several: *you and he*, *you, he*."""
    before, further = folded[i - 1], folded[i - 2] if i > 1 else ""
    if before == "but":  # *nobody but he*; a clause begins after a comma
        return further != ","
    return before in _JOINING or (before == "," and i > 1 and tags[i - 2] in ("PRP", "NNP", "NNPS"))


def after_modal(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*Can goes*, *did not went*, *had to waited*, *looking forward to hear*: the form after a modal, *do* or *to*."""
    word = folded[i]
    if word == "to":
        yield from _infinitive(i, folded, tags, forms)
        return
    if word in MODAL and (tags[i] != "MD" or not i or tags[i - 1] not in _SUBJECT):
        return
    at = _next(folded, i + 1)
    if at > 0 and folded[at] == "to" and word in MODAL and tags[at + 1 : at + 2] == ["VB"]:
        if not _WHOLE & set(folded[max(0, i - _BACK) : i]):
            yield at, at + 1, (), "after a modal or do"
        return
    if at < 0 or (word in DO and folded[at - 1] not in ("not", "n't")):
        return
    found = forms.verb_slots(folded[at])
    slots = {slot: lemma for lemma, slot in found}
    allowed = {"VBZ", "VBD", "VBN"} if word in MODAL else {"VBZ", "VBD"}
    if not slots or slots.keys() - allowed or tags[at] not in ("VBZ", "VBD", "VBN") or folded[at] in _BE:
        return
    if folded[at] in forms.singular or folded[at] in forms.plural:
        return
    yield at, at + 1, (forms.verbs[found[0][0]][0],), "after a modal or do"


def _infinitive(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    found = forms.verb_slots(folded[i + 1])
    slots = {slot: lemma for lemma, slot in found}
    if i > 1 and folded[i - 1] == "forward" and folded[i - 2].startswith("look") and tags[i + 1] == "VB":
        is_verb = folded[i + 1] not in forms.plural or (tags[i + 2 : i + 3] and tags[i + 2] in _OBJECT)
        if "VB" in slots and is_verb:
            yield i + 1, i + 2, (forms.verbs[slots["VB"]][4],), "looking forward to"
    elif (
        i
        and slots
        and folded[i - 1] in _WANTING
        and not slots.keys() - {"VBZ", "VBD", "VBN"}
        and tags[i + 1] in ("VBZ", "VBD", "VBN")
        and folded[i + 1] not in forms.singular
        and folded[i + 1] not in _BE  # *all they need to is ask*
    ):
        yield i + 1, i + 2, (forms.verbs[found[0][0]][0],), "after to"


def of_perfect(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*Have went*, *has make it*: what stands after *have* is a participle."""
    at = _next(folded, i + 1)
    if at < 0 or not i or tags[i - 1] not in ("PRP", "NN", "NNS", "NNP", "WP", "WDT", "EX"):
        return
    if _WHOLE & set(folded[max(0, i - _BACK) : i]):
        return  # *whatever money they had went into it*
    found = forms.verb_slots(folded[at])
    slots = {slot for _, slot in found}
    is_past = slots == {"VBD"} and tags[at] in ("VBD", "VBN") and not folded[at].endswith("ed")  # *learned*, *learnt*
    is_base = slots == {"VB"} and tags[at] in ("VB", "VBP") and tags[at + 1 : at + 2] and tags[at + 1] in _OBJECT
    if (is_past or is_base) and folded[at] not in _BE:
        right = forms.verbs[found[0][0]][3]
        if right and right != folded[at]:
            yield at, at + 1, (right,), "after have"


def of_relatives(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*People who is*: the verb of a relative clause goes with the noun before *who*."""
    at = _next(folded, i + 1)
    if at < 0 or not i or tags[i - 1] != "NNS" or tags[at] not in ("VBZ", "VBD"):
        return
    if folded[i - 1] not in forms.singular and folded[i - 1] != "people":
        return
    if "only" in folded[max(0, i - 8) : i] or _SINGULAR & set(folded[max(0, i - 8) : i]):
        return  # *one of the people who is*, *a students who is*
    if folded[i - 1] not in _PEOPLE and "IN" in tags[max(0, i - 4) : i]:
        return  # *the head of studies who is*
    yield from _made_plural(at, folded, tags, forms, "noun and verb")


def of_there(i: int, folded: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*There is many reasons*: the verb goes with the nouns behind it."""
    at = _next(folded, i + 1)
    if tags[i] != "EX" or at < 0 or folded[at] not in ("is", "was"):
        return
    first = _next(folded, at + 1)
    if first < 0 or (folded[first] not in _SEVERAL and tags[first] != "NNS"):
        return
    noun = first
    while noun < len(tags) and tags[noun] in _DESCRIBES:
        noun += 1
    if tags[noun : noun + 1] != ["NNS"] or folded[noun] in _MASS or tags[noun + 1 : noun + 2] == ["NN"]:
        return
    if folded[noun] in forms.singular or folded[noun] == "people":
        yield at, at + 1, (_PLURAL[folded[at]],), "noun and verb"


def of_nouns(i: int, words: Sequence[str], tags: Sequence[str], forms: Forms) -> Iterator[Ruled]:
    """*The children is*, *my sister don't*: a noun that opens a clause, and its verb."""
    noun, at = words[i], i + 1
    if tags[i] == "NN":
        owned = i and words[i - 1].lower() in _OWNERS and (i == 1 or _opens(i - 1, words, tags))
        if owned and noun in forms.plural and noun not in _SOME and words[at : at + 2] == ["do", "n't"]:
            yield at, at + 1, ("does",), "noun and verb"
        return
    if tags[at] not in ("VBZ", "VBD") or not noun.islower() or noun in _MASS or noun.endswith("ics"):
        return
    if noun not in forms.singular and noun != "people":
        return
    first = i
    while first and tags[first - 1] in _INSIDE:
        first -= 1
    if {word.lower() for word in words[first:i]} & _SINGULAR:
        return
    if first == 0 or _opens(first, words, tags):
        yield from _made_plural(at, [word.lower() for word in words], tags, forms, "noun and verb")


def _opens(first: int, words: Sequence[str], tags: Sequence[str]) -> bool:
    return words[first - 1].lower() in _OPENS or (tags[first - 1] == "," and first > 1)


def _made_plural(at: int, folded: Sequence[str], tags: Sequence[str], forms: Forms, rule: str) -> Iterator[Ruled]:
    verb = folded[at]
    if verb in _PLURAL:
        yield at, at + 1, (_PLURAL[verb],), rule
    elif tags[at] == "VBZ" and (verb not in forms.singular or (tags[at + 1 : at + 2] and tags[at + 1] in _BEHIND)):
        found = [lemma for lemma, slot in forms.verb_slots(verb) if slot == "VBZ"]
        if found:
            yield at, at + 1, (forms.verbs[found[0]][0],), rule


def _next(folded: Sequence[str], at: int) -> int:
    """Return the place of the first word that is no adverb, -1 behind the sentence's end."""
    while at < len(folded) and (folded[at] in _BETWEEN or folded[at] == "n't"):
        at += 1
    return at if at < len(folded) else -1
