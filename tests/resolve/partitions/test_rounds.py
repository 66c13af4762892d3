"""Which entities meet: whole ones, evenly spread, by super-entity or at random, giants split."""

from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from onoma.engines.engine import add_up
from onoma.errors import DataError, SettingsError
from onoma.resolve.partitions.rounds import (
    RoundSettings,
    bucket_count,
    count_buckets,
    fingerprint_counts,
    place,
    placement_of,
    plan,
    run_step,
)
from reference.toy_rounds import SCHEMA, mentions, move, smallest


def grouped(n, *, seed=0, giant=0.0):
    """Mentions whose entities are of several mentions each, inside their super-entities."""
    table = mentions(n, seed=seed, giant=giant)
    ids, above = table["mention"].to_numpy(), table["super"].to_numpy()
    entity = smallest(ids, above * 3 + np.random.default_rng(seed).integers(0, 3, n))
    if giant:
        entity = np.where(above == ids[0], ids, entity)
    return table.set_column(1, SCHEMA.field("entity"), pa.array(entity))


def placed(table, settings, *, number=0, kind="super", seed=0):
    keyed = {"seed": seed, "round": number, "kind": kind}
    counts = add_up(count_buckets(table, n_buckets=bucket_count(settings), **keyed))
    placement = plan(counts, settings=settings, **keyed)
    return place(table, placement=placement).to_numpy(), placement


@pytest.mark.parametrize("kind", ["super", "random"])
def test_entities_stay_whole_and_loads_are_even(kind):
    table, settings = grouped(20_000), RoundSettings(n_partitions=7)
    keys, placement = placed(table, settings, kind=kind)
    entity = table["entity"].to_numpy()
    assert len(np.unique(np.stack([entity, keys]), axis=1).T) == len(np.unique(entity))
    loads = np.bincount(keys, minlength=7)
    assert loads.tolist() == placement.loads.tolist()  # no bucket is split, so the plan is exact
    assert loads.max() < 1.02 * loads.mean()


def test_a_super_entity_meets_in_its_rounds_and_not_at_random():
    table, settings = grouped(5_000), RoundSettings(n_partitions=4)
    above = table["super"].to_numpy()
    for kind, whole in (("super", True), ("random", False)):
        keys, _ = placed(table, settings, kind=kind)
        assert (len(np.unique(np.stack([above, keys]), axis=1).T) == len(np.unique(above))) is whole


def test_a_giant_super_entity_is_split_by_entity():
    table, settings = grouped(20_000, giant=0.7), RoundSettings(n_partitions=8)
    keys, placement = placed(table, settings)
    giant = table["super"].to_numpy() == table["mention"].to_numpy()[0]
    assert placement.n_split == 1
    assert len(np.unique(keys[giant])) == 8
    assert np.bincount(keys).max() < 1.3 * len(table) / 8
    entity = table["entity"].to_numpy()
    assert len(np.unique(np.stack([entity, keys]), axis=1).T) == len(np.unique(entity))


def test_a_giant_entity_is_not_split():
    table = mentions(1_000)
    ids = table["mention"].to_numpy()
    one = np.where(np.arange(1_000) < 600, ids[0], ids)
    for place_of_column, name in ((1, "entity"), (3, "super")):
        table = table.set_column(place_of_column, SCHEMA.field(name), pa.array(one))
    keys, _ = placed(table, RoundSettings(n_partitions=4))
    assert len(set(keys[:600].tolist())) == 1


def test_any_two_entities_meet_sooner_or_later():
    table, settings = mentions(12), RoundSettings(n_partitions=3, random_every=2)
    met = np.zeros((12, 12), dtype=bool)
    for number in range(60):
        keys, _ = placed(table, settings, number=number, kind=placement_of(number, settings))
        met |= keys[:, None] == keys[None, :]
    assert met.all()


def test_placement_is_by_seed_and_round_and_by_nothing_else():
    table, settings = grouped(2_000), RoundSettings(n_partitions=4)
    keys, placement = placed(table, settings)
    halves = [place(table.slice(start, 1_000), placement=placement).to_numpy() for start in (0, 1_000)]
    assert np.concatenate(halves).tolist() == keys.tolist()
    assert placed(table, settings, number=1)[0].tolist() != keys.tolist()
    assert placed(table, settings, seed=1)[0].tolist() != keys.tolist()


def test_counts_add_up_over_cuts():
    table = grouped(1_000)
    count = partial(count_buckets, kind="super", seed=0, round=0, n_buckets=256)
    whole = add_up(count(table))
    parts = add_up(pa.concat_tables([count(table.slice(start, 300)) for start in range(0, 1_000, 300)]))
    assert parts.equals(whole)
    assert whole["item"][0].as_py() == -1
    assert whole["count"][0].as_py() == len(np.unique(table["entity"].to_numpy()))
    assert sum(whole["count"].to_pylist()[1:]) == 1_000


def test_every_kth_round_is_random():
    assert [placement_of(k, RoundSettings(random_every=1)) for k in range(2)] == ["random", "random"]
    for wrong in ({"n_partitions": 0}, {"n_rounds": 0}, {"random_every": 0}, {"fill": 0.0}, {"fill": 1.5}):
        with pytest.raises(SettingsError):
            RoundSettings(**wrong)


def change(**columns):
    def step(partition, **keyed):
        for name, function in columns.items():
            values = function(
                {each: partition[each].to_numpy().copy() for each in ("mention", "entity", "sub", "super")}
            )
            place_of_column = partition.schema.get_field_index(name)
            partition = partition.set_column(place_of_column, name, pa.array(values))
        return partition

    return step


def last_for_all(columns):
    return np.full(len(columns["mention"]), columns["mention"][-1])


def first_for_all(columns):
    return np.full(len(columns["mention"]), columns["mention"][0])


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (lambda partition, **keyed: partition.slice(1), "other mentions"),
        (lambda partition, **keyed: partition.take(pa.array([1, 0, *range(2, 9)])), "other mentions"),
        (change(entity=last_for_all), "not its smallest"),
        (change(entity=lambda columns: columns["mention"] - 1), "not its smallest"),
        (change(sub=first_for_all), "divided"),
        (change(entity=first_for_all, super=lambda columns: columns["mention"]), "divided"),
    ],
)
def test_a_step_that_breaks_its_promise_is_refused(step, said):
    with pytest.raises(DataError, match=said):
        run_step(mentions(9), 0, step=step, settings={}, seed=0, round=0)


def test_a_step_that_keeps_its_promise_passes():
    table = mentions(50)
    found = run_step(table, 3, step=move, settings={}, seed=0, round=2)
    assert found["tokens"].equals(table["tokens"])
    again = run_step(table, 3, step=move, settings={}, seed=0, round=2)
    assert again.equals(found)
    assert not run_step(table, 4, step=move, settings={}, seed=0, round=2).equals(found)


def test_a_fingerprint_sees_every_number_and_no_order():
    table = mentions(30)
    whole = add_up(fingerprint_counts(table))
    shuffled = table.take(pa.array(np.random.default_rng(0).permutation(30)))
    parts = pa.concat_tables([fingerprint_counts(shuffled.slice(start, 7)) for start in range(0, 30, 7)])
    assert add_up(parts).equals(whole)
    for name in SCHEMA.names:
        values = table[name].to_pylist()
        values[-1] = [7] if isinstance(values[-1], list) else values[-1] + 1
        place_of_column = SCHEMA.get_field_index(name)
        other = table.set_column(place_of_column, SCHEMA.field(name), pa.array(values, SCHEMA.field(name).type))
        assert not add_up(fingerprint_counts(other)).equals(whole), name
