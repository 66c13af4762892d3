"""Sets of mentions in context whose entities are known: from articles, from tokens, simulated."""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.simulate.render import phrases
from onoma.corpus.simulate.words import Mixture, draw_words, vocabulary
from onoma.numerics.rng import stream
from onoma.pipeline.studies._sets.name import read_rows
from onoma.resolve.fields.contexts import WIDTH, windows
from onoma.resolve.models.cross_document.text import function_words

__all__ = ["MENTION_SETS", "MentionSet", "is_name", "john_smith", "person_x"]

File = Callable[[str], Path]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class MentionSet:
    """Mentions: the name, the words around it, the document, and whose it is."""

    names: Sequence[str]
    contexts: Sequence[str]
    documents: Sequence[str] | None
    labels: Sequence[str]

    def __len__(self) -> int:
        return len(self.names)

    def gold(self) -> NDArray[np.int64]:
        """Return a number for each mention's entity."""
        return np.unique(np.array(self.labels), return_inverse=True)[1].astype(np.int64)


def john_smith(file: File, *, width: int = WIDTH) -> MentionSet:
    """Articles about 35 people called John Smith: the words around every *Smith* of an article, without the name."""
    contexts, labels = [], []
    with gzip.open(file("resolution/john-smith/docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            article = json.loads(line)
            words = _WORD.findall(article["text"])
            near: set[int] = set()
            for at, word in enumerate(words):
                if word.lower() == "smith":
                    near.update(range(max(0, at - width), min(len(words), at + width + 1)))
            contexts.append(" ".join(words[at] for at in sorted(near) if words[at].lower() not in ("john", "smith")))
            labels.append(article["cluster_id"])
    return MentionSet(["John Smith"] * len(labels), contexts, None, labels)


def person_x(n: int, *, n_people: int = 50, seed: int = 0) -> tuple[NDArray[np.int64], pa.Array]:
    """Return whose each of n simulated mentions is, all of one name, and its context of about 55 words.

    People have a main topic and two others, of forty; six words of ten are common to all, one is the person's own.
    """
    rng = stream(seed, "person-x")
    people = rng.choice(n_people, n, p=rng.dirichlet(np.full(n_people, 2.0))).astype(np.int32)
    topics = rng.integers(0, 40, (n_people, 3))
    lengths = 1 + rng.poisson(54, n)
    owner = np.repeat(people, lengths)
    topic = topics[owner, rng.choice(3, len(owner), p=[0.6, 0.25, 0.15])]
    words = draw_words(rng, topic, owner, Mixture(common=0.6, own=0.1, n_topics=40))
    return people.astype(np.int64), phrases(vocabulary(), words, lengths)


def is_name(mention: str) -> bool:
    """Say whether a mention is a name by its form: all its words but small ones begin with a capital or a figure.

    Examples
    --------
    >>> is_name("the University of Bath"), is_name("his wife"), is_name("She"), is_name("2010")
    (True, False, False, False)
    """
    small = set(function_words())
    words = [word for word in mention.split() if word.lower() not in small and word[0].isalnum()]
    starts = [word[0] for word in words]
    return all(first.isupper() or first.isdigit() for first in starts) and any(first.isupper() for first in starts)


@dataclass(frozen=True)
class _Span:
    name: str
    label: str
    document: str
    start: int
    end: int


def _gathered(spans: Iterable[_Span], texts: dict[str, str]) -> MentionSet:
    spans = list(spans)
    contexts = windows(
        [texts[each.document] for each in spans],
        [each.start for each in spans],
        [each.end for each in spans],
        width=WIDTH,
    )
    return MentionSet(
        [each.name for each in spans], contexts, [each.document for each in spans], [each.label for each in spans]
    )


def _texts(path: Path) -> tuple[dict[str, str], dict[tuple[str, int, int], tuple[int, int]]]:
    """Return documents put together from their tokens, and where each token is (document, sentence, number)."""
    sentences: defaultdict[str, list[tuple[int, list[str]]]] = defaultdict(list)
    for row in read_rows(path):
        sentences[row["doc_id"]].append((int(row["sent_id"]), json.loads(row["tokens_json"])))
    texts, places = {}, {}
    for document, found in sentences.items():
        parts: list[str] = []
        at = 0
        for number, tokens in sorted(found):
            for k, token in enumerate(tokens):
                places[document, number, k] = (at, at + len(token))
                parts.append(token)
                at += len(token) + 1
        texts[document] = " ".join(parts)
    return texts, places


def gum(file: File) -> dict[str, MentionSet]:
    """Names in documents of many genres, linked to an encyclopaedia; every other document to tune, or to score."""
    texts, places = _texts(file("resolution/gum/sentences.csv.gz"))
    order = {document: k for k, document in enumerate(sorted(texts))}
    parts: dict[str, list[_Span]] = {"tune": [], "score": []}
    for row in read_rows(file("resolution/gum/mentions.csv.gz")):
        if not row["cluster_id"] or not is_name(row["mention"]):
            continue
        document, sentence = row["doc_id"], int(row["sent_id"])
        first, last = places[document, sentence, int(row["tok_start"])], places[document, sentence, int(row["tok_end"])]
        span = _Span(row["mention"], row["cluster_id"], document, first[0], last[1])
        parts["tune" if order[document] % 2 else "score"].append(span)
    return {part: _gathered(spans, texts) for part, spans in parts.items()}


def ecb_plus(file: File) -> dict[str, MentionSet]:
    """All mentions of entities in news of the same events: the published development and test topics."""
    texts, places = _texts(file("resolution/ecbplus/sentences.csv.gz"))
    parts: dict[str, list[_Span]] = {"tune": [], "score": []}
    for row in read_rows(file("resolution/ecbplus/mentions.csv.gz")):
        if row["kind"] != "entity" or row["split"] == "train":
            continue
        document, sentence = row["doc_id"], int(row["sent_id"])
        tokens = [int(number) for number in row["token_numbers"].split()]
        start, end = places[document, sentence, tokens[0]][0], places[document, sentence, tokens[-1]][1]
        span = _Span(row["mention"], row["cluster_id"], document, start, end)
        parts["tune" if row["split"] == "dev" else "score"].append(span)
    return {part: _gathered(spans, texts) for part, spans in parts.items()}


def hipe(file: File) -> dict[str, MentionSet]:
    """Linked mentions in scanned newspapers and commentaries of five languages: development and test parts."""
    keys = ("dataset", "split", "lang", "doc_id")
    with gzip.open(file("resolution/hipe2022/docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = {"/".join(each[key] for key in keys): each["text"] for each in map(json.loads, lines)}
    parts: dict[str, list[_Span]] = {"tune": [], "score": []}
    for row in read_rows(file("resolution/hipe2022/mentions.csv.gz")):
        if row["cluster_id"] in ("", "NIL") or row["split"] == "train":
            continue
        document = "/".join(row[key] for key in keys)
        span = _Span(row["mention"], row["cluster_id"], document, int(row["start"]), int(row["end"]))
        parts["tune" if row["split"].startswith("dev") else "score"].append(span)
    return {part: _gathered(spans, texts) for part, spans in parts.items()}


MENTION_SETS: dict[str, Callable[[File], dict[str, MentionSet]]] = {"GUM": gum, "HIPE-2022": hipe, "ECB+": ecb_plus}
