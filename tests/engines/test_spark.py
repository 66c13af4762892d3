"""The same bytes from a real cluster as from threads, whatever dies on the way."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from onoma.corpus.simulate.links import simulate_links
from onoma.engines.local import LocalEngine
from onoma.engines.manifest import read_manifest
from onoma.engines.spark import SparkEngine
from onoma.errors import OnomaError, SettingsError, UnsupportedError
from onoma.pipeline.distributed import Stepping, run_rounds
from onoma.pipeline.distributed_mentions import MentionColumns, resolve_mentions
from onoma.progress import SILENT
from onoma.resolve.contract import RunContext
from onoma.resolve.models.cross_document.partitions import numbered as with_numbers
from onoma.resolve.partitions.rounds import RoundSettings, fingerprint_counts
from reference.toy_rounds import SCHEMA, interrupted, mentions, move

ROUNDS = RoundSettings(n_partitions=4, n_rounds=3, random_every=2)
CLUSTERING = ["mention", "entity", "sub", "super"]


def go(engine, files, folder, *, settings=None, rounds=ROUNDS, schema=SCHEMA, progress=SILENT):
    found = run_rounds(
        engine,
        lambda: engine.scan([files], schema),
        Stepping(move, schema, settings or {}),
        rounds,
        RunContext(seed=5, progress=progress),
        folder=folder,
    )
    return engine.gather(found.rows, CLUSTERING), found.manifest


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    path = tmp_path_factory.mktemp("input") / "mentions.parquet"
    pq.write_table(mentions(600, giant=0.4), path)
    return path


@pytest.fixture(scope="module")
def expected(files, tmp_path_factory):
    with LocalEngine(2) as engine:
        table, manifest = go(engine, files, tmp_path_factory.mktemp("local"))
    assert table["entity"].to_numpy().tobytes() != table["mention"].to_numpy().tobytes()
    return table, manifest


class Count:
    """Adds up what is done in all tasks."""

    n_done = 0

    def task(self, name, total=None, unit=""):
        return self

    def advance(self, n=1, **facts):
        self.n_done += n

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_a_cluster_gives_the_bytes_that_threads_give(spark, files, expected, tmp_path):
    count = Count()
    table, manifest = go(spark, files, tmp_path, progress=count)
    assert table.equals(expected[0])
    assert count.n_done == 3 * 600  # as the executors say
    assert manifest.input == expected[1].input
    told = [(each.placement, each.n_entities, each.largest) for each in manifest.rounds]
    assert told == [(each.placement, each.n_entities, each.largest) for each in expected[1].rounds]


def test_a_session_that_is_open_is_used_and_left_open(spark, cluster):
    table = mentions(20)
    with SparkEngine(cluster.master) as second:
        assert second.gather(second.spread(table, 2), ["mention"]).equals(table.select(["mention"]))
    assert len(spark.tally(spark.spread(table, 2), fingerprint_counts, SCHEMA.names)) == 3
    with pytest.raises(SettingsError, match="is open in this process"):
        SparkEngine("spark://127.0.0.1:1")


def test_contexts_never_reach_the_driver(spark, tmp_path):
    # The driver takes no more than 1 MB from a job (see the fixture), and these contexts are 5 MB that do not compress.
    rng = np.random.default_rng(3)
    links = simulate_links(600, seed=1)
    long = pa.array([f"{text} {rng.bytes(4_000).hex()}" for text in links["context"].to_pylist()])
    path = tmp_path / "mentions.parquet"
    pq.write_table(links.set_column(links.column_names.index("context"), "context", long), path)
    rounds, columns = RoundSettings(n_partitions=3, n_rounds=2, random_every=2), MentionColumns(truth="cluster_id")
    found = resolve_mentions(spark, [path], columns, folder=tmp_path / "spark", rounds=rounds)
    with LocalEngine(2) as engine:
        expected = resolve_mentions(engine, [path], columns, folder=tmp_path / "local", rounds=rounds)
    assert found.memberships.equals(expected.memberships)
    assert found.clustering.n_entities < 200
    assert found.manifest.settings == expected.manifest.settings
    read = pa.schema([("id", pa.string()), ("context", pa.string())])
    numbered = spark.each(spark.scan([path], read), with_numbers, read.insert(0, pa.field("mention", pa.int64())))
    with pytest.raises(Exception, match="maxResultSize"):
        spark.gather(numbered, ["context"])


def test_a_lost_worker_changes_nothing(spark, cluster, files, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    one_round = RoundSettings(n_partitions=4, n_rounds=1)
    victim = cluster.workers[-1]
    killer = threading.Thread(target=kill_in_mid_round, args=(victim, marks))
    killer.start()
    try:
        settings = {"marks": str(marks), "pause": 0.7}
        table, _ = go(spark, files, tmp_path / "spark", settings=settings, rounds=one_round)
    finally:
        killer.join()
        cluster.add_worker()
    assert victim.returncode is not None, "the worker should have been killed before the round was over"
    with LocalEngine(2) as engine:
        assert table.equals(go(engine, files, tmp_path / "local", rounds=one_round)[0])


def kill_in_mid_round(victim, marks):
    begun = time.monotonic()
    while len(list(marks.iterdir())) < 2 and time.monotonic() - begun < 60:  # until both workers are inside the step
        time.sleep(0.02)
    if len(list(marks.iterdir())) < 4:
        victim.kill()
        victim.wait(30)


DRIVER = """
import sys
from pathlib import Path
from onoma.engines.spark import SparkEngine
from onoma.pipeline.distributed import Stepping, run_rounds
from onoma.resolve.contract import RunContext
from reference.spark_cluster import OPTIONS
from reference.toy_rounds import SCHEMA, move
from onoma.pipeline.distributed_mentions import MentionColumns, resolve_mentions
from onoma.progress import SILENT
from onoma.resolve.partitions.rounds import RoundSettings, fingerprint_counts
from onoma.resolve.models.cross_document.partitions import numbered as with_numbers
master, files, folder, marks = sys.argv[1:]
with SparkEngine(master, options=OPTIONS | {"spark.cores.max": "1"}, timeout=120) as engine:
    stepping = Stepping(move, SCHEMA, {"marks": marks, "pause": 0.2})
    rounds = RoundSettings(n_partitions=4, n_rounds=3, random_every=2)
    rows = lambda: engine.scan([Path(files)], SCHEMA)
    run_rounds(engine, rows, stepping, rounds, RunContext(seed=5), folder=Path(folder))
"""


def test_ctrl_c_is_left_to_whoever_heeds_it(spark, files):
    # Spark sets one that gives up all jobs. A job in the background of a shell has been told to ignore Ctrl-C.
    assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)
    rows = spark.each(spark.scan([files], SCHEMA), interrupted, SCHEMA)
    assert spark.gather(rows, ["mention"]).num_rows == 600


def test_a_job_that_fails_is_told(spark, files):
    def fail(rows: pa.Table) -> pa.Table:
        message = f"{len(rows)} rows are too many"
        raise ValueError(message)

    with pytest.raises(OnomaError, match="a job failed on Spark.* rows are too many") as caught:
        spark.gather(spark.each(spark.scan([files], SCHEMA), fail, SCHEMA), ["mention"])
    assert "--resume" in str(caught.value)


def test_a_lost_driver_is_resumed(spark, cluster, files, expected, tmp_path):
    marks, folder = tmp_path / "marks", tmp_path / "run"
    marks.mkdir()
    settings = {"marks": str(marks), "pause": 0.2}
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    arguments = [sys.executable, "-c", DRIVER, cluster.master, str(files), str(folder), str(marks)]
    with (
        (tmp_path / "driver.log").open("wb") as log,
        subprocess.Popen(arguments, env=environment, stderr=log) as driver,
    ):
        begun = time.monotonic()
        while not list(marks.glob("1-*")) and driver.poll() is None and time.monotonic() - begun < 180:
            time.sleep(0.02)  # until it is inside the second round
        driver.kill()
    manifest = read_manifest(folder)
    assert manifest is not None and manifest.n_done == 1, (tmp_path / "driver.log").read_text()
    shutil.copytree(folder, tmp_path / "copy")
    with LocalEngine(2) as engine:
        for carrier, place in ((spark, folder), (engine, tmp_path / "copy")):  # whoever goes on
            table, manifest = go(carrier, files, place, settings=settings)
            assert manifest.n_done == 3
            assert table.equals(expected[0])


def test_what_is_wrong_is_said(monkeypatch):
    pytest.importorskip("pyspark", reason="needs pyspark")
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    if shutil.which("java") is not None:
        with pytest.raises(SettingsError, match="no address"):
            SparkEngine("spark://somewhere")
        with pytest.raises(OnomaError, match="no Spark master answers at 127.0.0.1:1"):
            SparkEngine("spark://127.0.0.1:1", timeout=0.2)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(UnsupportedError, match="needs Java"):
        SparkEngine("spark://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with pytest.raises(UnsupportedError, match=r"onoma\[spark\]"):
        SparkEngine("spark://127.0.0.1:1")
