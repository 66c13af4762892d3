"""Annotated documents from files: CoNLL-U, CoNLL-2012, brat, spaCy's DocBin, and Onoma's own JSON Lines.

Each reader yields `Annotations`, a batch for each file or line. Where a format has no raw text, words are joined by
blanks (CoNLL-U: as `SpaceAfter=No` says), and offsets count in that.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from onoma.corpus.corpus import Corpus
from onoma.corpus.documents import Annotations
from onoma.corpus.readers.conll2012 import read_conll2012
from onoma.corpus.readers.conllu import read_conllu
from onoma.corpus.readers.source import read_text
from onoma.corpus.readers.texts import text_format_of
from onoma.corpus.schema import ANNOTATED_DOCUMENTS, ANNOTATED_TOKENS, SENTENCES, SPANS
from onoma.errors import DataError, UnsupportedError

__all__ = ["read_annotations", "row_of_doc", "rows_as_annotations"]

_WORD = re.compile(r"\w+|[^\w\s]")


def read_annotations(path: str | Path, *, format: str | None = None) -> Iterator[Annotations]:
    """Yield the annotated documents of a file.

    Parameters
    ----------
    path
        The file; of brat, the `.txt` or the `.ann`.
    format
        conllu, conll2012, brat, docbin or jsonl; default: as the name says.
    """
    path = Path(path)
    name = format or ("brat" if path.suffix == ".txt" else text_format_of(path))
    if name not in _READERS:
        raise DataError(f"{name} holds no annotation; {', '.join(_READERS)} do", file=path)
    return _READERS[name](path)


def rows_as_annotations(rows: Sequence[Mapping[str, Any]]) -> Annotations:
    """Take documents as `onoma annotate -o out.jsonl` writes them: nested, one object a document."""
    documents, sentences, tokens, spans = [], [], [], []
    for row in rows:
        key = {"document": row["document"], "part": int(row.get("part", 0))}
        found = [{**key, "sentence": number, **each} for number, each in enumerate(row.get("sentences", []))]
        words = [{**key, "token": number, **each} for number, each in enumerate(row.get("tokens", []))]
        for sentence in found:
            for token in words[sentence["start"] : sentence["end"]]:
                token["sentence"] = sentence["sentence"]
        sentences += found
        tokens += words
        spans += [{**key, **each} for each in row.get("spans", [])]
        counts = {"n_sentences": len(found), "n_tokens": len(words)}
        documents.append(
            {**key, **counts, **{name: row.get(name) for name in ("text", "source", "problem")}},
        )
    return Annotations(
        pa.Table.from_pylist(documents, schema=ANNOTATED_DOCUMENTS),
        pa.Table.from_pylist(sentences, schema=SENTENCES),
        pa.Table.from_pylist(tokens, schema=ANNOTATED_TOKENS),
        pa.Table.from_pylist(spans, schema=SPANS),
    )


def _of_conllu(path: Path) -> Iterator[Annotations]:
    corpus = read_conllu(path)
    misc = corpus.tokens["misc"].to_pylist()
    yield from _with_text(corpus, [value is None or "SpaceAfter=No" not in value for value in misc])


def _of_conll2012(path: Path) -> Iterator[Annotations]:
    corpus = read_conll2012(path)
    yield from _with_text(corpus, [True] * len(corpus.tokens))


def _with_text(corpus: Corpus, is_apart: Sequence[bool]) -> Iterator[Annotations]:
    """Put the text together from the words, a line a sentence; yield each document."""
    whole = Annotations.of_corpus(corpus)
    at = 0
    for document in whole:
        words, sentences = document.tokens["word"].to_pylist(), document.tokens["sentence"].to_pylist()
        apart = is_apart[at : at + len(words)]
        at += len(words)
        pieces: list[str] = []
        starts, length = [], 0
        for i, word in enumerate(words):
            is_last = i + 1 == len(words)
            gap = "" if is_last else "\n" if sentences[i + 1] != sentences[i] else " " if apart[i] else ""
            starts.append(length)
            pieces += [word, gap]
            length += len(word) + len(gap)
        yield _offset(document, "".join(pieces), starts)


def _offset(document: Annotations, text: str, starts: Sequence[int]) -> Annotations:
    words = document.tokens["word"].to_pylist()
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    tokens = _set(_set(document.tokens, "start_char", starts), "end_char", ends)
    spans = document.spans
    if len(spans):
        places = zip(spans["start"].to_pylist(), spans["end"].to_pylist(), strict=True)
        spans = _set(spans, "text", [text[starts[a] : ends[b - 1]] for a, b in places])
    return Annotations(_set(document.documents, "text", [text]), document.sentences, tokens, spans)


def _set(table: pa.Table, name: str, values: Sequence[object]) -> pa.Table:
    position = table.schema.get_field_index(name)
    column = table.schema.field(position)
    return table.set_column(position, column, pa.array(values, column.type))


def _of_jsonl(path: Path) -> Iterator[Annotations]:
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            try:
                yield rows_as_annotations([json.loads(line)])
            except (ValueError, KeyError, TypeError, IndexError, AttributeError, pa.ArrowInvalid) as error:
                raise DataError(f"is no annotated document: {error}", file=path, row=number) from error


def _of_brat(path: Path) -> Iterator[Annotations]:
    """Read brat standoff: the text, and spans by character; words are cut at blanks and signs."""
    text = read_text(path.with_suffix(".txt"))
    notes = path.with_suffix(".ann")
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    starts = {start: i for i, (start, _) in enumerate(words)}
    ends = {end: i + 1 for i, (_, end) in enumerate(words)}
    spans = []
    for number, line in enumerate(read_text(notes).split("\n") if notes.exists() else [], 1):
        if not line.startswith("T"):
            continue
        cells = line.split("\t")
        match = re.fullmatch(r"(\S+) (\d+)(?: \d+;\d+)* (\d+)", cells[1]) if len(cells) >= 2 else None
        if match is None or int(match[3]) > len(text):
            raise DataError("is no span 'T1<tab>Type start end<tab>text' of the text beside it", file=notes, row=number)
        a, b = int(match[2]), int(match[3])
        first = starts.get(a, next((i for i, word in enumerate(words) if word[1] > a), 0))
        last = ends.get(b, next((i + 1 for i in range(len(words) - 1, -1, -1) if words[i][0] < b), first + 1))
        spans.append({"layer": "name", "start": first, "end": last, "type": match[1], "text": text[a:b]})
    tokens = [{"word": text[a:b], "start_char": a, "end_char": b} for a, b in words]
    sentences = [{"start": 0, "end": len(tokens)}] if tokens else []
    row = {"document": path.stem, "text": text, "source": str(path), "tokens": tokens, "spans": spans}
    yield rows_as_annotations([{**row, "sentences": sentences}])


def _of_docbin(path: Path) -> Iterator[Annotations]:
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError as error:
        raise UnsupportedError("a DocBin is read by spaCy", hint="pip install 'onoma[spacy]'") from error
    try:
        docs: Iterable[Any] = DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)
        for number, doc in enumerate(docs):
            yield rows_as_annotations(
                [{**row_of_doc(doc), "document": f"{path.stem}#{number + 1}", "source": str(path)}]
            )
    except (ValueError, KeyError, OSError) as error:
        raise DataError(f"is no DocBin: {error}", file=path) from error


def row_of_doc(doc: Any) -> dict[str, Any]:  # noqa: ANN401  (spaCy's Doc)
    """Return a spaCy document as one nested object."""
    tokens = [
        {
            "word": token.text,
            "start_char": token.idx,
            "end_char": token.idx + len(token.text),
            "tag": token.tag_ or None,
            "upos": token.pos_ or None,
            "feats": str(token.morph) or None,
            "lemma": token.lemma_ or None,
            "head": token.head.i if doc.has_annotation("DEP") else None,
            "deprel": token.dep_ or None,
        }
        for token in doc
        if not token.is_space
    ]
    place = {token.i: k for k, token in enumerate(token for token in doc if not token.is_space)}
    for each in tokens:
        each["head"] = place.get(each["head"]) if each["head"] is not None else None

    def bounds(span: Any) -> tuple[int, int] | None:  # noqa: ANN401
        inside = [place[token.i] for token in span if token.i in place]
        return (inside[0], inside[-1] + 1) if inside else None

    cut = [bounds(each) for each in doc.sents] if doc.has_annotation("SENT_START") else [bounds(doc)]
    found = [("name", each, bounds(each)) for each in doc.ents]
    if doc.has_annotation("DEP"):
        found += [("noun_phrase", each, bounds(each)) for each in doc.noun_chunks]
    spans = [
        {"layer": layer, "start": at[0], "end": at[1], "type": each.label_, "text": each.text}
        for layer, each, at in found
        if at
    ]
    sentences = [{"start": at[0], "end": at[1]} for at in cut if at]
    return {"text": doc.text, "tokens": tokens, "sentences": sentences, "spans": spans}


_READERS: Mapping[str, Callable[[Path], Iterator[Annotations]]] = {
    "conllu": _of_conllu,
    "conll2012": _of_conll2012,
    "brat": _of_brat,
    "docbin": _of_docbin,
    "jsonl": _of_jsonl,
}
