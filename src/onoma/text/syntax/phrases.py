"""Noun phrases from dependency trees: base, plain, maximal and coordinated, with heads, determiners and appositions.

A phrase stands around a nominal head: a noun, name, pronoun, or another word in a noun's place. Its *base* runs from
the first modifier before the head to the head (and the rest of a name); the *maximal* phrase has all that depends on
the head but what makes it a predicate (copula, subject) or ties it to the outside (preposition, conjunction,
punctuation); the *plain* one leaves out clauses and appositions; a *coordination* runs to the last conjunct. Phrases of
one head that are the same tokens are one row with several kinds.

Cost: tokens × depth of the tree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.text.syntax import _phrases_kernels as kernels
from onoma.text.syntax._phrases_kernels import BASE, COORDINATION, MAXIMAL, PLAIN

__all__ = ["BASE", "COORDINATION", "MAXIMAL", "PLAIN", "Phrases", "noun_phrases"]

_ROLES = {
    kernels.OUT: "case cc cc:preconj mark aux aux:pass discourse vocative dislocated list orphan reparandum advcl "
    "parataxis punct expl compound:prt root ccomp xcomp obl obl:agent obl:unmarked obj iobj advcl:relcl",
    kernels.PRE: "det det:predet amod nmod:poss nmod:desc",
    kernels.NAME: "flat goeswith compound nummod fixed",
    kernels.CONJUNCT: "conj",
    kernels.APPOSITION: "appos",
    kernels.PREDICATE: "cop nsubj nsubj:pass nsubj:outer csubj csubj:pass csubj:outer",
    kernels.ADVERB: "advmod",
    kernels.RELATIVE: "acl:relcl acl",
}
_ROLE_OF = {label: role for role, labels in _ROLES.items() for label in labels.split()}
_NOMINAL_TAGS = frozenset(("NOUN", "PROPN", "PRON"))
_NOMINAL_PLACES = frozenset(
    ("nsubj", "nsubj:pass", "nsubj:outer", "obj", "iobj", "obl", "obl:agent", "nmod", "nmod:poss", "appos")
)
_NOT_NOMINAL = frozenset(("flat", "goeswith", "fixed"))


@dataclass(frozen=True, eq=False)
class Phrases:
    """Noun phrases, ordered by head; offsets count tokens of the batch."""

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    heads: NDArray[np.int32]
    kinds: NDArray[np.int32]
    """Bits: `BASE`, `MAXIMAL`, `COORDINATION`, `PLAIN`."""
    determiners: NDArray[np.int32]
    """The determiner or possessive of the head, -1 if none."""
    appositions: NDArray[np.int32]
    """The head this phrase's head is an apposition to, -1 if none."""

    def __len__(self) -> int:
        return len(self.starts)

    def of_kind(self, kind: int) -> NDArray[np.int64]:
        """Return which phrases are of a kind."""
        return np.flatnonzero(self.kinds & kind)


def noun_phrases(
    sentences: NDArray[np.int32],
    heads: NDArray[np.int32],
    labels: Sequence[str],
    upos: Sequence[str],
    words: Sequence[str] | None = None,
) -> Phrases:
    """Return the noun phrases of parsed sentences.

    Parameters
    ----------
    sentences
        Sentence i is the tokens from `sentences[i]` to before `sentences[i + 1]`.
    heads
        Each token's head (a token of the batch), -1 for a root.
    labels, upos
        Each token's label and universal tag.
    words
        The words: with them, a possessor also gives a phrase with its *'s*.

    Examples
    --------
    >>> heads = np.array([2, 2, 3, -1, 6, 6, 3], np.int32)
    >>> labels = ["det", "amod", "nsubj", "root", "case", "det", "obl"]
    >>> upos = ["DET", "ADJ", "NOUN", "VERB", "ADP", "DET", "NOUN"]
    >>> found = noun_phrases(np.array([0, 7], np.int32), heads, labels, upos)
    >>> list(zip(found.starts.tolist(), found.ends.tolist(), found.heads.tolist()))
    [(0, 3, 2), (5, 7, 6)]
    """
    n = len(heads)
    roles = np.array([_ROLE_OF.get(label, kernels.POST) for label in labels], np.uint8)
    if words is not None:
        roles[[k for k, word in enumerate(words) if word in ("'s", "’s", "'", "’") and labels[k] == "case"]] = (
            kernels.POSSESSIVE
        )
    nominal = np.array(
        [
            label not in _NOT_NOMINAL and (tag in _NOMINAL_TAGS or label in _NOMINAL_PLACES)
            for tag, label in zip(upos, labels, strict=True)
        ],
        np.bool_,
    ).reshape(-1)
    loose = np.array([tag == "PUNCT" for tag in upos], np.bool_)
    left, right = np.zeros(n, np.int32), np.zeros(n, np.int32)
    kernels.reaches(sentences, heads, left, right)
    out = np.zeros((5 * n + 1, 4), np.int32)
    out = out[: kernels.phrases_of(sentences, heads, roles, nominal, loose, left, right, out)]
    determiners, apposed = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    for k, label in enumerate(labels):
        if label in ("det", "nmod:poss") and heads[k] >= 0:
            determiners[heads[k]] = k
        elif label == "appos":
            apposed[k] = heads[k]
    own = out[:, 2]
    return Phrases(out[:, 0], out[:, 1], own, out[:, 3], determiners[own], apposed[own])
