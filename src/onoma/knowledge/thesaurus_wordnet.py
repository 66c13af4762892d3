"""WordNet's database files (Princeton WordNet 3.x, `data.noun` … and the lists of irregular forms `*.exc`).

A synset is a document, its lemmas are the members. Pointers become links: antonym, hypernym, hyponym, similar (the
satellites of an adjective), derived (derivation and pertainyms, both ways), also (see also, verb groups).

How often a word was met in each sense stands in `cntlist.rev`, by the number of the sense; the senses of a word stand
in `index.noun` … in that order. Both may be missing.

The files come with Debian's package `wordnet-base`, or from Princeton; they may be compressed with xz.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from onoma.corpus.readers.source import read_bytes
from onoma.errors import DataError
from onoma.knowledge.thesaurus import Matrix, Thesaurus, indicator, plain, row_normal

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
_KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
"""Parts of speech as the counts number them."""
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
    members = indicator(lemmas, (len(documents), len(words)))
    linked = {name: _linked(name, found, documents) for name, found in pointers.items()}
    senses = _senses(folder, members, documents, words)
    return Thesaurus(tuple(words), tuple(documents), members, linked, _irregular(folder), senses)


def _synset_lines(path: Path) -> Iterator[tuple[int, str]]:
    for row, line in enumerate(read_bytes(path).decode("latin-1").split("\n"), start=1):
        if line.strip() and not line.startswith("  "):  # the licence, at the head of the file
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


def _senses(folder: Path, members: Matrix, documents: dict[str, int], words: dict[str, int]) -> Matrix | None:
    """Return the share of each sense in the uses of a word: its count and, for the uncounted, 1 / its number."""
    counts = _counts(folder)
    if counts is None:
        return None
    cells: list[tuple[int, int]] = []
    values: list[float] = []
    for word, kind, offsets in _index(folder):
        for number, offset in enumerate(offsets, start=1):
            row, column = documents.get(f"{kind}{offset}"), words.get(word)
            if row is not None and column is not None:
                cells.append((row, column))
                values.append(counts.get((word, kind, number), 0) + 1 / number)
    rows, columns = np.array(cells, np.int64).reshape(-1, 2).T
    counted = Matrix((np.array(values, np.float32), (rows, columns)), shape=members.shape)
    # A member that no index numbers keeps a trace.
    return Matrix(row_normal((counted + members * np.float32(1e-3)).T).T)


def _counts(folder: Path) -> dict[tuple[str, str, int], int] | None:
    """Return how often words were met: by word, part of speech and number of the sense."""
    path = _stored(folder / "cntlist.rev")
    if path is None:
        return None
    found = {}
    for row, line in _synset_lines(path):
        try:
            key, number, count = line.split()
            word, _, rest = key.rpartition("%")
            found[plain(word), _KINDS[rest[0]], int(number)] = int(count)
        except (ValueError, KeyError, IndexError):
            raise DataError(f"not a line of WordNet's counts: {line.strip()[:60]!r}", file=path, row=row) from None
    return found


def _index(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the words of the indices, their part of speech, and their synsets in the order of senses."""
    paths = (_stored(folder / f"index.{part}") for part in _PARTS)
    for path in (path for path in paths if path is not None):
        for row, line in _synset_lines(path):
            fields = line.split()
            try:
                yield plain(fields[0]), fields[1], fields[-int(fields[2]) :]
            except (ValueError, IndexError):
                raise DataError(f"not a line of a WordNet index: {line.strip()[:60]!r}", file=path, row=row) from None


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
