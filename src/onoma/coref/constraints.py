"""What is known of coreference before anything is learnt, as constraints that any decoder can use.

A constraint says of two mentions whether it speaks (`matrix[i, k]`), and has a weight: positive, they belong together;
negative, they do not. Weights are learnt on development documents (`fit_weights`), so that a constraint which the
annotation scheme does not keep loses its say. Chang, Samdani and Roth, "A constrained latent variable model for
coreference resolution", 2013. One is hard and part of every model: what stands inside a phrase is not that phrase
(`WITHIN`). Your own constraint is any object with a name, a weight and `speaks`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.coref.attributes import Column, text_code
from onoma.coref.features import Prepared

__all__ = ["CONSTRAINTS", "NEVER", "WITHIN", "Constraint", "Rule", "constraint_matrix", "fit_weights"]

NEVER = -1e3
"""The weight of a constraint that holds without exception: no sum of learnt weights comes near it."""

_LONG = 5
"""Words from which an equal span is no accident (the paper's number)."""


class Constraint(Protocol):
    """A constraint on pairs of mentions of one entity."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def weight(self) -> float:
        """What it adds for each pair that it speaks of."""

    def speaks(self, prepared: Prepared) -> NDArray[np.bool_]:
        """Return for each pair of mentions whether it speaks of them."""


@dataclass(frozen=True)
class Rule:
    """A constraint given by a function."""

    name: str
    weight: float
    rule: Callable[[Prepared], NDArray[np.bool_]]

    def speaks(self, prepared: Prepared) -> NDArray[np.bool_]:
        """Return for each pair of mentions whether it speaks of them."""
        return self.rule(prepared)


def constraint_matrix(prepared: Prepared, constraints: Sequence[Constraint]) -> NDArray[np.float64]:
    """Return the sum of the weights of the constraints that speak of each pair."""
    total = np.zeros((len(prepared), len(prepared)))
    for constraint in constraints:
        if constraint.weight:
            total += constraint.weight * constraint.speaks(prepared)
    return total


def fit_weights(
    constraints: Sequence[Rule], quality: Callable[[Sequence[Rule]], float], grid: Sequence[float] = (0, 0.5, 1, 2, 4)
) -> list[Rule]:
    """Choose weights one after the other, each the best of a grid (with its sign) while the others stand."""
    chosen = [replace(constraint, weight=0.0) for constraint in constraints]
    for index, constraint in enumerate(constraints):
        sign = 1.0 if constraint.weight > 0 else -1.0
        trials = []
        for size in grid:
            chosen[index] = replace(constraint, weight=sign * size)
            trials.append((quality(chosen), -size))
        best = max(range(len(grid)), key=trials.__getitem__)
        chosen[index] = replace(constraint, weight=sign * grid[best])
    return chosen


def _column(prepared: Prepared, column: Column) -> NDArray[np.int64]:
    return prepared.mentions.table[:, column]


def _equal(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which pairs have the same value; 0 stands for none."""
    return (values[:, None] == values[None, :]) & (values[:, None] != 0)


def _differ(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (values[:, None] != values[None, :]) & (values[:, None] != 0) & (values[None, :] != 0)


def _both(which: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return which[:, None] & which[None, :]


def _same_span(prepared: Prepared) -> NDArray[np.bool_]:
    """The same words, more than five of them."""
    return _equal(_column(prepared, Column.TEXT)) & _both(_column(prepared, Column.LENGTH) > _LONG)


def _same_determined(prepared: Prepared) -> NDArray[np.bool_]:
    """The same noun phrase with a definite or demonstrative determiner."""
    kind = _column(prepared, Column.TYPE)
    return _equal(_column(prepared, Column.BARE_TEXT)) & _both((kind == 2) | (kind == 5))


def _same_name(prepared: Prepared) -> NDArray[np.bool_]:
    """The same proper name, or its initials."""
    proper = _both(_column(prepared, Column.TYPE) == 1)
    short, full = _column(prepared, Column.ABBREVIATION), _column(prepared, Column.INITIALS)
    initials = (short[:, None] == full[None, :]) & (short[:, None] != 0)
    return proper & (_equal(_column(prepared, Column.BARE_TEXT)) | initials | initials.T)


def _modifier_mismatch(prepared: Prepared) -> NDArray[np.bool_]:
    """The same head with modifiers of which neither mention has those of the other."""
    m = prepared.mentions
    parts = np.split(m.modifiers, m.modifier_ends[:-1]) if len(prepared) else []
    sets = [set(part.tolist()) for part in parts]
    same = np.argwhere(np.tril(_equal(_column(prepared, Column.HEAD_TEXT)), -1))
    result = np.zeros((len(prepared), len(prepared)), bool)
    for i, k in same:
        result[i, k] = result[k, i] = bool(sets[i] - sets[k]) and bool(sets[k] - sets[i])
    return result


def _property_mismatch(prepared: Prepared) -> NDArray[np.bool_]:
    """Known gender or number that differs."""
    return _differ(_column(prepared, Column.GENDER)) | _differ(_column(prepared, Column.NUMBER))


def _within(prepared: Prepared) -> NDArray[np.bool_]:
    """One stands in the other, before its head or hanging on it: *her* of *her deputy*, *Volta* of *Volta Motors*.

    What stands in a clause about the phrase may well be it (*a man who loved his wife*), and so may its apposition.
    """
    start, end, head = (_column(prepared, column) for column in (Column.START, Column.END, Column.HEAD))
    governor, relation = _column(prepared, Column.GOVERNOR_PLACE), _column(prepared, Column.RELATION)
    inside = (start[:, None] <= start[None, :]) & (end[None, :] <= end[:, None]) & (head[:, None] != head[None, :])
    hangs = (governor[None, :] == head[:, None]) & (relation[None, :] != text_code("appos"))
    found = inside & (hangs | (end[None, :] <= head[:, None]))
    return found | found.T


WITHIN = Rule("one inside the other", NEVER, _within)
"""i within i. Of 1,678 such pairs of annotated mentions in OntoGUM's training documents none is one thing; of 2,197 in
LitBank 53 are."""

CONSTRAINTS: Sequence[Rule] = (
    Rule("same span", 1.0, _same_span),
    Rule("same determined noun phrase", 1.0, _same_determined),
    Rule("same proper name", 1.0, _same_name),
    Rule("modifier mismatch", -1.0, _modifier_mismatch),
    Rule("property mismatch", -1.0, _property_mismatch),
)
"""The paper's five, with the signs of their weights."""
