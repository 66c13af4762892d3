"""Values of entities and where they come from."""

import pyarrow as pa

from onoma.kb.ask.golden import golden_values
from onoma.kb.database import read_knowledge_base
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


def test_values_follow_their_rules_when_records_come(crowd, tmp_path):
    path = tmp_path / "kb.duckdb"
    config = ResolveConfig(truth="cluster_id", no_check=True, golden={"surname": "newest", "*": "longest"})
    store_outcome(run_job(Job(table=crowd.slice(0, 60), config=config)), path)
    with read_knowledge_base(path) as base:
        entity, key = base.rows("SELECT entity, min(id) FROM memberships GROUP BY 1 HAVING count(*) > 1 ORDER BY 1")[0]
        columns = [str(name) for (name,) in base.rows("SELECT name FROM columns")]
        row = base.query("SELECT * FROM record_current WHERE id = ?", [key]).to_pylist()[0]
    late = {name: row[name] for name in columns if name in row} | {"id": "late", "surname": "Newname"}
    update_knowledge_base(path, tables=[pa.Table.from_pylist([late], crowd.schema)])
    with read_knowledge_base(path) as base:
        now = base.value("SELECT entity FROM memberships WHERE id = 'late'")
        told = {each.column: each for each in golden_values(base, str(now))}
        stored = base.query("SELECT * FROM entities WHERE entity = ?", [now]).to_pylist()[0]
    assert told["surname"].value == "Newname" and told["surname"].record == "late"
    assert told["surname"].rule == "newest" and told["given_name"].rule == "longest"
    assert stored["surname"] == "Newname"
    assert all(stored[name] == each.value for name, each in told.items() if name in stored and name != "cluster_id")
    assert entity
