"""Why a factorisation predicts a fact: the known facts that its score is made of.

The row of an entity solves a_i S_i = n_i, and n_i is a sum over the facts about i: x a_j R_kᵀ for a fact (i, k, j), and
x a_j R_k for a fact (j, k, i). So the score of a fact (s, q, o) is a sum over the facts about its subject,

    a_s R_q a_oᵀ = Σ_f  x_f v_f S_s⁻¹ R_q a_oᵀ ,      v_f = a_j R_kᵀ  or  a_j R_k

and in the same way a sum over the facts about its object. A contribution is exactly what the score would lose if the
entity forgot that fact and everything else stayed (S_i does not depend on the facts about i). Where the iterations have
not converged, the sum is the score after one more step of that row.
"""

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.knowledge.facts import Codes, Facts
from onoma.knowledge.facts_model import SUPPORT
from onoma.knowledge.rescal_als import block_systems, inverse

if TYPE_CHECKING:
    from onoma.knowledge.rescal import Factorisation

__all__ = ["contributions", "explain", "row_inverse"]

Double = NDArray[np.float64]


def explain(model: "Factorisation", facts: Facts, fact: tuple[int, int, int]) -> pa.Table:
    """Return the known facts that carry a fact (codes of subject, relation, object), the strongest first."""
    s, q, o = fact
    R_q = model.R[q].astype(np.float64)
    by_subject = contributions(model, facts, s, R_q @ model.A[o])
    by_object = contributions(model, facts, o, R_q.T @ model.A[s])
    rows = np.concatenate([by_subject[0], by_object[0]])
    values = np.concatenate([by_subject[1], by_object[1]])
    through = np.array(["subject"] * len(by_subject[0]) + ["object"] * len(by_object[0]), object)
    order = np.argsort(-values, kind="stable")
    columns = [*facts.named(facts.triples.take(rows[order])), pa.array(values[order]), pa.array(through[order])]
    return pa.Table.from_arrays(columns, schema=SUPPORT)


def contributions(model: "Factorisation", facts: Facts, entity: int, query: Double) -> tuple[Codes, Double]:
    """Return the facts about an entity (positions), and what each gives to the product of its row with `query`."""
    triples = facts.triples
    direction = row_inverse(model, int(model.fit.block[entity])) @ query
    found, values = [], []
    for own, other, as_subject in (
        (triples.subjects, triples.objects, True),
        (triples.objects, triples.subjects, False),
    ):
        rows = np.flatnonzero(own == entity)
        rows = rows[model.fit.allows(triples.take(rows))]
        sides = (model.R[k].T if as_subject else model.R[k] for k in triples.relations[rows])
        products = [float(model.A[j] @ (side @ direction)) for j, side in zip(other[rows], sides, strict=True)]
        found.append(rows)
        values.append(facts.probability[rows] * np.array(products, np.float64))
    return np.concatenate(found), np.concatenate(values)


def row_inverse(model: "Factorisation", block: int) -> Double:
    """Return S⁻¹ of the entities of a block."""
    lam = model.plan.regularisation
    ((_, S),) = block_systems(model.terms, model.fit.subjects[:, [block]], model.fit.objects[:, [block]], lam)
    return inverse(S, lam)
