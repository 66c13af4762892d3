"""ECB+: news of the same events, with mentions of entities and of events that are one across documents."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onoma.coref.document import Document
from onoma.coref.mentions import head_of
from onoma.pipeline.coref_documents import coref_documents
from onoma.pipeline.studies._sets.name import read_rows
from onoma.text.documents.annotator import DocumentAnnotator

__all__ = ["EcbMention", "EcbPlus", "read_ecb", "subtopic_of"]

_FOLDER = "resolution/ecbplus"


@dataclass(frozen=True)
class EcbMention:
    """An annotated mention: its tokens, counted in the document, and what it is a mention of."""

    kind: str
    """`entity` or `event`."""
    part: str
    document: str
    tokens: tuple[int, ...]
    head: int
    label: str


@dataclass(frozen=True, eq=False)
class EcbPlus:
    """The annotated sentences of each document, read by our own stages, and the mentions in them."""

    documents: Mapping[str, Document]
    mentions: Sequence[EcbMention]

    def of(self, kind: str, part: str) -> dict[str, list[EcbMention]]:
        """Return the mentions of one kind in one part, by sub-topic."""
        found: defaultdict[str, list[EcbMention]] = defaultdict(list)
        for mention in self.mentions:
            if mention.kind == kind and mention.part == part:
                found[subtopic_of(mention.document)].append(mention)
        return dict(sorted(found.items()))


def subtopic_of(document: str) -> str:
    """Return which of the two events of a topic a document is about, as its name says.

    Examples
    --------
    >>> subtopic_of("36_2ecb"), subtopic_of("36_2ecbplus")
    ('36', '36 plus')
    """
    topic, _, rest = document.partition("_")
    return f"{topic} plus" if rest.endswith("plus") else topic


def read_ecb(file: Callable[[str], Path], *, topics: int | None = None) -> EcbPlus:
    """Read mentions and sentences, and annotate these; with `topics`, of so many topics of each part."""
    rows = list(read_rows(file(f"{_FOLDER}/mentions.csv.gz")))
    if topics is not None:
        kept = {part: sorted({_topic(row) for row in rows if row["split"] == part})[:topics] for part in _PARTS}
        rows = [row for row in rows if _topic(row) in kept[row["split"]]]
    wanted = {row["doc_id"] for row in rows}
    sentences: defaultdict[str, list[tuple[int, list[str]]]] = defaultdict(list)
    for row in read_rows(file(f"{_FOLDER}/sentences.csv.gz")):
        if row["doc_id"] in wanted:
            sentences[row["doc_id"]].append((int(row["sent_id"]), json.loads(row["tokens_json"])))
    stages = DocumentAnnotator.load()
    documents, begins = {}, {}
    for name, some in sentences.items():
        at = 0
        for number, words in sorted(some):
            begins[name, number] = at
            at += len(words)
        (documents[name],) = coref_documents(stages.annotate_words([(name, [words for _, words in sorted(some)])]))
    mentions = []
    for row in rows:
        begin = begins[row["doc_id"], int(row["sent_id"])]
        tokens = tuple(begin + int(number) for number in row["token_numbers"].split())
        head = head_of(documents[row["doc_id"]], tokens[0], tokens[-1] + 1)
        mentions.append(EcbMention(row["kind"], row["split"], row["doc_id"], tokens, head, row["cluster_id"]))
    return EcbPlus(documents, mentions)


_PARTS = ("train", "dev", "test")


def _topic(row: Mapping[str, str]) -> int:
    return int(row["doc_id"].partition("_")[0])
