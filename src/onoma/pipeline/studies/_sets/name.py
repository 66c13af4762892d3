"""Sets of names whose owners are known, each in five splits by entity: one to develop on, four to score."""

import csv
import gzip
import json
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.resolve.fields.writing import fold

T = TypeVar("T")

__all__ = ["SETS", "NameSet", "TitlePair", "read_rows", "title_pairs"]

N_SPLITS = 5
"""The first is for development alone; figures are of the others."""
_SPLIT = 1_200
"""Mentions of a split, about."""
_DENSE = 5
"""People of one surname that make a neighbourhood."""
_AROUND = 400
"""Characters of context on each side."""


@dataclass(frozen=True, eq=False)
class NameSet:
    """One split: names, who they belong to, and, where there is one, the text around them."""

    names: Sequence[str]
    labels: Sequence[str]
    contexts: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    kinds: Sequence[str] | None = None
    languages: Sequence[str] | None = None
    years: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def gold(self) -> NDArray[np.int64]:
        """Return a number for each name's owner."""
        return np.unique(np.array(self.labels), return_inverse=True)[1].astype(np.int64)


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """Read a compressed table, row by row."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def is_latin(text: str) -> bool:
    """Say whether all letters are Latin."""
    return all("LATIN" in unicodedata.name(letter, "") for letter in text if letter.isalpha())


def politicians(file: Callable[[str], Path], seed: int, *, latin: bool) -> list[NameSet]:
    """Names of politicians, distinct strings, of surnames that many share; as many people of one string as of more."""
    names, main = defaultdict[str, dict[str, None]](dict), {}
    for row in read_rows(file("resolution/names/everypolitician_names.csv.gz")):
        names[row["cluster_id"]][row["name"]] = None
        if row["note"] == "main":
            main[row["cluster_id"]] = row["name"]
    owners = defaultdict[str, set[str]](set)
    for person, theirs in names.items():
        for name in theirs:
            owners[name].add(person)
    groups = defaultdict[str, list[str]](list)
    for person, name in main.items():
        if is_latin(name) and fold(name):
            groups[fold(name).split()[-1]].append(person)
    rng = stream(seed, "politicians")
    chosen = []
    for surname in sorted(groups):
        people = groups[surname]
        if len(people) < _DENSE:
            continue
        kept = {
            person: [name for name in names[person] if len(owners[name]) == 1 and (not latin or is_latin(name))]
            for person in people
        }
        several = [person for person in people if len(kept[person]) > 1]
        single = [person for person in people if len(kept[person]) == 1]
        single = [single[i] for i in rng.permutation(len(single))[: len(several)]]
        chosen.append([(name, person) for person in several + single for name in kept[person]])
    return [NameSet(*_columns(part)) for part in _deal(chosen, rng)]


def authors(file: Callable[[str], Path], seed: int) -> list[NameSet]:
    """Names of authors and their aliases, without the numbers that part homonyms; distinct strings."""
    names = defaultdict[str, dict[str, None]](dict)
    for row in read_rows(file("resolution/names/dblp_aliases.csv.gz")):
        for name in (row["name"], row["alias"]):
            names[row["name"]][_without_number(name)] = None
    owners = defaultdict[str, set[str]](set)
    for person, theirs in names.items():
        for name in theirs:
            owners[name].add(person)
    groups = [[(name, person) for name in names[person] if len(owners[name]) == 1] for person in sorted(names)]
    rng = stream(seed, "authors")
    return [NameSet(*_columns(part)) for part in _deal(groups, rng)]


def newspapers(file: Callable[[str], Path], seed: int) -> list[NameSet]:
    """Mentions in historical newspapers, with the text around them."""
    texts: dict[tuple[str, ...], tuple[str, float]] = {}
    with gzip.open(file("resolution/hipe2022/docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            each = json.loads(line)
            key = tuple(each[part] for part in ("dataset", "split", "lang", "doc_id"))
            texts[key] = (each["text"], float(each["date"][:4]) if each["date"][:4].isdigit() else np.nan)
    groups = defaultdict[str, list[dict[str, str]]](list)
    for row in read_rows(file("resolution/hipe2022/mentions.csv.gz")):
        if row["cluster_id"] not in ("", "NIL"):
            groups[row["cluster_id"]].append(row)
    rng = stream(seed, "newspapers")
    return [_mentions(part, texts) for part in _deal([groups[key] for key in sorted(groups)], rng)]


def _mentions(rows: Sequence[dict[str, str]], texts: dict[tuple[str, ...], tuple[str, float]]) -> NameSet:
    contexts, documents, kinds, years = [], [], [], []
    for row in rows:
        key = (row["dataset"], row["split"], row["lang"], row["doc_id"])
        (text, year), start, end = texts[key], int(row["start"]), int(row["end"])
        contexts.append(text[max(start - _AROUND, 0) : start] + " " + text[end : end + _AROUND])
        documents.append("/".join(key))
        kinds.append({"per": "pers"}.get(row["type"].lower(), row["type"].lower()))
        years.append(year)
    names, owners = [row["mention"] for row in rows], [row["cluster_id"] for row in rows]
    return NameSet(names, owners, contexts, documents, kinds, [row["lang"] for row in rows], np.array(years))


def _without_number(name: str) -> str:
    head, _, last = name.rpartition(" ")
    return head if head and len(last) == 4 and last.isdigit() else name


def _columns(pairs: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
    both = list(pairs)
    return [name for name, _ in both], [person for _, person in both]


def _deal(groups: Sequence[Sequence[T]], rng: np.random.Generator) -> list[list[T]]:
    """Deal groups in random order to splits, each in turn until it is full."""
    splits: list[list[T]] = [[] for _ in range(N_SPLITS)]
    turn = 0
    for g in rng.permutation(len(groups)):
        if all(len(split) >= _SPLIT for split in splits):
            break
        if len(groups[g]) > _SPLIT // 3:
            continue
        while len(splits[turn % N_SPLITS]) >= _SPLIT:
            turn += 1
        splits[turn % N_SPLITS] += groups[g]
        turn += 1
    return splits


@dataclass(frozen=True, eq=False)
class TitlePair:
    """Two lists of titles of one type, and for each name the references it stands for."""

    type: str
    references: Sequence[str]
    names: Sequence[str]
    gold: Sequence[frozenset[int]]


def title_pairs(file: Callable[[str], Path]) -> list[TitlePair]:
    """Titles of many types, in a list of references and a list of other names."""
    titles = defaultdict[str, dict[str, dict[str, str]]](lambda: {"left": {}, "right": {}})
    for row in read_rows(file("resolution/names/autofj_records.csv.gz")):
        titles[row["dataset"]][row["side"]][row["id"]] = row["title"]
    matches = defaultdict[tuple[str, str], list[str]](list)
    for row in read_rows(file("resolution/names/autofj_matches.csv.gz")):
        matches[row["dataset"], row["id_right"]].append(row["id_left"])
    found = []
    for kind in sorted(titles):
        left, right = titles[kind]["left"], titles[kind]["right"]
        place = {each: i for i, each in enumerate(left)}
        gold = [frozenset(place[other] for other in matches[kind, each]) for each in right]
        found.append(TitlePair(kind, list(left.values()), list(right.values()), gold))
    return found


SETS: dict[str, Callable[[Callable[[str], Path], int], list[NameSet]]] = {
    "politicians, Latin": lambda file, seed: politicians(file, seed, latin=True),
    "politicians, all scripts": lambda file, seed: politicians(file, seed, latin=False),
    "authors": authors,
    "newspapers": newspapers,
}
