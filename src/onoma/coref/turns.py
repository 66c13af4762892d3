"""Who speaks, where a text says so: turns that begin with the speaker's name and a colon.

    Anna: Did you call her?
    Ben: I did.

A label counts where it begins two sentences or more. The words of a turn are its speaker's; whoever says *I* there is
the one that the label names, and nobody else is: *he*, *you* in a turn of Ben's are not Ben.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.coref.attributes import Column
from onoma.coref.document import Document

__all__ = ["turn_scores", "with_turns"]

_LONGEST = 3
"""Words of a label."""
_SURE = 8.0
"""What the label of a turn adds to the score of *I* in it, and takes from that of others: more than other evidence."""


def with_turns(document: Document) -> Document:
    """Return a document with the speakers that its turns name; one that has speakers is left as it is.

    A turn's label is no part of the phrase that follows it, so it is cut from the tree.
    """
    if any(document.speakers):
        return document
    labels = _labels(document)
    counts = Counter(label for _, _, label in labels)
    turns = [turn for turn in labels if counts[turn[2]] > 1]
    if not turns:
        return document
    speakers = list(document.speakers)
    heads = document.heads.copy()
    for k, (start, colon, label) in enumerate(turns):
        end = turns[k + 1][0] if k + 1 < len(turns) else len(document)
        speakers[colon + 1 : end] = [label] * (end - colon - 1)
        _cut(heads, document, start, colon)
    return replace(document, speakers=speakers, heads=heads)


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


def _cut(heads: NDArray[np.int64], document: Document, start: int, colon: int) -> None:
    """Let the label stand by itself: nothing before the colon governs what follows it, or is governed by it."""
    last = start
    while last + 1 < len(document) and document.sentences[last + 1] == document.sentences[start]:
        last += 1
    inside = range(start, colon + 1)
    label = next((t for t in inside if not start <= heads[t] <= colon or heads[t] == t), start)
    rest = [t for t in range(colon + 1, last + 1) if heads[t] == t or heads[t] <= colon]
    for token in inside:
        if token == label:
            heads[token] = token
        elif not start <= heads[token] <= colon:
            heads[token] = label
    for token in rest:
        heads[token] = rest[0]


def turn_scores(table: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Return what turns add to the score of each antecedent; None where no label is a mention.

    A label is spoken by nobody, and what it says is who speaks the words of its turns.
    """
    text, speaker = table[:, Column.TEXT], table[:, Column.SPEAKER]
    label = (speaker == 0) & np.isin(text, speaker[speaker != 0])
    if not label.any():
        return None
    pronoun = (table[:, Column.TYPE] == 0) & (speaker != 0)
    own = pronoun[:, None] & label[None, :] & (speaker[:, None] == text[None, :])
    mine = (table[:, Column.PERSON] == 1) & (table[:, Column.NUMBER] == 1)
    return _SURE * (own & mine[:, None]) - _SURE * (own & ~mine[:, None])
