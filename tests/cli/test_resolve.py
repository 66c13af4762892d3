import json
import signal
import tomllib
from pathlib import Path

import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate import simulate_people
from onoma.extract.columns import open_extractor
from onoma.kb.database import read_knowledge_base
from onoma.resolve.posterior import copying, sampling


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
    assert table.column_names[:3] == ["id", "entity", "probability"]
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


def test_a_folder_is_written_the_same_each_time(onoma, people):
    contents = []
    for _ in range(2):
        assert onoma(f"resolve {people} -o out --truth cluster_id --quiet").code == 0
        contents.append({path.name: path.read_bytes() for path in Path("out").iterdir() if path.name != "summary.json"})
    assert contents[0] == contents[1]
    assert len(contents[0]) == 5


def test_two_files_are_linked(onoma, people):
    lines = Path(people).read_text("utf-8").splitlines()
    for name, part in (("old.csv", lines[1::2]), ("new.csv", lines[2::2])):
        Path(name).write_text("\n".join([lines[0], *part]) + "\n", "utf-8")
    ran = onoma("resolve old.csv new.csv --link -o links.csv --truth cluster_id --json")
    assert ran.code == 0
    assert ran.json["metrics"]["b3"]["f1"] > 0.6
    table = read_table("links.csv").table
    assert table.column_names[:4] == ["source", "id", "entity", "probability"]
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
    assert "1 row, 1 entity\n" in ran.out
    assert "0 rows are less than 90 %" in ran.out


def test_a_database_is_written(onoma, people):
    ran = onoma(f"resolve {people} -o out.duckdb")
    assert ran.code == 0
    assert "written: out.duckdb" in ran.out
    again = onoma(f"resolve {people} -o out.duckdb")
    assert again.code == 0
    assert "will be replaced" in again.err
    assert [path.name for path in Path().glob("out*")] == ["out.duckdb"]


def test_the_reach_of_the_canopies_is_told(onoma, people):
    found = onoma(f"resolve {people} --json").json
    assert 0.9 < found["canopy_recall"]["found"] <= 1.0
    assert found["hot_features"] >= 0
    assert "estimated blocking recall: about" in onoma(f"resolve {people}").out


# Settings.


def test_settings_in_a_file(onoma, people):
    Path("job.toml").write_text('seed = 3\nmerge_cost = 0.7\nexclude = ["phone"]\n[kinds]\ncity = "ignore"\n', "utf-8")
    found = onoma(f"resolve {people} --settings job.toml --json").json
    assert found["seed"] == 3
    assert "phone" not in {*found["fields"], *found["ignored"]}
    assert "city" in found["ignored"]
    told = onoma(f"resolve {people} --settings job.toml --seed 4 --exclude email --field street=text --json").json
    assert told["seed"] == 4
    assert "phone" in told["fields"]
    assert "email" not in told["fields"]
    assert told["fields"]["street"]["kind"] == "text"
    assert "city" in told["ignored"]


def test_the_settings_printed_repeat_the_run(onoma, people):
    line = (
        f"resolve {people} --seed 5 --exclude phone --field city=ignore --also-compare surname,state --merge-cost 0.8"
    )
    first = onoma(f"{line} -o one.csv --json").json
    Path("again.toml").write_text(first["settings"], "utf-8")
    second = onoma(f"resolve {people} --settings again.toml -o two.csv --json").json
    assert second["settings"] == first["settings"]
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


def test_a_file_can_be_overruled(onoma, people):
    Path("job.toml").write_text('link = true\nsource = "state"\n', "utf-8")
    assert onoma(f"resolve {people} --settings job.toml --json").code == 0
    assert "different sources" not in onoma(f"resolve {people} --settings job.toml --no-link").out


# Odd input.


def test_rows_that_repeat_an_id_can_be_rejected(onoma):
    Path("twice.csv").write_text("id,name\n1,Ann Smith\n1,Bob Jones\n2,Cyd Brown\n", "utf-8")
    ran = onoma("resolve twice.csv --on-error reject -o out.csv")
    assert ran.code == 0
    assert "2 rows, 2 entities" in ran.out
    assert "1 row had no id of its own" in ran.err
    assert read_table("out.rejects.csv").table["row"].to_pylist() == [2]


def test_rows_in_another_encoding_can_be_rejected(onoma):
    Path("mixed.csv").write_bytes("id,name\n1,Müller\n".encode() + "2,Müller\n".encode("cp1252") + b"3,Smith\n")
    ran = onoma("resolve mixed.csv --on-error reject -o out.csv")
    assert ran.code == 0
    assert "2 rows, 2 entities" in ran.out
    assert len(read_table("out.rejects.csv").table) == 1


def test_two_columns_of_one_name(onoma):
    Path("a.csv").write_text("id,name,name\n1,Ann,Smith\n2,Bob,Jones\n3,Bob,Smith\n", "utf-8")
    ran = onoma("resolve a.csv")
    assert ran.code == 0
    assert "was called 'name_2'" in ran.err


# Ctrl-C.


@pytest.fixture
def pressed(monkeypatch):
    """Press Ctrl-C after the n-th sample."""
    monkeypatch.setattr(copying, "_WORTH_THREADS", 0)  # as in large tables: looks after every sweep
    monkeypatch.setenv("ONOMA_THREADS", "2")  # one thread alone looks later
    monkeypatch.setattr(copying, "_WORTH_MEETING", 0)
    real, seen = sampling._run, []

    def press(n):
        def run(chain, n_sweeps, n_kept, watch):
            def watched(n_entities):
                seen.append(n_entities)
                if n_kept and len(seen) == n + 30:
                    signal.raise_signal(signal.SIGINT)
                return watch(n_entities)

            return real(chain, n_sweeps, n_kept, watched)

        monkeypatch.setattr(sampling, "_run", run)

    return press


@pytest.mark.parametrize("target", ["out.csv", "out", "out.duckdb"])
def test_stopped_and_resumed(onoma, people, pressed, target):
    pressed(7)
    ran = onoma(f"resolve {people} -o {target}")
    assert ran.code == 130
    assert "stopped early: this is the answer of 7 samples of 100" in ran.out
    assert "stopping after this sweep" in ran.err
    assert "Traceback" not in ran.err
    left = Path("out/resume.npz") if target == "out" else Path(f"{target}.resume.npz")
    assert left.is_file()
    if target == "out":
        assert json.loads(Path("out/summary.json").read_text("utf-8"))["interrupted"]
        assert "stopped early" in Path("out/report.html").read_text("utf-8")
    assert onoma(f"resolve {people} -o {target} --resume --seed 1").code == 2
    ran = onoma(f"resolve {people} -o {target} --resume")
    assert ran.code == 0
    assert not left.exists()
    if target == "out.csv":
        assert onoma(f"resolve {people} -o whole.csv --json").json["samples"] == 100
        assert Path("out.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_stopped_without_a_place_to_write(onoma, people, pressed):
    pressed(2)
    ran = onoma(f"resolve {people} --json")
    assert ran.code == 130
    assert ran.json["interrupted"]
    assert ran.json["samples"] == 2
    assert not list(Path().glob("*.npz"))


def test_stopped_before_there_is_an_answer(onoma, people, monkeypatch):
    def interrupted(*_, **__):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("onoma.resolve.posterior.pairs.find_candidates", interrupted)
    ran = onoma(f"resolve {people} -o out.csv")
    assert ran.code == 130
    assert "Traceback" not in ran.err
    assert not list(Path().glob("out*"))


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
        ("resolve a.csv --one-to-one", 2, "one-to-one is for linking"),
        ("resolve a.csv --exclude town", 2, "there is no column 'town'"),
        ("resolve a.csv --also-compare name,town", 2, "there is no column 'town'"),
        ("resolve a.csv --also-compare ,", 2, "also_compare"),
        ("resolve a.csv --resume", 2, "--resume needs the output"),
        ("resolve a.csv -o out.csv --resume", 1, "there is nothing to resume"),
        ("resolve a.csv --settings no.toml", 1, "no.toml"),
        ("resolve a.csv --settings bad.toml", 2, "bad.toml: there is no option 'sed'; there are id, "),
        ("resolve a.csv --settings bad.toml", 2, "Did you mean 'seed'?"),
        ("resolve mixed.csv", 1, "row 3, column 'name': has the byte 0xFC, which is not UTF-8"),
        ("resolve mixed.csv", 1, "choose --on-error reject"),
        ("resolve a.csv -o notes.duckdb", 1, "was not written by onoma resolve"),
        ("resolve a.csv a.csv --source id", 2, "several files are sources already"),
        ("resolve a.csv --field name", 2, "COLUMN=KIND"),
        ("resolve a.csv --field name=animal", 2, "animal"),
        ("resolve a.csv --field nope=text", 2, "no column 'nope'"),
        ("resolve a.csv --merge-cost 2", 2, "merge-cost"),
        ("resolve a.csv --seed -1", 2, "seed"),
        ("resolve twice.csv", 1, "which record 1 has already"),
        ("resolve empty.csv", 1, "no rows"),
        ("resolve a.csv -o out.nope", 1, "'.nope' is not written"),
        ("resolve a.csv -o out.bib", 1, "'.bib' is not written"),
    ],
)
def test_errors(onoma, line, code, said):
    Path("a.csv").write_text("id,name\n1,Ann Smith\n2,Bob Jones\n", "utf-8")
    Path("twice.csv").write_text("id,name\n1,Ann Smith\n1,Bob Jones\n", "utf-8")
    Path("empty.csv").write_text("id,name\n", "utf-8")
    Path("bad.toml").write_text("sed = 1\n", "utf-8")
    Path("mixed.csv").write_bytes("id,name\n1,Müller\n".encode() + "2,Müller\n".encode("cp1252"))
    Path("notes.duckdb").write_text("mine", "utf-8")
    ran = onoma(line)
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert "Traceback" not in ran.err
    assert not list(Path().glob("out*"))


def test_the_table_carries_the_rows_as_they_came(onoma):
    """And evaluate reads it, whatever the ids were called; `id`, `entity` and `probability` are always there."""
    people = simulate_people(60, seed=3)
    for key in ("id", "rec_id", "person_id"):
        names = [key if name == "id" else name for name in people.column_names]
        write_table(people.rename_columns(names), "people.csv")
        assert onoma("resolve people.csv -o who.csv --quiet").code == 0
        found = read_table("who.csv").table
        assert found.column_names[:3] == ["id", "entity", "probability"]
        assert {*names} <= {*found.column_names}
        assert found["surname"].to_pylist() == people["surname"].to_pylist()
        ran = onoma("evaluate people.csv who.csv --json")
        assert ran.code == 0, ran.err
        assert ran.json["b3"]["f1"] > 0.9


def test_a_column_that_is_the_answer_is_listed(onoma):
    write_table(simulate_people(60, seed=3), "people.csv")
    ran = onoma("resolve people.csv --json")
    assert ran.json["ignored"]["cluster_id"] == "by its name it is the answer, and no evidence"
    assert "cluster_id" not in ran.json["fields"]


def test_a_bibliography_is_resolved(onoma):
    entries = (
        f"@book{{k{i}, author = {{{name}}}, title = {{T{i}}}}}\n" for i, name in enumerate(["Ada Lee", "Bo Roe"] * 8)
    )
    Path("refs.bib").write_text("".join(entries))
    assert onoma("resolve refs.bib -o who.csv --json").json["rows"] == 16


def test_a_quiet_run_that_writes_one_table_estimates_nothing(onoma, monkeypatch):
    assert onoma("simulate people 60 --seed 2 -o people.csv -q").code == 0
    monkeypatch.setattr("onoma.resolve.quality.recall.estimate_recall", lambda *_: pytest.fail("nobody asked"))
    assert onoma("resolve people.csv -o out.csv --quiet").code == 0


@pytest.fixture
def references(onoma):
    rows = ["id,reference", '1,"A. Cau. Formalising a development strategy. Springer, 1992."']
    rows += [
        '2,"Cau, A., Formalising a development strategy, Springer 1992"',
        '3,"P. Wadler. Linear types. MIT, 1990."',
    ]
    Path("refs.csv").write_text("\n".join(rows) + "\n", "utf-8")


def test_raw_references_are_parsed_first(onoma, references):
    found = onoma("resolve refs.csv --parse reference=citation --no-check --json").json
    assert {"author", "title"} <= set(found["fields"]) and "reference" not in found["fields"]
    Path("job.toml").write_text(found["settings"], "utf-8")
    assert tomllib.loads(found["settings"])["parse"] == {"reference": "citation"}
    again = onoma("resolve refs.csv --settings job.toml --json").json
    assert again["fields"] == found["fields"] and again["settings"] == found["settings"]


def test_a_knowledge_base_parses_next_weeks_references_too(onoma, references):
    assert onoma("resolve refs.csv --parse reference=citation --no-check -o refs.duckdb -q").code == 0
    Path("new.csv").write_text('id,reference\n4,"P. Wadler. Linear types. MIT, 1990."\n', "utf-8")
    added = onoma("resolve new.csv refs.csv --into refs.duckdb --json")
    assert added.code == 0, added.err
    assert added.json["added"] == 1 and added.json["unchanged"] == 3, "those that are there are parsed alike"
    shown = onoma("show refs.duckdb Wadler --json")
    assert shown.code == 0, shown.err
    with read_knowledge_base(Path("refs.duckdb")) as base:
        rows = base.rows("SELECT author, title FROM records WHERE id IN ('3', '4')")
    assert len(rows) == 2 and rows[0] == rows[1] and "Wadler" in rows[0][0]


def test_the_folder_of_an_extractor_is_spared(onoma, references):
    open_extractor("citations").save(Path("mine"))
    before = {path.name: path.read_bytes() for path in Path("mine").iterdir()}
    Path("job.toml").write_text('parse = {reference = "mine"}\n', "utf-8")
    for line in ("--parse reference=mine", "--settings job.toml"):
        ran = onoma(f"resolve refs.csv {line} -o mine")
        assert ran.code != 0 and "is read by this very command" in ran.err
    assert {path.name: path.read_bytes() for path in Path("mine").iterdir()} == before
    assert onoma("resolve refs.csv --parse reference=mine --no-check -o out.csv -q").code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("resolve people.csv --parse surname", "COLUMN=WHAT"),
        ("resolve people.csv --parse nobody=citation", "no column 'nobody'"),
        ("resolve people.csv --parse surname=poem", "which is no folder"),
        ("resolve people.csv --parse surname=citation --into kb.duckdb", "leave out --parse"),
    ],
)
def test_what_cannot_be_parsed(onoma, people, line, said):
    ran = onoma(line)
    assert ran.code != 0 and said in ran.err
