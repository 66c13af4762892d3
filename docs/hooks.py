"""Formulas of the pages become MathML when the site is built: browsers draw it themselves, without a network."""

import html
import re

from latex2mathml.converter import convert

_FORMULA = re.compile(
    r'<(?:span|div) class="arithmatex">\\(?:\((?P<inline>.*?)\\\)|\[(?P<display>.*?)\\\])</(?:span|div)>', re.DOTALL
)


def on_page_content(content: str, **_: object) -> str:
    """Replace what the extension arithmatex found."""
    return _FORMULA.sub(_mathml, content)


def _mathml(found: "re.Match[str]") -> str:
    tex = found["inline"] or found["display"]
    return convert(html.unescape(tex).strip(), display="inline" if found["inline"] else "block")
