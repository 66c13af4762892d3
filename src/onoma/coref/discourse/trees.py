"""Trees mended where they cannot be right: a verb with two subjects, a coordination without a conjunction.

*The chairman, Ralph Dene, opened the meeting*: parsers like to make both a subject of *opened*. A noun for people and
the name of a person that stand side by side, a comma between, are an apposition. *When did you found the company, Dr.
Singh?* A company is not Dr. Singh: who is called at the end of a sentence is no apposition.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.coref.document import Document
from onoma.coref.lists import PEOPLE, listed
from onoma.coref.mentions import head_of

__all__ = ["with_appositions"]


def with_appositions(document: Document) -> Document:
    """Return a document in which people's names hang on the nouns beside them, and these on names, as appositions."""
    heads, deprels = document.heads.copy(), list(document.deprels)
    changed = False
    for start, end, kind in document.names:
        if kind != "PER":
            continue
        name = head_of(document, start, end)
        if _is_called(document, name, start, end):
            heads[name], deprels[name] = _root(document.heads, name), "vocative"
            changed = True
            continue
        noun = _noun_before(document, name, start)
        if noun is not None:
            heads[name], deprels[name] = noun, "appos"
            changed = True
        for token in document.children[name]:
            if token >= end and _is_listed(document, token, end):
                deprels[token] = "appos"
                changed = True
    return replace(document, heads=heads, deprels=deprels) if changed else document


def _is_person(document: Document, token: int) -> bool:
    return document.upos[token] == "NOUN" and any(document.lemmas[token].lower() in listed(name) for name in PEOPLE)


def _is_called(document: Document, name: int, start: int, end: int) -> bool:
    """Say whether a name, an apposition to the tree, ends a sentence behind a comma, and what it hangs on is nobody."""
    noun = int(document.heads[name])
    if document.deprels[name] != "appos" or not start or document.words[start - 1] != "," or noun >= start:
        return False
    if end < len(document) and document.words[end] not in {".", "?", "!"}:
        return False
    kind, _, animacy = document.known.get(noun, ("", "", ""))
    is_thing = animacy == "inanimate" or kind.upper() in _THINGS
    return document.upos[noun] == "NOUN" and is_thing and not _is_person(document, noun)


_THINGS = frozenset({"ORG", "ORGANIZATION", "PLACE", "LOC", "GPE", "OBJECT", "ABSTRACT", "EVENT", "TIME", "SUBSTANCE"})


def _root(heads: NDArray[np.int64], token: int) -> int:
    for _ in range(len(heads)):
        if heads[token] == token:
            break
        token = int(heads[token])
    return token


def _noun_before(document: Document, name: int, start: int) -> int | None:
    """Return the noun that ends before the comma before a name, where both are subjects of one verb."""
    if start < 2 or document.words[start - 1] != "," or not document.deprels[name].startswith("nsubj"):
        return None
    beside = [
        token
        for token in range(start - 1)
        if document.heads[token] == document.heads[name] and document.deprels[token] == document.deprels[name]
    ]
    if not beside or not _is_person(document, beside[-1]):
        return None
    noun = beside[-1]
    return noun if all(_is_below(document.heads, token, noun) for token in range(noun + 1, start - 1)) else None


def _is_below(heads: NDArray[np.int64], token: int, top: int) -> bool:
    for _ in range(len(heads)):
        if token == top:
            return True
        if heads[token] == token:
            return False
        token = int(heads[token])
    return False


def _is_listed(document: Document, token: int, end: int) -> bool:
    """Say whether a noun for people, *the new secretary*, is coordinated with the name before it by a comma alone."""
    if document.deprels[token] != "conj" or not _is_person(document, token) or document.words[end] != ",":
        return False
    below = {document.deprels[child] for child in document.children[token]}
    follows = all(_is_below(document.heads, each, token) for each in range(end + 1, token))
    return "cc" not in below and "det" in below and follows
