"""CoNLL-2012: one token a line, coreference as brackets in the last column.

Read are the files of the shared tasks of 2011 and 2012 and their many smaller relatives: columns apart by tabs or by
spaces, any number of them, the last one coreference. With five columns or more they are those of the task (document,
part, number, word, tag, parse, lemma, frameset, sense, speaker, name, arguments…, coreference); with fewer, the word is
the last column but one. In the last column `-`, `_` or nothing mean no mention; otherwise items `(7`, `7)`, `(7)`
follow each other, apart by `|` or not. A `7)` closes the latest `(7` still open, as in the scorer of the task.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path

from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.assemble import Assembly, Document, Found, LineError
from onoma.corpus.readers.files import check_on_error
from onoma.corpus.readers.source import read_lines_of
from onoma.errors import DataError

__all__ = ["CLOSE", "NOTHING", "OPEN", "SINGLE", "parse_cell", "read_conll2012"]

NOTHING = ("-", "_", "")
"""What the last column may hold where there is no mention."""

OPEN, CLOSE, SINGLE = "(", ")", "()"

_BEGIN = re.compile(r"^\ufeff?#[ \t]*begin document\b[ \t]*+(.*)$\n?", re.MULTILINE)
_END = re.compile(r"^#[ \t]*end document\b.*$\n?", re.MULTILINE)
_TITLE = re.compile(r"\((.*)\);?[ \t]*(?:part[ \t]*(\d{1,15}))?")
_MARKS = re.compile(r"\(([^()|]+)\)|\(([^()|]+)|([^()|]+)\)|\|")
_COLUMN = re.compile(r"[^ \t]+")
_POSITIONS = {"tag": 4, "parse": 5, "lemma": 6, "speaker": 9, "name": 10}
_RAW = ("raw_before", "raw_head", "raw_cell", "raw_tail")


def read_conll2012(path: str | Path, *, on_error: str = "stop", encoding: str | None = None) -> Corpus:
    """Read a CoNLL-2012 file, plain or packed with gzip or zstd.

    Parameters
    ----------
    path
        The file.
    on_error
        `"stop"`: a broken document is a `DataError`. `"reject"`: it is left out, and stands whole in `rejects`.
    encoding
        Of text that is not UTF-8; None: it is found, and said.

    Returns
    -------
    Corpus
        With `raw_` columns, from which `write_conll2012` makes the same file again.
    """
    reject = check_on_error(on_error)
    path = Path(path)
    assembly = Assembly(path, "conll2012", token_columns=_RAW)
    for block in _blocks(read_lines_of(path, encoding=encoding, notes=assembly.notes)):
        text = block.head + block.body + block.tail
        if assembly.add_or_reject(partial(_read_block, block, path), block.row, text, reject=reject):
            assembly.notes += [f"row {block.row:,}: left aside {line!r} outside documents" for line in _outside(block)]
    return assembly.finish()


@dataclass(slots=True)
class _Block:
    """The text of one document: `head` is all since the last one up to its `#begin` line, `tail` its `#end` line."""

    title: str
    row: int
    between: str
    head: str
    body: str
    tail: str


def _blocks(text: str) -> Iterator[_Block]:
    begins = list(_BEGIN.finditer(text))
    past = 0  # end of the document before
    row = 1 + text.count("\n", 0, begins[0].start()) if begins else 1
    for begin, following in zip_longest(begins, begins[1:]):
        limit = following.start() if following else len(text)
        end = _END.search(text, begin.end(), limit)
        between, head = text[past : begin.start()], text[past : begin.end()]
        past = end.end() if end else limit
        tail = text[end.start() : past if following else None] if end else ""
        yield _Block(
            begin[1].rstrip(" \t\r"), row, between, head, text[begin.end() : end.start() if end else limit], tail
        )
        row += text.count("\n", begin.start(), limit)
    if not begins and text.strip():
        yield _Block("", 1, text, text, "", "")


def _read_block(block: _Block, path: Path) -> Document:
    """Read one document, or say which line is wrong."""
    _check_frame(block, path)
    title = _TITLE.fullmatch(block.title)
    name, part = (title[1], int(title[2] or 0)) if title else (block.title, 0)
    if part >= 2**31:
        raise DataError(f"part {part} of document {name!r} is beyond 32 bits", file=path, row=block.row)
    lines = _Lines()
    try:
        lines.read(block.body)
    except LineError as error:
        row = block.row + 1 + error.line
        raise DataError(f"in document {block.title!r}: {error}", file=path, row=row) from None
    return Document(
        name=name or path.name.split(".")[0],
        part=part,
        row=block.row,
        raw_head=block.head,
        raw_tail=lines.pending + block.tail,
        words=(words := [columns[3] if len(columns) >= 5 else columns[-2] for columns in lines.columns]),
        sentences=lines.sentences,
        columns=_typed(lines, words) | lines.raw,
        mentions=[Found(start, end, chain) for start, end, chain in lines.mentions],
    )


def _check_frame(block: _Block, path: Path) -> None:
    # One word alone is debris that some files have between documents; two columns are a token that would be lost.
    stray = next((line for line in _outside(block) if len(line.split()) > 1), None)
    if stray is not None:
        raise DataError(
            f"the line {stray[:60]!r} stands outside any document",
            file=path,
            row=block.row,
            hint="Documents stand between '#begin document (name); part 000' and '#end document'.",
        )
    if not block.tail:
        raise DataError(
            f"document {block.title!r} begins here, and no '#end document' follows; is the file cut off?",
            file=path,
            row=block.row,
        )


def _outside(block: _Block) -> list[str]:
    text = block.between.lstrip("\ufeff") + block.tail.partition("\n")[2]
    return [line for line in text.split("\n") if line.strip() and not line.startswith("#")]


def _typed(lines: "_Lines", words: list[str]) -> dict[str, list[str | None]]:
    """Take the columns with a meaning; `-` and `_` there mean nothing, but the lemma of a dash is a dash."""
    typed: dict[str, list[str | None]] = {
        key: [columns[i] if len(columns) > i + 1 and columns[i] not in NOTHING else None for columns in lines.columns]
        for key, i in _POSITIONS.items()
    }
    for number, (columns, word) in enumerate(zip(lines.columns, words, strict=True)):
        if word in NOTHING and len(columns) > 7 and columns[6] == word:
            typed["lemma"][number] = word
    return typed


class _Lines:
    """What the lines of one document hold; the lists have one value a token, except `mentions`."""

    def __init__(self) -> None:
        self.columns: list[list[str]] = []
        self.sentences: list[int] = []
        self.raw: dict[str, list[str | None]] = {name: [] for name in _RAW}
        self.mentions: list[tuple[int, int, str]] = []
        self._kept: list[str] = []  # blank and comment lines since the last token
        self._width = 0
        self._open: dict[str, list[tuple[int, int, int]]] = {}

    @property
    def pending(self) -> str:
        """What stands between the last token and here."""
        return "".join(self._kept)

    def read(self, body: str) -> None:
        lines = body.split("\n")
        after_last = lines.pop()
        sentence, fresh = -1, True
        for number, line in enumerate(lines):
            if not line or line.isspace():
                self._kept.append(line + "\n")
                fresh = True
            elif line[0] == "#" and not (self._width and line.count("\t") + 1 == self._width):
                self._kept.append(line + "\n")
            else:
                sentence, fresh = sentence + fresh, False
                self.sentences.append(sentence)
                self._token(number, line)
        self._kept.append(after_last)
        for chain, places in self._open.items():
            if places:
                raise LineError(places[-1][2], f"'({chain}' opens a mention here that nothing closes")

    def _token(self, number: int, line: str) -> None:
        columns, place = _split(line, self._width)
        if len(columns) < 2:
            raise LineError(number, f"the line {line[:60]!r} has one column; a word and its coreference make two")
        self._width = self._width or len(columns)
        cell = columns[-1]
        head, before, tail = self.raw["raw_head"], self.raw["raw_before"], self.raw["raw_tail"]
        before.append(self.pending)
        head.append(line[:place])
        self.raw["raw_cell"].append(cell)
        tail.append(line[place + len(cell) :] + "\n")
        self._kept = []
        self.columns.append(columns)
        if cell not in NOTHING:
            self._marks(number, cell)

    def _marks(self, number: int, cell: str) -> None:
        """Open and close mentions; each takes its place in the list when it opens."""
        token = len(self.columns) - 1
        marks = parse_cell(cell)
        if marks is None:
            raise LineError(
                number, f"{cell!r} in the last column is no coreference; that looks like -, (7, 7), (7) or (7|8)"
            )
        for kind, chain in marks:
            if kind == SINGLE:
                self.mentions.append((token, token + 1, chain))
            elif kind == OPEN:
                self._open.setdefault(chain, []).append((token, len(self.mentions), number))
                self.mentions.append((-1, -1, chain))
            elif self._open.get(chain):
                start, slot, _ = self._open[chain].pop()
                self.mentions[slot] = (start, token + 1, chain)
            else:
                raise LineError(number, f"'{chain})' closes a mention that '({chain}' never opened")


def _split(line: str, width: int) -> tuple[list[str], int]:
    """Return the columns of a line and where in it the last one begins."""
    if "\t" not in line:
        found = list(_COLUMN.finditer(line.rstrip("\r")))
        return [column[0] for column in found], found[-1].start()
    bare = line.rstrip("\r")
    columns = bare.split("\t")
    place = len(bare) - len(columns[-1])
    # An empty last column is an empty answer, unless it is one too many: then it is a tab at the end of the line.
    while not columns[-1] and len(columns) > max(width, 2) and width:
        columns.pop()
        place -= 1 + len(columns[-1])
    return columns, place


def parse_cell(cell: str) -> list[tuple[str, str]] | None:
    """Return the marks of a coreference cell in their order, or None if it holds anything else.

    Examples
    --------
    >>> parse_cell("(3|12)|(7)")
    [('(', '3'), (')', '12'), ('()', '7')]
    >>> parse_cell("(3(4)")
    [('(', '3'), ('()', '4')]
    """
    marks = []
    past = 0
    for match in _MARKS.finditer(cell):
        if match.start() != past:
            return None
        past = match.end()
        if match[1]:
            marks.append((SINGLE, match[1]))
        elif match[2]:
            marks.append((OPEN, match[2]))
        elif match[3]:
            marks.append((CLOSE, match[3]))
    return marks if past == len(cell) else None
