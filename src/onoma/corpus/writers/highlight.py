"""Annotated text as a web page: names marked in colour, in the manner of displaCy. One file, no script, no network."""

import html
from collections.abc import Iterable, Iterator

from onoma.corpus.documents import Annotations

__all__ = ["highlighted", "highlighted_page", "highlighted_svg"]

_COLOURS = {"PER": "#f6c6c7", "ORG": "#c9dcf7", "LOC": "#cdecc8", "MISC": "#f9e6b3"}
_OTHER = "#e4dcf3"
_STYLE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Names</title><style>
body{font:16px/1.9 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h2{font-size:.85rem;color:#666;font-weight:600;border-top:1px solid #ddd;padding-top:1rem;margin-top:2rem}
mark{padding:.15em .35em;border-radius:.35em;line-height:1;color:inherit;-webkit-box-decoration-break:clone;
box-decoration-break:clone}
mark b{font-size:.65em;font-weight:700;margin-left:.45em;letter-spacing:.03em;color:#444}
p{white-space:pre-wrap;margin:.6em 0}.problem{color:#a33}
</style></head><body>
"""


def highlighted_page(documents: Iterable[Annotations], *, layer: str = "name") -> Iterator[str]:
    """Yield a whole page, document by document."""
    yield _STYLE
    for document in documents:
        row = document.documents.to_pylist()[0]
        yield f"<h2>{html.escape(row['document'])}</h2>\n"
        if row["problem"]:
            yield f'<p class="problem">{html.escape(row["problem"])}</p>\n'
        yield highlighted(document, layer=layer)
    yield "</body></html>\n"


def highlighted(document: Annotations, *, layer: str = "name") -> str:
    """Return one document as paragraphs with its spans marked; of spans that overlap, the first is shown."""
    text = document.documents["text"][0].as_py()
    starts, ends = (document.tokens[name].to_pylist() for name in ("start_char", "end_char"))
    if text is None or None in starts:
        words = document.tokens["word"].to_pylist()
        text, starts, ends = _joined(words)
    pieces, at = [], 0
    spans = sorted(document.layer(layer).to_pylist(), key=lambda span: (span["start"], -span["end"]))
    for span in spans:
        a, b = starts[span["start"]], ends[span["end"] - 1]
        if a < at:
            continue
        kind = span["type"] or ""
        label = f"<b>{html.escape(kind)}</b>" if kind else ""
        colour = _COLOURS.get(kind, _OTHER)
        pieces += [html.escape(text[at:a]), f'<mark style="background:{colour}">{html.escape(text[a:b])}{label}</mark>']
        at = b
    pieces.append(html.escape(text[at:]))
    return f'<p dir="auto">{"".join(pieces)}</p>\n'


def _joined(words: list[str]) -> tuple[str, list[int], list[int]]:
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word) + 1
    return " ".join(words), starts, [start + len(word) for start, word in zip(starts, words, strict=True)]


def highlighted_svg(document: Annotations, *, layer: str = "name", width: int = 84) -> str:
    """Return one document as a picture (SVG): lines of at most so many characters, spans marked, types above them."""
    text = document.documents["text"][0].as_py() or ""
    starts, ends = (document.tokens[name].to_pylist() for name in ("start_char", "end_char"))
    lines = _wrapped(list(zip(starts, ends, strict=True)), width)
    marks = [
        (starts[span["start"]], ends[span["end"] - 1], span["type"] or "") for span in document.layer(layer).to_pylist()
    ]
    shapes, step, letter = [], 40, 9.0
    for row, (first, last) in enumerate(lines):
        y = 34 + row * step
        for a, b, kind in marks:
            left, right = max(a, first), min(b, last)
            if left < right:
                x, w = 16 + (left - first) * letter, (right - left) * letter
                shapes.append(
                    f'<rect x="{x - 3:g}" y="{y - 16}" width="{w + 6:g}" height="22" rx="5" '
                    f'fill="{_COLOURS.get(kind, _OTHER)}"/>'
                    f'<text x="{x:g}" y="{y - 19}" font-size="9" fill="#555">{html.escape(kind)}</text>'
                )
        words = html.escape(" ".join(text[first:last].split("\n")))
        shapes.append(
            f'<text x="16" y="{y}" font-size="15" xml:space="preserve" '
            f'textLength="{(last - first) * letter:g}">{words}</text>'
        )
    size = f'width="{32 + width * letter:g}" height="{20 + len(lines) * step}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(shapes)}</svg>\n'
    )


def _wrapped(tokens: list[tuple[int, int]], width: int) -> list[tuple[int, int]]:
    """Cut text into lines between tokens."""
    lines: list[tuple[int, int]] = []
    for start, end in tokens:
        if lines and end - lines[-1][0] <= width:
            lines[-1] = (lines[-1][0], end)
        else:
            lines.append((start, end))
    return lines
