"""Expected counts of levels, and the weights that they give."""

from dataclasses import replace

import numpy as np
import pytest

from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.noise import UNRELATED, USUAL, Noise
from onoma.resolve.comparison.weights import COPIED, FRESH, RELATED, WeightSettings
from reference.levels_drawn import COPIES, STRANGERS, drawn_evidence


@pytest.fixture(scope="module")
def known():
    evidence, labels = drawn_evidence(n=800, n_links=250)
    same = (labels[evidence.a] == labels[evidence.b]).astype(float)
    return evidence, same


def counted(known, **settings):
    evidence, same = known
    counts = LevelCounts(evidence, WeightSettings(relatives=False, **settings))
    counts.add(1.0, same, np.zeros(len(same)), same)
    return counts


def test_shares_are_those_that_were_drawn(known):
    weights = counted(known).weights(250.0, 0.0)
    assert np.exp(weights.tables[COPIED, :, -1]) == pytest.approx(np.tile(COPIES, (6, 1)), abs=0.08)
    assert np.exp(weights.tables[FRESH, :, -1]) == pytest.approx(np.tile(STRANGERS, (6, 1)), abs=0.02)
    assert weights.kappa == pytest.approx(250 / known[0].n_pairs) and weights.sigma == 0.0


def test_every_table_sums_to_one(known):
    weights = counted(known).weights(250.0, 0.0)
    assert np.exp(weights.tables).sum(axis=-1)[COPIED] == pytest.approx(np.ones((6, 4)))


def test_half_a_step_is_half_way(known):
    whole, half = counted(known), LevelCounts(known[0], WeightSettings(relatives=False))
    half.add(0.5, known[1], np.zeros(len(known[1])), known[1])
    assert half.counts == pytest.approx(whole.counts / 2)


def test_independent_fields_have_no_parents_and_a_repetition_has_one(known):
    evidence, _ = known
    counts = counted(known)
    counts.grow_tree()
    assert (counts.parent < 0).sum() >= 5
    twice = replace(
        evidence,
        levels=np.column_stack([evidence.levels[:, :5], evidence.levels[:, 0]]),
        background=np.column_stack([evidence.background[:, :5], evidence.background[:, 0]]),
    )
    repeated = LevelCounts(twice, WeightSettings(relatives=False))
    repeated.grow_tree()
    assert {0, 5} & {int(repeated.parent[0]), int(repeated.parent[5])}


def test_own_fields_are_nothing_that_relatives_share(known):
    evidence, same = known
    own = replace(evidence, own=np.arange(6) == 3)
    counts = LevelCounts(own, WeightSettings(relatives=True))
    counts.add(1.0, same, 0.5 * same, same)
    tables = counts.weights(250.0, 100.0).tables
    assert tables[RELATED, 3] == pytest.approx(tables[FRESH, 3])
    assert not np.allclose(tables[RELATED, 4, -1, :3], tables[FRESH, 4, -1, :3])


def test_no_level_speaks_more_for_a_copy_than_equality(known):
    tables = counted(known).weights(250.0, 0.0).tables
    bits = tables[COPIED, :, -1] - tables[FRESH, :, -1]
    assert (bits[:, 1:] <= bits[:, :1] + 1e-9).all()


def test_unrelated_names_become_rarer_while_more_copies_have_them_than_in_any_table(known):
    words = np.array([2.0, 1.0, 2.0, 1.0, 1.0, 1.0])
    noise = Noise(np.tile(COPIES, (6, 1)), np.full(6, 2), np.arange(6) < 4)  # the last level is unrelated
    held = replace(known[0], names=np.arange(6) < 3, words=words, noise=noise, own=np.arange(6) == 3)

    def heeding(evidence):
        counts = LevelCounts(evidence, WeightSettings(relatives=False))
        counts.counts[COPIED, :, -1] = [[60, 10, 30], [60, 10, 30], [85, 10, 5], *[[60, 10, 30]] * 3]
        counts.heed_noise()
        return counts

    rarer, as_it_was = UNRELATED * (USUAL / 0.3) ** 0.5, UNRELATED
    # A whole name, a part of it, a whole name that few have unrelated, a birthday, and two fields of other kinds.
    assert heeding(held).most == pytest.approx([rarer, *[as_it_was] * 2, rarer, *[as_it_was] * 2])
    years = replace(held, own=np.zeros(6, dtype=np.bool_))  # of editions and occasions
    assert heeding(years).most == pytest.approx([rarer, *[as_it_was] * 5])
    assert np.array_equal(heeding(replace(held, linking=True)).most, heeding(held).most)
    counts = heeding(held)
    assert np.exp(counts.weights(250.0, 0.0).tables[COPIED, 0, -1, 2]) == pytest.approx(rarer)
    for _ in range(100):
        counts.heed_noise()
    assert counts.most[0] == pytest.approx(UNRELATED / 1000)
    counts.counts[COPIED, 0, -1] = [95, 4, 1]
    for _ in range(100):
        counts.heed_noise()
    assert counts.most[0] == UNRELATED


def test_names_that_say_little_are_not_held(known):
    """Offices read as names; strangers share them, and copies change them."""
    noise = Noise(np.tile(COPIES, (6, 1)), np.full(6, 2), np.arange(6) < 2)
    background = known[0].background.copy()
    background[:, 0], background[:, 1] = np.arange(len(background)) % 50 > 10, 2
    held = replace(known[0], noise=noise, background=background)
    counts = LevelCounts(held, WeightSettings(relatives=False))
    counts.counts[COPIED, :, -1] = [60, 10, 30]
    counts.heed_noise()
    assert counts.most[0] == UNRELATED > counts.most[1]


def test_pairs_of_one_entity_are_no_strangers(known):
    """Of random pairs that share a rare name some are matches; counted as strangers they would explain it away."""
    evidence, _ = known
    n = len(evidence.background)
    one, other = np.arange(n, dtype=np.int32) % evidence.n, (np.arange(n, dtype=np.int32) + 1) % evidence.n
    levels = evidence.background.copy()
    levels[:5] = 0
    mixed = replace(evidence, background=levels, background_pairs=(one, other))
    counts = LevelCounts(mixed, WeightSettings(relatives=False))
    before = counts.lifted.sum()
    root = np.arange(evidence.n, dtype=np.int32)
    counts.heed_entities(root)
    assert counts.lifted.sum() == before, "nobody is in one entity"
    root[: 6 + 1] = 0
    counts.heed_entities(root)
    apart = root[one] != root[other]
    assert not apart[:6].any() and apart[7:20].all()
    kept = LevelCounts(
        replace(evidence, background=levels[apart], background_weight=evidence.background_weight[apart]),
        WeightSettings(relatives=False),
    )
    assert counts.lifted == pytest.approx(kept.lifted) and counts.background == pytest.approx(kept.background)
    unknown = LevelCounts(replace(evidence, background_pairs=None), WeightSettings(relatives=False))
    lifted = unknown.lifted.copy()
    unknown.heed_entities(root)
    assert (unknown.lifted == lifted).all()
