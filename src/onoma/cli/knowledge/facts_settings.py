"""What the commands of `onoma facts` share: their settings, reading, learning."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import OnError, OnErrorOption, Seed
from onoma.knowledge.facts import Facts, Names
from onoma.knowledge.rescal_als import Plan
from onoma.pipeline.knowledge.choose import FEW, PLENTY
from onoma.pipeline.knowledge.facts import Learnt, learn, load
from onoma.pipeline.knowledge.job import PAIRS, PRIOR, FactsJob, counted, default_rank, read_facts_job
from onoma.pipeline.knowledge.question import Query, parse_query

__all__ = ["Model", "Settings", "Triples", "learn_for", "learn_model", "read_job"]


class Model(StrEnum):
    """What may be learnt: the kinds of `onoma.pipeline.knowledge.facts.MODELS`."""

    trescal = "trescal"
    rescal = "rescal"
    logic = "logic"


Triples = Annotated[
    Path,
    typer.Argument(
        metavar="TRIPLES",
        help="Lines of subject TAB relation TAB object, N-Triples (.nt, .nq), or a table (.csv, .jsonl, .parquet) "
        "with these columns; packed or not.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every command learns from, and how."""

    types: Annotated[
        str | None,
        typer.Option(
            "--types",
            help="A file of lines entity TAB type, or a .csv; 'names' (concept:city:lyon says it); or 'relation:R' "
            "(facts of R do).",
        ),
    ] = None
    signatures: Annotated[
        Path | None,
        typer.Option("--signatures", help="Lines relation TAB domain TAB range. Without: every type seen on a side."),
    ] = None
    rules: Annotated[
        Path | None, typer.Option("--rules", help="A file of rules, for models that learn from rules.")
    ] = None
    model: Annotated[
        Model | None,
        typer.Option(
            "--model", help="What is learnt. By default logic with rules, trescal with types, rescal without."
        ),
    ] = None
    loaded: Annotated[
        Path | None, typer.Option("--load", help="A folder with a model saved before; nothing is learnt.")
    ] = None
    rank: Annotated[
        int | None,
        typer.Option("--rank", help="Latent dimension: numbers per entity. By default 100, fewer for few.", min=1),
    ] = None
    regularisation: Annotated[
        float | None,
        typer.Option(
            "--regularisation",
            help=f"L2 regularisation λ, in (t)rescal. By default {PLENTY:g}; up to {FEW:,} facts, what "
            "serves held-out facts best.",
            min=0,
        ),
    ] = None
    iterations: Annotated[int, typer.Option("--iterations", help="At most so many.", min=0)] = 10
    prior: Annotated[
        float,
        typer.Option("--prior", help="Weight of what kinds and frequencies say, in (t)rescal. As published: 0.", min=0),
    ] = PRIOR
    pairs: Annotated[
        float,
        typer.Option(
            "--pairs", help="Weight of other relations between the two, in (t)rescal. As published: 0.", min=0
        ),
    ] = PAIRS
    threads: Annotated[int, typer.Option("--threads", help="How many relations are worked on at once.", min=1)] = 1
    on_error: OnErrorOption = OnError.stop
    seed: Seed = 0

    def plan(self, facts: Facts) -> Plan:
        """Return how to factorise these facts."""
        return Plan(
            rank=self.rank or default_rank(facts),
            regularisation=PLENTY if self.regularisation is None else self.regularisation,
            max_iterations=self.iterations,
            threads=self.threads,
            seed=self.seed,
        )


def read_job(speaker: Speaker, triples: Path, settings: Settings) -> FactsJob:
    """Read what is learnt from, and say what came."""
    with speaker.progress.task("reading facts"):
        job = read_facts_job(
            triples,
            types=settings.types,
            signatures=settings.signatures,
            rules=settings.rules,
            plan=settings.plan,
            choose=settings.regularisation is None,
            backing=(settings.prior, settings.pairs),
            on_error=settings.on_error.value,
        )
    for note in job.notes:
        speaker.note(note)
    facts = job.facts
    entities = counted(len(facts.entities), "entity", "entities")
    speaker.note(f"{counted(len(facts), 'fact')}, {entities}, {counted(len(facts.relations), 'relation')}")
    return job


def learn_model(speaker: Speaker, job: FactsJob, settings: Settings) -> Learnt:
    """Learn a model, or load it, and say what it is."""
    if settings.loaded is not None:
        if settings.model is not None or settings.rules is not None or settings.rank is not None:
            speaker.note("--load takes the model as it was learnt: --model, --rules and --rank are not heeded")
        learnt = load(settings.loaded, job)
    else:
        learnt = learn(job, None if settings.model is None else settings.model.value, progress=speaker.progress)
    for note in learnt.notes:
        speaker.note(note)
    return learnt


def learn_for(speaker: Speaker, job: FactsJob, settings: Settings, question: str) -> tuple[Learnt, Query]:
    """Return a model and the question; a name that is unknown is said before the work, not after it."""
    if settings.loaded is None:
        _check(parse_query(question, job.facts.entities, job.relations), job.facts.entities, job.relations)
    learnt = learn_model(speaker, job, settings)
    entities, relations = learnt.model.entities, learnt.model.relations
    query = parse_query(question, entities, relations)
    _check(query, entities, relations)
    return learnt, query


def _check(query: Query, entities: Names, relations: Names) -> None:
    """Name what is unknown."""
    if query.relation is not None:
        relations.index(query.relation)
    for name in (query.subject, query.object):
        if name is not None:
            entities.index(name)
