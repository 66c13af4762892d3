"""Rules found in facts: what mostly holds where something else does.

Looked at are bodies of one literal, j(X, Y) or j(Y, X), and chains of two, i(X, Z) & j(Z, Y), each literal either way
round. A rule is kept if enough facts bear it out (*support*: pairs of which body and head hold) and few enough pairs
have the body without the head: its *confidence* is support / (pairs with the body + κ), so that a rule with few
instances is trusted less. What is not known counts against a rule, as if it were false. The confidence becomes the
weight of the rule.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.logic.rules import Literal, Rule
from onoma.knowledge.thesaurus import Matrix

__all__ = ["mine_rules"]

_KAPPA = 5.0
_WAYS = 20_000_000
"""Chains of two relations with more ways through are passed over: they join almost everything."""


def mine_rules(
    facts: Facts, *, min_support: int = 5, min_confidence: float = 0.3, chains: bool = True, limit: int | None = 1000
) -> list[Rule]:
    """Return the rules that the facts bear out, the most confident first.

    Parameters
    ----------
    facts
        What is known; probabilities are not looked at.
    min_support, min_confidence
        What a rule needs to be kept.
    chains
        Whether to look at bodies of two literals.
    limit
        How many rules to return at most; None: all.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = [f"p{i}" for i in range(12)]
    >>> rows = [(p, "leads", f"firm{p}") for p in people] + [(p, "works for", f"firm{p}") for p in people]
    >>> s, r, o = zip(*rows)
    >>> facts = Facts.from_table(pa.table({"subject": s, "relation": r, "object": o}))
    >>> for rule in mine_rules(facts, chains=False):
    ...     print(rule)
    0.706 :: leads(X, Y) => works for(X, Y)
    0.706 :: works for(X, Y) => leads(X, Y)
    """
    if not len(facts):
        raise DataError("there are no facts to find rules in")
    if min_support < 1 or not 0.0 <= min_confidence <= 1.0 or (limit is not None and limit < 1):
        raise SettingsError(
            f"min_support is {min_support}, min_confidence {min_confidence}, limit {limit}: support and limit are from "
            "1 up, confidence from 0 to 1"
        )
    n, m = len(facts.entities), len(facts.relations)
    s, k, o = facts.triples.columns
    known, rows = np.unique(s * n + o, return_inverse=True)
    heads = sp.csr_array((np.ones(len(facts), np.float32), (rows, k)), shape=(len(known), m))
    largest = float(np.bincount(k, minlength=m).max(initial=0))
    found: list[Rule] = []
    for body, pairs in _bodies(facts, chains=chains, limit=largest / max(min_confidence, 1e-9)):
        support = np.asarray(heads[_places(known, pairs)].sum(axis=0)).ravel()
        confidence = support / (len(pairs) + _KAPPA)
        kept = np.flatnonzero((support >= min_support) & (confidence >= min_confidence))
        found += [_rule(facts, body, k, float(confidence[k])) for k in kept.tolist() if body != ((k, False),)]
    return sorted(found, key=lambda rule: (-rule.weight, str(rule)))[:limit]


def _places(known: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of those pairs that are known."""
    place = np.minimum(np.searchsorted(known, pairs), len(known) - 1)
    return place[known[place] == pairs]


Body = tuple[tuple[int, bool], ...]
"""The relations of a body, and whether each is turned."""


def _bodies(facts: Facts, *, chains: bool, limit: float) -> Iterator[tuple[Body, NDArray[np.int64]]]:
    """Yield bodies and the pairs of which they hold; none that holds of more pairs than the limit."""
    n = len(facts.entities)
    ways: list[tuple[tuple[int, bool], Matrix]] = []
    for k, cells in facts.slices():
        holds = Matrix((np.ones(cells.nnz, np.float32), (cells.row, cells.col)), shape=(n, n))
        ways += [((k, False), holds), ((k, True), Matrix(holds.T))]
    for name, X in ways:
        if X.nnz <= limit:
            yield (name,), _pairs(X, n)
    if not chains:
        return
    degrees = [(np.asarray(X.sum(axis=0)).ravel(), np.asarray(X.sum(axis=1)).ravel()) for _, X in ways]
    for (first, X), (into, _) in zip(ways, degrees, strict=True):
        for (second, Y), (_, out) in zip(ways, degrees, strict=True):
            if 0.0 < float(into @ out) <= _WAYS:
                joined = Matrix(X @ Y)
                if joined.nnz <= limit:
                    yield (first, second), _pairs(joined, n)


def _pairs(X: Matrix, n: int) -> NDArray[np.int64]:
    cells = X.tocoo()
    return cells.row.astype(np.int64) * n + cells.col


def _rule(facts: Facts, body: Body, head: int, confidence: float) -> Rule:
    variables = ("X", "Y") if len(body) == 1 else ("X", "Z", "Y")
    literals = []
    for (k, turned), first, second in zip(body, variables[:-1], variables[1:], strict=True):
        literals.append(Literal(facts.relations[k], *((second, first) if turned else (first, second))))
    return Rule(tuple(literals), Literal(facts.relations[head], "X", "Y"), round(confidence, 3))
