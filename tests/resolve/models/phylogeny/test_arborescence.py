import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError
from onoma.resolve.models.phylogeny.arborescence import best_parents

networkx = pytest.importorskip("networkx")


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10_000))
def test_it_is_the_maximum_spanning_arborescence(n, seed):
    rng = np.random.default_rng(seed)
    edges = [(p, c) for p in range(n) for c in range(n) if p != c and rng.random() < 0.6]
    scores = rng.normal(2.0, 2.0, len(edges))
    roots = rng.normal(-1.0, 2.0, n)
    found = best_parents(n, [p for p, _ in edges], [c for _, c in edges], scores, roots)
    graph = networkx.DiGraph()
    for c in range(n):
        graph.add_edge("root", c, weight=float(roots[c]))
    for (p, c), score in zip(edges, scores, strict=True):
        graph.add_edge(p, c, weight=float(score))
    best = networkx.maximum_spanning_arborescence(graph)
    value = dict(zip(edges, scores, strict=True))
    ours = sum(roots[c] if p < 0 else value[p, c] for c, p in enumerate(found.tolist()))
    assert ours == pytest.approx(best.size(weight="weight"))
    for start in range(n):
        node, steps = start, 0
        while node >= 0:
            node, steps = int(found[node]), steps + 1
            assert steps <= n


def test_many_cycles_are_opened():
    """A chain of pairs that prefer each other, 1,500 deep: no recursion."""
    n = 3_000
    one = np.arange(0, n, 2)
    parents = np.concatenate([one, one + 1, one[1:] - 1])
    children = np.concatenate([one + 1, one, one[1:]])
    scores = np.concatenate([np.full(len(one), 9.0), np.full(len(one), 8.0), np.full(len(one) - 1, 2.0)])
    found = best_parents(n, parents, children, scores, np.zeros(n))
    np.testing.assert_array_equal(found, np.arange(n) - 1)


def test_every_node_has_a_root_score():
    with pytest.raises(DataError, match="2 nodes and 1 root"):
        best_parents(2, [], [], [], [0.0])
