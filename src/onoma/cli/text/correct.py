"""`onoma correct`: slips of grammar and spelling, mended and explained."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from onoma.cli.console import Speaker, printable
from onoma.cli.options import Json, Quiet
from onoma.errors import SettingsError
from onoma.pipeline.text.correction import PRECISION, Corrected

__all__ = ["correct"]


def correct(
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="[FILES…]", help="Text, Markdown or LaTeX; - is standard input.")
    ] = None,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the corrected text goes; of one file only.")
    ] = None,
    precision: Annotated[
        float, typer.Option("--precision", help="How many of the edits should be right, between 0 and 1.")
    ] = PRECISION,
    types: Annotated[
        str | None, typer.Option("--types", metavar="A,B…", help="Which slips are mended; --types list names them.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--from", help="text, markdown or latex; else by the file's name.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say of each edit what spoke for it.")] = False,
    page: Annotated[Path | None, typer.Option("--html", help="Write a page that shows the changes.")] = None,
    m2: Annotated[
        bool, typer.Option("--m2", help="Sentences with edits, as M²; the input has one tokenised sentence a line.")
    ] = False,
    in_place: Annotated[bool, typer.Option("--in-place", help="Write each file again; only with --yes.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Files may be written again.")] = False,
    model: Annotated[Path | None, typer.Option("--model", help="A folder with a trained corrector.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Correct English: articles, prepositions, numbers, agreement, verbs, spelling, commas.

    Changes are shown in the text; with -o the corrected text is written. Code, markup, formulas and addresses stay as
    they are, and so does everything between edits, byte for byte. The precision is the one measured on learners'
    essays; other text may have more or fewer slips.

    Examples:

      [cyan]onoma correct essay.txt[/]
      [cyan]onoma correct essay.txt -o better.txt --precision 0.5[/]
      [cyan]onoma correct README.md --explain --types spelling,agreement[/]
      [cyan]echo "He have two cat." | onoma correct -[/]
    """
    from onoma.correct.lists import NUCLE, TYPES

    speaker = Speaker(json=json, quiet=quiet)
    if types == "list":
        speaker.table("Types", ["type", "in NUCLE"], NUCLE.items())
        if json:
            speaker.answer({"types": NUCLE})
        return
    from onoma.pipeline.text.correction import TextCorrector

    named = inputs or ["-"]
    _check(named, output=output, in_place=in_place, yes=yes, m2=m2)
    chosen = tuple(each.strip() for each in types.split(",")) if types else TYPES
    corrector = TextCorrector(model, precision=precision, types=chosen)
    if m2:
        _as_m2(corrector, named[0], output)
        return
    found = _run(corrector, named, format)
    _write(found, output, page, in_place=in_place)
    _show(speaker, found, explain=explain, shown=output is None and not in_place)


def _check(named: list[str], *, output: Path | None, in_place: bool, yes: bool, m2: bool) -> None:
    if in_place and not yes:
        raise SettingsError("--in-place writes over your files", hint="Say --yes too, or write elsewhere with -o.")
    if in_place and (output is not None or "-" in named):
        raise SettingsError("--in-place goes with files, and without -o")
    if len(named) > 1 and (output is not None or m2):
        raise SettingsError(f"{len(named)} files and one place to write", hint="Correct them one by one.")


def _run(corrector: "object", named: list[str], format: str | None) -> dict[str, Corrected]:
    from onoma.pipeline.text.correction import TextCorrector, format_of, read_plain

    if not isinstance(corrector, TextCorrector):
        raise TypeError(corrector)
    return {
        name: corrector.correct(read_plain(name, sys.stdin.buffer), format=format or format_of(name)) for name in named
    }


def _as_m2(corrector: "object", name: str, output: Path | None) -> None:
    from onoma.corpus.edits import Edit, EditedSentence
    from onoma.corpus.writers.m2 import m2_text, write_m2
    from onoma.correct.lists import NUCLE
    from onoma.pipeline.text.correction import TextCorrector, read_plain

    if not isinstance(corrector, TextCorrector):
        raise TypeError(corrector)
    sentences = [line.split() for line in read_plain(name, sys.stdin.buffer).removesuffix("\n").split("\n")]
    annotated = [
        EditedSentence(
            tuple(words), {0: [Edit(each.start, each.end, (" ".join(each.put),), NUCLE[each.type]) for each in found]}
        )
        for words, found in zip(sentences, corrector.correct_words(sentences), strict=True)
    ]
    if output is not None:
        write_m2(annotated, output)
        return
    for sentence in annotated:
        sys.stdout.write(m2_text(sentence))


def _write(found: dict[str, Corrected], output: Path | None, page: Path | None, *, in_place: bool) -> None:
    from onoma.corpus.writers.files import write_text
    from onoma.pipeline.text.correction import corrections_page

    for name, corrected in found.items():
        target = Path(name) if in_place else output
        if target is not None and (corrected.edits or not in_place):
            write_text(target, corrected.text)
    if page is not None:
        write_text(page, corrections_page(found))


def _show(speaker: Speaker, found: dict[str, Corrected], *, explain: bool, shown: bool) -> None:
    if speaker.json:
        speaker.answer({"files": [_as_json(name, corrected) for name, corrected in found.items()]})
        return
    for name, corrected in found.items():
        if len(found) > 1:
            speaker.say(f"{name}:")
        if shown:
            speaker.out.print(_tracked(corrected), end="")
        if explain:
            for edit in corrected.edits:
                why = ", ".join(f"{reason.what} {reason.weight:+.1f}" for reason in edit.reasons)
                line = corrected.source.count("\n", 0, edit.start) + 1
                change = f"{edit.source!r} → {edit.replacement!r}"
                speaker.say(f"line {line}: {change}  {edit.type}  p={edit.probability:.2f}  ({why})")
        speaker.note(f"{len(corrected.edits):,} edits in {name if name != '-' else 'standard input'}")


def _as_json(name: str, corrected: Corrected) -> dict[str, object]:
    edits = [
        {
            "start": edit.start,
            "end": edit.end,
            "source": edit.source,
            "replacement": edit.replacement,
            "type": edit.type,
            "probability": round(edit.probability, 4),
            "reasons": {reason.what: round(reason.weight, 3) for reason in edit.reasons},
        }
        for edit in corrected.edits
    ]
    return {"file": name, "text": corrected.text, "edits": edits}


def _tracked(corrected: Corrected) -> Text:
    """Return a text with its changes: struck out and put."""
    shown, at = Text(), 0
    for edit in corrected.edits:
        shown.append(printable(corrected.source[at : edit.start]))
        if edit.source:
            shown.append(f"[-{printable(edit.source)}-]", style="red strike")
        if edit.replacement:
            shown.append(f"{{+{printable(edit.replacement)}+}}", style="bold green")
        at = edit.end
    shown.append(printable(corrected.source[at:]))
    return shown if shown.plain.endswith("\n") or not shown.plain else shown + Text("\n")
