"""The arrays that the kernels of semi-Markov CRFs share: what is read (`Texts`), where weights lie (`Layout`)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout", "Texts"]


class Texts(NamedTuple):
    """Texts as attributes of tokens and of segments, all texts one after another.

    `offsets[t]:offsets[t + 1]` are the tokens of text t. Attributes come in *bundles* that tokens share: all that the
    word "rome" says about the token after it, for one. Token i has the bundles
    `bundles[bundle_indptr[i]:bundle_indptr[i + 1]]`, bundle b the attributes `ids[indptr[b]:indptr[b + 1]]`.
    A segment that begins at token i and is `segment_length[j]` tokens long has the attribute `segment_ids[j]`, for j in
    `segment_indptr[i]:segment_indptr[i + 1]`. `edges[i]` is the class of the border before token i.
    """

    offsets: NDArray[np.int64]
    bundle_indptr: NDArray[np.int64]
    bundles: NDArray[np.int32]
    indptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    values: NDArray[np.float64]
    edges: NDArray[np.int8]
    segment_indptr: NDArray[np.int64]
    segment_length: NDArray[np.int32]
    segment_ids: NDArray[np.int32]


class Layout(NamedTuple):
    """Where each weight lies in the one vector of weights.

    The features of attribute a in the role *inside* are the weights `inside[a]:inside[a + 1]`, and likewise for
    *begin*, *end* and *segment*; `label[k]` is the label of feature k. After these follow the transitions
    (classes × labels × labels) from `transition`, the labels of first segments from `start`, of last segments from
    `stop`, and the lengths (bins × labels) from `length`; -1 where a kind of feature is left out.

    `parent[y]` is the parent of a label in the taxonomy, -1 for none; parents come before their children.
    `longest[y]` bounds the segments of a label; `barred[c, a, b]` forbids label b after label a.
    """

    n_labels: int
    n_classes: int
    n_bins: int
    inside: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    segment: NDArray[np.int64]
    label: NDArray[np.int32]
    transition: int
    start: int
    stop: int
    length: int
    parent: NDArray[np.int64]
    longest: NDArray[np.int64]
    barred: NDArray[np.bool_]
