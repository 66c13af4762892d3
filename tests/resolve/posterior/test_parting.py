"""Entities that their own pairs contradict are parted, and no others."""

import numpy as np
import pytest
from tests.reference.resolve_parting import average_link_slow

from onoma.corpus.clustering import Clustering
from onoma.resolve.posterior._parting_kernels import average_link
from onoma.resolve.posterior.consensus import Consensus
from onoma.resolve.posterior.parting import part_contradicted


@pytest.mark.parametrize("seed", range(6))
def test_average_linkage_is_what_looking_at_every_pair_of_groups_gives(seed):
    rng = np.random.default_rng(seed)
    n = 14
    p = np.triu(rng.random((n, n)) ** 2, 1)
    weight = np.triu(np.where(rng.random((n, n)) < 0.7, 1.0, 0.25), 1)
    p, weight = (p + p.T) * (weight + weight.T), weight + weight.T
    slow = average_link_slow(p, weight, 0.4)
    label = average_link(p.copy(), weight.copy(), 0.4)
    fast = [set(np.flatnonzero(label == first).tolist()) for first in np.unique(label)]
    assert sorted(map(sorted, fast)) == sorted(map(sorted, slow))
    assert 1 < len(fast) < n


def _together(n: int) -> Consensus:
    return Consensus(Clustering.from_labels(np.zeros(n, np.int64)), np.ones(n))


def test_a_chain_through_two_families_is_parted_where_it_is_weakest():
    one, other = np.triu_indices(8, 1)
    family = np.arange(8) // 4
    alike = np.where(family[one] == family[other], 0.6, 0.0)
    alike[(one == 3) & (other == 4)] = 0.95
    found = part_contradicted(_together(8), one.astype(np.int32), other.astype(np.int32), alike)
    assert found.clustering.labels.tolist() != [0] * 8
    kept = found.clustering.labels
    assert len(set(kept[:3].tolist())) == len(set(kept[5:].tolist())) == 1
    assert kept[0] != kept[7]
    assert (found.probability <= 0.95).all()


def test_an_entity_that_drifts_stays_whole():
    one, other = np.triu_indices(6, 1)
    alike = np.where(other - one <= 2, 0.9, 0.05)  # the first and the last are nothing like each other
    before = _together(6)
    assert part_contradicted(before, one.astype(np.int32), other.astype(np.int32), alike) is before


def test_pairs_that_were_not_compared_speak_against_it_a_little():
    n = 40
    one, other = np.arange(n - 1, dtype=np.int32), np.arange(1, n, dtype=np.int32)
    found = part_contradicted(_together(n), one, other, np.full(n - 1, 0.8))
    assert 1 < found.clustering.n_entities < n
    assert part_contradicted(_together(3), one[:2], other[:2], np.full(2, 0.8)).clustering.n_entities == 1
