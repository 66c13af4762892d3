"""How well a model of facts ranks what is true above what is not.

*Entity retrieval* (Chang et al., 2014): for each pair of subject and relation with facts in the test set, those facts
are ranked among facts with randomly drawn objects; mean average precision (MAP) over the pairs.
*Relation retrieval*: for each relation its test facts are ranked among as many random pairs of entities; MAP over the
relations. *Link prediction*: the object (and the subject) of each test fact is ranked among all entities, other facts
that are known left out (the filtered setting of Bordes et al., 2013); mean reciprocal rank (MRR) and Hits@k.

Items with equal scores are taken in random order and the expected value is given, so a model that scores everything
alike gets what guessing gets. A score of -inf says "impossible".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.evaluate._ranking_kernels import average_precisions, filtered_ranks
from onoma.numerics.rng import stream

__all__ = [
    "LinkScores",
    "Retrieval",
    "Scorer",
    "average_precision",
    "entity_retrieval",
    "link_prediction",
    "relation_retrieval",
    "weighted_mean_average_precision",
]

Codes = NDArray[np.int64]
Scores = NDArray[np.floating[Any]]
Coded = tuple[Codes, Codes, Codes]
"""Facts as codes of subjects, relations and objects."""


class Scorer(Protocol):
    """What is measured: anything that scores facts, higher for more likely."""

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Scores:
        """Score facts."""

    def score_objects(self, subjects: Codes, relations: Codes) -> Scores:
        """Score every entity as the object: one row a pair."""

    def score_subjects(self, relations: Codes, objects: Codes) -> Scores:
        """Score every entity as the subject: one row a pair."""


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Average precision of each query."""

    queries: NDArray[np.int64]
    """What was asked: (subject, relation) rows, or relations."""
    precision: NDArray[np.float64]
    n_facts: NDArray[np.int64]
    """Right answers of each query."""

    @property
    def map(self) -> float:
        """The mean."""
        return float(self.precision.mean())


@dataclass(frozen=True, eq=False)
class LinkScores:
    """Filtered ranks of the objects and subjects of test facts."""

    object_ranks: NDArray[np.float64]
    subject_ranks: NDArray[np.float64]

    @property
    def ranks(self) -> NDArray[np.float64]:
        """Both sides."""
        return np.concatenate([self.object_ranks, self.subject_ranks])

    @property
    def mrr(self) -> float:
        """Mean reciprocal rank over both sides."""
        return float(np.mean(1.0 / self.ranks))

    def hits(self, k: int) -> float:
        """Share of the ranks up to k."""
        return float(np.mean(self.ranks <= k))


def average_precision(scores: Scores | Sequence[float], relevant: NDArray[np.bool_] | Sequence[bool]) -> float:
    """Return the average precision of one ranking, in expectation over the order of equal scores.

    Examples
    --------
    >>> average_precision([0.9, 0.8, 0.7], [True, False, True])
    0.8333333333333333
    """
    values, flags = np.asarray(scores, np.float64), np.asarray(relevant, np.bool_)
    if values.shape != flags.shape or not flags.any():
        raise DataError(
            f"{len(values)} scores and {int(flags.sum())} right answers of {len(flags)} came; give as many, one right"
        )
    return float(_precisions(values, flags, np.array([0, len(values)]))[0])


def weighted_mean_average_precision(precision: NDArray[np.float64], n_facts: NDArray[np.int64]) -> float:
    """Return the mean of average precisions, each weighted by its number of right answers."""
    return float(np.average(precision, weights=n_facts))


def entity_retrieval(
    scorer: Scorer, test: Coded, known: Coded, *, n_entities: int, n_negatives: int = 100, seed: int = 0
) -> Retrieval:
    """Rank the test objects of each (subject, relation) among randomly drawn entities.

    Parameters
    ----------
    scorer
        What is measured.
    test
        The facts to find.
    known
        Facts known to be true, the test facts among them or not; none of them is drawn as a wrong answer.
    n_entities, n_negatives, seed
        Wrong answers are drawn from so many entities, so many for each pair, by this seed.
    """
    subjects, relations, objects = _some(test)
    rng = stream(seed, "entity retrieval")
    true = _Known(np.concatenate([known[i], test[i]]) for i in range(3))
    n_relations = int(max(relations.max(), known[1].max())) + 1
    order = np.lexsort((objects, relations, subjects))
    subjects, relations, objects = subjects[order], relations[order], objects[order]
    keys = subjects * n_relations + relations
    pairs, firsts = np.unique(keys, return_index=True)
    counts = np.diff(np.append(firsts, len(keys)))
    drawn = _negatives(rng, subjects[firsts], relations[firsts], true, n_entities, n_negatives)
    s = np.concatenate([subjects, np.repeat(subjects[firsts], n_negatives)])
    k = np.concatenate([relations, np.repeat(relations[firsts], n_negatives)])
    o = np.concatenate([objects, drawn.ravel()])
    query = np.concatenate([np.repeat(np.arange(len(pairs)), counts), np.repeat(np.arange(len(pairs)), n_negatives)])
    relevant = np.arange(len(s)) < len(subjects)
    precision = _by_query(_in_parts(scorer, s, k, o), relevant, query)
    return Retrieval(np.stack([subjects[firsts], relations[firsts]], axis=1), precision, counts)


def relation_retrieval(scorer: Scorer, test: Coded, known: Coded, *, n_entities: int, seed: int = 0) -> Retrieval:
    """Rank the test facts of each relation among as many random pairs of entities that are no known facts of it."""
    subjects, relations, objects = _some(test)
    rng = stream(seed, "relation retrieval")
    true = _Known(np.concatenate([known[i], test[i]]) for i in range(3))
    wrong_s = rng.integers(0, n_entities, len(subjects))
    wrong_o = rng.integers(0, n_entities, len(subjects))
    while (bad := true.holds(wrong_s, relations, wrong_o)).any():
        wrong_s[bad], wrong_o[bad] = rng.integers(0, n_entities, (2, int(bad.sum())))
    both = np.concatenate([relations, relations])
    scores = _in_parts(scorer, np.concatenate([subjects, wrong_s]), both, np.concatenate([objects, wrong_o]))
    asked, query = np.unique(both, return_inverse=True)
    precision = _by_query(scores, np.arange(len(both)) < len(subjects), query)
    return Retrieval(asked, precision, np.bincount(query[: len(subjects)]))


def link_prediction(
    scorer: Scorer, test: Coded, known: Coded, *, batch_cells: int = 20_000_000, n_entities: int
) -> LinkScores:
    """Rank the object and the subject of each test fact among all entities, other true facts left out.

    Parameters
    ----------
    scorer
        What is measured.
    test
        The facts to find.
    known
        All facts known to be true: those learnt from, those held out, and the test facts or not.
    batch_cells
        How many scores are in memory at once.
    n_entities
        How many candidates there are.
    """
    subjects, relations, objects = _some(test)
    everything = tuple(np.concatenate([known[i], test[i]]) for i in range(3))
    batch = max(1, batch_cells // n_entities)
    sides = []
    for keys, values, answers, ask in (
        ((subjects, relations), objects, (everything[0], everything[1], everything[2]), "objects"),
        ((objects, relations), subjects, (everything[2], everything[1], everything[0]), "subjects"),
    ):
        index = _Answers(*answers)
        ranks = np.empty(len(values))
        # By relation, so that a batch is few matrix products.
        order = np.lexsort((keys[0], keys[1]))
        for rows in _batches(order, batch):
            entity, relation = keys[0][rows], keys[1][rows]
            table = (
                scorer.score_objects(entity, relation) if ask == "objects" else scorer.score_subjects(relation, entity)
            )
            part = np.empty(len(rows))
            filtered_ranks(
                np.ascontiguousarray(table), values[rows], *index.spans(entity, relation), index.values, part
            )
            ranks[rows] = part
        sides.append(ranks)
    return LinkScores(*sides)


def _some(test: Coded) -> Coded:
    if len(test[0]) == 0:
        raise DataError("there are no test facts to rank")
    return test


class _Known:
    """Which triples are facts."""

    def __init__(self, columns: Iterator[Codes]) -> None:
        subjects, relations, objects = columns
        self.n_relations = int(relations.max()) + 1 if len(relations) else 1
        self.size = int(max(subjects.max(initial=0), objects.max(initial=0))) + 1
        self.keys = np.unique(self._keys(subjects, relations, objects))

    def _keys(self, subjects: Codes, relations: Codes, objects: Codes) -> Codes:
        return (subjects * self.n_relations + relations) * self.size + objects

    def holds(self, subjects: Codes, relations: Codes, objects: Codes) -> NDArray[np.bool_]:
        outside = (relations >= self.n_relations) | (objects >= self.size)
        keys = self._keys(subjects, relations, objects)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return (self.keys[place] == keys) & ~outside


class _Answers:
    """The right answers of each pair of entity and relation."""

    def __init__(self, entities: Codes, relations: Codes, values: Codes) -> None:
        self.n_relations = int(relations.max()) + 1
        cells = np.unique(np.stack([entities * self.n_relations + relations, values], axis=1), axis=0)
        self.keys, self.values = cells[:, 0].copy(), cells[:, 1].copy()

    def spans(self, entities: Codes, relations: Codes) -> tuple[Codes, Codes]:
        keys = entities * self.n_relations + relations
        return np.searchsorted(self.keys, keys, "left"), np.searchsorted(self.keys, keys, "right")


def _negatives(
    rng: np.random.Generator, subjects: Codes, relations: Codes, true: _Known, n_entities: int, n: int
) -> Codes:
    drawn = rng.integers(0, n_entities, (len(subjects), n))
    s, k = np.repeat(subjects, n), np.repeat(relations, n)
    for _ in range(100):
        bad = true.holds(s, k, drawn.ravel()).reshape(drawn.shape)
        if not bad.any():
            return drawn
        drawn[bad] = rng.integers(0, n_entities, int(bad.sum()))
    row = int(np.argmax(bad.any(axis=1)))
    raise DataError(
        f"subject {subjects[row]} and relation {relations[row]}: nearly every entity is a right answer, "
        "so no wrong ones can be drawn"
    )


def _by_query(scores: Scores, relevant: NDArray[np.bool_], query: Codes) -> NDArray[np.float64]:
    order = np.argsort(query, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(query))])
    return _precisions(np.asarray(scores[order], np.float64), relevant[order], ends)


def _precisions(scores: NDArray[np.float64], relevant: NDArray[np.bool_], ends: Codes) -> NDArray[np.float64]:
    if np.isnan(scores).any():
        raise DataError("a score is not a number (NaN); the model has diverged, or was given no facts")
    found = np.empty(len(ends) - 1)
    average_precisions(scores, relevant, ends.astype(np.int64), found)
    return found


def _in_parts(scorer: Scorer, s: Codes, k: Codes, o: Codes, size: int = 200_000) -> Scores:
    order = np.argsort(k, kind="stable")
    scores = np.empty(len(s))
    for rows in _batches(order, size):
        scores[rows] = scorer.score(s[rows], k[rows], o[rows])
    return scores


def _batches(order: Codes, size: int) -> Iterator[Codes]:
    return (order[start : start + size] for start in range(0, len(order), size))
