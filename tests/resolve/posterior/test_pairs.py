"""From fields to samples: which pairs are possible at all, and what the parts hand to each other."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import fit_fields
from onoma.resolve.blocking.canopies import find_candidates, pair_similarity
from onoma.resolve.comparison import gathering
from onoma.resolve.comparison._weights_kernels import margins
from onoma.resolve.comparison.compare import compare_records
from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.swaps import mark_swaps
from onoma.resolve.comparison.weights import NEXT, OWN, RANDOM, WeightSettings
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Problem
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.posterior import pairs as model


def fit_records(fields, *, source=None, block=None, extra=None, **options):
    link = options.pop("link", False)
    problem = Problem(fields=fields, source=source, block=block, extra=extra, link=link)
    return fit_fields(problem, ResolveConfig(model="copying", **options))


@pytest.fixture(scope="module")
def fields():
    return prepare_fields(simulate_people(400, seed=2), exclude=["id", "cluster_id"]).fields


BLOCK = np.arange(400, dtype=np.int32) % 5
SOURCE = np.arange(400, dtype=np.int32) % 2


@pytest.mark.parametrize(
    ("source", "block", "link"),
    [(None, None, False), (SOURCE, None, False), (SOURCE, None, True), (None, BLOCK, False), (SOURCE, BLOCK, True)],
)
def test_only_possible_pairs_are_joined(fields, source, block, link):
    fit = fit_records(fields, source=source, block=block, link=link)
    a, b, _ = fit.pairs
    possible = [
        (block is None or block[i] == block[j]) and (not link or source[i] != source[j])
        for i, j in itertools.combinations(range(400), 2)
    ]
    assert fit.weighed.evidence.n_pairs == sum(possible)
    if block is not None:
        assert (block[a] == block[b]).all()
        assert all(len(np.unique(block[chain])) == 1 for chain in fit.clustering.chains())
    if link:
        assert (source[a] != source[b]).all()
        chains = fit.clustering.chains()
        assert max(map(len, chains)) == 2
        assert all(len(np.unique(source[chain])) == len(chain) for chain in chains)
    assert fit.clustering.n_entities < 400
    assert list(fit.seconds) == ["canopies", "comparison", "weights", "sampling", "consensus"]


def test_within_small_blocks_every_pair_is_a_candidate(fields):
    fit = fit_records(fields, block=BLOCK, samples=5)
    pairs = set(zip(fit.weighed.candidates.a.tolist(), fit.weighed.candidates.b.tolist(), strict=True))
    assert pairs == {(i, j) for i, j in itertools.combinations(range(400), 2) if BLOCK[i] == BLOCK[j]}


def test_blocks_too_large_for_that_get_canopies(fields, monkeypatch):
    monkeypatch.setattr(model, "_SMALL_BLOCK", 1000)
    fit = fit_records(fields, block=BLOCK, samples=5)
    assert (BLOCK[fit.weighed.candidates.a] == BLOCK[fit.weighed.candidates.b]).all()
    assert 0 < len(fit.weighed.candidates) < 5 * 80 * 79 / 2


def test_what_strangers_stand_for(fields):
    """Candidates and background together stand for all pairs."""
    evidence = fit_records(fields, samples=5).weighed.evidence
    assert len(evidence.a) + evidence.background_weight.sum() == pytest.approx(400 * 399 / 2)


def test_the_contrast_of_two_sources():
    """A pair that is the best of both its records is ahead; one that has a better rival on both sides is behind."""
    names = ["Ann Smith", "Bob Jones", "Cyd Brown", "Ann Smith", "Bob Jones", "Ann Jones"]
    table = pa.table({"name": names, "city": ["York", "Ely", "Bath", "York", "Ely", "Ely"]})
    fields = prepare_fields(table, kinds={"name": "person", "city": "category"}).fields
    source = np.array([0, 0, 0, 1, 1, 1], np.int32)
    evidence = fit_records(fields, source=source, link=True).weighed.evidence
    assert evidence.linking
    contrast = dict(
        zip(zip(evidence.a.tolist(), evidence.b.tolist(), strict=True), evidence.levels[:, -1], strict=True)
    )
    assert contrast[0, 3] < 4
    assert contrast[0, 3] <= contrast[1, 4] < contrast[1, 5]
    assert evidence.n_levels[-1] == len(gathering.CONTRAST_LEVELS)


def test_the_price_of_merging(fields):
    cheap, dear = (fit_records(fields, merge_cost=t) for t in (0.05, 0.95))
    assert cheap.clustering.n_entities < dear.clustering.n_entities
    assert np.array_equal(cheap.pairs.probability, dear.pairs.probability)


def test_the_nearest_strangers_are_what_is_left_without_the_best(fields):
    """Pairs that are clearly behind stand for all candidates as strangers, with rivals among themselves."""
    evidence = fit_records(fields, source=SOURCE, block=BLOCK, link=True, samples=5).weighed.evidence
    last = len(gathering.CONTRAST_LEVELS) - 1
    similarity = pair_similarity(fields, evidence.a, evidence.b)
    behind = margins(evidence.n, evidence.a, evidence.b, similarity).max(axis=1)
    left = np.flatnonzero(behind < -gathering.CLEARLY)
    assert (evidence.levels[left, -1] == last).all()
    nearest = evidence.background[evidence.near == NEXT]
    assert 0 < len(left) < len(evidence.a)
    assert np.array_equal(nearest[:, :-1], evidence.levels[left, :-1])
    assert (evidence.background[evidence.near == RANDOM, -1] == last).all() and (nearest[:, -1] < last).any()
    assert evidence.background_weight[evidence.near == NEXT].sum() == pytest.approx(len(evidence.a))
    assert evidence.background_weight.sum() == pytest.approx(evidence.n_pairs)


def test_strangers_of_records_without_a_partner_are_those_of_their_own_source(fields):
    evidence = fit_records(fields, source=SOURCE, link=True, samples=5).weighed.evidence
    own = find_candidates(fields, source=SOURCE, apart=-1)
    assert (SOURCE[own.a] == SOURCE[own.b]).all()
    found, levels = evidence.background[evidence.near == OWN], compare_records(fields, own.a, own.b)
    mark_swaps(fields, own.a, own.b, levels)
    assert np.array_equal(found[:, :-1], levels)
    assert np.array_equal(
        found[:, -1], gathering.contrast_levels(evidence.n, own.a, own.b, pair_similarity(fields, own.a, own.b))
    )
    counts = LevelCounts(evidence, WeightSettings())
    every = counts.strangers_weight.sum()
    for share in (1.0, 0.25, 0.0):
        counts.heed_partners(share)
        assert counts.strangers_weight.sum() == pytest.approx(every)
        n_random, n_next, n_own = np.bincount(evidence.near, evidence.near_weight)
        assert counts.n_strangers.sum() == pytest.approx(n_random + share * n_next + (1.0 - share) * n_own)


def test_more_pairs_can_be_asked_for(fields):
    extra = np.array([3 * 400 + 390, 5 * 400 + 6], dtype=np.int64)
    fit = fit_records(fields, extra=extra, samples=5)
    keys = fit.weighed.evidence.a.astype(np.int64) * 400 + fit.weighed.evidence.b
    assert np.isin(extra, keys).all()
    assert (np.diff(keys) > 0).all()
