"""Multi-relational latent semantic analysis (Chang, Yih and Meek, EMNLP 2013): how strongly two words are related.

From the decomposition W_k ≈ U S_k Vᵀ of a tensor of documents × words × relations, a word j has the vector v_j (a row
of V) and a relation k the matrix S_k. The degree to which word i stands in relation r to word j is

    cos(S_pivot v_i, S_r v_j):   the documents that i belongs to are those of which j is an r.

The pivot is synonymy: it carries a relation from the words of a document to words that mean the same. Symmetric
relations average both directions. `hypernym` averages its two readings: the documents of i have the hypernym j; the
documents of j have the hyponym i. `is-a` is that, less the same with i and j exchanged: that a bird may be a parrot
speaks against a parrot being, of all words, what the bird is a kind of. (The paper has no such term.)

One slice of synonyms gives LSA; one signed slice (`polarity_tensor`) gives PILSA. `RawRelations` answers the same
questions from the tensor itself, without a decomposition.
"""

import difflib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.knowledge.mrlsa_tensor import PIVOT, Dense, RelationTensor
from onoma.knowledge.mrlsa_tucker import tucker
from onoma.knowledge.thesaurus import Matrix, Thesaurus, row_normal
from onoma.learning.storage import load_model, save_model
from onoma.progress import SILENT, Progress

__all__ = ["RELATIONS", "Mrlsa", "RawRelations", "Related"]

RELATIONS = ("synonym", "antonym", "is-a", "hypernym", "hyponym")
"""What may be asked of two words: `("is-a", "parrot", "bird")`, `("hypernym", "parrot", "bird")` (bird is a hypernym of
parrot), `("hyponym", "bird", "parrot")`."""


class Related(NamedTuple):
    """A word and the degree of its relation to the word asked for, from −1 to 1."""

    word: str
    degree: float


class _Term(NamedTuple):
    """cos(S_near v_a, S_far v_b), with a and b exchanged if `swap`, times the sign."""

    near: str
    far: str
    swap: bool = False
    sign: float = 1.0


class _Vocabulary:
    """Words and how to find them; shared by the model and the raw tensor."""

    def __init__(self, words: Sequence[str], irregular: Mapping[str, tuple[str, ...]]) -> None:
        self.words = tuple(words)
        self.irregular = irregular
        empty = Matrix(np.zeros((1, len(self.words)), np.float32))
        self._lookup = Thesaurus(self.words, ("",), empty, {}, irregular)

    def __contains__(self, word: str) -> bool:
        return self._lookup.find(word) is not None

    def position(self, word: str) -> int:
        """Return the row of a word, or say which words are spelt alike."""
        found = self._lookup.find(word)
        if found is None:
            near = difflib.get_close_matches(word.lower(), self.words, n=4, cutoff=0.8)
            raise DataError(
                f"{word!r} is not in the thesaurus",
                hint=f"Did you mean {', '.join(near)}?" if near else "Give a synonym of it that is.",
            )
        return found


class Mrlsa:
    """Vectors of words and matrices of relations.

    Parameters
    ----------
    words
        Names of the rows.
    vectors
        V, words × rank.
    cores
        S_k by relation, rank × rank.
    irregular
        Inflected forms and their bases, to find words by.

    Examples
    --------
    >>> from onoma.knowledge.mrlsa_tensor import Spread, relation_tensor
    >>> from onoma.knowledge.thesaurus import Entry, from_entries
    >>> book = from_entries([Entry("hot", {"synonym": ["warm"], "antonym": ["cold"]}),
    ...                      Entry("cold", {"synonym": ["cool"], "antonym": ["hot"]})])
    >>> tensor = relation_tensor(book, {"synonym": 1, "antonym": 1}, spread=Spread(steps=0, left_steps=0))
    >>> model = Mrlsa.fit(book, tensor, rank=2)
    >>> round(model.degree("antonym", "warm", "cool"), 4)  # listed nowhere
    1.0
    """

    def __init__(
        self,
        words: Sequence[str],
        vectors: Dense,
        cores: Mapping[str, Dense],
        irregular: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.vocabulary = _Vocabulary(words, irregular or {})
        self.vectors = vectors
        self.cores = dict(cores)

    @classmethod
    def fit(
        cls,
        thesaurus: Thesaurus,
        tensor: RelationTensor,
        *,
        rank: int = 300,
        max_iter: int = 8,
        tolerance: float = 2e-2,
        seed: int = 0,
        progress: Progress = SILENT,
    ) -> Self:
        """Decompose the tensor of a thesaurus."""
        found = tucker(tensor, rank, max_iter=max_iter, tolerance=tolerance, seed=seed, progress=progress)
        cores = dict(zip(tensor.relations, found.cores, strict=True))
        return cls(thesaurus.words, found.words, cores, thesaurus.irregular)

    def __contains__(self, word: str) -> bool:
        return word in self.vocabulary

    @cached_property
    def _sides(self) -> dict[str, Dense]:
        """S_k v_j for every word, of length 1."""
        return {name: _unit(self.vectors @ core.T) for name, core in self.cores.items()}

    def degree(self, relation: str, first: str, second: str) -> float:
        """Return how strongly the first word stands in the relation to the second, from −1 to 1."""
        return float(self.degrees(relation, [first], [second])[0])

    def degrees(self, relation: str, firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float64]:
        """Return the degree for each pair of words."""
        a = [self.vocabulary.position(word) for word in firsts]
        b = [self.vocabulary.position(word) for word in seconds]
        terms = _terms(relation, self.cores)
        total = np.zeros(len(a))
        for term in terms:
            near, far = (b, a) if term.swap else (a, b)
            sides = self._sides[term.near][near], self._sides[term.far][far]
            total += term.sign * np.einsum("ij,ij->i", *sides)
        return total / _n_readings(terms)

    def top(self, relation: str, word: str, n: int = 10) -> list[Related]:
        """Return the words most strongly related, the word itself left out."""
        i = self.vocabulary.position(word)
        terms = _terms(relation, self.cores)
        total = np.zeros(len(self.vocabulary.words), np.float32)
        for term in terms:
            mine, theirs = (term.far, term.near) if term.swap else (term.near, term.far)
            total += np.float32(term.sign) * (self._sides[theirs] @ self._sides[mine][i])
        return _best(self.vocabulary.words, total / _n_readings(terms), i, n)

    def with_word(self, word: str, *, synonyms: Sequence[str]) -> "Mrlsa":
        """Return a model that knows one more word, by its synonyms.

        Its column of the tensor is the sum of theirs, so its vector is the sum of their vectors.
        """
        if not synonyms:
            raise SettingsError(f"{word!r} can be added only with at least one synonym that the model knows")
        rows = [self.vocabulary.position(synonym) for synonym in synonyms]
        vectors = np.vstack([self.vectors, self.vectors[rows].sum(axis=0, keepdims=True)])
        return Mrlsa((*self.vocabulary.words, word.lower()), vectors, self.cores, self.vocabulary.irregular)

    def save(self, folder: str | Path) -> None:
        """Write the model: names as JSON, numbers as arrays."""
        facts = {
            "relations": list(self.cores),
            "words": list(self.vocabulary.words),
            "irregular": {form: list(bases) for form, bases in self.vocabulary.irregular.items()},
        }
        save_model(folder, "mrlsa", facts, {"vectors": self.vectors, "cores": np.stack(list(self.cores.values()))})

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a model written by `save`."""
        facts, arrays = load_model(folder, "mrlsa")
        cores = dict(zip(facts["relations"], arrays["cores"], strict=True))
        irregular = {form: tuple(bases) for form, bases in facts["irregular"].items()}
        return cls(facts["words"], arrays["vectors"], cores, irregular)


class RawRelations:
    """The same questions, answered by the tensor itself: cos(W_pivot e_i, W_r e_j).

    Parameters
    ----------
    thesaurus, tensor
        The thesaurus and its tensor.
    pivot
        Another tensor of the same thesaurus, from which the pivot is taken: spread less than the other relations, so
        that what a word *is* and what it is a kind of stay apart.
    """

    _BLOCK = 256
    """Pairs of words looked at together."""

    def __init__(self, thesaurus: Thesaurus, tensor: RelationTensor, *, pivot: RelationTensor | None = None) -> None:
        self.vocabulary = _Vocabulary(thesaurus.words, thesaurus.irregular)
        self.tensor = tensor
        self._pivot = pivot or tensor

    def __contains__(self, word: str) -> bool:
        return word in self.vocabulary

    def degree(self, relation: str, first: str, second: str) -> float:
        """Return how strongly the first word stands in the relation to the second, from −1 to 1."""
        return float(self.degrees(relation, [first], [second])[0])

    def degrees(self, relation: str, firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float64]:
        """Return the degree for each pair of words."""
        a = np.array([self.vocabulary.position(word) for word in firsts], np.int64)
        b = np.array([self.vocabulary.position(word) for word in seconds], np.int64)
        parts = [
            self._block(relation, a[at : at + self._BLOCK], b[at : at + self._BLOCK])
            for at in range(0, len(a), self._BLOCK)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def top(self, relation: str, word: str, n: int = 10) -> list[Related]:
        """Return the words most strongly related: a shortlist by inner product, then by cosine."""
        i = self.vocabulary.position(word)
        common = np.zeros(len(self.vocabulary.words), np.float32)
        for term in _terms(relation, self.tensor.relations):
            mine, theirs = (term.far, term.near) if term.swap else (term.near, term.far)
            met = self._of(theirs).towards(theirs, self._of(mine).columns(mine, [i]))
            common += np.float32(term.sign) * met.toarray()[:, 0]
        shortlist = np.argsort(-common, kind="stable")[: max(self._BLOCK, 4 * n)]
        degrees = np.full(len(common), -np.inf)
        degrees[shortlist] = self._block(relation, np.full(len(shortlist), i), shortlist)
        return _best(self.vocabulary.words, degrees, i, n)

    def _of(self, relation: str) -> RelationTensor:
        return self._pivot if relation == PIVOT else self.tensor

    def _block(self, relation: str, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        terms = _terms(relation, self.tensor.relations)
        words, places = np.unique(np.concatenate([a, b]), return_inverse=True)
        rows = places[: len(a)], places[len(a) :]
        names = {name for term in terms for name in (term.near, term.far)}
        sides = {name: row_normal(self._of(name).columns(name, words).T, power=2) for name in sorted(names)}
        total = np.zeros(len(a))
        for term in terms:
            near, far = (rows[1], rows[0]) if term.swap else rows
            common = sides[term.near][near].multiply(sides[term.far][far]).sum(axis=1)
            total += term.sign * np.asarray(common).ravel()
        return total / _n_readings(terms)


_UP = [_Term(PIVOT, "hypernym"), _Term(PIVOT, "hyponym", swap=True)]
_DOWN = [_Term(PIVOT, "hypernym", swap=True), _Term(PIVOT, "hyponym")]


def _terms(relation: str, slices: Sequence[str] | Mapping[str, Dense]) -> list[_Term]:
    """Return the cosines whose mean is the degree of a relation, from the slices there are."""
    if relation not in RELATIONS:
        raise SettingsError(f"there is no relation {relation!r}; there are {', '.join(RELATIONS)}")
    if "polarity" in slices and relation in ("synonym", "antonym"):
        return [_Term("polarity", "polarity", sign=1.0 if relation == "synonym" else -1.0)]
    wanted = {
        "synonym": [_Term(PIVOT, PIVOT)],
        "antonym": [_Term(PIVOT, "antonym"), _Term(PIVOT, "antonym", swap=True)],
        "hypernym": _UP,
        "hyponym": _DOWN,
        "is-a": [*_UP, *(term._replace(sign=-1.0) for term in _DOWN)],
    }[relation]
    found = [term for term in wanted if term.near in slices and term.far in slices]
    if not found:
        raise SettingsError(
            f"this model has the slices {', '.join(slices)}, which say nothing of {relation!r}",
            hint=f"Fit one with {PIVOT!r} and {wanted[0].far!r} among the relations.",
        )
    return found


def _n_readings(terms: Sequence[_Term]) -> int:
    """Return over how many readings a degree is a mean: those against it are not counted again."""
    return max(sum(term.sign > 0 for term in terms), 1)


def _unit(rows: Dense) -> Dense:
    """Return rows of length 1; a row that is only rounding error, beside the largest, becomes 0."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-5 * lengths.max(initial=0.0))


def _best(words: Sequence[str], degrees: NDArray[np.floating], left_out: int, n: int) -> list[Related]:
    degrees[left_out] = -np.inf
    order = np.argsort(-degrees, kind="stable")[:n]
    return [Related(words[i], float(degrees[i])) for i in order if np.isfinite(degrees[i])]
