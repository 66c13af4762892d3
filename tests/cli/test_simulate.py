from pathlib import Path

import pytest

from onoma.corpus.readers.table import read_table


@pytest.mark.parametrize("kind", ["people", "authors", "mentions", "links"])
def test_a_table_with_its_truth_and_its_statistics(onoma, kind):
    ran = onoma(f"simulate {kind} 1_000 --seed 3 -o rows.csv --json")
    assert ran.code == 0
    found = ran.json
    table = read_table("rows.csv").table
    assert len(table) == found["rows"] == 1000
    assert {"id", "cluster_id"} <= set(table.column_names)
    assert 0 < found["entities"] < 1000
    assert found["seed"] == 3
    assert "shared initials" in onoma(f"simulate {kind} 200 -o rows.parquet").out


def test_the_seed_decides(onoma):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        onoma(f"simulate people 300 --seed {seed} -o {name}.csv -q")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes() != Path("c.csv").read_bytes()


def test_dials_are_listed_and_turned(onoma):
    assert "typos" in onoma("simulate people --dials").out
    assert any(each["name"] == "typos" for each in onoma("simulate people --dials --json").json["dials"])
    assert onoma("simulate people 200 -o x.csv --set duplicates=0 --json").json["entities"] == 200


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("simulate people 10", 2, "-o people.csv"),
        ("simulate people ten -o x.csv", 2, "whole number"),
        ("simulate people 0 -o x.csv", 2, "0 rows"),
        ("simulate people 10 -o x.nope", 1, "does not say the format"),
        ("simulate people 10 -o x.csv --set nothing=1", 2, "no dial 'nothing'"),
        ("simulate people 10 -o x.csv --set typos=many", 2, "'many'"),
        ("simulate people 10 -o x.csv --set typos=7", 2, "typos"),
    ],
)
def test_errors(onoma, line, code, said):
    ran = onoma(line)
    assert (ran.code, said in ran.err, Path("x.csv").exists()) == (code, True, False)
