"""What relatives may share: a bounded part of what copies share.

Without a bound the class of relatives would take over the copies: two records of one thing that differ in name are
always explained as well by two things in the same place.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_to_strangers"]

Floats = NDArray[np.float64]


def draw_to_strangers(
    related: Floats, copied: Floats, fresh: Floats, *, presence: Floats, fields: NDArray[np.bool_], bound: float
) -> Floats:
    """Return the relatives' log probabilities, in some fields drawn towards those of strangers until the bound holds.

    The tempered distribution is proportional to related^t · fresh^(1 - t): every weight of evidence for a relative
    shrinks by the factor t. (A mixture would keep almost all of it.)

    Parameters
    ----------
    related, copied, fresh
        Log probabilities by field, level of the parent (last: of any) and level; -inf beyond a field's levels.
    presence
        The share of pairs in which each field is known on both sides.
    fields
        The fields concerned.
    bound
        The most that relatives share, as a part of the information that copies share.
    """
    akin, strange, known = related[fields, -1], fresh[fields, -1], presence[fields]

    def information(table: Floats) -> float:
        return _divergence(table, strange, known)

    limit = bound * information(copied[fields, -1])
    if information(akin) <= limit:
        return related
    t = _largest(lambda t: information(_tempered(akin, strange, t)) <= limit)
    found = related.copy()
    found[fields] = _tempered(related, fresh, t)[fields]
    return found


def _divergence(p: Floats, fresh: Floats, presence: Floats) -> float:
    """Return the divergence of levels from those of strangers, summed over fields."""
    with np.errstate(invalid="ignore"):
        terms = np.where(np.isfinite(p), np.exp(p) * (p - fresh), 0.0)
    return float(presence @ terms.sum(axis=1))


def _largest(holds: Callable[[float], bool]) -> float:
    """Return the largest t in [0, 1] for which something holds that holds for all smaller ones."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _tempered(related: Floats, fresh: Floats, t: float) -> Floats:
    """Return the normalised geometric mean of two classes' tables; impossible levels stay so."""
    with np.errstate(invalid="ignore"):
        mean = np.where(np.isfinite(related), t * related + (1.0 - t) * fresh, -np.inf)
    return mean - np.logaddexp.reduce(mean, axis=-1, keepdims=True)
