from pathlib import Path

import pytest

from onoma.corpus.readers.table import read_table


@pytest.fixture
def people(onoma):
    """A table of people in the folder where the command runs."""
    assert onoma("simulate people 150 --seed 2 -o people.csv -q").code == 0
    return "people.csv"


def test_a_table_scored(onoma, people):
    ran = onoma(f"resolve {people} --truth cluster_id --json")
    assert ran.code == 0
    found = ran.json
    assert found["rows"] == 150
    assert found["interval"][0] <= found["interval"][1]
    assert found["metrics"]["pairwise"]["f1"] > 0.8
    assert 0.0 <= found["calibration_error"] <= 1.0
    assert found["output"] == []
    assert found["fields"]["birth_date"]["kind"] == "date"
    assert not set(found["fields"]) & {"id", "cluster_id"}


def test_what_people_see(onoma, people):
    ran = onoma(f"resolve {people} --truth cluster_id")
    assert ran.code == 0
    for said in ("what the columns were taken for", "150 rows", "entities", "against the truth", "calibration error"):
        assert said in ran.out
    assert "ids are taken from the column 'id'" in ran.err
    assert "nothing was written" in ran.err


def test_quiet_says_the_answer_alone(onoma, people):
    ran = onoma(f"resolve {people} --quiet")
    assert (ran.code, ran.err) == (0, "")
    assert "entities" in ran.out


def test_a_file_is_written_the_same_each_time(onoma, people):
    for name in ("one.csv", "two.csv"):
        ran = onoma(f"resolve {people} -o {name} --seed 4")
        assert ran.code == 0
        assert f"written: {name}" in ran.out
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    table = read_table("one.csv").table
    assert table.column_names == ["id", "entity", "probability"]
    assert len(table) == 150


def test_a_folder_is_written(onoma, people):
    found = onoma(f"resolve {people} -o out --json").json
    names = [
        "memberships.parquet",
        "entities.parquet",
        "pairs.parquet",
        "weights.parquet",
        "summary.json",
        "report.html",
    ]
    assert [Path(path).name for path in found["output"]] == names
    assert {path.name for path in Path("out").iterdir()} == set(names)


def test_two_files_are_linked(onoma, people):
    lines = Path(people).read_text("utf-8").splitlines()
    for name, part in (("old.csv", lines[1::2]), ("new.csv", lines[2::2])):
        Path(name).write_text("\n".join([lines[0], *part]) + "\n", "utf-8")
    ran = onoma("resolve old.csv new.csv --link -o links.csv --truth cluster_id --json")
    assert ran.code == 0
    assert ran.json["metrics"]["b3"]["f1"] > 0.6
    table = read_table("links.csv").table
    assert table.column_names == ["source", "id", "entity", "probability"]
    assert set(table["source"].to_pylist()) == {"old", "new"}
    members = {}
    for source, entity in zip(table["source"].to_pylist(), table["entity"].to_pylist(), strict=True):
        members.setdefault(entity, []).append(source)
    assert all(len(set(sources)) == len(sources) for sources in members.values())


def test_one_file_with_a_column_of_sources(onoma):
    rows = [f"{i},{'ab'[i % 2]},Name{i // 2} Surname{i // 2},{1900 + i // 2}" for i in range(40)]
    Path("both.csv").write_text("\n".join(["id,where,name,year", *rows]) + "\n", "utf-8")
    ran = onoma("resolve both.csv --source where --link --json")
    assert ran.code == 0
    assert "where" not in ran.json["fields"]


def test_fields_and_blocks_can_be_said(onoma, people):
    found = onoma(f"resolve {people} --field city=ignore --field surname=text --block state --json").json
    assert "city" in found["ignored"]
    assert found["fields"]["surname"]["kind"] == "text"
    assert "state" in found["fields"]  # sharing a block's value is evidence, too


def test_the_price_of_merging(onoma, people):
    cheap, dear = (onoma(f"resolve {people} --merge-cost {cost} --json").json for cost in (0.02, 0.98))
    assert cheap["entities"] <= dear["entities"]


def test_ids_that_are_made_are_said(onoma):
    Path("names.csv").write_text("name\nAnn Smith\nAnn Smith\nBob Jones\n", "utf-8")
    ran = onoma("resolve names.csv -o out.csv")
    assert "ids 1 to 3 were made" in ran.err
    assert read_table("out.csv").table["id"].to_pylist() == [1, 2, 3]


def test_one_row(onoma):
    Path("one.csv").write_text("id,name\n1,Ann\n", "utf-8")
    ran = onoma("resolve one.csv")
    assert ran.code == 0
    assert "1 rows, 1 entities" in ran.out


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("resolve", 2, "FILE"),
        ("resolve nothing.csv", 1, "nothing.csv"),
        ("resolve a.csv --truth gold", 2, "there is no column 'gold'"),
        ("resolve a.csv --block part", 2, "there is no column 'part'"),
        ("resolve a.csv --source from", 2, "there is no column 'from'"),
        ("resolve a.csv --id key", 1, "there is no column 'key'"),
        ("resolve a.csv --link", 2, "linking needs two sources"),
        ("resolve a.csv a.csv --source id", 2, "several files are sources already"),
        ("resolve a.csv --field name", 2, "COLUMN=KIND"),
        ("resolve a.csv --field name=animal", 2, "animal"),
        ("resolve a.csv --field nope=text", 2, "no column 'nope'"),
        ("resolve a.csv --merge-cost 2", 2, "merge-cost"),
        ("resolve a.csv --seed -1", 2, "seed"),
        ("resolve twice.csv", 1, "which record 1 has already"),
        ("resolve empty.csv", 1, "no rows"),
        ("resolve a.csv -o out.nope", 1, "does not say the format"),
        ("resolve a.csv -o out.bib", 1, "bibtex is not written"),
    ],
)
def test_errors(onoma, line, code, said):
    Path("a.csv").write_text("id,name\n1,Ann Smith\n2,Bob Jones\n", "utf-8")
    Path("twice.csv").write_text("id,name\n1,Ann Smith\n1,Bob Jones\n", "utf-8")
    Path("empty.csv").write_text("id,name\n", "utf-8")
    ran = onoma(line)
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert "Traceback" not in ran.err
    assert not list(Path().glob("out*"))
