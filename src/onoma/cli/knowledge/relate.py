"""`onoma relate`: how words are related."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from onoma.cli.console import Speaker
from onoma.cli.options import Json, Quiet, Seed
from onoma.errors import SettingsError
from onoma.pipeline.knowledge.relate import Words, fit_words, open_words

__all__ = ["Relation", "relate"]

_LEAST = 5e-5
"""What is shown as more than 0."""


class Relation(StrEnum):
    """What may be asked."""

    synonym = "synonym"
    antonym = "antonym"
    is_a = "is-a"
    hypernym = "hypernym"
    hyponym = "hyponym"


def relate(
    relation: Annotated[
        Relation | None, typer.Argument(help="synonym, antonym, is-a, hypernym or hyponym.", show_default=False)
    ] = None,
    words: Annotated[list[str] | None, typer.Argument(help="One word, or with --degree two.")] = None,
    *,
    degree: Annotated[
        bool, typer.Option("--degree", help="How strongly does the first word stand in the relation to the second?")
    ] = False,
    number: Annotated[int, typer.Option("--number", "-n", help="How many words to show.", min=1)] = 10,
    thesaurus: Annotated[
        list[Path] | None,
        typer.Option("--thesaurus", "-t", help="A WordNet folder, or a .tsv, .dat or .txt thesaurus; may be repeated."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", "-m", help="A folder with a fitted model: faster, and it generalises.")
    ] = None,
    fit: Annotated[Path | None, typer.Option("--fit", help="Fit a model of the thesauri into this folder.")] = None,
    rank: Annotated[int, typer.Option(help="Latent dimension (rank) of the model to fit.", min=1)] = 300,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say which words are synonyms, antonyms or kinds of a word, and how strongly.

    Without --thesaurus, WordNet is looked for where packages put it (Debian, Ubuntu: apt install wordnet-base).

    For example:

      [cyan]onoma relate antonym alleviate[/]
      [cyan]onoma relate --degree is-a parrot bird[/]
      [cyan]onoma relate --fit words.model -t wordnet/ -t synonyms.tsv[/]
      [cyan]onoma relate hyponym vegetable -m words.model[/]
    """
    speaker = Speaker(json=json, quiet=quiet)
    asked = words or []
    _check(relation, len(asked), fit, model, degree=degree)
    if fit is None:
        asked_for = "" if relation is None else relation.value
        opened = open_words(thesaurus or [], asked_for, degree=degree, model=model, progress=speaker.progress)
    else:
        opened = fit_words(thesaurus or [], fit, rank=rank, seed=seed, progress=speaker.progress)
    for note in opened.notes:
        speaker.note(note)
    if relation is None:
        if json:
            speaker.answer({"model": str(fit), "rank": rank})
    elif degree:
        _degree(speaker, opened, relation, asked)
    else:
        _top(speaker, opened, relation, asked[0], number)


def _check(relation: Relation | None, n_words: int, fit: Path | None, model: Path | None, *, degree: bool) -> None:
    """Refuse what cannot be meant, before anything is read."""
    if relation is None and fit is None:
        raise SettingsError("no relation is given", hint="onoma relate antonym hot; --help has more.")
    if relation is not None and n_words != (2 if degree else 1):
        example = f"--degree {relation.value} hot cold" if degree else f"{relation.value} hot"
        wants = "--degree wants two" if degree else "one is wanted; two with --degree"
        came = f"{n_words} word{'' if n_words == 1 else 's'} came"
        raise SettingsError(f"{came}; {wants}", hint=f"onoma relate {example}")
    if fit is not None and model is not None:
        raise SettingsError("--fit makes a model and --model reads one; give one of them")


def _degree(speaker: Speaker, opened: Words, relation: Relation, words: list[str]) -> None:
    with speaker.progress.task("looking at the words"):
        value = opened.relations.degree(relation.value, words[0], words[1])
    if speaker.json:
        speaker.answer({"relation": relation.value, "words": words, "degree": value})
    speaker.say(f"{value:.4f}")
    turned = "; below 0: the other way round" if relation is Relation.is_a else ""
    speaker.note(f"{words[0]} {relation.value} {words[1]}: 1 is the most there is, 0 is nothing{turned}")


def _top(speaker: Speaker, opened: Words, relation: Relation, word: str, number: int) -> None:
    with speaker.progress.task("looking at the words"):
        found = [item for item in opened.relations.top(relation.value, word, number) if item.degree >= _LEAST]
    if speaker.json:
        speaker.answer({"relation": relation.value, "word": word, "related": [item._asdict() for item in found]})
        return
    if found:
        speaker.table("", ("word", "degree"), ([item.word, item.degree] for item in found))
    if len(found) < number:
        speaker.note(f"{len(found) or 'no'} {'word is' if len(found) == 1 else 'words are'} so related to {word!r}")
