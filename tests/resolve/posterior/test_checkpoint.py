"""A stopped run on disk is the stopped run."""

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError
from onoma.resolve.api import resolve
from onoma.resolve.comparison.weights import Weights
from onoma.resolve.config import ResolveConfig
from onoma.resolve.models.copying import model
from onoma.resolve.posterior import copying
from onoma.resolve.posterior.checkpoint import Checkpoint, fingerprint, read_checkpoint, write_checkpoint
from onoma.resolve.posterior.sampling import Stopped, Tally
from reference.stops import StopAfter

SHORT = ResolveConfig(samples=10, burn_in=3)


@pytest.fixture(scope="module")
def people():
    return simulate_people(150, seed=5)


@pytest.fixture
def stopped(people, monkeypatch):
    monkeypatch.setattr(copying, "_WORTH_THREADS", 0)  # as in large tables: looks after every sweep
    monkeypatch.setenv("ONOMA_THREADS", "2")  # one thread alone looks later
    monkeypatch.setattr(copying, "_WORTH_MEETING", 0)
    return resolve(people, config=SHORT, stop=StopAfter(7))


def test_written_and_read(tmp_path, stopped):
    path = tmp_path / "x.npz"
    write_checkpoint(path, stopped.checkpoint, {"table": "abc"})
    found, about = read_checkpoint(path)
    assert about == {"table": "abc"}
    assert found.stopped.tally.n_done == 7
    for name in ("counts", "n_entities", "roots"):
        one, other = (getattr(each.stopped.tally, name) for each in (found, stopped.checkpoint))
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    for part in dataclasses.fields(found.weights):
        assert np.array_equal(getattr(found.weights, part.name), getattr(stopped.checkpoint.weights, part.name))
    assert set(found.stopped.state) == set(stopped.checkpoint.stopped.state)


def test_it_goes_on_to_the_same_bytes(tmp_path, people, stopped):
    write_checkpoint(tmp_path / "x.npz", stopped.checkpoint, {})
    on = resolve(people, config=SHORT, resume=read_checkpoint(tmp_path / "x.npz")[0])
    whole = resolve(people, config=SHORT)
    assert on.checkpoint is None
    assert on.memberships.equals(whole.memberships)
    assert on.pairs(0.0).equals(whole.pairs(0.0))
    assert on.weights().equals(whole.weights())


def test_things_that_were_counted_are_kept(tmp_path, people, monkeypatch):
    monkeypatch.setattr(model, "BEGIN", -1.0)  # counted, however little it moves
    for name in ("_WORTH_THREADS", "_WORTH_MEETING"):
        monkeypatch.setattr(copying, name, 0)
    monkeypatch.setenv("ONOMA_THREADS", "2")
    write_checkpoint(tmp_path / "x.npz", resolve(people, config=SHORT, stop=StopAfter(7)).checkpoint, {})
    kept = read_checkpoint(tmp_path / "x.npz")[0]
    assert [len(each) for each in kept.things] == [len(each.counts) for each in resolve(people).fields.fields]
    whole = resolve(people, config=SHORT)
    assert resolve(people, config=SHORT, resume=kept).pairs(0.0).equals(whole.pairs(0.0))
    cut = dataclasses.replace(kept, things=tuple(each[:-1] for each in kept.things))
    with pytest.raises(DataError, match="compared other values"):
        resolve(people, config=SHORT, resume=cut)


def test_other_pairs_are_refused(people, stopped):
    with pytest.raises(DataError, match="compared other pairs"):
        resolve(people.slice(3), config=SHORT, resume=stopped.checkpoint)


def test_other_levels_of_the_same_pairs_are_refused(people, stopped):
    place = people.column_names.index("surname")
    changed = people.set_column(place, "surname", people["surname"].take(list(range(149, -1, -1))))
    with pytest.raises(DataError, match="compared other pairs"):
        resolve(changed, config=SHORT, resume=stopped.checkpoint)


def test_no_code_is_read(tmp_path):
    np.savez(tmp_path / "x.npz", header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="not the file of a stopped run"):
        read_checkpoint(tmp_path / "x.npz")


def test_another_version(tmp_path, stopped, monkeypatch):
    write_checkpoint(tmp_path / "x.npz", stopped.checkpoint, {})
    monkeypatch.setattr("onoma.resolve.posterior.checkpoint.VERSION", 9)
    with pytest.raises(DataError, match="is of version 2; this Onoma reads 9"):
        read_checkpoint(tmp_path / "x.npz")


def test_what_a_fingerprint_sees():
    table = pa.table({"a": ["x", "y"], "b": [1, 2]})
    others = [
        table.rename_columns(["a", "c"]),
        table.set_column(1, "b", pa.array([1.0, 2.0])),
        table.set_column(1, "b", pa.array([1, 3])),
        table.take([1, 0]),
        table.select(["b", "a"]),
    ]
    assert len({fingerprint(each) for each in [table, *others]}) == 6
    assert fingerprint(table.replace_schema_metadata({"k": "v"})) == fingerprint(table)
    assert fingerprint(pa.table({"v": [[1.0], None]})) != fingerprint(pa.table({"v": [[1.0], []]}))


def test_what_lies_where_a_value_is_missing_does_not_matter():
    known = pa.py_buffer(b"\x01")
    one, other = (
        pa.Array.from_buffers(pa.int64(), 2, [known, pa.py_buffer(np.array([7, hidden]).tobytes())])
        for hidden in (1, 2)
    )
    assert one.to_pylist() == [7, None]
    assert fingerprint(pa.table({"a": one})) == fingerprint(pa.table({"a": other}))


def test_an_index_that_leads_out_of_the_weights_is_refused(tmp_path: Path):
    parent = np.array([2**63 - 1, 0], dtype=np.int64)
    weights = Weights(parent, np.zeros((3, 2, 4, 3)), np.zeros((2, 4)), 1e-3, 0.0, np.array([3, 3]))
    tally = Tally(1, np.ones((4, 5), np.uint32), np.ones(2, np.int64), np.zeros((2, 6), np.int32))
    write_checkpoint(tmp_path / "x.npz", Checkpoint(weights, Stopped(tally, {"time": np.arange(6)}, "of")), {})
    with pytest.raises(DataError, match="do not fit each other"):
        read_checkpoint(tmp_path / "x.npz")
