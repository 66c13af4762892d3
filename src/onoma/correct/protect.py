r"""What of a text is no prose and must stay as it is: code, markup, formulas, addresses.

By format: `markdown` (code spans and blocks, links' addresses, HTML, tables' rules, front matter), `latex` (commands,
arguments that are no prose, formulas, comments), `text` (addresses and back-quoted code only).
"""

import re
from collections.abc import Sequence

from onoma.errors import SettingsError

__all__ = ["FORMATS", "protected_spans"]

_ADDRESS = r"https?://\S+|www\.\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|`[^`\n]+`"
_MARKDOWN = (
    r"\A---\n.*?\n---\n|^(?P<fence>```+|~~~+)[^\n]*\n.*?(?:^(?P=fence)[^\n]*$|\Z)|^(?:    |\t)[^\n]*$|``[^\n]+?``"
    r"|!?\[(?=[^\]\n]*\]\()|\]\([^)\n]*\)|<!--.*?-->|</?[A-Za-z][^>\n]*>|^\s*\|?[\s:|-]+\|[\s:|-]*$|\$\$.*?\$\$"
    r"|\$[^$\n]+\$|^\s{0,3}#{1,6}\s|^\s*(?:[-*+]|\d+\.)\s|\*+|_{1,2}(?=\w)|(?<=\w)_{1,2}|^\[[^\]\n]+\]:[^\n]*$"
)
_LATEX = (
    r"(?<!\\)%[^\n]*|\\begin\{(?P<env>equation|align|verbatim|lstlisting|tabular|math|displaymath|gather|figure)\*?\}"
    r".*?\\end\{(?P=env)\*?\}|\\\[.*?\\\]|\\\(.*?\\\)|\$\$.*?\$\$|(?<!\\)\$[^$]+\$"
    r"|\\(?:label|ref|cite\w*|begin|end|usepackage|documentclass|input|include\w*|bibliography\w*|url|href|eqref)"
    r"\*?(?:\[[^\]]*\])*(?:\{[^}]*\})?|\\[A-Za-z@]+\*?(?:\[[^\]]*\])?|\\.|[{}~&]"
)
FORMATS = {
    "text": re.compile(_ADDRESS),
    "markdown": re.compile(f"{_MARKDOWN}|{_ADDRESS}", re.MULTILINE | re.DOTALL),
    "latex": re.compile(f"{_LATEX}|{_ADDRESS}", re.MULTILINE | re.DOTALL),
}
"""What a format protects."""


def protected_spans(text: str, format: str = "text") -> Sequence[tuple[int, int]]:
    """Return the spans of a text that no edit may touch, in order.

    Examples
    --------
    >>> text = "See `a code` at https://example.org now."
    >>> [text[a:b] for a, b in protected_spans(text)]
    ['`a code`', 'https://example.org']
    """
    if format not in FORMATS:
        raise SettingsError(f"format {format!r}; allowed: {', '.join(FORMATS)}")
    return [found.span() for found in FORMATS[format].finditer(text) if found.end() > found.start()]
