import pytest

import onoma
from onoma.errors import DataError


@pytest.fixture
def base(people, tmp_path):
    onoma.resolve(people.slice(0, 100), seed=1).save(tmp_path / "people.duckdb")
    return onoma.open(tmp_path / "people.duckdb")


def test_records_come_and_go_and_questions_are_answered(base, people):
    assert base.add(people.slice(95).to_pandas()).n_added == 20
    assert base.add(people.slice(95).to_pylist()).n_same == 25
    gone = people["id"].to_pylist()[:2]
    assert base.retract(gone).n_retracted == 2
    assert len(base.result()) == 118
    record = base.result().to_dicts()[0]
    found = base.find(f"{record['given_name']} {record['surname']}", most=3)
    assert record["entity"] in found["entity"].to_pylist()
    assert record["id"] in base.records(record["entity"])["id"].to_pylist()
    assert "created" in base.history(record["entity"])["kind"].to_pylist()
    assert base.count().reported == base.result().n_entities == len(base.entities)
    assert base.query("SELECT count(*) AS n FROM runs")["n"].to_pylist() == [3]
    assert len(repr(base).splitlines()) <= 10


def test_what_is_no_knowledge_base_is_refused(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        onoma.open(tmp_path / "people.duckdb")
    (tmp_path / "people.csv").write_text("id\n1\n")
    with pytest.raises(DataError, match="is no knowledge base"):
        onoma.open(tmp_path / "people.csv")


def test_one_record_is_found_and_added(base, people):
    row = {name: value for name, value in people.slice(105, 1).to_pylist()[0].items() if value is not None}
    found = base.find(row)
    assert 0 <= found.nil <= 1
    many = base.find_many(people.slice(105, 3))
    assert many["row"].to_pylist()[0] == 0
    added = base.add(row)
    assert added.is_new == (found.best is None)


def test_a_kind_of_ones_own_lives_in_a_base(tmp_path):
    """Next week's record, a question and an explanation are written and compared by its table."""
    levels = {"other revision": "left(a, length(a) - 1) = left(b, length(b) - 1)", "close": "jaro_winkler(a, b) > 0.9"}
    kind = {"levels": levels, "normalise": "upper(replace(x, '-', ''))", "keys": ["left(x, 4)"]}
    rows = [
        {"id": f"{k}.{i}", "part": f"{'ABQX'[k % 4]}C-{k**3 % 90_001}{'AB'[i * k % 2]}", "owner": f"owner {k**2 % 97}"}
        for k in range(60)
        for i in range(2)
    ]
    onoma.resolve(rows, kinds={"part": kind}, model="copying", seed=1).save(tmp_path / "kb.duckdb")
    base = onoma.open(tmp_path / "kb.duckdb")
    new = {"id": "new", "part": rows[7]["part"].lower(), "owner": rows[7]["owner"]}
    asked = base.find({name: new[name] for name in ("part", "owner")})
    assert asked.candidates
    base.add([new])
    rows_now = base.result().to_arrow().to_pylist()
    entity = {row["id"]: row["entity"] for row in rows_now}
    assert entity["new"] == entity[rows[7]["id"]]
