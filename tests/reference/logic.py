"""Clauses by enumeration: the truth of a formula is the sum over all ways its atoms can be true or false."""

import itertools

import numpy as np


def clause_truth(literals, negated):
    """literals: atoms × 2, the head last. Return [t, f] of l_1 ∧ … ∧ l_n ⇒ head."""
    total = np.zeros(2)
    for world in itertools.product((True, False), repeat=len(literals)):
        weight = np.prod([vector[0] if value else vector[1] for vector, value in zip(literals, world, strict=True)])
        signed = [value != flip for value, flip in zip(world, negated, strict=True)]
        holds = signed[-1] or not all(signed[:-1])
        total[0 if holds else 1] += weight
    return total


def instances(body, facts, entities):
    """Fill the variables of positive (relation, subject, object) literals in every way that the facts allow."""
    names = sorted({name for _, *pair in body for name in pair})
    found = set()
    for values in itertools.product(entities, repeat=len(names)):
        bound = dict(zip(names, values, strict=True))
        if all((bound[s], relation, bound[o]) in facts for relation, s, o in body):
            found.add(tuple(sorted(bound.items())))
    return found
