"""Mentions: the spans that may refer, from trees, names and pronouns.

Every nominal token heads a noun phrase: the tokens below it in the tree. Guidelines differ in what belongs to a
mention, so a head gives several spans: all that hangs on it; that without what is coordinated with it; that without
appositions, clauses, and phrases behind it. What attaches to a noun because it is a predicate (its subject, its copula)
is no part of its phrase, and prepositions, conjunctions and punctuation at its edges are trimmed. Names are mentions
where no phrase has the same span.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from onoma.coref.document import Document
from onoma.coref.lists import listed

__all__ = ["Conventions", "Span", "candidate_mentions", "head_of", "is_place"]

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_PREDICATE = (
    "nsubj", "csubj", "cop", "aux", "mark", "advcl", "expl", "discourse", "parataxis", "vocative", "dislocated"
)  # fmt: skip
"""Relations that attach to a noun because it is a predicate, not because they belong to its phrase."""
_NO_MENTION = ("expl", "flat", "fixed", "goeswith")
_ALONE = ("nsubj", "obj", "iobj", "obl", "nmod", "conj", "root")
"""What a determiner does in its clause where it stands for a noun: "those are mine"."""
_PEELED = ((), ("conj",), ("conj", "appos"), ("conj", "appos", "acl"), ("conj", "appos", "acl", "nmod"))
"""Dependents left out, step by step."""
_EDGE_LEFT = frozenset({"PUNCT", "CCONJ", "ADP", "SCONJ"})
_EDGE_RIGHT = frozenset({"PUNCT", "CCONJ"})


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A span of tokens, `end` exclusive, and its head."""

    start: int
    end: int
    head: int


@dataclass(frozen=True, slots=True)
class Conventions:
    """What schemes of annotation settle in different ways.

    Parameters
    ----------
    possessive
        Whether a possessive 's belongs to a mention: in OntoNotes it does, in LitBank not.
    places
        Whether *here*, *there* and *home* are mentions: in LitBank they often are.
    """

    possessive: bool = True
    places: bool = False


def candidate_mentions(document: Document, conventions: Conventions = Conventions()) -> list[Span]:  # noqa: B008  (frozen)
    """Return every span that may be a mention, in the order of the text (longer first where they begin together)."""
    found: dict[tuple[int, int], Span] = {}
    for token in range(len(document)):
        if _may_refer(document, token) or (conventions.places and is_place(document, token)):
            for span in _phrases(document, token, possessive=conventions.possessive):
                found.setdefault((span.start, span.end), span)
    for start, end, _ in document.names:
        if (start, end) not in found:
            found[start, end] = Span(start, end, head_of(document, start, end))
    for start, end, _ in document.names:  # of a name with its title, no part is a mention
        if document.words[start].lower() in listed("titles") and end - start == 2:
            found.pop((start + 1, end), None)
    return sorted(found.values(), key=lambda span: (span.start, -span.end))


def is_place(document: Document, token: int) -> bool:
    """Say whether a token is an adverb that stands for a place."""
    return document.upos[token] == "ADV" and document.words[token].lower() in listed("adverbs of place")


def head_of(document: Document, start: int, end: int) -> int:
    """Return the token of a span that is governed from outside it; of several, the first nominal one."""
    heads = document.heads
    tops = [token for token in range(start, end) if not start <= heads[token] < end or heads[token] == token]
    nominal = [token for token in tops if document.upos[token] in _NOMINAL]
    chosen = nominal or [token for token in tops if document.upos[token] != "PUNCT"] or tops
    return chosen[0] if chosen else end - 1


def _may_refer(document: Document, token: int) -> bool:
    upos, relation = document.upos[token], document.deprels[token]
    if relation.startswith(_NO_MENTION):
        return False
    if document.tags[token] in {"PRP", "PRP$"}:
        return True
    if document.words[token].lower() in listed("titles") and _is_before_name(document, token):
        return False  # the Mr of Mr Park
    if upos == "DET":
        return relation.startswith(_ALONE)
    if upos in {"NUM", "ADJ"}:
        return relation.startswith(("nsubj", "obj"))
    return upos == "PROPN" or (upos in _NOMINAL and not relation.startswith("compound"))


def _is_before_name(document: Document, token: int) -> bool:
    """Say whether a name follows a token, but none that hangs on it: then the name is the head, not the title."""
    after = token + 1
    return after < len(document) and document.upos[after] == "PROPN" and int(document.heads[after]) != token


def _phrases(document: Document, head: int, *, possessive: bool) -> Iterator[Span]:
    seen = set()
    present = {_kind(document.deprels[child]) for child in document.children[head]}
    for without in _PEELED:
        if without and without[-1] not in present:
            continue  # nothing more to leave out
        start, end = _span(document, head, without)
        span = start, end - (not possessive and end - 1 > head and document.tags[end - 1] == "POS")
        if span not in seen:
            seen.add(span)
            yield Span(*span, head)


def _span(document: Document, head: int, without: tuple[str, ...]) -> tuple[int, int]:
    """Return the phrase below a head without some kinds of dependents, trimmed."""
    kept = {head}
    waiting = [head]
    while waiting:
        token = waiting.pop()
        for child in document.children[token]:
            if child in kept or (token == head and _is_left_out(document, child, head, without)):
                continue
            kept.add(child)
            waiting.append(child)
    start, end = head, head + 1  # the unbroken run around the head
    while start - 1 in kept:
        start -= 1
    while end in kept:
        end += 1
    while start < head and document.upos[start] in _EDGE_LEFT:
        start += 1
    while end - 1 > head and document.upos[end - 1] in _EDGE_RIGHT:
        end -= 1
    return start, _closed(document, head, end)


def _closed(document: Document, head: int, end: int) -> int:
    """Return the end of a phrase such that no bracket is left open: with the closing one, or before the opening one."""
    opened = [token for token in range(head + 1, end) if document.tags[token] == "-LRB-"]
    if not opened or any(document.tags[token] == "-RRB-" for token in range(opened[-1], end)):
        return end
    return end + 1 if end < len(document) and document.tags[end] == "-RRB-" else opened[-1]


def _kind(relation: str) -> str:
    """Return a relation without its subtype; a title (the Mr of Mr Park) is no modifier to leave out."""
    return relation if relation == "nmod:desc" else relation.split(":")[0]


def _is_left_out(document: Document, child: int, head: int, without: tuple[str, ...]) -> bool:
    relation = document.deprels[child]
    if relation == "flat" and document.tags[child][:2] == "VB" and document.words[child].islower():
        return True  # a verb that the tree takes for a part of the name: Tom groaned
    if relation == "case":
        return child < head  # a preposition; behind the head it is the possessive 's
    return relation == "cc" or relation.startswith(_PREDICATE) or _kind(relation) in without
