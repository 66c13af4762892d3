from pathlib import Path

import pytest

NAMES = """Ada Lovelace
A. Lovelace
Lovelace, Ada

Alan Turing
Alan M. Turing
Turing, Alan
Grace Hopper
"""
TABLE = """who,type,where,around
Victoria,person,d1,the queen opened parliament
Queen Victoria,person,d1,the queen spoke
Victoria,place,d2,the lake and the falls
Lake Victoria,place,d2,the lake shore
"""


@pytest.fixture(autouse=True)
def files(tmp_path):
    Path(tmp_path / "names.txt").write_text(NAMES)
    Path(tmp_path / "table.csv").write_text(TABLE)


def test_a_list_of_names_is_clustered(onoma):
    ran = onoma("names names.txt --json")
    assert ran.code == 0
    assert ran.json["names"] == 7
    assert ran.json["clusters"][0] == ["Ada Lovelace", "A. Lovelace", "Lovelace, Ada"]
    assert ran.json["entities"] == 3


def test_the_table_tells_parents_and_edits_and_gives_a_family_tree(onoma, tmp_path):
    ran = onoma("names names.txt -o who.csv")
    assert ran.code == 0
    assert "7 names of 3 things" in ran.out
    assert (tmp_path / "who.csv").read_text().startswith("name,entity,title,probability,parent,edit")
    tree = onoma('lineage who.csv "A. Lovelace" --svg tree.svg')
    assert tree.code == 0
    assert len(tree.out.strip().splitlines()) == 3
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    rows = onoma("lineage who.csv 0 --json").json["lineage"]
    assert sum(row["parent"] is None for row in rows) == 1


def test_a_list_can_be_asked_for_a_tree_at_once(onoma):
    assert "Turing" in onoma('lineage names.txt "Alan Turing"').out


def test_columns_of_a_table_are_used(onoma):
    ran = onoma("names table.csv --name who --kind type --document where --context around --json")
    assert ran.code == 0
    assert all(len(names) > 0 for names in ran.json["clusters"])
    assert ran.json["entities"] >= 2


def test_names_are_linked_to_references(onoma, tmp_path):
    Path(tmp_path / "known.txt").write_text("Ada Lovelace\nAlan Turing\nKurt Gödel\n")
    ran = onoma("names names.txt --against known.txt --json")
    found = {row["name"]: row["reference"] for row in ran.json["links"]}
    assert found["A. Lovelace"] == found["Lovelace, Ada"] == "Ada Lovelace"
    assert found["Grace Hopper"] is None
    shown = onoma("names names.txt --against known.txt -o links.csv")
    assert "of 7 names have a reference" in shown.out
    assert (tmp_path / "links.csv").exists()


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("names names.txt --kind type", 2, "has no columns"),
        ("names table.csv", 2, "which has the names?"),
        ("names table.csv --name nobody", 1, "there is no such column"),
        ("lineage table.csv 0", 1, "the table has no column"),
        ("lineage names.txt Plato", 1, "there is no entity and no name"),
    ],
)
def test_what_cannot_be_done_is_said(onoma, line, code, message):
    ran = onoma(line)
    assert ran.code == code
    assert message in " ".join(ran.err.split())


def test_an_entity_of_a_knowledge_base_has_a_family_tree(onoma, tmp_path):
    people = (
        "id,name,city\n1,Wilhelmina Smith,Leeds\n2,Wilhelmina Smith,Leeds\n3,Wilhelmina Smyth,Leeds\n4,Ada Byron,York\n"
    )
    Path(tmp_path / "people.csv").write_text(people)
    assert onoma("resolve people.csv -o kb.duckdb -q").code == 0
    assert "Wilhelmina Smith" in onoma('lineage kb.duckdb "Wilhelmina Smith"').out
    assert onoma('lineage kb.duckdb "Wilhelmina Smith" --name nothing').code == 2


def test_a_name_that_is_not_there_is_suggested(onoma):
    Path("names.txt").write_text("Vladimir Putin\nVladimir V. Putin\nAngela Merkel\n")
    ran = onoma("lineage names.txt Putin")
    assert ran.code == 1
    assert "Did you mean" in ran.err and "'Vladimir Putin'" in ran.err and "Merkel" not in ran.err


def test_a_list_from_before_utf8_is_read_and_said(onoma, tmp_path):
    (tmp_path / "x.txt").write_bytes("José García\nFrançois Müller\n".encode("cp1252"))
    ran = onoma("names x.txt -o n.csv")
    assert ran.code == 0, ran.err
    assert ran.err.count("x.txt is not UTF-8 and was read as cp1252") == 1
    assert "Müller" in (tmp_path / "n.csv").read_text("utf-8")
    ran = onoma("names x.txt -o n.csv --encoding cp1250")
    assert ran.code == 0 and "read as" not in ran.err
    ran = onoma("names x.txt -o n.csv --encoding nonsense")
    assert ran.code == 2 or "there is no encoding 'nonsense'" in ran.err
