"""Annotated sets of coreference, to learn from and to be judged by: OntoGUM, LitBank, WikiCoref, GAP, WinoBias.

Words and sentences are the set's own; tags, trees and names are by our own stages, so that a model learns from what it
will meet. GAP says of one pronoun whether two names are its antecedents, nothing else (Webster et al., 2018); WinoBias
has pairs of sentences that differ in the stereotype of an occupation alone (Zhao et al., 2018).
"""

import csv
import gzip
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from onoma.coref._learning_kernels import HIDDEN
from onoma.coref.attributes import Column
from onoma.coref.document import Document
from onoma.coref.features import prepare
from onoma.coref.filters import train_filter
from onoma.coref.learning import Example
from onoma.coref.mentions import Conventions, Span, candidate_mentions
from onoma.coref.model import Annotated, CorefModel, example_of
from onoma.corpus.corpus import Corpus
from onoma.corpus.documents import Text
from onoma.corpus.formats import read_corpus
from onoma.pipeline.coref_documents import coref_documents, given_mentions
from onoma.text.documents.annotator import DocumentAnnotator, batches_of

__all__ = [
    "Further",
    "Snippet",
    "annotated_documents",
    "gap_examples",
    "gap_scores",
    "gap_snippets",
    "litbank",
    "litbank_folds",
    "winobias",
]


def annotated_documents(corpus: Corpus, *, limit: int | None = None, genres: bool = True) -> list[Annotated]:
    """Annotate the words of a corpus by our own stages; keep its chains and speakers."""
    return [
        replace(one, document=replace(one.document, genre=_genre(one.document.name))) if genres else one
        for one, _ in given_mentions(corpus, limit=limit)
    ]


def _genre(name: str) -> str:
    parts = name.split("_")
    return parts[1] if parts[0] == "GUM" and len(parts) > 2 else ""


def litbank(folder: Path, *, limit: int | None = None) -> dict[str, Annotated]:
    """Return the documents of LitBank by name."""
    found = {}
    with TemporaryDirectory() as place, zipfile.ZipFile(folder / "coref_conll.zip") as archive:
        for name in sorted(archive.namelist())[:limit]:
            if name.endswith(".conll"):
                corpus = read_corpus(archive.extract(name, place), format="conll2012")
                (found[Path(name).stem],) = annotated_documents(corpus)
    return found


def litbank_folds(folder: Path) -> list[dict[str, list[str]]]:
    """Return the names of the training, development and test documents of each of the ten folds."""
    with zipfile.ZipFile(folder / "tenfold_splits.zip") as archive:
        return [
            {
                part: [Path(line).stem for line in archive.read(f"{fold}/{part}.ids").decode().split()]
                for part in ("train", "dev", "test")
            }
            for fold in range(10)
        ]


def winobias(archive: Path, part: str, kind: str, stereotype: str) -> list[Annotated]:
    """Return one part of WinoBias: `dev` or `test`, `type1` or `type2`, `pro` or `anti`."""
    name = f"{part}_{kind}_{stereotype}_stereotype.v4_auto_conll"
    with TemporaryDirectory() as place, zipfile.ZipFile(archive) as packed:
        return annotated_documents(read_corpus(packed.extract(name, place), format="conll2012"))


@dataclass(frozen=True, eq=False)
class Snippet:
    """A text of GAP: tokens, the pronoun's token, and of each of two names its tokens and whether it is meant."""

    document: Document
    pronoun: int
    feminine: bool
    names: tuple[tuple[int, int], tuple[int, int]]
    right: tuple[bool, bool]


def gap_snippets(file: Path, *, limit: int | None = None) -> list[Snippet]:
    """Annotate the texts of a file of GAP."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        rows = list(csv.DictReader(io.StringIO(stream.read()), delimiter="\t", quoting=csv.QUOTE_NONE))[:limit]
    stages = DocumentAnnotator.load()
    by_name = {row["ID"]: row for row in rows}
    found = []
    for batch in batches_of([Text(row["ID"], row["Text"]) for row in rows]):
        annotations = stages.annotate(batch)
        for one, document in zip(annotations, coref_documents(annotations), strict=True):
            starts, ends = one.tokens["start_char"].to_numpy(), one.tokens["end_char"].to_numpy()
            found.append(_snippet(document, by_name[document.name], starts, ends))
    return found


def _snippet(document: Document, row: Mapping[str, str], starts: np.ndarray, ends: np.ndarray) -> Snippet:
    def place(key: str) -> tuple[int, int]:
        low = int(row[f"{key}-offset"])
        inside = np.flatnonzero((ends > low) & (starts < low + len(row[key])))
        return int(inside[0]), int(inside[-1]) + 1

    return Snippet(
        document,
        place("Pronoun")[0],
        row["Pronoun"].lower() in {"she", "her", "hers"},
        (place("A"), place("B")),
        (row["A-coref"].upper() == "TRUE", row["B-coref"].upper() == "TRUE"),
    )


def _is_mention_of(span: Span, name: tuple[int, int]) -> bool:
    """Say whether a mention is that of a name: its head stands in it."""
    return name[0] <= span.head < name[1]


def gap_examples(
    snippets: Iterable[Snippet],
    vocabulary: Mapping[str, int],
    conventions: Conventions = Conventions(),  # noqa: B008  (frozen)
) -> Iterator[Example]:
    """Yield what a model may learn from GAP: of each pronoun that means one of the two names, which.

    Other mentions may mean the same person, which GAP does not say: pronouns and phrases are hidden, and names that
    share a word with the right one.
    """
    for one in snippets:
        spans = candidate_mentions(one.document, conventions)
        here = [k for k, span in enumerate(spans) if (span.start, span.end) == (one.pronoun, one.pronoun + 1)]
        if not here or one.right[0] == one.right[1]:
            continue
        right = one.names[0] if one.right[0] else one.names[1]
        prepared = prepare(one.document, spans, vocabulary)
        chains = np.full(len(spans), HIDDEN, np.int64)
        words = set(one.document.words[right[0] : right[1]])
        for k, span in enumerate(spans):
            if _is_mention_of(span, right):
                chains[k] = 0
            elif prepared.mentions.table[k, Column.TYPE] == 1 and not words & set(
                one.document.words[span.start : span.end]
            ):
                chains[k] = -1
        taught = np.zeros(len(spans), bool)
        taught[here[0]] = (chains[: here[0]] == 0).any()
        chains[here[0]] = 0
        yield Example(prepared, chains, taught)


@dataclass(frozen=True, eq=False)
class Further:
    """What a model may learn from besides documents of its own scheme.

    Parameters
    ----------
    snippets
        Of GAP.
    documents
        Of another scheme. Schemes differ in which noun phrases they annotate, hardly in what a pronoun or a name refers
        to: these alone are learnt.
    """

    snippets: Sequence[Snippet] = ()
    documents: Sequence[Annotated] = ()

    def examples(
        self,
        vocabulary: Mapping[str, int],
        conventions: Conventions = Conventions(),  # noqa: B008  (frozen)
        *,
        gold_mentions: bool = False,
    ) -> list[Example]:
        """Return examples in the words that a model knows, with mentions by its scheme's conventions."""
        found = [] if gold_mentions else list(gap_examples(self.snippets, vocabulary, conventions))
        others = [example_of(one, vocabulary, conventions, gold_mentions=gold_mentions) for one in self.documents]
        if others and not gold_mentions:
            sieve = train_filter([one.prepared for one in others], [one.chains for one in others], _KEPT)
            others = [one.only(sieve.keeps(one.prepared) | (one.chains >= 0)) for one in others]
        for one in others:
            kind = one.prepared.mentions.table[:, Column.TYPE]
            found.append(replace(one, taught=(one.chains >= 0) & (kind <= 1)))
        return found


_KEPT = 0.98
"""Of the mentions of further documents, so many are looked at."""


def gap_scores(snippets: Sequence[Snippet], model: CorefModel) -> dict[str, float]:
    """Return F1 in per cent, with mentions found by the system: of all, of feminine and of masculine pronouns.

    A name is found where the pronoun's chain has a mention whose head stands in the name.
    """
    counts = {feminine: np.zeros(3) for feminine in (True, False)}  # found and right, found, right
    for one in snippets:
        found = model.resolve(one.document)
        spans = found.prepared.spans
        own = [label for span, label in zip(spans, found.labels, strict=True) if span.start == span.head == one.pronoun]
        chain = [span for span, label in zip(spans, found.labels, strict=True) if label in own]
        for name, right in zip(one.names, one.right, strict=True):
            said = any(_is_mention_of(span, name) for span in chain)
            counts[one.feminine] += (said and right, said, right)
    both = {"all": counts[True] + counts[False], "feminine": counts[True], "masculine": counts[False]}
    return {name: float(200 * hits / max(said + right, 1)) for name, (hits, said, right) in both.items()}
