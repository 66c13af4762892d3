"""Mentions as brackets around tokens: what opens and closes at each token, and in which order.

At one token first comes what closes (innermost first), then what opens (longest first), then what is one token long. A
chain that ends one mention and begins another at the same token is so read back as it was.
"""

from collections.abc import Sequence
from typing import NamedTuple

from onoma.errors import DataError

__all__ = ["Span", "marks_by_token"]


class Span(NamedTuple):
    """A mention to be written: tokens `start` to `end` (one past the last) and the name of its bracket."""

    start: int
    end: int
    chain: str
    row: int = 0


def marks_by_token(spans: Sequence[Span], *, where: str, n_tokens: int) -> dict[int, list[tuple[str, Span]]]:
    """Return for each token with a mark its marks `("(" | ")" | "()", span)` in writing order.

    Raises
    ------
    DataError
        If a span is empty or outside the document, or two of one chain cross: brackets cannot say that.
    """
    for span in spans:
        if not 0 <= span.start < span.end <= n_tokens:
            raise DataError(f"{where} has {n_tokens:,} tokens; a mention from {span.start} to {span.end} does not fit")
    _check_crossing(spans, where)
    marks: dict[int, list[tuple[str, Span]]] = {}
    nested = sorted(spans, key=lambda span: (span.start, -span.end))
    for span in reversed(nested):
        if span.end > span.start + 1:
            marks.setdefault(span.end - 1, []).append((")", span))
    for span in nested:
        marks.setdefault(span.start, []).append(("()" if span.end == span.start + 1 else "(", span))
    return marks


def _check_crossing(spans: Sequence[Span], where: str) -> None:
    stacks: dict[str, list[Span]] = {}
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        stack = stacks.setdefault(span.chain, [])
        while stack and stack[-1].end - 1 <= span.start:
            stack.pop()
        if stack and stack[-1].end < span.end:
            a, b = stack[-1], span
            raise DataError(
                f"{where}: the mentions {a.start}–{a.end} and {b.start}–{b.end} of chain {span.chain!r} cross, "
                "which brackets cannot say",
                hint="Drop one of the two, or write a table (.csv, .parquet) instead.",
            )
        stack.append(span)
