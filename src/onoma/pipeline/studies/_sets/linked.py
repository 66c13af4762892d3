"""Linked mentions: HIPE-2022 (newspapers of five languages, Wikidata), DWIE (news, Wikipedia) and what is near them."""

import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from onoma.corpus.readers.source import read_text
from onoma.linking.candidates import fold
from onoma.linking.profiles import NIL, Mentions
from onoma.pipeline.reproduce import Context
from onoma.resolve.fields.contexts import windows

__all__ = [
    "HIPE_SETS",
    "PRONOUNS",
    "cities",
    "dwie",
    "dwie_priors",
    "freebase",
    "gum",
    "hipe",
    "tab_rows",
    "titles_of",
    "wikipedia_titles",
]

HIPE_SETS = ("topres19th-en", "hipe2020-en", "hipe2020-de", "hipe2020-fr", "sonar-de", "newseye-de", "newseye-fr")
_KEYS = ("dataset", "split", "lang", "doc_id")
_KINDS = ("person", "organization", "location", "event", "value", "other")
PRONOUNS = frozenset(
    [
        "i",
        "me",
        "my",
        "mine",
        "we",
        "us",
        "our",
        "you",
        "your",
        "he",
        "him",
        "his",
        "she",
        "her",
        "it",
        "its",
        "they",
        "them",
        "their",
        "this",
        "that",
        "these",
        "those",
        "who",
        "which",
    ]
)
"""Mentions that say nothing of what they mean."""
_WIDTH = 30
"""Words on each side of a mention."""
_FOREIGN = 0.2
"""What a foreign name of a city weighs beside one that was seen: it may be that of another place."""


def hipe(context: Context) -> dict[str, dict[str, Mentions]]:
    """Return for each set (data set and language) its labelled mentions: `known` (train and dev) and `test`."""
    with gzip.open(context.file("resolution/hipe2022/docs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = {"/".join(each[key] for key in _KEYS): each["text"] for each in map(json.loads, lines)}
    rows = defaultdict(list)
    with gzip.open(context.file("resolution/hipe2022/mentions.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["cluster_id"] and row["dataset"] != "ajmc":
                part = "test" if row["split"] == "test" else "known"
                rows[f"{row['dataset']}-{row['lang']}", part].append(row)
    found: dict[str, dict[str, Mentions]] = defaultdict(dict)
    for (name, part), some in rows.items():
        documents = ["/".join(row[key] for key in _KEYS) for row in some]
        places = ([int(row[side]) for row in some] for side in ("start", "end"))
        found[name][part] = Mentions(
            [row["mention"] for row in some],
            documents,
            [row["type"].lower() for row in some],
            windows([texts[document] for document in documents], *places, width=_WIDTH),
            None,
            [row["cluster_id"] for row in some],
        )
    return dict(found)


def tab_rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a tab-separated file without its header."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    for line in text.rstrip("\n").split("\n")[1:]:
        yield line.split("\t")


def dwie_priors(context: Context) -> list[tuple[str, str, float]]:
    """Return (alias, title, share of Wikipedia's links with that text)."""
    rows = tab_rows(context.file("text/entity-kb/dwie_alias_priors.tsv.gz"))
    return [(alias, title, float(prior)) for alias, title, prior in rows]


def wikipedia_titles(context: Context) -> list[tuple[str, str, float]]:
    """Return (name, Wikidata id, weight): titles of Wikipedia whose id is known, and what they are called."""
    ids = {row[0]: row[2] for row in tab_rows(context.file("text/gum/wiki_map.tab")) if len(row) > 2}
    rows = [(title.replace("_", " ").partition(" (")[0], number, 1.0) for title, number in ids.items()]
    rows += [(alias, ids[title], prior) for alias, title, prior in dwie_priors(context) if title in ids]
    return [row for row in rows if row[1].startswith("Q")]


def freebase(context: Context) -> dict[str, tuple[str, str]]:
    """Return the English label and the description of each entity of FB15k-237, by its Wikidata id."""
    lines = read_text(context.file("knowledge/fb15k237/entity_labels.tsv.xz")).splitlines()
    rows = (line.split("\t") for line in lines)
    return {row[3]: (row[1], row[2]) for row in rows if len(row) > 3 and row[3].startswith("Q")}


def cities(context: Context, known: list[tuple[str, str, float]]) -> list[tuple[str, str, float]]:
    """Return what cities of a list are called elsewhere (GeoNames): (name, entry, weight).

    A city is the entry that its name means most often; of several cities of one name, the largest.
    """
    means: dict[str, dict[str, float]] = defaultdict(dict)
    for alias, entry, weight in known:
        if entry != NIL:
            of_alias = means[fold(alias)]
            of_alias[entry] = of_alias.get(entry, 0.0) + weight
    rows: list[tuple[str, str, float]] = []
    seen = {""}
    for row in tab_rows(context.file("text/gazetteers/geonames_cities15000.tsv.gz")):  # by population
        key = fold(row[1])
        if key in means and key not in seen:
            seen.add(key)
            entry = max((weight, one) for one, weight in means[key].items())[1]
            others = row[5].split("|") if len(row) > 5 else []
            rows += [(name, entry, _FOREIGN) for name in others if len(name) > 3 and name[:1].isupper()]
    return rows


def gum(context: Context) -> Mentions:
    """Return mentions of GUM that have a Wikipedia title, but pronouns, in annotated chains, with their sentences."""
    sentences: dict[tuple[str, str], str] = {}
    with gzip.open(context.file("resolution/gum/sentences.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sentences[row["doc_id"], row["sent_id"]] = " ".join(json.loads(row["tokens_json"]))
    with gzip.open(context.file("resolution/gum/mentions.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["cluster_id"] and row["mention"].lower() not in PRONOUNS]
    return Mentions(
        [row["mention"] for row in rows],
        [row["doc_id"] for row in rows],
        [row["entity_type"] for row in rows],
        [sentences.get((row["doc_id"], row["sent_id"]), "") for row in rows],
        [row["doc_chain"] for row in rows],
        [row["cluster_id"].replace(" ", "_") for row in rows],
    )


def titles_of(phrase: str) -> list[str]:
    """Return the titles of an encyclopaedia that a phrase may be by its form alone, the likeliest first.

    Examples
    --------
    >>> titles_of("the monkeys")
    ['The_monkeys', 'Monkeys', 'Monkey']
    >>> titles_of("Bishop Diego de Landa , who feared it")[-2:]
    ['Bishop_Diego_de_Landa', 'Diego_de_Landa']
    """
    whole = _SPACED.sub(r"\1", _POSSESSIVE.sub("", phrase)).replace(" ,", ",")
    cut = _CLAUSE.split(whole, maxsplit=1)[0]
    plain = " ".join(_without_determiners(cut.split()))
    runs = [run.strip() for run in _CAPITALS.findall(plain)]
    found = [whole, cut, plain, _singular(plain), *runs, *(run.partition(" ")[2] for run in runs)]
    return list(dict.fromkeys(text[0].upper() + text[1:].replace(" ", "_") for text in found if text))


_SPACED = re.compile(r"(?<=\w) ([-–]) (?=\w)")
_POSSESSIVE = re.compile(r" ['’]s?$")
_CLAUSE = re.compile(r",? (?:who|whom|which|where|that|then|when)\b|, (?=[a-z])")
_CAPITALS = re.compile(r"(?:[A-Z][\w.'’-]*(?:,? (?:(?:of|the|de|la|von|van|and) )?(?=[A-Z])|$| ))+")
_DETERMINERS = frozenset((
    "the", "a", "an", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their", "some",
    "any", "many", "most", "all", "other", "both",
))  # fmt: skip


def _without_determiners(words: list[str]) -> list[str]:
    first = 0
    while first < len(words) - 1 and words[first].lower() in _DETERMINERS:
        first += 1
    return words[first:]


def _singular(phrase: str) -> str:
    """Return a phrase whose last word is no plural, as English forms most."""
    for plural, single in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", "")):
        if phrase.endswith(plural) and not phrase.endswith("ss") and len(phrase) > 3:
            return phrase.removesuffix(plural) + single
    return phrase


def dwie(context: Context) -> dict[str, Mentions]:
    """Return the mentions of news, `train` and `test`; for want of text, the words around are the other names."""
    rows = list(tab_rows(context.file("text/entity-kb/dwie_mentions_links.tsv.gz")))
    around = defaultdict(list)
    for row in rows:
        around[row[0]].append(row[5])
    whole = Mentions(
        [row[5] for row in rows],
        [row[0] for row in rows],
        [next((kind for kind in _KINDS if kind in row[7].split("|")), "") for row in rows],
        [" ".join(around[row[0]]) for row in rows],
        [row[4] for row in rows],
        [row[6] or NIL for row in rows],
    )
    parts = np.array([row[1] for row in rows])
    return {part: whole.take(np.flatnonzero(parts == part)) for part in ("train", "test")}
