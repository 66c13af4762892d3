"""What is planted, how much of it, and what each decoy stands for."""

import functools

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.check.probing import COPIES, FEWEST_PLANTED, Probe, lonely


@functools.cache
def probe():
    found = resolve(simulate_people(160, seed=8), truth="cluster_id")
    return Probe(found, found.posterior, found.weighed)


def test_parts_follow_each_other_and_copies_have_originals():
    parts = probe().parts
    ends = [(each.start, each.stop) for each in parts.values()]
    assert [start for start, _ in ends] == [0, *(stop for _, stop in ends[:-1])]
    assert {"strangers", *COPIES} <= set(parts)
    assert parts["copies"].stop - parts["copies"].start == FEWEST_PLANTED
    base = probe().rows.base[parts["copies"]]
    assert (base >= 0).all() and (base < probe().n).all()


def test_copies_are_found_more_often_than_strangers_are_joined():
    seen, parts = probe().seen, probe().parts
    assert seen.with_base[parts["copies"]].mean() > 0.6
    assert probe().any_joined("strangers").mean() < 0.2


def test_strangers_stand_for_half_the_rows_together():
    worth = probe().worth("strangers")
    assert worth.sum() == pytest.approx(probe().n / 2)


def test_rows_without_a_partner_are_counted_where_matches_are_missed_and_strangers_are_joined():
    n, partners, recall, joined = 1_000, 700, 0.8, 0.1
    links = partners * recall + (n - partners) * joined
    assert lonely(n, links, joined, np.array([1 / recall - 1])) == pytest.approx(n - partners)
    assert lonely(n, links, joined, np.zeros(1)) == pytest.approx((n - links) / (1 - joined)), "nothing is missed"
    assert lonely(n, 990, 0.0, np.array([0.5])) == 0.0, "there are no fewer than none"
    spread = lonely(n, links, joined, np.array([0.1, 0.25, 0.6]))
    assert 0.0 < spread < n - links, "what may have been missed is averaged over"


def test_a_tree_holds_each_entity():
    assert len(probe().tree) == probe().n_links


def test_found_copies_are_told_by_field_and_change():
    by_field, by_change = probe().found_by_change()
    assert by_field and by_change
    for n, share in (*by_field.values(), *by_change.values()):
        assert 0 < n <= FEWEST_PLANTED and 0.0 <= share <= 1.0


def test_the_same_seed_plants_the_same():
    found = probe().resolution
    again = Probe(found, found.posterior, found.weighed)
    assert np.array_equal(again.rows.codes, probe().rows.codes)
    assert np.array_equal(again.seen.joined, probe().seen.joined)


def test_links_given_up_part_their_entities_and_no_others():
    whole = probe()
    links = np.zeros(len(whole.tree), dtype=np.bool_)
    links[0] = True
    a, b = (side[whole.tree[0]] for side in whole.posterior.pairs[:2])
    parted = whole.giving_up(links)
    assert whole.labels[a] == whole.labels[b] and parted.labels[a] != parted.labels[b]
    assert parted.n_links == whole.n_links - 1 == len(parted.tree)
    others = whole.labels != whole.labels[a]
    assert len(np.unique(parted.labels[others])) == len(np.unique(whole.labels[others]))
    assert not set(parted.labels[others]) & set(parted.labels[~others])
    assert len(whole.tree) == whole.n_links, "the probe itself stays as it was"


def test_siblings_that_are_all_there_already_are_none():
    """Where every combination of words is a row, a decoy made of two rows is a third."""
    words = [["Blue", "Green", "Amber"], ["river", "stone", "garden"], ["song", "waltz", "lamp"]]
    titles = [f"{one} {two} {what}" for one in words[0] for two in words[1] for what in words[2]]
    found = resolve(pa.table({"title": titles * 20}))
    assert found.quality.calibrated is False
    assert found.recalibrated().clustering.n_entities == len(titles)


def test_a_code_that_both_have_and_hardly_another_says_that_they_are_one():
    """Names that differ are doubted in a list, unless a telephone number is behind them."""
    words = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine", "Rowan", "Sallow")
    names = [f"{one} {other} Society" for one in words for other in words]
    rows = [*names, *(name.replace("Society", "Societies") for name in names[:40])]
    codes = [f"{(i * 7919) % 100003:06d}" if i < 40 else None for i in range(len(names))]
    table = pa.table({"name": rows, "code": [*codes, *codes[:40]]})
    found = resolve(table, kinds={"name": "likeness", "code": "code"})
    evidence = found.weighed.evidence
    assert evidence.taught >= 0
    one = Probe(found, found.posterior, found.weighed)
    both = evidence.levels[:, 1] == 0
    assert both.sum() >= 30 and not one.differing[both].any() and one.differing[~both].any()
