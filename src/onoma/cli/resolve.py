"""`onoma resolve`: from a table to entities."""

import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from onoma.cli.config_options import with_config_options
from onoma.cli.console import Speaker, Strong
from onoma.cli.interrupt import INTERRUPTED, Interrupt
from onoma.cli.light import ALONE
from onoma.cli.options import Json, OnError, OnErrorOption, Quiet
from onoma.cli.plan import show_aligned, times
from onoma.errors import SettingsError
from onoma.jobs import noted
from onoma.pipeline.beside import compiled_beside
from onoma.pipeline.carriers import N_PARTITIONS, carrying
from onoma.pipeline.output import check_target, claim, holds_all_tables, resume_path, write_outcome
from onoma.pipeline.plan import Plan, plan_job
from onoma.pipeline.resolution import Outcome, read_job, read_resume, run_job, summary
from onoma.resolve.config import OPTIONS, ResolveConfig, read_config
from onoma.resolve.registry import AUTO, check, find_model

__all__ = ["resolve"]


@with_config_options
def resolve(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE...", help="One table, or several to be taken together.")
    ] = None,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A table (id, entity, probability, the row as it came), or a folder or .duckdb file for all tables.",
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="KB", help="Add the records to this knowledge base; resolve what they touch."),
    ] = None,
    retract: Annotated[
        Path | None,
        typer.Option("--retract", metavar="FILE", help="With --into: records to take away, a table with their ids."),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help="Execution backend, in partitions: local[K] (threads), processes[K], spark://host:port, yarn, spark.",
        ),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", help="A TOML file of settings; what is said here wins over it.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where Ctrl-C stopped the same command.", show_default=False)
    ] = False,
    on_error: OnErrorOption = OnError.stop,
    json: Json = False,
    quiet: Quiet = False,
    said: dict[str, Any],
) -> None:
    """Find out which rows are the same thing: no labels, no rules, no thresholds.

    Says what each column was taken for and why, how many entities there are and how sure that is. Every membership and
    every pair has a probability.

    For example:

      [cyan]onoma resolve people.csv -o resolved.csv[/]
      [cyan]onoma resolve people.csv --truth cluster_id[/]            how good is it?
      [cyan]onoma resolve shop.csv catalogue.csv --link -o out/[/]    two files, matched
      [cyan]onoma resolve papers.csv --block author_name --field title=text[/]
      [cyan]onoma resolve refs.bib -o authors.csv[/]                    who wrote what
      [cyan]onoma resolve refs.csv --parse reference=citation[/]        raw references, parsed first
      [cyan]onoma resolve people.csv -o people.duckdb[/]                a knowledge base to live with
      [cyan]onoma resolve new.csv --into people.duckdb[/]               next week's file

    Ctrl-C while sampling writes the answer so far; the same command with [cyan]--resume[/] goes on from there.
    """
    speaker = Speaker(json=json, quiet=quiet)
    if into is not None or retract is not None:
        others = {"output": output, "settings": settings, "resume": resume or None, "engine": engine}
        _update(speaker, into, files or [], retract, said | others, on_error)
        return
    if not files:
        raise SettingsError(
            "FILE is missing: there is nothing to resolve", hint="onoma resolve people.csv -o people.duckdb"
        )
    with claim(output):
        notes = [] if output is None else check_target(output)
        config = _config(settings, said, engine)
        if config.model != AUTO:
            check(find_model(config.model), config, resume=resume, engine=engine is not None)
        job = read_job(files, config, on_error=on_error.value)
        for note in [*notes, *job.notes]:
            speaker.note(note)
        folder = None if output is None else output.absolute().with_name(f"{output.name}.rounds")
        shared = carrying(engine, config.partitions, seed=config.seed, progress=speaker.progress, folder=folder)
        command = shlex.join(["onoma", *sys.argv[1:]])
        with (
            Interrupt(speaker.note, partial(_kept, output)) as interrupt,
            shared as carry,
            noted(output, command, speaker.progress, interrupt) as (progress, stop),
        ):
            going_on = read_resume(job, _resume_file(output)) if resume else None
            ready, model = None, "copying" if config.model == AUTO else config.model
            if not (speaker.quiet or speaker.json):
                plan = plan_job(job, resume=resume, engine=engine is not None)
                _say_plan(speaker, plan)
                ready, model = plan.ready, plan.model
            with compiled_beside(model, ALONE):
                outcome = run_job(
                    job,
                    progress=progress,
                    stop=stop,
                    resume=going_on,
                    carry=carry,
                    recall=not quiet or json or (output is not None and holds_all_tables(output)),
                    ready=ready,
                )
            written = [] if output is None else write_outcome(outcome, output, command=command)
    _tell(speaker, outcome, written)
    if interrupt.asked:
        raise typer.Exit(INTERRUPTED)


def _update(
    speaker: Speaker,
    into: Path | None,
    files: list[Path],
    retract: Path | None,
    said: dict[str, Any],
    on_error: OnError,
) -> None:
    """Add records to a knowledge base, which has settings of its own."""
    from onoma.kb.update import read_retractions, update_knowledge_base  # much to load, for this alone

    if into is None:
        raise SettingsError("--retract takes records from a knowledge base", hint="Add --into KB.")
    extra = [name for name, value in said.items() if value is not None and name not in ("id", "documents")]
    if extra:
        option = OPTIONS[extra[0]].option if extra[0] in OPTIONS else f"--{extra[0]}"
        raise SettingsError(f"with --into, the settings are those of the knowledge base; leave out {option}")
    if not files and retract is None:
        raise SettingsError("there is nothing to add or retract", hint="Name a file, or --retract FILE.")
    key = said.get("id")
    update = update_knowledge_base(
        into,
        files,
        retract=None if retract is None else read_retractions(retract, None if key is None else str(key)),
        id=None if key is None else str(key),
        documents=Path(said["documents"]) if said.get("documents") else None,
        on_error=on_error.value,
        command=shlex.join(["onoma", *sys.argv[1:]]),
        progress=speaker.progress,
    )
    if speaker.json:
        speaker.answer(update.as_dict())
        return
    for note in update.notes:
        speaker.note(note)
    counts = {"added": update.n_added, "changed": update.n_changed, "retracted": update.n_retracted}
    told = [f"{n:,} {word}" for word, n in counts.items() if n] + [f"{update.n_same:,} there already"]
    speaker.say(f"{', '.join(told)}; {_count(update.n_touched, 'record')} resolved again")
    if update.changes:
        speaker.say("entities: " + ", ".join(f"{n:,} {kind}" for kind, n in sorted(update.changes.items())))
    total = Strong(_count(update.n_entities, "entity", "entities"))
    speaker.say(f"{_count(update.n_records, 'record')}, ", total, f" ({update.seconds:.1f} s)")


def _config(path: Path | None, said: dict[str, Any], engine: str | None) -> ResolveConfig:
    """Return the settings of the file with those of the command line over them; kinds are joined by column."""
    base = None if path is None else read_config(path)
    config = ResolveConfig.of(said, "the command line", base)
    return config if engine is None or config.partitions is not None else replace(config, partitions=N_PARTITIONS)


def _resume_file(output: Path | None) -> Path:
    if output is None:
        raise SettingsError("--resume needs the output of the run that was stopped", hint="Add -o, as then.")
    return resume_path(output)


def _say_plan(speaker: Speaker, plan: Plan) -> None:
    """Say what is about to be done."""
    for each in plan.aligned:
        speaker.note(f"plan: {each.column!r} of {each.source} is taken for {each.to!r}, because {each.reason}")
    for kind_of_row in plan.types:
        speaker.note(f"plan: type of rows: {kind_of_row}")
    speaker.note("plan: " + ", ".join(f"{name} ({kind})" for name, (kind, _) in plan.fields.items()))
    low, high = times(plan)
    speaker.note(f"plan: model {plan.model}, because {plan.model_reason}; {low} to {high}")
    for note in plan.notes:
        speaker.note(f"plan: {note}")


def _tell(speaker: Speaker, outcome: Outcome, written: list[Path]) -> None:
    if speaker.json:
        speaker.answer(summary(outcome) | {"output": [str(path) for path in written]})
        return
    _show(speaker, outcome)
    for path in written:
        speaker.say(f"written: {path}")
    if not written:
        speaker.note("nothing was written: add -o resolved.csv, or -o FOLDER for all tables")
    if outcome.resolution.is_stopped:
        speaker.say(Strong("stopped early"), f": this is {outcome.resolution.so_far}; {_go_on(outcome, written)}")


def _go_on(outcome: Outcome, written: list[Path]) -> str:
    if outcome.resolution.checkpoint is None:
        return "this cannot be resumed: the same command begins anew"
    return "the same command with --resume goes on" if written else "with -o it could be resumed"


def _kept(output: Path | None) -> str:
    """Say what a run that was stopped at once leaves."""
    if output is not None and resume_path(output).exists():
        return f"nothing new was written; with --resume, it goes on from {resume_path(output)}"
    return "nothing was written; the same command begins anew"


def _show(speaker: Speaker, outcome: Outcome) -> None:
    resolution = outcome.resolution
    for note in resolution.notes:
        speaker.note(note)
    fields = resolution.fields
    rows = [[each.name, each.kind, each.reason] for each in fields.fields]
    rows += [[each.name, "ignored", each.reason] for each in fields.ignored]
    speaker.table("what the columns were taken for", ("column", "kind", "why"), rows)
    show_aligned(speaker, outcome.job.aligned)
    if fields.missing_report:
        speaker.say("")
        speaker.table(
            "taken for missing",
            ("column", "value", "rows", "why"),
            ([each.column, each.value, each.n_records, each.why] for each in fields.missing_report[:10]),
        )
    _show_answer(speaker, outcome)
    _show_review(speaker, outcome)
    _show_truth(speaker, outcome)


def _show_answer(speaker: Speaker, outcome: Outcome) -> None:
    resolution = outcome.resolution
    entities, low, high = resolution.entity_count()
    speaker.say("")
    counted = (f"{_count(len(resolution.table), 'row')}, ", Strong(_count(entities, "entity", "entities")))
    speaker.say(*counted, f" (95 %: {low:,} – {high:,})" if low < high else "")
    doubtful = int((resolution.probability < 0.9).sum())
    speaker.say(
        f"{_count(doubtful, 'row is', 'rows are')} less than 90 % sure of {'its' if doubtful == 1 else 'their'} place"
    )
    for said in () if outcome.quality is None else outcome.quality.sentences():
        speaker.say(said)
    recall = outcome.recall
    if recall is not None:
        reach = f"estimated blocking recall: about {recall.found:.1%} of the matches were compared"
        speaker.say(f"{reach} (95 %: {recall.low:.1%} – {recall.high:.1%}; {recall.n_records:,} rows checked)")
    if resolution.weighed is not None and resolution.weighed.candidates.n_hot:
        speaker.note(
            f"{_count(resolution.weighed.candidates.n_hot, 'feature')} of too many rows not used to find pairs"
        )
    spent = ", ".join(f"{name} {value:.1f}" for name, value in outcome.seconds.items() if name != "total")
    stages = f" ({spent})" if spent else ""
    memory = "" if outcome.peak_mb is None else f", {outcome.peak_mb:,.0f} MB"
    speaker.note(f"{outcome.seconds['total']:.1f} s{stages}{memory}")


def _show_review(speaker: Speaker, outcome: Outcome) -> None:
    review = outcome.resolution.review
    if review is None:
        return
    n_left, quality = int(review.left_out.sum()), outcome.quality
    is_checked = quality is not None and quality.precision is not None
    whose = f"by {quality.by}" if quality is not None and is_checked else "by the model alone, unchecked,"
    speaker.say(
        f"{_count(review.n_given_up, 'link is', 'links are')} given up and {_count(n_left, 'row')} left out; of the "
        f"links kept {whose} about {review.precision:.1%} are right"
    )
    rows = review.table(outcome.resolution).to_pylist()
    if rows:
        speaker.say("")
        speaker.table(
            "the answers that help most",
            ("a", "b", "probability", "worth"),
            ([each["a"], each["b"], each["probability"], each["worth"]] for each in rows),
        )


def _show_truth(speaker: Speaker, outcome: Outcome) -> None:
    if outcome.evaluation is None:
        return
    scores = {name: value for name, value in outcome.evaluation.as_dict().items() if isinstance(value, dict)}
    speaker.say("")
    speaker.table(
        "against the truth",
        ("metric", "precision", "recall", "F1"),
        ([name, value["precision"], value["recall"], value["f1"]] for name, value in scores.items()),
    )
    if outcome.calibration is not None:
        speaker.say(f"calibration error of the stated pairs: {outcome.calibration:.4f}")
    _show_estimates(speaker, outcome, scores.get("pairwise"))


def _show_estimates(speaker: Speaker, outcome: Outcome, real: dict[str, float] | None) -> None:
    """Show what the checks expected beside what is."""
    quality = outcome.quality
    if quality is None or real is None:
        return
    shares = {"precision": quality.precision, "recall": quality.recall}
    rows = [
        [name, f"{share.estimate:.3f} ({share.low:.3f} – {share.high:.3f})", real[name]]
        for name, share in shares.items()
        if share is not None
    ]
    sure = {name: outcome.stated.get(f"true_of_sure_{name}") for name in ("unchecked", "checked")}
    rows += [[f"true of pairs stated ≥ 95 %, {k}", "0.95 or more", v] for k, v in sure.items() if v is not None]
    if rows:
        speaker.say("")
        speaker.table("what was expected without labels, and what is", ("pairs", "expected", "real"), rows)


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"
