"""RESCAL and TRESCAL: facts as a tensor, X_k ≈ A R_k Aᵀ (Nickel et al., 2011; Chang et al., 2014).

Every entity has a row a_i of A, every relation a matrix R_k; a_s R_k a_oᵀ says how likely the fact (s, k, o) is: near 1
for known facts, near 0 for most others, in between for what the known facts suggest. RESCAL counts every pair of
entities; TRESCAL (`trescal.py`) only those whose types fit, in learning and, if wished, in answering.

`Factorisation` is what both learn: it scores, ranks, finds what is missing (`rescal_complete.py`), takes in new
entities and facts (`rescal_fold.py`), says which facts carry a prediction (`rescal_explain.py`), and is saved as arrays
and JSON.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.corpus.schema import FACTS
from onoma.errors import SettingsError
from onoma.knowledge import rescal_complete, rescal_explain, rescal_fold
from onoma.knowledge.facts import Codes, Facts, Names, Triples
from onoma.knowledge.rescal_als import Layout, Plan, Point, Problem, Solution, side_grams, side_terms, solve
from onoma.knowledge.rescal_start import Matrix, leading_eigenvectors, symmetric_sum
from onoma.knowledge.types import Fit, Signatures, Types
from onoma.learning.storage import load_model, save_model
from onoma.progress import SILENT, Progress

__all__ = ["Checked", "Factorisation", "Viewed", "fit_factorisation", "fit_rescal"]

Scores = NDArray[np.floating[Any]]
_KIND = "rescal"


@dataclass(frozen=True, eq=False)
class Factorisation:
    """A factorised knowledge base.

    Parameters
    ----------
    entities, relations
        Their names.
    A, R
        n × r and m × r × r.
    fit
        Which entities fit which relations.
    plan
        How it was learnt.
    types, signatures
        Where `fit` comes from, if it excludes anything; needed to take in a new entity by its types.
    trace
        The loss after each iteration.
    converged
        Whether the iterations ended before their limit.
    notes
        What whoever reads the results should know.
    """

    entities: Names
    relations: Names
    A: Scores
    R: Scores
    fit: Fit
    plan: Plan
    types: Types | None = None
    signatures: Signatures | None = None
    trace: list[Point] = field(default_factory=list)
    converged: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """`"trescal"` if it knows types, else `"rescal"`."""
        return "rescal" if self.types is None else "trescal"

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Scores:
        """Score facts given by codes."""
        scores = np.empty(len(subjects), self.A.dtype)
        for k, rows in _by_relation(relations):
            scores[rows] = np.einsum("ij,ij->i", self.A[subjects[rows]] @ self._R(k), self.A[objects[rows]])
        return scores

    def score_objects(self, subjects: Codes, relations: Codes) -> Scores:
        """Score every entity as object of each (subject, relation): one row a pair."""
        queries = np.empty((len(subjects), self.A.shape[1]), self.A.dtype)
        for k, rows in _by_relation(relations):
            queries[rows] = self.A[subjects[rows]] @ self._R(k)
        return queries @ self.A.T

    def score_subjects(self, relations: Codes, objects: Codes) -> Scores:
        """Score every entity as subject of each (relation, object): one row a pair."""
        queries = np.empty((len(objects), self.A.shape[1]), self.A.dtype)
        for k, rows in _by_relation(relations):
            queries[rows] = self.A[objects[rows]] @ self._R(k).T
        return queries @ self.A.T

    def checked(self) -> "Checked":
        """Return the same scores with -inf wherever types do not fit."""
        return Checked(self)

    def smoothed(self, weight: float = 1.0) -> "Factorisation":
        """Return the model with the mean row of its block added to every row, for ranking.

        Of an entity with few facts (or none) little is known but its types; it is then ranked as what fits the same
        relations is on the whole. `explain` and `fold_in` are exact for the model itself, not for this one.
        """
        sizes = np.maximum(self.fit.sizes, 1)
        members = sp.csr_array((np.ones(len(self.A)), (self.fit.block, np.arange(len(self.A)))))
        means = (members @ self.A) / sizes[: members.shape[0], None]
        return replace(self, A=(self.A + weight * means[self.fit.block]).astype(self.A.dtype))

    @cached_property
    def terms(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each relation adds to the normal equations of its subjects and of its objects."""
        layout = Layout(self.fit)
        grams = side_grams(layout, self.A[layout.order])
        return side_terms(layout, self.R.astype(np.float64), grams)

    def best_missing(self, facts: Facts, n: int) -> pa.Table:
        """Return the n best-scored facts that fit the types and are not known: `FACTS` and a column `score`.

        The probability is the score within 0 and 1: what the squared loss expects of the cell.
        """
        triples, scores = rescal_complete.best_missing(self, facts, n)
        named = facts.named(triples)
        columns = [*named, pa.array(np.clip(scores, 0.0, 1.0)), pa.array([self.kind] * len(scores), pa.string())]
        return pa.Table.from_arrays(columns, schema=FACTS).append_column("score", pa.array(scores))

    def explain(self, facts: Facts, subject: str, relation: str, object: str) -> pa.Table:
        """Return the known facts that carry one fact, the strongest first: a table of `SUPPORT`."""
        codes = self.entities.index(subject), self.relations.index(relation), self.entities.index(object)
        return rescal_explain.explain(self, facts, codes)

    def fold_in(
        self, facts: Facts, table: pa.Table, *, types: Mapping[str, Sequence[str]] | None = None, rounds: int = 3
    ) -> tuple["Factorisation", Facts]:
        """Return the model and the facts with new facts, and perhaps new entities, taken in (`rescal_fold.fold_in`)."""
        return rescal_fold.fold_in(self, facts, table, types=types, rounds=rounds)

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder: `model.json` and `arrays.npz`."""
        facts = {
            "entities": self.entities.array.to_pylist(),
            "relations": self.relations.array.to_pylist(),
            "plan": asdict(self.plan),
            "trace": [list(point) for point in self.trace],
            "converged": self.converged,
            "notes": list(self.notes),
            "types": None if self.types is None else self.types.names.array.to_pylist(),
        }
        arrays = {
            "A": self.A,
            "R": self.R,
            "block": self.fit.block,
            "subjects": self.fit.subjects,
            "objects": self.fit.objects,
        }
        if self.types is not None and self.signatures is not None:
            arrays |= {
                "type_indptr": self.types.member.indptr,
                "type_indices": self.types.member.indices,
                "domain": self.signatures.subjects,
                "range": self.signatures.objects,
            }
        save_model(folder, _KIND, facts, arrays)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a saved model."""
        facts, arrays = load_model(folder, _KIND)
        types = signatures = None
        entities = Names(facts["entities"], "entity")
        if facts["types"] is not None:
            names = Names(facts["types"], "type")
            ones = np.ones(len(arrays["type_indices"]))
            member = sp.csr_array(
                (ones, arrays["type_indices"], arrays["type_indptr"]), shape=(len(entities), len(names))
            )
            types, signatures = Types(names, member), Signatures(arrays["domain"], arrays["range"])
        return cls(
            entities,
            Names(facts["relations"], "relation"),
            arrays["A"],
            arrays["R"],
            Fit(arrays["block"], arrays["subjects"], arrays["objects"]),
            Plan(**facts["plan"]),
            types,
            signatures,
            [Point(*point) for point in facts["trace"]],
            facts["converged"],
            facts["notes"],
        )

    def _R(self, k: int) -> Scores:  # noqa: N802  (the paper's letter)
        return self.R[k].astype(self.A.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class Viewed:
    """A factorisation that is asked in another way: what stays the same."""

    model: Factorisation

    @property
    def entities(self) -> Names:
        """The entities it knows."""
        return self.model.entities

    @property
    def relations(self) -> Names:
        """The relations it knows."""
        return self.model.relations

    @property
    def notes(self) -> list[str]:
        """What whoever reads the results should know."""
        return self.model.notes

    def save(self, folder: str | Path) -> None:
        """Write the factorisation."""
        self.model.save(folder)


@dataclass(frozen=True, eq=False)
class Checked(Viewed):
    """A factorisation that answers -inf wherever types do not fit."""

    def best_missing(self, facts: Facts, n: int) -> pa.Table:
        """Return the n best-scored facts that fit the types and are not known."""
        return self.model.best_missing(facts, n)

    def explain(self, facts: Facts, subject: str, relation: str, object: str) -> pa.Table:
        """Return the known facts that carry one fact, the strongest first."""
        return self.model.explain(facts, subject, relation, object)

    def score(self, subjects: Codes, relations: Codes, objects: Codes) -> Scores:
        """Score facts given by codes."""
        allowed = self.model.fit.allows(Triples(subjects, relations, objects))
        return np.where(allowed, self.model.score(subjects, relations, objects), -np.inf)

    def score_objects(self, subjects: Codes, relations: Codes) -> Scores:
        """Score every entity as object; a subject that does not fit makes its whole row -inf."""
        scores = self.model.score_objects(subjects, relations)
        self.model.fit.bar_objects_inplace(subjects, relations, scores)
        return scores

    def score_subjects(self, relations: Codes, objects: Codes) -> Scores:
        """Score every entity as subject; an object that does not fit makes its whole row -inf."""
        scores = self.model.score_subjects(relations, objects)
        self.model.fit.bar_subjects_inplace(relations, objects, scores)
        return scores


def fit_rescal(facts: Facts, plan: Plan | None = None, *, progress: Progress = SILENT) -> Factorisation:
    """Factorise a knowledge base without types.

    Examples
    --------
    >>> table = pa.table({
    ...     "subject": ["lyon", "nice", "rome", "lyon", "nice"],
    ...     "relation": ["in", "in", "in", "likes", "likes"],
    ...     "object": ["france", "france", "italy", "nice", "lyon"],
    ... })
    >>> facts = Facts.from_table(table)
    >>> model = fit_rescal(facts, Plan(rank=3, regularisation=0.01, precision="float64"))
    >>> model.R.shape
    (2, 3, 3)
    """
    fit = Fit.everything(len(facts.entities), len(facts.relations))
    return fit_factorisation(facts, fit, plan or Plan(), progress=progress)


def fit_factorisation(
    facts: Facts,
    fit: Fit,
    plan: Plan,
    *,
    types: Types | None = None,
    signatures: Signatures | None = None,
    start: Matrix | None = None,
    progress: Progress = SILENT,
) -> Factorisation:
    """Factorise under a fit of types, from a start (n × rank) where one is at hand."""
    if len(facts) == 0:
        raise SettingsError("there are no facts to learn from")
    problem = Problem(facts, fit, plan.precision)
    if start is None:
        with progress.task("finding a start"):
            start = leading_eigenvectors(symmetric_sum(facts), plan.rank, plan.seed)
    solution = solve(problem, start, plan, progress=progress)
    return _made(facts, fit, plan, problem, solution, types, signatures)


def _made(
    facts: Facts,
    fit: Fit,
    plan: Plan,
    problem: Problem,
    solution: Solution,
    types: Types | None,
    signatures: Signatures | None,
) -> Factorisation:
    notes = []
    if problem.n_excluded:
        notes.append(f"{problem.n_excluded:,} of {len(facts):,} facts do not fit the signatures and were left out")
    seen = {piece.relation for piece in problem.slices}
    empty = [facts.relations[k] for k in range(len(facts.relations)) if k not in seen]
    if empty:
        shown = ", ".join(empty[:3]) + ("…" if len(empty) > 3 else "")
        notes.append(f"{len(empty)} relations have no facts and score everything 0: {shown}")
    return Factorisation(
        facts.entities,
        facts.relations,
        solution.A,
        solution.R.astype(solution.A.dtype),
        fit,
        plan,
        types,
        signatures,
        solution.trace,
        solution.converged,
        notes,
    )


def _by_relation(relations: Codes) -> Iterator[tuple[int, Codes]]:
    order = np.argsort(relations, kind="stable")
    values, starts = np.unique(relations[order], return_index=True)
    for k, start, end in zip(values, starts, np.append(starts[1:], len(order)), strict=False):
        yield int(k), order[start:end]
