"""Rows in parts on one machine: what workers, cuts and spill files must not change."""

import multiprocessing
import threading
import time
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onoma.engines.engine import split_by_key
from onoma.engines.local import LocalEngine, _work_on_rows
from onoma.errors import DataError, SettingsError
from onoma.pipeline.distributed import Stepping, run_rounds
from onoma.resolve.contract import RunContext
from onoma.resolve.partitions.rounds import RoundSettings, fingerprint_counts
from reference.toy_rounds import SCHEMA, asleep, interrupted, mentions, move


def remainder(rows: pa.Table, *, by: int) -> pa.Array:
    return pa.array(rows["mention"].to_numpy() % by)


def told(partition: pa.Table, key: int) -> pa.Table:
    """Say in `name` which partition a row was in, and in `sub` its place there."""
    partition = partition.set_column(4, "name", pa.array(np.full(len(partition), key)))
    return partition.set_column(2, "sub", pa.array(np.arange(len(partition))))


@pytest.mark.parametrize("n_parts", [1, 3, 50])
def test_a_partition_has_all_rows_of_its_key_in_order(n_parts):
    table = mentions(100)
    shuffled = table.take(pa.array(np.random.default_rng(1).permutation(100)))
    with LocalEngine(2) as engine:
        met = engine.exchange(engine.spread(shuffled, n_parts), partial(remainder, by=7), ["mention"], 7)
        found = engine.gather(engine.map(met, told, SCHEMA), ["mention", "name", "sub", "weights"])
    ids = table["mention"].to_numpy()
    assert found["mention"].to_numpy().tolist() == ids.tolist()
    assert found["name"].to_numpy().tolist() == (ids % 7).tolist()
    assert found["sub"].to_pylist() == [int(np.count_nonzero(ids[:i] % 7 == ids[i] % 7)) for i in range(100)]
    assert found["weights"].equals(table["weights"])


def test_a_key_out_of_range_is_refused():
    with LocalEngine(1) as engine, pytest.raises(DataError, match="from 0 to 2"):
        engine.exchange(engine.spread(mentions(10), 1), partial(remainder, by=9), ["mention"], 3)


def test_partitions_without_rows_are_not_worked_on():
    with LocalEngine(1) as engine:
        met = engine.exchange(engine.spread(mentions(1), 1), partial(remainder, by=2), ["mention"], 2)
        assert len(met.parts) == 1


def test_each_and_tally_do_not_depend_on_the_cut():
    table = mentions(90)
    with LocalEngine(2) as engine:
        rows = [engine.spread(table, n) for n in (1, 4)]
        one, other = (engine.each(part, lambda each: each.select(["mention", "super"]), SUPERS) for part in rows)
        assert engine.gather(one, ["super"]).equals(engine.gather(other, ["super"]))
        sums = [engine.tally(part, fingerprint_counts, SCHEMA.names) for part in rows]
    assert sums[0].equals(sums[1])
    assert sums[0]["count"][0].as_py() == 90


SUPERS = pa.schema([SCHEMA.field("mention"), SCHEMA.field("super")])


def rounds(engine, table, folder):
    found = run_rounds(
        engine,
        lambda: engine.spread(table, 3),
        Stepping(move, SCHEMA, {}),
        RoundSettings(n_partitions=5, n_rounds=3, random_every=2),
        RunContext(seed=2),
        folder=folder,
    )
    return engine.gather(found.rows, SCHEMA.names), found.rows


def test_workers_and_their_kind_change_nothing(tmp_path):
    table = mentions(300, giant=0.3)
    with LocalEngine(1) as engine:
        expected, _ = rounds(engine, table, tmp_path / "one")
    with LocalEngine(4) as engine:
        assert rounds(engine, table, tmp_path / "four")[0].equals(expected)
    with LocalEngine(2, kind="processes") as engine:
        assert rounds(engine, table, tmp_path / "processes")[0].equals(expected)


def test_spilling_changes_nothing_and_leaves_nothing_behind(tmp_path):
    table = mentions(300)
    spill = tmp_path / "spill"
    spill.mkdir()
    with LocalEngine(2) as engine:
        expected, _ = rounds(engine, table, tmp_path / "memory")
    with LocalEngine(2, budget=table.nbytes // 4, spill=spill) as engine:
        rows = engine.spread(table, 6)
        assert table.nbytes // 2 < rows.n_spilled < table.nbytes
        files = sorted(spill.rglob("*.parquet"))
        assert files and sum(pq.read_metadata(path).num_rows for path in files) < 300
        found, kept = rounds(engine, table, tmp_path / "spilling")
        assert found.equals(expected)
        del rows, kept
        assert list(spill.iterdir()) == []


def test_a_step_that_fails_leaves_no_spill(tmp_path):
    def fail(partition: pa.Table, key: int) -> pa.Table:
        if key == 1:
            raise DataError("no")
        return partition

    with LocalEngine(1, budget=0, spill=tmp_path) as engine:
        met = engine.exchange(engine.spread(mentions(20), 1), partial(remainder, by=2), ["mention"], 2)
        before = set(tmp_path.iterdir())
        with pytest.raises(DataError, match="no"):
            engine.map(met, fail, SCHEMA)
        assert set(tmp_path.iterdir()) == before


def test_a_checkpoint_is_whole_and_comes_back(tmp_path):
    table = mentions(50)
    with LocalEngine(1) as engine:
        engine.checkpoint(engine.spread(table, 4), tmp_path / "one")
        engine.checkpoint(engine.spread(table.slice(0, 20), 1), tmp_path / "one")
        back = engine.restore(tmp_path / "one", SCHEMA)
        assert engine.gather(back, SCHEMA.names).equals(table.slice(0, 20).combine_chunks())
        assert [path.name for path in tmp_path.iterdir()] == ["one"]
        with pytest.raises(DataError, match="no checkpoint"):
            engine.restore(tmp_path / "two", SCHEMA)


def test_checkpoints_of_two_processes_do_not_meet(tmp_path):
    theirs = tmp_path / ".one.part"  # of another process, under the name that all once used
    theirs.mkdir()
    (theirs / "part-00000.parquet").write_text("half")
    (dead := tmp_path / ".one.999999999.part").mkdir()
    with LocalEngine(1) as engine:
        engine.checkpoint(engine.spread(mentions(5), 1), tmp_path / "one")
    assert (theirs / "part-00000.parquet").read_text() == "half"
    assert not dead.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".one.part", "one"]


def test_splitting_keeps_every_row_once():
    table = mentions(40)
    keys = np.random.default_rng(4).integers(0, 6, 40)
    parts = split_by_key(table, keys)
    assert [key for key, _ in parts] == sorted(set(keys.tolist()))
    for key, part in parts:
        assert part["mention"].to_pylist() == table["mention"].to_numpy()[keys == key].tolist()
    assert split_by_key(table.slice(0, 0), keys[:0]) == []


def test_no_workers_is_refused():
    with pytest.raises(SettingsError, match="at least one"):
        LocalEngine(0)


# Ctrl-C.


def test_processes_go_on_at_an_interrupt():
    with LocalEngine(1, kind="processes") as engine:
        rows = engine.each(engine.spread(mentions(10), 1), interrupted, SCHEMA)
        assert engine.gather(rows, ["mention"]).num_rows == 10


def test_an_interrupt_leaves_no_process_behind():
    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt), LocalEngine(1, kind="processes") as engine:
        engine._begin(partial(_work_on_rows, function=asleep, schema=SCHEMA), (0, (mentions(1),)))
        raise KeyboardInterrupt
    for child in set(multiprocessing.active_children()) - before:
        child.join(30)
        assert child.exitcode is not None


def test_an_interrupt_does_not_wait_for_threads():
    begun, let_go, ended = threading.Event(), threading.Event(), threading.Event()

    def wait(rows: pa.Table) -> pa.Table:
        begun.set()
        let_go.wait(60)
        ended.set()
        return rows

    with pytest.raises(KeyboardInterrupt), LocalEngine(1) as engine:
        engine._begin(partial(_work_on_rows, function=wait, schema=SCHEMA), (0, (mentions(1),)))
        assert begun.wait(60)
        raise KeyboardInterrupt
    assert not ended.is_set()
    let_go.set()
    assert ended.wait(60)


def test_closing_waits_for_what_is_under_way():
    begun, ended = threading.Event(), threading.Event()

    def work(rows: pa.Table) -> pa.Table:
        begun.set()
        time.sleep(0.05)
        ended.set()
        return rows

    with LocalEngine(1) as engine:
        engine._begin(partial(_work_on_rows, function=work, schema=SCHEMA), (0, (mentions(1),)))
        assert begun.wait(60)
    assert ended.is_set()
