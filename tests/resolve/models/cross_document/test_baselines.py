"""SubSquare: its graph, its overlaps, and clusters that are plain to see."""

import numpy as np
import pytest

from onoma.resolve.models.cross_document._subsquare_kernels import in_common
from onoma.resolve.models.cross_document.baselines import near_mentions, subsquare
from onoma.resolve.models.cross_document.text import bags_of
from reference.resolve_subsquare import in_common as slow_in_common


def random_graph(n, k, seed):
    rng = np.random.default_rng(seed)
    near = np.full((n, k), -1, np.int32)
    for i in range(n):
        others = np.sort(rng.choice(np.delete(np.arange(n), i), rng.integers(0, k + 1), replace=False))
        near[i, : len(others)] = others
    return near


@pytest.mark.parametrize("seed", range(3))
def test_overlap_is_that_of_sets(seed):
    near = random_graph(12, 5, seed)
    for i in range(12):
        for j in range(12):
            if i != j:
                assert in_common(near, i, j) == pytest.approx(slow_in_common(near, i, j))


def test_groups_of_alike_contexts_are_found():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(6), 10)
    texts = [" ".join(f"w{p}x{w}" for w in rng.integers(0, 12, 8)) for p in person]
    near = near_mentions(bags_of(texts), np.arange(60), k=8)
    assert (np.diff(near, axis=1)[near[:, 1:] >= 0] > 0).all()
    assert all(person[j] == person[i] for i in range(60) for j in near[i] if j >= 0)
    found = subsquare(near, overlap=0.3, n_links=2)
    assert len(set(zip(found.tolist(), person.tolist(), strict=True))) == len(set(found.tolist())) <= 12


def test_names_bring_mentions_side_by_side():
    near = near_mentions(bags_of(["alpha", "beta", "gamma"]), np.array([0, 1, 0]), k=2)
    assert near.tolist() == [[2, -1], [-1, -1], [0, -1]]
    assert subsquare(near).tolist() == [0, 1, 0]
