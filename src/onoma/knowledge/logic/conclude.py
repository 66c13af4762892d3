"""What rules conclude, beside what a model has learnt.

Learning from rules bends all vectors a little; a thousand rules of middling confidence bend them this way and that.
`Concluding` leaves the model as it is and adds to the score of a fact the weight of the best rule that concludes it
from known facts, times a weight of its own: where rules do not help, that is 0 on held-out facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.evaluate.ranking import Scorer
from onoma.knowledge.facts import Codes, Facts
from onoma.knowledge.logic.ground import ground
from onoma.knowledge.logic.rules import Rule

__all__ = ["Concluding", "Conclusions"]

Scores = NDArray[np.floating[Any]]


class Conclusions:
    """The facts that rules conclude from known ones, each with the largest weight of a rule that does.

    Parameters
    ----------
    rules
        Rules over the relations of the facts; those with a negated head conclude nothing here.
    facts
        What is known.
    """

    def __init__(self, rules: Sequence[Rule], facts: Facts) -> None:
        self.n = len(facts.entities)
        keys, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
        for rule in rules:
            if not rule.head.negated:
                heads = ground([rule], facts.triples, facts.relations, rounds=1)[0].heads
                keys.append(np.unique((heads.relations * self.n + heads.subjects) * self.n + heads.objects))
                weights.append(np.full(len(keys[-1]), rule.weight))
        every, strength = np.concatenate(keys), np.concatenate(weights)
        order = np.lexsort((-strength, every))
        self.keys, first = np.unique(every[order], return_index=True)
        self.weights = strength[order][first]
        s, o = self.keys // self.n, self.keys % self.n
        # The same by object: (relation · n + object) · n + subject.
        turned = (s // self.n * self.n + o) * self.n + s % self.n
        back = np.argsort(turned)
        self._by_object = turned[back], self.weights[back]

    def __len__(self) -> int:
        return len(self.keys)

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> NDArray[np.float64]:
        """Return the weight of the best rule that concludes each fact, 0 where none does."""
        found = np.zeros(len(subjects))
        if len(self.keys):
            wanted = (relations * self.n + subjects) * self.n + objects
            place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            found = np.where(self.keys[place] == wanted, self.weights[place], 0.0)
        return found

    def add_objects_inplace(self, subjects: Codes, relations: Codes, weight: float, into: Scores) -> None:
        """Add the weighted conclusions about every object: one row a pair."""
        self._add(self.keys, self.weights, relations * self.n + subjects, weight, into)

    def add_subjects_inplace(self, relations: Codes, objects: Codes, weight: float, into: Scores) -> None:
        """Add the weighted conclusions about every subject: one row a pair."""
        self._add(*self._by_object, relations * self.n + objects, weight, into)

    def _add(
        self, keys: Codes, weights: NDArray[np.float64], own: NDArray[np.int64], weight: float, into: Scores
    ) -> None:
        first, last = np.searchsorted(keys, own * self.n), np.searchsorted(keys, (own + 1) * self.n)
        for row, (start, end) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            into[row, keys[start:end] % self.n] += weight * weights[start:end]


@dataclass(frozen=True, eq=False)
class Concluding:
    """A model of facts and what rules conclude: its score plus a weight times the best rule's.

    Parameters
    ----------
    model
        Anything that scores facts.
    conclusions
        What rules conclude.
    weight
        What a rule of weight 1 adds to a score; choose it on held-out facts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.knowledge.logic.rules import parse_rule
    >>> from onoma.knowledge.rescal import fit_rescal
    >>> from onoma.knowledge.rescal_als import Plan
    >>> facts = Facts.from_table(pa.table({"subject": ["a", "b"], "relation": ["near", "in"], "object": ["b", "c"]}))
    >>> rule = parse_rule("0.9 :: near(X, Z) & in(Z, Y) => in(X, Y)")
    >>> model = Concluding(fit_rescal(facts, Plan(rank=1, regularisation=9.0)), Conclusions([rule], facts), 2.0)
    >>> a, inside = np.array([facts.entities.index("a")]), np.array([facts.relations.index("in")])
    >>> facts.entities[int(model.score_objects(a, inside)[0].argmax())]
    'c'
    """

    model: Scorer
    conclusions: Conclusions
    weight: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0.0):
            raise SettingsError(f"the weight of conclusions is {self.weight}; it is a number from 0 up")

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Scores:
        """Score facts given by codes."""
        scores = self.model.score(subjects, relations, objects)
        return np.asarray(scores + self.weight * self.conclusions.score(subjects, relations, objects))

    def score_objects(self, subjects: Codes, relations: Codes) -> Scores:
        """Score every entity as object of each (subject, relation): one row a pair."""
        scores = self.model.score_objects(subjects, relations)
        self.conclusions.add_objects_inplace(subjects, relations, self.weight, scores)
        return scores

    def score_subjects(self, relations: Codes, objects: Codes) -> Scores:
        """Score every entity as subject of each (relation, object): one row a pair."""
        scores = self.model.score_subjects(relations, objects)
        self.conclusions.add_subjects_inplace(relations, objects, self.weight, scores)
        return scores
