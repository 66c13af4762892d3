"""Equal rows, and correlation clustering against the best of all partitions."""

import itertools

import numpy as np
import pytest

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import stream
from onoma.resolve.models.pairwise.correlation import certain_draws, correlate
from onoma.resolve.posterior.consensus import find_consensus
from reference import resolve_pairwise as slow
from reference.resolve_enumeration import partitions

N = 7


def problem(seed, share):
    rng = stream(seed, "pairs")
    pairs = [pair for pair in itertools.combinations(range(N), 2) if rng.random() < share]
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    return pairs, np.ascontiguousarray(a), np.ascontiguousarray(b), rng.normal(0.0, 2.0, len(pairs))


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_correlation_finds_the_best_of_all_partitions_or_comes_close(share):
    gaps = []
    for seed in range(12):
        pairs, a, b, scores = problem(seed, share)
        every = slow.all_scores(N, pairs, scores, -1.0)
        best = max(slow.log_score(labels, every) for labels in partitions(N))
        gaps.append(best - slow.log_score(correlate(N, a, b, scores, stranger=-1.0, seed=seed).labels, every))
    assert min(gaps) > -1e-9
    assert sum(gap < 1e-9 for gap in gaps) >= 10
    assert max(gaps) < 1.0


def test_correlation_joins_what_single_moves_cannot():
    """Two halves of an entity whose members are each torn, but which are better off as one."""
    pairs = list(itertools.combinations(range(20), 2))
    a, b = (np.ascontiguousarray(side) for side in np.array(pairs, dtype=np.int32).T)
    scores = np.where(a // 10 == b // 10, 3.0, 0.1)
    assert correlate(20, a, b, scores, stranger=-9.0, seed=1).n_entities == 1


def test_correlation_keeps_blocks_apart():
    a, b = np.array([0, 2], dtype=np.int32), np.array([1, 3], dtype=np.int32)
    block = np.array([0, 0, 1, 1], dtype=np.int32)
    assert correlate(4, a, b, np.ones(2), stranger=5.0, seed=1, block=block).labels.tolist() == [0, 0, 1, 1]


def test_a_certain_draw_gives_its_clustering_back():
    clustering = Clustering.from_labels([0, 1, 0, 2, 1])
    a, b = (np.array(side, dtype=np.int32) for side in zip(*itertools.combinations(range(5), 2), strict=True))
    draws = certain_draws(clustering, a, b)
    assert find_consensus(5, a, b, draws.together, draws.roots).clustering == clustering
    assert draws.n_entities.tolist() == [3]
    assert draws.roots.tolist() == [[0, 1, 0, 3, 1]]
