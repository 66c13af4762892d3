"""Raw documents from files: plain text, Markdown, HTML, JSON Lines, and the text of annotated formats.

`read_texts` yields one `Text` after the other and holds one file at a time (JSON Lines: one line at a time). A file
that cannot be read as text is still a document, empty, whose `problem` says why: nothing that came in is missing from
what goes out. Bytes that are no UTF-8 stand as U+FFFD, and `problem` says how many there were.

Markdown and HTML become plain text, paragraphs apart by an empty line, and offsets count in that. Of web pages, what is
marked as navigation or footer is left out; trafilatura (Apache 2.0; the extra `html`) also finds what is not.
"""

import glob
import html.parser
import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from onoma.corpus.documents import Text
from onoma.corpus.readers.files import check_readable, check_text
from onoma.corpus.readers.source import open_source
from onoma.errors import DataError, SettingsError

__all__ = ["TEXT_FORMATS", "find_files", "html_text", "markdown_text", "read_texts", "text_format_of"]

TEXT_FORMATS: Mapping[str, tuple[str, ...]] = {
    "text": (".txt", ".text"),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm", ".xhtml"),
    "jsonl": (".jsonl", ".ndjson"),
    "conllu": (".conllu",),
    "conll2012": (".conll", ".conll12", ".v4_conll", ".v4_gold_conll", ".v4_auto_conll", ".gold_conll", ".auto_conll"),
    "brat": (".ann",),
    "docbin": (".spacy",),
}
"""What text can be read from, and the endings that say so; `.gz`, `.zst` or `.xz` may follow."""


def find_files(inputs: Iterable[str | Path]) -> list[Path]:
    """Return the files that names, folders and patterns (`*.txt`, `**/*.html`) mean, in order, each once.

    Of a folder, all files are taken, in folders below too, whose names end as `TEXT_FORMATS` says; brat's `.ann` is
    taken with the `.txt` beside it. `-` is standard input.
    """
    found: dict[Path, None] = {}
    for each in inputs:
        path = Path(each)
        if str(each) == "-":
            found[path] = None
        elif path.is_dir():
            inside = [child for child in sorted(path.rglob("*")) if child.is_file() and _named(child)]
            if not inside:
                raise DataError("is a folder without a file of text", file=path, hint=_KNOWN)
            found |= dict.fromkeys(child for child in inside if child.suffix.lower() != ".ann")
        elif glob.has_magic(str(each)) and not path.exists():
            patterns = glob.glob(str(each), recursive=True)  # noqa: PTH207  (from / on, too)
            matches = [Path(match) for match in sorted(patterns)]
            if not matches:
                raise DataError(f"no file matches {str(each)!r}", hint="Quote the pattern, or look with ls.")
            found |= dict.fromkeys(match for match in matches if match.is_file())
        else:
            found[check_readable(path)] = None
    return list(found)


def text_format_of(path: str | Path) -> str:
    """Return the format that a file name says; a name that says nothing is plain text.

    Examples
    --------
    >>> text_format_of("page.html.gz"), text_format_of("README")
    ('html', 'text')
    """
    return _named(Path(path)) or "text"


def read_texts(
    path: str | Path, *, format: str | None = None, text_field: str = "text", id_field: str = "id"
) -> Iterator[Text]:
    """Yield the documents of one file; `-` is standard input.

    Parameters
    ----------
    path
        The file, plain or packed with gzip, zstd or xz.
    format
        One of `TEXT_FORMATS`; default: as the name says.
    text_field, id_field
        The fields of JSON Lines that hold the text and the name of a document.
    """
    if format is not None and format not in TEXT_FORMATS:
        raise SettingsError(f"there is no format {format!r}", hint=f"Formats of text: {', '.join(TEXT_FORMATS)}.")
    path = Path(path)
    name = format or text_format_of(path)
    if name == "jsonl":
        yield from _jsonl(path, text_field, id_field)
    elif name in ("conllu", "conll2012", "docbin"):
        from onoma.corpus.readers.annotations import read_annotations

        yield from (
            Text(row["document"], row["text"] or "", str(path))
            for batch in read_annotations(path, format=name)
            for row in batch.documents.to_pylist()
        )
    else:
        yield _whole(path.with_suffix(".txt") if name == "brat" else path, _CONVERTED.get(name, str))


def markdown_text(source: str) -> str:
    r"""Return the prose of a Markdown text: headings, paragraphs, list items and cells; no code, no markup.

    Examples
    --------
    >>> markdown_text("# Ada\n\nShe *wrote*\nnotes.\n\n* one\n* two\n")
    'Ada\n\nShe wrote\nnotes.\n\none\n\ntwo'
    """
    from markdown_it import MarkdownIt

    blocks = []
    for token in MarkdownIt("commonmark").enable("table").parse(source):
        if token.type == "inline":
            children = [child for child in token.children or [] if child.type in _KEPT and (child.content or child.tag)]
            pieces = []
            for child, after in zip(children, [*children[1:], None], strict=True):
                if child.type.endswith("break"):  # a line that begins in bold type is an item of its own
                    pieces.append("\n\n" if after is not None and after.type == "strong_open" else "\n")
                else:
                    pieces.append(child.content)
            blocks.append("".join(pieces).strip())
    return "\n\n".join(block for block in blocks if block)


_KEPT = frozenset(("text", "code_inline", "softbreak", "hardbreak", "strong_open"))
"""What of a line of Markdown is looked at."""


def html_text(source: str) -> str:
    """Return the main text of a web page, paragraphs apart by an empty line.

    trafilatura, where it is installed, finds the article and leaves out menus and footers. Without it, and where it
    finds none (a fragment, a page of two lines), everything is taken that a reader of the page would see but what is
    marked as navigation, footer or form; if that is nothing, these too.

    Examples
    --------
    >>> html_text("<nav>Home</nav><p>Ada wrote <i>notes</i>.</p>")
    'Ada wrote notes.'
    """
    return _article(source) or _seen(source, _Visible.HIDDEN | _Visible.ASIDE) or _seen(source, _Visible.HIDDEN)


def _article(source: str) -> str:
    """Return what trafilatura takes for the article; nothing without it."""
    try:
        import trafilatura
    except ImportError:
        return ""
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # what it finds wrong with a page is no news
    try:
        found = trafilatura.extract(source, include_comments=False, include_tables=True, fast=True) or ""
    except (ValueError, TypeError, LookupError, RecursionError):  # soup that its parser cannot stand up
        return ""
    return "\n\n".join(line.strip() for line in found.split("\n") if line.strip())


def _seen(source: str, hidden: frozenset[str]) -> str:
    visible = _Visible(hidden)
    visible.feed(source)
    visible.close()
    return visible.text()


_SAMPLE = 1 << 16
_NO_LETTER = re.compile("[\x00-\x08\x0e-\x1a\x7f\ufffd]")
"""Control characters that no text has, and what was no character at all."""
_DAMAGE = 16
"""So many of them may be damage of a short text."""
_CONVERTED: Mapping[str, Callable[[str], str]] = {"markdown": markdown_text, "html": html_text}
_KNOWN = f"Known endings: {', '.join(ending for endings in TEXT_FORMATS.values() for ending in endings)}."


def _named(path: Path) -> str | None:
    bare = path.name.lower()
    for packed in (".gz", ".zst", ".xz"):
        bare = bare.removesuffix(packed)
    return next((name for name, endings in TEXT_FORMATS.items() if bare.endswith(endings)), None)


def _whole(path: Path, converted: Callable[[str], str]) -> Text:
    """Read a file that is one document."""
    name, source = _names(path)
    try:
        raw, notes = (sys.stdin.buffer.read(), []) if str(path) == "-" else _in_utf8(path)
        check_text(raw, path)
        text, problem = _decoded(raw)
        _check_letters(text, path)
        return Text(name, converted(text), source, "; ".join([*notes, *([problem] if problem else [])]) or None)
    except DataError as error:
        return Text(name, "", source, error.message)


def _in_utf8(path: Path) -> tuple[bytes, list[str]]:
    with open_source(path) as source:
        return source.plain.read_bytes(), source.notes


def _names(path: Path) -> tuple[str, str]:
    return ("stdin", "stdin") if str(path) == "-" else (str(path), str(path))


def _decoded(raw: bytes) -> tuple[str, str | None]:
    try:
        return raw.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        text = raw.decode("utf-8-sig", "replace")
        n = text.count("\ufffd") - raw.count("\ufffd".encode())
        return text, f"{n:,} places are not UTF-8; they stand as U+FFFD"


def _check_letters(text: str, path: Path) -> None:
    """Refuse the documents of word processors, PDFs, pictures and archives, read as if they were text."""
    sample = text[:_SAMPLE]
    n = len(_NO_LETTER.findall(sample))
    if n > _DAMAGE and 10 * n > len(sample):
        hint = "Save a document as text or HTML first."
        raise DataError(f"is no text: {n:,} of its first {len(sample):,} characters are none", file=path, hint=hint)


def _jsonl(path: Path, text_field: str, id_field: str) -> Iterator[Text]:
    _, source = _names(path)
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        name = f"{source}#{number}"
        text, problem = _decoded(line)
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Text(name, "", source, f"row {number:,} is no JSON: {error}")
            continue
        if not isinstance(row, dict) or not isinstance(row.get(text_field), str):
            fields = ", ".join(map(repr, list(row)[:8])) if isinstance(row, dict) else type(row).__name__
            yield Text(name, "", source, f"row {number:,} has no text in {text_field!r}; it has {fields}")
            continue
        given = row.get(id_field, row.get("document"))
        yield Text(name if given is None else str(given), row[text_field], source, problem)


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, which is unpacked as it is read."""
    if str(path) == "-":
        yield from sys.stdin.buffer
        return
    with open_source(path, text=False) as source, source.plain.open("rb") as file:
        yield from file


class _Visible(html.parser.HTMLParser):
    """Gathers what a reader of a page sees, a new paragraph at each block.

    Parameters
    ----------
    hidden
        Elements whose text is left out.
    """

    HIDDEN = frozenset(("script", "style", "noscript", "template", "head", "svg"))
    ASIDE = frozenset(("nav", "footer", "aside", "form", "button", "select"))
    """Elements around what a page is about. A header may hold the headline."""
    _INLINE = frozenset(
        [
            "a",
            "abbr",
            "b",
            "bdi",
            "bdo",
            "cite",
            "code",
            "em",
            "font",
            "i",
            "kbd",
            "mark",
            "q",
            "s",
            "samp",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "time",
            "u",
            "var",
            "wbr",
        ]
    )

    def __init__(self, hidden: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[list[str]] = [[]]
        self.names, self.hidden = hidden, 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """Note what begins."""
        self.hidden = 0 if tag == "body" else self.hidden + (tag in self.names)  # a head need not be closed
        if tag not in self._INLINE:
            self.blocks.append([])

    def handle_endtag(self, tag: str) -> None:
        """Note what ends."""
        self.hidden -= tag in self.names and self.hidden > 0
        if tag not in self._INLINE:
            self.blocks.append([])

    def handle_data(self, data: str) -> None:
        """Take text."""
        if not self.hidden:
            self.blocks[-1].append(data)

    def text(self) -> str:
        """Return all paragraphs."""
        joined = (" ".join("".join(block).split()) for block in self.blocks)
        return "\n\n".join(block for block in joined if block)
