"""Chains as a web page: each mention underlined in its chain's colour, with the chain's number and how sure it is."""

import html
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onoma.pipeline.coreference import DocumentChains

__all__ = ["chains_page"]

_STYLE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Chains</title><style>
body{font:16px/2.3 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h2{font-size:.85rem;color:#666;font-weight:600;border-top:1px solid #ddd;padding-top:1rem;margin-top:2rem}
p{white-space:pre-wrap;margin:.6em 0}
.m{border-bottom:3px solid;padding-bottom:1px;border-radius:2px}
.m .m{padding-bottom:5px}
.m>b{font-size:.62em;vertical-align:super;font-weight:700;line-height:0;margin-left:.1em}
ol{font-size:.85rem;line-height:1.6;color:#444;padding-left:1.4rem}
.dim{color:#888}
</style></head><body>
"""


def chains_page(documents: "Iterable[DocumentChains]") -> Iterator[str]:
    """Yield a whole page, document by document; no script, no network."""
    yield _STYLE
    for one in documents:
        low, high = one.entities[1:]
        yield f"<h2>{html.escape(one.name)} · {len(one.chains)} chains · {low}–{high} entities (95 %)</h2>\n"
        yield f'<p dir="auto">{_marked(one)}</p>\n<ol>\n'
        for chain in one.chains:
            said = ", ".join(
                f"{html.escape(m.text)} <span class=dim>{m.probability:.2f}</span>" for m in chain.mentions
            )
            yield f"<li>{said}</li>\n"
        yield "</ol>\n"
    yield "</body></html>\n"


def _marked(one: "DocumentChains") -> str:
    tokens = one.annotations.tokens
    starts, ends = tokens["start_char"].to_pylist(), tokens["end_char"].to_pylist()
    text = str(one.annotations.documents["text"][0].as_py() or "")
    opens: dict[int, list[tuple[int, str]]] = {}
    closes: dict[int, list[tuple[int, str]]] = {}
    for number, chain in enumerate(one.chains):
        colour = f"hsl({(number * 137) % 360} 60% 42%)"  # 137°, the golden angle: neighbours differ most
        for m in chain.mentions:
            a, b = starts[m.start], ends[m.end - 1]
            title = f"chain {number + 1}, probability {m.probability:.2f}"
            opens.setdefault(a, []).append((-b, f'<span class=m style="border-color:{colour}" title="{title}">'))
            closes.setdefault(b, []).append((-a, f'<b style="color:{colour}">{number + 1}</b></span>'))
    pieces, at = [], 0
    for place in sorted({*opens, *closes}):
        pieces.append(html.escape(text[at:place]))
        pieces += [tag for _, tag in sorted(closes.get(place, []))]
        pieces += [tag for _, tag in sorted(opens.get(place, []))]
        at = place
    return "".join([*pieces, html.escape(text[at:])])
