"""Who speaks, where a text says so: turns that begin with the speaker's name and a colon.

    Anna: Did you call her?
    Ben: I did.

A label counts where it begins two sentences or more. The words of a turn are its speaker's; whoever says *I* there is
the one that the label names, and nobody else is: *he*, *you* in a turn of Ben's are not Ben. Where two talk, *you* is
the other. The same holds where the speakers are given.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.coref.discourse.voices import HEARER, PARTY, VOICE, isolate, voices_of
from onoma.coref.document import Document

__all__ = ["with_called", "with_turns"]

_LONGEST = 3
"""Words of a label."""


def with_turns(document: Document) -> Document:
    """Return a document with the speakers that its turns name, or with the voices of those that it has.

    A turn's label is no part of the phrase that follows it, so it is cut from the tree.
    """
    if any(document.speakers):
        return replace(document, voices=_voices_of_speakers(document))
    labels = _labels(document)
    counts = Counter(label for _, _, label in labels)
    turns = [turn for turn in labels if counts[turn[2]] > 1]
    if not turns:
        return document
    speakers = list(document.speakers)
    heads, voices = document.heads.copy(), voices_of(document)
    party = {label: number for number, label in enumerate(sorted({turn[2] for turn in turns}), start=1)}
    for k, (start, colon, label) in enumerate(turns):
        end = turns[k + 1][0] if k + 1 < len(turns) else len(document)
        speakers[colon + 1 : end] = [label] * (end - colon - 1)
        voices[colon + 1 : end, VOICE] = party[label]
        if len(party) == 2:  # of two who talk, one hears what the other says
            voices[colon + 1 : end, HEARER] = 3 - party[label]
        voices[isolate(heads, document, start, colon + 1), PARTY] = party[label]
    return replace(document, speakers=speakers, heads=heads, voices=voices)


def with_called(document: Document) -> Document:
    """Return a document in which who is called by name is who hears it: *When did you leave, Dr. Singh?*"""
    if document.voices is None:
        return document
    voices = document.voices.copy()
    for token in np.flatnonzero((voices[:, HEARER] > 0) & (voices[:, PARTY] == 0)).tolist():
        if document.deprels[token] == "vocative" and document.upos[token] == "PROPN":
            voices[token, PARTY] = voices[token, HEARER]
    return replace(document, voices=voices)


def _voices_of_speakers(document: Document) -> NDArray[np.int64]:
    """Return whose words and, where two talk, for whom the words of each speaker are."""
    voices = voices_of(document)
    party = {name: number for number, name in enumerate(sorted({*document.speakers} - {""}), start=1)}
    voices[:, VOICE] = [party.get(name, 0) for name in document.speakers]
    if len(party) == 2:
        voices[:, HEARER] = np.where(voices[:, VOICE] > 0, 3 - voices[:, VOICE], 0)
    return voices


def _labels(document: Document) -> list[tuple[int, int, str]]:
    """Return where sentences begin with capitalised words and a colon: the first word, the colon, what stands there."""
    found = []
    sentences = document.sentences.tolist()
    for start in range(len(document)):
        if start and sentences[start] == sentences[start - 1]:
            continue
        for colon in range(start + 1, min(start + _LONGEST + 1, len(document))):
            if sentences[colon] != sentences[start] or not document.words[colon - 1][:1].isupper():
                break
            if document.words[colon] == ":":
                found.append((start, colon, " ".join(document.words[start:colon]).lower()))
                break
    return found
