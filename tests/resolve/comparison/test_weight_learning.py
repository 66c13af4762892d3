"""Weights learnt without labels find the shares that were drawn."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.weight_learning import learn_weights
from onoma.resolve.comparison.weights import COPIED, FRESH, WeightSettings, edge_weights
from reference.levels_drawn import COPIES, STRANGERS, drawn_evidence


@pytest.fixture(scope="module")
def learnt():
    evidence, labels = drawn_evidence(n=600, n_links=200, seed=1)
    return evidence, labels, learn_weights(evidence, seed=1, settings=WeightSettings(relatives=False))


def test_copies_and_strangers_are_told_apart_without_labels(learnt):
    evidence, labels, (weights, _) = learnt
    shares = np.exp(weights.tables[:, :, -1])
    assert shares[COPIED].mean(axis=0) == pytest.approx(COPIES, abs=0.08)
    assert shares[FRESH].mean(axis=0) == pytest.approx(STRANGERS, abs=0.02)
    copy, _ = edge_weights(evidence, weights)
    same = labels[evidence.a] == labels[evidence.b]
    assert np.median(copy[same]) > 10 > 0.1 > np.median(copy[~same])


def test_the_number_of_copies_is_near_the_truth(learnt):
    evidence, _, (weights, _) = learnt
    assert weights.kappa * evidence.n_pairs == pytest.approx(200, rel=0.15)


def test_the_same_seed_is_the_same_weights(learnt):
    evidence, _, (weights, _) = learnt
    again, _ = learn_weights(evidence, seed=1, settings=WeightSettings(relatives=False))
    assert np.array_equal(again.tables, weights.tables)


def test_records_outside_choose_no_origin():
    evidence, _ = drawn_evidence(n=200, n_links=50, seed=2, outside=np.arange(200) >= 100)
    weights, sampler = learn_weights(evidence, seed=1, settings=WeightSettings(n_closed=5, n_stochastic=4))
    assert np.isfinite(weights.kappa) and sampler is not None


def test_families_are_not_taken_for_copies_whether_or_not_rows_match_nobody(monkeypatch):
    """Households with names and addresses alone; then a third as many rows made of halves of other values."""
    people = simulate_people(500, seed=2, settings=PeopleSettings(households=0.8, duplicates=0.6))
    columns = ["given_name", "surname", "street", "postcode"]
    real = people.select(columns).cast(pa.schema([(name, pa.string()) for name in columns]))
    mixed = pa.concat_tables([real, _halves(real, 166)])
    gold = Clustering.from_labels(people["cluster_id"])
    assert [_f1(resolve(table, no_check=True).clustering.labels, gold) > 0.7 for table in (real, mixed)] == [True] * 2
    monkeypatch.setattr(LevelCounts, "heed_noise", lambda _: None)
    assert _f1(resolve(mixed, no_check=True).clustering.labels, gold) < 0.4


def _halves(table: pa.Table, n: int) -> pa.Table:
    """Return rows of which each value is the first half of one and the second half of another."""
    rng = np.random.default_rng(1)
    made = {}
    for name in table.column_names:
        known = [value for value in table[name].to_pylist() if value]
        pairs = zip(rng.choice(known, n).tolist(), rng.choice(known, n).tolist(), strict=True)
        made[name] = [one[: (len(one) + 1) // 2] + other[len(other) // 2 :] for one, other in pairs]
    return pa.table(made)


def _f1(labels: np.ndarray, gold: Clustering) -> float:
    """Return the pairwise F1 of the first records."""
    found = Clustering.from_labels(labels[: len(gold)])
    both = Clustering.from_labels(found.labels * (len(gold) + 1) + gold.labels)
    n_found, n_true, n_both = (float((s * (s - 1)).sum()) for s in (found.sizes, gold.sizes, both.sizes))
    return 2 * n_both / (n_found + n_true)
