"""`onoma resolve --engine … --partitions …`."""

import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from onoma.corpus.simulate.links import simulate_links
from onoma.resolve.partitions import carrier as distributed


@pytest.fixture
def people(onoma):
    """A table of people in the folder where the command runs."""
    assert onoma("simulate people 150 --seed 2 -o people.csv -q").code == 0
    return "people.csv"


def test_partitions_decide_the_answer_and_engines_do_not(onoma, people):
    options = {"a": "--engine local[1] --partitions 3", "b": "--partitions 3", "c": "--engine local[4] --partitions 3"}
    for name, said in options.items():
        ran = onoma(f"resolve {people} {said} --truth cluster_id -o {name}.csv --json")
        assert ran.code == 0, ran.err
        assert ran.json["metrics"]["b3"]["f1"] > 0.9
        assert "partitions = 3" in ran.json["settings"]
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes() == Path("c.csv").read_bytes()


def test_an_engine_alone_has_eight_partitions(onoma, people):
    ran = onoma(f"resolve {people} --engine local[2] --json")
    assert ran.code == 0, ran.err
    assert "partitions = 8" in ran.json["settings"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--engine magic", "there is no engine 'magic'"),
        ("--engine local[0]", "at least one"),
        ("--model pairwise --partitions 2", "the model pairwise takes no --partitions"),
        (
            "--model hierarchical --labels cluster_id --partitions 2",
            "does not take --labels and --partitions",
        ),
        ("--partitions 2 --into kb.duckdb", "leave out --partitions"),
        ("--engine local --into kb.duckdb", "leave out --"),
    ],
)
def test_what_cannot_be_is_said(onoma, people, options, said):
    ran = onoma(f"resolve {people} {options}")
    assert ran.code != 0
    assert said in ran.err


def test_mentions_give_the_same_bytes_with_and_without_an_engine(onoma):
    """One product: the same columns and bytes, in a table, in a folder and in a knowledge base."""
    pq.write_table(simulate_links(600, seed=1), "mentions.parquet")
    line = "resolve mentions.parquet --model cross-document --rounds 2 --truth cluster_id"
    for name, said in {"a": "", "b": "--partitions 1", "c": "--engine local[2] --partitions 1"}.items():
        ran = onoma(f"{line} {said} -o {name} --json")
        assert ran.code == 0, ran.err
        assert ran.json["rows"] == 600 and ran.json["metrics"]["b3"]["f1"] > 0.5
    tables = [path.name for path in Path("a").glob("*.parquet")]
    assert {"memberships.parquet", "entities.parquet", "pairs.parquet"} == {*tables}
    for other in "bc":
        assert all(Path("a", name).read_bytes() == Path(other, name).read_bytes() for name in tables)
    assert pq.read_table("a/memberships.parquet").column_names == ["id", "entity", "probability"]
    ran = onoma(f"{line} --engine processes[2] --partitions 2 -o two.csv -q")
    assert ran.code == 0, ran.err
    assert onoma(f"{line} --partitions 2 -o again.csv -q").code == 0
    assert Path("again.csv").read_bytes() == Path("two.csv").read_bytes()
    assert onoma(f"{line} --engine local[2] --partitions 2 -o kb.duckdb -q").code == 0
    assert "takes no --block" in onoma(f"{line} --block name -o out.csv").err
    assert "takes no --rounds" in onoma("resolve mentions.parquet --model copying --rounds 2").err


# Ctrl-C.

LINE = "resolve mentions.parquet --model cross-document --engine local[2] --partitions 2 --rounds 4"


@pytest.fixture
def whole(onoma):
    """What a run gives that nobody stops."""
    pq.write_table(simulate_links(400, seed=1), "mentions.parquet")
    assert onoma(f"{LINE} -o whole.csv -q").code == 0
    return Path("whole.csv").read_bytes()


@pytest.fixture
def pressed(monkeypatch):
    """Press Ctrl-C some times in the second round that is run."""
    real, seen = distributed.run_step, []

    def press(times):
        def step(part, key, **settings):
            seen.append(settings["round"])
            if seen.count(settings["round"]) == 1 and len(set(seen)) == 2:
                for _ in range(times):
                    signal.raise_signal(signal.SIGINT)
            return real(part, key, **settings)

        monkeypatch.setattr(distributed, "run_step", step)

    return press


def test_a_run_in_rounds_that_is_stopped_goes_on(onoma, whole, pressed):
    pressed(1)
    ran = onoma(f"{LINE} -o out.csv")
    assert ran.code == 130
    assert "the same command with --resume goes on" in ran.out
    assert Path("out.csv").read_bytes() != whole
    assert onoma(f"{LINE} -o out.csv --resume").code == 0
    assert Path("out.csv").read_bytes() == whole
    assert not Path("out.csv.rounds").exists() and not Path("out.csv.resume.npz").exists()


def test_records_in_partitions_stop_at_once(onoma, people, monkeypatch):
    def press(*_arguments, **_settings):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("onoma.resolve.models.copying.partitions.sample_copies", press)
    ran = onoma(f"resolve {people} --engine local[2] --partitions 2 -o out.csv")
    assert ran.code == 130
    assert "stopped at once: nothing was written; the same command begins anew" in ran.err
    assert not Path("out.csv").exists()
