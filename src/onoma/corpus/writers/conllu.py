"""Write CoNLL-U with coreference in `Entity=`.

A corpus that was read from CoNLL-U keeps its lines: only the `Entity=` attribute is made anew, and only where it says
something else, so an untouched corpus gives the same bytes. Any other corpus is written with words, lemmas and tags,
and with the chain and type of each mention.
"""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.conllu import CHAIN_FIELDS, parse_entity
from onoma.corpus.writers.brackets import Span, marks_by_token
from onoma.corpus.writers.files import write_text
from onoma.corpus.writers.layout import Part, parts_of
from onoma.errors import DataError

__all__ = ["write_conllu"]

_FIELDS = "eid-etype"
_ENTITY = re.compile(r"(?:^|(?<=\|))Entity=[^|]*\|?")


def write_conllu(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus as CoNLL-U, packed if the name ends in .gz or .zst.

    Parameters
    ----------
    corpus
        Mentions that are in no chain are left out. A part above 0 becomes a document of its own, `name_part_001`.
    path
        The file; it is replaced whole, or not touched if something is wrong.
    """
    kept = corpus.format == "conllu"
    pieces = [piece for part in parts_of(corpus) for piece in (_as_it_came(part) if kept else _anew(part))]
    write_text(path, pieces)


def _cells(part: Part, fields: str) -> dict[int, str]:
    """Write the brackets of each token; a bracket opens with all fields and closes with the name of the chain."""
    where = f"document {part.document!r}"
    marks = marks_by_token(part.spans(), where=where, n_tokens=part.n_tokens)
    name, opening = _bracket_writers(part, fields)
    cells = {}
    for token, row in marks.items():
        cells[token] = "".join(
            f"{name(span)})" if kind == ")" else f"({opening(span)}" + ")" * (kind == "()") for kind, span in row
        )
    return cells


def _bracket_writers(part: Part, fields: str) -> tuple[Callable[[Span], str], Callable[[Span], str]]:
    columns = {column: part.mentions[column].to_pylist() for column in part.mentions.column_names}
    nulls = [None] * len(part.mentions)
    pieces = columns.get("piece", nulls)

    def name(span: Span) -> str:
        piece = pieces[span.row]
        return _escaped(span.chain) + (f"[{piece}]" if piece else "")

    def opening(span: Span) -> str:
        values: list[str] = []
        for field in fields.split("-"):
            if field in CHAIN_FIELDS:
                values.append(name(span))
            else:
                column = "type" if field == "etype" else field if field in columns else f"entity_{field}"
                value = columns.get(column, nulls)[span.row] or ""
                # Only the last field may hold a hyphen.
                values.append(value if len(values) == fields.count("-") else _escaped(value))
        return "-".join(values).rstrip("-")

    return name, opening


def _escaped(value: str) -> str:
    return re.sub(r"[-()|\s]", lambda match: f"%{ord(match[0]):02X}", value)


def _as_it_came(part: Part) -> Iterator[str]:
    tokens = part.columns("raw_before", "raw_line", "raw_cell")
    cells = _cells(part, str(part.facts["raw_fields"] or _FIELDS))
    declared = part.facts["raw_fields"] is not None or not cells
    yield part.raw_head
    for token, (before, line, raw) in enumerate(zip(*tokens.values(), strict=True)):
        new = cells.get(token, "")
        if not declared and not token:
            yield f"# global.Entity = {_FIELDS}\n"
        yield before
        yield line if new == raw or _meaning(new) == _meaning(raw) else _with_entity(line, new)
    yield part.raw_tail


def _meaning(cell: str) -> list[tuple[str, str]]:
    """Put marks in an order that depends on what they mean alone: one-token mentions first, the rest by chain."""
    marks = parse_entity(cell) or []
    return sorted(
        ((kind, content) for kind, content in marks),
        key=lambda mark: (mark[0] != "()", mark[1].split("-", 1)[0], mark[1] if mark[0] == "()" else ""),
    )


def _with_entity(line: str, value: str) -> str:
    """Set the attribute in the last column, in alphabetical place, or take it out."""
    bare = line.rstrip("\r\n")
    *columns, misc = bare.split("\t")
    attributes = [item for item in misc.split("|") if item != "_" and not item.startswith("Entity=")]
    if value:
        at = sum(item.split("=", 1)[0].lower() < "entity" for item in attributes)
        attributes.insert(at, f"Entity={value}")
    return "\t".join([*columns, "|".join(attributes) or "_"]) + line[len(bare) :]


def _anew(part: Part) -> Iterator[str]:
    name = part.document if part.part == 0 else f"{part.document}_part_{part.part:03d}"
    tokens = part.columns("sentence", "word", "lemma", "tag", "speaker")
    cells = _cells(part, _FIELDS)
    yield f"# newdoc id = {name}\n# global.Entity = {_FIELDS}\n"
    rows = enumerate(zip(*tokens.values(), strict=True))
    for number, (_, group) in enumerate(groupby(rows, key=lambda row: row[1][0]), 1):
        sentence = list(group)
        words = [_column(word, part, token) for token, (_, word, *_) in sentence]
        speakers = {speaker for _, (*_, speaker) in sentence}
        yield f"# sent_id = {name}-{number}\n"
        if len(speakers) == 1 and None not in speakers:
            yield f"# speaker = {speakers.pop()}\n"
        yield f"# text = {' '.join(words)}\n"
        for at, ((token, (_, _, lemma, tag, _)), word) in enumerate(zip(sentence, words, strict=True), 1):
            values = (_column(lemma, part, token), "_", _column(tag, part, token), "_", "_", "_", "_")
            misc = f"Entity={cells[token]}" if token in cells else "_"
            yield "\t".join([str(at), word, *values, misc]) + "\n"
        yield "\n"


def _column(value: str | None, part: Part, token: int) -> str:
    if value and any(mark in value for mark in "\t\n\r"):
        raise DataError(f"token {token} of document {part.document!r} is {value!r}; a column holds no tab or line end")
    return value or "_"
