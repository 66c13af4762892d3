"""What every command says to files that are missing, empty, folders, damaged, or in no folder: never a traceback."""

import shutil
from pathlib import Path

import duckdb
import pytest

LIVING = ("count {}", "show {} smith", "explain {} e1", "export {} -o ex", "history {}", "judge {} list", "review {}")
LIVING += ("judge {} same a b", "history {} e1", "lineage {} e1", "resolve one.csv --into {}")
TABLES = ("resolve {}", "convert {} out.parquet", "evaluate {} one.csv", "evaluate one.csv {}", "names {}")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a knowledge base, damaged copies of it, and things that are none."""
    from onoma.corpus.simulate import simulate_people
    from onoma.pipeline.output import write_outcome
    from onoma.pipeline.resolution import Job, run_job

    folder = tmp_path_factory.mktemp("made")
    good = folder / "good.duckdb"
    write_outcome(run_job(Job(table=simulate_people(60, seed=1))), good)
    whole = good.read_bytes()
    (folder / "cut.duckdb").write_bytes(whole[: len(whole) // 2])
    for name, sql in {"lacks": "DROP TABLE samples", "spoilt": r"UPDATE model SET value = '\xFF'::BLOB"}.items():
        shutil.copy(good, folder / f"{name}.duckdb")
        with duckdb.connect(str(folder / f"{name}.duckdb")) as connection:
            connection.execute(sql)
    for name in ("empty.duckdb", "empty.csv", "empty.txt"):
        (folder / name).write_text("")
    (folder / "one.csv").write_text("id,name,cluster_id\n1,Ann,a\n2,Anne,a\n")
    for name in ("folder", "folder.csv", "folder.duckdb"):
        (folder / name).mkdir()
    return folder


@pytest.fixture
def refused(onoma, made):
    """Run a line among those files; return what was said, or fail if it was not a refusal in our own words."""
    shutil.copytree(made, ".", dirs_exist_ok=True)

    def run(line, code=1):
        ran = onoma(line)
        assert ran.code == code, (line, ran.out, ran.err)
        assert ran.err.startswith("error "), ran.err
        assert "unforeseen" not in ran.err and "Traceback" not in ran.err and "Errno" not in ran.err
        return ran.err

    return run


@pytest.mark.parametrize("command", LIVING)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.duckdb", "there is no such file"),
        ("folder.duckdb", "is a folder"),
        ("empty.duckdb", "is no knowledge base"),
        ("cut.duckdb", "is no knowledge base, or a damaged one"),
        ("lacks.duckdb", "is a damaged knowledge base: it lacks the table samples"),
    ],
)
def test_no_knowledge_base(refused, command, name, said):
    told = refused(command.format(name))
    assert f"{name}: {said}" in told
    assert "\ntry " in told


def test_a_table_is_no_knowledge_base(refused):
    hint = "If it is a table, make one of it: onoma resolve one.csv -o one.duckdb"
    assert f"it is no file of DuckDB\ntry   {hint}" in refused("count one.csv")


@pytest.mark.parametrize("command", ["explain {} e1", "judge {} same a b", "review {}", "resolve one.csv --into {}"])
def test_a_knowledge_base_with_a_spoilt_model(refused, command):
    before = Path("spoilt.duckdb").read_bytes()
    assert "is a damaged knowledge base: " in refused(command.format("spoilt.duckdb"))
    assert Path("spoilt.duckdb").read_bytes() == before


@pytest.mark.parametrize("command", TABLES)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.csv", "no such file"),
        ("folder", "is a folder, not a file"),
        ("folder.csv", "is a folder, not a file"),
        ("empty.csv", "is empty"),
    ],
)
def test_no_table(refused, command, name, said):
    assert f"{name}: {said}" in refused(command.format(name))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("names missing.txt", "missing.txt: no such file"),
        ("names empty.txt", "empty.txt: there are no names in it"),
        ("lineage empty.txt e1", "empty.txt: there are no names in it"),
        ("lineage good.duckdb nobody", "onoma show KB NAME finds entities"),
        ("resolve one.csv --weights missing.json", "missing.json: no such file"),
        ("resolve one.csv --settings missing.toml", "there is no such file; a file of settings is TOML"),
        ("resolve one.csv --settings folder", "folder: cannot be read"),
        ("resolve one.csv --settings one.csv", "one.csv: is not TOML"),
        ("resolve missing.parquet --model cross-document --engine local -o out.csv", "missing.parquet: no such file"),
        ("convert good.duckdb out.csv", "onoma export KB -o FOLDER"),
        ("export good.duckdb -o one.csv", "one.csv: is a file; several files are written, into a folder"),
    ],
)
def test_other_files(refused, line, said):
    assert said in refused(line)


@pytest.mark.parametrize(
    "line",
    [
        "resolve one.csv -o no/out.csv",
        "resolve one.csv -o no/out.duckdb",
        "resolve one.csv --model cross-document --engine local -o no/out.csv",
        "names one.csv -o no/out.csv",
        "convert one.csv no/out.parquet",
        "simulate people 10 -o no/out.csv",
        "lineage good.duckdb e1 --svg no/out.svg",
        "explain good.duckdb e1 --picture no/out.svg",
        "export good.duckdb --format ntriples -o no/out.nt",
    ],
)
def test_no_folder_to_write_to(refused, line):
    told = refused(line)
    assert "cannot be written: there is no folder no\ntry   Make it first: mkdir -p no" in told
    assert not Path("no").exists()


def test_an_output_that_cannot_be_is_refused_before_the_work(refused, monkeypatch):
    for name in ("onoma.cli.resolve.run_job", "onoma.cli.names.cluster_names"):
        monkeypatch.setattr(name, lambda *_, **__: pytest.fail("it began to work"))
    refused("resolve one.csv -o no/out.csv")
    refused("names one.csv -o no/out.csv")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("citty = 'Leeds'", "citty"),
        ("city = ", "syntax error"),
        ("city > 3", "VARCHAR"),
        ("true) OR (true; DROP TABLE meta", "syntax error"),
        ("", "is not understood"),
    ],
)
def test_a_condition_that_is_not_understood(refused, where, said):
    told = refused(f'count good.duckdb --where "{where}"', code=2)
    assert said in told
    assert "the columns are entity, probability, id, cluster_id, given_name" in told
    assert "given_name = '" in told and "onoma_" not in told


def test_the_example_of_a_condition_works(onoma, refused):
    told = refused('count good.duckdb --where "shoes"', code=2)
    example = told.rpartition(": ")[2].strip()
    assert onoma(f'count good.duckdb --where "{example} -- as told" --json').json["entities"] > 0
