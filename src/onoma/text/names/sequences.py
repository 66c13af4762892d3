"""One mechanism for names and chunks: templates over token attributes, hashed to rows of a linear chain.

A template names the columns that make one feature and where they stand: `lower`, `lower-1`, `cluster&flags`. A feature
is the template's number hashed with the values (`_linear_kernels.slot_of`); features met too rarely while learning have
no row. Decoding costs about 3 µs a token with a hundred templates and seventeen labels.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.learning.sequences.sequence import ChainTraining, LinearChain, bio_transitions, learn_chain
from onoma.progress import SILENT, Progress
from onoma.text._linear_kernels import count_slots
from onoma.text.linear import templates_of
from onoma.text.names._names_kernels import feature_rows
from onoma.text.slots import Rows, Slots

__all__ = ["SequenceTagger", "bilou_codes", "bilou_labels", "spans_from"]

N_BITS = 21
_AT_ONCE = 4096
"""Tokens whose features are held together: a megabyte or two."""


@dataclass(frozen=True, eq=False)
class SequenceTagger:
    """A linear chain over hashed templates."""

    columns: tuple[str, ...]
    templates: str
    """As `linear.templates_of` reads them."""
    slots: Slots
    """Of the features that have a row."""
    chain: LinearChain

    @cached_property
    def _compiled(self) -> NDArray[np.int16]:
        return templates_of(self.templates, self.columns)

    def ids(self, attributes: NDArray[np.uint32], sentences: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the rows of the features of each token."""
        return feature_rows(attributes, sentences, self._compiled, 64 - N_BITS, *self.slots.arrays)

    def pieces(
        self, attributes: NDArray[np.uint32], sentences: NDArray[np.int32]
    ) -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.int32]]]:
        """Yield, for runs of sentences, their first token, `ids` of their tokens, and where each sentence begins.

        A token has a hundred features: rows are held for one run at a time, not for the whole batch.
        """
        first, n = 0, len(sentences) - 1
        while first < n:
            begin = int(sentences[first])
            last = max(first + 1, int(np.searchsorted(sentences, begin + _AT_ONCE, "right")) - 1)
            bounds = sentences[first : last + 1] - sentences[first]
            yield begin, self.ids(attributes[begin : int(sentences[last])], bounds), bounds
            first = last

    def decode(self, attributes: NDArray[np.uint32], sentences: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the code of each token's label."""
        return self.chain.decode(self.ids(attributes, sentences), sentences)

    def header(self) -> dict[str, Any]:
        """Return what a file's header needs."""
        return {"columns": self.columns, "templates": self.templates, "labels": self.chain.labels}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a file needs to hold; rows without weight are left out."""
        weights, scale = self.chain.as_bytes()
        kept = weights.any(axis=1)
        slots = Slots.of(self.slots.numbers[kept], N_BITS)
        arrays = {"chain_slots": slots.marks} | Rows.of(weights[kept]).stored("chain")
        return {**arrays, "chain_scale": scale, "chain_transitions": self.chain.transitions}

    @classmethod
    def of(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "SequenceTagger":
        """Make the tagger that `header` and `arrays` came from."""
        labels = tuple(header["labels"])
        weights = Rows.load("chain", arrays).dense(len(labels))
        chain = LinearChain(labels, weights, arrays["chain_transitions"], arrays["chain_scale"])
        return cls(tuple(header["columns"]), header["templates"], Slots.marked(arrays["chain_slots"]), chain)

    @classmethod
    def learn(
        cls,
        attributes: NDArray[np.uint32],
        sentences: NDArray[np.int32],
        y: NDArray[np.integer],
        labels: Sequence[str],
        columns: Sequence[str],
        templates: str,
        training: ChainTraining,
        *,
        progress: Progress = SILENT,
    ) -> "SequenceTagger":
        """Learn from labelled tokens. What is returned is what loading gives: weights are rounded to 8 bits."""
        compiled = templates_of(templates, columns)
        counts = np.zeros(1 << N_BITS, np.uint8)
        chosen, none = np.arange(len(sentences) - 1), np.zeros(len(attributes), np.int32)
        count_slots(attributes, sentences, chosen, none, compiled, 64 - N_BITS, counts)
        slots = Slots.of(np.flatnonzero(counts >= training.least_count), N_BITS)
        ids = feature_rows(attributes, sentences, compiled, 64 - N_BITS, *slots.arrays)
        forbidden = bio_transitions(labels)
        chain = learn_chain(ids, sentences, y, labels, len(slots), training, forbidden=forbidden, progress=progress)
        made = cls(tuple(columns), templates, slots, chain)
        return cls.of(made.header(), made.arrays())


def bilou_labels(types: Sequence[str]) -> list[str]:
    """Return the labels of spans of some types: beginning, inside, last and unit of each, and O.

    Examples
    --------
    >>> bilou_labels(["PER"])
    ['O', 'B-PER', 'I-PER', 'L-PER', 'U-PER']
    """
    return ["O", *(f"{place}-{kind}" for kind in types for place in "BILU")]


def bilou_codes(n: int, spans: Sequence[tuple[int, int, int]]) -> NDArray[np.int32]:
    """Return the codes (in `bilou_labels`) of n tokens with spans (first, one past the last, number of the type)."""
    codes = np.zeros(n, np.int32)
    for start, end, kind in spans:
        base = 1 + 4 * kind
        codes[start:end] = base + 1
        codes[start], codes[end - 1] = base, base + 2
        if end == start + 1:
            codes[start] = base + 3
    return codes


def spans_from(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return starts, ends and types of the spans that codes of `bilou_labels` say.

    Examples
    --------
    >>> [each.tolist() for each in spans_from(np.array([0, 1, 2, 3, 8]))]
    [[1, 4], [4, 5], [0, 1]]
    """
    place, kind = (codes - 1) % 4, (codes - 1) // 4
    is_name = codes > 0
    starts = np.flatnonzero(is_name & ((place == 0) | (place == 3)))
    ends = np.flatnonzero(is_name & (place >= 2)) + 1
    return starts, ends, kind[starts].astype(np.int64)
