"""Who speaks in quotations: the subject of the verb of speech beside them.

    “I gave them to Rosa,” said his mother. “She needed the car.”

*His mother* says *I*. A quotation that follows in the same paragraph, with nothing but "said …" between, is hers too;
one without such a verb is spoken by somebody who is not known, and in it, too, *I*, *you* and *she* are three.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from onoma.coref.discourse.voices import HEARER, PARTY, VOICE, voices_of
from onoma.coref.document import Document
from onoma.coref.lists import PEOPLE, listed

__all__ = ["quoted_tokens", "with_quotations"]

_OPENING, _CLOSING, _EITHER = frozenset(("“", "``")), frozenset(("”", "''")), '"'
"""Quotation marks; a lone apostrophe is a possessive's (*the boys' house*) far more often, and is none."""
_LONGEST = 300
"""A quotation with more tokens than this has lost its end."""
_BESIDE = 12
"""So near to the quotation stands the verb of speech."""


def quoted_tokens(words: Sequence[str]) -> list[int]:
    """Say of each token whether it stands in a quotation."""
    quoted, inside = [], 0
    for word in words:
        if word in _OPENING:
            inside = 1
        elif word in _CLOSING:
            inside = 0
        elif word == _EITHER:
            inside = 1 - inside
        quoted.append(inside)
    return quoted


def with_quotations(document: Document) -> Document:
    """Return a document that says whose words its quotations are."""
    quoted = quoted_tokens(document.words)
    segments = _segments(quoted)
    if not segments:
        return document
    voices = voices_of(document)
    known: dict[int, int] = {}
    last: tuple[int, int, int] | None = None  # where the last quotation and what was said of it ends, and its voice
    for start, end in segments:
        subject, until = _speaker(document, quoted, start, end)
        if subject is None and last is not None and _goes_on(document, last[0], last[1], start):
            voice = last[2]
        elif subject is None:
            voice = int(voices.max()) + 1
        else:
            own = int(voices[subject, VOICE]) if document.words[subject].lower() == "i" else 0
            voice = known.setdefault(subject, own or int(voices[subject, PARTY]) or int(voices.max()) + 1)
            voices[subject, PARTY] = voice
        voices[start:end, VOICE], voices[start:end, HEARER] = voice, 0
        called = _called(document, start, end)
        if called is not None:
            voices[called, PARTY] = int(voices[called, PARTY]) or int(voices.max()) + 1
            voices[start:end, HEARER] = voices[called, PARTY]
        last = (end, until, voice) if subject is not None else None
    return replace(document, voices=voices)


def _segments(quoted: Sequence[int]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(quoted, np.int64), [0]])))
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(start, end) for start, end in pairs if 1 < end - start <= _LONGEST]


def _speaker(document: Document, quoted: Sequence[int], start: int, end: int) -> tuple[int | None, int]:
    """Return the head of who is said to speak a quotation, and where what is said of it ends."""
    sentences = document.sentences
    if end + 1 < len(document):
        begun = sentences[end + 1] == sentences[end] or document.words[end + 1][:1].islower()
        until = end + 1
        while until < len(document) and sentences[until] == sentences[end + 1] and not quoted[until]:
            until += 1
        if begun or until - end <= 6:  # "…" Tom said.
            found = _subject(document, range(end + 1, min(until, end + 1 + _BESIDE)))
            if found is not None:
                return found, until
    low = start - 1
    if low >= 0 and document.words[low] in {",", ":"}:
        while low > 0 and sentences[low - 1] == sentences[start - 1] and not quoted[low - 1]:
            low -= 1
        return _subject(document, range(max(low, start - 2 * _BESIDE), start)), end
    return None, end


def _subject(document: Document, tokens: range) -> int | None:
    """Return the subject of the first verb of speech among some tokens."""
    for token in tokens:
        if document.lemmas[token].lower() not in listed("verbs of speech") or document.tags[token][:2] != "VB":
            continue
        children = [child for child in document.children[token] if child in tokens]
        found = [child for child in children if document.deprels[child] == "nsubj"]
        if not found and token + 1 in tokens:  # said Tom, where the tree has him for an object
            found = [child for child in children if child > token and document.deprels[child] in {"obj", "iobj"}]
        return found[0] if found and _is_somebody(document, found[0]) else None
    return None


def _is_somebody(document: Document, token: int) -> bool:
    """Say whether a word may be one person: a name, *I*, *he*, *she*, a noun for people in the singular."""
    if any(document.deprels[child] == "conj" for child in document.children[token]):
        return False
    if document.tags[token] == "NN":
        return any(document.lemmas[token].lower() in listed(name) for name in PEOPLE)
    return document.tags[token] == "NNP" or document.words[token].lower() in {"i", "he", "she"}


def _goes_on(document: Document, end: int, until: int, start: int) -> bool:
    """Say whether a quotation follows what was said of the one before, in the same paragraph.

    Where paragraphs are not known the answer is no: the next one begins another's words as often as not.
    """
    return start <= until + 1 and document.lines is not None and not document.is_parted(end - 1, start)


def _called(document: Document, start: int, end: int) -> int | None:
    """Return who is called by name in a quotation; None where nobody is, or several are."""
    found = [
        token
        for token in range(start, end)
        if document.deprels[token] == "vocative" and document.tags[token] in {"NNP", "NN"}
    ]
    return found[0] if len(found) == 1 else None
