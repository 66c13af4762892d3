"""Whose words a text's words are, to whom they are said, and which mentions name these parties.

Three numbers for each token: the *party* that the mention with this head is, by what the text says; the party whose
words these are (*voice*); the party to whom they are said (*hearer*). 0 stands for nobody known. Turns of a talk
(`turns`), letters (`letters`) and quotations (`quotations`) fill them in, `evidence` draws the conclusions.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.coref.document import Document

__all__ = ["HEARER", "PARTY", "VOICE", "isolate", "voices_of"]

PARTY, VOICE, HEARER = range(3)


def voices_of(document: Document) -> NDArray[np.int64]:
    """Return a copy of what is known of each token's party, voice and hearer."""
    return np.zeros((len(document), 3), np.int64) if document.voices is None else document.voices.copy()


def isolate(heads: NDArray[np.int64], document: Document, start: int, end: int) -> int:
    """Let a span be a tree by itself, and what hung on it another; return the span's head."""
    inside = range(start, end)
    label = next((t for t in inside if not start <= heads[t] < end or heads[t] == t), start)
    sentence = document.sentences[start]
    low, high = start, end
    while low > 0 and document.sentences[low - 1] == sentence:
        low -= 1
    while high < len(document) and document.sentences[high] == sentence:
        high += 1
    rest = [t for t in range(low, high) if not start <= t < end and (heads[t] == t or start <= heads[t] < end)]
    for token in inside:
        if token == label or not start <= heads[token] < end:
            heads[token] = label
    for token in rest:
        heads[token] = rest[0]
    return label
