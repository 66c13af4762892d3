"""Read M²: tokenised sentences with the edits of one or more annotators.

    S The cat sat at mat .
    A 3 4|||Prep|||on|||REQUIRED|||-NONE-|||0
    A 4 4|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0

A blank line ends a sentence. `-NONE-` or an empty correction deletes; the type `noop` says that an annotator changes
nothing. Corrections joined by `||` are alternatives.
"""

from pathlib import Path

from onoma.corpus.edits import Edit, EditedSentence
from onoma.corpus.readers.source import read_text
from onoma.errors import DataError

__all__ = ["read_m2"]

_FIELDS = 6
_NOTHING = "-NONE-"


def read_m2(path: str | Path) -> list[EditedSentence]:
    """Return the sentences of an M² file (plain, gzip, zstd or xz), in its order."""
    sentences: list[EditedSentence] = []
    tokens: tuple[str, ...] | None = None
    annotators: dict[int, list[Edit]] = {}
    # Only \n (or \r\n) ends a line: learners' text holds other characters that str.splitlines would break at.
    for row, line in enumerate(read_text(path).split("\n"), start=1):
        line = line.removesuffix("\r").removeprefix("\ufeff" if row == 1 else "")
        if line.startswith("S ") or line == "S":
            if tokens is not None:
                sentences.append(_sentence(tokens, annotators))
            tokens, annotators = tuple(line[2:].split()), {}
        elif line.startswith("A "):
            if tokens is None:
                raise DataError("an edit (A …) stands before any sentence (S …)", file=path, row=row)
            _add_edit(line[2:], tokens, annotators, (path, row))
        elif line.strip():
            raise DataError(
                f"a line of M² begins with 'S ' or 'A ' or is blank; this one is {line[:60]!r}",
                file=path,
                row=row,
                hint="Plain sentences, one a line, are what a system writes: give them as the second file.",
            )
    if tokens is not None:
        sentences.append(_sentence(tokens, annotators))
    return sentences


def _sentence(tokens: tuple[str, ...], annotators: dict[int, list[Edit]]) -> EditedSentence:
    return EditedSentence(tokens, annotators or {0: []})


def _add_edit(
    body: str, tokens: tuple[str, ...], annotators: dict[int, list[Edit]], place: tuple[str | Path, int]
) -> None:
    path, row = place
    parts = body.split("|||")
    try:
        start, end = (int(number) for number in parts[0].split())
        annotator = int(parts[_FIELDS - 1])
    except (ValueError, IndexError) as error:
        hint = "The form is: A START END|||TYPE|||CORRECTION|||REQUIRED|||-NONE-|||ANNOTATOR"
        raise DataError(f"an edit that cannot be read: {body[:80]!r}", file=path, row=row, hint=hint) from error
    edits = annotators.setdefault(annotator, [])
    if parts[1] == "noop":
        return
    if not 0 <= start <= end <= len(tokens):
        raise DataError(f"tokens {start} to {end} of a sentence of {len(tokens)} tokens", file=path, row=row)
    corrections = tuple("" if text.strip() == _NOTHING else text.strip() for text in parts[2].split("||"))
    edits.append(Edit(start, end, corrections, parts[1]))
