"""Views beyond: tables that earlier settings had not seen, and values that are damaged on purpose.

Lists of titles of fifty kinds, assignees, inventors, authorships with their papers, politicians with birthdays and
seats, names in newspapers with language and day, aliases of authors, people of two registers; and views of all tables
of which values are missing, misspelt, cut short, shuffled, in other letters or behind a placeholder, or that have
another column which says nothing. Drawn and scored as views are (`bench_views.py`). Needs ONOMA_DATA.
"""

import csv
import gzip
import json
import re
import string
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pyarrow as pa

from benchmarks.bench_views import View, scored, view_of
from benchmarks.measure import Measurement
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context

__all__ = ["run"]

_VIEWS, _FEW = 150, 2
_ROWS = 6_000
"""Rows of a table, about; whole entities."""
_SINGLE = 2
"""Titles with no partner, for each that has one: most of these lists have next to no partners."""
_TIMES = {"anthology": 8, "politicians": 8, "febrl4": 4, "aliases": 2, "mentions": 4, "inventors": 3}
"""How often a kind of tables is drawn, where it is not once."""
_DAMAGE = ("missing", "typos", "cut", "shuffled", "capitals", "before", "placeholder", "slashes", "another column")
Rows = list[dict[str, str]]


def run(*, quick: bool) -> Iterator[Measurement]:
    """Score views of other tables, and then damaged views of all."""
    n = _FEW if quick else _VIEWS
    yield from scored((view_of(number, _names(), _table) for number in range(n)), "views of other tables")
    yield from scored((_damaged(number) for number in range(n)), "damaged views")


def _damaged(number: int) -> View:
    """Return a view, drawn by its number, of which values are damaged in one way or two."""
    rng = stream(number, "views", "damage")
    view = view_of(number) if rng.random() < 0.6 else view_of(number, _names(), _table)
    columns = [name for name in view.table.column_names if name not in ("cluster_id", "source")]
    hows = rng.choice(_DAMAGE, int(rng.integers(1, 3)), replace=False).tolist()
    table = view.table
    for how in hows:
        if how == "another column":
            table = table.append_column("remark", pa.array(_saying_nothing(len(table), rng)))
            continue
        for name in columns:
            share = float(rng.choice([0.1, 0.3, 0.5] if how == "missing" else [0.1, 0.3]))
            hit = rng.random(len(table)) < (0.5 if how == "capitals" else share)
            values = table[name].to_pylist()
            said = [_spoilt(v, how, rng) if v and bad else v for v, bad in zip(values, hit.tolist(), strict=True)]
            table = table.set_column(table.column_names.index(name), name, pa.array(said, pa.string()))
    return view._replace(table=table, how=f"{view.how}, {' and '.join(hows)}")


def _spoilt(value: str, how: str, rng: np.random.Generator) -> str | None:
    if how == "typos":
        return _misspelt(value, rng)
    words = value.split()
    spoilt = {
        "missing": None,
        "cut": value[: max(4, int(len(value) * 0.6))],
        "shuffled": " ".join(words[k] for k in rng.permutation(len(words))),
        "capitals": value.upper(),
        "before": str(rng.choice(["The ", "Mr. ", "* ", "n/a ", "(old) "])) + value,
        "placeholder": str(rng.choice(["-", "N/A", "unknown", "?"])),
        "slashes": value.replace("-", "/"),
    }
    return spoilt[how]


def _misspelt(value: str, rng: np.random.Generator) -> str:
    if len(value) < 3:
        return value
    at, letter = int(rng.integers(len(value) - 1)), str(rng.choice(list(string.ascii_lowercase)))
    before, after = value[:at], value[at:]
    ways = (letter + after[1:], after[1:], letter + after, after[1] + after[0] + after[2:])
    return before + ways[int(rng.integers(len(ways)))]


def _saying_nothing(n: int, rng: np.random.Generator) -> list[str]:
    days = zip(*(rng.integers(low, high, n) for low, high in ((2020, 2025), (1, 13), (1, 29))), strict=True)
    columns = (
        [f"{value:.2f}" for value in rng.gamma(2.0, 30.0, n)],
        rng.choice(["yes", "no"], n).tolist(),
        [f"{year}-{month:02d}-{day:02d}" for year, month, day in days],
        ["".join(signs) for signs in rng.choice(list("0123456789abcdef"), (n, 8)).tolist()],
    )
    return columns[int(rng.integers(len(columns)))]


@cache
def _names() -> tuple[str, ...]:
    kinds = [f"titles/{kind}" for kind in sorted(_titles())]
    kinds += ["assignees/air_umass", *(f"inventors/{name}" for name in ("als", "ens", "israeli", "lai2011"))]
    kinds += [
        "anthology/",
        "politicians/",
        "aliases/",
        "febrl4/",
        *(f"mentions/{kind}" for kind in ("pers", "loc", "org")),
    ]
    return tuple(name for name in kinds for _ in range(_TIMES.get(name.split("/")[0], 1)))


@cache
def _table(name: str) -> pa.Table:
    kind, _, part = name.partition("/")
    reading = {
        "titles": lambda: (_titles()[part], ("source", "title")),
        "assignees": lambda: (_read(f"patentsview/bench_{part}_assignees")[::8], ("organization",)),
        "inventors": lambda: (_cut(_read(f"patentsview/bench_{part}_inventors")), ("first", "last")),
        "anthology": _authorships,
        "politicians": _politicians,
        "aliases": _aliases,
        "febrl4": _registers,
        "mentions": lambda: _mentions(part),
    }
    rows, columns = reading[kind]()
    named = ("cluster_id", *columns)
    return pa.table({name: pa.array([row.get(name) or None for row in rows], pa.string()) for name in named})


def _read(name: str) -> Rows:
    csv.field_size_limit(10**9)
    with gzip.open(Context().file(f"resolution/{name}.csv.gz"), "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _cut(rows: Rows) -> Rows:
    """Return whole entities, so that there are about as many rows as a table may have."""
    share = _ROWS / max(len(rows), 1)
    return [row for row in rows if zlib.crc32(row["cluster_id"].encode()) < share * 2**32]


@cache
def _titles() -> dict[str, Rows]:
    """Return, by kind, titles of two sources: those with a partner and some without."""
    of: dict[tuple[str, ...], str] = {}
    for each in _read("names/autofj_matches"):
        kind, left, right = each["dataset"], each["id_left"], each["id_right"]
        of[kind, "left", left] = of[kind, "right", right] = of.get((kind, "right", right), f"{kind} {right}")
    found: dict[str, Rows] = defaultdict(list)
    for row in _read("names/autofj_records"):
        key = (row["dataset"], row["side"], row["id"])
        entity = of.get(key, " ".join(key))
        found[row["dataset"]].append({"title": row["title"], "source": row["side"], "cluster_id": entity})
    for kind, rows in found.items():
        sizes = Counter(row["cluster_id"] for row in rows)
        both = [row for row in rows if sizes[row["cluster_id"]] > 1]
        alone = [row for row in rows if sizes[row["cluster_id"]] == 1]
        found[kind] = both + alone[: max(200, _SINGLE * len(both))]
    return dict(found)


def _authorships() -> tuple[Rows, Sequence[str]]:
    papers = {row["paper_id"]: row for row in _read("acl-anthology/papers")}
    mentions = _read("acl-anthology/mentions")
    authors: dict[str, list[str]] = defaultdict(list)
    for row in mentions:
        authors[row["paper_id"]].append(f"{row['first']} {row['last']}")
    of_paper = ("title", "venue", "year")
    rows = [
        row
        | {name: papers.get(row["paper_id"], {}).get(name, "") for name in of_paper}
        | {"authors": "; ".join(authors[row["paper_id"]])}
        for row in mentions
        if row["cluster_id"]
    ]
    return _cut(rows), ("first", "last", "affiliation", *of_paper, "authors")


def _politicians() -> tuple[Rows, Sequence[str]]:
    people = {row["cluster_id"]: row for row in _read("names/everypolitician_people")}
    told = {"born": "birth_date", "gender": "gender", "seat": "legislature"}
    rows = [
        row | {name: people.get(row["cluster_id"], {}).get(column, "") for name, column in told.items()}
        for row in _read("names/everypolitician_names")
    ]
    return _cut(rows), ("name", "lang", *told)


def _aliases() -> tuple[Rows, Sequence[str]]:
    aliases = _read("names/dblp_aliases")
    rows = [{"cluster_id": row["name"], "name": row["alias"]} for row in aliases]
    names = dict.fromkeys(row["name"] for row in aliases)
    return _cut(rows + [{"cluster_id": name, "name": re.sub(r" \d{4}$", "", name)} for name in names]), ("name",)


def _registers() -> tuple[Rows, Sequence[str]]:
    rows = [row | {"source": side} for side in "ab" for row in _read(f"linkage/febrl4{side}")]
    return _cut(rows), ("source", *(name for name in rows[0] if name not in ("rec_id", "cluster_id", "source")))


def _mentions(kind: str) -> tuple[Rows, Sequence[str]]:
    with gzip.open(Context().file("resolution/hipe2022/docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        days = {doc["doc_id"]: doc["date"] or "" for doc in map(json.loads, lines)}
    named = [row for row in _read("hipe2022/mentions") if row["cluster_id"] not in ("", "NIL") and row["type"] == kind]
    return _cut([row | {"date": days.get(row["doc_id"], "")} for row in named]), ("mention", "type", "lang", "date")
