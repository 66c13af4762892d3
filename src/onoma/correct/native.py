"""What native text teaches: which article, preposition, form of a noun or verb, or comma stands in a context.

Every place where a choice could be edited is an example: the labels are those of the edits that would be proposed there
and of what stands there, which is taken for right. The features hold nothing of the chosen word itself but its stem, so
the model can be asked about text whose choices are wrong. This is the papers' classifier learnt from native text; what
learners do with a choice is learnt above it, by the weights of edits.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.correct._context_kernels import N_NATIVE, native_rows, read_contexts
from onoma.correct.candidates import KINDS, Proposals, labels
from onoma.correct.model import Encoded
from onoma.learning.hashed import CandidateRows, HashedMaxEnt

__all__ = ["NativeExamples", "learn_native", "native_examples"]

_SPARED = 4
"""One gap in so many is learnt from, for the choices that almost always are nothing: prepositions and commas."""
_NATIVE_RATE = 0.15


class NativeExamples:
    """Choices of native text: candidates, the right one of each place, and the kind of each place."""

    def __init__(self, rows: CandidateRows, chosen: NDArray[np.int64], kinds: NDArray[np.int64]) -> None:
        self.rows, self.chosen, self.kinds = rows, chosen, kinds


def native_examples(text: Encoded, proposals: Proposals, bits: int) -> NativeExamples:
    """Return every choice of a native text."""
    starts: list[int] = []
    ends: list[int] = []
    actions: list[int] = []
    sizes = []
    for index, (words, folded, tags) in enumerate(zip(text.sentences, text.folded, text.tags, strict=True)):
        found = proposals.propose(words, folded, tags, int(text.begins[index]) + 1)
        starts += found[0]
        ends += found[1]
        actions += found[2]
        sizes.append(len(found[0]))
    table = labels(proposals.actions)[np.array(actions, np.int64)]
    at, to = np.array(starts, np.int64), np.array(ends, np.int64)
    kinds = table[:, 0]
    is_gap = to == at
    spared = is_gap & ((kinds == KINDS.index("preposition")) | (kinds == KINDS.index("comma"))) & (at % _SPARED != 0)
    keep = np.flatnonzero((kinds >= 0) & ~spared)
    sentence = np.repeat(np.arange(len(sizes)), sizes)[keep]
    order = np.lexsort((np.arange(len(keep)), kinds[keep], is_gap[keep], at[keep]))
    keep, sentence = keep[order], sentence[order]
    return _group(text, table[keep], (at[keep], to[keep], sentence), bits)


def _group(
    text: Encoded,
    table: NDArray[np.int64],
    places: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    bits: int,
) -> NativeExamples:
    """Put what stands in a place before the labels that could."""
    at, to, sentence = places
    key = ((at << 1) + (to > at)) * len(KINDS) + table[:, 0]
    n = len(key)
    new = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    shift = np.zeros(n, np.int64)
    shift[new] = 1
    group = np.cumsum(shift) - 1
    total = n + len(new)
    source = np.empty(total, np.int64)
    is_own = np.ones(total, bool)
    target = np.arange(n) + group + 1
    is_own[target] = False
    source[target] = np.arange(n)
    source[is_own] = new
    bounds = np.stack([text.begins[sentence[new]], text.begins[sentence[new] + 1] - 1], axis=1)
    contexts = read_contexts(text.keys, text.tag_numbers, bounds, at[new], to[new])
    label = np.where(is_own, table[source, 2], table[source, 1])
    site = np.repeat(np.arange(len(new)), np.diff(np.append(np.flatnonzero(is_own), total)))
    ids = native_rows(table[source, 0], label, table[source, 3], site, contexts, np.uint64((1 << bits) - 1))
    ptr = np.arange(total + 1, dtype=np.int64) * N_NATIVE
    groups = np.append(np.flatnonzero(is_own), total).astype(np.int64)
    rows = CandidateRows(groups, ptr, ids.ravel(), np.ones(ids.size, np.float32))
    return NativeExamples(rows, groups[:-1], table[new, 0])


def learn_native(parts: "Sequence[Encoded]", proposals: Proposals, *, bits: int = 21, seed: int = 0) -> HashedMaxEnt:
    """Learn the choices of native text, part by part."""
    model = HashedMaxEnt(bits=bits, rate=_NATIVE_RATE, seed=seed)
    for part in parts:
        examples = native_examples(part, proposals, bits)
        model.partial_fit(examples.rows, examples.chosen)
    return model
