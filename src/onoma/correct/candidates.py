"""Edits worth asking about: for each word and each gap of a tagged sentence, what else might have been meant.

An *action* says what an edit does apart from its place: its type, how many words it takes away, the words it puts
there, and (where native text teaches a choice) which labels the choice is between. A word with a tag always has the
same actions, and so has a gap between two tags; both are remembered, so that proposing costs two look-ups a token.

The types are those of NUCLE's that a word-sized edit can mend: Dahlmeier, Ng and Wu, "Building a large annotated
corpus of learner English", 2013. Confusion sets as in Rozovskaya et al., CoNLL 2013 and 2014: articles and nothing;
prepositions and nothing; the forms of nouns and verbs; derived words; spelling; commas.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from onoma.correct.forms import SLOTS, Forms
from onoma.correct.lists import (
    ARTICLES,
    AUXILIARIES,
    CONFUSED,
    CONTRACTED,
    DELETED,
    DETERMINERS,
    MODALS,
    PREPOSITIONS,
    PREPOSITIONS_PUT,
    REPEATED,
    TYPES,
    UNCOUNTED,
)  # fmt: skip
from onoma.correct.sounds import takes_an
from onoma.correct.spelling import Speller
from onoma.correct.tags import tag_set

__all__ = ["KINDS", "Action", "Candidates", "Proposals"]

KINDS = ("article", "preposition", "noun", "verb", "comma")
"""Choices that native text teaches."""
_LABELS = (
    "",
    "a",
    "the",
    *PREPOSITIONS,
    "NN",
    "NNS",
    *SLOTS,
    "am",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "being",
    ",",
)
_LABEL = {label: number for number, label in enumerate(_LABELS)}
_TYPE = {name: number for number, name in enumerate(TYPES)}
_SIMPLE = {"am": "VB", "is": "VBZ", "are": "VB", "was": "VBD", "were": "VBD", "be": "VB"}
"""The form of a verb that stands in the place of *be* and a participle."""
_BE = ("am", "is", "are", "was", "were", "be", "been", "being")
_NOUN = tag_set("NN NNS")
_NAME = tag_set("NNP NNPS")
_VERB = tag_set("VB VBD VBG VBN VBP VBZ")
_PHRASE = tag_set("NN NNS JJ JJR JJS CD NNP NNPS")
_MODIFIER, _BEFORE_MODIFIER = tag_set("VBG VBN RB RBR"), tag_set("IN CC , VB VBG <s>")
"""Words that open a noun phrase now and then (*an ageing population*), and what such a phrase follows."""
_BEFORE_PHRASE = tag_set("DT PRP$ POS JJ JJR JJS NN NNS NNP NNPS CD WP$ PDT $ HYPH AFX")
_GOVERNOR = tag_set("VB VBD VBG VBN VBP VBZ NN NNS NNP JJ JJR RB RP PRP")
_GOVERNED = tag_set("DT PRP$ NN NNS NNP JJ JJR JJS PRP VBG CD WP WDT WRB EX")
_MARKS = tag_set("`` '' , -LRB- -RRB- . : NFP SYM $")
_SUBJECT = tag_set("NN NNS NNP PRP DT WDT WP EX MD TO RB")
_PREDICATE = tag_set("VBG VBN JJ RB DT IN VB")


@dataclass(frozen=True, slots=True)
class Action:
    """What an edit does, apart from its place."""

    type: str
    n_taken: int
    put: tuple[str, ...]
    kind: str = ""
    label: str = ""
    other: str = ""
    """The label that is given up."""
    stem: str = ""
    also: str = ""
    """Another label of the same words (*caused* is past and participle); the better one counts."""
    name: str = ""
    """What learns together: the two words where they are few (*a → the*), else their forms (*NN → NNS*)."""
    nearness: float = 0.0
    """How alike a misspelling and its correction are."""


@dataclass(frozen=True)
class Candidates:
    """Edits of a text as arrays, those of one place in consecutive rows."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    actions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)


@dataclass
class Proposals:
    """Remembers the actions of words and gaps.

    Parameters
    ----------
    forms
        Inflections and derivations.
    speller
        Dictionary words and what a misspelling may stand for.
    """

    forms: Forms
    speller: Speller
    actions: list[Action] = field(default_factory=list)
    _known: dict[Action, int] = field(default_factory=dict, repr=False)
    _words: dict[tuple[str, str, str], tuple[int, ...]] = field(default_factory=dict, repr=False)
    _gaps: dict[tuple[str, str, str], tuple[int, ...]] = field(default_factory=dict, repr=False)

    def propose(
        self, words: Sequence[str], folded: Sequence[str], tags: Sequence[str], offset: int
    ) -> tuple[list[int], list[int], list[int]]:
        """Return starts, ends and actions for a sentence; places are counted from `offset`."""
        starts: list[int] = []
        ends: list[int] = []
        actions: list[int] = []
        before = "<s>"
        n = len(words)
        for i in range(n):
            tag, after = tags[i], tags[i + 1] if i + 1 < n else "</s>"
            word = folded[i]
            for number in self._gap(before, tag, words[i]):
                starts.append(offset + i)
                ends.append(offset + i)
                actions.append(number)
            follows = words[i + 1] if i + 1 < n else ""
            for number in self._word((words[i], word), tag, (follows, after), is_first=i == 0):
                starts.append(offset + i)
                ends.append(offset + i + self.actions[number].n_taken)
                actions.append(number)
            if i + 1 < n:
                for number in self._pair(word, folded[i + 1]):
                    starts.append(offset + i)
                    ends.append(offset + i + 2)
                    actions.append(number)
            before = tag
        return starts, ends, actions

    def number(self, action: Action) -> int:
        """Return the number of an action."""
        known = self._known.get(action)
        if known is None:
            known = self._known[action] = len(self.actions)
            self.actions.append(action)
        return known

    def _word(self, pair: tuple[str, str], tag: str, following: tuple[str, str], *, is_first: bool) -> tuple[int, ...]:
        written, word = pair
        follows = ""
        if word in ARTICLES:
            follows = "an" if takes_an(following[0]) else "a"
        elif word == "to":
            follows = following[1]
        capital = written[:1].isupper() and written != "I"
        is_shaped = not written[1:].islower() and len(written) > 1  # *GAAP*, *iBooks*: written so on purpose
        key = (written if is_shaped or (capital and not is_first) else word, tag, follows)
        known = self._words.get(key)
        if known is None:
            is_name = capital and not is_first
            found: dict[tuple[int, tuple[str, ...]], Action] = {}
            for action in self._word_actions(written, word, tag, follows, is_name=is_name):
                found.setdefault((action.n_taken, action.put), action)  # one way to an edit: the first
            known = self._words[key] = tuple(self.number(action) for action in found.values())
        return known

    def _word_actions(self, written: str, word: str, tag: str, after: str, *, is_name: bool) -> Iterable[Action]:
        if word in ARTICLES:
            yield from _article(word, after)
        if word in PREPOSITIONS and tag in ("IN", "TO", "RP", "RB"):
            yield from _preposition(word, after)
        if word == ",":
            yield Action("comma", 1, (), "comma", "", ",", name=",>")
            yield Action("run-on", 1, (";",), name=",>;")
            yield Action("link", 1, ("and",), name=",>and")
            return
        if not any(letter.isalpha() for letter in word):
            return
        if word in CONTRACTED:
            yield Action("spelling", 1, (CONTRACTED[word],), name="apostrophe")
        for other in CONFUSED.get(word, ()):
            put = tuple(other.split())
            yield Action(CONFUSED.type_of(word, other), 1, put, name=f"{word}>{other}")
        if word in DETERMINERS:
            yield Action("article", 1, (), name=f"{word}>")
        if word in DELETED:
            yield Action("redundant", 1, (), name=f"{word}>")
        for other in MODALS.get(word, ()):
            yield Action("modal", 1, (other,), name=f"{word}>{other}")
        if is_name or tag in _NAME:
            if self.speller.is_small(word) and written[1:].islower():
                yield Action("case", 1, (word,), name="small")
            if written == word and (cased := self.speller.cased(word)):
                yield Action("case", 1, (cased,), name="capital")
            if not self.speller.knows(word) and not is_name:
                yield from self._spelling(written, word)
            if tag in _NAME:
                return
        elif (cased := self.speller.cased(word)) and cased != written:
            yield Action("case", 1, (cased,), name="capital")
        if not self.speller.knows(word):
            for past in self.forms.irregular(word) or ():
                yield Action("form", 1, (past,), name="irregular")
            yield from self._spelling(written, word)
        if tag in _VERB:
            yield from self._verb(word, tag)
        yield from self._noun(word, tag)
        if tag not in _VERB:
            yield from self._verb(word, tag)
        yield from self._derived(word, tag)

    def _spelling(self, written: str, word: str) -> Iterable[Action]:
        if not written[1:].islower():
            return
        for rank, (other, nearness) in enumerate(self.speller.corrections(word)):
            yield Action("spelling", 1, tuple(other.split()), name=f"spelling {min(rank, 3)}", nearness=nearness)

    def _noun(self, word: str, tag: str) -> Iterable[Action]:
        if tag not in _NOUN and tag not in ("VBZ", "VBP", "VB", "JJ"):
            return
        many, one = self.forms.plural.get(word), self.forms.singular.get(word)
        bare = word[:-1] if one is None and tag == "NNS" and word.endswith("s") else ""
        if bare in UNCOUNTED or self.speller.is_common(bare):
            one = bare  # of what has no plural: *surveillances*
        typed = "number" if tag in _NOUN else "word"
        if many is not None and tag != "NNS":
            yield Action(typed, 1, (many,), "noun", "NNS", "NN", word, name=f"NN>NNS {tag}")
        elif one is not None and tag != "NN":
            yield Action(typed, 1, (one,), "noun", "NN", "NNS", one, name=f"NNS>NN {tag}")

    def _verb(self, word: str, tag: str) -> Iterable[Action]:
        if word in _BE or word == "'m":
            yield from _being(word)
            return
        slots = self.forms.verb_slots(word)
        if not slots:
            return
        is_verb = tag in _VERB
        if not is_verb and tag not in ("NN", "NNS", "JJ", "IN"):
            return
        lemma, own = next(((lemma, slot) for lemma, slot in slots if slot == _slot(tag)), slots[0])
        forms = self.forms.verbs[lemma]
        past = "VBN" if forms[2] == forms[3] else ""
        for slot, form in zip(SLOTS, forms, strict=True):
            if form == word or not form or (slot == "VBN" and past):
                continue
            typed = _verb_type(own, slot) if is_verb else "word"
            also = past if slot == "VBD" else ""
            kind = ("verb", slot, own, lemma, also) if is_verb else ("", "", "", "", "")
            yield Action(typed, 1, (form,), *kind, f"{own}>{slot}{also} {tag}")
        if tag in ("VBZ", "VBP"):
            have = "has" if tag == "VBZ" else "have"
            yield Action("tense", 1, (have, self.forms.verbs[lemma][3]), name=f"{tag}>{have} VBN")

    def _derived(self, word: str, tag: str) -> Iterable[Action]:
        for other in self.forms.related.get(word, ())[:8]:
            yield Action("word", 1, (other,), name=f"{word[-3:]}>{other[-3:]} {tag}")

    def _pair(self, word: str, other: str) -> tuple[int, ...]:
        """Two words that are one, or one word of a contraction."""
        key = (word, other, "+")
        known = self._words.get(key)
        if known is None:
            found: list[Action] = []
            if other == "n't":
                whole = {"ca": "can", "wo": "will", "sha": "shall"}.get(word, word)
                found.append(Action("style", 2, (whole, "not"), name="n't>not"))
            elif word in _SIMPLE:
                found += self._simpler(word, other)
            elif word == other and word in REPEATED:
                found.append(Action("redundant", 2, (word,), name="twice"))
            elif word.isalpha() and other.isalpha():
                found += [
                    Action("compound", 2, (joined,), name="-" if "-" in joined else "joined")
                    for joined in (word + other, f"{word}-{other}")
                    if self.speller.is_common(joined)
                ]
            known = self._words[key] = tuple(self.number(action) for action in found)
        return known

    def _simpler(self, word: str, other: str) -> Iterable[Action]:
        """*Is happening*, *is happen*, *was consisted*: the verb alone, in the form that *be* has."""
        wanted = _SIMPLE[word]
        for lemma, own in self.forms.verb_slots(other)[:2]:
            form = self.forms.verbs[lemma][SLOTS.index(wanted)]
            if own in ("VB", "VBN", "VBG") and form and lemma not in ("be", "have", "do"):
                yield Action("form", 2, (form,), name=f"{word} {own}>{wanted}")

    def _gap(self, before: str, after: str, word: str) -> tuple[int, ...]:
        article = "an" if takes_an(word) else "a"
        known = self._gaps.get((before, after, article))
        if known is None:
            found = _gap_actions(before, after, article)
            known = self._gaps[before, after, article] = tuple(self.number(action) for action in found)
        return known


def labels(actions: Sequence[Action]) -> NDArray[np.int64]:
    """Return kind, label, other label, stem, type and second label of each action as numbers.

    Kind is -1 where native text says nothing, the second label where there is none.
    """
    kinds = {name: number for number, name in enumerate(KINDS)}
    rows = [
        (
            kinds.get(action.kind, -1),
            _LABEL.get(action.label, 0),
            _LABEL.get(action.other, 0),
            crc32(action.stem.encode()),
            _TYPE[action.type],
            _LABEL[action.also] if action.also else -1,
        )
        for action in actions
    ]
    return np.array(rows, np.int64).reshape(-1, 6)


def label_number(label: str) -> int:
    """Return the number of a label."""
    return _LABEL[label]


def _slot(tag: str) -> str:
    return "VB" if tag == "VBP" else tag


def _verb_type(own: str, slot: str) -> str:
    if {own, slot} == {"VB", "VBZ"}:
        return "agreement"
    if "VBD" in (own, slot) and {own, slot} & {"VB", "VBZ"}:
        return "tense"
    return "form"


def _being(word: str) -> Iterable[Action]:
    groups = (("am", "is", "are"), ("was", "were"))
    for other in _BE:
        if other == word or (word == "'m" and other == "am"):
            continue
        same = any(word in group and other in group for group in groups)
        finite = {word, other} <= {"am", "is", "are", "was", "were"}
        typed = "agreement" if same else "tense" if finite else "form"
        yield Action(typed, 1, (other,), "verb", other, word if word in _LABEL else "am", "be", name=f"{word}>{other}")
    for other in {"is": ("has", "has been"), "are": ("have", "have been"), "was": ("has been",)}.get(word, ()):
        yield Action("tense", 1, tuple(other.split()), name=f"{word}>{other}")
    yield Action("form", 1, (), name=f"{word}>")


def _article(word: str, article: str) -> Iterable[Action]:
    own = "the" if word == "the" else "a"
    for other in ("", "a", "the"):
        if other != own:
            put = (article if other == "a" else other,) if other else ()
            yield Action("article", 1, put, "article", other, own, name=f"{own}>{other}")
    if own == "a" and word != article:
        yield Action("article", 1, (article,), name="a>an")


def _preposition(word: str, after: str) -> Iterable[Action]:
    if word == "to" and after == "VB":
        yield Action("preposition", 1, (), "preposition", "", word, name="to> VB")
        return
    for other in PREPOSITIONS_PUT:
        if other != word:
            put = (other,) if other else ()
            yield Action("preposition", 1, put, "preposition", other, word, name=f"{word}>{other}")


def _gap_actions(before: str, after: str, article: str) -> Iterable[Action]:
    if (after in _PHRASE and before not in _BEFORE_PHRASE) or (after in _MODIFIER and before in _BEFORE_MODIFIER):
        for label, put in (("the", "the"), ("a", article)):
            yield Action("article", 0, (put,), "article", label, "", name=f">{label}")
    if before in _GOVERNOR and after == "VB":
        yield Action("preposition", 0, ("to",), "preposition", "to", "", name=">to VB")
    elif before in _GOVERNOR and after in _GOVERNED and (before, after) not in _INSIDE_PHRASE:
        for put in PREPOSITIONS_PUT[1:]:
            yield Action("preposition", 0, (put,), "preposition", put, "", name=f">{put}")
    if before not in _MARKS and after not in _MARKS and before != "<s>":
        yield Action("comma", 0, (",",), "comma", ",", "", name=">,")
    if before in _SUBJECT and after in _PREDICATE:
        for put in AUXILIARIES:
            yield Action("form", 0, (put,), name=f">{put}")


_INSIDE_PHRASE = frozenset(
    (before, after)
    for before in ("NN", "NNS", "NNP", "JJ", "JJR", "PRP")
    for after in ("NN", "NNS", "NNP", "JJ", "JJR", "JJS", "CD")
    if not (before in ("NNS", "PRP") and after in ("JJ", "CD"))
)
"""Neighbours that are of one noun phrase, where no preposition is missing."""
