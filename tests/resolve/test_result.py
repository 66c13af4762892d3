"""A resolution tells itself as tables, also where nothing was compared."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.resolve.api import resolve


@pytest.fixture(scope="module")
def found():
    rows = [{"id": f"r{i}", "name": name, "born": 1950 + i % 4, "from": "xy"[i % 2]} for i, name in enumerate(NAMES)]
    return resolve(pa.Table.from_pylist(rows), source="from", model="copying", samples=20, seed=1)


NAMES = ["Ann Smith", "Bob Jones", "Cyd Brown", "Dan Moore"] * 3


def test_memberships_pairs_and_entities_agree(found):
    assert found.memberships.column_names == ["source", "id", "entity", "probability"]
    assert len(found.memberships) == 12
    entities = found.entities
    assert sum(entities["size"].to_pylist()) == 12 and len(entities) == found.clustering.n_entities
    least = dict(zip(entities["entity"].to_pylist(), entities["probability"].to_pylist(), strict=True))
    for row in found.memberships.to_pylist():
        assert row["probability"] >= least[row["entity"]] - 1e-12
    assert set(found.pairs().column_names) == {"a_source", "b_source", "a", "b", "probability"}


def test_a_floor_cuts_pairs(found):
    stated = found.pairs(0.0)["probability"].to_numpy()
    assert len(found.pairs(0.5)) == (stated >= 0.5).sum()


def test_the_interval_holds_what_is_reported(found):
    reported, low, high = found.entity_count()
    assert low <= reported <= high and reported == found.clustering.n_entities


def test_tables_are_what_the_model_has(found):
    assert set(found.tables()) == {"memberships", "entities", "pairs", "weights"}
    with pytest.raises(SettingsError, match="there are no trees here"):
        found.tree("r0")
    assert len(found.log_weights()) == len(found.weighed.candidates)


def test_rows_that_all_say_the_same_are_one_and_sure():
    same = resolve(pa.table({"id": ["1", "2"], "name": ["Ann", "Ann"]}))
    assert same.clustering.n_entities == 1 and same.identical and same.probability.tolist() == [1.0, 1.0]
    assert len(same.pairs()) == 0 and same.n_samples == 0 and same.weighed is None
    assert same.entity_count() == (1, 1, 1) and np.array_equal(same.log_weights(), np.zeros(0))


def test_one_row_is_one_entity():
    one = resolve(pa.table({"id": ["1"], "name": ["Ann"]}))
    assert one.memberships.to_pylist() == [{"id": "1", "entity": "e0", "probability": 1.0}]
    assert not one.is_stopped and one.so_far == ""
