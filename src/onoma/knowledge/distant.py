"""Distant supervision: what the paths between two entities say of known relations (Mintz et al., 2009).

For each relation a logistic regression over paths tells pairs of which the relation is known from all others that text
joins. Others whose subject has a known object are examples against it; where nobody knows an object, the table may have
a gap, and the pair weighs less. Every pair is read by weights that were learnt without it (folds over subjects): known
facts are scored as if they were not known, and unknown ones are not held against themselves.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

__all__ = ["PathReader", "Reading", "learn_paths"]

Fact = tuple[str, str, str]
Pair = tuple[str, str]
Floats = NDArray[np.float64]
_PENALTY = 0.3
"""L2 regularisation. It and `_GAP` were chosen on the pairs of newspaper text by which `trescal/table-3` scores."""
_GAP = 0.3
"""What a pair weighs whose subject has no known object: it may be true and not in the table."""
_FOLDS = 5


@dataclass(frozen=True)
class Reading:
    """A fact that paths speak for."""

    subject: str
    relation: str
    object: str
    probability: float
    path: str
    """The most telling one of the pair."""


@dataclass(frozen=True, eq=False)
class PathReader:
    """What paths say of relations.

    Attributes
    ----------
    readings
        Of all pairs and relations for which a path speaks, the most probable first.
    weights
        By relation and path: what the path adds, learnt from all pairs.
    known
        The facts that were learnt from.
    """

    readings: Sequence[Reading]
    weights: Mapping[tuple[str, str], float]
    known: frozenset[Fact]

    def left_out(self) -> list[tuple[float, bool]]:
        """Return the probability of each reading whose subject has a known object, and whether it is that one."""
        told = {(subject, relation) for subject, relation, _ in self.known}
        return [
            (each.probability, (each.subject, each.relation, each.object) in self.known)
            for each in self.readings
            if (each.subject, each.relation) in told
        ]


def learn_paths(
    known: Iterable[Fact], pairs: Mapping[Pair, Iterable[str]], *, least_known: int = 3, least_pairs: int = 2
) -> PathReader:
    """Learn what paths mean, and read.

    Parameters
    ----------
    known
        Facts of the relations to be read.
    pairs
        The paths that join each pair of entities.
    least_known
        Known pairs that text must join for a relation to be read.
    least_pairs
        Pairs that a path must join to be looked at.

    Examples
    --------
    >>> towns = {"ada": "london", "kurt": "brno", "alan": "london", "emmy": "erlangen", "max": "kiel"}
    >>> known = [(who, "born in", where) for who, where in towns.items() if who != "max"]
    >>> pairs = {(who, where): ["<bear>in"] for who, where in towns.items()}
    >>> pairs |= {(who, "paris"): ["<live>in"] for who in towns}
    >>> sure = [each for each in learn_paths(known, pairs).readings if each.probability > 0.5]
    >>> [(each.subject, each.object, each.path) for each in sure if each.subject == "max"]
    [('max', 'kiel', '<bear>in')]
    """
    facts = frozenset(known)
    every = sorted(pairs)
    row = {pair: at for at, pair in enumerate(every)}
    counts: dict[str, int] = defaultdict(int)
    for paths in pairs.values():
        for path in set(paths):
            counts[path] += 1
    names = sorted(path for path, n in counts.items() if n >= least_pairs)
    X = _matrix(every, pairs, {path: at for at, path in enumerate(names)})
    fold = np.array([zlib.crc32(subject.encode("utf-8", "surrogatepass")) % _FOLDS for subject, _ in every], np.int64)
    by_relation: dict[str, list[Fact]] = defaultdict(list)
    for fact in sorted(facts):
        by_relation[fact[1]].append(fact)
    readings: list[Reading] = []
    weights: dict[tuple[str, str], float] = {}
    for relation, some in by_relation.items():
        at = [row[subject, object_] for subject, _, object_ in some if (subject, object_) in row]
        if len(at) < least_known:
            continue
        truth = np.zeros(len(every))
        truth[at] = 1.0
        told = {subject for subject, _, _ in some}
        share = np.array([1.0 if subject in told else _GAP for subject, _ in every])
        w = _fit(X, truth, share)
        weights |= {(relation, names[k]): float(w[k]) for k in np.flatnonzero(w[:-1] > 0.0).tolist()}
        scores = np.empty(len(every))
        for part in range(_FOLDS):
            inside = fold == part
            scores[inside] = X[inside] @ _fit(X[~inside], truth[~inside], share[~inside])
        readings += _readings(relation, every, X, w, expit(scores), names)
    readings.sort(key=lambda each: (-each.probability, each.subject, each.relation, each.object))
    return PathReader(readings, weights, facts)


def _matrix(every: Sequence[Pair], pairs: Mapping[Pair, Iterable[str]], column: Mapping[str, int]) -> sp.csr_matrix:
    """Return pairs × paths, each row of length one, and a column of ones for the bias."""
    cells = [(at, column[path]) for at, pair in enumerate(every) for path in set(pairs[pair]) if path in column]
    rows, columns = np.array(cells, np.int64).reshape(-1, 2).T
    length = np.sqrt(np.maximum(np.bincount(rows, minlength=len(every)), 1.0))
    values = np.concatenate([1.0 / length[rows], np.ones(len(every))])
    places = np.concatenate([rows, np.arange(len(every))]), np.concatenate([columns, np.full(len(every), len(column))])
    return sp.csr_matrix((values, places), shape=(len(every), len(column) + 1))


def _fit(X: sp.csr_matrix, truth: Floats, share: Floats) -> Floats:
    """Return the weights of a logistic regression under an L2 prior."""

    def loss(w: Floats) -> tuple[float, Floats]:
        z = X @ w
        total = float((share * (np.logaddexp(0.0, z) - truth * z)).sum() + 0.5 * _PENALTY * (w @ w))
        return total, X.T @ (share * (expit(z) - truth)) + _PENALTY * w

    start = np.zeros(X.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x)


def _readings(
    relation: str, every: Sequence[Pair], X: sp.csr_matrix, w: Floats, probability: Floats, names: Sequence[str]
) -> list[Reading]:
    """Return what is said of pairs that a path speaks for."""
    found = []
    for at in range(len(every)):
        inside = slice(int(X.indptr[at]), int(X.indptr[at + 1]))
        columns = X.indices[inside]
        adds = np.where(columns < len(names), w[columns], 0.0)
        if len(adds) and adds.max() > 0.0:
            path = names[int(columns[int(np.argmax(adds))])]
            found.append(Reading(every[at][0], relation, every[at][1], float(probability[at]), path))
    return found
