import gzip

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.pipeline import plan as module
from onoma.pipeline.plan import plan_files
from onoma.resolve.config import ResolveConfig


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "people.csv"
    pyarrow.csv.write_csv(simulate_people(600, seed=1), path)
    return path


def test_a_plan_says_kinds_blocking_model_and_time(people):
    plan = plan_files([people])
    assert plan.rows == plan.looked_at == 600
    assert plan.fields["surname"][0] == "person"
    assert plan.fields["birth_date"][0] == "date"
    assert "every row is compared with" in plan.blocking
    assert plan.model == "copying"
    assert plan.model_reason
    assert plan.as_dict()["seconds"][0] < plan.seconds < plan.as_dict()["seconds"][1]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_of_a_large_file_a_part_is_read(people, tmp_path, monkeypatch, ending):
    monkeypatch.setattr(module, "_STRETCH", 8_000)
    monkeypatch.setattr(module, "_MOST_ROWS", 200)
    path = tmp_path / f"people.{ending}"
    if ending == "parquet":
        pyarrow.parquet.write_table(simulate_people(600, seed=1), path)
    else:
        content = people.read_bytes()
        path.write_bytes(content if ending == "csv" else gzip.compress(content))
    plan = plan_files([path])
    assert plan.looked_at <= 200
    assert plan.rows == pytest.approx(600, rel=0.4)
    assert plan.fields["surname"][0] == "person"


def test_two_files_are_aligned(tmp_path):
    titles = ["a history of names", "on the origin of words", "learning to link records"] * 10
    for name, column in (("a", "title"), ("b", "paper_title")):
        pyarrow.csv.write_csv(pa.table({"id": range(30), column: titles}), tmp_path / f"{name}.csv")
    plan = plan_files([tmp_path / "a.csv", tmp_path / "b.csv"], ResolveConfig(link=True))
    assert [(each.column, each.to) for each in plan.aligned] == [("paper_title", "title")]


def test_whole_records_in_one_column_are_announced_with_the_time_of_three_readings(tmp_path):
    people = simulate_people(300, seed=1)
    columns = [people[name].to_pylist() for name in ("given_name", "surname", "street", "birth_date")]
    rows = [", ".join(str(value) for value in row if value) for row in zip(*columns, strict=True)]
    pyarrow.csv.write_csv(pa.table({"record": rows}), tmp_path / "a.csv")
    found, kept = (plan_files([tmp_path / "a.csv"], ResolveConfig(kinds=kinds)) for kinds in ({}, {"record": "text"}))
    assert [note for note in found.notes if "taken apart" in note]
    assert not kept.notes
    assert found.seconds == pytest.approx(3 * kept.seconds)
