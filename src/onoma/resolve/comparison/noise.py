"""Noise that any domain shares: how copies agree, by kind of field, before a table is looked at.

Weights learnt without labels can settle in the wrong place: where there are more households than duplicates, "shares
the address, has another name and birth date" explains more pairs than "is the same person". What keeps learning from
that is no property of a table. A name or a date is misspelt, shortened, swapped or left out, but seldom replaced by
an unrelated one. Among the copies of 27 columns of names in 14 labelled tables 0 to 11 % had an unrelated one (mean
3.7 %), of 15 columns of dates 0 to 12 % (mean 4 %). In other kinds the share runs from 0 to more than one half: an
address changes, a genre is a matter of taste.

A title tells a thing as a name does: where a text says most, 0 to 4 % of the copies in ten labelled tables have an
unrelated one (to 6 % with the next level). Albums of one artist would else be taken for copies that changed title and
tracks.

So every kind has the mean shares of its levels as a prior: a weak one (`WEAK` pairs), or, in *firm* kinds, names and
dates, one that grows with the table (`FIRM`); and in these and in the text that says most the share of unrelated values
is bounded (`UNRELATED`), whatever the table seems to say. How names are misspelt is learnt from the table; that they
are mostly replaced is not.

A bound on what is asked is no bound on what is found. Where there are more families than copies, those who share all
but a given name may be a fifth of what is taken for copies, though the weights say that a twentieth is. So what is
found is held to what any table known has (`USUAL`), too: while more of the copies have unrelated values, these are
taken for rarer (posterior regularisation: Ganchev, Graça, Gillenwater and Taskar, 2010).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRM", "UNRELATED", "USUAL", "WEAK", "Noise", "noise_of"]

Floats = NDArray[np.float64]
WEAK = 20.0
"""Pairs that the mean shares of a kind's levels are worth."""
FIRM = 0.1
"""The same in firm kinds, for each record."""
UNRELATED = 0.07
"""The most that unrelated values can be among copies in firm kinds and in titles, not quite twice the mean of names. A
share that is given as the mean costs tables whose names change more (historical_50k, pairwise F1 of a part: .935, with
the bound .952, with one of .11 .962); with a bound of .11 simulated households without duplicates are joined (577 of
2,500 rows; 3 with .07, and 3 with the mean)."""

USUAL = 0.12
"""The most unrelated values that copies had in any of the 42 columns of names and dates that were measured. Where what
is taken for copies has more of them, some of it is families."""

_SHARES: dict[str, tuple[float, ...]] = {
    "person": (0.70, 0.026, 0.021, 0.025, 0.114, 0.041, 0.016, 0.012, 0.005, 0.007, 0.033),
    "organisation": (0.58, 0.06, 0.03, 0.005, 0.03, 0.055, 0.04, 0.045, 0.045, 0.015, 0.015, 0.025, 0.055),
    "place": (0.768, 0.022, 0.059, 0.02, 0.011, 0.032, 0.005, 0.005, 0.08),
    "code": (0.813, 0.053, 0.013, 0.011, 0.11),
    "serial": (0.813, 0.011, 0.176),
    "category": (0.89, 0.11),
    "date": (0.80, 0.005, 0.035, 0.03, 0.007, 0.013, 0.005, 0.01, 0.03, 0.015, 0.05),
    "year": (0.90, 0.03, 0.02, 0.03, 0.02),
    "number": (0.40, 0.10, 0.05, 0.10, 0.15, 0.08, 0.12),
}
"""Mean share of each level among the nearest true pairs, over the columns of a kind in the tables a–m of the zoo, the
older tables and simulated people."""
_WORDS = (0.36, 0.16, 0.20, 0.14, 0.14)
"""The same of texts and lists: equal, the three thirds of the levels between, different."""
_OTHER = (0.70, 0.20, 0.10)
"""Equal, between, different: kinds that were not measured."""
_UNRELATED = {"person": 2, "date": 2, "year": 1, "likeness": 2}
"""How many of the last levels mean that one value does not come from the other, where these are bounded."""
_FIRM = ("person", "date", "year")
"""Kinds whose levels are alike from table to table: a title is written in full here and cut short there."""


@dataclass(frozen=True, eq=False)
class Noise:
    """How copies agree in each field, before the table is looked at."""

    shares: Floats
    """By field and level; 0 beyond a field's levels."""
    unrelated: NDArray[np.int64]
    """The first level of unrelated values, where these are bounded; of other fields the number of levels."""
    firm: NDArray[np.bool_]
    """The names and dates."""

    def bounded(self, f: int, probabilities: Floats, most: float | Floats = UNRELATED) -> Floats:
        """Return the probabilities of a field's levels (in the last axis), those of unrelated values `most` at most."""
        first = int(self.unrelated[f])
        if first >= probabilities.shape[-1]:
            return probabilities
        learnt = probabilities[..., first:].sum(axis=-1, keepdims=True)
        wanted = np.minimum(learnt, most)
        found = probabilities * (1.0 - wanted) / (1.0 - learnt)
        found[..., first:] = probabilities[..., first:] * wanted / learnt
        return found


def noise_of(kinds: Sequence[str], n_levels: Sequence[int]) -> Noise:
    """Return the noise of fields of these kinds, with so many levels each.

    Examples
    --------
    >>> noise = noise_of(["person", "category"], [11, 2])
    >>> noise.firm.tolist(), noise.shares[1, :2].tolist()
    ([True, False], [0.89, 0.11])
    """
    names = [_name(kind, k) for kind, k in zip(kinds, n_levels, strict=True)]
    shares = np.zeros((len(names), max(n_levels, default=0)))
    for f, (name, k) in enumerate(zip(names, n_levels, strict=True)):
        shares[f, :k] = _shares(name, k)
    first = [k - _UNRELATED.get(name, 0) for name, k in zip(names, n_levels, strict=True)]
    return Noise(shares, np.array(first, dtype=np.int64), np.isin(names, _FIRM))


def _name(kind: str, n_levels: int) -> str:
    """Return the kind by which shares are listed: a date that is a year alone has fewer levels; "" if none fits."""
    for name in (kind, "year" if kind == "date" else kind):
        if len(_SHARES.get(name, ())) == n_levels:
            return name
    return kind if kind in ("text", "set", "likeness") else ""


def _shares(name: str, k: int) -> Floats:
    if name in _SHARES:
        found = np.array(_SHARES[name])
    else:
        parts = _WORDS if name in ("text", "set") else _OTHER
        found = np.zeros(k)
        found[0], found[k - 1] = parts[0], parts[-1]
        between = np.array_split(np.arange(1, k - 1), len(parts) - 2)
        for share, levels in zip(parts[1:-1], between, strict=True):
            found[levels] = share / max(len(levels), 1)
    return found / found.sum()
