"""The page of `write.py`: HTML from values, every one of them escaped, and the frame that needs no network."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import vl_convert

from onoma.resolve.report.charts import shown

__all__ = ["Html", "cell", "chart", "page", "section", "table", "text", "tile"]

_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
"""Whatever stands in the page, the browser loads nothing from elsewhere. (Vega compiles its expressions: eval.)"""
_MOST = 300
"""Characters of one value that are shown."""


class Html(str):
    """A piece of HTML, as opposed to a text that has to be escaped."""

    __slots__ = ()


def text(value: object) -> Html:
    """Return a value as HTML: text escaped and shortened, numbers for people, HTML as it is."""
    if isinstance(value, Html):
        return value
    if isinstance(value, bool) or value is None:
        return Html("–" if value is None else "yes" if value else "no")
    if isinstance(value, int):
        return Html(f"{value:,}")
    if isinstance(value, float):
        return Html(f"{value:,.4f}")
    return Html(escape(shown(str(value), _MOST)))


def cell(value: object, *, kind: str = "") -> Html:
    """Return a cell of a table; numbers stand right."""
    if not kind and isinstance(value, int | float) and not isinstance(value, bool):
        kind = "n"
    return Html(f'<td class="{kind}">{text(value)}</td>' if kind else f"<td>{text(value)}</td>")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, kind: str = "") -> Html:
    """Return a table; a column whose first value is a number has its head at the right."""
    listed = [list(row) for row in rows]
    first = listed[0] if listed else []
    numeric = [_as_cell(value).startswith('<td class="n"') for value in first] or [False] * len(heads)
    top = "".join(
        f'<th class="n">{text(head)}</th>' if is_number else f"<th>{text(head)}</th>"
        for head, is_number in zip(heads, numeric, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_as_cell, row))}</tr>\n" for row in listed)
    return Html(
        f'<div class="wide"><table{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>'
        f"<thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _as_cell(value: object) -> str:
    return value if isinstance(value, Html) and value.startswith("<td") else cell(value)


def section(name: str, title: str, *parts: str) -> Html:
    """Return a part of the page with its heading; what is no HTML becomes a paragraph."""
    body = "\n".join(part if isinstance(part, Html) else f"<p>{escape(part)}</p>" for part in parts if part)
    return Html(f'<section id="{name}">\n<h2>{text(title)}</h2>\n{body}\n</section>\n')


def tile(value: str, label: str) -> Html:
    """Return one figure of the summary."""
    return Html(f'<div class="tile"><b>{text(value)}</b><span>{text(label)}</span></div>')


def chart(name: str, spec: dict[str, Any]) -> Html:
    """Return a place for a chart, as wide as the page allows, and its description."""
    spec = spec | {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
    spec.pop("$schema", None)
    spec.pop("config", None)
    described = json.dumps(spec, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return Html(
        f'<div class="chart" data-spec="spec-{name}"></div>\n'
        f'<script type="application/json" id="spec-{name}">{described}</script>'
    )


def page(title: str, body: str) -> str:
    """Return the whole file: style, body, and the one copy of the drawing library."""
    here = files("onoma.resolve.report")
    style, script = (here.joinpath(f"report.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text(title)}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
<noscript><p>The charts are drawn by a script inside this page; the tables say the same without it.</p></noscript>
</main>
<script id="library">{_library()}</script>
<script>
{script}</script>
</body>
</html>
"""


@cache
def _library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script; bundling takes seconds, so once is enough."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", "<\\/script")
