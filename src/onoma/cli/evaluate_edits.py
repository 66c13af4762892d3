"""`onoma evaluate --edits`: how good are corrections?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from onoma.cli.console import Speaker
from onoma.corpus.edits import EditedSentence, apply_edits
from onoma.corpus.readers.m2 import read_m2
from onoma.corpus.readers.source import read_text
from onoma.errors import SettingsError
from onoma.evaluate.max_match import SentenceScore, max_match

__all__ = ["evaluate_edits", "refuse_other_options"]


def refuse_other_options(options: Mapping[str, object]) -> None:
    """Refuse what has no meaning for corrections."""
    given = [name for name, value in options.items() if value]
    if given:
        raise SettingsError(f"{', '.join(given)} is for clusterings and does nothing with --edits; leave it out")


def evaluate_edits(speaker: Speaker, gold: Path, predicted: Path, *, beta: float, errors: int) -> None:
    """Measure corrected sentences by MaxMatch and show the counts, each type's recall and some errors."""
    sentences = read_m2(gold)
    with speaker.progress.task("measuring"):
        total, found = max_match(sentences, _hypotheses(predicted), beta=beta)
    types = _by_type(sentences, found)
    name = f"f{beta:g}"
    answer = {
        "correct": total.correct,
        "proposed": total.proposed,
        "gold": total.gold,
        "precision": total.precision,
        "recall": total.recall,
        name: total.f(beta),
        "types": {kind: {"correct": right, "gold": asked} for kind, (right, asked) in types.items()},
    }
    if speaker.json:
        speaker.answer(answer)
        return
    heading = f"{len(sentences):,} sentences, {total.gold:,} edits asked for, {total.proposed:,} made"
    columns = ("right", "precision", "recall", name.upper())
    speaker.table(heading, columns, [[total.correct, total.precision, total.recall, total.f(beta)]])
    if types:
        speaker.say("")
        rows = [[kind, asked, right, right / asked] for kind, (right, asked) in types.items()]
        speaker.table("by type", ("type", "asked for", "right", "recall"), rows)
    _show_wrong(speaker, sentences, found, errors)


def _hypotheses(path: Path) -> list[list[str]]:
    """Return the corrected sentences: those of an M² file with its first annotator's edits made, or plain lines."""
    text = read_text(path)
    if text.startswith("S "):
        edited = read_m2(path)
        return [apply_edits(sentence.tokens, next(iter(sentence.annotators.values()))) for sentence in edited]
    lines = text.split("\n")
    return [line.split() for line in (lines[:-1] if lines[-1] == "" else lines)]


def _by_type(sentences: Sequence[EditedSentence], found: Sequence[SentenceScore]) -> dict[str, tuple[int, int]]:
    """Return how many edits of each type were right and asked for, by the annotators chosen; most frequent first."""
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for sentence, score in zip(sentences, found, strict=True):
        asked.update(edit.type for edit in sentence.annotators.get(score.annotator, ()))
        right.update(edit.type for edit, is_right in zip(score.edits, score.right, strict=True) if is_right)
    return {kind: (right[kind], count) for kind, count in asked.most_common()}


def _show_wrong(
    speaker: Speaker, sentences: Sequence[EditedSentence], found: Sequence[SentenceScore], most: int
) -> None:
    wrong: Counter[tuple[str, str]] = Counter()
    for sentence, score in zip(sentences, found, strict=True):
        for edit, is_right in zip(score.edits, score.right, strict=True):
            if not is_right:
                wrong[" ".join(sentence.tokens[edit.start : edit.end]) or "∅", edit.correction or "∅"] += 1
    if wrong and most:
        speaker.say("")
        rows = [[before, after, count] for (before, after), count in wrong.most_common(most)]
        speaker.table("changes most often not asked for", ("from", "to", "times"), rows)
