"""From raw documents to a knowledge base: time, memory, what 1 % more documents cost, and kills that change nothing.

Documents are the texts of GUM (about 1,000 words each), taken again under other names where there are too few. Totals
are processor time of one process, kernels compiled before; stages are wall time. Kills are SIGKILL at random moments;
the tables of the run that comes through at last are compared with those of an undisturbed run. It needs ONOMA_DATA.
"""

import csv
import gzip
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement
from onoma.kb.database import read_knowledge_base
from onoma.pipeline.building.build import BuildJob, build

_TABLES = ("documents", "sentences", "mentions", "memberships", "entities", "statements", "facts", "changes")
_RUN = "from onoma.pipeline.building.build import *; from pathlib import Path; import sys; "
_RUN += "build(BuildJob((sys.argv[1],), Path(sys.argv[2])))"


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 40 if quick else 1_000
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        folder, more = root / "documents", root / "more"
        _write(folder, 0, n)
        _write(more, n, max(1, n // 100))
        _write(root / "warm", 0, 1)
        build(BuildJob((str(root / "warm"),), root / "warm.duckdb"))
        begun = time.process_time()
        report = build(BuildJob((str(folder),), root / "kb.duckdb"))
        first = time.process_time() - begun
        said = f"{report.documents:,} documents, {report.mentions:,} mentions, {report.entities:,} entities"
        yield Measurement("from raw text to a knowledge base", first, None, None, "s of processor time", said)
        for stage, spent in report.seconds.items():
            yield Measurement(f"of this: {stage}", spent, None, None, "s", said)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield Measurement("peak memory", peak, None, None, "MB", said)
        _copy(root / "kb.duckdb", root / "grown.duckdb")
        begun = time.process_time()
        build(BuildJob((str(more),), root / "grown.duckdb", into=True))
        share = 100 * (time.process_time() - begun) / first
        yield Measurement("1 % more documents, of the time", share, None, None, "%", said)
        kept = 100 * _kept(root / "kb.duckdb", root / "grown.duckdb")
        yield Measurement("records that keep their entity then", kept, None, None, "%", said)
        n_kills, same = _killed(root, folder, root / "kb.duckdb", first, kills=3 if quick else 20)
        yield Measurement("kills, after which all tables are the same", n_kills if same else 0, None, None, "", said)


def _write(folder: Path, first: int, n: int) -> None:
    """Write documents: GUM's, under new names when they are used up."""
    folder.mkdir()
    texts = _texts()
    for k in range(first, first + n):
        (folder / f"{k:05d}.txt").write_text(texts[k % len(texts)], "utf-8")


def _texts() -> list[str]:
    data = os.environ.get("ONOMA_DATA")
    if data is None:
        raise SystemExit("this benchmark needs ONOMA_DATA")
    words: dict[str, list[tuple[int, str]]] = defaultdict(list)
    path = Path(data) / "resolution" / "gum" / "sentences.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            words[row["doc_id"]].append((int(row["sent_id"]), " ".join(json.loads(row["tokens_json"]))))
    return ["\n".join(text for _, text in sorted(some)) for _, some in sorted(words.items())]


def _copy(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes())


def _tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with read_knowledge_base(path) as base:
        return {name: sorted(base.rows(f"FROM {name}"), key=repr) for name in _TABLES}


def _kept(before: Path, after: Path) -> float:
    with read_knowledge_base(before) as base:
        old = dict(base.rows("SELECT id, entity FROM memberships"))
    with read_knowledge_base(after) as base:
        new = dict(base.rows("SELECT id, entity FROM memberships"))
    return sum(new.get(key) == entity for key, entity in old.items()) / max(len(old), 1)


def _killed(root: Path, folder: Path, truth: Path, seconds: float, *, kills: int) -> tuple[int, bool]:
    """Kill runs at random moments until one comes through; say how many were killed and whether tables are the same."""
    target = root / "killed.duckdb"
    rng = random.Random(7)
    done = 0
    while not target.exists():
        process = subprocess.Popen([sys.executable, "-c", _RUN, str(folder), str(target)])
        try:
            process.wait(timeout=None if done >= kills else rng.uniform(2.0, 4.0 + 2.0 * seconds / max(kills, 1)))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
    return done, _tables(target) == _tables(truth)
