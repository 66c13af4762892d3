"""Annotated documents into files: JSON Lines, CoNLL-U, CoNLL-2012, brat, DocBin, DuckDB, Parquet, text and HTML.

A writer takes a stream of batches and holds one document at a time (DocBin, which spaCy writes whole, holds all). What
is written appears whole or not at all.
"""

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq

from onoma.beside import place_for
from onoma.corpus.documents import Annotations
from onoma.corpus.schema import ANNOTATED_DOCUMENTS, ANNOTATED_TOKENS, SENTENCES, SPANS
from onoma.corpus.writers.files import open_output
from onoma.corpus.writers.folders import folder_for
from onoma.corpus.writers.highlight import highlighted_page
from onoma.errors import DataError, UnsupportedError

__all__ = ["ANNOTATION_FORMATS", "TABLES", "annotation_format_of", "document_row", "write_annotations"]

TABLES = {"documents": ANNOTATED_DOCUMENTS, "sentences": SENTENCES, "tokens": ANNOTATED_TOKENS, "spans": SPANS}
"""The four tables by name."""

ANNOTATION_FORMATS: Mapping[str, tuple[str, ...]] = {
    "jsonl": (".jsonl", ".ndjson"),
    "conllu": (".conllu",),
    "conll2012": (".conll", ".conll12"),
    "text": (".txt",),
    "markdown": (".md",),
    "html": (".html", ".htm"),
    "docbin": (".spacy",),
    "duckdb": (".duckdb",),
    "brat": (),
    "parquet": (),
}
"""What annotations can be written as, and the endings that say so; brat and parquet fill a folder."""

_KEY = ("document", "part")


def annotation_format_of(path: str | Path, format: str | None = None) -> str:
    """Return the format named, or the one the file name says; a name without ending is a folder of Parquet files.

    Examples
    --------
    >>> annotation_format_of("out.conllu"), annotation_format_of("folder")
    ('conllu', 'parquet')
    """
    known = ", ".join(ending for endings in ANNOTATION_FORMATS.values() for ending in endings)
    if format is not None:
        if format not in ANNOTATION_FORMATS:
            raise DataError(f"there is no format {format!r}; there are {', '.join(ANNOTATION_FORMATS)}")
        return format
    bare = Path(path).name.lower()
    for packed in (".gz", ".zst", ".xz"):
        bare = bare.removesuffix(packed)
    for name, endings in ANNOTATION_FORMATS.items():
        if endings and bare.endswith(endings):
            return name
    if "." in bare.lstrip(".") and not Path(path).is_dir():
        raise DataError(
            f"the name does not say the format; known endings are {known}, and a folder has none", file=path
        )
    return "parquet"


def write_annotations(batches: Iterable[Annotations], path: str | Path, *, format: str | None = None) -> int:
    """Write a stream of annotated documents; return how many there were.

    Parameters
    ----------
    batches
        The documents.
    path
        A file, or a folder for brat and parquet.
    format
        One of `ANNOTATION_FORMATS`; default: as the name says.
    """
    path = Path(path)
    count = [0]

    def counted() -> Iterator[Annotations]:
        for batch in batches:
            count[0] += len(batch)
            yield batch

    _WRITERS[annotation_format_of(path, format)](counted(), path)
    return count[0]


def document_row(document: Annotations) -> dict[str, Any]:
    """Return one document as a nested object; what is null is left out."""
    head = document.documents.to_pylist()[0]
    row: dict[str, Any] = {name: value for name, value in head.items() if value is not None or name == "text"}
    if row.get("part") == 0:
        del row["part"]
    row["sentences"] = [_bare(each, ("sentence",)) for each in document.sentences.to_pylist()]
    row["tokens"] = [_bare(each, ("sentence", "token")) for each in document.tokens.to_pylist()]
    row["spans"] = [_bare(each, ()) for each in document.spans.to_pylist()]
    return row


def _bare(row: Mapping[str, Any], more: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None and name not in (*_KEY, *more)}


def _lines(pieces: Callable[[Annotations], str], before: str = "", after: str = "") -> Callable[..., None]:
    """Make a writer of one text for each document."""

    def write(batches: Iterable[Annotations], path: Path) -> None:
        with open_output(path) as output:
            _put(output, before)
            for batch in batches:
                for document in batch:
                    _put(output, pieces(document))
            _put(output, after)

    return write


def _put(output: IO[bytes], text: str) -> None:
    output.write(text.encode("utf-8", "replace"))


def _jsonl(document: Annotations) -> str:
    return json.dumps(document_row(document), ensure_ascii=False, separators=(",", ":")) + "\n"


def _conllu(document: Annotations) -> str:
    head = document.documents.to_pylist()[0]
    text = head["text"]
    lines = [f"# newdoc id = {_one_line(head['document'])}"]
    tokens = document.tokens.to_pylist()
    entities = _entities(document)
    if entities:
        lines.insert(1, "# global.Entity = eid-etype")
    for number, sentence in enumerate(document.sentences.to_pylist()):
        rows = tokens[sentence["start"] : sentence["end"]]
        lines.append(f"# sent_id = {number + 1}")
        if text is not None and rows and rows[0]["start_char"] is not None:
            lines.append(f"# text = {_one_line(text[rows[0]['start_char'] : rows[-1]['end_char']])}")
        for k, token in enumerate(rows):
            following = rows[k + 1]["start_char"] if k + 1 < len(rows) else None
            is_glued = following is not None and following == token["end_char"]
            misc = [entities.get(token["token"], ""), "SpaceAfter=No" if is_glued else ""]
            head_number = _head(token, sentence["start"])
            cells = (
                str(k + 1),
                token["word"],
                token["lemma"],
                token["upos"],
                token["tag"],
                token["feats"],
                head_number,
                token["deprel"],
                None,
                "|".join(each for each in misc if each),
            )
            lines.append("\t".join(_one_line(cell) if cell else "_" for cell in cells))
        lines.append("")
    return "\n".join(lines) + ("\n" if len(document.sentences) else "\n\n")


def _head(token: Mapping[str, Any], start: int) -> str | None:
    if token["head"] is None:
        return None
    return "0" if token["head"] == token["token"] else str(token["head"] - start + 1)


def _entities(document: Annotations) -> dict[int, str]:
    """Return `Entity=` of each token that begins or ends a name: brackets that nest, an entity each."""
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    names = sorted(document.layer("name").to_pylist(), key=lambda span: (span["start"], -span["end"]))
    for number, span in enumerate(names, 1):
        mark = f"({number}-{span['type'] or ''}"
        if span["end"] == span["start"] + 1:
            opening.setdefault(span["start"], []).append(mark + ")")
        else:
            opening.setdefault(span["start"], []).append(mark)
            closing.setdefault(span["end"] - 1, []).insert(0, f"{number})")
    places = sorted(opening.keys() | closing.keys())
    return {at: "Entity=" + "".join([*closing.get(at, []), *opening.get(at, [])]) for at in places}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _conll2012(document: Annotations) -> str:
    head = document.documents.to_pylist()[0]
    names = {span["start"]: span for span in document.layer("name").to_pylist()}
    lines = [f"#begin document ({_one_line(head['document'])}); part {head['part']:03d}"]
    until = -1
    for sentence in document.sentences.to_pylist():
        for k, token in enumerate(
            document.tokens.slice(sentence["start"], sentence["end"] - sentence["start"]).to_pylist()
        ):
            at = token["token"]
            mark = "*"
            if at in names:
                mark = f"({names[at]['type']}*"
                until = names[at]["end"] - 1
            if at == until:
                mark = mark[:-1] + ")" if mark != "*" else "*)"
            cells = [head["document"], str(head["part"]), str(k), token["word"], token["tag"], token["parse"]]
            cells += [token["lemma"], None, None, token["speaker"], mark, None]
            lines.append("\t".join("_".join(cell.split()) if cell else "-" for cell in cells))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def _text(document: Annotations) -> str:
    return (document.documents["text"][0].as_py() or "") + "\n"


def _html(batches: Iterable[Annotations], path: Path) -> None:
    with open_output(path) as output:
        for piece in highlighted_page(document for batch in batches for document in batch):
            _put(output, piece)


def _brat(batches: Iterable[Annotations], path: Path) -> None:
    """Write a pair of files for each document; names are made fit for files."""
    with folder_for(path) as folder:
        _put_brat(batches, folder)


def _put_brat(batches: Iterable[Annotations], folder: Path) -> None:
    taken: set[str] = set()
    for batch in batches:
        for document in batch:
            row = document_row(document)
            stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in str(row["document"]))[-100:] or "_"
            while stem in taken:
                stem += "_"
            taken.add(stem)
            tokens, lines = row["tokens"], []
            for number, span in enumerate((each for each in row["spans"] if each["layer"] == "name"), 1):
                a, b = tokens[span["start"]]["start_char"], tokens[span["end"] - 1]["end_char"]
                lines.append(f"T{number}\t{span.get('type', 'NAME')} {a} {b}\t{_one_line((row['text'] or '')[a:b])}\n")
            for ending, content in ((".txt", row["text"] or ""), (".ann", "".join(lines))):
                with open_output(folder / f"{stem}{ending}") as output:
                    _put(output, content)


def _parquet(batches: Iterable[Annotations], path: Path) -> None:
    with folder_for(path) as folder, contextlib.ExitStack() as stack:
        writers = {
            name: stack.enter_context(pq.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd"))
            for name, schema in TABLES.items()
        }
        for batch in batches:
            for name, writer in writers.items():
                writer.write_table(getattr(batch, name).select(TABLES[name].names).cast(TABLES[name]))


def _duckdb(batches: Iterable[Annotations], path: Path) -> None:
    from onoma.corpus.store import write_tables

    with place_for(path) as place:
        place.unlink()  # DuckDB makes its own file
        write_tables(place, TABLES, ({name: getattr(batch, name) for name in TABLES} for batch in batches))


def _docbin(batches: Iterable[Annotations], path: Path) -> None:
    try:
        import spacy
        from spacy.tokens import Doc, DocBin, Span
    except ImportError as error:
        raise UnsupportedError("a DocBin is written by spaCy", hint="pip install 'onoma[spacy]'") from error
    box, vocab = DocBin(store_user_data=False), spacy.blank("en").vocab
    for batch in batches:
        for document in batch:
            tokens = document.tokens.to_pylist()
            doc = Doc(vocab, **doc_columns(document))
            doc.ents = [
                Span(doc, span["start"], span["end"], label=span["type"] or "NAME")
                for span in document.layer("name").to_pylist()
                if span["end"] <= len(tokens)
            ]
            box.add(doc)
    with place_for(path) as place:
        box.to_disk(place)


def doc_columns(document: Annotations) -> dict[str, Any]:
    """Return what spaCy's `Doc` is made of: words, blanks, tags, trees and where sentences begin."""
    tokens = document.tokens.to_pylist()
    n = len(tokens)
    spaces = [
        k + 1 < n and (token["end_char"] is None or tokens[k + 1]["start_char"] > token["end_char"])
        for k, token in enumerate(tokens)
    ]
    columns: dict[str, Any] = {"words": [token["word"] for token in tokens], "spaces": spaces}
    for name, ours in (("tags", "tag"), ("pos", "upos"), ("lemmas", "lemma"), ("morphs", "feats"), ("deps", "deprel")):
        if n and tokens[0][ours] is not None:
            columns[name] = [token[ours] or "" for token in tokens]
    if n and tokens[0]["head"] is not None:
        columns["heads"] = [token["head"] if token["head"] is not None else k for k, token in enumerate(tokens)]
    else:
        columns.pop("deps", None)
        starts = set(document.sentences["start"].to_pylist())
        columns["sent_starts"] = [k in starts for k in range(n)]
    return columns


_WRITERS: Mapping[str, Callable[[Iterable[Annotations], Path], None]] = {
    "jsonl": _lines(_jsonl),
    "conllu": _lines(_conllu),
    "conll2012": _lines(_conll2012),
    "text": _lines(_text),
    "markdown": _lines(_text),
    "html": _html,
    "docbin": _docbin,
    "duckdb": _duckdb,
    "brat": _brat,
    "parquet": _parquet,
}
