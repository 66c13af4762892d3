"""The slow twin of `onoma.linking._index_kernels`: Dice scores of all, best first."""

from collections.abc import Sequence

__all__ = ["slow_share_trigrams"]


def slow_share_trigrams(
    query: set[int], aliases: Sequence[set[int]], most: int, least: float
) -> list[tuple[int, float]]:
    """Return the aliases that share most trigrams with a query."""
    scored = [(alias, 2 * len(query & grams) / (len(query) + len(grams))) for alias, grams in enumerate(aliases)]
    kept = [(alias, score) for alias, score in scored if score >= least and query & aliases[alias]]
    return sorted(kept, key=lambda each: -each[1])[:most]
