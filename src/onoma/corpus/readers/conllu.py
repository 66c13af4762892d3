"""CoNLL-U with coreference in `Entity=` (GUM, CorefUD).

Words, lemmas, tags and the dependency columns become token columns; brackets in the `Entity=` attribute of the last
column become mentions, their fields named as `# global.Entity = …` declares them. Multiword tokens (`3-4`), empty nodes
(`8.1`) and comments are not tokens; they are kept for writing. A document begins at `# newdoc`; a file without is one
document.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.assemble import Assembly, Document, Found, LineError
from onoma.corpus.readers.files import check_on_error
from onoma.corpus.readers.source import read_lines_of
from onoma.corpus.schema import MENTIONS
from onoma.errors import DataError

__all__ = ["CHAIN_FIELDS", "entity_of", "parse_entity", "read_conllu"]

CHAIN_FIELDS = ("GRP", "eid")
"""What the field that names the chain is called."""

COLUMNS = ("id", "word", "lemma", "upos", "tag", "feats", "head", "deprel", "deps", "misc")

_NEWDOC = re.compile(r"#\s*newdoc\b(?:\s+id\s*=(.*))?\s*$")
_FIELDS = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)\s*$")
_SPEAKER = re.compile(r"#\s*speaker\s*=(.*)")
_MARKS = re.compile(r"\(([^()]+)\)|\(([^()]+)|([^()]+)\)")
_PIECE = re.compile(r"(.*)\[(\d+/\d+)\]")
_ENTITY = re.compile(r"(?:^|\|)Entity=([^|]*)")
_RAW = ("raw_before", "raw_line", "raw_cell")
_EXTRA = ("upos", "feats", "head", "deprel", "deps", "misc")


def read_conllu(path: str | Path, *, on_error: str = "stop", encoding: str | None = None) -> Corpus:
    """Read a CoNLL-U file, plain or packed with gzip or zstd.

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
        With `raw_` columns, from which `write_conllu` makes the same file again, and the fields of `Entity=` (such as
        `infstat` and `identity`) as columns of the mentions.
    """
    reject = check_on_error(on_error)
    path = Path(path)
    notes: list[str] = []
    blocks = list(_blocks(read_lines_of(path, encoding=encoding, notes=notes), path))
    declared = dict.fromkeys(_mention_column(name) for block in blocks for name in block.fields)
    assembly = Assembly(
        path,
        "conllu",
        token_columns=[*_EXTRA, *_RAW],
        mention_columns=[*(name for name in declared if name not in ("chain", "type")), "piece"],
    )
    assembly.notes += notes
    for block in blocks:
        assembly.add_or_reject(partial(_read_block, block, path), block.row, "".join(block.lines), reject=reject)
    corpus = assembly.finish()
    by_row = {block.row: "-".join(block.fields) or None for block in blocks}
    fields = [by_row[document.row] for document in assembly.documents]
    return replace(corpus, documents=corpus.documents.append_column("raw_fields", pa.array(fields, pa.string())))


@dataclass
class _Block:
    """The lines of one document with the row of the first, and the fields that `Entity=` has in it."""

    name: str
    row: int
    fields: tuple[str, ...]
    lines: list[str] = field(default_factory=list)


def _blocks(text: str, path: Path) -> Iterator[_Block]:
    """Cut a file at the sentences that begin a document."""
    lines = [line for line in re.split(r"(?<=\n)", text) if line]
    stem = path.name.split(".")[0]
    block: _Block | None = None
    fields: tuple[str, ...] = ()
    for row, comments, sentence in _sentences(lines):
        opening = next((match for line in comments if (match := _NEWDOC.match(line))), None)
        declared = next((match for line in comments if (match := _FIELDS.match(line))), None)
        fields = tuple(declared[1].split("-")) if declared else fields
        if block is None or opening:
            if block:
                yield block
            block = _Block((opening[1] or "").strip() or stem if opening else stem, row, fields)
        block.fields = fields
        block.lines += sentence
    if block and text.strip():
        yield block


def _sentences(lines: Sequence[str]) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield each sentence: the row of its first line, its comments, all its lines and the blank ones after it."""
    start = 0
    for at, line in enumerate(lines):
        begins = at > start and not lines[at - 1].strip() and line.strip()
        if begins:
            yield start + 1, _comments(lines[start:at]), list(lines[start:at])
            start = at
    yield start + 1, _comments(lines[start:]), list(lines[start:])


def _comments(lines: Sequence[str]) -> list[str]:
    return [line.lstrip("\ufeff") for line in lines if line.lstrip("\ufeff").startswith("#")]


def _mention_column(name: str) -> str:
    """Name the column of a field of `Entity=`; `id`, `start` and the like are taken."""
    if name in CHAIN_FIELDS:
        return "chain"
    return "type" if name == "etype" else f"entity_{name}" if name in MENTIONS.names else name


def _read_block(block: _Block, path: Path) -> Document:
    lines = _Lines(block.fields)
    try:
        lines.read(block.lines)
    except LineError as error:
        row = block.row + error.line
        raise DataError(f"in document {block.name!r}: {error}", file=path, row=row) from None
    words = [columns[1] for columns in lines.columns]
    typed: dict[str, list[str | None]] = {
        name: [None if columns[i] == "_" != columns[1] else columns[i] for columns in lines.columns]
        for i, name in enumerate(COLUMNS)
        if i > 1
    }
    xpos, upos = typed["tag"], typed["upos"]
    typed["tag"] = [tag or coarse for tag, coarse in zip(xpos, upos, strict=True)]
    return Document(
        name=block.name,
        part=0,
        row=block.row,
        raw_head="",
        raw_tail=lines.pending,
        words=words,
        sentences=lines.sentences,
        columns=typed | {"speaker": lines.speakers} | lines.raw,
        mentions=lines.mentions,
    )


class _Lines:
    """What the lines of one document hold; the lists have one value a token, except `mentions`."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.columns: list[list[str]] = []
        self.sentences: list[int] = []
        self.speakers: list[str | None] = []
        self.raw: dict[str, list[str | None]] = {name: [] for name in _RAW}
        self.mentions: list[Found] = []
        self._kept: list[str] = []  # comments, blank lines, multiword tokens and empty nodes since the last token
        self._fields = fields
        self._open: dict[str, list[tuple[Found, int]]] = {}

    @property
    def pending(self) -> str:
        """What stands between the last token and here."""
        return "".join(self._kept)

    def read(self, lines: Sequence[str]) -> None:
        sentence, fresh = -1, True
        speaker: str | None = None
        for number, line in enumerate(lines):
            if "\t" in line and not line.startswith("#"):
                columns = line.rstrip("\r\n").split("\t")
                if not self._is_token(number, columns):
                    self._kept.append(line)
                    continue
                sentence, fresh = sentence + fresh, False
                self.sentences.append(sentence)
                self.speakers.append(speaker)
                self._token(number, line, columns)
                continue
            bare = line.strip("\ufeff \t\r\n")
            if not bare:
                fresh, speaker = True, None
            elif not bare.startswith("#"):
                raise LineError(number, f"the line {line[:60]!r} is neither a token of ten columns nor a comment")
            elif match := _SPEAKER.match(bare):
                speaker = match[1].strip() or None
            self._kept.append(line)
        for opened in self._open.values():
            if opened:
                found, number = opened[-1]
                raise LineError(number, f"'({found.chain}' opens a mention here that nothing closes")

    def _is_token(self, number: int, columns: list[str]) -> bool:
        """Say whether a line is a word; check what it is otherwise."""
        if len(columns) != len(COLUMNS):
            raise LineError(number, f"has {len(columns)} columns; CoNLL-U has ten, apart by tabs")
        if columns[0].isdigit():
            return True
        if not _NOT_A_WORD.fullmatch(columns[0]):
            raise LineError(
                number, f"the first column is {columns[0]!r}; it is a number, a range 3-4 or an empty node 8.1"
            )
        if entity_of(columns[9]):
            raise LineError(
                number, f"{columns[0]} carries Entity=; mentions of multiword tokens and empty nodes are not read"
            )
        return False

    def _token(self, number: int, line: str, columns: list[str]) -> None:
        cell = entity_of(columns[9])
        self.raw["raw_before"].append(self.pending)
        self.raw["raw_line"].append(line)
        self.raw["raw_cell"].append(cell)
        self._kept = []
        self.columns.append(columns)
        if cell:
            self._marks(number, cell)

    def _marks(self, number: int, cell: str) -> None:
        if not self._fields:
            raise LineError(number, "Entity= is used, and no '# global.Entity = ' line before it names its fields")
        marks = parse_entity(cell)
        if marks is None:
            raise LineError(number, f"Entity={cell} is not a row of brackets such as (7-person or 7)")
        token = len(self.columns) - 1
        for kind, content in marks:
            if kind == ")":
                opened = self._open.get(content)
                if not opened:
                    raise LineError(number, f"'{content})' closes a mention that '({content}' never opened")
                opened.pop()[0].end = token + 1
                continue
            found, key = self._opened(number, content, token)
            self.mentions.append(found)
            if kind == "(":
                self._open.setdefault(key, []).append((found, number))

    def _opened(self, number: int, content: str, token: int) -> tuple[Found, str]:
        """Make the mention that a bracket opens, and what its closing bracket will say."""
        values = content.split("-", len(self._fields) - 1)
        facts: dict[str, str | None] = {
            _mention_column(name): value or None for name, value in zip(self._fields, values, strict=False)
        }
        key = facts.pop("chain", None)
        if key is None:
            names = " or ".join(CHAIN_FIELDS)
            raise LineError(number, f"'({content}' names no chain: '# global.Entity' must have a field {names}")
        piece = _PIECE.fullmatch(key)
        facts["piece"] = piece[2] if piece else None
        return Found(token, token + 1, piece[1] if piece else key, facts), key


_NOT_A_WORD = re.compile(r"\d+-\d+|\d+\.\d+")


def entity_of(misc: str) -> str:
    """Return the value of `Entity=` in the last column, or an empty text."""
    match = _ENTITY.search(misc)
    return match[1] if match else ""


def parse_entity(value: str) -> list[tuple[str, str]] | None:
    """Return the marks of an `Entity=` value in their order, or None if it holds anything else.

    Examples
    --------
    >>> parse_entity("(4-abstract-new(5-object)2)")
    [('(', '4-abstract-new'), ('()', '5-object'), (')', '2')]
    """
    marks = []
    past = 0
    for match in _MARKS.finditer(value):
        if match.start() != past:
            return None
        past = match.end()
        kind = "()" if match[1] else "(" if match[2] else ")"
        marks.append((kind, match[1] or match[2] or match[3]))
    return marks if past == len(value) else None
