"""TRESCAL: a factorisation that knows what kind of thing everything is (Chang, Yih, Yang and Meek, EMNLP 2014).

A person cannot be the capital of a country, so that cell says nothing about either: the loss leaves out every pair of
entities whose types do not fit the relation. What remains is a few per cent of all cells, learnt better at lower rank.
"""

import pyarrow as pa

from onoma.knowledge.facts import Facts
from onoma.knowledge.rescal import Factorisation, fit_factorisation
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.types import Fit, Signatures, Types
from onoma.progress import SILENT, Progress

__all__ = ["fit_trescal"]


def fit_trescal(
    facts: Facts,
    types: Types,
    plan: Plan | None = None,
    *,
    signatures: Signatures | pa.Table | None = None,
    progress: Progress = SILENT,
) -> Factorisation:
    """Factorise a knowledge base whose entities have types.

    Parameters
    ----------
    facts
        What is known.
    types
        The types of its entities.
    plan
        Rank, regularisation and so on.
    signatures
        The types allowed on each side of each relation; None: those seen there.
    progress
        Where the work shows itself.
    """
    if signatures is None:
        signatures = Signatures.induced(facts, types)
    elif not isinstance(signatures, Signatures):
        signatures = Signatures.from_table(signatures, facts.relations, types)
    fit = Fit.of(types, signatures)
    return fit_factorisation(facts, fit, plan or Plan(), types=types, signatures=signatures, progress=progress)
