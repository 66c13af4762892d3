"""Write CoNLL-2012.

A corpus that was read from CoNLL-2012 keeps its lines: only the last column is made anew, and only where its meaning
has changed, so an untouched corpus gives the same bytes. Any other corpus is written with the twelve columns of the
task, apart by tabs.
"""

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.conll2012 import NOTHING, SINGLE, parse_cell
from onoma.corpus.writers.brackets import marks_by_token
from onoma.corpus.writers.files import write_text
from onoma.corpus.writers.layout import Part, parts_of
from onoma.errors import DataError

__all__ = ["write_conll2012"]


def write_conll2012(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus as CoNLL-2012, packed if the name ends in .gz or .zst.

    Parameters
    ----------
    corpus
        Mentions that are in no chain are left out: the format has no place for them.
    path
        The file; it is replaced whole, or not touched if something is wrong.
    """
    kept = corpus.format == "conll2012"
    pieces = [piece for part in parts_of(corpus) for piece in (_as_it_came(part) if kept else _anew(part))]
    write_text(path, pieces)


def _cells(part: Part) -> dict[int, str]:
    where = f"document {part.document!r} part {part.part}"
    cells = {}
    for token, marks in marks_by_token(part.spans(), where=where, n_tokens=part.n_tokens).items():
        cells[token] = "|".join(
            f"({span.chain})" if kind == "()" else f"({span.chain}" if kind == "(" else f"{span.chain})"
            for kind, span in marks
        )
    return cells


def _as_it_came(part: Part) -> Iterator[str]:
    tokens = part.columns("raw_before", "raw_head", "raw_cell", "raw_tail")
    nothing = next((cell for cell in tokens["raw_cell"] if cell in NOTHING), "-")
    cells = _cells(part)
    yield part.raw_head
    for token, (before, head, raw, tail) in enumerate(zip(*tokens.values(), strict=True)):
        new = cells.get(token, nothing)
        yield before
        yield head
        yield raw if _same(raw, new) else new
        yield tail
    yield part.raw_tail


def _same(raw: str, new: str) -> bool:
    """Say whether two cells mean the same: for each chain the same one-token mentions, openings and closings."""
    if raw == new or (raw in NOTHING and new in NOTHING):
        return True
    if raw in NOTHING or new in NOTHING:
        return False
    return _meaning(raw) == _meaning(new)


def _meaning(cell: str) -> tuple[list[str], list[tuple[str, str]]]:
    marks = parse_cell(cell) or []
    singles = sorted(chain for kind, chain in marks if kind == SINGLE)
    return singles, sorted((mark for mark in marks if mark[0] != SINGLE), key=itemgetter(1))


def _anew(part: Part) -> Iterator[str]:
    tokens = part.columns("sentence", "word", "tag", "parse", "lemma", "speaker", "name")
    cells = _cells(part)
    yield f"#begin document ({part.document}); part {part.part:03d}\n"
    sentence, number = None, 0
    for token, (current, word, tag, parse, lemma, speaker, name) in enumerate(zip(*tokens.values(), strict=True)):
        if sentence is not None and current != sentence:
            yield "\n"
        number = number + 1 if current == sentence else 0
        sentence = current
        columns = (
            part.document,
            str(part.part),
            str(number),
            word,
            tag,
            parse,
            lemma,
            None,
            None,
            speaker,
            name or "*",
        )
        yield "\t".join([*(_column(value, part, token) for value in columns), cells.get(token, "-")]) + "\n"
    yield "\n#end document\n" if part.n_tokens else "#end document\n"


def _column(value: str | None, part: Part, token: int) -> str:
    if value and any(mark in value for mark in "\t\n\r"):
        raise DataError(
            f"token {token} of document {part.document!r} is {value!r}; a column may hold no tab or line end"
        )
    return value or "-"
