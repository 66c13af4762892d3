"""Mentions in files, in rounds on an engine."""

import contextlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onoma.corpus.simulate.links import simulate_links
from onoma.errors import DataError, SettingsError
from onoma.pipeline.carriers import open_engine
from onoma.pipeline.distributed_mentions import MentionColumns, resolve_mentions
from onoma.resolve.contract import RunContext
from onoma.resolve.partitions.rounds import RoundSettings

ROUNDS = RoundSettings(n_partitions=3, n_rounds=4)


@pytest.fixture
def mentions(tmp_path):
    path = tmp_path / "mentions.parquet"
    pq.write_table(simulate_links(1_500, seed=3), path)
    return path


def go(mentions, folder, *, engine="local[2]", files=None, columns=None, **changed):
    """Resolve with the manifest and checkpoints in a folder beside the mentions."""
    columns = columns or MentionColumns.of_schema(pq.read_schema(mentions), truth="cluster_id")
    with open_engine(engine) as opened:
        return resolve_mentions(
            opened, files or [mentions], columns, folder=mentions.with_name(folder), rounds=ROUNDS, **changed
        )


def test_rounds_find_more_than_names_do(mentions):
    found = go(mentions, "rounds")
    assert found.manifest.rounds[0].n_entities > 1.2 * found.clustering.n_entities  # it begins with names
    assert found.evaluation.as_dict()["b3"]["f1"] > 0.6
    assert sorted(found.memberships["id"].to_pylist()) == sorted(pq.read_table(mentions)["id"].to_pylist())


def test_engines_and_files_change_nothing(mentions):
    one = go(mentions, "one", engine="local[1]").memberships
    assert go(mentions, "four", engine="local[4]").memberships.equals(one)
    table = pq.read_table(mentions)
    halves = [mentions.with_name(f"half-{k}.parquet") for k in range(2)]
    for path, start in zip(halves, (0, 700), strict=True):
        pq.write_table(table.slice(start, 700 if start == 0 else None), path)
    assert go(mentions, "both", files=halves).memberships.equals(one)


def test_documents_are_evidence(mentions):
    table = pq.read_table(mentions)
    document = pa.array([f"d{k // 5}" for k in range(len(table))])
    pq.write_table(table.append_column("document", document), mentions)
    assert go(mentions, "rounds").manifest.schema.count("document") == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.drop_columns(["context"]), "no column of text around"),
        (lambda table: table.drop_columns(["id"]), "lacks the column 'id'"),
        (lambda table: table.set_column(0, "id", pa.array(["x"] * len(table))), "two mentions .* have one number"),
    ],
)
def test_what_is_wrong_is_said(mentions, change, said):
    pq.write_table(change(pq.read_table(mentions)), mentions)
    with pytest.raises((DataError, SettingsError), match=said):
        go(mentions, "rounds")


def test_columns_go_by_other_names_and_a_name_may_be_missing(mentions):
    table = pq.read_table(mentions).slice(0, 300)
    expected = go(mentions, "expected")
    pq.write_table(pq.read_table(mentions).rename_columns({"name": "Anchor", "context": "Snippet"}), mentions)
    assert go(mentions, "rounds").memberships.equals(expected.memberships)
    pq.write_table(table.drop_columns(["name"]), mentions)
    alone = go(mentions, "alone")
    assert any("names tell nothing" in note for note in alone.notes)
    assert alone.manifest.rounds[0].n_entities == 300  # it begins with single mentions
    assert alone.clustering.n_entities < 250


def test_a_run_that_was_stopped_goes_on(mentions):
    expected = go(mentions, "through")

    class AfterOne:
        def __init__(self):
            self.asked = 0

        @contextlib.contextmanager
        def heeded(self):
            def ask():
                self.asked += 1
                return self.asked > 2

            yield ask

    half = go(mentions, "half", run=RunContext(stop=AfterOne()))
    assert half.is_stopped and half.manifest.n_done == 2
    assert go(mentions, "half").memberships.equals(expected.memberships)


def test_other_files_are_refused(mentions):
    mentions.write_text("id,name\n")
    with pytest.raises(DataError, match="not a Parquet file"):
        go(mentions, "rounds", columns=MentionColumns())
