"""Facts and rules in one low-dimensional model (Rocktäschel, Bošnjak, Singh and Riedel, 2014), and beyond.

The model makes known facts and instances of rules true (`logic_fit`), so that a fact that follows from them becomes
true as well. Beyond the paper: bodies of several literals, negation, chains over entities, weights; *provenance*, the
instances of rules that conclude a fact and the known facts at the end of each chain (`Logic.why`); and *adding* facts
or rules to a trained model (`Logic.add`), which goes on from where it stands.
"""

import difflib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts import Facts, Names, Triples
from onoma.knowledge.logic.fit import Clauses, Draw, Parameters, Plan, descend, read_out, truths
from onoma.knowledge.logic.ground import Instances, ground, unroll
from onoma.knowledge.logic.rules import Rule, check_rules, parse_rule
from onoma.learning.storage import load_model, save_model
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["Logic", "Support"]

Codes = NDArray[np.int64]
Key = tuple[int, int, int]
_UNROLLED = 10_000
"""Instances of rules on pairs up to which every one is learnt from, whether its body is known or not."""


@dataclass(frozen=True)
class Support:
    """One instance of a rule that concludes a fact.

    Attributes
    ----------
    rule
        The rule.
    body
        Its body, filled in: subject, relation, object of the positive literals.
    known
        Which of them are known facts; the others were concluded themselves.
    strength
        The rule's weight times the product of the truth of its body, from 0 to 1.
    """

    rule: Rule
    body: tuple[tuple[str, str, str], ...]
    known: tuple[bool, ...]
    strength: float


class Logic:
    """Embeddings of relations and of entities or pairs that make facts and rules true.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.knowledge.facts import Facts
    >>> known = pa.table({"subject": ["ada", "bob", "eve"], "relation": ["profAt", "profAt", "worksFor"],
    ...                   "object": ["ucl", "ucl", "uw"]})
    >>> model = Logic.fit(Facts.from_table(known), [parse_rule("profAt => worksFor")], Plan(rank=8))
    >>> model.truth("ada", "worksFor", "ucl") > 0.7 > model.truth("ada", "worksFor", "uw")
    True
    >>> model.why("ada", "worksFor", "ucl")[0].body
    (('ada', 'profAt', 'ucl'),)
    """

    def __init__(
        self,
        facts: Facts,
        rules: Sequence[Rule],
        plan: Plan,
        parameters: Parameters,
        *,
        false: Triples | None = None,
        seed: int = 0,
        trace: Sequence[float] = (),
    ) -> None:
        self.facts = facts
        self.rules = tuple(rules)
        self.plan = plan
        self.parameters = parameters
        self.false = false if false is not None else Triples(*(np.zeros(0, np.int64),) * 3)
        self.seed = seed
        self.trace = tuple(trace)

    @classmethod
    def fit(
        cls,
        facts: Facts,
        rules: Sequence[Rule] = (),
        plan: Plan | None = None,
        *,
        false: Triples | None = None,
        seed: int = 0,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn from facts and rules.

        Parameters
        ----------
        facts
            What is known; the probability of a fact is its weight.
        rules
            Rules over the relations of the facts; a relation only rules speak of is added.
        plan
            The settings.
        false
            Facts known to be false, in the codes of `facts`.
        seed
            Of the start, of the order, of the facts drawn as false.
        progress
            Where to show the epochs.
        """
        if not len(facts):
            raise DataError("there are no facts to learn from")
        check_rules(rules)
        plan = plan or Plan()
        facts = _with_relations(facts, rules)
        empty = cls(facts, rules, plan, Parameters(np.zeros((0, 0)), np.zeros((0, 0))), false=false, seed=seed)
        return empty._learnt(_start(empty, seed), plan, progress)

    def add(
        self,
        facts: Facts | None = None,
        rules: Sequence[Rule] = (),
        *,
        epochs: int | None = None,
        progress: Progress = SILENT,
    ) -> "Logic":
        """Return a model that also knows these facts and rules; learning goes on from where it stands.

        New entities, pairs and relations get new vectors. By default it takes a fifth of the epochs of the start.
        """
        check_rules([*self.rules, *rules])
        merged = self.facts if facts is None else _merged(self.facts, facts)
        merged = _with_relations(merged, rules)
        grown = Logic(merged, [*self.rules, *rules], self.plan, self.parameters, false=self.false, seed=self.seed)
        start = _start(grown, self.seed + 1)
        start.relations[: len(self.parameters.relations)] = self.parameters.relations
        start.constants[grown._rows_of(self)] = self.parameters.constants
        plan = replace(self.plan, epochs=epochs or max(self.plan.epochs // 5, 1), rate=self.plan.rate / 2)
        return grown._learnt(start, plan, progress)

    def truth(self, subject: str, relation: str, object: str) -> float:
        """Return how true a fact is, from 0 to 1."""
        codes = self._code(subject, relation, object)
        return float(self.truths(Triples(*(np.array([code]) for code in codes)))[0])

    def truths(self, triples: Triples) -> NDArray[np.float64]:
        """Return how true facts are, in the codes of `facts`; a pair without a vector is as true as false."""
        firsts = self._firsts(triples.subjects, triples.objects)
        found = read_out(
            truths(self.parameters, self.plan, triples.relations, np.maximum(firsts, 0), triples.objects), self.plan
        )
        return np.where(firsts >= 0, found, 0.5)

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> NDArray[np.float64]:
        """Score facts: what `truths` says, for ranking."""
        return self.truths(Triples(subjects, relations, objects))

    def score_objects(self, subjects: Codes, relations: Codes) -> NDArray[np.float64]:
        """Score every entity as the object: one row a subject and relation; only where constants are entities."""
        (a, b), (r, q) = self._halves(self.parameters.constants[subjects]), self._halves(self._vectors[relations])
        # r·Re(x ȳ) + q·Im(x ȳ), as a function of y.
        return np.concatenate([r * a + q * b, r * b - q * a], axis=1) @ self.parameters.constants.T

    def score_subjects(self, relations: Codes, objects: Codes) -> NDArray[np.float64]:
        """Score every entity as the subject: one row a relation and object; only where constants are entities."""
        (c, d), (r, q) = self._halves(self.parameters.constants[objects]), self._halves(self._vectors[relations])
        return np.concatenate([r * c - q * d, r * d + q * c], axis=1) @ self.parameters.constants.T

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        """What scores are linear in: a relation's vector, or the difference of the rows of its matrix."""
        R = self.parameters.relations
        return R[:, 0] - R[:, 1] if self.plan.truth == "linear" else R

    def _halves(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.plan.constants != "entities":
            raise SettingsError("pairs have no entities to choose among", hint='Learn with Plan(constants="entities").')
        half = self.plan.rank // 2
        return rows[:, :half], rows[:, half:]

    def why(self, subject: str, relation: str, object: str) -> list[Support]:
        """Return the instances of rules that conclude a fact, the strongest first."""
        s, r, o = self._code(subject, relation, object)
        found = []
        for each in self.instances:
            if each.relations[-1] == r and not each.rule.head.negated:
                rows = np.flatnonzero((each.subjects[:, -1] == s) & (each.objects[:, -1] == o))
                found += [self._support(each, int(row)) for row in rows]
        return sorted(found, key=lambda support: -support.strength)

    def grounds(self, subject: str, relation: str, object: str, *, limit: int = 100) -> list[tuple[str, str, str]]:
        """Return the known facts at the end of every chain of rules that concludes a fact."""
        seen: dict[tuple[str, str, str], None] = {}
        open_facts = [(subject, relation, object)]
        visited: set[tuple[str, str, str]] = set()
        while open_facts and len(visited) < limit:
            fact = open_facts.pop(0)
            if fact in visited:
                continue
            visited.add(fact)
            for support in self.why(*fact):
                for part, known in zip(support.body, support.known, strict=True):
                    if known:
                        seen.setdefault(part)
                    else:
                        open_facts.append(part)
        return list(seen)

    @cached_property
    def instances(self) -> list[Instances]:
        """The instances of the rules over what is known and what follows."""
        if not self.rules:
            return []
        return ground(self.rules, self.facts.triples, self.facts.relations, rounds=self.plan.rounds)

    def save(self, folder: str | Path) -> None:
        """Write the model: names, rules and settings as JSON, numbers as arrays."""
        names = {
            "plan": asdict(self.plan),
            "rules": [str(rule) for rule in self.rules],
            "entities": list(self.facts.entities),
            "relations": list(self.facts.relations),
            "seed": self.seed,
        }
        arrays = {
            "relation_vectors": self.parameters.relations,
            "constant_vectors": self.parameters.constants,
            "facts": np.stack(self.facts.triples.columns),
            "false": np.stack(self.false.columns),
            "probability": self.facts.probability,
        }
        save_model(folder, "logic", names, arrays)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a model written by `save`."""
        names, arrays = load_model(folder, "logic")
        entities, relations = Names(names["entities"], "entity"), Names(names["relations"], "relation")
        facts = Facts(entities, relations, Triples(*arrays["facts"]), arrays["probability"])
        return cls(
            facts,
            [parse_rule(text) for text in names["rules"]],
            Plan(**names["plan"]),
            Parameters(arrays["relation_vectors"], arrays["constant_vectors"]),
            false=Triples(*arrays["false"]),
            seed=names["seed"],
        )

    @cached_property
    def _pair_codes(self) -> Codes:
        """The pairs that have a vector, as subject · entities + object, in order."""
        triples = self.facts.triples.joined(self.false)
        return np.unique(triples.subjects * len(self.facts.entities) + triples.objects)

    def _firsts(self, subjects: Codes, objects: Codes) -> Codes:
        """Return the row of each subject, or of each pair (−1 where it has none)."""
        if self.plan.constants == "entities":
            return subjects
        wanted = subjects * len(self.facts.entities) + objects
        at = np.minimum(np.searchsorted(self._pair_codes, wanted), len(self._pair_codes) - 1)
        return np.where(self._pair_codes[at] == wanted, at, -1)

    def _rows_of(self, older: "Logic") -> Codes:
        """Return where the constants of an older model stand in this one."""
        if self.plan.constants == "entities":
            return np.arange(len(older.parameters.constants))
        n = len(older.facts.entities)
        return self._firsts(older._pair_codes // n, older._pair_codes % n)

    def _learnt(self, start: Parameters, plan: Plan, progress: Progress) -> Self:
        positive = self._clauses(self.facts.triples, negated=False, weights=self.facts.probability)
        fixed = [positive, self._clauses(self.false, negated=True), *self._rule_clauses()]
        draw = Draw(_together(positive, self._concluded()), len(start.constants), plan)
        rng = stream(self.seed, "logic", len(self.facts), len(self.rules))
        parameters, trace = descend(start, plan, fixed, draw, rng, progress=progress)
        return type(self)(self.facts, self.rules, self.plan, parameters, false=self.false, seed=self.seed, trace=trace)

    def _concluded(self) -> list[Clauses]:
        """Return what rules conclude, as facts: others like them are drawn as false, or all would become true."""
        return [
            self._clauses(each.heads, negated=False, weights=np.full(len(each), each.rule.weight))
            for each in self.instances
            if not each.rule.head.negated
        ]

    def _clauses(self, triples: Triples, *, negated: bool, weights: NDArray[np.float64] | None = None) -> Clauses:
        """Return facts as clauses without a body."""
        firsts = self._firsts(triples.subjects, triples.objects)
        weights = np.ones(len(triples)) if weights is None else weights
        columns = (triples.relations[:, None], firsts[:, None], triples.objects[:, None])
        return Clauses(*columns, np.array([negated]), weights)

    def _rule_clauses(self) -> list[Clauses]:
        """Return the clauses of the rules: on every pair, as in the paper, if these are few; else where they apply."""
        groups = self.instances
        if self.plan.constants == "pairs" and len(self._pair_codes) * len(self.rules) <= _UNROLLED:
            n = len(self.facts.entities)
            groups = unroll(self.rules, self._pair_codes // n, self._pair_codes % n, self.facts.relations)
        # Rules of one shape are one group: few large products instead of many small ones.
        shapes: dict[tuple[bool, ...], list[Instances]] = {}
        for each in groups:
            shapes.setdefault(tuple(literal.negated for literal in each.rule.literals), []).append(each)
        return [self._group(members, np.array(shape)) for shape, members in shapes.items()]

    def _group(self, members: Sequence[Instances], negated: NDArray[np.bool_]) -> Clauses:
        return Clauses(
            np.concatenate([np.broadcast_to(each.relations, each.subjects.shape) for each in members]),
            np.concatenate([self._firsts(each.subjects, each.objects) for each in members]),
            np.concatenate([each.objects for each in members]),
            negated,
            np.concatenate([np.full(len(each), each.rule.weight * self.plan.rule_weight) for each in members]),
        )

    def _support(self, each: Instances, row: int) -> Support:
        places = [at for at, literal in enumerate(each.rule.body) if not literal.negated]
        triples = Triples(each.subjects[row, places], each.relations[places], each.objects[row, places])
        degrees = self.truths(Triples(each.subjects[row, :-1], each.relations[:-1], each.objects[row, :-1]))
        signs = [literal.negated for literal in each.rule.body]
        strength = each.rule.weight * float(np.prod(np.where(signs, 1 - degrees, degrees)))
        keys = list(zip(*(column.tolist() for column in triples.columns), strict=True))
        named = zip(*(column.to_pylist() for column in self.facts.named(triples)), strict=True)
        return Support(each.rule, tuple(named), tuple(key in self._known for key in keys), strength)

    @cached_property
    def _known(self) -> set[Key]:
        return set(zip(*(column.tolist() for column in self.facts.triples.columns), strict=True))

    def _code(self, subject: str, relation: str, object: str) -> Key:
        entities = self.facts.entities
        return entities.index(subject), self.facts.relations.index(relation), entities.index(object)


def _together(first: Clauses, others: Sequence[Clauses]) -> Clauses:
    """Return facts, and facts of other groups, as one group."""
    parts = [first, *others]
    return Clauses(
        np.concatenate([part.relations for part in parts]),
        np.concatenate([part.firsts for part in parts]),
        np.concatenate([part.seconds for part in parts]),
        first.negated,
        np.concatenate([part.weights for part in parts]),
    )


def _start(model: Logic, seed: int) -> Parameters:
    plan, rng = model.plan, stream(seed, "logic", "start")
    n_constants = len(model._pair_codes) if plan.constants == "pairs" else len(model.facts.entities)
    shape = (len(model.facts.relations), *((2,) if plan.truth == "linear" else ()), plan.rank)
    width = plan.start / np.sqrt(plan.rank)
    return Parameters(width * rng.standard_normal(shape), width * rng.standard_normal((n_constants, plan.rank)))


def _with_relations(facts: Facts, rules: Sequence[Rule]) -> Facts:
    """Return the facts with the relations that only rules conclude; a body of unknown relations is an error."""
    heads = {rule.head.relation for rule in rules}
    for rule in rules:
        for literal in rule.body:
            if literal.relation not in facts.relations and literal.relation not in heads:
                known = ", ".join(difflib.get_close_matches(literal.relation, list(facts.relations), n=3))
                raise DataError(
                    f"no fact has the relation {literal.relation!r} of the rule {rule}",
                    hint=f"Did you mean {known}?" if known else "Leave the rule out, or add facts of that relation.",
                )
    fresh = dict.fromkeys(rule.head.relation for rule in rules if rule.head.relation not in facts.relations)
    if not fresh:
        return facts
    relations = Names([*facts.relations, *fresh], "relation")
    return Facts(facts.entities, relations, facts.triples, facts.probability)


def _merged(old: Facts, new: Facts) -> Facts:
    """Return both, old names first."""
    entities = Names([*old.entities, *(name for name in new.entities if name not in old.entities)], "entity")
    relations = Names([*old.relations, *(name for name in new.relations if name not in old.relations)], "relation")
    tables: list[Any] = [old.table(), new.table()]
    coded = [Facts.from_table(table, entities=entities, relations=relations) for table in tables]
    triples = coded[0].triples.joined(coded[1].triples)
    return Facts.from_codes(triples, np.concatenate([coded[0].probability, coded[1].probability]), entities, relations)
