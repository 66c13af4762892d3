"""From raw documents to a knowledge base: time, memory, and what 1 % more documents cost.

Documents are the texts of GUM (about 1,000 words each), taken again under other names where there are too few. Totals
are processor time of one process, kernels compiled before; stages are wall time. It needs ONOMA_DATA.
"""

import csv
import gzip
import json
import os
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement
from onoma.kb.database import read_knowledge_base
from onoma.pipeline.building.build import BuildJob, build


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 40 if quick else 1_000
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        folder, more = root / "documents", root / "more"
        write_documents(folder, 0, n)
        write_documents(more, n, max(1, n // 100))
        write_documents(root / "warm", 0, 1)
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


def write_documents(folder: Path, first: int, n: int) -> None:
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


def _kept(before: Path, after: Path) -> float:
    with read_knowledge_base(before) as base:
        old = dict(base.rows("SELECT id, entity FROM memberships"))
    with read_knowledge_base(after) as base:
        new = dict(base.rows("SELECT id, entity FROM memberships"))
    return sum(new.get(key) == entity for key, entity in old.items()) / max(len(old), 1)
