"""`onoma resolve --model cross-document --engine …`: mentions in context, in rounds, where the engine is."""

import time
from functools import partial
from pathlib import Path

from onoma.cli.console import Speaker, Strong
from onoma.cli.interrupt import Interrupt
from onoma.errors import SettingsError
from onoma.pipeline.distributed_mentions import kept_rounds, resolve_mention_files
from onoma.pipeline.output import check_target

__all__ = ["refuse_others", "resolve_on_engine"]

_TAKEN = ("model", "id", "truth", "seed", "partitions")


def refuse_others(chosen: dict[str, object]) -> None:
    """Refuse settings that mean nothing to mentions in rounds."""
    others = [name for name, value in chosen.items() if value is not None and name not in _TAKEN]
    if others:
        raise SettingsError(
            f"the model cross-document in partitions takes no --{others[0].replace('_', '-')}",
            hint="Leave it out; or leave out --engine, --partitions and --rounds.",
        )


def resolve_on_engine(
    speaker: Speaker,
    files: list[Path],
    output: Path | None,
    engine: str | None,
    *,
    resume: bool,
    id: str | None,
    truth: str | None,
    partitions: int | None,
    rounds: int | None,
    seed: int | None,
) -> bool:
    """Resolve, write, tell; return whether it was stopped before its end."""
    if output is None or not output.suffix or output.suffix == ".duckdb":
        raise SettingsError("mentions on an engine need a table to be written to", hint="Add -o resolved.parquet.")
    for note in check_target(output):
        speaker.note(note)
    begun = time.perf_counter()
    with Interrupt(speaker.note, partial(_kept, output)) as interrupt:
        found = resolve_mention_files(
            engine or "local",
            files,
            output,
            id=id,
            truth=truth,
            n_partitions=partitions,
            n_rounds=rounds,
            seed=seed or 0,
            resume=resume,
            progress=speaker.progress,
            stop=interrupt,
        )
    scores = {} if found.evaluation is None else found.evaluation.as_dict()
    seconds = time.perf_counter() - begun
    if speaker.json:
        said: dict[str, object] = {"rows": len(found.memberships), "entities": found.clustering.n_entities}
        said |= {"rounds": found.manifest.n_done, "interrupted": found.is_stopped, "seconds": round(seconds, 3)}
        said |= {"output": [str(output)], "notes": list(found.notes)}
        speaker.answer(said | ({"metrics": scores} if scores else {}))
        return found.is_stopped
    for note in found.notes:
        speaker.note(note)
    speaker.say(f"{len(found.memberships):,} mentions, ", Strong(f"{found.clustering.n_entities:,} entities"))
    values = [(name, value) for name, value in scores.items() if isinstance(value, dict)]
    if values:
        rows = ([name, value["precision"], value["recall"], value["f1"]] for name, value in values)
        speaker.table("against the truth", ("metric", "precision", "recall", "F1"), rows)
    speaker.say(f"written: {output} ({found.manifest.n_done} rounds, {seconds:.1f} s)")
    if found.is_stopped:
        speaker.say(Strong("stopped early"), "; the same command with --resume goes on")
    return found.is_stopped


def _kept(output: Path) -> str:
    """Say what a run that was stopped at once leaves."""
    folder, n_rounds = kept_rounds(output)
    if n_rounds == 0:
        return "no round was done, so nothing is kept; the same command, without --resume, begins anew"
    rounds = f"{n_rounds} round{'s are' if n_rounds > 1 else ' is'}"
    return f"{rounds} kept in {folder}; the same command with --resume goes on"
