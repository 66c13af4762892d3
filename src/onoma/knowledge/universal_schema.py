"""Relation extraction by factorising relations and text patterns together.

What a text says between two entities ("A, president of B") and what a knowledge base says of them (company(A, B)) are
columns of one schema: the same factorisation that completes a knowledge base then reads. Two views:

* *entities* (Chang et al., 2014): patterns are further relations of the tensor X_k ≈ A R_k Aᵀ, so every entity is known
  by all its patterns, whomever they join it to;
* *pairs* (Riedel et al., 2013): a row for each pair of entities that occurs, a column for each relation and pattern;
  here by least squares, the truncated singular value decomposition.

The two make different mistakes. `combined` takes the mean of their standardised scores.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import svds

from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts import Codes, Facts
from onoma.numerics.rng import stream

__all__ = ["PairModel", "combined", "fit_pairs", "joint_facts", "standardised"]

Double = NDArray[np.float64]


def joint_facts(known: pa.Table, patterns: pa.Table, *, min_count: int = 5) -> Facts:
    """Code facts and patterns as one knowledge base.

    Parameters
    ----------
    known
        Facts of the relations to be extracted (`FACTS`).
    patterns
        Patterns as facts: subject, pattern, object.
    min_count
        Patterns that join fewer pairs are left out.
    """
    counted = pc.value_counts(patterns["relation"])
    often = counted.field("values").filter(pc.greater_equal(counted.field("counts"), min_count))
    kept = patterns.filter(pc.is_in(patterns["relation"], value_set=often))
    columns = ["subject", "relation", "object"]
    return Facts.from_table(pa.concat_tables([known.select(columns), kept.select(columns)]))


@dataclass(frozen=True, eq=False)
class PairModel:
    """Pairs by relations and patterns, factorised: X ≈ P Qᵀ."""

    facts: Facts
    keys: Codes
    """Each pair that occurs, subject · n + object, in order."""
    P: Double
    Q: Double

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> NDArray[np.floating[Any]]:
        """Score facts given by codes; a pair that never occurred scores 0."""
        wanted = subjects * len(self.facts.entities) + objects
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        scores = np.einsum("ij,ij->i", self.P[place], self.Q[relations])
        return np.where(self.keys[place] == wanted, scores, 0.0)


def fit_pairs(facts: Facts, *, rank: int = 50, regularisation: float = 0.0, seed: int = 0) -> PairModel:
    """Factorise the matrix of pairs by relations.

    Columns are divided by the root of their number of pairs, so that a frequent pattern says no more than a rare one;
    λ is taken from the singular values (the least-squares solution under λ/2 (‖P‖² + ‖Q‖²)).
    """
    triples, n = facts.triples, len(facts.entities)
    keys, rows = np.unique(triples.subjects * n + triples.objects, return_inverse=True)
    if not 1 <= rank < min(len(keys), len(facts.relations)):
        raise SettingsError(
            f"rank is {rank}; with {len(keys):,} pairs and {len(facts.relations):,} relations it may be from 1 to "
            f"{min(len(keys), len(facts.relations)) - 1:,}"
        )
    weight = 1.0 / np.sqrt(np.maximum(np.bincount(triples.relations, minlength=len(facts.relations)), 1.0))
    cells = (facts.probability * weight[triples.relations], (rows, triples.relations))
    X = sp.csr_array(cells, shape=(len(keys), len(facts.relations)))
    U, s, Vt = svds(X, k=rank, v0=stream(seed, "pairs").standard_normal(min(X.shape)))
    kept = np.maximum(s - regularisation, 0.0)
    return PairModel(facts, keys, U * kept, Vt.T / weight[:, None])


def standardised(scores: Double) -> Double:
    """Return scores with mean 0 and variance 1; one that is missing (NaN) becomes the lowest.

    Examples
    --------
    >>> standardised(np.array([1.0, 3.0, np.nan])).tolist()
    [-1.0, 1.0, -1.0]
    """
    there = ~np.isnan(scores)
    if not there.any():
        raise DataError("a system scored nothing, so its scores cannot be standardised")
    spread = float(scores[there].std())
    found = (scores - scores[there].mean()) / (spread if spread > 0.0 else 1.0)
    return np.where(there, found, found[there].min())


def combined(*systems: Double) -> Double:
    """Return the mean of the standardised scores of several systems for the same facts.

    Examples
    --------
    >>> combined(np.array([0.0, 2.0]), np.array([10.0, 50.0])).tolist()
    [-1.0, 1.0]
    """
    if not systems or len({len(scores) for scores in systems}) > 1:
        raise DataError(f"systems scored {[len(scores) for scores in systems]} facts; each scores the same ones")
    return np.mean([standardised(scores) for scores in systems], axis=0)
