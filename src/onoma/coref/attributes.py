"""What is known of each mention, as numbers that kernels read: type, words, number, gender, person, place in the tree.

Gender and animacy come from pronouns, titles, given names (Faker's lists, MIT licence) and short lists of nouns; number
from the Penn tags; what no list knows is 0, "unknown", and never counts as disagreement.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from onoma.coref.discourse.quotations import quoted_tokens
from onoma.coref.document import Document
from onoma.coref.lists import PEOPLE, listed
from onoma.coref.mentions import Span

__all__ = ["Column", "Mentions", "describe", "text_code"]


class Column(IntEnum):
    """The columns of the table of mentions."""

    START = 0
    END = 1
    HEAD = 2
    SENTENCE = 3
    TYPE = 4
    """0 pronoun, 1 proper, 2 definite, 3 indefinite, 4 bare, 5 demonstrative, 6 possessed, 7 other."""
    HEAD_WORD = 5
    FIRST_WORD = 6
    LAST_WORD = 7
    BEFORE = 8
    AFTER = 9
    GOVERNOR = 10
    RELATION = 11
    NUMBER = 12
    GENDER = 13
    ANIMACY = 14
    PERSON = 15
    ENTITY = 16
    TEXT = 17
    HEAD_TEXT = 18
    BARE_TEXT = 19
    SPEAKER = 20
    QUOTED = 21
    LENGTH = 22
    PRONOUN = 23
    GOVERNOR_PLACE = 24
    INITIALS = 25
    GENRE = 26
    FORM = 27
    """Reflexive 1, possessive 2, relative 3, interrogative 4, indefinite 5 pronoun; else 0."""
    SUBJECT = 28
    NESTED = 29
    HEAD_TAG = 30
    LAST_NAME = 31
    FIRST_NAME = 32
    GOVERNOR_TAG = 33
    FINE = 34
    """Clusters of the head word, finest first; 0 where unknown."""
    MIDDLE = 35
    COARSE = 36
    GOVERNOR_CLASS = 37
    PARTY = 38
    """Which party the text says it is, whose words it stands in, to whom they are said (`discourse.voices`)."""
    VOICE = 39
    HEARER = 40
    SURNAME = 41
    """Of a person: the last word of the name, its first, the letter of that where it is known for a given name."""
    GIVEN = 42
    GIVEN_LETTER = 43
    NAMED_GENDER = 44
    """The gender that a person's title or given name tells."""
    NAMED_AT = 45
    """One more than the token of that name's head: its own, or that of its apposition; 0 without a name."""
    ROLE = 46
    """What a person is said to be beside the name: *Ada Holt (chair)*, *the mayor, Ada Holt*."""
    CORE = 47
    """The head with what stands before it, or the name that it stands in: *Dhaka* of *Dhaka, where he was born*."""
    NAMING = 48
    """By the document's names: 1 a name, 2 the part of one that has its head, 3 another part, 4 it holds its head's,
    5 both overlap; 6, 7 a part as 2, 3 whose words stand elsewhere by themselves, too."""
    CUT = 49
    """Which kinds of dependents it holds behind its head, and which it leaves out."""
    ABBREVIATION = 50
    """The capitals of a single word: *U.S.*, *NSW*; `INITIALS` are those of several words."""
    SAID = 51
    """How many heads of the document have the same core, at most 5."""


@dataclass(frozen=True, eq=False)
class Mentions:
    """The mentions of one document, described.

    Parameters
    ----------
    table
        Mentions × `Column`, int64.
    words, word_ends
        Codes of the content words of each mention, ascending, one mention after the other, and where each ends.
    modifiers, modifier_ends
        Codes of the words before the head that tell things of one kind apart.
    """

    table: NDArray[np.int64]
    words: NDArray[np.int64]
    word_ends: NDArray[np.int64]
    modifiers: NDArray[np.int64]
    modifier_ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.table)


# (canonical number, number, gender, animacy, person, form); 0 is unknown.
_SINGULAR, _PLURAL = 1, 2
_MASCULINE, _FEMININE, _NEUTER = 1, 2, 3
_ANIMATE, _INANIMATE = 1, 2
_PRONOUNS: Mapping[str, tuple[int, int, int, int, int, int]] = {
    # Feminine pronouns have the code of masculine ones: gender counts through agreement alone.
    word: (code - (gender == _FEMININE), number, gender, animacy, person, form)
    for code, (number, gender, animacy, person, forms) in enumerate(
        [
            (1, 0, 1, 1, {"i": 0, "me": 0, "my": 2, "mine": 2, "myself": 1}),
            (0, 0, 1, 2, {"you": 0, "your": 2, "yours": 2, "yourself": 1, "yourselves": 1, "ya": 0, "u": 0}),
            (1, 1, 1, 3, {"he": 0, "him": 0, "his": 2, "himself": 1}),
            (1, 2, 1, 3, {"she": 0, "her": 2, "hers": 2, "herself": 1}),
            (1, 3, 2, 3, {"it": 0, "its": 2, "itself": 1}),
            (2, 0, 1, 1, {"we": 0, "us": 0, "our": 2, "ours": 2, "ourselves": 1}),
            (2, 0, 0, 3, {"they": 0, "them": 0, "their": 2, "theirs": 2, "themselves": 1, "'em": 0, "themself": 1}),
            (1, 3, 2, 3, {"this": 0, "that": 0}),
            (2, 0, 0, 3, {"these": 0, "those": 0}),
            (0, 0, 1, 3, {"who": 3, "whom": 3, "whose": 3}),
            (0, 3, 2, 3, {"which": 3, "what": 4}),
            (1, 0, 1, 3, {"one": 5, "oneself": 1, "someone": 5, "somebody": 5, "anyone": 5, "everyone": 5}),
            (1, 3, 2, 3, {"something": 5, "anything": 5, "everything": 5, "nothing": 5}),
            (2, 0, 0, 3, {"some": 5, "all": 5, "many": 5, "both": 5, "others": 5}),
        ],
        start=1,
    )
    for word, form in forms.items()
}
_TITLES = {"mr": 1, "mr.": 1, "sir": 1, "lord": 1, "mrs": 2, "mrs.": 2, "ms": 2, "ms.": 2, "miss": 2, "lady": 2}
_ENTITIES = (
    "", "PERSON", "ORGANIZATION", "PLACE", "TIME", "EVENT", "OBJECT", "ANIMAL", "ABSTRACT", "SUBSTANCE", "PLANT", "MISC"
)  # fmt: skip

_ENTITY_CODES = {name: code for code, name in enumerate(_ENTITIES)}
_SAME_ENTITY = {"PER": "PERSON", "ORG": "ORGANIZATION", "LOC": "PLACE", "GPE": "PLACE"}
_GENDERS = {"masculine": _MASCULINE, "feminine": _FEMININE, "neuter": _NEUTER}
_ANIMACIES = {"animate": _ANIMATE, "inanimate": _INANIMATE}
_ALIKE = {"she": "he", "hers": "his", "herself": "himself"}
"""Features name feminine pronouns by masculine ones: what is learnt of one holds for the other, gender apart."""


def text_code(text: str) -> int:
    """Return a number for a string, the same on every machine; 0 for the empty string."""
    return zlib.crc32(text.encode("utf-8")) if text else 0


def describe(document: Document, spans: Sequence[Span], vocabulary: Mapping[str, int]) -> Mentions:
    """Describe mentions; words that are not in `vocabulary` are known by their tag alone."""
    known = _Tokens.of(document, vocabulary)
    rows = np.zeros((len(spans), len(Column)), np.int64)
    if spans:
        _fill_places(rows, document, spans, known)
    words: list[int] = []
    word_ends: list[int] = []
    modifiers: list[int] = []
    modifier_ends: list[int] = []
    names = {(start, end): kind for start, end, kind in document.names}
    inside = [""] * len(document)
    for start, end, kind in document.names:
        inside[start:end] = [kind] * (end - start)
    texts: list[tuple[int, int, int]] = []
    open_ends: list[int] = []
    for span in spans:
        while open_ends and open_ends[-1] < span.end:
            open_ends.pop()
        texts.append((min(len(open_ends), 3), *_texts(document, span, known.lower)))
        open_ends.append(span.end)
        words.extend(sorted({code for code in known.content[span.start : span.end] if code >= 0}))
        word_ends.append(len(words))
        apart = known.modifiers[span.start : span.end]
        apart[span.head - span.start] = -1
        modifiers.extend(sorted({code for code in apart if code >= 0}))
        modifier_ends.append(len(modifiers))
    if spans:
        rows[:, [Column.NESTED, Column.TEXT, Column.BARE_TEXT]] = texts
        named: dict[int, tuple[int, int]] = {}
        for start, end, _ in document.names:
            named |= dict.fromkeys(range(start, end), (start, end))
        cores = [_core(document, span, named.get(span.head)) for span in spans]
        rows[:, _KIND_COLUMNS] = [
            _kind_of(
                document.known.get(span.head, ("",))[0].upper()
                or names.get((span.start, span.end))
                or inside[span.head],
                document,
                span,
                core,
            )
            for span, core in zip(spans, cores, strict=True)
        ]
        pronouns = np.flatnonzero(rows[:, Column.TYPE] == 0)
        rows[pronouns, Column.FINE : Column.COARSE + 1] = 0  # her company says no more than that she is a pronoun
        her = [row for row in pronouns.tolist() if _is_object_her(document, spans[row].head)]
        rows[np.ix_(her, [Column.TEXT, Column.BARE_TEXT])] = text_code("her, not possessive")
        rows[:, _CORE_COLUMNS] = [
            _of_core(document, span, core, named, known.lower) if kind else (0,) * len(_CORE_COLUMNS)
            for span, core, kind in zip(spans, cores, rows[:, Column.TYPE].tolist(), strict=True)
        ]
        parts = np.isin(rows[:, Column.NAMING], (2, 3))
        rows[parts & np.isin(rows[:, Column.CORE], rows[~parts, Column.CORE]), Column.NAMING] += 4
        rows[:, Column.SAID] = _said(rows)
    _add_people(rows, document, spans)
    return Mentions(rows, *(np.array(codes, np.int64) for codes in (words, word_ends, modifiers, modifier_ends)))


@dataclass(frozen=True)
class _Tokens:
    """What is looked up once for each token of a document."""

    lower: Sequence[str]
    content: list[int]
    """The code of a word; -1 for a stop word."""
    modifiers: list[int]
    """The code of a word that may tell things of one kind apart; -1 for others."""
    ids: NDArray[np.int64]
    tags: NDArray[np.int64]
    relations: NDArray[np.int64]

    @classmethod
    def of(cls, document: Document, vocabulary: Mapping[str, int]) -> "_Tokens":
        lower = [word.lower() for word in document.words]
        codes = list(map(text_code, lower))
        tags = _codes(document.tags)
        ids = [
            vocabulary.get(_shared(word, tag)) or -1 - code % 997
            for word, tag, code in zip(lower, document.tags, tags.tolist(), strict=True)
        ]
        stop = listed("stop words")
        return cls(
            lower,
            [-1 if word in stop else code for word, code in zip(lower, codes, strict=True)],
            [code if upos in _TELLING else -1 for code, upos in zip(codes, document.upos, strict=True)],
            np.array(ids, np.int64),
            tags,
            _codes(document.deprels),
        )


_TELLING = frozenset({"ADJ", "NOUN", "PROPN", "NUM"})


def _codes(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the code of each of many strings, of which few differ."""
    known = {text: text_code(text) for text in set(texts)}
    return np.array([known[text] for text in texts], np.int64)


def _fill_places(rows: NDArray[np.int64], document: Document, spans: Sequence[Span], known: _Tokens) -> None:
    """Fill in what is read off the tokens at a mention's edges, of its head and of its governor."""
    start, end, head = np.array([(span.start, span.end, span.head) for span in spans], np.int64).T
    sentences, ids = document.sentences, known.ids
    governor = document.heads[head]
    governed = governor != head
    before, after = np.maximum(start - 1, 0), np.minimum(end, len(document) - 1)
    has_before = (start > 0) & (sentences[before] == sentences[head])
    has_after = (end < len(document)) & (sentences[after] == sentences[head])
    subjects = np.array([relation.startswith("nsubj") for relation in document.deprels], np.int64)
    quoted = np.array(quoted_tokens(document.words), np.int64)
    filled: Mapping[Column, NDArray[np.int64] | int] = {
        Column.START: start,
        Column.END: end,
        Column.HEAD: head,
        Column.SENTENCE: sentences[head],
        Column.HEAD_WORD: ids[head],
        Column.FIRST_WORD: ids[start],
        Column.LAST_WORD: ids[end - 1],
        Column.BEFORE: np.where(has_before, ids[before], 0),
        Column.AFTER: np.where(has_after, ids[after], 0),
        Column.GOVERNOR: np.where(governed, ids[governor], 0),
        Column.GOVERNOR_PLACE: np.where(governed, governor, -1),
        Column.GOVERNOR_TAG: np.where(governed, known.tags[governor], 0),
        Column.RELATION: known.relations[head],
        Column.SUBJECT: subjects[head],
        Column.HEAD_TEXT: _codes([document.lemmas[place].lower() for place in head.tolist()]),
        Column.SPEAKER: _codes(document.speakers)[head],
        Column.QUOTED: quoted[head],
        Column.LENGTH: np.minimum(end - start, 8),
        Column.HEAD_TAG: known.tags[head],
        Column.GENRE: text_code(document.genre),
    }
    for column, values in filled.items():
        rows[:, column] = values
    if document.voices is not None:
        rows[:, Column.PARTY : Column.HEARER + 1] = document.voices[head]
    if document.clusters is not None:
        rows[:, Column.FINE : Column.COARSE + 1] = document.clusters[head]
        rows[:, Column.GOVERNOR_CLASS] = np.where(governed, document.clusters[governor, 2], 0)


def _texts(document: Document, span: Span, lower: Sequence[str]) -> tuple[int, int]:
    """Return the code of a mention's words, and of those without determiners before and a possessive 's behind."""
    bare, last = span.start, span.end
    while bare < span.head and document.upos[bare] == "DET":
        bare += 1
    if last - 1 > span.head and document.tags[last - 1] == "POS":
        last -= 1
    whole = text_code(" ".join(lower[span.start : span.end]))
    if (bare, last) == (span.start, span.end):
        return whole, whole
    return whole, text_code(" ".join(lower[bare:last]))


def _shared(word: str, tag: str) -> str:
    """Return the word that features name: that of the masculine pronoun for a feminine one."""
    if word == "her":
        return "his" if tag == "PRP$" else "him"
    return _ALIKE.get(word, word)


_KIND_COLUMNS = (
    Column.ENTITY, Column.TYPE, Column.PRONOUN, Column.NUMBER, Column.GENDER, Column.ANIMACY, Column.PERSON,
    Column.FORM,
)  # fmt: skip
_CORE_COLUMNS = (
    Column.CORE, Column.NAMING, Column.CUT, Column.LAST_NAME, Column.FIRST_NAME, Column.INITIALS, Column.ABBREVIATION,
)  # fmt: skip
_BEHIND = ("conj", "appos", "acl", "nmod")


def _of_core(
    document: Document,
    span: Span,
    core: tuple[int, int],
    named: Mapping[int, tuple[int, int]],
    lower: Sequence[str],
) -> tuple[int, ...]:
    """Return the values of `_CORE_COLUMNS` for a mention that is no pronoun."""
    words = document.words[slice(*core)]
    parts = [word for word in words if word[:1].isalnum() and word.lower() not in listed("titles")]
    last, first = (parts[-1], parts[0]) if parts and document.upos[span.head] == "PROPN" else ("", "")
    capitals = "".join(part[0] for part in parts if part[0].isupper()) if len(parts) > 1 else ""
    letters = parts[0].replace(".", "") if len(parts) == 1 else ""
    return (
        text_code(" ".join(lower[slice(*core)])),
        _naming(document, span, named),
        _cut(document, span),
        text_code(last.lower()),
        text_code(first.lower()),
        text_code(capitals) if len(capitals) > 1 else 0,
        text_code(letters) if len(letters) > 1 and letters.isupper() else 0,
    )


def _said(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how often the core of each mention is said; phrases around one head say it once."""
    _, first, same = np.unique(rows[:, Column.HEAD], return_index=True, return_inverse=True)
    _, which, sizes = np.unique(rows[first, Column.CORE], return_inverse=True, return_counts=True)
    return np.where(rows[:, Column.CORE] == 0, 0, np.minimum(sizes[which][same], 5))


def _core(document: Document, span: Span, name: tuple[int, int] | None) -> tuple[int, int]:
    """Return the tokens of a mention's core; of several things that are coordinated, all."""
    held = [child for child in document.children[span.head] if span.head < child < span.end]
    if any(document.deprels[child] == "conj" for child in held):
        return span.start, span.end
    if name is not None and span.start <= name[0] and name[1] <= span.end:
        start, end = name
        while start < span.head and document.upos[start] == "DET":
            start += 1
        return start, end - (end - 1 > span.head and document.tags[end - 1] == "POS")
    start, end = span.head, span.head + 1
    while start > span.start and (document.upos[start - 1] in _TELLING or document.words[start - 1] == "-"):
        start -= 1
    while end in held and (document.deprels[end] == "flat" or document.upos[end] == "NUM"):  # July 1805
        end += 1
    return start, end


def _naming(document: Document, span: Span, named: Mapping[int, tuple[int, int]]) -> int:
    name = named.get(span.head)
    if name is None:
        return 0
    if name == (span.start, span.end):
        return 1
    if name[0] <= span.start and span.end <= name[1]:
        governor = int(document.heads[span.head])
        return 3 if name[0] <= governor < name[1] and governor != span.head else 2
    return 4 if span.start <= name[0] and name[1] <= span.end else 5


def _cut(document: Document, span: Span) -> int:
    """Return a number for the kinds of dependents behind the head that are in the span, and that are not."""
    bits = 0
    for child in document.children[span.head]:
        if child > span.head:
            kind = document.deprels[child].split(":")[0]
            if kind in _BEHIND:
                bits |= 1 << (_BEHIND.index(kind) + (0 if child < span.end else len(_BEHIND)))
    return bits


def _kind_of(entity: str, document: Document, span: Span, core: tuple[int, int]) -> tuple[int, ...]:
    """Return type, number, gender, animacy, person: the values of `_KIND_COLUMNS`."""
    head = span.head
    tag, upos = document.tags[head], document.upos[head]
    kind = _SAME_ENTITY.get(entity, entity)
    code = _ENTITY_CODES.get(kind, 0)
    if span.end - span.start == 1 and upos in {"PRON", "DET"}:
        known = _PRONOUNS.get(document.words[head].lower())
        if known is not None:
            pronoun, number, gender, animacy, person, form = known
            form = 0 if _is_object_her(document, head) else form  # as him, not as his
            return code, 0, pronoun, number, gender, animacy, person, form
    number = _PLURAL if tag in {"NNS", "NNPS"} else _SINGULAR if tag in {"NN", "NNP"} else 0
    if any(document.deprels[child] == "conj" and child < span.end for child in document.children[head]):
        number = _PLURAL
    gender, animacy = _gender(document, span, kind, core)
    _, known_gender, known_animacy = document.known.get(head, ("", "", ""))
    gender, animacy = gender or _GENDERS.get(known_gender, 0), animacy or _ANIMACIES.get(known_animacy, 0)
    return code, _type(document, span, upos), 0, number, gender, animacy, 3, 0


def _is_object_her(document: Document, token: int) -> bool:
    return document.words[token].lower() == "her" and document.tags[token] != "PRP$"


def _add_people(rows: NDArray[np.int64], document: Document, spans: Sequence[Span]) -> None:
    """Fill in the names of people, of phrases too that have one for an apposition, and what people are said to be."""
    people: dict[int, tuple[int, int]] = {}
    for start, end, kind in document.names:
        if kind in {"PER", "PERSON"} or document.words[start].lower() in _TITLES:
            people |= dict.fromkeys(range(start, end), (start, end))
    for start in range(len(document) - 1):  # Mrs Brandt, where the names have her not
        if document.words[start].lower() in _TITLES and start not in people and document.upos[start + 1] == "PROPN":
            people |= dict.fromkeys((start, start + 1), (start, start + 2))
    for row, span in zip(rows, spans, strict=True):
        if row[Column.TYPE] == 0:
            continue
        held = span.head
        if held not in people:
            beside = [
                child for child in document.children[held] if _is_beside(document, child, span) and child in people
            ]
            if len(beside) != 1:
                continue
            held = beside[0]
        start, end = people[held]
        words = [document.words[k].lower() for k in range(start, end)]
        parts = [word for word in words if word not in _TITLES and word not in listed("titles") and word[0].isalpha()]
        title = next((_TITLES[word] for word in (*words, _before(document, start)) if word in _TITLES), 0)
        if parts:
            row[Column.SURNAME] = text_code(parts[-1])
        given = _given_names().get(parts[0], 0) if len(parts) > 1 else 0
        row[Column.GIVEN] = text_code(parts[0]) if len(parts) > 1 else 0
        row[Column.GIVEN_LETTER] = ord(parts[0][0]) if given else 0
        row[Column.NAMED_GENDER], row[Column.NAMED_AT] = title or given, held + 1
        row[Column.ROLE] = text_code(_role(document, held, start, end))


def _before(document: Document, start: int) -> str:
    return document.words[start - 1].lower() if start else ""


def _is_beside(document: Document, child: int, span: Span) -> bool:
    return document.deprels[child] == "appos" and span.start <= child < span.end


def _role(document: Document, head: int, start: int, end: int) -> str:
    """Return what a person is said to be, beside the name: an apposition's noun, or what the name is one to."""
    if document.deprels[head] == "appos":
        beside = [int(document.heads[head])]
    else:
        below = [child for token in range(start, end) for child in document.children[token]]
        beside = [child for child in below if not start <= child < end and document.deprels[child] == "appos"]
    if end < len(document) and document.words[end] == "(":  # in brackets, whatever the tree makes of them
        inside = range(end + 1, min(end + 4, len(document)))
        beside += [token for token in inside if document.words[min(token + 1, len(document) - 1)] == ")"]
    said = [document.lemmas[token].lower() for token in beside if document.upos[token] == "NOUN"]
    titles = [_SPELT.get(word.lower(), word.lower()) for word in (_before(document, start), document.words[start])]
    return next((noun for noun in (*said, *titles) if any(noun in listed(name) for name in PEOPLE)), "")


_SPELT = {"dr": "doctor", "dr.": "doctor", "prof": "professor", "prof.": "professor", "capt.": "captain"}


def _type(document: Document, span: Span, upos: str) -> int:
    if upos == "PROPN":
        return 1
    first = document.words[span.start].lower()
    tag = document.tags[span.start]
    if first == "the":
        return 2
    if first in {"a", "an", "some", "any", "no", "every", "each", "another", "many", "several", "few"}:
        return 3
    if first in {"this", "that", "these", "those", "such"}:
        return 5
    if tag in {"PRP$", "POS"} or any(document.deprels[child] == "nmod:poss" for child in document.children[span.head]):
        return 6
    return 4 if upos == "NOUN" else 7


def _gender(document: Document, span: Span, entity: str, core: tuple[int, int]) -> tuple[int, int]:
    head = document.lemmas[span.head].lower()
    if head in listed("masculine nouns"):
        return _MASCULINE, _ANIMATE
    if head in listed("feminine nouns"):
        return _FEMININE, _ANIMATE
    if document.upos[span.head] == "PROPN":
        words = [word.lower() for word in document.words[slice(*core)]]
        title = next((_TITLES[word] for word in words if word in _TITLES), 0)
        given = next((_given_names()[word] for word in words[: max(1, len(words) - 1)] if word in _given_names()), 0)
        if title:
            return title, _ANIMATE
        if entity in {"ORGANIZATION", "PLACE", "TIME", "EVENT", "OBJECT"}:
            # Two words, of which the first is a given name, may be a person after all.
            return (0, 0) if given and len(words) == 2 else (_NEUTER, _INANIMATE)
        if entity == "PERSON":
            return given, _ANIMATE
        return (given, _ANIMATE) if given and not entity else (0, 0)
    if head in listed("nouns for people") or entity == "PERSON":
        return 0, _ANIMATE
    return 0, _INANIMATE if entity in {"ORGANIZATION", "PLACE", "TIME", "EVENT", "OBJECT"} else 0


_ENGLISH = ("en_US", "en_GB", "en_IE", "en_NZ")
_ELSEWHERE = (
    "cs_CZ", "da_DK", "de_DE", "en_IN", "es_ES", "es_MX", "et_EE", "fi_FI", "fr_FR", "ga_IE", "hr_HR", "hu_HU", "id_ID",
    "it_IT", "lv_LV", "nl_NL", "no_NO", "pl_PL", "pt_BR", "pt_PT", "ro_RO", "sk_SK", "sl_SI", "sv_SE", "tr_TR",
)  # fmt: skip


@cache
def _given_names() -> Mapping[str, int]:
    """Return given names with their gender; English lists speak first, and names of both genders are left out."""
    known: dict[str, int] = {}
    for places in (_ENGLISH, _ELSEWHERE):
        providers = [import_module(f"faker.providers.person.{place}").Provider for place in places]  # heavy
        male = {str(name).lower() for provider in providers for name in provider.first_names_male}
        female = {str(name).lower() for provider in providers for name in provider.first_names_female}
        here = {name: _MASCULINE if name in male else _FEMININE for name in male ^ female}
        known = here | dict.fromkeys(male & female, 0) | known
    return {name: gender for name, gender in known.items() if gender}
