"""Tables resolved in partitions: the same answer on any engine, and about that of one piece."""

import numpy as np
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.engines.local import LocalEngine
from onoma.errors import UnsupportedError
from onoma.evaluate.report import evaluate
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.partitions.carrier import Carrier


@pytest.fixture(scope="module")
def people():
    return simulate_people(600, seed=2)


def carried(table, n_partitions, *, workers=2, **settings):
    with LocalEngine(workers) as engine:
        carry = Carrier(engine, n_partitions)
        return resolve(table, config=ResolveConfig(**settings), carry=carry)


def pair_f1(table, found):
    gold = Clustering.from_labels(table["cluster_id"])
    return evaluate(gold, found.clustering, metrics=("pairwise",)).as_dict()["pairwise"]["f1"]


def test_copies_in_partitions_are_as_good_and_as_sure(people):
    assert carried(people, 1).weighed.n_cut == 0
    whole, parts = resolve(people), carried(people, 4)
    assert np.array_equal(parts.weighed.evidence.a, whole.weighed.evidence.a)
    assert abs(pair_f1(people, parts) - pair_f1(people, whole)) < 0.02
    # Two chains of 100 samples from one posterior: shares differ by chance, not on the whole.
    gap = parts.weighed.draws.together - whole.weighed.draws.together
    assert np.abs(gap).max() < 0.35 and abs(gap.mean()) < 0.002
    entities = parts.weighed.draws.n_entities.mean(), whole.weighed.draws.n_entities.mean()
    assert abs(entities[0] - entities[1]) < 0.01 * entities[1]


def test_every_sample_is_a_clustering(people):
    draws = carried(people, 3).weighed.draws
    for roots, n_entities in zip(draws.roots, draws.n_entities, strict=True):
        assert np.array_equal(roots[roots], roots)
        assert len(np.unique(roots)) == n_entities


@pytest.mark.parametrize("model", ["copying", "hierarchical"])
def test_workers_change_nothing(people, model):
    one, four = (carried(people, 3, workers=workers, model=model) for workers in (1, 4))
    assert one.memberships.equals(four.memberships)
    assert one.pairs().equals(four.pairs())
    assert not carried(people, 3, model=model, seed=1).memberships.equals(one.memberships)


def test_faint_pairs_are_cut_where_components_would_not_fit(people):
    found = carried(people, 200)
    assert found.weighed.n_cut > 0
    assert any("faint pairs" in note for note in found.notes)
    assert pair_f1(people, found) > pair_f1(people, resolve(people)) - 0.02


@pytest.mark.parametrize("changed", [{"model": "pairwise"}, {"model": "phylogeny"}, {"model": "exact-match"}])
def test_what_is_not_done_in_partitions_is_said(people, changed):
    with pytest.raises(UnsupportedError, match=rf"the model {changed['model']} takes no --partitions"):
        carried(people, 2, **changed)
