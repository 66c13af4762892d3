"""The labelled sets that names are learnt from and measured on, read into one form: documents of labelled sentences.

Each set has its own types; here all are PER, ORG, LOC and MISC. Where a set knows a type that is no name (a field of
study, a chemical element), the span counts as a name only if it begins with a capital letter. Layout of the data
folder: docs/data.md.
"""

import gzip
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onoma.corpus.readers.conllu import entity_of, parse_entity
from onoma.errors import DataError

__all__ = ["CLEAN_GENRES", "NamedDocument", "Sentence", "gum_mentions", "named_set", "spans_of"]

Sentence = tuple[list[str], list[tuple[int, int, str]]]
"""Words, and names as (first word, one past the last, type), in order and apart."""

CLEAN_GENRES = ("academic", "bio", "court", "interview", "news", "voyage")
"""The genres of GUM whose texts are CC BY or CC BY-SA."""

_WNUT = {"person": "PER", "location": "LOC", "corporation": "ORG", "group": "ORG"}
_CROSSNER = {
    **dict.fromkeys(("person", "politician", "writer", "musicalartist", "scientist", "researcher"), "PER"),
    **dict.fromkeys(("organisation", "politicalparty", "band", "university"), "ORG"),
    **dict.fromkeys(("location", "country"), "LOC"),
}
_LITBANK = {"PER": "PER", "ORG": "ORG", "FAC": "LOC", "GPE": "LOC", "LOC": "LOC", "VEH": "MISC"}
_GUM = {"person": "PER", "organization": "ORG", "place": "LOC", "time": None}
_JOINED = frozenset(("of", "the", "de", "la", "del", "von", "van", "du", "al", "&", "'s", "’s", "-", "–", "for"))


@dataclass(frozen=True)
class NamedDocument:
    """One document of a labelled set."""

    source: str
    name: str
    sentences: list[Sentence]


def named_set(root: Path, name: str) -> list[NamedDocument]:
    """Read one set: wikigold, wnut17-{train,dev,test}, btc-{a,b,e,f,g,h}, crossner, litbank, gum-{train,dev,test}."""
    kind, _, part = name.partition("-")
    if kind not in _SETS:
        raise DataError(f"there is no set {name!r}; there are {', '.join(_SETS)}")
    return list(_SETS[kind](root / "text", part))


def gum_mentions(root: Path, part: str) -> tuple[list[list[str]], list[tuple[int, int, int, str]]]:
    """Return the sentences of a part of GUM, and its mentions: first word, one past the last, head (of all), kind."""
    words: list[list[str]] = []
    mentions: list[tuple[int, int, int, str]] = []
    before = 0
    for _, blocks in _gum_blocks(root / "text", part):
        for block in blocks:
            rows = _gum_rows(block)
            heads = [int(row[6]) - 1 for row in rows]
            for start, end, kind in _gum_spans(rows):
                head = next((i for i in range(start, end) if not start <= heads[i] < end), start)
                mentions.append((before + start, before + end, before + head, kind))
            words.append([row[1] for row in rows])
            before += len(rows)
    return words, mentions


def spans_of(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return the spans of IO, BIO or BILOU labels.

    Examples
    --------
    >>> spans_of(["B-PER", "I-PER", "O", "I-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    spans: list[tuple[int, int, str]] = []
    for i, label in enumerate(labels):
        kind, _, name = label.partition("-")
        if not name:
            continue
        goes_on = kind in "IL" and spans and spans[-1][1] == i and spans[-1][2] == name
        if goes_on:
            spans[-1] = (spans[-1][0], i + 1, name)
        else:
            spans.append((i, i + 1, name))
    return spans


def _wikigold(root: Path, part: str) -> Iterator[NamedDocument]:  # noqa: ARG001
    text = _unpacked(root / "wikigold" / "wikigold.conll.txt.gz")
    for number, block in enumerate(re.split(r"^-DOCSTART- O\n", text, flags=re.MULTILINE)):
        sentences = list(_columns(block))
        if sentences:
            yield NamedDocument("wikigold", f"wikigold-{number}", sentences)


def _wnut17(root: Path, part: str) -> Iterator[NamedDocument]:
    text = _unpacked(root / "wnut17" / f"{part}.conll.gz")
    for number, sentence in enumerate(_columns(text, lambda kind, _: _WNUT.get(kind, "MISC"))):
        yield NamedDocument("wnut17", f"wnut17-{part}-{number}", [sentence])


def _btc(root: Path, part: str) -> Iterator[NamedDocument]:
    with zipfile.ZipFile(root / "btc" / "btc_conll.zip") as archive:
        text = archive.read(f"{part}.conll").decode("utf-8")
    for number, sentence in enumerate(_columns(text)):
        yield NamedDocument("btc", f"btc-{part}-{number}", [sentence])


def _crossner(root: Path, part: str) -> Iterator[NamedDocument]:
    def renamed(kind: str, word: str) -> str | None:
        return _CROSSNER.get(kind) or ("MISC" if word[:1].isupper() else None)

    with zipfile.ZipFile(root / "crossner" / "crossner.zip") as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".txt") and part in name:
                for number, sentence in enumerate(_columns(archive.read(name).decode("utf-8"), renamed)):
                    yield NamedDocument("crossner", f"crossner-{name[:-4]}-{number}", [sentence])


def _litbank(root: Path, part: str) -> Iterator[NamedDocument]:  # noqa: ARG001
    with zipfile.ZipFile(root / "litbank" / "coref_tsv.zip") as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith(".txt"):
                continue
            words = [line.split(" ") for line in archive.read(name).decode("utf-8").rstrip("\n").split("\n")]
            found: list[list[tuple[int, int, str]]] = [[] for _ in words]
            for line in archive.read(name[:-4] + ".ann").decode("utf-8").split("\n"):
                cells = line.split("\t")
                if cells[0] == "MENTION" and cells[8] == "PROP":
                    found[int(cells[2])].append((int(cells[3]), int(cells[5]) + 1, _LITBANK[cells[7]]))
            sentences = [(row, _apart(spans)) for row, spans in zip(words, found, strict=True)]
            yield NamedDocument("litbank", Path(name).stem, sentences)


def _gum(root: Path, part: str) -> Iterator[NamedDocument]:
    for name, blocks in _gum_blocks(root, part):
        yield NamedDocument("gum", name, [_gum_sentence(block) for block in blocks])


def _gum_blocks(root: Path, part: str) -> Iterator[tuple[str, list[str]]]:
    split, _, which = part.partition("-")
    with zipfile.ZipFile(root / "gum" / "dep_conllu.zip") as archive:
        for name in sorted(archive.namelist()):
            genre = Path(name).stem.split("_")[1] if "_" in name else ""
            if name.startswith(split + "/") and genre != "reddit" and (which == "all" or genre in CLEAN_GENRES):
                blocks = archive.read(name).decode("utf-8").split("\n\n")
                yield Path(name).stem, [block for block in blocks if "\t" in block]


def _gum_rows(block: str) -> list[list[str]]:
    return [line.split("\t") for line in block.split("\n") if re.match(r"\d+\t", line)]


_SETS: Mapping[str, Callable[[Path, str], Iterator[NamedDocument]]] = {
    "wikigold": _wikigold,
    "wnut17": _wnut17,
    "btc": _btc,
    "crossner": _crossner,
    "litbank": _litbank,
    "gum": _gum,
}


def _unpacked(path: Path) -> str:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read()


def _columns(text: str, renamed: Callable[[str, str], str | None] = lambda kind, _: kind) -> Iterator[Sentence]:
    """Read word and label a line, an empty line after each sentence."""
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        rows = [line.rstrip().rsplit("\t" if "\t" in line else " ", 1) for line in block.split("\n") if line.strip()]
        rows = [row for row in rows if len(row) == 2]
        if rows:
            words = [word.strip() or "_" for word, _ in rows]
            spans = spans_of([label for _, label in rows])
            found = ((a, b, renamed(kind, words[a])) for a, b, kind in spans)
            yield words, [(a, b, kind) for a, b, kind in found if kind]


def _gum_sentence(block: str) -> Sentence:
    """Find the names in GUM's spans: around a proper noun that heads a span, the proper nouns next to it.

    Small words (of, the, de…) between two proper nouns of one span belong to the name. Of names that overlap, the one
    of the smaller span stays.
    """
    rows = _gum_rows(block)
    words, is_proper = [row[1] for row in rows], [row[4].startswith("NNP") for row in rows]
    heads = [int(row[6]) - 1 for row in rows]
    names = []
    for start, end, kind in sorted(_gum_spans(rows), key=lambda span: span[1] - span[0]):
        outside = [i for i in range(start, end) if not start <= heads[i] < end]
        if outside and is_proper[outside[0]] and _GUM.get(kind, "MISC"):
            a, b = _proper(words, is_proper, start, end, outside[0])
            names.append((a, b, _GUM.get(kind, "MISC") or ""))
    return words, _apart(names)


def _gum_spans(rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, str]]:
    opened: list[tuple[str, int, str]] = []
    for i, row in enumerate(rows):
        for mark, content in parse_entity(entity_of(row[9])) or ():
            group, _, rest = content.partition("-")
            kind = rest.partition("-")[0]
            if mark == "()":
                yield i, i + 1, kind
            elif mark == "(":
                opened.append((group, i, kind))
            else:
                at = max((k for k, each in enumerate(opened) if each[0] == group), default=None)
                if at is not None:
                    _, start, kind = opened.pop(at)
                    yield start, i + 1, kind


def _proper(words: Sequence[str], is_proper: Sequence[bool], start: int, end: int, head: int) -> tuple[int, int]:
    def reach(step: int) -> int:
        at = head
        while True:
            near = next(
                (at + step * far for far in (1, 2, 3) if _reaches(words, is_proper, at, step, far, start, end)), None
            )
            if near is None:
                return at
            at = near

    return reach(-1), reach(1) + 1


def _reaches(
    words: Sequence[str], is_proper: Sequence[bool], at: int, step: int, far: int, start: int, end: int
) -> bool:
    there = at + step * far
    between = [words[at + step * k].lower() for k in range(1, far)] if start <= there < end else ["!"]
    return start <= there < end and is_proper[there] and all(word in _JOINED for word in between)


def _apart(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Keep spans that do not overlap an earlier one; return them in the order of the text."""
    kept: list[tuple[int, int, str]] = []
    for a, b, kind in spans:
        if all(b <= c or d <= a for c, d, _ in kept):
            kept.append((a, b, kind))
    return sorted(kept)
