from pathlib import Path

import pytest

from onoma.corpus.readers.table import read_table


def test_tables_to_tables(onoma):
    Path("a.csv").write_text("id,name\n007,Ada\n008,\n")
    assert onoma("convert a.csv b.parquet").code == 0
    ran = onoma("convert b.parquet c.tsv.gz --json")
    assert ran.json["written"] == 2
    assert read_table("c.tsv.gz").table.to_pydict() == {"id": ["007", "008"], "name": ["Ada", None]}


def test_rejects_are_counted_and_kept(onoma):
    Path("a.csv").write_text("id,name\n1,Ada\n2,Grace,too many\n3,Mary\n")
    stopped = onoma("convert a.csv b.csv")
    assert stopped.code == 1
    assert "row 3" in stopped.err
    assert not Path("b.csv").exists()
    found = onoma("convert a.csv b.csv --on-error reject --json").json
    assert (found["written"], found["rejected"]) == (2, 1)
    assert "too many" in Path(found["rejects"]).read_text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("convert missing.csv b.csv", "missing.csv"),
        ("convert a.csv b.conll", "needs the words of a text"),
        ("convert a.csv b.bib", "read, not written"),
        ("convert a.csv nowhere/b.csv", "nowhere"),
    ],
)
def test_errors(onoma, line, said):
    Path("a.csv").write_text("id,name\n1,Ada\n")
    ran = onoma(line)
    assert ran.code == 1
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_file_from_before_utf8_is_read_and_said(onoma):
    Path("a.csv").write_bytes("id,name\n1,José Müller\n2,Zoë Brontë\n".encode("latin-1"))
    ran = onoma("convert a.csv b.csv")
    assert (ran.code, "cp1252" in ran.err) == (0, True)
    assert Path("b.csv").read_text("utf-8") == "id,name\n1,José Müller\n2,Zoë Brontë\n"
    assert "cp1252" not in onoma("convert a.csv b.csv --encoding latin-1").err
    assert onoma("convert a.csv b.csv --encoding klingon").code != 0
