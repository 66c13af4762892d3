"""Scores of pairs become clusters: calibrated, heeding what is said, reversible."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.kb.scored.clusters import calibrate, cluster_pairs, label_pairs, read_pairs


def pairs_of(*rows):
    return read_pairs(pa.table({name: [row[i] for row in rows] for i, name in enumerate(("a", "b", "probability"))}))


def together(found, pairs, a, b):
    place = {key: i for i, key in enumerate(pairs.ids)}
    roots = found.roots
    return float(np.mean(roots[:, place[a]] == roots[:, place[b]]))


def exact(n, weights):
    """The probability that each pair is together, by going through every order and every choice of origins."""
    import itertools

    total, joined = 0.0, np.zeros((n, n))
    for order in itertools.permutations(range(n)):
        choices = [[None, *order[:i]] for i in range(n)]
        for origins in itertools.product(*choices):
            weight, label = 1.0, {}
            for record, origin in zip(order, origins, strict=True):
                weight *= 1.0 if origin is None else weights.get(frozenset((record, origin)), 0.0)
                label[record] = record if origin is None else label[origin]
            total += weight
            for i, j in itertools.combinations(range(n), 2):
                joined[i, j] += weight * (label[i] == label[j])
    return joined / total


def test_samples_are_those_of_enumeration():
    from onoma.kb.incremental import Effort

    rows = [("0", "1", 0.9), ("1", "2", 0.6), ("0", "2", 0.2), ("2", "3", 0.7)]
    pairs = pairs_of(*rows)
    found = cluster_pairs(pairs, effort=Effort(samples=4_000))
    place = {key: i for i, key in enumerate(pairs.ids)}
    weights = {frozenset((place[a], place[b])): p / (1 - p) for a, b, p in rows}
    truth = exact(4, weights)
    for a, b, _ in rows:
        i, j = sorted((place[a], place[b]))
        assert together(found, pairs, a, b) == pytest.approx(truth[i, j], abs=0.04)
    wrong = exact(4, {key: weight * 3 for key, weight in weights.items()})
    assert max(abs(wrong[i, j] - truth[i, j]) for i in range(4) for j in range(i + 1, 4)) > 0.08  # the test can fail


def test_a_lucky_pair_does_not_chain_two_groups():
    left, right = [f"l{i}" for i in range(5)], [f"r{i}" for i in range(5)]
    rows = [(x, y, 0.999) for side in (left, right) for i, x in enumerate(side) for y in side[i + 1 :]]
    pairs = pairs_of(*rows, ("l0", "r0", 0.8))
    found = cluster_pairs(pairs)
    assert found.clustering.n_entities == 2
    assert together(found, pairs, "l1", "r1") < 0.5


def test_what_must_and_must_not_be_holds_in_every_sample():
    pairs = pairs_of(("a", "b", 0.9), ("b", "c", 0.9), ("d", "e", 0.1), ("f", "g", 0.5))
    found = cluster_pairs(pairs, same=[("d", "e")], different=[("a", "c")])
    assert together(found, pairs, "d", "e") == 1.0
    assert together(found, pairs, "a", "c") == 0.0
    with pytest.raises(DataError, match="must not be one"):
        cluster_pairs(pairs, same=[("a", "b"), ("b", "c")], different=[("a", "c")])
    with pytest.raises(DataError, match="is in no pair"):
        cluster_pairs(pairs, same=[("a", "z")])


def test_labels_make_scores_probabilities():
    rng = np.random.default_rng(3)
    says = rng.normal(0, 3, 4_000)
    same = rng.random(4_000) < 1 / (1 + np.exp(-(0.5 * says - 1.0)))
    fit = calibrate(says, same)
    assert fit.slope == pytest.approx(0.5, abs=0.05)
    assert fit.intercept == pytest.approx(-1.0, abs=0.12)
    assert fit.log_loss < fit.log_loss_before
    with pytest.raises(DataError, match="too few"):
        calibrate(says[:5], same[:5])


def test_labels_of_pairs_and_of_entities():
    pairs = pairs_of(("a", "b", 0.9), ("b", "c", 0.9), ("c", "d", 0.2))
    by_pair = label_pairs(pairs, pa.table({"a": ["b", "c"], "b": ["a", "d"], "same": ["1", "no"]}))
    assert dict(zip(by_pair.pair.tolist(), by_pair.same.tolist(), strict=True)) == {0: True, 2: False}
    by_entity = label_pairs(pairs, pa.table({"id": ["a", "b", "c"], "entity": ["x", "x", "y"]}))
    assert dict(zip(by_entity.pair.tolist(), by_entity.same.tolist(), strict=True)) == {0: True, 1: False}


def test_columns_and_meanings_of_scores():
    splink = pa.table({"match_weight": [3.0, -2.0], "unique_id_l": [1, 2], "unique_id_r": [2, 3]})
    assert read_pairs(splink).log_odds == pytest.approx([3 * np.log(2), -2 * np.log(2)])
    twice = pairs_of(("a", "b", 0.5), ("b", "a", 0.9), ("a", "a", 0.9), ("a", "c", None))
    assert len(twice.a) == 1
    assert len(twice.notes) == 2
    with pytest.raises(SettingsError, match="not between 0 and 1"):
        read_pairs(pa.table({"a": ["x"], "b": ["y"], "score": [7.0]}))
    with pytest.raises(SettingsError, match="none is a score"):
        read_pairs(pa.table({"a": ["x"], "b": ["y"]}))
    with pytest.raises(DataError, match="does not hold numbers"):
        read_pairs(pa.table({"a": ["x"], "b": ["y"], "score": ["high"]}))
