"""A sentence's tree as a picture (SVG): words in a row, labelled arcs from heads to dependents above them."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

__all__ = ["draw_tree"]

_LETTER, _SMALL = 8.6, 6.4
"""Widths of letters of words and of labels, in pixels."""
_GAP, _STEP, _MARGIN = 22.0, 26.0, 16.0


def draw_tree(words: Sequence[str], heads: Sequence[int], labels: Sequence[str], tags: Sequence[str]) -> str:
    """Return an SVG picture of one sentence's tree.

    Parameters
    ----------
    words, labels, tags
        One entry a token.
    heads
        The head's place in the sentence, -1 for the root.

    Examples
    --------
    >>> draw_tree(["Ann", "ran"], [1, -1], ["nsubj", "root"], ["PROPN", "VERB"]).count("<path")
    4
    """
    places, width = _places(words, labels, heads, tags)
    levels = _levels(heads)
    top = _MARGIN + _STEP * max(levels, default=0)
    parts = [_arc(places, heads, labels, levels, k, top) for k in range(len(words))]
    for place, word, tag in zip(places, words, tags, strict=True):
        parts.append(f'<text x="{place:.1f}" y="{top + 20:.1f}" class="w">{escape(word)}</text>')
        parts.append(f'<text x="{place:.1f}" y="{top + 37:.1f}" class="t">{escape(tag)}</text>')
    height = top + 37 + _MARGIN
    style = (
        "text{text-anchor:middle;font-family:sans-serif;fill:#222}.w{font-size:15px}.t,.l{font-size:11px}"
        ".t{fill:#777}.l{fill:#00695c}path{fill:none;stroke:#00897b;stroke-width:1.3}.h{fill:#00897b;stroke:none}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><style>{style}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>' + "".join(parts) + "</svg>\n"
    )


def _places(
    words: Sequence[str], labels: Sequence[str], heads: Sequence[int], tags: Sequence[str]
) -> tuple[list[float], float]:
    """Return the middle of each word, so far apart that labels of arcs between neighbours fit, and the width."""
    places: list[float] = []
    x = _MARGIN
    for k, (word, tag) in enumerate(zip(words, tags, strict=True)):
        own = max(len(word) * _LETTER, len(tag) * _SMALL)
        middle = x + own / 2
        if k and (heads[k] == k - 1 or heads[k - 1] == k):
            label = labels[k] if heads[k] == k - 1 else labels[k - 1]
            middle = max(middle, places[-1] + len(label) * _SMALL + 18)
        places.append(middle)
        x = middle + own / 2 + _GAP
    return places, x - _GAP + _MARGIN


def _levels(heads: Sequence[int]) -> list[int]:
    """Return how high each arc must go to pass over those inside it; a root's arrow comes from the top."""
    arcs = sorted((abs(k - head), k) for k, head in enumerate(heads) if head >= 0)
    levels = [0] * len(heads)
    for _, k in arcs:
        low, high = sorted((k, heads[k]))
        inner = [
            levels[j]
            for j, head in enumerate(heads)
            if j != k and head >= 0 and low <= min(j, head) <= max(j, head) <= high
        ]
        levels[k] = 1 + max(inner, default=0)
    top = max(levels, default=0)
    return [level if heads[k] >= 0 else top + 1 for k, level in enumerate(levels)]


def _arc(
    places: Sequence[float], heads: Sequence[int], labels: Sequence[str], levels: Sequence[int], k: int, top: float
) -> str:
    x, high = places[k], top - _STEP * levels[k]
    arrow = f'<path class="h" d="M{x:.1f},{top + 3:.1f} l-3.5,-8 h7 z"/>'
    if heads[k] < 0:
        label = f'<text x="{x + 18:.1f}" y="{high + 8:.1f}" class="l">{escape(labels[k])}</text>'
        return f'<path d="M{x:.1f},{high:.1f} V{top:.1f}"/>{arrow}{label}'
    head = places[heads[k]] + (7 if heads[k] < k else -7)
    bend = min(12.0, abs(head - x) / 2)
    turn = bend if x > head else -bend
    path = (
        f"M{head:.1f},{top:.1f} V{high + bend:.1f} Q{head:.1f},{high:.1f} {head + turn:.1f},{high:.1f} "
        f"H{x - turn:.1f} Q{x:.1f},{high:.1f} {x:.1f},{high + bend:.1f} V{top:.1f}"
    )
    label = f'<text x="{(head + x) / 2:.1f}" y="{high - 4:.1f}" class="l">{escape(labels[k])}</text>'
    return f'<path d="{path}"/>{arrow}{label}'
