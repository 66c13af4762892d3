"""`onoma.facts`."""

from pathlib import Path

from onoma.api.tables import Table, Tabular, is_path, take
from onoma.errors import SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.rescal_als import Plan
from onoma.pipeline.knowledge.choose import PLENTY
from onoma.pipeline.knowledge.facts import Learnt, ask, learn
from onoma.pipeline.knowledge.job import default_rank, read_facts_job
from onoma.pipeline.knowledge.question import parse_query
from onoma.progress import SILENT, Progress

__all__ = ["FactsResult", "facts"]


class FactsResult:
    """A model of facts: what is missing, what answers a question, what speaks for a fact."""

    def __init__(self, learnt: Learnt) -> None:
        self._learnt = learnt

    def complete(self, n: int = 1000) -> Table:
        """Return the facts that are most likely missing: subject, relation, object, score (no probability)."""
        return Table(self._learnt.model.best_missing(self._learnt.facts, n))

    def ask(self, question: str, n: int = 10, *, new: bool = False) -> Table:
        """Return the best answers to `capital_of(lyon, ?)`; with `new`, those not among the facts."""
        model = self._learnt.model
        query = parse_query(question, model.entities, model.relations)
        return Table(ask(model, self._learnt.facts, query, n, new=new))

    def explain(self, fact: str) -> Table:
        """Return the known facts that carry one: `capital_of(paris, france)`."""
        model = self._learnt.model
        query = parse_query(fact, model.entities, model.relations)
        if query.n_open:
            raise SettingsError(f"{query} leaves something open", hint="A fact names all: capital_of(paris, france).")
        found = model.explain(self._learnt.facts, str(query.subject), str(query.relation), str(query.object))
        return Table(found)

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder, as arrays and JSON."""
        self._learnt.model.save(folder)
        return Path(folder)

    @property
    def notes(self) -> list[str]:
        """What people should know."""
        return self._learnt.notes

    def __repr__(self) -> str:
        facts = self._learnt.facts
        told = f"{len(facts):,} facts, {len(facts.entities):,} entities, {len(facts.relations):,} relations"
        return "\n".join([told, *self.notes, ".complete(n) .ask(question) .explain(fact) .save(folder)"])


def facts(
    triples: Tabular,
    *,
    types: str | None = None,
    rules: str | Path | None = None,
    model: str | None = None,
    rank: int | None = None,
    regularisation: float | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> FactsResult:
    """Learn from known facts what else is true.

    Parameters
    ----------
    triples
        A file of facts (TSV, N-Triples…), or a table in any form with the columns subject, relation and object.
    types
        A file of lines entity TAB type; `"names"`, or `"relation:R"`.
    rules
        A file of rules, for the model `logic`.
    model
        `rescal`, `trescal` or `logic`; by default logic with rules, trescal with types, rescal without.
    rank
        Numbers per entity; by default 100, or fewer for few entities.
    regularisation
        L2 regularisation λ; by default what serves held-out facts best.
    seed
        The same seed gives the same result.
    """

    def plan(found: Facts) -> Plan:
        strength = PLENTY if regularisation is None else regularisation
        return Plan(rank=rank or default_rank(found), regularisation=strength, seed=seed)

    job = read_facts_job(
        Path(triples) if is_path(triples) else take(triples).table,
        types=types,
        rules=None if rules is None else Path(rules),
        plan=plan,
        choose=regularisation is None,
    )
    return FactsResult(learn(job, model, progress=progress))
