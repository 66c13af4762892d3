"""One document, read: sentences, mentions in chains, what each named chain is called, and what joins two of them.

A chain with a name in it becomes a *record*: it is what the later stages group across documents and link. Two mentions
of different records in one sentence are joined by the shortest way between their heads in the tree.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from onoma.coref.attributes import Column
from onoma.coref.document import Document
from onoma.coref.model import CorefModel, Resolved
from onoma.corpus.documents import Annotations, Text
from onoma.pipeline.building.abbreviations import explained, with_explained
from onoma.pipeline.building.names import (
    alike,
    bare,
    fullest,
    gender_of,
    is_company,
    is_name,
    is_titled,
    is_within,
    words_of,
)
from onoma.pipeline.building.paths import path_between
from onoma.pipeline.coref_documents import coref_documents
from onoma.text.documents.annotator import Pipeline

__all__ = ["Read", "read_documents"]

_WIDTH = 50
"""Tokens on each side of a mention that are its context."""
_CONTEXTS = 3
"""Mentions of a chain whose surroundings are taken."""
_DASHES = ("-", "–", "—", ":")
_PLACING = frozenset(("in", "at", "to", "from", "near", "into", "around", "outside", "across", "throughout", "within"))
"""What stands before a place, and seldom before an organisation that is called by a place."""
_SURE = 0.95
"""Two names without a word in common are one thing if the model says so this surely."""


@dataclass(frozen=True)
class Read:
    """What was read in a document: rows of tables, as JSON holds them."""

    document: dict[str, Any]
    sentences: list[dict[str, Any]] = field(default_factory=list)
    mentions: list[dict[str, Any]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    paths: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return one JSON-ready object."""
        return asdict(self)


def read_documents(texts: Sequence[Text], pipeline: Pipeline, model: CorefModel) -> list[Read]:
    """Annotate documents and find their chains."""
    annotations = pipeline.annotate(texts)
    documents = map(with_explained, coref_documents(annotations))
    return [
        _read(one, document, model.resolve(document, all_names=True))
        for one, document in zip(annotations, documents, strict=True)
    ]


@dataclass(frozen=True)
class _Mention:
    row: int
    name: tuple[int, int, str] | None
    """The name in it: where, and of which type."""


def _read(one: Annotations, document: Document, found: Resolved) -> Read:
    """Gather the rows of one document."""
    facts = one.documents.to_pylist()[0]
    starts, ends = (one.tokens[name].to_pylist() for name in ("start_char", "end_char"))
    text = facts["text"] or ""
    scene = _Scene(document, found, text, starts, ends)
    chains = scene.chains()
    read = Read({name: facts[name] for name in ("document", "source", "text", "n_tokens", "problem")})
    for row in one.sentences.to_pylist():
        if row["end"] > row["start"]:
            place = {"start": starts[row["start"]], "end": ends[row["end"] - 1]}
            read.sentences.append({"document": document.name, "sentence": row["sentence"], **place})
    named: list[tuple[str, _Mention]] = []
    for number, members in enumerate(chains, start=1):
        key = f"{document.name}#{number}"
        read.mentions.extend(scene.mention_row(key, members, k) for k in range(len(members)))
        if any(member.name for member in members):
            read.records.append(scene.record(key, members))
            named.extend((key, member) for member in members)
    placed = {key for key, member in named if scene.is_placed(member)}
    _retype(read.records, placed | {row["chain"] for row in read.mentions if gender_of([(row["kind"], row["text"])])})
    read.paths.extend(scene.paths(named))
    return read


def _retype(records: Sequence[dict[str, Any]], apart: Collection[str]) -> None:
    """Take for a company what begins the name of one here, whatever it was taken for; but no people, and no places.

    Where the *Meridian Shipping Corporation* is told of, *Meridian* is the same, unless something is *in Meridian*, or
    Meridian is a *he*. Companies are known by their legal form: of other organisations' first words (Boston University)
    none of four in train and development parts of GUM and ECB+ meant the organisation.
    """
    first = {words_of(name)[:1] for row in records if row["type"] == "ORG" for name in row["names"] if is_company(name)}
    for row in records:
        words = words_of(row["name"])
        if len(words) == 1 and words in first and row["id"] not in apart:
            row["type"] = "ORG"


class _Scene:
    """A document with what was found in it."""

    def __init__(self, document: Document, found: Resolved, text: str, starts: list[int], ends: list[int]) -> None:
        self.document, self.found, self.text = document, found, text
        self.starts, self.ends = starts, ends
        self.spans = found.prepared.spans

    def words(self, start: int, end: int) -> str:
        """Return the text of some tokens, on one line."""
        return " ".join(self.text[self.starts[start] : self.ends[end - 1]].split())

    def chains(self) -> list[list[_Mention]]:
        """Return chains of two or more mentions, and names that are alone; by first mention."""
        place = {(span.start, span.end): row for row, span in enumerate(self.spans)}
        labels = self.found.labels.tolist()
        for long, short in explained(self.document.words, self.document.sentences.tolist()):
            one, other = labels[place[short]], labels[place[long]]
            labels = [other if label == one else label for label in labels]
        size = Counter(labels)
        by_head: dict[int, list[int]] = {}
        for row, span in enumerate(self.spans):
            by_head.setdefault(span.head, []).append(row)
        names: dict[int, tuple[int, int, str]] = {}
        for start, end, kind in self.document.names:
            if not is_name(bare(self.words(start, end))):
                continue
            row = place[start, end]
            if size[labels[row]] == 1:  # a wider phrase with the same head may be in a chain
                wider = [other for other in by_head[self.spans[row].head] if size[labels[other]] > 1]
                row = next((other for other in wider if self._holds(other, start, end)), row)
            names.setdefault(row, (start, self._without_score(start, end), kind))
        groups: dict[int, list[_Mention]] = {}
        for row, label in enumerate(labels):
            if size[label] > 1 or row in names:
                groups.setdefault(label, []).append(_Mention(row, names.get(row)))
        return [part for members in groups.values() for part in self._parted(members)]

    def _without_score(self, start: int, end: int) -> int:
        """Return where a name ends, which "beat Norwich City 3-1" goes on after."""
        words = self.document.words[end - 1 : end + 2]
        is_score = len(words) == 3 and words[0].isdigit() and words[1] in _DASHES and words[2].isdigit()
        return end - 1 if is_score and end - start > 1 else end

    def _parted(self, members: Sequence[_Mention]) -> list[list[_Mention]]:
        """Part a chain whose names share no word, where the model is not sure; other mentions stay with the last."""
        parts: list[list[_Mention]] = []
        last = 0
        for member in members:
            if member.name is not None:
                last = next((k for k, part in enumerate(parts) if self._may_be_one(part, member)), len(parts))
            if last == len(parts):
                parts.append([])
            parts[last].append(member)
        return parts

    def _may_be_one(self, part: Sequence[_Mention], member: _Mention) -> bool:
        named = [other for other in part if other.name is not None]
        if not named or member.name is None:
            return True
        start, end, kind = member.name
        mine = bare(self.words(start, end))
        theirs = [(bare(self.words(*other.name[:2])), other.name[2]) for other in named if other.name]
        if any(is_within(mine, name, (kind, other)) for name, other in theirs):
            return False
        sure = max(self.found.posterior.coreference(member.row, other.row) for other in named)
        return sure >= _SURE or any(alike(mine, name) for name, _ in theirs)

    def _holds(self, row: int, start: int, end: int) -> bool:
        return self.spans[row].start <= start and end <= self.spans[row].end

    def mention_row(self, chain: str, members: Sequence[_Mention], k: int) -> dict[str, Any]:
        """Return a mention as a row."""
        member, span = members[k], self.spans[members[k].row]
        other = members[k - 1] if k else members[min(1, len(members) - 1)]
        posterior = self.found.posterior
        sure = posterior.alone(member.row) if other is member else None
        is_pronoun = self.found.prepared.mentions.table[member.row, Column.TYPE] == 0
        return {
            "id": f"{self.document.name}:{span.start}-{span.end}",
            "document": self.document.name,
            "sentence": int(self.document.sentences[span.head]),
            "start": self.starts[span.start],
            "end": self.ends[span.end - 1],
            "text": self.words(span.start, span.end),
            "kind": "name" if member.name else "pronoun" if is_pronoun else "nominal",
            "name": self.words(*member.name[:2]) if member.name else None,
            "chain": chain,
            "probability": round(posterior.coreference(member.row, other.row) if sure is None else sure, 6),
        }

    def record(self, chain: str, members: Sequence[_Mention]) -> dict[str, Any]:
        """Return a named chain as a row: its fullest name, its commonest type, the words around it."""
        named = [member.name for member in members if member.name]
        texts = [bare(self.words(start, end)) for start, end, _ in named]
        first = self.spans[next(member for member in members if member.name).row]
        return {
            "id": chain,
            "name": fullest(texts),
            "type": "PER" if any(map(is_titled, texts)) else Counter(kind for _, _, kind in named).most_common(1)[0][0],
            "names": sorted(set(texts)),
            "document": self.document.name,
            "sentence": int(self.document.sentences[first.head]),
            "mentions": len(members),
            "context": self._context(named[:_CONTEXTS]),
        }

    def is_placed(self, member: _Mention) -> bool:
        """Say whether a name stands after a preposition that places have."""
        if member.name is None:
            return False
        at = member.name[0] - 1
        return at >= 0 and self.document.words[at].lower() in _PLACING

    def _context(self, named: Iterable[tuple[int, int, str]]) -> str:
        near: set[int] = set()
        own: set[int] = set()
        for start, end, _ in named:
            near.update(range(max(0, start - _WIDTH), min(len(self.document), end + _WIDTH)))
            own.update(range(start, end))
        return " ".join(self.document.words[token] for token in sorted(near - own))

    def paths(self, named: Sequence[tuple[str, _Mention]]) -> list[dict[str, Any]]:
        """Return what joins mentions of different records that stand in one sentence."""
        by_sentence: dict[int, list[tuple[int, str, int]]] = {}
        names = {member.name[:2] for _, member in named if member.name}
        for key, member in named:
            span = self.spans[member.row]
            if any(a <= span.start and span.end <= b and (a, b) != (span.start, span.end) for a, b in names):
                continue  # a part of a name: what is said of Oxford University is not said of Oxford
            by_sentence.setdefault(int(self.document.sentences[span.head]), []).append((span.head, key, member.row))
        rows = []
        nouns = {self.spans[member.row].head for _, member in named if not member.name}
        for sentence, here in sorted(by_sentence.items()):
            here = sorted({head: (head, key, row) for head, key, row in here}.values())  # one mention a head
            for at, (left, a, a_row) in enumerate(here):
                for right, b, b_row in here[at + 1 :]:
                    if a != b and (path := path_between(self.document, left, right, nouns)) is not None:
                        forward, relation = path
                        ends = ((a, a_row), (b, b_row)) if forward else ((b, b_row), (a, a_row))
                        rows.append(self._path_row(sentence, relation, ends))
        return rows

    def _path_row(self, sentence: int, relation: str, ends: tuple[tuple[str, int], ...]) -> dict[str, Any]:
        (a, a_row), (b, b_row) = ends
        spans = [self.spans[row] for row in (a_row, b_row)]
        keys = [f"{self.document.name}:{span.start}-{span.end}" for span in spans]
        row = {"document": self.document.name, "sentence": sentence, "subject": a, "relation": relation, "object": b}
        return row | {"subject_mention": keys[0], "object_mention": keys[1]}
