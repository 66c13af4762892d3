"""Small random graphs, and the χ² test of samples against their enumerated distribution."""

import numpy as np
from scipy.stats import chisquare

from onoma.graph.exact import Enumeration, enumerate_worlds
from onoma.graph.factor_graph import FactorGraph


def random_graph(seed, *, scale=0.7, hard=True):
    """A graph of 2 to 8 variables with 2 to 4 values, factors over 1 to 3 of them; every third has forbidden cells."""
    rng = np.random.default_rng(seed)
    while True:
        graph = _build(rng, scale, hard and seed % 3 == 0)
        enumeration = enumerate_worlds(graph)
        if flips_connect(enumeration):
            return graph, enumeration


def _build(rng, scale, hard):
    n = int(rng.integers(2, 9))
    graph = FactorGraph()
    names = [f"v{i}" for i in range(n)]
    sizes = rng.integers(2, 5 if n < 5 else 3 if n > 6 else 4, size=n)
    for name, size in zip(names, sizes, strict=True):
        graph.variable(name, range(size))
    for _ in range(int(rng.integers(n, 2 * n + 2))):
        scope = rng.choice(n, size=int(rng.integers(1, min(n, 3) + 1)), replace=False)
        table = rng.normal(0, scale, size=sizes[scope])
        if hard and len(scope) > 1 and rng.random() < 0.4:
            table.ravel()[rng.integers(table.size)] = -np.inf
        graph.factor([names[i] for i in scope], table)
    if rng.random() < 0.2:
        graph.observe(names[0], 0)
    return graph.compile()


def flips_connect(enumeration: Enumeration):
    """Whether changes of one variable lead from any allowed world to any other."""
    allowed = np.isfinite(enumeration.log_scores)
    seen = np.zeros_like(allowed)
    first = np.unravel_index(np.argmax(allowed), allowed.shape)
    seen[first], stack = True, [first]
    while stack:
        world = stack.pop()
        for axis, size in enumerate(allowed.shape):
            for value in range(size):
                other = (*world[:axis], value, *world[axis + 1 :])
                if allowed[other] and not seen[other]:
                    seen[other] = True
                    stack.append(other)
    return bool((seen == allowed).all())


def chi_square(worlds, enumeration: Enumeration):
    """The p-value of sampled worlds [n, variable] under the enumerated distribution; rare worlds are pooled."""
    probabilities = enumeration.probabilities
    counts = np.bincount(enumeration.index(worlds), minlength=len(probabilities)).astype(float)
    if counts[probabilities == 0].any():
        return 0.0  # a forbidden world was visited
    expected = probabilities * len(worlds)
    order = np.argsort(-expected)
    counts, expected = counts[order], expected[order]
    n_large = int(np.sum(expected >= 10))
    if expected[n_large:].sum() < 10:
        n_large = max(1, n_large - 1)
    groups = np.minimum(np.arange(len(counts)), n_large)
    counts, expected = np.bincount(groups, counts), np.bincount(groups, expected)
    if len(counts) < 2:
        return 1.0
    return float(chisquare(counts, expected * counts.sum() / expected.sum()).pvalue)
