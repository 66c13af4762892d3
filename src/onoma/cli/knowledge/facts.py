"""`onoma facts`: what follows from known facts."""

import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from onoma.cli.console import Speaker
from onoma.cli.knowledge.facts_settings import Settings, Triples, learn_for, learn_model, read_job
from onoma.cli.options import Json, OnError, OnErrorOption, Quiet, with_settings
from onoma.cli.sparing import Sparing
from onoma.corpus.formats import write_table
from onoma.corpus.writers.files import rejects_beside, write_text
from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts_model import FactModel
from onoma.knowledge.logic.facts import LogicFacts
from onoma.knowledge.logic.mine import mine_rules
from onoma.pipeline.knowledge.facts import ask, is_known, misfit, score
from onoma.pipeline.knowledge.job import FactsJob, counted
from onoma.pipeline.knowledge.picture import check_picture, draw_support
from onoma.pipeline.knowledge.question import Query, parse_query, readings
from onoma.pipeline.targets import check_file, check_table

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="rich", help="What follows from known facts: complete, ask, explain, rules."
)


@app.command(cls=Sparing)
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
        check_table(output)
    if save is not None and save.is_file():
        raise DataError("is a file; a model is kept in a folder", file=save, hint="For example: --save model/")
    job = read_job(speaker, triples, settings)
    learnt = learn_model(speaker, job, settings)
    if save is not None:
        learnt.model.save(save)
    with speaker.progress.task("looking for what is missing"):
        found = learnt.model.best_missing(learnt.facts, top)
    written = [*_write(found, job, output), *([save] if save is not None else [])]
    if json:
        speaker.answer(
            {"facts": len(job.facts), "found": found.slice(0, 20).to_pylist(), "calibrated": False, "output": output}
        )
        return
    if len(found):
        shown = f"the {counted(min(10, len(found)), 'best', 'best')} of {counted(len(found), 'missing fact')}"
        _show(speaker, shown, found.select(["subject", "relation", "object", "score"]).slice(0, 10))
    if len(found) < top:
        few = f"only {counted(len(found), 'missing fact')} found" if len(found) else "nothing speaks for a missing fact"
        more = "" if isinstance(learnt.model, LogicFacts) else "; a smaller --regularisation may offer more"
        speaker.note(few + more)
    for path in written:
        speaker.say(f"written: {path}")
    if output is not None and len(found):
        speaker.note("probabilities are scores cut to 0…1: they rank, they are not calibrated")
    if output is None and len(found):
        speaker.note("nothing was written: add -o missing.csv")
    if len(found):
        first = Query(*(found[name][0].as_py() for name in ("relation", "subject", "object")))
        again = "" if save is None else f" --load {shlex.quote(str(save))}"
        speaker.note(f"why? onoma facts explain {shlex.quote(str(triples))} {shlex.quote(str(first))}{again}")


def _write(found: pa.Table, job: FactsJob, output: Path | None) -> list[Path]:
    """Write what was found, and the lines that could not be read beside it; return the files."""
    if output is None:
        return []
    write_table(found, output)
    beside = _write_rejects(job, output)
    return [output] if beside is None else [output, beside]


def _write_rejects(job: FactsJob, output: Path) -> Path | None:
    """Write the lines that could not be read beside the output, if there are any."""
    if job.rejects is None:
        return None
    write_table(job.rejects, beside := rejects_beside(output))
    return beside


@app.command("ask", cls=Sparing)
@with_settings(Settings)
def ask_command(
    triples: Triples,
    question: Annotated[
        str,
        typer.Argument(metavar="QUESTION", help="Such as 'capital_of(lyon, ?)', 'capital_of(?, france)' or '?(a, b)'."),
    ],
    *,
    settings: Settings,
    top: Annotated[int, typer.Option("--top", help="How many answers.", min=1)] = 10,
    new: Annotated[bool, typer.Option("--new", help="Leave out answers that are known facts.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask for the subject, the object or the relation of a fact.

    For example:

      [cyan]onoma facts ask kb.tsv 'capital_of(?, france)'[/]
      [cyan]onoma facts ask kb.tsv 'lives_in(jane, ?)' --new --load model/[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    asked = parse_query(question)
    if not any(reading.n_open for reading in readings(question)):
        raise SettingsError(
            f"{asked} leaves nothing open",
            hint="Put a ? in place of what is asked for; onoma facts explain says what speaks for a fact.",
        )
    job = read_job(speaker, triples, settings)
    learnt, query = learn_for(speaker, job, settings, question)
    answers = ask(learnt.model, learnt.facts, query, top, new=new)
    if json:
        speaker.answer({"question": str(query), "answers": answers.to_pylist()})
        return
    if not len(answers):
        why = misfit(learnt.model, query) or ("all that could be is known" if new else "nothing fits by its types")
        speaker.say(f"{query}: no answer; {why}")
        return
    named = (list(row.values()) for row in answers.to_pylist())
    rows = ([name, value, "known" if known else ""] for name, value, known in named)
    speaker.table(str(query), ("answer", "score", ""), rows)


@app.command(cls=Sparing)
@with_settings(Settings)
def explain(
    triples: Triples,
    fact: Annotated[str, typer.Argument(metavar="FACT", help="Such as 'capital_of(lyon, france)'.")],
    *,
    settings: Settings,
    top: Annotated[int, typer.Option("--top", help="How many known facts.", min=1)] = 10,
    picture: Annotated[Path | None, typer.Option("--picture", help="Draw them into this .svg file.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which known facts carry a prediction, and how much of its score each gives.

    For example:

      [cyan]onoma facts explain kb.tsv 'lives_in(jane, lyon)' --load model/[/]
      [cyan]onoma facts explain kb.tsv 'lives_in(jane, lyon)' --rules rules.txt --picture why.svg[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if picture is not None:
        check_picture(picture)
        check_file(picture)
    asked = parse_query(fact)
    if all(reading.n_open for reading in readings(fact)):
        raise SettingsError(
            f"{asked} leaves a side open; a fact to be explained names both",
            hint="onoma facts ask finds what could stand there.",
        )
    job = read_job(speaker, triples, settings)
    learnt, query = learn_for(speaker, job, settings, fact)
    support = learnt.model.explain(learnt.facts, str(query.subject), str(query.relation), str(query.object))
    value, known = score(learnt.model, query), is_known(learnt.model, learnt.facts, query)
    if picture is not None:
        draw_support(query, value, support.slice(0, top), picture)
    if json:
        number = value if math.isfinite(value) else None
        found = {"fact": str(query), "known": known, "score": number, "support": support.slice(0, top).to_pylist()}
        speaker.answer(found)
        return
    _explained(speaker, learnt.model, query, value, support, top, known=known)
    if picture is not None:
        speaker.say(f"written: {picture}")


def _explained(
    speaker: Speaker, model: FactModel, query: Query, value: float, support: pa.Table, top: int, *, known: bool
) -> None:
    status = "a known fact" if known else "not among the facts"
    if value == -math.inf:
        speaker.say(f"{query}: {status}, and cannot be: {misfit(model, query)}")
        return
    speaker.say(f"{query}: score {value:.4f}, {status}")
    if not len(support):
        speaker.say("no known fact carries it" if isinstance(model, LogicFacts) else "nothing is known of either")
        return
    title = f"known facts that carry it, {min(top, len(support)):,} of {len(support):,}"
    _show(speaker, title, support.slice(0, top))
    if {"subject", "object"} & set(support["through"].to_pylist()):
        speaker.note("through: what is known of its subject and of its object are two accounts of the same score")


@app.command("rules", cls=Sparing)
def rules_command(
    triples: Triples,
    *,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file of rules, for --rules.")] = None,
    support: Annotated[int, typer.Option("--support", help="Minimum support: facts that bear a rule out.", min=1)] = 5,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            help="Minimum confidence: how often the head holds where the body does; few cases count for less.",
            min=0,
            max=1,
        ),
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
    if output is not None:
        check_file(output)
    job = read_job(speaker, triples, Settings(on_error=on_error))
    with speaker.progress.task("looking for rules"):
        found = mine_rules(job.facts, min_support=support, min_confidence=confidence, limit=top)
    if output is not None and found:
        write_text(output, "".join(f"{rule}\n" for rule in found))
    beside = None if output is None else _write_rejects(job, output)
    if json:
        rules = [str(rule) for rule in found]
        speaker.answer({"facts": len(job.facts), "rules": rules, "output": output, "rejects": beside})
        return
    if beside is not None:
        speaker.say(f"{beside}: lines that could not be read, with the reason for each")
    if not found:
        speaker.note("no rule is borne out so often; a smaller --support or --confidence may find some")
        return
    shown = ([rule.weight, str(replace(rule, weight=1.0))] for rule in found[:10])
    many = counted(len(found), "rule")
    speaker.table(f"the {min(10, len(found))} most confident of {many}", ("confidence", "rule"), shown)
    if output is not None:
        speaker.say(f"written: {output}")
        speaker.note(f"next: onoma facts complete {triples} --rules {output} -o missing.csv")
    else:
        speaker.note("nothing was written: add -o rules.txt")


def _show(speaker: Speaker, title: str, table: pa.Table) -> None:
    speaker.table(title, table.column_names, (list(row.values()) for row in table.to_pylist()))
