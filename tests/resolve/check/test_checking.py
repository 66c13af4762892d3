"""What decoys and planted copies say, beside what is true."""

import functools
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.check.checking import _calibration, _kept, _times, _together, _up_to_reported, check_resolution
from onoma.resolve.check.probing import Probe
from onoma.resolve.check.quality import Share
from onoma.resolve.comparison.weights import edge_weights
from onoma.resolve.config import ResolveConfig

SETTINGS = {"plain": {}, "families": {"households": 0.8, "duplicates": 0.1}}


@functools.cache
def people(kind):
    table = simulate_people(500, seed=4, settings=PeopleSettings(**SETTINGS[kind]))
    return resolve(table, truth="cluster_id"), Clustering.from_labels(table["cluster_id"])


def pairs(sizes):
    return float((sizes * (sizes - 1.0)).sum())


def real(found, gold):
    """Return pairwise precision and recall."""
    both = Clustering.from_labels(found.clustering.labels.astype(np.int64) * len(gold) + gold.labels)
    return pairs(both.sizes) / pairs(found.clustering.sizes), pairs(both.sizes) / pairs(gold.sizes)


@pytest.mark.parametrize("kind", SETTINGS)
def test_estimates_are_near_the_truth(kind):
    found, gold = people(kind)
    quality = found.quality
    precision, recall = real(found, gold)
    assert abs(quality.precision.estimate - precision) < 0.07
    assert abs(quality.recall.estimate - recall) < 0.1
    assert quality.precision.low <= precision <= quality.precision.high
    low, high = quality.entities
    assert low <= gold.n_entities <= high


def best_weights(probe, kind):
    """Return for each decoy of a kind the log weight of its best pair."""
    part, first = probe.parts[kind], probe.planted.first
    weight = np.log(edge_weights(probe.planted.evidence, probe.fit.weights)[0][first:])
    row = probe.planted.evidence.b[first:] - probe.n
    inside = (row >= part.start) & (row < part.stop)
    best = np.full(part.stop - part.start, -60.0)
    np.maximum.at(best, row[inside] - part.start, weight[inside])
    return best


def test_siblings_are_like_rows_that_match_nobody_and_strangers_are_not():
    found, gold = people("families")
    probe = Probe(found, found.posterior, found.weighed)
    alone, best = gold.sizes[gold.labels] == 1, np.full(len(gold), -60.0)
    for end in (probe.evidence.a, probe.evidence.b):
        np.maximum.at(best, end, probe.log_weight)
    middle, *rest = np.quantile(best[alone], [0.5, 0.75, 0.9])
    for at in (middle, *rest):
        gap = (best_weights(probe, "siblings") >= at).mean() - (best[alone] >= at).mean()
        assert abs(gap) < 0.2
    assert (best_weights(probe, "strangers") >= middle).mean() < 0.1, "strangers have no housemates"


def test_probabilities_are_lowered_and_the_entities_are_the_same():
    found, _ = people("plain")
    after = found.recalibrated()
    assert after.clustering is found.clustering
    assert (after.posterior.pairs.probability <= found.posterior.pairs.probability + 1e-12).all()
    assert (after.probability <= found.probability + 1e-12).all()
    assert after.checked is found.quality and after.quality is after.checked
    assert after.entity_count()[1:] == found.quality.entities


def test_the_same_seed_gives_the_same_check():
    found, _ = people("plain")
    one, other = check_resolution(found), check_resolution(found)
    assert {**one.as_dict(), "seconds": 0} == {**other.as_dict(), "seconds": 0}
    assert np.array_equal(one.probability, other.probability)


def test_sources_that_are_linked_are_mirrored():
    table = simulate_people(500, seed=9, settings=PeopleSettings(duplicates=0.4, clumping=0.0, households=0.3))
    side = ["a" if row % 2 else "b" for row in range(len(table))]
    found = resolve(table.append_column("source", [side]), source="source", link=True, truth="cluster_id")
    quality = found.quality
    assert {"strangers", "mirrors"} == set(quality.decoys)
    assert quality.precision.low <= 1.0 and quality.recall.estimate > 0.7
    probe = Probe(found, found.posterior, found.weighed)
    some, none = (_calibration(probe, missed=each)[0](probe.sure[probe.tree]).mean() for each in (True, False))
    assert none < some + 0.01, "fewer rows are without a partner where some partners were missed"
    assert quality.precision.low <= none, "but perhaps none was"


def test_pairs_are_stated_by_all_readings_that_precision_is():
    """Rows with duplicates in their own source: are they these, or families? Either may be true."""
    table = simulate_people(400, seed=3, settings=PeopleSettings(duplicates=0.6, clumping=0.0, households=0.0))
    entity = Clustering.from_labels(table["cluster_id"]).labels
    side = np.where(stream(1, "side").random(len(table)) < 0.8, entity % 2, 1 - entity % 2).astype(str)
    found = resolve(table.append_column("source", [side]), source="source", link=True, truth="cluster_id")
    probe = Probe(found, found.posterior, found.weighed)
    maps = [_calibration(probe, spare=spare)[0] for spare in (True, False)]
    assert maps[0].spared and not found.quality.calibrated
    one, other = (each(probe.sure[probe.tree]).mean() for each in maps)
    assert other < one
    assert found.quality.pair_probability[probe.tree].mean() == pytest.approx((one + other) / 2, abs=0.02)


@pytest.mark.parametrize("model", ["exact-match", "pairwise"])
def test_what_cannot_be_checked_is_said(model):
    quality = resolve(simulate_people(60, seed=1), config=ResolveConfig(model=model)).quality
    assert not quality.calibrated and f"the model {model}" in quality.because[0]
    assert quality.sentences()[-1].startswith("not calibrated here, because the model")
    assert quality.precision is None and quality.as_dict()["entities"] is None


def test_a_table_without_matches_is_not_called_calibrated():
    table = simulate_people(120, seed=2, settings=PeopleSettings(duplicates=0.0, households=0.0))
    found = resolve(table)
    quality = found.quality
    assert not quality.calibrated and "too few" in quality.because[0]


def test_recall_is_told_by_field_and_change():
    found, _ = people("plain")
    quality = found.quality
    assert quality.recall_by_field and set(quality.recall_by_field) <= {each.name for each in found.fields.fields}
    assert all(0.0 <= share <= 1.0 and n > 0 for n, share in quality.recall_by_change.values())
    assert quality.harsher_recall.estimate <= quality.recall.estimate + 0.05


def test_intervals_cover_on_tables_of_many_kinds():
    """Simulation-based calibration in small; `python -m benchmarks sbc` does it with 100 tables."""
    held, below = [], []
    for seed in range(6):
        dials = {
            "duplicates": 0.2 + 0.1 * seed,
            "households": 0.15 * seed,
            "typos": 0.03 * seed,
            "missing": 0.05 * seed,
        }
        table = simulate_people(160, seed=seed, settings=PeopleSettings(**dials))
        gold, quality = Clustering.from_labels(table["cluster_id"]), resolve(table, truth="cluster_id").quality
        low, high = quality.entities
        held.append(low <= gold.n_entities <= high)
        below.append((quality.entity_draws < gold.n_entities).mean())
    assert sum(held) >= 5
    assert 0.1 < np.mean(below) < 0.9, "the truth is neither always above the draws nor always below"


def test_nothing_is_called_sure_where_the_checks_cannot_be_relied_on():
    table = simulate_people(120, seed=2, settings=PeopleSettings(duplicates=0.0, households=0.0))
    after = resolve(table).recalibrated()
    assert not after.quality.calibrated and after.quality.ceiling == 0.9
    assert after.probability.max() <= 0.9
    assert "no probability is stated above 90%" in after.quality.sentences()[-1]


def test_a_row_is_as_sure_as_the_part_of_its_entity_that_holds():
    found, _ = people("plain")
    probe = Probe(found, found.posterior, found.weighed)
    sizes = found.clustering.sizes[found.clustering.labels]
    whole, none = (_kept(probe, np.full(len(probe.tree), share)) for share in (1.0, 0.0))
    assert np.array_equal(whole, sizes - 1) and not none.any()
    half = _kept(probe, np.full(len(probe.tree), 0.5))
    twos = sizes == 2
    assert abs(half[twos].mean() - 0.5) < 0.05
    assert (half[sizes > 2] / (sizes[sizes > 2] - 1)).mean() < 0.5, "a pair of a chain needs all links between"


def test_what_is_stated_of_pairs_apart_is_recall_that_is_lost():
    found, _ = people("plain")
    probe = Probe(found, found.posterior, found.weighed)
    pairs, labels = found.posterior.pairs, found.clustering.labels
    inside = labels[pairs.a] == labels[pairs.b]
    assert _together(probe, np.where(inside, 0.8, 0.0)) == pytest.approx(1.0)
    assert _together(probe, np.where(inside, 0.8, 0.009)) == pytest.approx(1.0), "what is not stated does not count"
    assert 0.0 < _together(probe, np.where(inside, 0.0, 0.5)) < 1e-3, "what is known of recall is divided by it"
    both = _together(probe, np.full(len(inside), 0.5))
    assert both == pytest.approx(inside.mean())
    assert _times(Share(0.8, 0.6, 0.9), 0.5) == pytest.approx((0.4, 0.3, 0.9)), "that nothing is lost stays possible"


def test_a_calibrated_answer_tells_recall_by_copies_alone():
    found, _ = people("plain")
    assert found.quality.calibrated and found.quality.together == 1.0


def test_where_the_answer_is_doubted_copies_say_too_much_of_recall():
    """Few columns, many slips: the matches that are found are the easy ones."""
    by_copies, told = [], []
    for seed in range(6):
        table = simulate_people(300, seed=seed, settings=PeopleSettings(duplicates=0.6, typos=0.2, missing=0.4))
        found = resolve(table.select(["id", "surname", "postcode", "birth_date", "cluster_id"]), truth="cluster_id")
        quality, recall = found.quality, real(found, Clustering.from_labels(table["cluster_id"]))[1]
        copies, precision = quality.recall.estimate / quality.together, quality.precision.estimate
        assert not quality.calibrated and quality.together < 1.0
        assert quality.recall.low <= recall <= quality.recall.high
        assert quality.expected_f1 == pytest.approx(2 * precision * copies / (precision + copies)), "answers compare so"
        by_copies.append(abs(copies - recall))
        told.append(abs(quality.recall.estimate - recall))
    assert np.mean(told) < np.mean(by_copies) - 0.02


def test_prices_alone_are_not_called_calibrated():
    rng = stream(5, "prices")
    prices = np.round(rng.lognormal(3.0, 1.0, 400), 2)
    table = pa.table({"price": prices, "shop": ["a", "b"] * 200})
    found = resolve(table, ResolveConfig(source="shop", link=True))
    assert found.quality.n_links, "some prices are the same"
    assert not found.quality.calibrated and "only numbers" in found.quality.because[0]


def test_equal_names_in_a_list_that_is_left_apart_may_be_of_several_things():
    probe = SimpleNamespace(
        posterior=SimpleNamespace(n_entities=np.full(50, 60)), clustering=SimpleNamespace(n_entities=64), n=1_000
    )
    assert _up_to_reported(probe, None) == (60, 64)
    assert _up_to_reported(probe, Share(0.5, 0.25, 0.9)) == (60, 64 + 702), "of 936 rows joined three in four"
