"""What follows from known facts: read them, learn a model, complete, ask, explain.

A kind of model is one entry of `MODELS`: a name and a function from what was read to something that answers
(`onoma.knowledge.facts_model.FactModel`). The commands know nothing else of it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.knowledge.backed import Backed
from onoma.knowledge.facts import Facts, Triples
from onoma.knowledge.facts_model import FactModel
from onoma.knowledge.logic.facts import LogicFacts, fit_logic
from onoma.knowledge.rescal import Factorisation, Viewed, fit_rescal
from onoma.knowledge.trescal import fit_trescal
from onoma.learning.storage import kind_of
from onoma.pipeline.knowledge.choose import choose_regularisation
from onoma.pipeline.knowledge.job import PAIRS, PRIOR, FactsJob
from onoma.pipeline.knowledge.question import Query
from onoma.progress import SILENT, Progress

__all__ = [
    "LOADERS",
    "MODELS",
    "PAIRS",
    "PRIOR",
    "Learnt",
    "about",
    "ask",
    "is_known",
    "learn",
    "load",
    "misfit",
    "score",
]


def _trescal(job: FactsJob, progress: Progress) -> FactModel:
    if job.types is None:
        raise SettingsError(
            "trescal needs the types of entities",
            hint="Add --types FILE (lines of entity TAB type), --types names (NELL names), or take --model rescal.",
        )
    return _backed(fit_trescal(job.facts, job.types, job.plan, signatures=job.signatures, progress=progress), job)


def _rescal(job: FactsJob, progress: Progress) -> FactModel:
    return _backed(fit_rescal(job.facts, job.plan, progress=progress), job)


def _backed(model: Factorisation, job: FactsJob) -> FactModel:
    if job.prior or job.pairs:
        return Backed(model, job.facts, prior=job.prior, pairs=job.pairs)
    return model if model.types is None else model.checked()


def _logic(job: FactsJob, progress: Progress) -> FactModel:
    return fit_logic(job.facts, job.rules or (), rank=job.plan.rank, seed=job.plan.seed, progress=progress)


MODELS: dict[str, Callable[[FactsJob, Progress], FactModel]] = {
    "trescal": _trescal,
    "rescal": _rescal,
    "logic": _logic,
}
"""How each kind of model is learnt."""

LOADERS: dict[str, Callable[[Path], Factorisation | LogicFacts]] = {
    "rescal": Factorisation.load,
    "logic": LogicFacts.load,
}
"""How each kind of saved model (`kind` in its model.json) is read."""


class Learnt(NamedTuple):
    """A model, the facts in its own codes, and what should be said of how it came about."""

    model: FactModel
    facts: Facts
    notes: list[str]


def learn(job: FactsJob, model: str | None = None, *, progress: Progress = SILENT) -> Learnt:
    """Learn a model of a kind; by default the logic where rules are given, TRESCAL where types are, else RESCAL."""
    name = model or ("logic" if job.rules is not None else "rescal" if job.types is None else "trescal")
    if name not in MODELS:
        raise SettingsError(f"there is no model {name!r}; there are {', '.join(MODELS)}")
    if job.rules is not None and name != "logic":
        raise SettingsError(f"{name} does not learn from rules", hint="Leave out --rules, or take --model logic.")
    notes = []
    if job.types is not None and name != "trescal":
        notes.append(f"{name} does not look at types; --model trescal does")
    if job.choose and name != "logic":
        strength, said = _chosen(job, name, progress)
        job = replace(job, plan=replace(job.plan, regularisation=strength))
        notes += [said] if said else []
    found = MODELS[name](job, progress)
    return Learnt(found, job.facts, [*notes, about(found), *found.notes])


def _chosen(job: FactsJob, name: str, progress: Progress) -> tuple[float, str]:
    def learn_part(facts: Facts, strength: float) -> FactModel:
        plan = replace(job.plan, regularisation=strength)
        return MODELS[name](replace(job, facts=facts, plan=plan), SILENT)

    with progress.task("choosing the regularisation"):
        return choose_regularisation(job.facts, learn_part, job.plan.seed)


def about(model: FactModel) -> str:
    """Say in a line what a model is and how it was learnt."""
    if isinstance(model, LogicFacts):
        plan = model.logic.plan
        return f"logic of rank {plan.rank}, {plan.epochs:,} epochs; what scores above 0 is more likely true than not"
    found = model.model if isinstance(model, Viewed) else model
    if not isinstance(found, Factorisation):
        return type(model).__name__
    n = max((point.iteration for point in found.trace), default=0)
    rest = "" if found.converged else ", not converged (more --iterations go on)"
    return (
        f"{found.kind} of rank {found.plan.rank}, regularisation {found.plan.regularisation:g}: "
        f"{n:,} {'iteration' if n == 1 else 'iterations'}{rest}"
    )


def load(folder: Path, job: FactsJob) -> Learnt:
    """Read a saved model; it must know all entities and relations of the facts."""
    kind = kind_of(folder)
    if kind not in LOADERS:
        raise DataError(f"holds a model of kind {kind!r}; here are read {', '.join(LOADERS)}", file=folder)
    stored = LOADERS[kind](folder)
    for ours, theirs in ((job.facts.entities, stored.entities), (job.facts.relations, stored.relations)):
        unknown = [name for name in ours if name not in theirs]
        if unknown:
            raise DataError(
                f"the model has other entities or relations than these facts; it does not know {len(unknown):,} of "
                f"{len(ours):,}, such as the {ours.what} {unknown[0]!r}",
                file=folder,
                hint="Give the facts it was learnt from, or learn again without --load.",
            )
    facts = Facts.from_table(job.facts.table(), entities=stored.entities, relations=stored.relations)
    job = replace(job, facts=facts, types=None)
    model = stored if isinstance(stored, LogicFacts) else _backed(stored, job)
    return Learnt(model, facts, [f"{folder}: {about(model)}"])


def misfit(model: FactModel, query: Query) -> str:
    """Say which side of a fact does not fit by its types; nothing if both do."""
    found = model.model if isinstance(model, Viewed) else model
    if not isinstance(found, Factorisation) or found.types is None or query.relation is None:
        return ""
    k = found.relations.index(query.relation)
    for side, name, fits in (
        ("subject", query.subject, found.fit.subjects[k]),
        ("object", query.object, found.fit.objects[k]),
    ):
        if name is not None and not fits[found.fit.block[found.entities.index(name)]]:
            row = found.types.member[[found.entities.index(name)]]
            kinds = ", ".join(found.types.names[int(code)] for code in row.indices)
            return f"{name} ({kinds}) is of no type that {query.relation} takes as {side}"
    return ""


def score(model: FactModel, query: Query) -> float:
    """Return the score of a fact that names all."""
    s, k, o = (np.array([code]) for code in _codes(model, query))
    return float(model.score(s, k, o)[0])


def is_known(model: FactModel, facts: Facts, query: Query) -> bool:
    """Say whether a fact that names all is among the facts."""
    here = [column == code for column, code in zip(facts.triples.columns, _codes(model, query), strict=True)]
    return bool(np.logical_and.reduce(here).any())


def _codes(model: FactModel, query: Query) -> tuple[int, int, int]:
    subject, object_ = (model.entities.index(str(name)) for name in (query.subject, query.object))
    return subject, model.relations.index(str(query.relation)), object_


def ask(model: FactModel, facts: Facts, query: Query, n: int = 10, *, new: bool = False) -> pa.Table:
    """Return the n best answers: `entity` (or `relation`), `score`, `known` (whether it is among the facts).

    With `new` those that are known are left out.
    """
    if query.n_open != 1:
        hint = "Put a ? in place of what is asked for; onoma facts explain says what speaks for a fact."
        raise SettingsError(f"{query} leaves nothing open", hint=hint)
    names = model.relations if query.relation is None else model.entities
    scores, known = _answers(model, facts.triples, query)
    if new:
        scores = np.where(known, -np.inf, scores)
    order = np.argsort(-scores, kind="stable")[:n]
    order = order[scores[order] > -np.inf]
    return pa.table(
        {
            names.what: names.take(order),
            "score": pa.array(scores[order].astype(np.float64)),
            "known": pa.array(known[order]),
        }
    )


def _answers(model: FactModel, triples: Triples, query: Query) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the score of every answer, and whether it is known."""
    subject, object_ = (None if name is None else model.entities.index(name) for name in (query.subject, query.object))
    if query.relation is None:
        every = np.arange(len(model.relations))
        scores = model.score(np.full(len(every), subject), every, np.full(len(every), object_))
        answers, here = triples.relations, (triples.subjects == subject) & (triples.objects == object_)
    else:
        k = model.relations.index(query.relation)
        if subject is not None:
            scores = model.score_objects(np.array([subject]), np.array([k]))[0]
            answers, here = triples.objects, (triples.subjects == subject) & (triples.relations == k)
        else:
            scores = model.score_subjects(np.array([k]), np.array([object_]))[0]
            answers, here = triples.subjects, (triples.objects == object_) & (triples.relations == k)
    known = np.zeros(len(scores), np.bool_)
    known[answers[here]] = True
    return scores, known
