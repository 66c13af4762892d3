"""What speaks for a fact besides a factorisation: how things usually are, and what else holds between the two.

A factorisation knows an entity by its facts; of one with none it says nothing, and a link between two rare entities is
lost in a low rank. Two estimates from counts alone make up for that. Both are probabilities, as a score of a
factorisation is, so `Backed` adds them to it, each times a weight.

*Prior*: how likely o is the object of relation k if of the subject only its block b is known (its kind: the entities
that fit the same relations, see `types.Fit`), and in the same way how likely s is the subject:

    P_k(o | s) = P_k(b_o | b_s) P_k(o | b_o)
    P_k(b' | b) = (n_k(b, b') + κ P_k(b')) / (n_k(b) + κ),      P_k(o | b') ∝ n_k(o) + α (degree(o) + β)

*Pairs*: how likely k holds between s and o by the other relations that do, either way round (j⁻¹ is j the other way):

    1 − Π_j (1 − n(j, k) / (n(j) + κ'))    over the relations j and j⁻¹ that hold between them, j ≠ k

Neither is in Chang et al. (2014). Whether they help depends on the data: FB15k-237 was made by leaving out just those
facts that other relations of the same pair give away.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.knowledge.facts import Codes, Facts
from onoma.knowledge.types import Fit

__all__ = ["Pairs", "Prior"]

Double = NDArray[np.float64]

_KAPPA, _ALPHA, _BETA, _KAPPA_PAIRS = 10.0, 0.01, 0.1, 1.0
"""κ, α, β and κ': the best of a few tried on held-out facts of NELL-995; the figures hardly depend on them."""


_PART = 50_000
"""Pairs looked at together."""


class _Counts:
    """Sums of weights by key."""

    def __init__(self, keys: Codes, weights: Double) -> None:
        # The last key is beyond all others, so that every search ends at a key.
        self.keys, places = np.unique(np.append(keys, np.iinfo(np.int64).max), return_inverse=True)
        self.sums = np.bincount(places, weights=np.append(weights, 0.0))

    def at(self, keys: Codes) -> Double:
        """Return the sum of each key, 0 where there is none."""
        place = np.searchsorted(self.keys, keys)
        return np.where(self.keys[place] == keys, self.sums[place], 0.0)

    def row(self, start: int, width: int) -> Double:
        """Return the sums of the keys from `start` on."""
        first, last = np.searchsorted(self.keys, [start, start + width])
        dense = np.zeros(width)
        dense[self.keys[first:last] - start] = self.sums[first:last]
        return dense


class _Direction:
    """P_k(asked | given) for one side of the relations."""

    def __init__(self, facts: Facts, fit: Fit, given: Codes, asked: Codes) -> None:
        k, x = facts.triples.relations, facts.probability
        self.n, self.block, self.n_blocks = len(facts.entities), fit.block, fit.subjects.shape[1]
        shape = (len(facts.relations), self.n_blocks)
        of_given, of_asked = self.block[given], self.block[asked]
        self.joint = _Counts((k * shape[1] + of_given) * shape[1] + of_asked, x)
        self.given = np.bincount(k * shape[1] + of_given, weights=x, minlength=shape[0] * shape[1]).reshape(shape)
        self.asked = np.bincount(k * shape[1] + of_asked, weights=x, minlength=shape[0] * shape[1]).reshape(shape)
        self.share = self.asked / np.maximum(self.asked.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        self.often = _Counts(k * self.n + asked, x)
        self.smooth = _ALPHA * (np.bincount(np.concatenate([given, asked]), minlength=self.n) + _BETA)
        self.whole = self.asked + np.bincount(self.block, weights=self.smooth, minlength=shape[1])

    def some(self, given: Codes, k: Codes, asked: Codes) -> Double:
        """Return the probability of each."""
        b, c = self.block[given], self.block[asked]
        kind = self.joint.at((k * self.n_blocks + b) * self.n_blocks + c) + _KAPPA * self.share[k, c]
        which = (self.often.at(k * self.n + asked) + self.smooth[asked]) / self.whole[k, c]
        return np.asarray(kind / (self.given[k, b] + _KAPPA) * which)

    def every(self, given: Codes, k: Codes) -> Double:
        """Return the probability of every entity: one row a pair."""
        found = np.empty((len(given), self.n))
        for relation in np.unique(k):
            which = self.often.row(int(relation) * self.n, self.n) + self.smooth
            for row in np.flatnonzero(k == relation):
                found[row] = (self._kinds(int(relation), int(self.block[given[row]])))[self.block] * which
        return found

    def _kinds(self, k: int, b: int) -> Double:
        """Return P_k(b' | b) over the whole of block b'; a block is never empty, so neither is its whole."""
        joint = self.joint.row((k * self.n_blocks + b) * self.n_blocks, self.n_blocks)
        return np.asarray((joint + _KAPPA * self.share[k]) / (self.given[k, b] + _KAPPA) / self.whole[k])


class Prior:
    """How likely facts are by kinds and frequencies alone.

    Parameters
    ----------
    facts
        What is known.
    fit
        The kinds: its blocks.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"subject": ["a", "b", "c"], "relation": ["in"] * 3, "object": ["x", "x", "y"]})
    >>> facts = Facts.from_table(table)
    >>> prior = Prior(facts, Fit.everything(5, 1))
    >>> new = np.array([facts.entities.index("c")])
    >>> prior.objects(new, np.array([0])).round(2).tolist()
    [[0.0, 0.0, 0.0, 0.66, 0.33]]
    """

    def __init__(self, facts: Facts, fit: Fit) -> None:
        subjects, _, objects = facts.triples.columns
        self._objects = _Direction(facts, fit, subjects, objects)
        self._subjects = _Direction(facts, fit, objects, subjects)

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Double:
        """Return how likely each object is, given subject and relation."""
        return self._objects.some(subjects, relations, objects)

    def objects(self, subjects: Codes, relations: Codes) -> Double:
        """Return how likely every entity is as object: one row a pair."""
        return self._objects.every(subjects, relations)

    def subjects(self, relations: Codes, objects: Codes) -> Double:
        """Return how likely every entity is as subject: one row a pair."""
        return self._subjects.every(objects, relations)


class Pairs:
    """How likely facts are by what else holds between the two.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"subject": ["a", "b", "c"], "relation": ["leads", "leads", "hired"],
    ...                   "object": ["x", "y", "a"]})
    >>> more = pa.table({"subject": ["a", "b"], "relation": ["works for"] * 2, "object": ["x", "y"]})
    >>> facts = Facts.from_table(pa.concat_tables([table, more]))
    >>> works = facts.relations.index("works for")
    >>> names = [("a", "x"), ("a", "y")]
    >>> s, o = (np.array([facts.entities.index(name) for name in side]) for side in zip(*names))
    >>> Pairs(facts).score(s, np.array([works, works]), o).round(2).tolist()
    [0.67, 0.0]
    """

    def __init__(self, facts: Facts) -> None:
        s, k, o = facts.triples.columns
        self.n, self.n_relations = len(facts.entities), len(facts.relations)
        # Each pair stands there both ways round: from s the relation k holds, from o its inverse.
        keys = np.concatenate([s * self.n + o, o * self.n + s])
        self.keys, rows = np.unique(keys, return_inverse=True)
        columns = np.concatenate([k, k + self.n_relations])
        cells = (np.tile(facts.probability, 2), (rows, columns))
        self.holds = sp.csr_array(cells, shape=(len(self.keys), 2 * self.n_relations))
        # A thing's relation to itself is its own inverse and comes twice.
        self.holds.data = np.minimum(self.holds.data, 1.0)
        together = sp.csr_array(self.holds.T @ self.holds[:, : self.n_relations]).tocoo()
        total: Double = np.asarray(self.holds.multiply(self.holds).sum(axis=0)).ravel()
        other = together.row != together.col
        rate = together.data[other] / (total[together.row[other]] + _KAPPA_PAIRS)
        self.rates = _Counts(together.row[other].astype(np.int64) * self.n_relations + together.col[other], rate)

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Double:
        """Return how likely each fact is by the other relations of its pair."""
        found = np.zeros(len(subjects))
        wanted = subjects * self.n + objects
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        linked = np.flatnonzero(self.keys[place] == wanted)
        found[linked] = self._rows(place[linked], relations[linked], turned=False)
        return found

    def add_objects_inplace(self, subjects: Codes, relations: Codes, weight: float, into: NDArray[Any]) -> None:
        """Add the weighted probability of every object: one row a pair."""
        self._add(subjects, relations, weight, into, turned=False)

    def add_subjects_inplace(self, relations: Codes, objects: Codes, weight: float, into: NDArray[Any]) -> None:
        """Add the weighted probability of every subject: one row a pair."""
        self._add(objects, relations, weight, into, turned=True)

    def suggested(self, least: Callable[[], float]) -> Iterator[tuple[Codes, Codes, Codes]]:
        """Yield the facts that another relation of its pair speaks for, known or not, in parts.

        `least` is asked before each part: a fact whose probability must be below it is left out, but for relations of a
        thing to itself, of which a factorisation may be silent however high they score.
        """
        rates = sp.csr_array(
            (self.rates.sums[:-1], np.divmod(self.rates.keys[:-1], self.n_relations)),
            shape=(2 * self.n_relations, self.n_relations),
        )
        # A sum of rates is at least the probability, 1 − Π (1 − rate), and the sum of the highest at least any sum.
        highest = self.holds @ rates.max(axis=1).toarray().ravel()
        everywhere = np.divmod(self.keys, self.n)
        for start in range(0, len(self.keys), _PART):
            reach = highest[start : start + _PART] >= least()
            itself = (everywhere[0] == everywhere[1])[start : start + _PART]
            rows = start + np.flatnonzero(reach | itself)
            likely = (self.holds[rows] @ rates).tocoo()
            subjects, objects = (side[rows[likely.row]] for side in everywhere)
            kept = (likely.data >= least()) | (subjects == objects)
            yield subjects[kept], likely.col[kept].astype(np.int64), objects[kept]

    def without(self, subject: int, relation: int, object: int) -> Iterator[tuple[int, bool, float]]:
        """Yield what each known relation of the pair gives to a fact: its code, whether it is turned, the gain.

        The gain is what the probability would lose without it.
        """
        key = subject * self.n + object
        place = int(np.searchsorted(self.keys, key))
        if place == len(self.keys) or self.keys[place] != key:
            return
        span = slice(self.holds.indptr[place], self.holds.indptr[place + 1])
        columns = self.holds.indices[span].astype(np.int64)
        spared = 1.0 - self.holds.data[span] * self.rates.at(columns * self.n_relations + relation)
        for i, column in enumerate(columns.tolist()):
            rest = float(np.prod(np.delete(spared, i)))
            yield column % self.n_relations, column >= self.n_relations, rest * (1.0 - float(spared[i]))

    def _add(self, own: Codes, relations: Codes, weight: float, into: NDArray[Any], *, turned: bool) -> None:
        first, last = np.searchsorted(self.keys, own * self.n), np.searchsorted(self.keys, (own + 1) * self.n)
        for row, (start, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            places = np.arange(start, end)
            values = self._rows(places, np.full(len(places), relations[row]), turned=turned)
            into[row, self.keys[start:end] % self.n] += weight * values

    def _rows(self, places: Codes, relations: Codes, *, turned: bool) -> Double:
        """Return 1 − Π (1 − rate) for stored pairs; turned: of the pair the other way round."""
        starts, ends = self.holds.indptr[places].astype(np.int64), self.holds.indptr[places + 1].astype(np.int64)
        counts = ends - starts
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        cells = np.repeat(starts, counts) + offsets
        columns = self.holds.indices[cells].astype(np.int64)
        if turned:
            columns = (columns + self.n_relations) % (2 * self.n_relations)
        rates = self.rates.at(columns * self.n_relations + np.repeat(relations, counts))
        logs = np.log1p(-np.minimum(self.holds.data[cells] * rates, 1.0 - 1e-12))
        sums = np.bincount(np.repeat(np.arange(len(places)), counts), weights=logs, minlength=len(places))
        return np.asarray(-np.expm1(sums))
