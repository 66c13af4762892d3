"""What follows from known facts: read them, learn a model, complete, ask, explain.

A kind of model is one entry of `MODELS`: a name and a function from what was read to something that answers
(`onoma.knowledge.facts_model.FactModel`). The commands know nothing else of it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.readers.facts import read_facts
from onoma.corpus.readers.nell import nell_types
from onoma.corpus.readers.table import read_table
from onoma.corpus.schema import SIGNATURES, TYPES
from onoma.errors import DataError, SettingsError
from onoma.knowledge.backed import Backed
from onoma.knowledge.facts import Facts
from onoma.knowledge.facts_model import FactModel
from onoma.knowledge.logic_facts import LogicFacts, fit_logic
from onoma.knowledge.logic_rules import read_rules
from onoma.knowledge.rescal import Factorisation, fit_rescal
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.trescal import fit_trescal
from onoma.knowledge.types import Types
from onoma.learning.storage import kind_of
from onoma.progress import SILENT, Progress

__all__ = [
    "LOADERS",
    "MODELS",
    "PAIRS",
    "PRIOR",
    "FactsJob",
    "Query",
    "ask",
    "default_rank",
    "learn",
    "load",
    "parse_query",
    "read_facts_job",
    "score",
]

NAMES = "names"
"""In place of a file of types: the types stand in the names, as NELL writes them."""
RELATION = "relation:"
"""In place of a file of types: they are the objects of this relation."""
PRIOR, PAIRS = 0.01, 0.1
"""How much a factorisation is backed by counts, by default: better than not at all on each of six knowledge bases."""


@dataclass(frozen=True, kw_only=True)
class FactsJob:
    """What a model learns from, and how."""

    facts: Facts
    types: Types | None = None
    signatures: pa.Table | None = None
    rules: Path | None = None
    plan: Plan = field(default_factory=Plan)
    prior: float = PRIOR
    pairs: float = PAIRS
    notes: tuple[str, ...] = ()
    rejects: pa.Table | None = None


def read_facts_job(
    triples: Path,
    *,
    types: str | None = None,
    signatures: Path | None = None,
    rules: Path | None = None,
    plan: Callable[[Facts], Plan] | None = None,
    prior: float = PRIOR,
    pairs: float = PAIRS,
    on_error: str = "stop",
) -> FactsJob:
    """Read facts and what is known about types.

    Parameters
    ----------
    triples
        The facts (`onoma.corpus.readers.facts.read_facts`).
    types
        A file of lines entity TAB type; or `"names"`: the types stand in the names, as NELL writes them; or
        `"relation:R"`: the facts of the relation R say the types, and are not learnt from.
    signatures
        A file of lines relation TAB domain TAB range; without it every type seen on a side is allowed there.
    rules
        A file of rules, for models that learn from rules.
    plan
        How to factorise, given the facts; by default with λ = 5 and `default_rank`.
    prior, pairs
        How much a factorisation is backed by what is usual and by other relations of a pair (`knowledge.backing`).
    on_error
        Bad lines: `"stop"` or `"reject"`.
    """
    read = read_facts(triples, on_error=on_error)
    if len(read.table) == 0:
        raise DataError("there are no facts to learn from", file=triples)
    notes, table = list(read.notes), read.table
    kinds = None if types is None else _type_table(types, table)
    if types is not None and types.startswith(RELATION):
        table = table.filter(pc.not_equal(table["relation"], types.removeprefix(RELATION)))
    facts = Facts.from_table(table)
    if len(read.rejects):
        notes.append(f"{triples}: {len(read.rejects):,} lines could not be read")
    if facts.n_repeated:
        notes.append(f"{facts.n_repeated:,} facts are said more than once and count once")
    how = Plan(rank=default_rank(facts), regularisation=5.0) if plan is None else plan(facts)
    found = None if kinds is None else _types(kinds, facts, notes)
    signed = None if signatures is None else _headless(signatures, SIGNATURES, on_error)
    if signed is not None and found is None:
        raise SettingsError("signatures need types", hint="Add --types FILE, or --types names.")
    rejects = read.rejects if len(read.rejects) else None
    return FactsJob(
        facts=facts,
        types=found,
        signatures=signed,
        rules=rules,
        plan=how,
        prior=prior,
        pairs=pairs,
        notes=tuple(notes),
        rejects=rejects,
    )


def default_rank(facts: Facts) -> int:
    """Return 100, or half the number of entities where they are few."""
    return max(1, min(100, len(facts.entities) // 2))


def _type_table(types: str, facts: pa.Table) -> pa.Table:
    """Return the table of types that the setting names."""
    if types == NAMES:
        table = nell_types(pc.unique(pa.chunked_array([*facts["subject"].chunks, *facts["object"].chunks])).to_pylist())
        if len(table) == 0:
            hint = "NELL writes concept:city:lyon or concept_city_lyon; otherwise give a file of entity TAB type."
            raise DataError("no name of an entity says its type", hint=hint)
        return table
    if types.startswith(RELATION):
        name = types.removeprefix(RELATION)
        saying = facts.filter(pc.equal(facts["relation"], name))
        if len(saying) == 0:
            raise DataError(f"no fact has the relation {name!r}, which should say the types")
        return saying.select(["subject", "object"]).rename_columns(TYPES.names)
    return _headless(Path(types), TYPES, "stop")


def _types(table: pa.Table, facts: Facts, notes: list[str]) -> Types:
    found = Types.from_table(table, facts.entities)
    untyped = int((np.diff(found.member.indptr) == 0).sum())
    if untyped == len(facts.entities):
        raise DataError("none of the entities of the facts has a type")
    if untyped:
        notes.append(f"{untyped:,} of {len(facts.entities):,} entities have no type and may stand anywhere")
    return found


def _headless(path: Path, schema: pa.Schema, on_error: str) -> pa.Table:
    """Read a table with or without a header that names its columns; further columns are left out."""
    table = read_table(path, on_error=on_error, header=False, types="text", format="tsv").table
    if table.num_columns < len(schema):
        raise DataError(f"has {table.num_columns} of the {len(schema)} columns {', '.join(schema.names)}", file=path)
    table = table.select(table.column_names[: len(schema)]).rename_columns(schema.names)
    first = [str(column[0].as_py()).lower() for column in table.columns] if len(table) else []
    return table.slice(1) if first == schema.names else table


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
    rules = [] if job.rules is None else read_rules(job.rules)
    return fit_logic(job.facts, rules, rank=job.plan.rank, seed=job.plan.seed, progress=progress)


MODELS: dict[str, Callable[[FactsJob, Progress], FactModel]] = {
    "trescal": _trescal,
    "rescal": _rescal,
    "logic": _logic,
}
"""How each kind of model is learnt."""

LOADERS: dict[str, Callable[[Path, FactsJob], FactModel]] = {
    "rescal": lambda folder, job: _backed(Factorisation.load(folder), job),
    "logic": lambda folder, _: LogicFacts.load(folder),
}
"""How each kind of saved model (`kind` in its model.json) is read."""


def learn(job: FactsJob, model: str | None = None, *, progress: Progress = SILENT) -> FactModel:
    """Learn a model of a kind; by default the logic where rules are given, TRESCAL where types are, else RESCAL."""
    name = model or ("logic" if job.rules is not None else "rescal" if job.types is None else "trescal")
    if name not in MODELS:
        raise SettingsError(f"there is no model {name!r}; there are {', '.join(MODELS)}")
    return MODELS[name](job, progress)


def load(folder: Path, job: FactsJob) -> FactModel:
    """Read a saved model, which must have learnt from the same entities and relations."""
    kind = kind_of(folder)
    if kind not in LOADERS:
        raise DataError(f"holds a model of kind {kind!r}; here are read {', '.join(LOADERS)}", file=folder)
    model, facts = LOADERS[kind](folder, job), job.facts
    same = model.entities.array.equals(facts.entities.array) and model.relations.array.equals(facts.relations.array)
    if not same:
        raise DataError(
            "the model has other entities or relations than these facts",
            file=folder,
            hint="Give the facts it was learnt from, or learn again without --load.",
        )
    return model


class Query(NamedTuple):
    """A question about facts: at most one of subject and object is open (None)."""

    relation: str
    subject: str | None
    object: str | None

    def __str__(self) -> str:
        return f"{self.relation}({self.subject or '?'}, {self.object or '?'})"


_ARGUMENT = r'(?:"((?:[^"\\]|\\.)*)"|([^",][^,]*?|\?))'
_QUERY = re.compile(rf"\s*([^(]+?)\s*\(\s*{_ARGUMENT}\s*,\s*{_ARGUMENT}\s*\)\s*")


def parse_query(text: str) -> Query:
    """Read `relation(subject, ?)`, `relation(?, object)` or `relation(subject, object)`.

    A name with a comma, or a question mark alone, is put in double quotes.

    Examples
    --------
    >>> parse_query("capital_of(lyon, ?)")
    Query(relation='capital_of', subject='lyon', object=None)
    >>> parse_query('in("Paris, Texas", usa)').subject
    'Paris, Texas'
    """
    match = _QUERY.fullmatch(text)
    if match is None:
        raise SettingsError(
            f"{text!r} is no question about facts",
            hint="Write relation(subject, ?), relation(?, object) or relation(subject, object); "
            "a name with a comma in double quotes.",
        )
    relation, *parts = match.groups()
    sides = []
    for quoted, bare in (parts[:2], parts[2:]):
        whole = None if bare == "?" else bare
        sides.append(whole if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
    if sides == [None, None]:
        raise SettingsError(f"{text!r} leaves both sides open; name one")
    return Query(relation, *sides)


def score(model: FactModel, query: Query) -> float:
    """Return the score of a fact that names both sides."""
    codes = (model.entities.index(str(query.subject)), model.relations.index(query.relation))
    s, k, o = (np.array([code]) for code in (*codes, model.entities.index(str(query.object))))
    return float(model.score(s, k, o)[0])


def ask(model: FactModel, facts: Facts, query: Query, n: int = 10) -> pa.Table:
    """Return the n best answers: `entity`, `score`, `known` (whether it is among the facts)."""
    relation = np.array([model.relations.index(query.relation)])
    if query.subject is not None and query.object is not None:
        raise SettingsError(f"{query} leaves nothing open", hint="Put a ? in place of what is asked for.")
    if query.subject is not None:
        own = model.entities.index(query.subject)
        scores = model.score_objects(np.array([own]), relation)[0]
        here, others = facts.triples.subjects == own, facts.triples.objects
    else:
        own = model.entities.index(str(query.object))
        scores = model.score_subjects(relation, np.array([own]))[0]
        here, others = facts.triples.objects == own, facts.triples.subjects
    known = np.zeros(len(scores), np.bool_)
    known[others[here & (facts.triples.relations == relation[0])]] = True
    order = np.argsort(-scores, kind="stable")[:n]
    order = order[scores[order] > -np.inf]
    return pa.table(
        {
            "entity": model.entities.take(order),
            "score": pa.array(scores[order].astype(np.float64)),
            "known": pa.array(known[order]),
        }
    )
