"""The logic as one of the models of facts: completes, answers and explains as the others do (`facts_model`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.corpus.schema import FACTS
from onoma.errors import SettingsError
from onoma.knowledge.facts import Codes, Facts, Names, Triples
from onoma.knowledge.facts_model import SUPPORT
from onoma.knowledge.logic.conclude import Concluding, Conclusions
from onoma.knowledge.logic.fit import Plan
from onoma.knowledge.logic.model import Logic
from onoma.knowledge.logic.rules import Rule
from onoma.progress import SILENT, Progress

__all__ = ["LogicFacts", "fit_logic"]

_CELLS = 4_000_000
"""Scores held at once."""
_AT_ONCE = 20_000
"""Clauses of one shape learnt from in an epoch, if there are not more facts: a thousand mined rules have a million
instances, which say much the same."""
_CONCLUDED = 5.0
"""What a rule of weight 1 adds to the logit of a fact that it concludes from known ones (`logic_conclude`)."""


@dataclass(frozen=True, eq=False)
class LogicFacts:
    """A model of facts and rules over entities.

    A score is the logit of the truth that was learnt, and more where a rule concludes the fact from known ones: so a
    rule is heard even where few facts speak of it.
    """

    logic: Logic

    @cached_property
    def _ruled(self) -> Concluding:
        return Concluding(_Logits(self.logic), Conclusions(self.logic.rules, self.logic.facts), _CONCLUDED)

    @property
    def entities(self) -> Names:
        """The entities it knows."""
        return self.logic.facts.entities

    @property
    def relations(self) -> Names:
        """The relations it knows, those of rules included."""
        return self.logic.facts.relations

    @property
    def notes(self) -> list[str]:
        """How many rules there are and where they apply."""
        if not self.logic.rules:
            return ["no rules: onoma facts rules finds some"]
        n_rules, n_places = len(self.logic.rules), sum(len(each) for each in self.logic.instances)
        said = "1 rule, which applies" if n_rules == 1 else f"{n_rules:,} rules, which apply"
        return [f"{said} in {n_places:,} {'place' if n_places == 1 else 'places'}"]

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> NDArray[np.floating[Any]]:
        """Score facts given by codes."""
        return self._ruled.score(subjects, relations, objects)

    def score_objects(self, subjects: Codes, relations: Codes) -> NDArray[np.floating[Any]]:
        """Score every entity as object of each (subject, relation)."""
        return self._ruled.score_objects(subjects, relations)

    def score_subjects(self, relations: Codes, objects: Codes) -> NDArray[np.floating[Any]]:
        """Score every entity as subject of each (relation, object)."""
        return self._ruled.score_subjects(relations, objects)

    def best_missing(self, facts: Facts, n: int) -> pa.Table:
        """Return the n best-scored facts that are not known, as a table of `FACTS` with a column `score`.

        Offered is what joins entities that stand on the same sides of the relation elsewhere, known or concluded.
        """
        size = len(self.entities)
        kept = [np.empty((0, 4))]
        step = max(_CELLS // size, 1)
        for k in range(len(self.relations)):
            here = facts.triples.relations == k
            known = sp.csr_array(
                (np.ones(here.sum()), (facts.triples.subjects[here], facts.triples.objects[here])), shape=(size, size)
            )
            subjects, objects = self._seen(k)
            for start in range(0, len(subjects), step):
                block = subjects[start : start + step]
                scores = self.score_objects(block, np.full(len(block), k))[:, objects]
                scores[known[block][:, objects].nonzero()] = -np.inf
                scores[block[:, None] == objects] = -np.inf
                kept = [_best(np.concatenate([*kept, _cells(scores, k, block, objects, n)]), n)]
        found = kept[0][np.isfinite(kept[0][:, 0])]
        return self._table(found)

    def _seen(self, k: int) -> tuple[Codes, Codes]:
        """Return the entities that stand on each side of a relation in a fact or a conclusion.

        Nothing was learnt of others there: false facts are drawn by changing one side of a known one.
        """
        own = self.logic.facts.triples
        here = own.relations == k
        of_it = (each for each in self.logic.instances if each.relations[-1] == k and not each.rule.head.negated)
        concluded = [each.heads for each in of_it]
        subjects = np.concatenate([own.subjects[here], *(each.subjects for each in concluded)])
        objects = np.concatenate([own.objects[here], *(each.objects for each in concluded)])
        return np.unique(subjects), np.unique(objects)

    def explain(self, facts: Facts, subject: str, relation: str, object: str) -> pa.Table:  # noqa: ARG002
        """Return the known facts that rules conclude a fact from, each with its instance's strength: a `SUPPORT`."""
        rows = [
            (*fact, support.strength, str(support.rule))
            for support in self.logic.why(subject, relation, object)
            for fact, known in zip(support.body, support.known, strict=True)
            if known
        ]
        columns = zip(*rows, strict=True) if rows else ([] for _ in SUPPORT)
        arrays = [pa.array(list(column), field.type) for column, field in zip(columns, SUPPORT, strict=True)]
        return pa.Table.from_arrays(arrays, schema=SUPPORT)

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder."""
        self.logic.save(folder)

    @classmethod
    def load(cls, folder: str | Path) -> "LogicFacts":
        """Read a model written by `save`."""
        return cls(Logic.load(folder))

    def _table(self, found: NDArray[np.float64]) -> pa.Table:
        k, s, o = found[:, 1:].T.astype(np.int64)
        triples = Triples(s, k, o)
        columns = [
            *self.logic.facts.named(triples),
            pa.array(self.logic.truths(triples)),
            pa.nulls(len(s), pa.string()),
        ]
        return pa.Table.from_arrays(columns, schema=FACTS).append_column("score", pa.array(found[:, 0]))


@dataclass(frozen=True, eq=False)
class _Logits:
    """The logic with one scale for all scores."""

    logic: Logic

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> NDArray[np.floating[Any]]:
        truth = np.clip(self.logic.score(subjects, relations, objects), 1e-12, 1 - 1e-12)
        return np.asarray(np.log(truth) - np.log1p(-truth))

    def score_objects(self, subjects: Codes, relations: Codes) -> NDArray[np.floating[Any]]:
        return self.logic.score_objects(subjects, relations)

    def score_subjects(self, relations: Codes, objects: Codes) -> NDArray[np.floating[Any]]:
        return self.logic.score_subjects(relations, objects)


def fit_logic(
    facts: Facts, rules: Sequence[Rule], *, rank: int = 40, seed: int = 0, progress: Progress = SILENT
) -> LogicFacts:
    """Learn a model of facts and rules over entities."""
    if rank < 1:
        raise SettingsError(f"rank is {rank}; it is 1 or more")
    # A complex vector has an even number of parts.
    rank += rank % 2
    at_once = max(_AT_ONCE, len(facts))
    plan = Plan(rank=rank, l2=0.1, n_negatives=4, negative_weight=2.0, epochs=100, at_once=at_once)
    return LogicFacts(Logic.fit(facts, rules, plan, seed=seed, progress=progress))


def _cells(scores: NDArray[np.floating[Any]], k: int, subjects: Codes, objects: Codes, n: int) -> NDArray[np.float64]:
    """Return the n best cells of a block as rows of score, relation, subject, object."""
    flat = scores.ravel()
    best = np.argpartition(-flat, min(n, len(flat) - 1))[:n]
    rows, columns = np.divmod(best, scores.shape[1])
    return np.stack([flat[best], np.full(len(best), float(k)), subjects[rows], objects[columns]], axis=1)


def _best(rows: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the n best rows; equal scores in the order of relation, subject, object."""
    return rows[np.lexsort((rows[:, 3], rows[:, 2], rows[:, 1], -rows[:, 0]))[:n]]
