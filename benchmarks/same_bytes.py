"""Whether two versions answer with the same bytes: `python -m benchmarks.same_bytes [-o FILE] [--against FILE]`.

Runs the command `onoma resolve` with a fixed seed over real tables (`ONOMA_DATA`) and prints a hash of every table that
it writes, with the processor time it took. A refactoring runs it before (`-o before.json`) and after
(`--against before.json`): tables that differ are named, and the exit code says whether there are any.
"""

import argparse
import csv
import gzip
import hashlib
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

DATA = Path(os.environ.get("ONOMA_DATA", "data")) / "resolution"
SEED = "7"
TRUTH = "cluster_id"
ACL_ROWS = 20_000
_RUN = "from onoma.cli.app import main; main()"
WIDTH = 55
"""Words to either side of a *Smith* that are its context."""


def cases(work: Path, *, quick: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield a name and the arguments of `onoma resolve` for every run."""
    small = DATA / "linkage" / "restaurants.csv.gz"
    for model in ("copying", "pairwise", "correlation", "hierarchical", "phylogeny", "exact-match"):
        yield f"restaurants {model}", [str(small), "--truth", TRUTH, "--model", model]
    yield "restaurants mutation", [str(small), "--truth", TRUTH, "--comparison", "mutation"]
    yield "restaurants partitions", [str(small), "--truth", TRUTH, "--engine", "local[2]"]
    yield "john-smith", [str(_smiths(work / "smiths.csv")), "--truth", TRUTH, "--model", "cross-document"]
    if quick:
        return
    yield "febrl3", [str(DATA / "linkage/febrl3.csv.gz"), "--truth", TRUTH]
    yield "cora", [str(DATA / "cora/cora.csv.gz"), "--truth", TRUTH]
    yield "dblp-acm", [str(DATA / "linkage/dblp-acm.csv.gz"), "--truth", TRUTH, "--source", "source", "--link"]
    yield "acl-20k", [str(_first(DATA / "acl-anthology/mentions.csv.gz", work / "acl.csv")), "--truth", TRUTH]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same_bytes", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small tables only")
    parser.add_argument("-o", "--output", type=Path, help="keep the hashes here")
    parser.add_argument("--against", type=Path, help="hashes kept before")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = {
            name: _run(arguments, Path(folder) / "out") for name, arguments in cases(Path(folder), quick=chosen.quick)
        }
    if chosen.output is not None:
        chosen.output.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0 if chosen.against is None else _compare(json.loads(chosen.against.read_text("utf-8")), found)


def _run(arguments: list[str], target: Path) -> dict[str, object]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = [sys.executable, "-c", _RUN, "resolve", *arguments, "--seed", SEED, "-o", str(target), "--quiet"]
    subprocess.run(said, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found: dict[str, object] = {path.stem: _hash(path) for path in sorted(target.glob("*.parquet"))}
    found["report"] = _hash_report(target / "report.html")
    found["cpu_s"] = round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)
    for path in target.iterdir():
        path.unlink()
    print(json.dumps({"arguments": " ".join(Path(each).name for each in arguments)} | found), flush=True)
    return found


def _hash(path: Path) -> str:
    """Return a hash of the columns' names, types and values; what wrote the file does not matter."""
    table = pq.read_table(path).replace_schema_metadata(None).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return hashlib.sha256(sink.getvalue()).hexdigest()[:16]


def _hash_report(path: Path) -> str:
    """Return a hash of the page without its times, folder and place in memory."""
    text = re.sub(r"\d[\d.,]* (s|MB)\b|onoma resolve [^<]*|/tmp/[^<\s]*", "", path.read_text("utf-8"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _compare(before: dict[str, dict[str, object]], after: dict[str, dict[str, object]]) -> int:
    differ = 0
    for name, tables in after.items():
        was = before.get(name, {})
        other = [each for each in sorted({*was, *tables} - {"cpu_s"}) if was.get(each) != tables.get(each)]
        differ += bool(other)
        spent = f"{was.get('cpu_s')} s -> {tables['cpu_s']} s of processor time"
        print(f"{name}: {'differs in ' + ', '.join(other) if other else 'the same bytes'} ({spent})")
    return 1 if differ else 0


def _smiths(path: Path) -> Path:
    """Write the John Smith articles as mentions in context: the words around every *Smith*, without the name."""
    with gzip.open(DATA / "john-smith/docs.jsonl.gz", "rt", encoding="utf-8") as lines, path.open("w") as file:
        rows = csv.writer(file)
        rows.writerow(["id", TRUTH, "name", "context"])
        for document in map(json.loads, lines):
            words = re.findall(r"[A-Za-z]+", document["text"])
            places = [at for at, word in enumerate(words) if word.lower() == "smith"]
            near = sorted({at for place in places for at in range(max(0, place - WIDTH), place + WIDTH)})
            context = [words[at] for at in near if at < len(words) and words[at].lower() not in ("john", "smith")]
            rows.writerow([document["doc_id"], document[TRUTH], "John Smith", " ".join(context)])
    return path


def _first(source: Path, path: Path) -> Path:
    with gzip.open(source, "rt", encoding="utf-8") as lines, path.open("w", encoding="utf-8") as file:
        file.writelines(itertools.islice(lines, ACL_ROWS + 1))
    return path


if __name__ == "__main__":
    sys.exit(main())
