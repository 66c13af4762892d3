"""Entries of a knowledge base as the hidden state of entities, on top of any left-linking model.

An entity *is* one entry, or none of those known (NIL): a state that is never seen, only the names that its mentions
have. With e(i, c) the chance of mention i's name if its entity is c, and π(c | E) ∝ π(c) Π_{k in E} e(k, c), mention i
joins entity E with the bonus

    ρ · log( Σ_c π(c | E) e(i, c) / Σ_c π(c) e(i, c) ),

the log-odds of its name under what E has been so far against a name of anybody. So two names that no list holds
together agree through an entry that each may mean, and names of different entries part. This is dynamic alignment
(Zheng et al., CoNLL 2013) with the whole list in place of its top; *static* alignment knows the antecedent's own name
alone. ρ is chosen on development documents. Cost: O(mentions × entities × entries).
"""

import numpy as np
from numpy.typing import NDArray

from onoma.coref.decode import constrained_link
from onoma.errors import SettingsError

__all__ = ["WAYS", "aligned_link", "names_given_entries"]

Floats = NDArray[np.float64]

WAYS = ("none", "static", "dynamic")
_APART = 0.02
"""The chance of a name that no list gives to the entry, where one that it gives has 1: lists miss some."""
_NIL = 0.5
"""The share of things that no list holds."""


def names_given_entries(lists: Floats, match: NDArray[np.int8]) -> Floats:
    """Return e(i, c), up to a factor for each mention, with NIL in the last column.

    Parameters
    ----------
    lists
        Mentions × entries: how relevant an entry is for the mention, 0: it is no candidate.
    match
        Entries × mentions: whether the mention's text is a name of the entry.

    A mention that is no name of any entry, as pronouns are, says nothing: it has 1 for all.
    """
    said = (lists > 0) | (match.T > 0)
    chance = np.where(said, np.where(lists > 0, lists, 1.0), _APART)
    nil = np.full((len(lists), 1), np.sqrt(_APART))
    found = np.hstack([chance, nil])
    found[~said.any(axis=1)] = 1.0
    return found


def aligned_link(
    scores: Floats, constraints: Floats | None, gamma: float, names: Floats, *, way: str, weight: float
) -> NDArray[np.int64]:
    """Decode from left to right as `constrained_link` does, with entities that are entries.

    Parameters
    ----------
    scores, constraints, gamma
        As `constrained_link` takes them.
    names
        What `names_given_entries` gives.
    way
        `"none"`, `"static"` or `"dynamic"`.
    weight
        ρ.
    """
    if way not in WAYS:
        raise SettingsError(f"there is no way {way!r}; there are {', '.join(WAYS)}")
    if way == "none" or weight == 0.0:
        return constrained_link(scores, constraints, gamma)
    prior = np.full(names.shape[1], (1.0 - _NIL) / max(names.shape[1] - 1, 1))
    prior[-1] = _NIL
    anybody = np.log(names @ prior)
    if way == "static":
        own = names * prior
        own /= own.sum(axis=1, keepdims=True)
        odds = np.log(names @ own.T) - anybody[:, None]
        return constrained_link(scores + weight * np.tril(odds, -1), constraints, gamma)
    return _dynamic(scores, constraints, gamma, names, prior, anybody, weight)


def _dynamic(
    scores: Floats,
    constraints: Floats | None,
    gamma: float,
    names: Floats,
    prior: Floats,
    anybody: Floats,
    weight: float,
) -> NDArray[np.int64]:
    n = len(scores)
    labels = np.arange(n)
    states = names * prior  # of each entity, in the row of its first mention
    states /= states.sum(axis=1, keepdims=True)
    for i in range(1, n):
        founders = np.flatnonzero(labels[:i] == np.arange(i))
        bonus = np.zeros(n)
        bonus[founders] = weight * (np.log(states[founders] @ names[i]) - anybody[i])
        if constraints is not None:
            bonus += np.bincount(labels[:i], constraints[i, :i], n)
        row = scores[i, :i] + bonus[labels[:i]]
        if gamma == 0.0:
            best = int(labels[int(np.argmax(row))])
            joins = row.max() > scores[i, i]
        else:
            top = max(float(row.max()), float(scores[i, i]))
            mass = np.bincount(labels[:i], np.exp((row - top) / gamma), n)
            best = int(np.argmax(mass))
            joins = mass[best] > np.exp((scores[i, i] - top) / gamma)
        if joins:
            labels[i] = best
            states[best] *= names[i]
            states[best] /= states[best].sum()
    return labels
