"""Resolution of large tables: seconds from file to file, memory and quality, beside Splink.

Ours is the command `onoma resolve FILE -o OUT` with its defaults. Splink (on DuckDB) is set up by hand for each table:
comparisons from its own library suited to each column, tight blocking rules, u from random pairs and m by expectation
maximisation as its guides advise, clusters of linked pairs. Each runs in a process of its own, one after the other,
both from the file on disk to the file on disk; seconds and peak memory are those of the process, start and imports
included. Kernels are compiled beforehand. Splink is scored at the best of many thresholds, which takes the truth to
find; that search is not timed.

Simulated people are made for the occasion; historical_50k needs ONOMA_DATA.
"""

import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate import simulate_people
from onoma.evaluate.report import evaluate
from onoma.numerics.union_find import components
from onoma.pipeline.reproduce import Context

TRUTH = "cluster_id"
ID = {"people": "id", "historical": "unique_id"}
THRESHOLDS = (0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, *(1 - 10.0**-k for k in range(3, 15)))


class Run(NamedTuple):
    """What a process needed."""

    seconds: float
    processor: float
    peak_mb: float


class Score(NamedTuple):
    """Pairwise F1, and the threshold that gave it."""

    f1: float
    note: str = ""


def run(*, quick: bool) -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as folder:
        sizes = (5_000, 10_000) if quick else (50_000, 200_000, 1_000_000)
        _onoma(_people(Path(folder), sizes[0]), Path(folder))  # compiles all: small tables need less
        spent = []
        for n in sizes:
            for line in _measure("people", _people(Path(folder), n), Path(folder), f"{n:,} simulated people"):
                yield line
                if line.name == "processor time":
                    spent.append(line)
        yield _steepness(spent[0], spent[-1], sizes[0], sizes[-1])
        if not quick:
            path = Context().file("resolution/linkage/historical_50k.csv.gz")
            _onoma(path, Path(folder))  # other kinds of columns
            yield from _measure("historical", path, Path(folder), "historical_50k, 50,578 rows")


def _steepness(small: Measurement, large: Measurement, n_small: int, n_large: int) -> Measurement:
    """Return the power of the rows that processor time grows by, and what it would be for n log n."""
    span = math.log(n_large / n_small)
    ours, theirs = (math.log(b / a) / span for a, b in ((small.onoma, large.onoma), (small.peer, large.peer)))
    even = math.log(n_large * math.log(n_large) / (n_small * math.log(n_small))) / span
    data = f"{n_small:,} to {n_large:,} simulated people; n log n is {even:.2f}"
    return Measurement("steepness of processor time", ours, theirs, None, "power of the rows", data, "", "Splink")


def _people(folder: Path, n: int) -> Path:
    path = folder / f"people_{n}.parquet"
    pq.write_table(simulate_people(n, seed=0), path)
    return path


def _measure(peer: str, path: Path, folder: Path, data: str) -> Iterator[Measurement]:
    table = read_table(path).table
    gold = Clustering.from_labels(table[TRUTH])
    ours, found = _onoma(path, folder)
    theirs, score = _splink(peer, path, folder, table, gold)
    f1 = evaluate(gold, found, metrics=("pairwise",)).as_dict()["pairwise"]["f1"]
    name = f"Splink, {score.note}"
    yield Measurement("time", ours.seconds, theirs.seconds, theirs.seconds / ours.seconds, "s", data, "", name)
    spent = theirs.processor / ours.processor
    yield Measurement("processor time", ours.processor, theirs.processor, spent, "s", data, "", name)
    yield Measurement("peak memory", ours.peak_mb, theirs.peak_mb, theirs.peak_mb / ours.peak_mb, "MB", data, "", name)
    yield Measurement("pairwise F1", f1, score.f1, f1 / score.f1, "share", data, "", name)


def _timed(command: list[str]) -> Run:
    """Run a command; return its seconds, those of the processors, and its peak memory."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        peak, done = 0.0, 0
        while not done:
            peak = max(peak, _resident_mb(process.pid))
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            time.sleep(0 if done else 0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(errors.read().decode())
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, peak)


def _resident_mb(process: int) -> float:
    """Return the most memory a running process has had; what the system says at its end counts its parent's, too."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return 0.0 if found is None else int(found[1]) / 1024


def _onoma(path: Path, folder: Path) -> tuple[Run, Clustering]:
    out = folder / "onoma.parquet"
    command = str(Path(sys.executable).with_name("onoma"))
    took = _timed([command, "resolve", str(path), "-o", str(out), "--quiet"])
    return took, Clustering.from_labels(pq.read_table(out)["entity"])


def _splink(peer: str, path: Path, folder: Path, table: pa.Table, gold: Clustering) -> tuple[Run, Score]:
    edges = folder / "edges.parquet"
    code = f"from benchmarks.bench_scale import link; link({peer!r}, {str(path)!r}, {str(edges)!r})"
    took = _timed([sys.executable, "-c", code])
    return took, _best(pq.read_table(edges), table[ID[peer]].to_pylist(), gold)


def _best(edges: pa.Table, ids: list[str], gold: Clustering) -> Score:
    """Return the best pairwise F1 of the clusters of pairs above any of the thresholds."""
    place = {key: i for i, key in enumerate(ids)}
    a, b = (np.array([place[key] for key in edges[side].to_pylist()], np.int64) for side in ("id_l", "id_r"))
    probability = edges["match_probability"].to_numpy()
    best = Score(0.0)
    for threshold in THRESHOLDS:
        kept = probability >= threshold
        found = Clustering.from_labels(components(len(ids), a[kept], b[kept]))
        f1 = evaluate(gold, found, metrics=("pairwise",)).as_dict()["pairwise"]["f1"]
        best = max(best, Score(f1, f"threshold {threshold:.15g}"))
    return best


def link(peer: str, path: str, edges: str) -> None:
    """Resolve a table with Splink; write its pairs, and the clusters at one threshold."""
    from splink import DuckDBAPI, Linker

    api = DuckDBAPI()
    connection = api._con
    if path.endswith(".parquet"):
        connection.execute(f"create table records as select * exclude ({TRUTH}) from '{path}'")
    else:
        columns = f"{ID[peer]} as id, * exclude ({ID[peer]}, {TRUTH}) replace ({_NO_NAN})"
        connection.execute(f"create table records as select {columns} from read_csv('{path}', all_varchar=true)")
    settings, rules, sure = PEERS[peer]()
    linker = Linker(api.register("records"), settings)
    linker.training.estimate_probability_two_random_records_match(sure, recall=0.7)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in rules:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    pairs = linker.inference.predict(threshold_match_probability=THRESHOLDS[0])
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(pairs, 0.95)
    wanted = f"select id_l, id_r, match_probability from {pairs.physical_name}"
    connection.execute(f"copy ({wanted}) to '{edges}' (format parquet)")
    connection.execute(f"copy {clusters.physical_name} to '{edges}.clusters' (format parquet)")


_NO_NAN = ", ".join(
    f"nullif({name}, 'nan') as {name}"
    for name in (
        "full_name",
        "first_and_surname",
        "first_name",
        "surname",
        "dob",
        "birth_place",
        "postcode_fake",
        "gender",
        "occupation",
    )
)


def _link_people() -> tuple[object, list, list]:
    import splink.comparison_library as cl
    from splink import SettingsCreator, block_on

    settings = SettingsCreator(
        link_type="dedupe_only",
        unique_id_column_name="id",
        comparisons=[
            cl.NameComparison("given_name").configure(term_frequency_adjustments=True),
            cl.NameComparison("surname").configure(term_frequency_adjustments=True),
            cl.DateOfBirthComparison("birth_date", input_is_string=True),
            cl.JaroWinklerAtThresholds("street", [0.9, 0.7]),
            cl.ExactMatch("city").configure(term_frequency_adjustments=True),
            cl.LevenshteinAtThresholds("postcode", 1),
            cl.LevenshteinAtThresholds("phone", 1),
            cl.EmailComparison("email"),
        ],
        blocking_rules_to_generate_predictions=[
            block_on("phone"),
            block_on("email"),
            block_on("birth_date", "surname"),
            block_on("birth_date", "given_name"),
            block_on("birth_date", "postcode"),
            block_on("given_name", "surname", "city"),
            block_on("surname", "street"),
            block_on("given_name", "street"),
        ],
        retain_matching_columns=False,
    )
    train = [block_on("birth_date", "surname"), block_on("email"), block_on("given_name", "street")]
    sure = [block_on("given_name", "surname", "birth_date"), block_on("email", "surname"), block_on("phone", "surname")]
    return settings, train, sure


def _link_historical() -> tuple[object, list, list]:
    import splink.comparison_library as cl
    from splink import SettingsCreator, block_on

    settings = SettingsCreator(
        link_type="dedupe_only",
        unique_id_column_name="id",
        comparisons=[
            cl.ForenameSurnameComparison("first_name", "surname"),
            cl.DateOfBirthComparison("dob", input_is_string=True),
            cl.PostcodeComparison("postcode_fake"),
            cl.ExactMatch("birth_place").configure(term_frequency_adjustments=True),
            cl.ExactMatch("occupation").configure(term_frequency_adjustments=True),
        ],
        blocking_rules_to_generate_predictions=[
            block_on("first_name", "surname"),
            block_on("surname", "dob"),
            block_on("first_name", "dob"),
            block_on("postcode_fake", "first_name"),
            block_on("postcode_fake", "surname"),
            block_on("dob", "birth_place"),
            block_on("dob", "postcode_fake"),
            block_on("substr(first_name, 1, 2)", "substr(surname, 1, 2)", "substr(dob, 1, 4)"),
        ],
        retain_matching_columns=False,
    )
    train = [block_on("first_name", "surname"), block_on("dob"), block_on("postcode_fake")]
    sure = [
        block_on("first_name", "surname", "dob"),
        block_on("substr(first_name, 1, 2)", "surname", "substr(postcode_fake, 1, 2)"),
        block_on("dob", "postcode_fake"),
    ]
    return settings, train, sure


PEERS: dict[str, Callable[[], tuple[object, list, list]]] = {
    "people": _link_people,
    "historical": _link_historical,
}
