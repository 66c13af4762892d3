"""The tensor of words, documents and relations, as an operator: its slices are never formed.

The slice of relation r is documents × words,

    W_r = c_r D_1 K_r D_2 L,     L = members × IDF, rows of length 1,     D_s = Σ_{t ≤ s} (α T)^t,

where K_r links documents (K_synonym = I) and D spreads along the walk T: with probability `share` to a document that
has a word in common, otherwise along links, chosen by weight. Without spreading (s = 0) this is the plain tensor of
the paper. With it, a word meets documents some steps away, which the paper leaves to the low rank alone. Spreading
would fill the slices with 10⁸ numbers and more; a product W_r X costs a few sparse products.

Two more choices, neither in the paper: L may count a word in each sense as often as it is used there (`by_sense`), and
K_hypernym may hold the hypernyms of hypernyms too, Σ_{t ≥ 0} c^t H^{t+1} (`closure` c; K_hyponym is its transpose).

PILSA's signed matrix is the one slice c_s D D L − c_a D K_antonym D L.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.knowledge.thesaurus import Matrix, Thesaurus, row_normal

__all__ = ["Dense", "RelationTensor", "Slices", "SparseSlices", "Spread", "polarity_tensor", "relation_tensor"]

Dense = NDArray[np.float32]
PIVOT = "synonym"
"""The relation that carries every other one to further words."""
_HEIGHT = 25
"""More steps up than a hierarchy has (WordNet's deepest noun is 18 below the top); links may run in a circle."""
_TRACE = 0.05
"""Weight below which a document is no longer called a hypernym of another."""


class Slices(Protocol):
    """A tensor of documents × words × relations, seen only through products.

    What a factor becomes on its way to the links (`of_words`, `of_documents`) is asked for once and used several times.
    """

    @property
    def shape(self) -> tuple[int, int, int]:
        """Documents, words, relations."""

    def of_words(self, V: Dense) -> Dense:
        """Return X, what the other methods want to know of V."""

    def of_documents(self, U: Dense) -> Dense:
        """Return Y, what the other methods want to know of U."""

    def cores(self, Y: Dense, X: Dense) -> Dense:
        """Return Uᵀ W_k V for every k, as relations × columns of U × columns of V."""

    def towards_documents(self, X: Dense, cores: Dense) -> Dense:
        """Return Σ_k W_k V S_kᵀ."""

    def towards_words(self, Y: Dense, cores: Dense) -> Dense:
        """Return Σ_k W_kᵀ U S_k."""


@dataclass(frozen=True)
class Spread:
    """How far a word reaches.

    Parameters
    ----------
    steps
        Steps of the walk between a word and a document, 0 for none.
    left_steps
        Further steps on the side of the documents, after the link.
    decay
        What a step keeps.
    share
        Probability that a step goes to a document with a word in common.
    weights
        Weights of links for the other steps.
    """

    steps: int = 3
    left_steps: int = 1
    decay: float = 0.8
    share: float = 0.2
    weights: Mapping[str, float] = field(
        default_factory=lambda: {"similar": 1.0, "derived": 1.0, "also": 1.0, "hypernym": 0.2, "hyponym": 0.2}
    )

    def __post_init__(self) -> None:
        if self.steps < 0 or self.left_steps < 0 or not 0 <= self.decay <= 1 or not 0 <= self.share <= 1:
            raise SettingsError(
                f"steps {self.steps}, left_steps {self.left_steps}, decay {self.decay}, share {self.share}: "
                "steps are 0 or more, decay and share lie between 0 and 1"
            )


@dataclass(frozen=True)
class SparseSlices:
    """A tensor whose slices are sparse matrices: LSA with one slice, the paper's tensor with four."""

    matrices: Sequence[Matrix]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Documents, words, relations."""
        return (*self.matrices[0].shape, len(self.matrices))

    def of_words(self, V: Dense) -> Dense:
        """Return V itself."""
        return V

    def of_documents(self, U: Dense) -> Dense:
        """Return U itself."""
        return U

    def cores(self, Y: Dense, X: Dense) -> Dense:
        """Return Uᵀ W_k V for every k."""
        return np.stack([Y.T @ (W @ X) for W in self.matrices])

    def towards_documents(self, X: Dense, cores: Dense) -> Dense:
        """Return Σ_k W_k V S_kᵀ."""
        return _sum([W @ (X @ S.T) for W, S in zip(self.matrices, cores, strict=True)])

    def towards_words(self, Y: Dense, cores: Dense) -> Dense:
        """Return Σ_k W_kᵀ U S_k."""
        return _sum([W.T @ (Y @ S) for W, S in zip(self.matrices, cores, strict=True)])


@dataclass(frozen=True)
class _Kernel:
    """The links of one relation; most documents have no antonym, so products take only the rows that have one."""

    whole: Matrix
    rows: NDArray[np.int64]
    compact: Matrix
    turned: Matrix

    @classmethod
    def of(cls, whole: Matrix) -> Self:
        rows = np.flatnonzero(np.diff(whole.indptr))
        compact = Matrix(whole[rows])
        return cls(whole, rows, compact, Matrix(compact.T))


class RelationTensor:
    """The tensor of a thesaurus, spread along its links.

    Parameters
    ----------
    relations
        Names of the slices.
    kernels
        K_r with its scale, documents × documents, one a slice.
    words
        L: documents × words, weighted, rows of length 1.
    walk
        The part of T that follows links, rows summing to 1 − share (or 0).
    spread
        The settings of D.
    """

    def __init__(
        self, relations: Sequence[str], kernels: Sequence[Matrix], words: Matrix, walk: Matrix, spread: Spread
    ) -> None:
        self.relations = tuple(relations)
        self.spread = spread
        self._kernels = [_Kernel.of(Matrix(K)) for K in kernels]
        self._words = (words, Matrix(words.T))
        self._walk = (walk, Matrix(walk.T))
        # Sharing a word: to a word of the document, then to a document of the word, each evenly.
        ones = Matrix(words, copy=True)
        ones.data[:] = 1
        to_words, to_documents = row_normal(ones), row_normal(ones.T)
        self._sharing = ((to_words, to_documents), (Matrix(to_documents.T), Matrix(to_words.T)))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Documents, words, relations."""
        n_documents, n_words = self._words[0].shape
        return n_documents, n_words, len(self._kernels)

    def columns(self, relation: str, words: Sequence[int] | NDArray[np.int64]) -> Matrix:
        """Return the columns of some words in one slice, documents × words: sparse, for a word reaches few of them."""
        X = self._right(Matrix(self._words[1][list(words)].T))
        return Matrix(self._left(self._kernels[self.relations.index(relation)].whole @ X))

    def towards(self, relation: str, documents: Matrix) -> Matrix:
        """Return W_rᵀ X: how much each word has in common with columns of weights on documents."""
        K = self._kernels[self.relations.index(relation)].whole.T
        return Matrix(self._words[1] @ self._right(K @ self._left(documents, 1), 1))

    def of_words(self, V: Dense) -> Dense:
        """Return D L V."""
        return np.asarray(self._right(self._words[0] @ V))

    def of_documents(self, U: Dense) -> Dense:
        """Return Dᵀ U."""
        return np.asarray(self._left(U, 1))

    def cores(self, Y: Dense, X: Dense) -> Dense:
        """Return Uᵀ W_k V for every k."""
        return np.stack([Y[K.rows].T @ (K.compact @ X) for K in self._kernels])

    def towards_documents(self, X: Dense, cores: Dense) -> Dense:
        """Return Σ_k W_k V S_kᵀ, spread once for all slices."""
        total = np.zeros((self.shape[0], cores.shape[1]), np.float32)
        for K, S in zip(self._kernels, cores, strict=True):
            total[K.rows] += (K.compact @ X) @ S.T
        return np.asarray(self._left(total))

    def towards_words(self, Y: Dense, cores: Dense) -> Dense:
        """Return Σ_k W_kᵀ U S_k, spread once for all slices."""
        total = _sum([K.turned @ (Y[K.rows] @ S) for K, S in zip(self._kernels, cores, strict=True)])
        return np.asarray(self._words[1] @ self._right(total, 1))

    def _right(self, X: Any, transposed: int = 0) -> Any:  # noqa: ANN401  (dense or sparse, as it came)
        return self._spread(X, self.spread.steps, transposed)

    def _left(self, X: Any, transposed: int = 0) -> Any:  # noqa: ANN401
        return self._spread(X, self.spread.left_steps, transposed)

    def _spread(self, X: Any, steps: int, transposed: int) -> Any:  # noqa: ANN401
        """Return D X, or Dᵀ X, dense or sparse as X is."""
        total, walk = X, self._walk[transposed]
        first, second = self._sharing[transposed]
        decay, share = np.float32(self.spread.decay), np.float32(self.spread.share)
        for _ in range(steps):
            moved = walk @ X
            if share:
                moved = moved + share * (first @ (second @ X))
            X = decay * moved
            total = total + X
        return total


def relation_tensor(
    thesaurus: Thesaurus,
    scales: Mapping[str, float],
    *,
    spread: Spread | None = None,
    closure: float = 0.0,
    by_sense: bool = False,
) -> RelationTensor:
    """Return the tensor with one slice for each relation named, multiplied by its scale.

    Parameters
    ----------
    thesaurus
        What it is made of.
    scales
        How much of the error the decomposition spends on each slice; a raw cosine does not depend on it.
    spread
        How far a word reaches.
    closure
        How much a hypernym of a hypernym counts as one, and so on up: from 0, not at all, to 1, alike.
    by_sense
        Whether a word counts in each of its senses as often as it is used there, instead of alike in all.
    """
    if PIVOT not in scales or not all(scale > 0 for scale in scales.values()):
        raise SettingsError(
            f"scales are {dict(scales)}; a scale is above 0, and {PIVOT!r} must be among the relations: it is the pivot"
        )
    if not 0.0 <= closure <= 1.0:
        raise SettingsError(f"closure is {closure}; it lies between 0 and 1")
    kernels = [_kernel(thesaurus, relation, closure) * np.float32(scale) for relation, scale in scales.items()]
    members = thesaurus.shares if by_sense else thesaurus.members
    return _assembled(thesaurus, members, list(scales), kernels, spread or Spread())


def polarity_tensor(
    thesaurus: Thesaurus, *, synonym: float = 1.0, antonym: float = 1.0, spread: Spread | None = None
) -> RelationTensor:
    """Return PILSA's signed matrix as a tensor of one slice: synonyms count up, antonyms down."""
    signed = _kernel(thesaurus, PIVOT) * np.float32(synonym) - _kernel(thesaurus, "antonym") * np.float32(antonym)
    return _assembled(thesaurus, thesaurus.members, ["polarity"], [signed], spread or Spread())


def _kernel(thesaurus: Thesaurus, relation: str, closure: float = 0.0) -> Matrix:
    if relation == PIVOT:
        return Matrix(sp.eye_array(len(thesaurus.documents), dtype=np.float32, format="csr"))
    if closure and relation in ("hypernym", "hyponym"):
        above = _closure(row_normal(thesaurus.link("hypernym")), closure)
        return above if relation == "hypernym" else Matrix(above.T)
    return row_normal(thesaurus.link(relation), power=2)


def _closure(H: Matrix, keep: float) -> Matrix:
    """Return Σ_{t ≥ 0} keep^t H^{t+1}: all documents above each; several parents share a document's weight.

    Where links go by ambiguous words the weight soon scatters over everything: what falls below `_TRACE` is dropped.
    """
    total = step = H
    for height in range(1, _HEIGHT):
        step = Matrix(step @ H)
        step.data[step.data < _TRACE] = 0.0
        step.eliminate_zeros()
        if not step.nnz:
            break
        total = Matrix(total + step * np.float32(keep**height))
    return total


def _assembled(
    thesaurus: Thesaurus, members: Matrix, relations: list[str], kernels: Sequence[Any], spread: Spread
) -> RelationTensor:
    n_documents = len(thesaurus.documents)
    present = [(w, thesaurus.links[name]) for name, w in spread.weights.items() if w and name in thesaurus.links]
    walk = sum((w * link for w, link in present), Matrix((n_documents, n_documents), dtype=np.float32))
    return RelationTensor(
        relations,
        [Matrix(K) for K in kernels],
        weighted_words(members),
        Matrix(row_normal(walk) * np.float32(1 - spread.share)),
        spread,
    )


def weighted_words(members: Matrix) -> Matrix:
    """Return TF-IDF weights: log(documents / documents with the word), rows of length 1."""
    n_documents = members.shape[0]
    frequency = np.bincount(members.indices, minlength=members.shape[1])
    # A word in every document would weigh nothing and its row could vanish: 1 + n keeps every weight above 0.
    idf = np.log((1 + n_documents) / np.maximum(frequency, 1)).astype(np.float32)
    weighted = Matrix(members, copy=True).astype(np.float32)
    weighted.data *= idf[weighted.indices]
    return row_normal(weighted, power=2)


def _sum(parts: Sequence[Dense]) -> Dense:
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total
