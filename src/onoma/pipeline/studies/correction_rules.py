"""How many edits of the corrector's rules are right, in the text of learners and of practised writers."""

import lzma
from collections import Counter
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Levenshtein

from onoma.corpus.edits import Edit, apply_edits
from onoma.correct.corrector import Corrector
from onoma.correct.rules import SHARES
from onoma.correct.slips.find import find_ruled
from onoma.correct.words import fold_all
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._sets.essays import read_gold
from onoma.pipeline.text.correction_training import tag_words

__all__ = ["STUDIES"]

Version = tuple[Sequence[str], Sequence[Sequence[str]]]
"""A sentence, and how its annotators would write it."""
_LEARNERS, _PRACTISED = "learners", "practised writers"


def _rules(context: Context) -> Findings:
    """Count the edits that rules ask for, and those that an annotator's version of the sentence has too."""
    most = 150 if context.quick else None
    parts = {
        _LEARNERS: [*_essays(context)][:most] + [*_rewritten(context)][:most],
        _PRACTISED: [*_pages(context, "G")][:most] + [*_pages(context, "S")][:most],
    }
    counts = {name: _counted(sentences) for name, sentences in parts.items()}
    rows: list[Row] = []
    for rule in [*SHARES, "all rules"]:
        for name, (made, right) in counts.items():
            n = made.total() if rule == "all rules" else made[rule]
            good = right.total() if rule == "all rules" else right[rule]
            rows += [
                Row(f"{rule}, {name}", "edits", None, float(n)),
                Row(f"{rule}, {name}", "asked for", None, float(good)),
            ]
    sizes = ", ".join(f"{name} {sum(len(words) for words, _ in some):,}" for name, some in parts.items())
    return Findings(rows, [*_NOTES, f"Words: {sizes}."])


def _essays(context: Context) -> Iterator[Version]:
    sets = [read_gold(context, f"conll-2013/{name}/official-preprocessed") for name in ("original", "revised")]
    for sentences in zip(*sets, strict=True):
        words = sentences[0].tokens
        yield words, [apply_edits(words, edits) for each in sentences for edits in each.annotators.values()]


def _rewritten(context: Context) -> Iterator[Version]:
    def lines(name: str) -> list[list[str]]:
        with lzma.open(context.file(f"correction/jfleg/dev/dev.{name}.xz"), "rt", encoding="utf-8") as file:
            return [line.split() for line in file]

    return zip(lines("src"), zip(*(lines(f"ref{k}") for k in range(4)), strict=True), strict=True)


def _pages(context: Context, name: str) -> Iterator[Version]:
    for sentence in read_gold(context, f"cweb/CWEB-{name}.dev"):
        yield sentence.tokens, [apply_edits(sentence.tokens, edits) for edits in sentence.annotators.values()]


def _counted(sentences: Sequence[Version]) -> tuple[Counter[str], Counter[str]]:
    """Return how many edits each rule makes, and how many are asked for."""
    proposals = Corrector.load().weigher.proposals
    made: Counter[str] = Counter()
    right: Counter[str] = Counter()
    tags = tag_words([words for words, _ in sentences])
    for (words, versions), tag in zip(sentences, tags, strict=True):
        for start, end, put, rule in find_ruled(words, fold_all(words), tag, proposals.forms, proposals.speller):
            made[rule] += 1
            right[rule] += _is_asked_for(words, versions, Edit(start, end, (" ".join(put),)))
    return made, right


def _is_asked_for(words: Sequence[str], versions: Sequence[Sequence[str]], edit: Edit) -> bool:
    """Return whether an edit brings a sentence nearer to one of its versions."""
    edited = apply_edits(words, [edit])
    if edit.start == 0 and edited:
        edited[0] = edited[0][:1].upper() + edited[0][1:]
    return any(_distance(edited, other) < _distance(words, other) for other in versions)


def _distance(words: Sequence[str], other: Sequence[str]) -> int:
    return Levenshtein.distance([*_parted(words)], [*_parted(other)])


def _parted(words: Sequence[str]) -> Iterator[str]:
    """Yield words as one annotator or another may have cut them: *don't* and *do n't* are the same."""
    for word in words:
        if word.lower().endswith("n't") and len(word) > 3:
            yield from (word[:-3], word[-3:])
        else:
            yield word


_NOTES = (
    "Learners: CoNLL-2013 and the development part of JFLEG. Practised writers: the development parts of CWEB.",
    "An edit is asked for where it brings the sentence nearer to what an annotator made of it, in words put, taken or "
    "changed; what annotators overlooked counts as wrong.",
    "Development data: the rules were written by looking at these parts too, so the shares are in-sample.",
)

STUDIES = (Study("gec/rules", "Rules of the corrector: how many of their edits are asked for", "no paper", _rules),)
