"""What is read of damaged files: every row is kept, rejected or named in a note, or the file is refused."""

import random
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from onoma.corpus.formats import format_of
from onoma.corpus.readers.facts import read_facts
from onoma.corpus.writers.files import open_output
from onoma.errors import OnomaError
from onoma.kb.database import create_knowledge_base, read_knowledge_base
from onoma.learning.storage import load_model, save_model
from onoma.resolve.comparison.given import read_weights
from onoma.resolve.comparison.weights import Weights
from onoma.resolve.config import read_config
from onoma.resolve.posterior.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from onoma.resolve.posterior.sampling import Stopped, Tally
from torture.mutate import mutate

N = 12
TOKENS = [f"tok{i:04d}" for i in range(N)]
"""A word in each row, by which it is known again."""

SEEDS: dict[str, bytes] = {
    "x.csv": b"id,name,born\n" + b"".join(b'%d,"%s, x",1815-12-10\n' % (i, t.encode()) for i, t in enumerate(TOKENS)),
    "y.csv": b"id;name\r\n" + b"".join(b"%d;%s\r\n" % (i, t.encode()) for i, t in enumerate(TOKENS)),
    "x.tsv": b"id\tname\n" + b"".join(b"%d\t%s\n" % (i, t.encode()) for i, t in enumerate(TOKENS)),
    "x.jsonl": b"".join(b'{"id": %d, "name": "%s", "x": [1, 2.5]}\n' % (i, t.encode()) for i, t in enumerate(TOKENS)),
    "x.bib": b"".join(
        b"@book{k%d,\n author = {%s Lee},\n title = {A}}\n" % (i, t.encode()) for i, t in enumerate(TOKENS)
    ),
    "x.nt": b"".join(b'<http://a/%s> <http://r/in> "o\\u00e9"@en .\n' % t.encode() for t in TOKENS),
    "x.txt": b"".join(b"%s\tin\to\t0.5\n" % t.encode() for t in TOKENS),
    "x.conll": b"".join(
        b"#begin document (%s); part 000\nd 0 0 %s (1)\nd 0 1 wrote -\n\n#end document\n" % (t.encode(), t.encode())
        for t in TOKENS
    ),
    "x.conllu": b"".join(
        b"# newdoc id = %s\n# global.Entity = eid-etype\n1\t%s\t_\t_\t_\t_\t_\t_\t_\tEntity=(1-person)\n\n"
        % (t.encode(), t.encode())
        for t in TOKENS
    ),
}
PACKED = ("x.csv.gz", "x.jsonl.zst", "x.csv.xz")
SETTINGS = (
    b'id = "id"\nseed = 3\nexclude = ["a", "b"]\nmerge_cost = 0.5\nalso_compare = ["phone", ["x", "y"]]\n'
    b'[kinds]\na = "text"\n'
)
WEIGHTS = b'{"prior": -10, "fields": {"surname": {"equal": 9.2, "one slip": 5.0, "different": -4.0}}}'


def cases(folder: Path, n_cases: int, seed: int) -> Iterator[tuple[str, Callable[[], str | None]]]:
    """Yield named attacks; each returns None, or what went wrong."""
    some = [_packed_case, _parquet_case, _settings_case, _weights_case, _model_case, _resume_case]
    makers = [*[_text_case] * 9, *some, *some, _base_case]
    for number in range(n_cases):
        rng = random.Random(seed * 1_000_003 + number)
        maker = makers[rng.randrange(len(makers))]
        yield f"{maker.__name__}#{number}", lambda maker=maker, rng=rng: maker(folder, rng)


def attack(run: Callable[[], str | None]) -> str | None:
    """Return what went wrong: a row lost, or any error that is not ours; None if all is well."""
    try:
        return run()
    except OnomaError:
        return None
    except Exception as error:  # noqa: BLE001  (what is looked for)
        return f"{type(error).__name__}: {error}"[:300]


def _seen(name: str, path: Path) -> str:
    """Return all that a reader has to say of a file that it does not refuse."""
    if name.startswith(("x.nt", "x.txt")):
        found = read_facts(path, on_error="reject")
    else:
        entry = format_of(path)
        if entry.read_corpus is not None:
            corpus = entry.read_corpus(path, on_error="reject")
            rows = [
                *corpus.documents.to_pylist(),
                *corpus.tokens.to_pylist(),
                *corpus.rejects.to_pylist(),
                *corpus.notes,
            ]
            return repr(rows)
        assert entry.read_table is not None
        found = entry.read_table(path, on_error="reject")
    return repr([found.table.to_pylist(), found.table.column_names, found.rejects.to_pylist(), found.notes])


def _text_case(folder: Path, rng: random.Random) -> str | None:
    name = rng.choice(list(SEEDS))
    raw = mutate(SEEDS[name], rng)
    (path := folder / name).write_bytes(raw)
    there = [token for token in TOKENS if token.encode() in raw]
    seen = _seen(name, path)
    lost = [token for token in there if token not in seen]
    if name == "x.bib":  # an entry whose author is no author any more gives no mention, and a note counts it
        lost = [token for token in lost if b"\n author = {" + token.encode() in raw]
        lost = [] if "neither author nor editor" in seen else lost
    if name == "x.nt":  # a comment is a comment; those of annotated text are kept in its raw columns
        comments = b"".join(line for line in raw.split(b"\n") if line.lstrip().startswith(b"#"))
        lost = [token for token in lost if token.encode() not in comments]
    return f"{name}: lost {lost} of {raw!r}" if lost else None


def _packed_case(folder: Path, rng: random.Random) -> str | None:
    name = rng.choice(PACKED)
    inner = SEEDS[name.rpartition(".")[0]]
    with open_output(path := folder / name) as output:
        output.write(inner)
    path.write_bytes(mutate(path.read_bytes(), rng))
    if path.read_bytes()[:2] not in (b"\x1f\x8b", b"\x28\xb5", b"\xfd7"):
        _seen(name, path)
        return None
    seen = _seen(name, path)
    return None if all(token in seen for token in TOKENS) else f"{name}: packed content read as other content"


def _parquet_case(folder: Path, rng: random.Random) -> str | None:
    path = folder / "x.parquet"
    pq.write_table(pa.table({"id": range(N), "name": TOKENS}), path, write_page_checksum=True)
    path.write_bytes(mutate(path.read_bytes(), rng))
    _seen("x.parquet", path)
    return None


def _settings_case(folder: Path, rng: random.Random) -> str | None:
    path = folder / "settings.toml"
    deep = b"a = " + b"[" * rng.choice((0, 1, 1000)) + b"\n"
    path.write_bytes(mutate(SETTINGS, rng) if rng.random() < 0.95 else deep)
    read_config(path)
    tomllib.loads(path.read_text("utf-8"))  # what was not refused is TOML
    return None


def _weights_case(folder: Path, rng: random.Random) -> str | None:
    path = folder / "weights.json"
    path.write_bytes(mutate(WEIGHTS, rng) if rng.random() < 0.95 else b'{"fields":' * 2000)
    given = read_weights(path)
    finite = all(np.isfinite(level.bits) for levels in given.fields.values() for level in levels.values())
    return None if finite else f"weights that are no numbers: {path.read_bytes()!r}"


def _model_case(folder: Path, rng: random.Random) -> str | None:
    """A model that is not refused is the one that was saved."""
    save_model(folder / "model", "kind", {"x": [1, "é"]}, {"w": np.arange(50.0), "at": np.arange(7)})
    path = folder / "model" / rng.choice(("model.json", "arrays.npz"))
    path.write_bytes(mutate(path.read_bytes(), rng))
    facts, arrays = load_model(folder / "model", "kind")
    same = facts["x"] == [1, "é"] and np.array_equal(arrays["w"], np.arange(50.0)) and arrays["at"][-1] == 6
    return None if same else "a model that was edited is read as if it was not"


def _base_case(folder: Path, rng: random.Random) -> str | None:
    whole = folder / "whole.duckdb"
    if not whole.exists():
        with create_knowledge_base(whole) as base:
            base.set_meta("said", "tok")
    path = folder / "kb.duckdb"
    path.write_bytes(mutate(whole.read_bytes(), rng))
    with read_knowledge_base(path) as base:
        return None if base.meta("said") in ("tok", '"tok"', None) else "a knowledge base says what was never said"


def _resume_case(folder: Path, rng: random.Random) -> str | None:
    """A stopped run that is not refused is the one that was written; indices are looked at even under a good seal."""
    path = folder / "run.npz"
    parent = np.array([-1, 0], dtype=np.int64)
    forged = rng.random() < 0.3
    if forged:
        parent[rng.randrange(2)] = rng.choice((2**63 - 1, -(2**63), 2, -2, 99))
    weights = Weights(parent, np.zeros((3, 2, 4, 3)), np.zeros((2, 4)), 1e-3, 0.0, np.array([3, 3]))
    tally = Tally(1, np.ones((4, 5), np.uint32), np.ones(2, np.int64), np.zeros((2, 6), np.int32))
    write_checkpoint(path, Checkpoint(weights, Stopped(tally, {"time": np.arange(6)}, "of")), {"version": "1"})
    if not forged:
        path.write_bytes(mutate(path.read_bytes(), rng))
    found, about = read_checkpoint(path)
    same = np.array_equal(found.weights.parent, [-1, 0]) and found.stopped.tally.n_done == 1 and about["version"] == "1"
    return None if same else "a stopped run that was edited is read as if it was not"
