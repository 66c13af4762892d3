"""`onoma facts`: what follows from known facts."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, OnError, OnErrorOption, Quiet, Seed
from onoma.corpus.formats import write_table
from onoma.errors import SettingsError
from onoma.knowledge.facts_model import FactModel
from onoma.knowledge.rescal_als import Plan
from onoma.pipeline.facts import (
    MODELS,
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

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="rich", help="What follows from known facts: complete, ask, explain."
)

Model = StrEnum("Model", {name: name for name in MODELS})  # type: ignore[misc]  # the kinds of models are data

Triples = Annotated[
    Path,
    typer.Argument(metavar="TRIPLES", help="Lines of subject TAB relation TAB object, N-Triples (.nt), or a table."),
]
Question = Annotated[
    str, typer.Argument(metavar="QUESTION", help="Such as 'capital_of(lyon, ?)'; names with a comma in double quotes.")
]
TypesOption = Annotated[
    str | None,
    typer.Option(
        "--types",
        help="A file of lines entity TAB type; 'names' (concept:city:lyon says it); or 'relation:R' (facts of R do).",
    ),
]
SignaturesOption = Annotated[
    Path | None,
    typer.Option("--signatures", help="Lines relation TAB domain TAB range. Without: every type seen on a side."),
]
RulesOption = Annotated[Path | None, typer.Option("--rules", help="A file of rules, for models that learn from rules.")]
ModelOption = Annotated[
    Model | None,
    typer.Option("--model", help="What is learnt. By default logic with rules, trescal with types, rescal without."),
]
Rank = Annotated[
    int | None, typer.Option("--rank", help="Numbers per entity. By default 100, or fewer for few entities.", min=1)
]
Regularisation = Annotated[float, typer.Option("--regularisation", help="How strongly numbers are kept small.", min=0)]
Iterations = Annotated[int, typer.Option("--iterations", help="At most so many.", min=0)]
Load = Annotated[Path | None, typer.Option("--load", help="A folder with a model saved before; nothing is learnt.")]
Threads = Annotated[int, typer.Option("--threads", help="How many relations are worked on at once.", min=1)]


@app.command()
def complete(
    triples: Triples,
    *,
    types: TypesOption = None,
    signatures: SignaturesOption = None,
    rules: RulesOption = None,
    model: ModelOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A table of the facts found.")] = None,
    top: Annotated[int, typer.Option("--top", help="How many missing facts.", min=1)] = 1000,
    save: Annotated[Path | None, typer.Option("--save", help="Keep the model in this folder.")] = None,
    loaded: Load = None,
    rank: Rank = None,
    regularisation: Regularisation = 5.0,
    iterations: Iterations = 10,
    threads: Threads = 1,
    on_error: OnErrorOption = OnError.stop,
    seed: Seed = 0,
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
    plan = (rank, regularisation, iterations, threads, seed)
    job = _read(speaker, triples, types, signatures, rules, plan, on_error)
    learnt = _learnt(speaker, job, model, loaded)
    with speaker.progress.task("looking for what is missing"):
        found = learnt.best_missing(job.facts, top)
    if save is not None:
        learnt.save(save)
    if output is not None:
        write_table(found, output)
    if output is not None and job.rejects is not None:
        write_table(job.rejects, output.with_name(output.name.split(".")[0] + ".rejects.csv"))
    if json:
        speaker.answer({"facts": len(job.facts), "found": found.slice(0, 20).to_pylist(), "output": output})
        return
    shown = f"the {min(10, len(found))} best of {len(found):,} missing facts"
    _show(speaker, shown, found.select(["subject", "relation", "object", "score"]).slice(0, 10))
    for path in (path for path in (output, save) if path is not None):
        speaker.say(f"written: {path}")
    if output is None:
        speaker.note("nothing was written: add -o missing.csv")


@app.command("ask")
def ask_command(
    triples: Triples,
    question: Question,
    *,
    types: TypesOption = None,
    signatures: SignaturesOption = None,
    rules: RulesOption = None,
    model: ModelOption = None,
    top: Annotated[int, typer.Option("--top", help="How many answers.", min=1)] = 10,
    loaded: Load = None,
    rank: Rank = None,
    regularisation: Regularisation = 5.0,
    iterations: Iterations = 10,
    threads: Threads = 1,
    on_error: OnErrorOption = OnError.stop,
    seed: Seed = 0,
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
    plan = (rank, regularisation, iterations, threads, seed)
    job = _read(speaker, triples, types, signatures, rules, plan, on_error)
    _check(query, job)
    answers = ask(_learnt(speaker, job, model, loaded), job.facts, query, top)
    if json:
        speaker.answer({"question": str(query), "answers": answers.to_pylist()})
        return
    rows = ([row["entity"], row["score"], "known" if row["known"] else ""] for row in answers.to_pylist())
    speaker.table(str(query), ("answer", "score", ""), rows)


@app.command()
def explain(
    triples: Triples,
    question: Annotated[str, typer.Argument(metavar="FACT", help="Such as 'capital_of(lyon, france)'.")],
    *,
    types: TypesOption = None,
    signatures: SignaturesOption = None,
    rules: RulesOption = None,
    model: ModelOption = None,
    top: Annotated[int, typer.Option("--top", help="How many known facts.", min=1)] = 10,
    loaded: Load = None,
    rank: Rank = None,
    regularisation: Regularisation = 5.0,
    iterations: Iterations = 10,
    threads: Threads = 1,
    on_error: OnErrorOption = OnError.stop,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which known facts carry a prediction, and how much of its score each gives.

    For example:

      [cyan]onoma facts explain kb.tsv 'lives_in(jane, lyon)' --load model/[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    query = parse_query(question)
    if query.subject is None or query.object is None:
        raise SettingsError(f"{query} leaves a side open; a fact to be explained names both")
    plan = (rank, regularisation, iterations, threads, seed)
    job = _read(speaker, triples, types, signatures, rules, plan, on_error)
    _check(query, job)
    learnt = _learnt(speaker, job, model, loaded)
    support = learnt.explain(job.facts, query.subject, query.relation, query.object)
    value = score(learnt, query)
    if json:
        speaker.answer({"fact": str(query), "score": value, "support": support.slice(0, top).to_pylist()})
        return
    speaker.say(f"{query}: score {value:.4f}")
    _show(speaker, "known facts that carry it", support.slice(0, top))


def _read(
    speaker: Speaker,
    triples: Path,
    types: str | None,
    signatures: Path | None,
    rules: Path | None,
    plan: tuple[int | None, float, int, int, int],
    on_error: OnError,
) -> FactsJob:
    rank, regularisation, iterations, threads, seed = plan
    job = read_facts_job(
        triples,
        types=types,
        signatures=signatures,
        rules=rules,
        plan=lambda facts: Plan(
            rank=rank or default_rank(facts),
            regularisation=regularisation,
            max_iterations=iterations,
            threads=threads,
            seed=seed,
        ),
        on_error=on_error.value,
    )
    for note in job.notes:
        speaker.note(note)
    facts = job.facts
    speaker.note(f"{len(facts):,} facts, {len(facts.entities):,} entities, {len(facts.relations):,} relations")
    return job


def _learnt(speaker: Speaker, job: FactsJob, model: Model | None, folder: Path | None) -> FactModel:
    if folder is not None:
        return load(folder, job.facts)
    learnt = learn(job, None if model is None else model.value, progress=speaker.progress)
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
