"""Erasing leaves no byte of what only the erased record had."""

import pytest

from onoma.errors import DataError
from onoma.kb.audit.erase import erase
from onoma.kb.audit.seals import audit
from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge
from onoma.kb.lookup.live import Live

SECRET = {
    "id": "zq-secret-77",
    "given_name": "Zyxwvutia",
    "surname": "Qqarbleforth",
    "email": "zyx.qqarble@nowhere-else.example",
    "street": "991 Xylophonium Crescent",
    "phone": "8675309123",
}


def traces(path, values):
    found = []
    for each in [path, *path.parent.glob(f".{path.name}*"), *path.parent.glob(f"{path.name}.*")]:
        data = each.read_bytes().lower()
        found += [(each.name, value) for value in values if value.lower().encode() in data]
    return found


def test_none_of_its_values_is_found_in_the_file_or_beside_it(kb, crowd):
    live = Live(kb)
    live.add(SECRET)
    judge(kb, [Said("different", "zq-secret-77", crowd["id"][0].as_py())], by="ada")
    live.add(SECRET | {"phone": "5550001112223"})  # a change of it: both versions go
    values = [*SECRET.values(), "5550001112223", "qqarble", "xylophonium"]
    assert len(traces(kb, values)) >= 6  # they can be found
    with read_knowledge_base(kb) as base:
        before = dict(base.rows("SELECT id, entity FROM memberships"))
    erase(kb, ["zq-secret-77"])
    assert traces(kb, values) == []
    with read_knowledge_base(kb) as base:
        after = dict(base.rows("SELECT id, entity FROM memberships"))
        assert base.value("SELECT kind FROM run_last") == "erase"
    assert set(before) - set(after) == {"zq-secret-77"}
    assert sum(before[key] != after[key] for key in after) <= 2
    assert audit(kb).is_whole


def test_the_knowledge_base_lives_on(kb, crowd):
    row = {name: value for name, value in crowd.slice(10, 1).to_pylist()[0].items() if value is not None}
    erase(kb, [row["id"]])
    live = Live(kb)
    assert live.snapshot().n == 399
    added = live.add({name: value for name, value in row.items() if name != "cluster_id"})
    assert added.update.n_added == 1
    with pytest.raises(DataError, match="no record"):
        erase(kb, ["nobody"])
