"""What a semi-Markov CRF is made of, before it has weights: texts as arrays, segmentations, and which features exist.

`Sequences` holds attributes of tokens and of segments; `Segmentation` says where segments start, how long they are and
what they are called; `Structure` says which kinds of features a model has. `build_layout` gives every feature a place
in one vector of weights: the pairs of attribute and label that were observed, or all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences._semicrf_arrays import Layout, Texts

__all__ = ["Segmentation", "Sequences", "Structure", "build_layout", "n_weights"]

Ints = NDArray[np.int64]
UNBOUNDED = 2**31 - 1


@dataclass(frozen=True)
class Sequences:
    """Texts as attributes of tokens and, where wanted, of segments.

    Attributes
    ----------
    texts
        The arrays that kernels read.
    n_attributes, n_segment_attributes, n_classes
        How many attributes of tokens, attributes of segments and classes of borders there are.
    """

    texts: Texts
    n_attributes: int
    n_segment_attributes: int = 0
    n_classes: int = 1

    @classmethod
    def of(
        cls,
        attributes: sp.csr_array,
        offsets: Sequence[int] | NDArray[Any],
        *,
        edges: NDArray[Any] | None = None,
        segments: tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None = None,
        n_segment_attributes: int = 0,
        bundles: sp.csr_array | None = None,
    ) -> "Sequences":
        """Return texts from a matrix tokens × attributes.

        Parameters
        ----------
        attributes
            Tokens × attributes.
        offsets
            The tokens of text t are the rows `offsets[t]:offsets[t + 1]`.
        edges
            The class of the border before each token: every class has transitions of its own.
        segments
            Attributes of segments: the token where each begins, its length, and the attribute's id.
        n_segment_attributes
            How many ids of segment attributes there are.
        bundles
            Tokens × bundles, 1 where a token has a bundle of attributes; `attributes` is then bundles × attributes.
            What many tokens share is so scored once for all of them.
        """
        matrix = attributes.tocsr()
        bounds = np.asarray(offsets, np.int64)
        has = sp.eye_array(matrix.shape[0], format="csr") if bundles is None else bundles.tocsr()
        n = has.shape[0]
        if has.shape[1] != matrix.shape[0]:
            raise DataError(f"{has.shape[1]:,} bundles of attributes are used and {matrix.shape[0]:,} given")
        if len(bounds) < 1 or bounds[0] != 0 or bounds[-1] != n or np.any(np.diff(bounds) < 0):
            raise DataError(f"offsets must rise from 0 to the number of tokens, {n:,}")
        classes = np.zeros(n, np.int8) if edges is None else np.asarray(edges, np.int8)
        if len(classes) != n or (n and classes.min() < 0):
            raise DataError(f"{len(classes):,} classes of borders for {n:,} tokens; one a token is wanted, from 0 up")
        starts, lengths, ids = segments or (np.zeros(0, int), np.zeros(0, int), np.zeros(0, int))
        if len(ids) and not (np.min(ids) >= 0 and np.max(ids) < n_segment_attributes):
            raise DataError(f"segment attributes have ids from 0 below {n_segment_attributes:,}")
        order = np.lexsort((ids, lengths, starts))
        texts = Texts(
            bounds,
            has.indptr.astype(np.int64),
            has.indices.astype(np.int32),
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32),
            matrix.data.astype(np.float64),
            classes,
            np.searchsorted(np.asarray(starts)[order], np.arange(n + 1)).astype(np.int64),
            np.asarray(lengths)[order].astype(np.int32),
            np.asarray(ids)[order].astype(np.int32),
        )
        return cls(texts, matrix.shape[1], n_segment_attributes, int(classes.max(initial=0)) + 1)

    def __len__(self) -> int:
        return len(self.texts.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """How many tokens all texts have."""
        return int(self.texts.offsets[-1])

    def attributes(self) -> sp.csr_array:
        """Return the matrix tokens × attributes."""
        texts = self.texts
        n_bundles = len(texts.indptr) - 1
        has = sp.csr_array(
            (np.ones(len(texts.bundles)), texts.bundles, texts.bundle_indptr), shape=(self.n_tokens, n_bundles)
        )
        return has @ sp.csr_array((texts.values, texts.ids, texts.indptr), shape=(n_bundles, self.n_attributes))


@dataclass(frozen=True)
class Segmentation:
    """Where segments start: for each token the label and the length of the segment that starts there, or -1 and 0.

    Examples
    --------
    >>> found = Segmentation.of_spans([(0, 2, 1), (2, 3, 0)], n_tokens=3)
    >>> found.labels.tolist(), found.lengths.tolist(), found.tokens().tolist()
    ([1, -1, 0], [2, 0, 1], [1, 1, 0])
    """

    labels: Ints
    lengths: Ints

    @classmethod
    def of_tokens(cls, labels: Sequence[int] | NDArray[Any]) -> "Segmentation":
        """Return segments of one token each."""
        array = np.asarray(labels, np.int64)
        return cls(array, np.ones(len(array), np.int64))

    @classmethod
    def of_spans(cls, spans: Sequence[tuple[int, int, int]], n_tokens: int) -> "Segmentation":
        """Return segments (start, end, label) that cover every token once; ends are exclusive."""
        labels, lengths = np.full(n_tokens, -1), np.zeros(n_tokens, np.int64)
        at = 0
        for start, end, label in sorted(spans):
            if start != at or end <= start:
                raise DataError(f"segment {start}:{end} does not follow the one that ends at {at}")
            labels[start], lengths[start], at = label, end - start, end
        if at != n_tokens:
            raise DataError(f"the segments cover {at:,} of {n_tokens:,} tokens")
        return cls(labels, lengths)

    def tokens(self) -> Ints:
        """Return the label of each token."""
        return np.repeat(self.labels[self.lengths > 0], self.lengths[self.lengths > 0])

    def spans(self) -> list[tuple[int, int, int]]:
        """Return the segments as (start, end, label), ends exclusive."""
        starts = np.flatnonzero(self.lengths)
        return [(int(s), int(s + self.lengths[s]), int(self.labels[s])) for s in starts]


@dataclass(frozen=True)
class Structure:
    """Which features a model has.

    Parameters
    ----------
    n_labels
        How many labels there are.
    longest
        The longest segment, in tokens: for all labels, for each label, or None for no bound. 1 is a linear chain.
    parents
        The parent of each label (-1: none), parents before children; default: no taxonomy.
    boundaries
        Whether the attributes of a segment's first and last token are features of their own. They say nothing new when
        segments are one token long, and are then left out.
    n_bins
        Lengths 1 … n_bins have features, the last also for everything longer; 0 for none. Left out for chains.
    pairs
        ``"observed"``: an attribute has a feature for the labels it was seen with; ``"all"``: for every label.
    has_ends
        Whether the labels of the first and the last segment are features.
    has_transitions
        Whether pairs of neighbouring labels are features.
    """

    n_labels: int
    longest: int | Sequence[int] | None = 1
    parents: tuple[int, ...] = ()
    boundaries: bool = True
    n_bins: int = 8
    pairs: Literal["observed", "all"] = "observed"
    has_ends: bool = True
    has_transitions: bool = True

    def __post_init__(self) -> None:
        parents = self.parents or (-1,) * self.n_labels
        if self.n_labels < 1 or self.n_bins < 0 or self.pairs not in ("observed", "all"):
            raise SettingsError(
                f"n_labels is {self.n_labels}, n_bins {self.n_bins}, pairs {self.pairs!r}; allowed: n_labels from 1, "
                "n_bins from 0, pairs 'observed' or 'all'"
            )
        if len(parents) != self.n_labels or any(not -1 <= up < y for y, up in enumerate(parents)):
            raise SettingsError("each label has one parent before it, or -1", hint="See learning.taxonomy.")
        if np.min(self.bounds()) < 1 or len(self.bounds()) != self.n_labels:
            raise SettingsError(f"longest is {self.longest}; segments are at least one token long, one bound a label")

    def bounds(self) -> Ints:
        """Return the longest segment of each label."""
        if self.longest is None or isinstance(self.longest, int):
            return np.full(self.n_labels, UNBOUNDED if self.longest is None else self.longest)
        return np.array(self.longest, np.int64)

    @property
    def is_chain(self) -> bool:
        """Whether every segment is one token long."""
        return int(self.bounds().max()) == 1


def build_layout(
    structure: Structure,
    sequences: Sequences,
    gold: Segmentation | None = None,
    *,
    barred: NDArray[np.bool_] | None = None,
) -> Layout:
    """Give every feature a place; without gold segments every pair of attribute and label has one."""
    is_all = structure.pairs == "all" or gold is None
    parents = np.array(structure.parents or (-1,) * structure.n_labels, np.int64)
    n, bounded = structure.n_labels, structure.boundaries and not structure.is_chain
    tables = []
    for role in ("inside", "begin", "end", "segment"):
        width = sequences.n_segment_attributes if role == "segment" else sequences.n_attributes
        if width == 0 or (role in ("begin", "end") and not bounded):
            tables.append((np.zeros(1, np.int64), np.zeros(0, np.int32)))
        elif is_all or gold is None:
            tables.append((np.arange(width + 1) * n, np.tile(np.arange(n, dtype=np.int32), width)))
        else:
            tables.append(_observed(role, width, sequences, gold, parents))
    starts = np.concatenate([[0], np.cumsum([len(labels) for _, labels in tables])])
    inside, begin, end, segment = (ptr + at for (ptr, _), at in zip(tables, starts[:-1], strict=True))
    at = _Cursor(int(starts[-1]))
    return Layout(
        n,
        sequences.n_classes,
        structure.n_bins,
        inside,
        begin,
        end,
        segment,
        np.concatenate([labels for _, labels in tables]).astype(np.int32),
        at.take(sequences.n_classes * n * n, wanted=structure.has_transitions),
        at.take(n, wanted=structure.has_ends),
        at.take(n, wanted=structure.has_ends),
        at.take(structure.n_bins * n, wanted=structure.n_bins > 0 and not structure.is_chain),
        parents,
        structure.bounds(),
        np.zeros((sequences.n_classes, n, n), bool) if barred is None else barred,
    )


def n_weights(layout: Layout) -> int:
    """Return how long the vector of weights is."""
    n = layout.n_labels
    ends = [len(layout.label)]
    for at, size in (
        (layout.transition, layout.n_classes * n * n),
        (layout.start, n),
        (layout.stop, n),
        (layout.length, layout.n_bins * n),
    ):
        if at >= 0:
            ends.append(at + size)
    return max(ends)


class _Cursor:
    """Hands out places one after another."""

    def __init__(self, at: int) -> None:
        self.at = at

    def take(self, size: int, *, wanted: bool) -> int:
        if not wanted:
            return -1
        self.at += size
        return self.at - size


def _observed(
    role: str, width: int, sequences: Sequences, gold: Segmentation, parents: Ints
) -> tuple[Ints, NDArray[np.int32]]:
    """Return the table of the pairs (attribute, label) that occur in one role; ancestors of a label occur with it."""
    texts, n = sequences.texts, len(parents)
    if role == "segment":
        starts = np.repeat(np.arange(sequences.n_tokens), np.diff(texts.segment_indptr))
        labels = np.where(gold.lengths[starts] == texts.segment_length, gold.labels[starts], -1)
        ids = texts.segment_ids
    else:
        by_token = gold.tokens()
        if role == "begin":
            by_token = gold.labels
        elif role == "end":
            starts = np.flatnonzero(gold.lengths)
            by_token = np.full(sequences.n_tokens, -1)
            by_token[starts + gold.lengths[starts] - 1] = gold.labels[starts]
        of_token = sequences.attributes()
        labels, ids = np.repeat(by_token, np.diff(of_token.indptr)), of_token.indices
    keys = np.unique(ids[labels >= 0].astype(np.int64) * n + labels[labels >= 0])
    while True:
        up = parents[keys % n]
        grown = np.unique(np.concatenate([keys, (keys // n * n + up)[up >= 0]]))
        if len(grown) == len(keys):
            break
        keys = grown
    return np.searchsorted(keys // n, np.arange(width + 1)), (keys % n).astype(np.int32)
