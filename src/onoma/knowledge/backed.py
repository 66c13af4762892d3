"""A factorisation backed by counts: its score, and weights times what `backing` says of a fact."""

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.schema import FACTS
from onoma.errors import SettingsError
from onoma.knowledge.backing import Pairs, Prior
from onoma.knowledge.facts import Codes, Facts, Triples
from onoma.knowledge.facts_model import SUPPORT
from onoma.knowledge.rescal import Viewed

__all__ = ["Backed"]

Scores = NDArray[np.floating[Any]]
_NOTHING = 1e-6
"""A score of a factorisation up to which it says nothing for a fact."""


@dataclass(frozen=True, eq=False)
class Backed(Viewed):
    """A model of facts: the factorisation's score, where positive, plus weighted counts.

    Parameters
    ----------
    model
        What was learnt.
    facts
        From what.
    prior, pairs
        The weights of the two; 0 leaves one out. Choose them on held-out facts.
    checked
        Whether a fact whose types do not fit scores -inf.

    Examples
    --------
    >>> from onoma.knowledge.rescal import fit_rescal
    >>> from onoma.knowledge.rescal_als import Plan
    >>> table = pa.table({"subject": ["ann", "bob", "ann", "bob", "cy"],
    ...                   "relation": ["leads", "leads", "works for", "works for", "leads"],
    ...                   "object": ["acme", "ibm", "acme", "ibm", "gm"]})
    >>> facts = Facts.from_table(table)
    >>> model = Backed(fit_rescal(facts, Plan(rank=1)), facts, pairs=1.0)
    >>> model.best_missing(facts, 1).select(["subject", "relation", "object"]).to_pylist()
    [{'subject': 'cy', 'relation': 'works for', 'object': 'gm'}]
    """

    facts: Facts
    prior: float = 0.0
    pairs: float = 0.0
    _: KW_ONLY
    checked: bool = True

    def __post_init__(self) -> None:
        for name, weight in (("prior", self.prior), ("pairs", self.pairs)):
            if not (np.isfinite(weight) and weight >= 0.0):
                raise SettingsError(f"the weight of {name} is {weight}; it is a number from 0 up")

    @cached_property
    def _prior(self) -> Prior:
        return Prior(self.facts, self.model.fit)

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self.facts)

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Scores:
        """Score facts given by codes; the prior is that of the object, given subject and relation."""
        total = np.maximum(self.model.score(subjects, relations, objects).astype(np.float64), 0.0)
        if self.prior:
            total += self.prior * self._prior.score(subjects, relations, objects)
        if self.pairs:
            total += self.pairs * self._pairs.score(subjects, relations, objects)
        if self.checked:
            total[~self.model.fit.allows(Triples(subjects, relations, objects))] = -np.inf
        return total

    def score_objects(self, subjects: Codes, relations: Codes) -> Scores:
        """Score every entity as object of each (subject, relation): one row a pair."""
        total = np.maximum(self.model.score_objects(subjects, relations), 0.0)
        if self.prior:
            total += self.prior * self._prior.objects(subjects, relations)
        if self.pairs:
            self._pairs.add_objects_inplace(subjects, relations, self.pairs, total)
        if self.checked:
            self.model.fit.bar_objects_inplace(subjects, relations, total)
        return total

    def score_subjects(self, relations: Codes, objects: Codes) -> Scores:
        """Score every entity as subject of each (relation, object): one row a pair."""
        total = np.maximum(self.model.score_subjects(relations, objects), 0.0)
        if self.prior:
            total += self.prior * self._prior.subjects(relations, objects)
        if self.pairs:
            self._pairs.add_subjects_inplace(relations, objects, self.pairs, total)
        if self.checked:
            self.model.fit.bar_subjects_inplace(relations, objects, total)
        return total

    def best_missing(self, facts: Facts, n: int) -> pa.Table:
        """Return the n best facts that are not known, of those that the factorisation or a pair speaks for.

        The prior orders them but proposes none: usual things are not facts. So there may be fewer than n.
        """
        found = self.model.best_missing(facts, 4 * n)
        learnt = np.asarray(found["score"], np.float64)
        offered, _ = facts.code(found.drop_columns("score").filter(pa.array(learnt > _NOTHING)))
        best = self._best(facts, offered, n)
        if self.pairs:
            # What the factorisation did not offer scores there at most what the last offer does.
            rest = max(float(learnt[-1]), 0.0) if len(learnt) == 4 * n else 0.0

            def least() -> float:
                floor = best[1][n - 1] if len(best[1]) == n else -np.inf
                return float((floor - rest - self.prior) / self.pairs) - 1e-6

            for part in self._pairs.suggested(least):
                best = self._best(facts, best[0].joined(Triples(*part)), n)
        chosen, scores = best
        source = pa.array([self.model.kind] * len(scores), pa.string())
        columns = [*facts.named(chosen), pa.array(np.clip(scores, 0.0, 1.0)), source]
        return pa.Table.from_arrays(columns, schema=FACTS).append_column("score", pa.array(scores))

    def _best(self, facts: Facts, offered: Triples, n: int) -> tuple[Triples, Scores]:
        """Return the n best of some facts that are not known, and their scores."""
        offered = _distinct_missing(offered, facts)
        scores = self.score(*offered.columns)
        order = np.lexsort((offered.objects, offered.subjects, offered.relations, -scores))[:n]
        order = order[scores[order] > -np.inf]
        return offered.take(order), scores[order]

    def explain(self, facts: Facts, subject: str, relation: str, object: str) -> pa.Table:
        """Return the known facts that carry one fact, the strongest first; what they leave of the score is the prior.

        Through `pair` are other relations of the two; what they give is what the score would lose without each.
        """
        parts = [self.model.explain(facts, subject, relation, object)]
        if self.pairs:
            codes = self.entities.index(subject), self.relations.index(relation), self.entities.index(object)
            rows = [
                (*((object, subject) if turned else (subject, object)), self.relations[k], self.pairs * gain)
                for k, turned, gain in self._pairs.without(*codes)
                if gain > 0.0
            ]
            parts.append(_support(rows))
        return pa.concat_tables(parts).sort_by([("contribution", "descending")])


def _support(rows: list[tuple[str, str, str, float]]) -> pa.Table:
    columns = {
        "subject": [row[0] for row in rows],
        "relation": [row[2] for row in rows],
        "object": [row[1] for row in rows],
        "contribution": [row[3] for row in rows],
        "through": ["pair"] * len(rows),
    }
    return pa.table(columns, schema=SUPPORT)


def _distinct_missing(triples: Triples, facts: Facts) -> Triples:
    n = len(facts.entities)

    def keys(each: Triples) -> Codes:
        return (each.relations * n + each.subjects) * n + each.objects

    found, first = np.unique(keys(triples), return_index=True)
    known = keys(facts.triples)  # in order, as facts are
    place = np.searchsorted(known, found)
    inside = place < len(known)
    inside[inside] = known[place[inside]] == found[inside]
    return triples.take(first[~inside])
