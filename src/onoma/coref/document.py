"""One annotated document as coreference sees it: words, tags, trees, speakers, names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.coref.lists import listed
from onoma.corpus.documents import Annotations
from onoma.errors import DataError

__all__ = ["Document", "documents_of", "joined"]


@dataclass(frozen=True, eq=False)
class Document:
    """A document's tokens, column by column.

    Parameters
    ----------
    name
        The document's name.
    words, lemmas, tags, upos, deprels
        A string for each token; `tags` are the Penn treebank's, `deprels` Universal Dependencies'.
    heads
        The governing token, counted in the document; the root's is itself.
    sentences
        The sentence of each token.
    speakers
        Who speaks each token; empty where the text does not say.
    names
        Spans of names: (start, end, type), end exclusive.
    genre
        What kind of text it is, where that is known.
    known
        What the annotation knows of the mention that a token heads: its type, gender and animacy.
    clusters
        Tokens × 3: the distributional cluster of each word, finest first, 0 where it has none; None without clusters.
    lines
        The line of each token in the text, blank ones counted; None where the text's lines are not known.
    voices
        Tokens × 3: party, voice, hearer, as `onoma.coref.discourse.voices` has them; None where the text does not say.
    """

    name: str
    words: Sequence[str]
    lemmas: Sequence[str]
    tags: Sequence[str]
    upos: Sequence[str]
    deprels: Sequence[str]
    heads: NDArray[np.int64]
    sentences: NDArray[np.int64]
    speakers: Sequence[str]
    names: Sequence[tuple[int, int, str]] = ()
    genre: str = ""
    known: Mapping[int, tuple[str, str, str]] = field(default_factory=dict)
    clusters: NDArray[np.int64] | None = None
    lines: NDArray[np.int64] | None = None
    voices: NDArray[np.int64] | None = None
    children: Sequence[Sequence[int]] = field(init=False)
    """The dependents of each token, in the order of the text."""

    def __post_init__(self) -> None:
        children: list[list[int]] = [[] for _ in self.words]
        for token, head in enumerate(self.heads.tolist()):
            if head != token:
                children[head].append(token)
        object.__setattr__(self, "children", children)

    def __len__(self) -> int:
        return len(self.words)

    def line_spans(self) -> list[tuple[int, int]]:
        """Return the tokens of each line, those without any left out; of each sentence where lines are not known."""
        numbers = self.sentences if self.lines is None else self.lines
        if not len(self):
            return []
        edges = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        return list(zip(edges, [*edges[1:], len(self)], strict=True))

    def is_parted(self, first: int, second: int) -> bool:
        """Say whether two tokens stand in different paragraphs; no where lines are not known.

        Paragraphs are parted by blank lines, or, in a text that has none, by the ends of lines.
        """
        if self.lines is None:
            return False
        gap = 2 if bool((np.diff(self.lines) > 1).any()) else 1
        return bool((np.diff(self.lines[first : second + 1]) >= gap).any())


def documents_of(annotations: Annotations, *, genre: str = "") -> list[Document]:
    """Return each document of a batch; it must have tags, lemmas and trees."""
    return [_document(one, genre) for one in annotations]


def joined(documents: Sequence[Document]) -> Document:
    """Return documents as one, in which nobody of one is somebody of another: speakers and parties stay apart."""
    tokens = np.cumsum([0, *map(len, documents)]).tolist()
    numbers = np.cumsum([0, *(int(one.sentences.max(initial=-1)) + 1 for one in documents)]).tolist()
    parts = list(zip(documents, tokens[:-1], numbers[:-1], strict=True))

    def column(name: str) -> list[str]:
        return [text for one in documents for text in getattr(one, name)]

    clusters = [one.clusters for one in documents if one.clusters is not None]
    voices = [np.zeros((len(one), 3), np.int64) if one.voices is None else one.voices for one in documents]
    parties = np.cumsum([0, *(int(each.max(initial=0)) for each in voices)]).tolist()
    return Document(
        name=" + ".join(one.name for one in documents),
        words=column("words"),
        lemmas=column("lemmas"),
        tags=column("tags"),
        upos=column("upos"),
        deprels=column("deprels"),
        heads=np.concatenate([one.heads + at for one, at, _ in parts]),
        sentences=np.concatenate([one.sentences + number for one, _, number in parts]),
        speakers=[speaker and f"{at} {speaker}" for one, at, _ in parts for speaker in one.speakers],
        names=[(start + at, end + at, kind) for one, at, _ in parts for start, end, kind in one.names],
        known={head + at: what for one, at, _ in parts for head, what in one.known.items()},
        clusters=np.concatenate(clusters) if len(clusters) == len(documents) else None,
        voices=np.concatenate([each + more * (each > 0) for each, more in zip(voices, parties[:-1], strict=True)])
        if parties[-1]
        else None,
    )


def _document(one: Annotations, genre: str) -> Document:
    tokens = one.tokens
    name = str(one.documents["document"][0])
    missing = [column for column in ("tag", "upos", "lemma", "head", "deprel") if tokens[column].null_count]
    if missing and len(tokens):
        raise DataError(
            f"document {name!r}: coreference needs tags, lemmas and trees; {', '.join(missing)} is missing",
            hint="Annotate the text first: onoma annotate.",
        )
    spans = one.layer("name")
    names = list(zip(spans["start"].to_pylist(), spans["end"].to_pylist(), _texts(spans["type"]), strict=True))
    words = _texts(tokens["word"])
    return Document(
        name=name,
        words=words,
        lemmas=_texts(tokens["lemma"]),
        tags=_texts(tokens["tag"]),
        upos=_texts(tokens["upos"]),
        deprels=_texts(tokens["deprel"]),
        heads=tokens["head"].to_numpy().astype(np.int64),
        sentences=tokens["sentence"].to_numpy().astype(np.int64),
        speakers=["" if speaker == "-" else speaker for speaker in _texts(tokens["speaker"])],
        names=_tidy(names, words),
        genre=genre,
        known=_known(one.layer("mention")),
        lines=_lines(str(one.documents["text"][0].as_py() or ""), tokens),
    )


def _tidy(names: Sequence[tuple[int, int, str]], words: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return names with the titles before them; a word of a person's name is a person wherever it stands alone."""
    wider = []
    for start, end, kind in names:
        while start and words[start - 1].lower() in listed("titles") and words[start - 1][:1].isupper():
            start -= 1  # Mr, Dr: part of the name
        wider.append((start, end, kind))
    people = {
        word
        for start, end, kind in wider
        if kind == "PER" and end - start > 1
        for word in words[start:end]
        if word[0].isupper()
    }
    found: list[tuple[int, int, str]] = []
    for start, end, kind in wider:
        if not found or start >= found[-1][1]:
            found.append((start, end, "PER" if end - start == 1 and words[start] in people else kind))
    return found


def _lines(text: str, tokens: pa.Table) -> NDArray[np.int64] | None:
    """Return the line of each token; None for a text of one line, which may have lost its ends of lines."""
    ends = np.array([place for place, character in enumerate(text) if character == "\n"], np.int64)
    if not len(ends) or tokens["start_char"].null_count:
        return None
    return np.searchsorted(ends, tokens["start_char"].to_numpy()).astype(np.int64)


def _known(mentions: pa.Table) -> dict[int, tuple[str, str, str]]:
    """Return what is known of the longest mention of each head."""
    columns = (_texts(mentions[name]) for name in ("type", "gender", "animacy"))
    known: dict[int, tuple[str, str, str]] = {}
    for head, *rest in zip(mentions["head"].to_pylist(), *columns, strict=True):
        kind, gender, animacy = rest
        known.setdefault(head, (kind, gender, animacy))
    return known


def _texts(column: pa.ChunkedArray) -> list[str]:
    return list(pc.fill_null(column.cast(pa.string()), "").to_pylist())
