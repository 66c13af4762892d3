"""The step: a pure function that keeps its rows, nests its groups and names them by their smallest mention."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.resolve.models.cross_document.features import mention_features
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings, log_score, meeting_names, start, step
from onoma.resolve.partitions.rounds import run_step
from reference.resolve_cross_document import products

SETTINGS = CrossDocumentSettings(bias=0.3, same=0.2, sub_bias=0.6, super_bias=0.1, n_rounds=4)


def mentions(n=40, *, seed=0, first=0, near=False):
    """Mentions of a few people, whose words they share."""
    rng = np.random.default_rng(seed)
    person = rng.integers(0, 5, n)
    tokens = [np.unique(10 * p + rng.integers(0, 8, 6)).tolist() for p in person]
    weights = [[1 / len(row) ** 0.5] * len(row) for row in tokens]
    names = rng.integers(0, 3, n)
    columns = start(names, from_names=False)
    table = pa.table(
        {
            **{name: pa.array(values + first) for name, values in columns.items()},
            "name": pa.array(names),
            "tokens": pa.array(tokens, pa.list_(pa.int32())),
            "weights": pa.array(weights, pa.list_(pa.float32())),
            "note": [f"row {k}" for k in range(n)],
        }
    )
    if near:
        beside = {0: [0, 1], 1: [1, 0, 2], 2: [2, 1]}
        table = table.append_column("near", pa.array([beside[int(name)] for name in names]))
        scores = [[0.4, *[0.1] * (len(beside[int(name)]) - 1)] for name in names]
        table = table.append_column("near_weights", pa.array(scores, pa.list_(pa.float32())))
    return table, person


@pytest.mark.parametrize("levels", [("entity",), ("sub", "entity"), ("entity", "super"), ("sub", "entity", "super")])
def test_step_keeps_its_promise(levels):
    table, _ = mentions(first=100)
    settings = replace(SETTINGS, levels=levels)
    for number in range(3):
        found = run_step(table, 7, step=step, settings=settings, seed=1, round=number)
        assert found.drop_columns(["entity", "sub", "super"]) == table.drop_columns(["entity", "sub", "super"])
        assert found.schema == table.schema
        table = found
    entity, sub, above = (table[name].to_numpy() for name in ("entity", "sub", "super"))
    assert len(np.unique(entity)) < len(entity)
    assert len(np.unique(np.stack([sub, entity]), axis=1)[0]) == len(np.unique(sub))
    assert len(np.unique(np.stack([entity, above]), axis=1)[0]) == len(np.unique(entity))


def test_step_is_a_function_of_seed_round_and_key():
    table, _ = mentions()
    found = step(table, settings=SETTINGS, seed=1, round=2, key=3)
    assert found == step(table, settings=SETTINGS, seed=1, round=2, key=3)
    others = [step(table, settings=SETTINGS, seed=s, round=r, key=k) for s, r, k in ((2, 2, 3), (1, 3, 3), (1, 2, 4))]
    assert all(other["sub"] != found["sub"] or other["entity"] != found["entity"] for other in others)


def test_steps_find_people_and_raise_the_score():
    table, person = mentions(60)
    before = log_score(table, SETTINGS)
    for number in range(4):
        table = step(table, settings=SETTINGS, seed=0, round=number, key=0)
    assert log_score(table, SETTINGS) > before + 10
    entity = table["entity"].to_numpy()
    together = entity[:, None] == entity
    assert np.mean(together == (person[:, None] == person)) > 0.9


def test_log_score_is_that_of_pairs():
    table, _ = mentions(20, near=True)
    for number in range(2):
        table = step(table, settings=SETTINGS, seed=0, round=number, key=0)
    psi = products(mention_features(table, context=1.0, same=0.0)) - SETTINGS.bias
    entity = table["entity"].to_numpy()
    total = 2 * sum(psi[i, j] for i in range(20) for j in range(i) if entity[i] == entity[j])
    assert log_score(table, SETTINGS) == pytest.approx(total, abs=1e-4)


def test_names_decide_who_meets_whatever_the_partition():
    table, _ = mentions(50, near=True)
    table = table.set_column(1, "entity", table["name"])  # entities by name
    whole = meeting_names(table, 0, 4)
    for name in range(3):
        part = pa.array(table["name"].to_numpy() == name)
        assert set(meeting_names(table.filter(part), 0, 4)) == set(whole[np.array(part)])
    chosen = {tuple(np.unique(meeting_names(table, 0, number))) for number in range(8)}
    assert len(chosen) > 1
    met = step(table.set_column(1, "entity", table["mention"]), settings=SETTINGS, seed=0, round=0, key=0)
    assert set(met["super"].to_pylist()) <= {0, 1, 2}


def test_temperature_falls_and_stays():
    settings = CrossDocumentSettings(heat=1.0, cold=0.01, n_rounds=3)
    assert [settings.temperature(k) for k in (0, 1, 2, 9)] == pytest.approx([1.0, 0.1, 0.01, 0.01])


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": ("sub",)},
        {"levels": ("entity", "tree")},
        {"heat": 0.001, "cold": 0.1},
        {"new": 0.0},
        {"new": 0.5, "shared": 0.6},
        {"n_rounds": 0},
        {"by_pairs": True},
    ],
)
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(SettingsError):
        CrossDocumentSettings(**wrong)
