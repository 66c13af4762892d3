"""Write M²: tokenised sentences with the edits of one or more annotators."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from onoma.corpus.edits import EditedSentence
from onoma.corpus.writers.files import open_output

__all__ = ["m2_text", "write_m2"]


def m2_text(sentence: EditedSentence) -> str:
    """Return one sentence as M², with the blank line that ends it.

    Examples
    --------
    >>> from onoma.corpus.edits import Edit
    >>> print(m2_text(EditedSentence(("The", "dogs", "barks"), {0: [Edit(2, 3, ("bark",), "SVA")]})), end="")
    S The dogs barks
    A 2 3|||SVA|||bark|||REQUIRED|||-NONE-|||0
    <BLANKLINE>
    """
    return "\n".join(_lines(sentence)) + "\n\n"


def write_m2(sentences: Iterable[EditedSentence], path: str | Path) -> None:
    """Write the sentences, packed if the name ends in .gz or .zst."""
    with open_output(path) as output:
        for sentence in sentences:
            output.write(m2_text(sentence).encode("utf-8"))


def _lines(sentence: EditedSentence) -> Iterator[str]:
    yield " ".join(("S", *sentence.tokens))
    for annotator, edits in sentence.annotators.items():
        if not edits and len(sentence.annotators) > 1:
            yield f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"
        for edit in edits:
            correction = "||".join(text or "-NONE-" for text in edit.corrections)
            yield f"A {edit.start} {edit.end}|||{edit.type}|||{correction}|||REQUIRED|||-NONE-|||{annotator}"
