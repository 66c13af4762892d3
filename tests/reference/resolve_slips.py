"""Slow twin of the kernel of `slips.py`: every combination of levels of the known fields."""

import itertools

import numpy as np


def slip_distribution(parent, tables, n_levels, known):
    """The probability of each number of fields that differ, by adding up all combinations of levels."""
    none = tables.shape[1] - 1
    found = np.zeros(len(parent) + 1)
    fields = [range(n_levels[f]) if known[f] else (-1,) for f in range(len(parent))]
    for levels in itertools.product(*fields):
        probability = 1.0
        for f, level in enumerate(levels):
            if level >= 0:
                given = levels[parent[f]] if parent[f] >= 0 else -1
                probability *= tables[f, given if given >= 0 else none, level]
        found[sum(level > 0 for level in levels)] += probability
    return found
