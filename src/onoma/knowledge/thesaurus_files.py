"""Thesauri in files: lists of synonyms and antonyms, Moby's lines, LibreOffice's MyThes.

    .tsv                headword TAB relation TAB word; `syn` and `ant` stand for synonym and antonym
    .dat (MyThes)       `word|n`, then n lines `(part)|word|word (antonym)|word (generic term)|…`
    .txt, .csv (Moby)   `headword,word,word,…`: synonyms

A folder is taken for WordNet. Files may be packed with gzip, zstd or xz.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from onoma.corpus.readers.files import check_readable
from onoma.corpus.readers.source import read_text
from onoma.errors import DataError
from onoma.knowledge.thesaurus import Entry, Thesaurus, from_entries
from onoma.knowledge.thesaurus_wordnet import find_wordnet, read_wordnet

__all__ = ["read_thesaurus"]

Lines = Iterator[tuple[int, str]]
"""The lines of a file that are not empty, with their numbers."""

_SHORT = {"syn": "synonym", "ant": "antonym", "hyper": "hypernym", "hypo": "hyponym"}
_MARKS = {"antonym": "antonym", "generic term": "hypernym", "similar term": "synonym", "related term": "synonym"}


def read_thesaurus(path: Path, *, notes: list[str] | None = None) -> Thesaurus:
    """Read a thesaurus by the look of its name: a folder is WordNet, a file one of the formats above.

    What should be known of how it was read is added to the notes.
    """
    if path.is_dir():
        return read_wordnet(find_wordnet(path))
    check_readable(path)
    name = path.name
    for packed in (".gz", ".zst", ".xz"):
        name = name.removesuffix(packed)
    read = _FORMATS.get(Path(name).suffix.lower())
    if read is None:
        raise DataError(
            f"the ending {Path(name).suffix!r} is none of {', '.join(_FORMATS)}",
            file=path,
            hint="A folder is taken for WordNet; a list of pairs goes into a .tsv: headword, relation, word.",
        )
    entries = list(read(path, _filled(read_text(path, notes=notes))))
    if not entries:
        raise DataError("the thesaurus is empty", file=path, hint="A line of a .tsv: headword TAB relation TAB word.")
    return from_entries(entries, source=f"{name}:")


def _filled(text: str) -> Lines:
    for row, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip():
            yield row, line.rstrip("\r")


def _listed(path: Path, lines: Lines) -> Iterator[Entry]:
    """Read headword, relation, word; the lines of one headword need not stand together."""
    found: dict[str, dict[str, list[str]]] = {}
    for row, line in lines:
        fields = line.split("\t")
        if len(fields) != 3 or not all(field.strip() for field in fields):
            raise DataError(f"has {len(fields)} fields; wanted headword, relation, word", file=path, row=row)
        head, relation, word = fields
        found.setdefault(head, {}).setdefault(_SHORT.get(relation, relation), []).append(word)
    for head, by_relation in found.items():
        yield Entry(head, by_relation)


def _comma_lines(path: Path, lines: Lines) -> Iterator[Entry]:
    for row, line in lines:
        head, *words = line.split(",")
        if not head.strip() or not words:
            raise DataError("wanted a headword and its synonyms, separated by commas", file=path, row=row)
        yield Entry(head, {"synonym": words})


def _mythes(path: Path, lines: Lines) -> Iterator[Entry]:
    """Read LibreOffice's format: the first line names the encoding, each meaning of a word becomes an entry."""
    next(lines, None)
    for row, line in lines:
        head, _, count = line.rpartition("|")
        if not head or not count.isdigit():
            raise DataError("wanted a word, a bar and the number of its meanings", file=path, row=row)
        for _ in range(int(count)):
            at, meaning = next(lines, (row, ""))
            if not meaning.startswith(("(", "-")):
                raise DataError(f"{head!r} should have {count} meanings; this line is none", file=path, row=at)
            yield Entry(head, _marked(meaning))


def _marked(meaning: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in meaning.split("|")[1:]:
        word, _, mark = item.partition(" (")
        found.setdefault(_MARKS.get(mark.rstrip(")"), "synonym"), []).append(word)
    return found


_FORMATS: dict[str, Callable[[Path, Lines], Iterator[Entry]]] = {
    ".tsv": _listed,
    ".dat": _mythes,
    ".txt": _comma_lines,
    ".csv": _comma_lines,
}
