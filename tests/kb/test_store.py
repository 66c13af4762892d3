"""A resolution as a knowledge base: records as they came, codes, edges, samples, runs."""

import json

import numpy as np
import pyarrow as pa
import pytest

from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.identity import Change
from onoma.kb.store import Run, append_records, clustering_of, codes_table, note_changes, note_run, samples_table


def test_what_is_stored_is_what_was_found(first_base, crowd):
    with read_knowledge_base(first_base) as base:
        assert base.value("SELECT count(*) FROM records") == 400
        ids = [key for (key,) in base.rows("SELECT id FROM memberships ORDER BY record")]
        assert ids == [str(key) for key in crowd["id"].slice(0, 400).to_pylist()]
        n_fields = base.value("SELECT count(*) FROM fields WHERE kind <> 'ignored'")
        assert len(base.query("FROM codes LIMIT 0").column_names) == n_fields + 1
        run = base.query("FROM run_last").to_pylist()[0]
        assert run["kind"] == "resolve" and run["n_added"] == 400 and "onoma" in json.loads(run["versions"])
        assert base.value("SELECT count(*) FROM changes WHERE kind = 'created'") == base.value(
            "SELECT count(DISTINCT entity) FROM memberships"
        )


def test_only_doubtful_records_have_samples(first_base):
    with read_knowledge_base(first_base) as base:
        n = base.value("SELECT count(*) FROM samples")
        assert 0 < n < 400
        lengths = {length for (length,) in base.rows("SELECT DISTINCT len(roots) FROM samples")}
        assert lengths == {100}


def test_a_column_of_another_type_makes_both_text_and_a_new_one_is_added(kb):
    with write_knowledge_base(kb) as base:
        columns = [str(name) for (name,) in base.rows("SELECT name FROM columns")]
        before = base.value("SELECT count(*) FROM columns")
        new = pa.table({"id": ["new"], columns[1]: ["text"], "extra": [7]})
        append_records(base, new, np.array([900]), [""], run=2)
        assert base.value("SELECT count(*) FROM columns") == before + 1
        assert str(base.value("SELECT extra FROM records WHERE onoma_record = 900")) == "7"
        assert base.value("SELECT count(*) FROM records WHERE onoma_added = 1") == 400


def test_changes_are_numbered_on_and_name_their_records(kb):
    with write_knowledge_base(kb) as base:
        last = base.value("SELECT max(change) FROM changes")
        changes = [Change("joined", "e1", None, 1), Change("merged", "e1", "e2", None)]
        note_changes(base, changes, 2, "a test", ["x", "y"], ["r1", "r2"])
        rows = base.rows("SELECT change, source, id, other FROM changes WHERE run = 2 ORDER BY change")
        assert rows == [(last + 1, "y", "r2", None), (last + 2, None, None, "e2")]


def test_a_run_tells_of_itself(kb):
    with write_knowledge_base(kb) as base:
        note_run(base, Run(2, "update", "onoma …", n_added=3), 1.5, {"rows": 403, "entities": 5})
        found = base.query("FROM run_last").to_pylist()[0]
        assert (found["run"], found["n_added"], found["rows"], found["seconds"]) == (2, 3, 403, 1.5)


def test_tables_of_codes_and_samples():
    table = codes_table(np.array([7, 8]), [np.array([0, -1], dtype=np.int32), np.array([1, 1], dtype=np.int32)])
    assert table.num_rows == 2 and table.num_columns == 3
    roots = np.array([[7, 7], [7, 8]])
    assert samples_table(np.array([7, 8]), roots, np.array([1])).to_pylist() == [{"record": 8, "roots": [7, 8]}]
    assert clustering_of(["b", "a", "b"]).labels.tolist() == [0, 1, 0]


@pytest.mark.parametrize("n", [0, 3])
def test_no_samples_are_an_empty_table(n):
    none = samples_table(np.arange(n), np.zeros((0, n), dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert none.num_rows == 0 and none.schema.field("roots").type == pa.list_(pa.int64())
