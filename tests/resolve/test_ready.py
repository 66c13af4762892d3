"""A table made ready: ids, sources, columns that are no evidence, types of rows."""

import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.errors import OnomaError
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.ready import TRUTH_NAMES, make_ready


def test_plan_and_run_share_what_is_made_ready():
    people = simulate_people(120, seed=1)
    config = ResolveConfig(seed=3)
    ready = make_ready(people, config)
    assert ready.table.num_rows == 120 and ready.source is None and ready.linking == (False, "")
    again, told = resolve(ready, config), resolve(people, config)
    assert again.clustering.labels.tolist() == told.clustering.labels.tolist()
    assert [field.name for field in ready.fields.fields] == [field.name for field in again.fields.fields]


@pytest.mark.parametrize("name", TRUTH_NAMES)
def test_somebodys_answer_is_no_evidence(name):
    table = pa.table({"name": ["Ann Lee", "Bo Ek", "Ann Lee"], name: ["x", "y", "x"]})
    ready = make_ready(table, ResolveConfig())
    assert [field.name for field in ready.fields.fields] == ["name"]
    assert any(each.name == name and "answer" in each.reason for each in ready.fields.ignored)
    asked = make_ready(table, ResolveConfig(kinds={name: "category"}))
    assert name in [field.name for field in asked.fields.fields], "who says what it is wants it compared"


def test_columns_that_are_not_there_and_settings_of_another_table_are_refused():
    table = pa.table({"name": ["Ann Lee", "Bo Ek"]})
    with pytest.raises(OnomaError, match="nowhere"):
        make_ready(table, ResolveConfig(exclude=("nowhere",)))
    with pytest.raises(OnomaError, match="other settings"):
        resolve(make_ready(table, ResolveConfig()), ResolveConfig(seed=9))
