"""`onoma resolve --engine … --partitions …`."""

import signal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from onoma.corpus.simulate.links import simulate_links
from onoma.pipeline import distributed, distributed_mentions


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
        ("--model pairwise --partitions 2", "the model pairwise is not done in partitions"),
        ("--model hierarchical --labels cluster_id --partitions 2", "hierarchical with labels is not done"),
        ("--partitions 2 --into kb.duckdb", "leave out --partitions"),
        ("--engine local --into kb.duckdb", "leave out --"),
    ],
)
def test_what_cannot_be_is_said(onoma, people, options, said):
    ran = onoma(f"resolve {people} {options}")
    assert ran.code != 0
    assert said in ran.err


def test_mentions_on_an_engine(onoma):
    pq.write_table(simulate_links(600, seed=1), "mentions.parquet")
    line = "resolve mentions.parquet --model cross-document --engine local[2] --partitions 2 --rounds 2"
    ran = onoma(f"{line} --truth cluster_id -o out.csv --json")
    assert ran.code == 0, ran.err
    assert ran.json["rows"] == 600 and ran.json["rounds"] == 2
    assert ran.json["metrics"]["b3"]["f1"] > 0.5
    assert Path("out.csv").read_text().startswith("id,entity\n")
    told = onoma(f"{line} --truth cluster_id -o out.csv")
    assert told.code == 0 and "600 mentions" in told.out and "b3" in told.out
    again = onoma(f"{line.replace('--engine local[2] ', '')} -o again.csv -q")
    assert again.code == 0, again.err
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()
    assert "need a table" in onoma(line).err
    assert "takes no --block" in onoma(f"{line} --block name -o out.csv").err
    assert "--rounds is for" in onoma("resolve mentions.parquet --rounds 2").err


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
    assert not Path("out.csv.rounds").exists()


def test_a_run_in_rounds_that_is_stopped_at_once_goes_on(onoma, whole, monkeypatch):
    real = distributed.write_manifest

    def write(folder, manifest):
        real(folder, manifest)
        if manifest.n_done == 2:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(distributed, "write_manifest", write)
    ran = onoma(f"{LINE} -o out.csv")
    assert ran.code == 130
    assert "stopped at once: 2 rounds are kept in" in ran.err
    assert "the same command with --resume goes on" in ran.err
    assert not Path("out.csv").exists()
    assert onoma(f"{LINE} -o out.csv --resume").code == 0
    assert Path("out.csv").read_bytes() == whole


@pytest.mark.usefixtures("whole")
def test_nothing_is_kept_of_a_run_without_a_round(onoma, monkeypatch):
    real = distributed_mentions.run_rounds

    def press(*arguments, **settings):
        signal.raise_signal(signal.SIGINT)
        return real(*arguments, **settings)

    monkeypatch.setattr(distributed_mentions, "run_rounds", press)
    ran = onoma(f"{LINE} -o out.csv")
    assert ran.code == 130
    assert "stopped at once: no round was done, so nothing is kept" in ran.err
    assert not Path("out.csv.rounds").exists()
    ran = onoma(f"{LINE} -o out.csv --resume")
    assert ran.code == 1 and "Leave out --resume" in ran.err


def test_records_in_partitions_stop_at_once(onoma, people, monkeypatch):
    def press(*_arguments, **_settings):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("onoma.resolve.models.copying.model.sample_copies", press)
    ran = onoma(f"resolve {people} --engine local[2] --partitions 2 -o out.csv")
    assert ran.code == 130
    assert "stopped at once: nothing was written; the same command begins anew" in ran.err
    assert not Path("out.csv").exists()
