"""Whether rows of one source can be the same, where nobody says."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.errors import SettingsError
from onoma.pipeline.plan import plan_job
from onoma.pipeline.resolution import Job
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.sources import own_source_share, pick_link


def of_sources(table: pa.Table, source: np.ndarray) -> pa.Table:
    return table.append_column("source", pa.array([f"s{each}" for each in source]))


def in_registers(people: pa.Table, n_sources: int) -> pa.Table:
    """Put the rows of each person into registers of their own; what is left over is left out."""
    entity = people["cluster_id"].to_pylist()
    seen: dict[object, int] = {}
    place = [seen.setdefault(each, -1) for each in entity]
    for i, each in enumerate(entity):
        seen[each] += 1
        place[i] = seen[each]
    source = np.array(place)
    return of_sources(people, source).filter(pa.array(source < n_sources))


def shops(n: int, seed: int) -> pa.Table:
    """Two shops, each of which writes in its own way, so that rows of one shop are nearest."""
    rng = np.random.default_rng(seed)
    parts = [
        ["Acme", "Borel", "Cortex", "Delphi", "Ember", "Fjord"],
        ["Nova", "Pulse", "Terra", "Vista", "Zephyr", "Orion", "Lyra", "Atlas"],
        ["kettle", "toaster", "speaker", "camera", "monitor", "blender"],
        ["black", "white", "silver", "red"],
    ]
    rows = []
    for i in range(n):
        brand, series, kind, colour = (str(rng.choice(each)) for each in parts)
        price = float(rng.integers(20, 400))
        codes = ["".join(rng.choice(list("ABCDEFGHJKLM"), 2)) + str(rng.integers(100, 999)) for _ in range(2)]
        offer = f"{brand} {series} {kind.title()} - {codes[0]}/ {colour.title()} Finish/ Full Warranty"
        rows.append((offer, price, "one", f"{i}"))
        same = rng.random() < 0.8
        offer = f"{codes[0 if same else 1]} {brand} {series} {kind} ({colour})"
        rows.append((offer, price * rng.uniform(0.9, 1.1), "two", f"{i}" if same else f"other {i}"))
    offer, prices, source, entity = map(list, zip(*(rows[i] for i in rng.permutation(len(rows))), strict=True))
    written = [f"{each:.2f}" for each in prices]
    return pa.table({"offer": offer, "price": written, "source": source, "cluster_id": entity})


def share_of(table: pa.Table) -> float:
    fields = prepare_fields(table, exclude=["id", "cluster_id", "source"]).fields
    return own_source_share(fields, np.unique(table["source"].to_pylist(), return_inverse=True)[1].astype(np.int32))


@pytest.mark.parametrize("n_sources", [2, 3])
def test_registers_without_duplicates_are_linked(n_sources):
    table = in_registers(simulate_people(300, seed=3), n_sources)
    assert share_of(table) < 0.15
    found = resolve(table, source="source")
    assert found.config.link
    assert any("rows of one source are taken for different things" in note for note in found.notes)
    assert not resolve(table, source="source", link_and_dedupe=True).config.link


def test_sources_that_say_nothing_change_nothing():
    people = simulate_people(300, seed=3)
    rng = np.random.default_rng(1)
    table = of_sources(people, rng.integers(0, 2, len(people)))
    assert 0.7 < share_of(table) < 1.4
    found = resolve(table, source="source")
    assert not found.config.link
    assert np.array_equal(found.clustering.labels, resolve(people).clustering.labels)


def test_shops_that_write_in_their_own_ways_are_told_by_the_answers():
    table = shops(220, seed=0)
    assert share_of(table) > 0.25  # as many as duplicates would make
    found = resolve(table, source="source")
    assert found.config.link
    assert any("by the checks F1 is about" in note for note in found.notes)
    entity = np.unique(table["cluster_id"].to_pylist(), return_inverse=True)[1]
    a, b = found.posterior.pairs.a, found.posterior.pairs.b
    joined = found.clustering.labels[a] == found.clustering.labels[b]
    assert (entity[a] == entity[b])[joined].mean() > 0.85
    assert joined.sum() > 150
    assert not resolve(table, source="source", no_check=True).config.link


def test_few_pairs_do_not_tell():
    table = in_registers(simulate_people(20, seed=3), 2)
    assert share_of(table) > 0.25


def test_what_people_say_holds():
    table = in_registers(simulate_people(200, seed=3), 2)
    fields = prepare_fields(table, exclude=["id", "cluster_id", "source"]).fields
    source = np.unique(table["source"].to_pylist(), return_inverse=True)[1].astype(np.int32)
    assert pick_link(fields, ResolveConfig(), source)[0] is True
    for said in ({"link_and_dedupe": True}, {"model": "copying"}, {"block": "surname"}, {"partitions": 2}):
        assert pick_link(fields, ResolveConfig(**said), source) == (False, "")
    assert pick_link(fields, ResolveConfig(source="source", link=True), source) == (True, "")
    with pytest.raises(SettingsError, match="joined, or not"):
        ResolveConfig(source="source", link=True, link_and_dedupe=True)


def test_the_plan_says_what_is_decided():
    clean = in_registers(simulate_people(300, seed=3), 2)
    plan = plan_job(Job(table=clean, config=ResolveConfig(source="source")))
    assert "of the other sources" in plan.blocking
    assert "taken for different things" in plan.notes[0]
    plan = plan_job(Job(table=shops(220, seed=0), config=ResolveConfig(source="source")))
    assert "both readings" in plan.notes[0]


def registers(people: pa.Table, overlap: float, seed: int) -> pa.Table:
    """Two registers without duplicates: each person is in one of them, and a share of those with two rows in both."""
    rng = np.random.default_rng(seed)
    entity = np.unique(people["cluster_id"].to_pylist(), return_inverse=True)[1]
    side, in_both = rng.integers(0, 2, entity.max() + 1), rng.random(entity.max() + 1) < overlap
    rank = np.array([int(np.count_nonzero(entity[:i] == each)) for i, each in enumerate(entity)])
    source = np.where(rank == 0, side[entity], 1 - side[entity])
    return of_sources(people, source).filter(pa.array((rank == 0) | ((rank == 1) & in_both[entity])))


def links_of(table: pa.Table) -> tuple[int, int, int]:
    """Return how many pairs are the same, how many are linked, and how many are both."""
    found = resolve(table.drop_columns(["id", "cluster_id"]), source="source", link=True).recalibrated()
    gold = np.unique(table["cluster_id"].to_pylist(), return_inverse=True)[1]
    labels = found.clustering.labels
    a, b = np.triu_indices(len(gold), 1)
    same, joined = gold[a] == gold[b], labels[a] == labels[b]
    return int(same.sum()), int(joined.sum()), int((same & joined).sum())


def test_registers_that_share_few_people_have_few_links():
    """Members of a household are in different registers, too: they share surname, address and telephone."""
    found = [links_of(registers(simulate_people(1_200, seed=seed), 0.1, seed=1)) for seed in (5, 7)]
    same, joined, right = map(sum, zip(*found, strict=True))
    assert 20 <= same <= 80
    assert right >= 0.8 * same and joined - right <= 0.3 * same


def test_registers_that_share_nobody_have_hardly_any_link(monkeypatch):
    tables = [registers(simulate_people(1_200, seed=seed), 0.0, seed=1).drop_columns(["birth_date"]) for seed in (6, 8)]
    found = [links_of(table) for table in tables]
    joined = sum(each for _, each, _ in found)
    assert not any(same for same, _, _ in found)
    assert joined <= 0.01 * sum(map(len, tables))
    # As long as all rows were taken for such as have a partner, more of them found one.
    monkeypatch.setattr("onoma.resolve.comparison.level_counts.LevelCounts.heed_partners", lambda *_: None)
    assert sum(links_of(table)[1] for table in tables) > 3 * joined + 10
