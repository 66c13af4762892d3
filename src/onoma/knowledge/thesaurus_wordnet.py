"""WordNet's database files (Princeton WordNet 3.x, `data.noun` … and the lists of irregular forms `*.exc`).

A synset is a document, its lemmas are the members. Pointers become links: antonym, hypernym, hyponym, similar (the
satellites of an adjective), derived (derivation and pertainyms, both ways), also (see also, verb groups).

The files come with Debian's package `wordnet-base`, or from Princeton; they may be compressed with xz.
"""

import lzma
import os
import re
from collections.abc import Iterator
from pathlib import Path

from onoma.errors import DataError
from onoma.knowledge.thesaurus import Matrix, Thesaurus, indicator, plain

__all__ = ["HOW", "find_wordnet", "read_wordnet"]

HOW = (
    "Install WordNet (Debian and Ubuntu: apt install wordnet-base), or give the folder that holds its file data.noun: "
    "--thesaurus FOLDER."
)
"""What to try where there is no WordNet."""

_PLACES = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/local/WordNet-3.0/dict")
_PARTS = ("noun", "verb", "adj", "adv")
_LINKS = {
    "!": "antonym",
    "@": "hypernym",
    "@i": "hypernym",
    "~": "hyponym",
    "~i": "hyponym",
    "&": "similar",
    "+": "derived",
    "\\": "derived",
    "^": "also",
    "$": "also",
}
_MARKER = re.compile(r"\((p|a|ip)\)$")
"""Where an adjective may stand; not part of the word."""


def find_wordnet(path: Path | None = None) -> Path:
    """Return the folder of WordNet: the one given, `$WNSEARCHDIR`, `$WNHOME/dict`, or where packages put it."""
    if path is not None:
        if _stored(path / "data.noun") is None:
            raise DataError("this folder holds no data.noun, so it is no WordNet", file=path, hint=HOW)
        return path
    places = [Path(place) for place in _PLACES]
    if home := os.environ.get("WNHOME"):
        places.insert(0, Path(home) / "dict")
    if folder := os.environ.get("WNSEARCHDIR"):
        places.insert(0, Path(folder))
    for place in places:
        if _stored(place / "data.noun") is not None:
            return place
    raise DataError("no WordNet is installed where packages put it", hint=HOW)


def read_wordnet(folder: Path) -> Thesaurus:
    """Read all synsets, their links, and the irregular forms."""
    documents: dict[str, int] = {}
    words: dict[str, int] = {}
    lemmas: list[tuple[int, int]] = []
    pointers: dict[str, list[tuple[str, str]]] = {name: [] for name in _LINKS.values()}
    for part in _PARTS:
        path = _stored(folder / f"data.{part}")
        if path is None:
            raise DataError(f"data.{part} is missing", file=folder, hint=HOW)
        for row, line in _synset_lines(path):
            try:
                key, names, links = _synset(line)
            except (ValueError, IndexError):
                raise DataError(f"not a line of a WordNet database: {line[:60]!r}", file=path, row=row) from None
            document = documents.setdefault(key, len(documents))
            lemmas += [(document, words.setdefault(name, len(words))) for name in names]
            for name, target in links:
                pointers[name].append((key, target))
    n = len(documents)
    return Thesaurus(
        tuple(words),
        tuple(documents),
        indicator(lemmas, (n, len(words))),
        {name: _linked(name, found, documents) for name, found in pointers.items()},
        _irregular(folder),
    )


def _synset_lines(path: Path) -> Iterator[tuple[int, str]]:
    with lzma.open(path, "rt", encoding="latin-1") if path.suffix == ".xz" else path.open(encoding="latin-1") as file:
        for row, line in enumerate(file, start=1):
            if not line.startswith("  "):  # the licence, at the head of the file
                yield row, line


def _synset(line: str) -> tuple[str, list[str], list[tuple[str, str]]]:
    """Return the key, the lemmas and the links of one line.

    offset file type n_words (hex) {word lex_id} n_pointers {symbol offset part source/target} [frames] | gloss
    """
    fields = line.partition(" | ")[0].split(" ")
    kind = "a" if fields[2] == "s" else fields[2]
    n_words = int(fields[3], 16)
    names = [plain(_MARKER.sub("", fields[4 + 2 * i])) for i in range(n_words)]
    start = 5 + 2 * n_words
    links = []
    for i in range(int(fields[start - 1])):
        symbol, offset, part, _ = fields[start + 4 * i : start + 4 * i + 4]
        if symbol in _LINKS:
            links.append((_LINKS[symbol], f"{part}{offset}"))
    return f"{kind}{int(fields[0]):08d}", names, links


def _linked(name: str, found: list[tuple[str, str]], documents: dict[str, int]) -> Matrix:
    known = [(documents[a], documents[b]) for a, b in found if a in documents and b in documents]
    if name in ("derived", "also"):
        known += [(b, a) for a, b in known]
    return indicator(known, (len(documents), len(documents)))


def _irregular(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the inflected forms that no rule explains."""
    found: dict[str, tuple[str, ...]] = {}
    for part in _PARTS:
        path = _stored(folder / f"{part}.exc")
        if path is not None:
            for _, line in _synset_lines(path):
                form, *bases = map(plain, line.split())
                found[form] = (*found.get(form, ()), *bases)
    return found


def _stored(path: Path) -> Path | None:
    """Return the file, plain or compressed, if it is there."""
    return next((place for place in (path, path.with_name(path.name + ".xz")) if place.exists()), None)
