"""`onoma train`: text models from labelled text."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet, Seed
from onoma.errors import SettingsError

__all__ = ["train"]


class Task(StrEnum):
    """What can be trained."""

    tagger = "tagger"
    parser = "parser"
    names = "names"
    coref = "coref"
    links = "links"
    correct = "correct"
    ngrams = "ngrams"
    all = "all"


def train(
    task: Annotated[Task, typer.Argument(help="What to train.")],
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="DATA…", help="Files with labels, or the data folder for the models as they ship."),
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of models to make.")],
    scheme: Annotated[
        str, typer.Option("--scheme", help="coref from the data folder: which model, ontogum or litbank.")
    ] = "ontogum",
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train text models, and print how good they are on what was held out.

    Taggers and parsers learn from CoNLL-U, always together: both read words by one network. Names learn from annotated
    JSON Lines, brat, DocBin, and columns of words and BIO labels (.bio). One document in ten (of a single file: one
    sentence in ten) is held out and scored. The folder made is whole: what was not trained is the model that comes with
    Onoma. Chains (coref) are learnt from CoNLL-2012. N-grams are counted in any text (names such as a.lines.xz: one
    sentence a line); the corrector and what links names to entries are made from the data folder. The same data and
    seed give the same bytes.

    Examples:

      [cyan]onoma train names letters.jsonl -o my-model[/]
      [cyan]onoma train tagger en_ewt-ud-train.conllu -o my-model[/]
      [cyan]onoma train all $ONOMA_DATA -o models[/]
      [cyan]onoma train coref mine.conll -o my-coref[/]
      [cyan]onoma train ngrams books/*.txt -o my-ngrams[/]
      [cyan]onoma train correct $ONOMA_DATA -o my-corrector[/]
      [cyan]onoma train links $ONOMA_DATA -o my-links[/]
      [cyan]onoma annotate new.txt --with my-model -o new.jsonl[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    if task is Task.coref:
        _train_coref(speaker, inputs, output, scheme, seed)
        return
    if task is Task.links:
        _train_links(speaker, inputs, output)
        return
    if task in (Task.correct, Task.ngrams):
        _train_correction(speaker, task, inputs, output, seed)
        return
    from onoma.pipeline.text.training import train as run

    report = run(task.value, inputs, output, seed=seed, progress=speaker.progress)
    if report.n_held_out:
        title = f"{report.n_held_out:,} held out of {report.n_learnt + report.n_held_out:,} sentences"
        speaker.table(title, ["measure", "%"], report.scores.items())
    speaker.say(f"{output}: models for onoma annotate --with {output}")
    if json:
        speaker.answer(
            {
                "output": str(output),
                "task": report.task,
                "learnt": report.n_learnt,
                "held_out": report.n_held_out,
                "scores": report.scores,
            }
        )


def _train_coref(speaker: Speaker, inputs: list[str], output: Path, scheme: str, seed: int) -> None:
    from onoma.pipeline.coref_training import train_from

    report = train_from(inputs, output, scheme=scheme, seed=seed, progress=speaker.progress)
    scores = {
        "muc": report.scores.muc,
        "b3": report.scores.b3,
        "ceafe": report.scores.ceafe,
        "mean": report.scores.mean,
    }
    title = f"{report.n_dev:,} development documents, {report.n_train:,} learnt from (decoder chosen on the former)"
    speaker.table(title, ["F1", "%"], scores.items())
    speaker.say(f"{output}: a model for onoma coref --model {output}")
    if speaker.json:
        speaker.answer({"output": str(output), "learnt": report.n_train, "development": report.n_dev, "scores": scores})


def _train_links(speaker: Speaker, inputs: list[str], output: Path) -> None:
    from onoma.pipeline.link_training import train_shipped

    if len(inputs) != 1:
        raise SettingsError(f"{len(inputs)} folders of data; what links names is made from one")
    made = train_shipped(Path(inputs[0]), output, progress=speaker.progress)
    rows = [(name, share, made.calibration_error[name]) for name, share in made.accuracy.items()]
    title = f"{made.mentions:,} mentions learnt from; newspapers not seen, linked by a list alone"
    speaker.table(title, ["set", "accuracy", "calibration error"], rows)
    speaker.say(f"{output}: a model for onoma link-text --model {output}")
    if speaker.json:
        speaker.answer({"output": str(output), **asdict(made)})


def _train_correction(speaker: Speaker, task: Task, inputs: list[str], output: Path, seed: int) -> None:
    from onoma.pipeline.text.correction_training import train_corrector, train_ngrams

    if task is Task.ngrams:
        found = train_ngrams(inputs, output, progress=speaker.progress)
        told: dict[str, object] = {"words": len(found.words), "ngrams": len(found), "order": found.order}
        speaker.say(f"{output}: {len(found):,} n-grams of {len(found.words):,} words, up to {found.order} words long")
    else:
        if len(inputs) != 1:
            raise SettingsError(f"{len(inputs)} folders of data; the corrector is made from one")
        made = train_corrector(Path(inputs[0]), output, seed=seed, progress=speaker.progress)
        told = {"thresholds": made.thresholds}
        speaker.say(f"{output}: a corrector for onoma correct --model {output}")
    if speaker.json:
        speaker.answer({"output": str(output), "task": task.value, **told})
