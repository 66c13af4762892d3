import json
from pathlib import Path

import pytest

GOLD = "id,cluster_id,city\na,1,Rome\nb,1,Rome\nc,2,Oslo\nd,2,Oslo\ne,,Oslo\n"
PREDICTED = "id,entity,probability\nb,x,.9\na,x,.9\nc,x,.5\nd,y,1\ne,y,1\n"

KEY = """#begin document (d); part 000
d 0 0 Ada (1)
d 0 1 met -
d 0 2 her (1)
d 0 3 aunt (2)
#end document
"""


@pytest.fixture
def files(tmp_path):
    Path(tmp_path / "gold.csv").write_text(GOLD)
    Path(tmp_path / "predicted.csv").write_text(PREDICTED)


@pytest.mark.usefixtures("files")
def test_json_has_every_metric_in_the_promised_shape(onoma):
    ran = onoma("evaluate gold.csv predicted.csv --json")
    assert ran.code == 0
    found = ran.json
    for name in ("muc", "b3", "ceafm", "ceafe", "blanc", "lea", "pairwise"):
        assert set(found[name]) == {"precision", "recall", "f1"}
    for name in ("conll", "rand", "ari", "v"):
        assert isinstance(found[name], float)
    # e has no gold label: it is left out on both sides. Gold pairs: ab, cd. Predicted pairs: ab, ac, bc.
    assert found["pairwise"] == pytest.approx({"precision": 1 / 3, "recall": 1 / 2, "f1": 0.4})
    assert "1 rows of the gold have no label" in ran.err


@pytest.mark.usefixtures("files")
def test_the_table_for_people_shows_scores_and_errors(onoma):
    ran = onoma("evaluate gold.csv predicted.csv --metrics b3,pairwise,rand")
    assert "b3" in ran.out
    assert "muc" not in ran.out
    assert "gold entities most split" in ran.out
    assert "1 in x, 1 in y" in ran.out
    assert "predicted entities most merged" in ran.out


@pytest.mark.usefixtures("files")
def test_scores_by_column(onoma):
    found = onoma("evaluate gold.csv predicted.csv --by city --metrics pairwise --json").json
    assert found["by"]["Rome"]["pairwise"]["f1"] == 1
    assert found["by"]["Oslo"]["pairwise"]["f1"] == 0
    assert "Oslo" in onoma("evaluate gold.csv predicted.csv --by city").out


@pytest.mark.usefixtures("files")
def test_intervals_and_a_second_system(onoma, tmp_path):
    Path(tmp_path / "other.csv").write_text("id,entity\na,1\nb,1\nc,2\nd,2\n")
    found = onoma("evaluate gold.csv other.csv --versus predicted.csv --intervals 50 --metrics b3 --json").json
    low, high = found["intervals"]["b3.f1"]
    assert low <= found["b3"]["f1"] <= high
    assert found["versus"]["b3.f1"]["value"] > 0
    text = onoma("evaluate gold.csv other.csv --versus predicted.csv --intervals 50 --metrics b3").out
    assert "first prediction less second" in text
    assert "F1 95 %" in text


def test_text_is_scored_as_text(onoma, tmp_path):
    Path(tmp_path / "key.conll").write_text(KEY)
    Path(tmp_path / "response.conll").write_text(KEY.replace("her (1)", "her (2)"))
    found = onoma("evaluate key.conll response.conll --json --by document").json
    assert found["muc"] == {"precision": 0, "recall": 0, "f1": 0}
    assert list(found["by"]) == ["d part 0"]
    assert onoma("evaluate key.conll key.conll --json").json["conll"] == 1


def test_ids_that_repeat_between_sources_are_told_apart(onoma, tmp_path):
    Path(tmp_path / "gold.csv").write_text("source,id,cluster_id\na,1,x\nb,1,x\na,2,y\n")
    Path(tmp_path / "predicted.csv").write_text("source,id,entity\na,1,p\nb,1,p\na,2,q\n")
    ran = onoma("evaluate gold.csv predicted.csv --json")
    assert ran.json["pairwise"]["f1"] == 1
    assert "'source' and 'id'" in ran.err


@pytest.mark.usefixtures("files")
def test_items_that_one_side_lacks(onoma, tmp_path):
    Path(tmp_path / "more.csv").write_text(PREDICTED + "z,x,1\n")
    union = onoma("evaluate gold.csv more.csv --json --metrics b3").json["b3"]["precision"]
    gold = onoma("evaluate gold.csv more.csv --json --metrics b3 --items gold").json["b3"]["precision"]
    assert union < gold


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("evaluate gold.csv missing.csv", 1, "missing.csv"),
        ("evaluate gold.csv predicted.csv --metrics b4", 2, "b4"),
        ("evaluate gold.csv predicted.csv --gold-column nothing", 1, "no column 'nothing'"),
        ("evaluate gold.csv predicted.csv --by nothing", 1, "no column 'nothing'"),
        ("evaluate gold.csv predicted.csv --id nothing", 1, "no column 'nothing'"),
        ("evaluate gold.csv doubled.csv", 1, "'a' stands 2 times"),
        ("evaluate gold.csv text.conll", 1, "both must be of one kind"),
        ("evaluate gold.csv bare.csv", 1, "no column for the clusters"),
        ("evaluate gold.csv predicted.csv --versus few.csv", 1, "different items"),
    ],
)
def test_errors_say_what_came_and_what_to_try(onoma, tmp_path, line, code, said):
    Path(tmp_path / "doubled.csv").write_text("id,entity\na,1\na,2\n")
    Path(tmp_path / "text.conll").write_text(KEY)
    Path(tmp_path / "bare.csv").write_text("id,name\na,1\n")
    Path(tmp_path / "few.csv").write_text("id,entity\na,1\nzz,1\n")
    ran = onoma(line)
    assert ran.code == code
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


@pytest.mark.usefixtures("files")
def test_quiet_says_only_the_answer(onoma):
    ran = onoma("evaluate gold.csv predicted.csv --json --quiet")
    assert ran.err == ""
    assert json.loads(ran.out)


M2 = "S The dogs barks\nA 2 3|||SVA|||bark|||REQUIRED|||-NONE-|||0\n\nS Fine .\n\n"


def test_edits_are_scored_by_max_match(onoma, tmp_path):
    Path(tmp_path / "gold.m2").write_text(M2)
    Path(tmp_path / "system.txt").write_text("The dogs bark\nFine !\n")
    ran = onoma("evaluate gold.m2 system.txt --edits --json")
    assert ran.code == 0
    found = ran.json
    assert (found["correct"], found["proposed"], found["gold"]) == (1, 2, 1)
    assert found["types"] == {"SVA": {"correct": 1, "gold": 1}}
    shown = onoma("evaluate gold.m2 gold.m2 --edits")
    assert "SVA" in shown.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evaluate gold.m2 few.txt --edits", "must pair up"),
        ("evaluate gold.m2 few.txt --edits --by state", "--by is for clusterings"),
        ("evaluate few.txt gold.m2 --edits", "begins with 'S '"),
    ],
)
def test_edits_that_cannot_be_scored(onoma, tmp_path, line, said):
    Path(tmp_path / "gold.m2").write_text(M2)
    Path(tmp_path / "few.txt").write_text("The dogs bark\n")
    ran = onoma(line)
    assert ran.code != 0
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_column_called_label_is_not_taken_for_the_answer(onoma):
    Path("a.csv").write_text("id,label\n1,x\n2,x\n")
    ran = onoma("evaluate a.csv a.csv")
    assert ran.code == 1 and "no column for the clusters" in ran.err
    assert onoma("evaluate a.csv a.csv --gold-column label --predicted-column label").code == 0


@pytest.mark.parametrize("target", ["out", "out.csv", "out.parquet"])
def test_the_output_of_resolve_is_read_whatever_the_ids_were_called(onoma, target):
    """A result has its ids in the column `id`; the table it was made from may call them anything."""
    assert onoma("simulate people 60 --seed 2 -o people.csv -q").code == 0
    text = Path("people.csv").read_text("utf-8")
    Path("gold.csv").write_text(text.replace("id,cluster_id,", "person_no,cluster_id,", 1), "utf-8")
    assert onoma(f"resolve gold.csv --id person_no -o {target} -q").code == 0
    predicted = f"{target}/memberships.parquet" if target == "out" else target
    ran = onoma(f"evaluate gold.csv {predicted} --id person_no --json")
    assert ran.code == 0, ran.err
    assert ran.json["b3"]["f1"] > 0.6 and not [note for note in ran.json.get("notes", []) if "not in the" in note]
    Path("rec.csv").write_text(text.replace("id,cluster_id,", "rec_id,cluster_id,", 1), "utf-8")
    assert onoma(f"evaluate rec.csv {predicted} --json").json["b3"] == ran.json["b3"]
