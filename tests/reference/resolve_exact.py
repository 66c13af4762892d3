"""Which pairs matter to who is whose copy, told pair by pair with dictionaries and loops."""

from collections import defaultdict
from collections.abc import Sequence

__all__ = ["pairs_that_matter"]


def pairs_that_matter(
    a: Sequence[int],
    b: Sequence[int],
    copy: Sequence[float],
    relative: Sequence[float],
    faint: float,
    faint_sum: float,
    least: float,
) -> list[bool]:
    """Return the pairs that can be copies, and those that can take the place of one."""
    pairs = list(zip(a, b, copy, relative, strict=True))
    hardly: dict[int, float] = defaultdict(float)
    for i, j, c, r in pairs:
        if c / (1 + c + r) <= faint:
            hardly[i] += c / (1 + c + r)
            hardly[j] += c / (1 + c + r)

    def can_be_copy(i: int, j: int, c: float, r: float) -> bool:
        if c / (1 + c + r) > faint:
            return True
        return c + r > least and (hardly[i] > faint_sum or hardly[j] > faint_sum)

    copies: dict[int, list[float]] = defaultdict(list)
    for i, j, c, r in pairs:
        if can_be_copy(i, j, c, r):
            copies[i].append(c)
            copies[j].append(c)

    def taken(i: int, w: float) -> float:
        return max((c * w / ((1 + c) * (1 + c + w)) for c in copies[i]), default=0.0)

    left_out: dict[int, float] = defaultdict(float)
    found = []
    for i, j, c, r in pairs:
        heavy = c + r > least
        found.append(can_be_copy(i, j, c, r) or (heavy and max(taken(i, c + r), taken(j, c + r)) > faint))
        if heavy and not found[-1]:
            left_out[i] += taken(i, c + r)
            left_out[j] += taken(j, c + r)
    for e, (i, j, c, r) in enumerate(pairs):
        if c + r > least and (left_out[i] > faint_sum or left_out[j] > faint_sum):
            found[e] = True
    return found
