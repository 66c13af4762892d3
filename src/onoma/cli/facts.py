"""`onoma facts`: what follows from known facts."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, OnError, OnErrorOption, Quiet, Seed, with_settings
from onoma.corpus.formats import write_table
from onoma.corpus.writers.files import write_text
from onoma.errors import SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.facts_model import FactModel
from onoma.knowledge.logic_mine import mine_rules
from onoma.knowledge.rescal_als import Plan
from onoma.pipeline.facts import (
    PAIRS,
    PRIOR,
    FactsJob,
    Query,
    ask,
    default_rank,
    learn,
    load,
    parse_query,
    read_facts_job,
    score,
)
from onoma.pipeline.output import check_target

__all__ = ["Model", "app"]

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="rich", help="What follows from known facts: complete, ask, explain, rules."
)


class Model(StrEnum):
    """What may be learnt: the kinds of `onoma.pipeline.facts.MODELS`."""

    trescal = "trescal"
    rescal = "rescal"
    logic = "logic"


Triples = Annotated[
    Path,
    typer.Argument(metavar="TRIPLES", help="Lines of subject TAB relation TAB object, N-Triples (.nt), or a table."),
]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every command learns from, and how."""

    types: Annotated[
        str | None,
        typer.Option(
            "--types",
            help="A file of lines entity TAB type; 'names' (concept:city:lyon says it); or 'relation:R' (facts of R "
            "do).",
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
        int | None, typer.Option("--rank", help="Numbers per entity. By default 100, or fewer for few entities.", min=1)
    ] = None
    regularisation: Annotated[
        float, typer.Option("--regularisation", help="How strongly numbers are kept small.", min=0)
    ] = 5.0
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
            regularisation=self.regularisation,
            max_iterations=self.iterations,
            threads=self.threads,
            seed=self.seed,
        )


@app.command()
@with_settings(Settings)
def complete(
    triples: Triples,
    *,
    settings: Settings,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A table of the facts found.")] = None,
    top: Annotated[int, typer.Option("--top", help="How many missing facts.", min=1)] = 1000,
    save: Annotated[Path | None, typer.Option("--save", help="Keep the model in this folder.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the facts that are most likely missing.

    For example:

      [cyan]onoma facts complete kb.tsv -o missing.tsv[/]
      [cyan]onoma facts complete nell.tsv --types names --top 500 -o missing.csv --save model/[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if output is not None:
        check_target(output)
    job = _read(speaker, triples, settings)
    learnt = _learnt(speaker, job, settings)
    with speaker.progress.task("looking for what is missing"):
        found = learnt.best_missing(job.facts, top)
    if save is not None:
        learnt.save(save)
    if output is not None:
        write_table(found, output)
        if job.rejects is not None:
            write_table(job.rejects, output.with_name(output.name.split(".")[0] + ".rejects.csv"))
    if json:
        speaker.answer({"facts": len(job.facts), "found": found.slice(0, 20).to_pylist(), "output": output})
        return
    if len(found) < top:
        speaker.note(f"{len(found):,} missing facts have anything for them; a smaller --regularisation offers more")
    shown = f"the {min(10, len(found))} best of {len(found):,} missing facts"
    _show(speaker, shown, found.select(["subject", "relation", "object", "score"]).slice(0, 10))
    for path in (path for path in (output, save) if path is not None):
        speaker.say(f"written: {path}")
    if output is None:
        speaker.note("nothing was written: add -o missing.csv")


@app.command("ask")
@with_settings(Settings)
def ask_command(
    triples: Triples,
    question: Annotated[
        str,
        typer.Argument(metavar="QUESTION", help="Such as 'capital_of(lyon, ?)'; names with a comma in double quotes."),
    ],
    *,
    settings: Settings,
    top: Annotated[int, typer.Option("--top", help="How many answers.", min=1)] = 10,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask for the subject or the object of a relation.

    For example:

      [cyan]onoma facts ask kb.tsv 'capital_of(?, france)'[/]
      [cyan]onoma facts ask kb.tsv 'lives_in(jane, ?)' --load model/[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    query = parse_query(question)
    job = _read(speaker, triples, settings)
    _check(query, job)
    answers = ask(_learnt(speaker, job, settings), job.facts, query, top)
    if json:
        speaker.answer({"question": str(query), "answers": answers.to_pylist()})
        return
    rows = ([row["entity"], row["score"], "known" if row["known"] else ""] for row in answers.to_pylist())
    speaker.table(str(query), ("answer", "score", ""), rows)


@app.command()
@with_settings(Settings)
def explain(
    triples: Triples,
    fact: Annotated[str, typer.Argument(metavar="FACT", help="Such as 'capital_of(lyon, france)'.")],
    *,
    settings: Settings,
    top: Annotated[int, typer.Option("--top", help="How many known facts.", min=1)] = 10,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which known facts carry a prediction, and how much of its score each gives.

    For example:

      [cyan]onoma facts explain kb.tsv 'lives_in(jane, lyon)' --load model/[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    query = parse_query(fact)
    if query.subject is None or query.object is None:
        raise SettingsError(
            f"{query} leaves a side open; a fact to be explained names both",
            hint="onoma facts ask finds what could stand there.",
        )
    job = _read(speaker, triples, settings)
    _check(query, job)
    learnt = _learnt(speaker, job, settings)
    support = learnt.explain(job.facts, query.subject, query.relation, query.object)
    value = score(learnt, query)
    if json:
        speaker.answer({"fact": str(query), "score": value, "support": support.slice(0, top).to_pylist()})
        return
    speaker.say(f"{query}: score {value:.4f}")
    _show(speaker, "known facts that carry it", support.slice(0, top))


@app.command("rules")
def rules_command(
    triples: Triples,
    *,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file of rules, for --rules.")] = None,
    support: Annotated[int, typer.Option("--support", help="How many facts must bear a rule out.", min=1)] = 5,
    confidence: Annotated[
        float, typer.Option("--confidence", help="How often, at least, the head holds where the body does.", max=1)
    ] = 0.3,
    top: Annotated[int, typer.Option("--top", help="How many rules.", min=1)] = 1000,
    on_error: OnErrorOption = OnError.stop,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find rules that the facts bear out, such as: who leads a firm works for it.

    For example:

      [cyan]onoma facts rules kb.tsv --confidence 0.8 -o rules.txt[/]
      [cyan]onoma facts complete kb.tsv --rules rules.txt -o missing.csv[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    job = _read(speaker, triples, Settings(on_error=on_error))
    with speaker.progress.task("looking for rules"):
        found = mine_rules(job.facts, min_support=support, min_confidence=confidence, limit=top)
    if output is not None:
        write_text(output, "".join(f"{rule}\n" for rule in found))
    if json:
        speaker.answer({"facts": len(job.facts), "rules": [str(rule) for rule in found], "output": output})
        return
    shown = ([rule.weight, str(replace(rule, weight=1.0))] for rule in found[:10])
    speaker.table(f"the {min(10, len(found))} most confident of {len(found):,} rules", ("confidence", "rule"), shown)
    if output is not None:
        speaker.say(f"written: {output}")
    else:
        speaker.note("nothing was written: add -o rules.txt")


def _read(speaker: Speaker, triples: Path, settings: Settings) -> FactsJob:
    job = read_facts_job(
        triples,
        types=settings.types,
        signatures=settings.signatures,
        rules=settings.rules,
        plan=settings.plan,
        prior=settings.prior,
        pairs=settings.pairs,
        on_error=settings.on_error.value,
    )
    for note in job.notes:
        speaker.note(note)
    facts = job.facts
    speaker.note(f"{len(facts):,} facts, {len(facts.entities):,} entities, {len(facts.relations):,} relations")
    return job


def _learnt(speaker: Speaker, job: FactsJob, settings: Settings) -> FactModel:
    if settings.loaded is not None:
        return load(settings.loaded, job)
    learnt = learn(job, None if settings.model is None else settings.model.value, progress=speaker.progress)
    for note in learnt.notes:
        speaker.note(note)
    return learnt


def _check(query: Query, job: FactsJob) -> None:
    """Name what is unknown before the work, not after it."""
    job.facts.relations.index(query.relation)
    for name in (query.subject, query.object):
        if name is not None:
            job.facts.entities.index(name)


def _show(speaker: Speaker, title: str, table: pa.Table) -> None:
    speaker.table(title, table.column_names, (list(row.values()) for row in table.to_pylist()))
