"""Whole documents: every stage on a batch of texts, and the result as tables.

Texts are cut into tokens one by one, then put end to end, so that each later stage is one call for the batch: arrays
from end to end, no Python per token. A text's annotation does not depend on the batch it stands in, nor on the other
paragraphs around a paragraph.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.arrays import array_of
from onoma.corpus.documents import Annotations, Text
from onoma.corpus.schema import ANNOTATED_DOCUMENTS, ANNOTATED_TOKENS, SENTENCES, SPANS
from onoma.text.annotate import MODELS, Annotator
from onoma.text.names.attributes import AttributeLists, Mention
from onoma.text.names.kinds import MentionKinds
from onoma.text.names.tagger import NAME_TYPES, Names, NameTagger
from onoma.text.syntax.phrases import Phrases, noun_phrases
from onoma.text.tokens import Tokens

__all__ = ["DocumentAnnotator", "Pipeline", "as_texts", "batches_of"]

_BATCH = 100_000
"""Characters annotated together: large enough for arrays, small enough for memory."""


class Pipeline(Protocol):
    """Whatever annotates texts: Onoma's own stages, or spaCy's."""

    @property
    def identity(self) -> str:
        """Names the models and their versions; annotations of one identity are alike."""

    def annotate(self, texts: Sequence[Text]) -> Annotations:
        """Annotate a batch."""


@dataclass(frozen=True, eq=False)
class DocumentAnnotator:
    """Onoma's own stages."""

    stages: Annotator
    names: NameTagger
    kinds: MentionKinds
    lists: AttributeLists
    identity: str
    style: str = "wiki"

    @classmethod
    def load(cls, folder: str | Path | None = None, *, style: str = "wiki") -> "DocumentAnnotator":
        """Read the models of a folder; by default those that come with Onoma, once."""
        found = _load(MODELS if folder is None else Path(folder))
        return found if style == found.style else replace(found, style=style)

    def annotate(self, texts: Sequence[Text]) -> Annotations:
        """Annotate a batch of texts."""
        return self._annotate(texts, [self.stages.tokenise(text.text) for text in texts])

    def annotate_words(self, documents: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> Annotations:
        """Annotate documents that are cut into sentences and words already: pairs of name and sentences."""
        cut = [Tokens.of_words(sentences) for _, sentences in documents]
        texts = [Text(name, tokens.text) for (name, _), tokens in zip(documents, cut, strict=True)]
        return self._annotate(texts, cut)

    def _annotate(self, texts: Sequence[Text], cut: Sequence[Tokens]) -> Annotations:
        tokens = _end_to_end(cut)
        sizes = np.array([len(each) for each in cut], np.int64)
        places = _Places.of(texts, cut, sizes)
        if not len(tokens):
            return Annotations(places.documents(texts), *(each.empty_table() for each in _EMPTY))
        tags, trees = self.stages.tag_and_parse(tokens)
        words = tokens.words()
        lemmas = self.stages.lemmas(tokens, tags)
        values = self.names.attributes(tokens)
        names = self.names.find(tokens, style=self.style, values=values)
        xpos = _named(self.stages.tagger.xpos_names, tags.xpos)
        columns: dict[str, Any] = {
            "word": words,
            "tag": xpos,
            "lemma": lemmas,
            "upos": _named(self.stages.tagger.upos_names, tags.upos),
            "feats": [
                None if each in ("", "_") else each for each in _named(self.stages.tagger.feats_names, tags.feats)
            ],
            "head": places.in_document(np.where(trees.heads < 0, np.arange(len(tokens)), trees.heads)),
            "deprel": _named(self.stages.parser.label_names, trees.labels),
            "start_char": places.characters(tokens.starts),
            "end_char": places.characters(tokens.ends),
        }
        phrases = noun_phrases(tokens.sentences, trees.heads, columns["deprel"], columns["upos"], words)
        spans = _spans(self, places, tokens, (names, values), phrases, (words, xpos, lemmas))
        return Annotations(places.documents(texts), places.sentences(tokens), places.tokens(tokens, columns), spans)

    def mention_bounds(self, tokens: Tokens) -> set[tuple[int, int]]:
        """Return where mentions begin and end in sentences whose tokens are given: noun phrases, pronouns, names."""
        tags, trees = self.stages.tag_and_parse(tokens)
        labels = _named(self.stages.parser.label_names, trees.labels)
        upos = _named(self.stages.tagger.upos_names, tags.upos)
        xpos = _named(self.stages.tagger.xpos_names, tags.xpos)
        phrases = noun_phrases(tokens.sentences, trees.heads, labels, upos, tokens.words())
        names = self.names.find(tokens, style=self.style)
        return set(_candidates(tokens, names, phrases, xpos))


def as_texts(texts: "str | Text | Iterable[str | Text]") -> Iterator[Text]:
    """Take texts as they come: one or many, strings or `Text`."""
    for number, each in enumerate([texts] if isinstance(texts, str | Text) else texts, 1):
        yield each if isinstance(each, Text) else Text(str(number), each)


def batches_of(texts: Iterable[Text], size: int = _BATCH) -> Iterator[list[Text]]:
    """Cut a stream of texts into batches of about so many characters; a longer text is a batch of its own."""
    batch: list[Text] = []
    held = 0
    for text in texts:
        if batch and held + len(text.text) > size:
            yield batch
            batch, held = [], 0
        batch.append(text)
        held += len(text.text)
    if batch:
        yield batch


_ALONE = frozenset(("PRP", "PRP$", "WP"))
"""Tags of words that may be a mention by themselves."""
_EMPTY = (SENTENCES, ANNOTATED_TOKENS, SPANS)


@functools.cache
def _load(folder: Path) -> DocumentAnnotator:
    from onoma.text.documents.registry import identity_of

    stages = Annotator.load(folder)
    names = NameTagger.load(folder / "names.npz", stages.words)
    kinds = MentionKinds.load(folder / "kinds.npz", names)
    return DocumentAnnotator(stages, names, kinds, AttributeLists.load(folder / "attributes.npz"), identity_of(folder))


def _named(names: Sequence[str], codes: NDArray[np.integer]) -> list[str]:
    return [names[code] for code in codes.tolist()]


def _end_to_end(parts: Sequence[Tokens]) -> Tokens:
    """Put tokens of several texts end to end."""
    n_codes = np.cumsum([0, *(len(part.codes) for part in parts)])
    n_tokens = np.cumsum([0, *(len(part) for part in parts)])
    empty = [np.zeros(0, np.int32)]
    codes = np.concatenate([np.zeros(0, np.uint32), *(part.codes for part in parts)])
    starts = np.concatenate([*empty, *(part.starts + k for part, k in zip(parts, n_codes, strict=False))])
    ends = np.concatenate([*empty, *(part.ends + k for part, k in zip(parts, n_codes, strict=False))])
    sentences = [part.sentences[1:] + k for part, k in zip(parts, n_tokens, strict=False)]
    return Tokens(
        codes,
        starts.astype(np.int32),
        ends.astype(np.int32),
        np.concatenate([np.zeros(1, np.int32), *sentences]).astype(np.int32),
    )


@dataclass(frozen=True, eq=False)
class _Places:
    """Which document each token of a batch stands in, and where that document begins."""

    ids: pa.Array
    document_of: NDArray[np.int64]
    first_token: NDArray[np.int64]
    first_code: NDArray[np.int64]
    n_tokens: NDArray[np.int64]
    n_sentences: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[Text], cut: Sequence[Tokens], sizes: NDArray[np.int64]) -> "_Places":
        first = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)
        codes = np.concatenate([[0], np.cumsum([len(each.codes) for each in cut])])[:-1].astype(np.int64)
        sentences = np.array([len(each.sentences) - 1 for each in cut], np.int64)
        ids = array_of([text.document for text in texts], pa.string())
        return cls(ids, np.repeat(np.arange(len(texts)), sizes), first, codes, sizes, sentences)

    def in_document(self, token: NDArray[np.integer], at: NDArray[np.integer] | None = None) -> NDArray[np.int64]:
        """Count tokens of the batch in their documents; `at` is a token of the same document."""
        return token - self.first_token[self.document_of[token if at is None else at]]

    def characters(self, offsets: NDArray[np.integer]) -> NDArray[np.int64]:
        return offsets - self.first_code[self.document_of]

    def documents(self, texts: Sequence[Text]) -> pa.Table:
        columns = {
            "document": self.ids,
            "part": np.zeros(len(texts), np.int32),
            "n_sentences": self.n_sentences,
            "n_tokens": self.n_tokens,
            "text": [text.text for text in texts],
            "source": [text.source for text in texts],
            "problem": [text.problem for text in texts],
        }
        return _table(columns, ANNOTATED_DOCUMENTS)

    def sentences(self, tokens: Tokens) -> pa.Table:
        starts, ends = tokens.sentences[:-1].astype(np.int64), tokens.sentences[1:].astype(np.int64)
        document = np.repeat(np.arange(len(self.ids)), self.n_sentences)
        number = np.arange(len(starts)) - np.repeat(np.cumsum(self.n_sentences) - self.n_sentences, self.n_sentences)
        columns = {
            "document": self.ids.take(array_of(document, pa.int64())),
            "part": np.zeros(len(starts), np.int32),
            "sentence": number,
            "start": starts - self.first_token[document],
            "end": ends - self.first_token[document],
        }
        return _table(columns, SENTENCES)

    def tokens(self, tokens: Tokens, columns: dict[str, Any]) -> pa.Table:
        lengths = np.diff(tokens.sentences)
        first = np.cumsum(self.n_sentences) - self.n_sentences
        sentence = np.repeat(np.arange(len(lengths)), lengths)
        own = {
            "document": self.ids.take(array_of(self.document_of, pa.int64())),
            "part": np.zeros(len(tokens), np.int32),
            "sentence": sentence - first[self.document_of],
            "token": self.in_document(np.arange(len(tokens))),
        }
        return _table(own | columns, ANNOTATED_TOKENS)


def _table(columns: dict[str, Any], schema: pa.Schema) -> pa.Table:
    n = len(next(iter(columns.values())))
    arrays = [
        array_of(columns[field.name], field.type) if field.name in columns else pa.nulls(n, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _spans(
    annotator: DocumentAnnotator,
    places: _Places,
    tokens: Tokens,
    found_names: tuple[Names, NDArray[np.uint32]],
    phrases: Phrases,
    columns: tuple[Sequence[str], Sequence[str], Sequence[str]],
) -> pa.Table:
    """Make the spans: names, and mentions (noun phrases, pronouns and names) with what is known of them."""
    names, values = found_names
    kind = {
        end - 1: (start, end, NAME_TYPES[code], chance)
        for start, end, code, chance in zip(
            names.starts.tolist(), names.ends.tolist(), names.types.tolist(), names.probabilities.tolist(), strict=True
        )
    }
    inside = {i: each for each in kind.values() for i in range(each[0], each[1])}
    words, xpos, lemmas = columns
    found = _candidates(tokens, names, phrases, xpos)
    bounds = sorted(found, key=lambda span: (span[0], -span[1]))
    known = annotator.lists.attributes(
        [
            Mention(words[a:b], xpos[a:b], head - a, inside[head][2] if head in inside else None, lemmas[head])
            for (a, b), head in ((span, found[span]) for span in bounds)
        ]
    )
    rows: list[tuple[int, int, int, str, Any, Any, Any]] = [
        (start, 0, end, "name", label, chance, None) for start, end, label, chance in kind.values()
    ]
    types = _types(len(tokens), names)
    of_what, chances = annotator.kinds.find(tokens, *_as_arrays(bounds, found), types, values=values)
    rows += [
        (a, 1, b, "mention", label, chance, attributes)
        for (a, b), label, chance, attributes in zip(bounds, of_what, chances.tolist(), known, strict=True)
    ]
    rows.sort(key=lambda row: (row[0], row[1], -row[2]))
    text = tokens.text
    starts = np.array([row[0] for row in rows], np.int64)
    ends = np.array([row[2] for row in rows], np.int64)
    heads = np.array([found[row[0], row[2]] for row in rows], np.int64)
    made: dict[str, Any] = {
        "document": places.ids.take(array_of(places.document_of[starts], pa.int64())),
        "part": np.zeros(len(rows), np.int32),
        "layer": [row[3] for row in rows],
        "start": places.in_document(starts),
        "end": places.in_document(ends, starts),
        "text": [
            text[a:b] for a, b in zip(tokens.starts[starts].tolist(), tokens.ends[ends - 1].tolist(), strict=True)
        ],
        "type": [row[4] for row in rows],
        "probability": [row[5] for row in rows],
        "head": places.in_document(heads),
    }
    for name in ("mention_type", "number", "gender", "animacy", "provenance"):
        made[name] = [None if row[6] is None else getattr(row[6], name) for row in rows]
    return _table(made, SPANS)


def _candidates(tokens: Tokens, names: Names, phrases: Phrases, xpos: Sequence[str]) -> dict[tuple[int, int], int]:
    """Return the spans that may be mentions, each with its head.

    Noun phrases and names; pronouns and runs of proper nouns, wherever the tree put them; and, where a phrase is
    followed by a conjunction or preposition and another phrase, the two as one, for trees often cut there wrongly.
    """
    rows = zip(phrases.starts.tolist(), phrases.ends.tolist(), phrases.heads.tolist(), strict=True)
    found = {(start, end): head for start, end, head in rows}
    for start, end in zip(names.starts.tolist(), names.ends.tolist(), strict=True):
        found.setdefault((start, end), end - 1)
    for a, b in pairwise(tokens.sentences.tolist()):
        at = a
        while at < b:
            end = at + 1
            while xpos[at].startswith("NNP") and end < b and xpos[end].startswith("NNP"):
                end += 1
            is_demonstrative = xpos[at] == "DT" and (end == b or not xpos[end].startswith(("N", "J", "C", "V")))
            if xpos[at] in _ALONE or xpos[at].startswith("NNP") or is_demonstrative:
                found.setdefault((at, end), end - 1)
            at = end
    return {**_joined(found, xpos, set(tokens.sentences.tolist())), **found}


def _joined(found: dict[tuple[int, int], int], xpos: Sequence[str], bounds: set[int]) -> dict[tuple[int, int], int]:
    """Return pairs of phrases with one conjunction or preposition between them, and such pairs with a third."""
    ends_at: dict[int, list[int]] = {}
    for start, end in found:
        ends_at.setdefault(start, []).append(end)
    joined: dict[tuple[int, int], int] = {}
    rows = list(found.items())
    for _ in range(2):
        fresh = {
            (start, further): head
            for (start, end), head in rows
            if end + 1 < len(xpos) and xpos[end] in ("CC", "IN", "TO") and not {end, end + 1} & bounds
            for further in ends_at.get(end + 1, ())
        }
        joined |= fresh
        rows = list(fresh.items())
    return joined


def _as_arrays(
    bounds: Sequence[tuple[int, int]], heads: dict[tuple[int, int], int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    starts, ends = (np.array([each[k] for each in bounds], np.int64) for k in range(2))
    return starts, ends, np.array([heads[each] for each in bounds], np.int64)


def _types(n: int, names: Names) -> NDArray[np.int64]:
    """Return, for each token, 1 + the number of the type of the name it stands in, 0 for none."""
    types = np.zeros(n, np.int64)
    for start, end, kind in zip(names.starts.tolist(), names.ends.tolist(), names.types.tolist(), strict=True):
        types[start:end] = kind + 1
    return types
