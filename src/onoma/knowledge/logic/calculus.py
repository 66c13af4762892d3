"""Logic as tensor algebra (Grefenstette, 2013; Rocktäschel, Bošnjak, Singh and Riedel, 2014).

Truth is [1, 0]ᵀ, falsehood [0, 1]ᵀ. A connective is a 2×2×2 tensor; applied to two truth vectors it gives a third:

    [A ⇒ B] = IMPLIES ×₁ [A] ×₂ [B],    [A ∧ B] = AND ×₁ [A] ×₂ [B],    [¬A] = NOT [A].

The tensors are linear in each argument, so truth vectors may be anything in R². With components that are
probabilities (t, 1 − t) they compute what independent events would have: A ∧ B has t_A t_B, and A ⇒ B has
1 − t_A (1 − t_B).

A *clause* is a body of literals and a head, l_1 ∧ … ∧ l_n ⇒ h; a fact is a clause with an empty body. `clauses` gives
the truth of many clauses of one length and, for any loss on it, the gradient for each literal.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["AND", "FALSE", "IMPLIES", "NOT", "OR", "TRUE", "Evaluated", "clauses", "connect", "distance", "surprise"]

Truths = NDArray[np.float64]
"""… × 2."""

TRUE: Truths = np.array([1.0, 0.0])
FALSE: Truths = np.array([0.0, 1.0])
NOT: Truths = np.array([[0.0, 1.0], [1.0, 0.0]])
# Columns of the flat form: (true, true), (true, false), (false, true), (false, false).
AND: Truths = np.array([[1.0, 0, 0, 0], [0, 1, 1, 1]]).reshape(2, 2, 2)
OR: Truths = np.array([[1.0, 1, 1, 0], [0, 0, 0, 1]]).reshape(2, 2, 2)
IMPLIES: Truths = np.array([[1.0, 0, 1, 1], [0, 1, 0, 0]]).reshape(2, 2, 2)

_FLOOR = 1e-12


class Evaluated(NamedTuple):
    """Clauses, their loss, and what to do about it."""

    truth: Truths
    """clauses × 2."""
    loss: NDArray[np.float64]
    """One number a clause."""
    gradient: Truths
    """clauses × literals × 2: of the loss, for each literal, the head last."""


def connect(operator: Truths, first: Truths, second: Truths) -> Truths:
    """Apply a connective to truth vectors, row by row.

    Examples
    --------
    >>> connect(IMPLIES, np.array([TRUE, FALSE]), np.array([FALSE, FALSE]))[:, 0]
    array([0., 1.])
    """
    found: Truths = np.einsum("oab,na,nb->no", operator, first, second)
    return found


def distance(truth: Truths) -> tuple[NDArray[np.float64], Truths]:
    """Return the paper's loss ‖[F] − ⊤‖₂ and its gradient ([F] − ⊤) / ‖[F] − ⊤‖₂, which is 0 at the truth itself."""
    off = truth - TRUE
    norm = np.sqrt(np.sum(off**2, axis=1))
    return norm, np.divide(off, norm[:, None], out=np.zeros_like(off), where=norm[:, None] > _FLOOR)


def surprise(truth: Truths) -> tuple[NDArray[np.float64], Truths]:
    """Return −log of the probability of the clause, and its gradient."""
    probability = np.maximum(truth[:, 0], _FLOOR)
    return -np.log(probability), np.stack([-1 / probability, np.zeros_like(probability)], axis=1)


def clauses(
    literals: Truths,
    negated: NDArray[np.bool_],
    loss: Callable[[Truths], tuple[NDArray[np.float64], Truths]] = distance,
) -> Evaluated:
    """Evaluate clauses of one length.

    Parameters
    ----------
    literals
        clauses × literals × 2: the truth vectors of the atoms, the head's last.
    negated
        One flag a literal: is the atom under a NOT?
    loss
        From truth vectors to losses and their gradients: `distance` or `surprise`.

    Examples
    --------
    >>> found = clauses(np.array([[TRUE, FALSE]]), np.array([False, False]))  # true ⇒ false
    >>> found.truth, found.loss.round(4)
    (array([[0., 1.]]), array([1.4142]))
    """
    signed = np.where(negated[None, :, None], literals @ NOT, literals)
    n, n_literals, _ = signed.shape
    body = [np.broadcast_to(TRUE, (n, 2))]
    for at in range(n_literals - 1):
        body.append(connect(AND, body[-1], signed[:, at]))
    truth = connect(IMPLIES, body[-1], signed[:, -1])
    losses, outer = loss(truth)
    gradient = np.empty_like(signed)
    gradient[:, -1] = np.einsum("oab,na,no->nb", IMPLIES, body[-1], outer)
    inner = np.einsum("oab,nb,no->na", IMPLIES, signed[:, -1], outer)
    for at in range(n_literals - 2, -1, -1):
        gradient[:, at] = np.einsum("oab,na,no->nb", AND, body[at], inner)
        inner = np.einsum("oab,nb,no->na", AND, signed[:, at], inner)
    return Evaluated(truth, losses, np.where(negated[None, :, None], gradient @ NOT, gradient))
