"""Learning names from the data folder, step by step: lists, statistics of Wikipedia, labelled sets; and scoring them.

1. *Lists*: first and family names of people in DBpedia (CC BY-SA 3.0, by way of xrenner), cities of GeoNames (CC BY),
   countries, capitals and demonyms (ODbL).
2. *Capitals*: how often each word has one within sentences of Wikipedia (CC BY-SA 3.0).
3. *What Wikipedia says of names*: a first model, learnt without wikigold, reads three shards of Wikipedia; the type
   that a word or a phrase has there most of the time becomes a list of its own (after Kazama and Torisawa, 2007, a
   model in place of their patterns).
4. *The model* is learnt from all labelled sets, each a style of its own; the *kinds* of mentions from GUM.

No list is made from a set that is scored with it: step 3 never sees wikigold, nor any test part.
"""

import gzip
import json
import lzma
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from onoma.pipeline.text.name_sets import NamedDocument, gum_mentions, named_set
from onoma.progress import SILENT, Progress
from onoma.text.names.attributes import AttributeLists
from onoma.text.names.gazetteer import Gazetteer
from onoma.text.names.kinds import MentionKinds, learn_kinds, name_types_of
from onoma.text.names.tagger import NAME_TYPES, LabelledSentences, NameSettings, NameTagger, learn_names
from onoma.text.tokens import Tokens
from onoma.text.words import WordTable

__all__ = [
    "EXTERNAL",
    "STYLES",
    "NameScore",
    "attribute_lists",
    "folds_of",
    "labelled",
    "name_gazetteer",
    "score_kinds",
    "score_names",
    "train_kinds",
    "train_names",
]

EXTERNAL = ("wnut17-train", "btc-a", "btc-b", "btc-e", "crossner", "gum-train")
"""The labelled sets learnt from beside wikigold; all may ship."""
STYLES = {
    "wikigold": "wiki",
    "wnut17": "social",
    "btc": "tweets",
    "crossner": "domains",
    "gum": "phrases",
    "litbank": "fiction",
}
"""The style each set stands for."""

_SHARDS = 3
_WORD = re.compile(r"\w+(?:[-’']\w+)*|[^\w\s]")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BATCH = 20_000


@dataclass(frozen=True)
class NameScore:
    """Precision, recall and F1 of spans with types, in per cent; and F1 by type."""

    precision: float
    recall: float
    f1: float
    by_type: dict[str, float]
    n_gold: int


def labelled(documents: Iterable[NamedDocument]) -> LabelledSentences:
    """Return the sentences of documents, each in the style of its set."""
    rows = [(words, names, STYLES[each.source]) for each in documents for words, names in each.sentences if words]
    words, names, styles = (list(column) for column in zip(*rows, strict=True))
    return LabelledSentences(words, names, styles)


def folds_of(documents: Sequence[NamedDocument], n: int = 5, seed: int = 0) -> list[list[NamedDocument]]:
    """Deal documents into folds, at random by seed."""
    # NumPy's own stream: the first fold must stay the one that settings were chosen on.
    fold = np.random.default_rng(seed).permutation(len(documents)) % n
    return [[each for each, place in zip(documents, fold, strict=True) if place == k] for k in range(n)]


def train_names(
    data: Path,
    words: WordTable,
    gazetteer: Gazetteer | None = None,
    *,
    settings: NameSettings | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> NameTagger:
    """Learn the model that ships: from wikigold and all of `EXTERNAL`."""
    gazetteer = gazetteer or name_gazetteer(data, words, seed=seed, progress=progress)
    documents = [each for name in ("wikigold", *EXTERNAL) for each in named_set(data, name)]
    return learn_names(labelled(documents), words, gazetteer, settings=settings, seed=seed, progress=progress)


def train_kinds(data: Path, names: NameTagger, *, seed: int = 0, progress: Progress = SILENT) -> MentionKinds:
    """Learn the kinds of mentions that ship: from the clean genres of GUM's training part."""
    sentences, mentions = gum_mentions(data, "train")
    return learn_kinds(Tokens.of_words(sentences), mentions, names, seed=seed, progress=progress)


def score_kinds(kinds: MentionKinds, data: Path, part: str) -> float:
    """Return how many of GUM's mentions get the right kind, in per cent."""
    sentences, mentions = gum_mentions(data, part)
    tokens = Tokens.of_words(sentences)
    starts, ends, heads = (np.array([mention[k] for mention in mentions], np.int64) for k in range(3))
    found, _ = kinds.find(tokens, starts, ends, heads, name_types_of(tokens, kinds.names))
    return 100 * sum(a == b[3] for a, b in zip(found, mentions, strict=True)) / len(mentions)


def score_names(tagger: NameTagger, documents: Iterable[NamedDocument], *, style: str = "wiki") -> NameScore:
    """Score a model on labelled documents."""
    given = labelled(documents)
    tokens = Tokens.of_words(given.words)
    found = tagger.find(tokens, style=style)
    sentence = np.repeat(np.arange(len(given)), np.diff(tokens.sentences))[found.starts]
    first = tokens.sentences[sentence]
    rows = zip(sentence, found.starts - first, found.ends - first, found.types, strict=True)
    predicted = {(int(s), int(a), int(b), NAME_TYPES[k]) for s, a, b, k in rows}
    gold = {(s, a, b, kind) for s, names in enumerate(given.names) for a, b, kind in names}
    return score_spans(gold, predicted)


def score_spans(gold: set[tuple[int, int, int, str]], predicted: set[tuple[int, int, int, str]]) -> NameScore:
    """Score spans (sentence, first, one past the last, type) against gold ones.

    Examples
    --------
    >>> score_spans({(0, 0, 2, "PER"), (0, 3, 4, "LOC")}, {(0, 0, 2, "PER"), (0, 3, 4, "ORG")}).f1
    50.0
    """

    def f1(a: set[tuple[int, int, int, str]], b: set[tuple[int, int, int, str]]) -> tuple[float, float, float]:
        right = len(a & b)
        p, r = right / max(len(b), 1), right / max(len(a), 1)
        return 100 * p, 100 * r, 200 * p * r / max(p + r, 1e-12)

    by_type = {
        kind: f1({each for each in gold if each[3] == kind}, {each for each in predicted if each[3] == kind})[2]
        for kind in sorted({each[3] for each in gold | predicted})
    }
    return NameScore(*f1(gold, predicted), by_type, len(gold))


def name_gazetteer(data: Path, words: WordTable, *, seed: int = 0, progress: Progress = SILENT) -> Gazetteer:
    """Make the lists: steps 1 to 3 above."""
    lists, capitals = _lists(data), _capitals(data, progress)
    first = Gazetteer.of(lists, {"capital": capitals})
    documents = [each for name in EXTERNAL for each in named_set(data, name)]
    reader = learn_names(
        labelled(documents), words, first, settings=NameSettings(n_epochs=4), seed=seed, progress=progress
    )
    phrases, types = _read_wikipedia(data, reader, progress)
    return Gazetteer.of({**lists, **phrases}, {"capital": capitals, "type": types})


def attribute_lists(data: Path) -> AttributeLists:
    """Make the lists of nouns (WordNet) and first names (DBpedia) that attributes of mentions come from."""
    nouns = _wordnet_nouns(data / "knowledge" / "wordnet30")
    genders: dict[str, Counter[str]] = defaultdict(Counter)
    for name, gender in _people(data):
        genders[name.split()[0]][gender] += 1
    first = {}
    for name, counts in genders.items():
        (gender, most), total = counts.most_common(1)[0], counts.total()
        if total >= 3 and most / total >= 0.9 and gender in ("male", "female"):
            first[name] = "masculine" if gender == "male" else "feminine"
    return AttributeLists.of(*nouns, first)


def _people(data: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(data / "text" / "gazetteers" / "xrenner_eng_lists.zip") as archive:
        for line in archive.read("names.tab").decode("utf-8").split("\n"):
            name, _, gender = line.partition("\t")
            if len(name.split()) >= 2 and "(" not in name:
                yield name, gender.strip()


def _lists(data: Path) -> dict[str, list[str]]:
    first, last = Counter[str](), Counter[str]()
    for name, _ in _people(data):
        first[name.split()[0]] += 1
        last[name.split()[-1]] += 1
    folder = data / "text" / "gazetteers"
    with gzip.open(folder / "geonames_cities15000.tsv.gz", "rt", encoding="utf-8") as file:
        cities = [line.split("\t")[1] for line in file][1:]
    countries = json.loads((folder / "countries_demonyms.json").read_text("utf-8"))
    places = [name for each in countries for name in (each["name"], each["official"], *each["alt"], *each["capital"])]
    return {
        "first": [name for name, n in first.items() if n >= 2 and len(name) > 1],
        "last": [name for name, n in last.items() if n >= 2 and len(name) > 1],
        "city": cities,
        "country": [name for name in places if len(name) > 3 and name[0].isupper()],
        "demonym": [name for each in countries for name in each["demonyms"].values() if name],
    }


def _shards(data: Path, n: int | None = None) -> Iterator[str]:
    for path in sorted((data / "correction" / "native-wikipedia").glob("*.xz"))[:n]:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            yield from file


def _capitals(data: Path, progress: Progress) -> dict[str, int]:
    """Return the share of capitals of each word, the first of a sentence left out, in five levels from 1."""
    upper, lower = Counter[str](), Counter[str]()
    with progress.task("counting capitals"):
        for line in _shards(data, 4):
            for word in _LETTERS.findall(line)[1:]:
                (upper if word[0].isupper() else lower)[word.lower()] += 1
    counts = {word: upper[word] + lower[word] for word in upper | lower}
    return {word: 1 + min(4, 5 * upper[word] // n) for word, n in sorted(counts.items()) if n >= 5}


def _read_wikipedia(data: Path, reader: NameTagger, progress: Progress) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Return phrases by the type they mostly have, and the type of words with how surely, as a level."""
    words: dict[str, list[int]] = defaultdict(lambda: [0] * len(NAME_TYPES))
    phrases: dict[str, list[int]] = defaultdict(lambda: [0] * len(NAME_TYPES))
    with progress.task("reading Wikipedia", None, "sentences") as task:
        for batch in _batched(_WORD.findall(line) for line in _shards(data, _SHARDS)):
            tokens = Tokens.of_words(batch)
            names, flat = reader.find(tokens, style="domains"), [word for sentence in batch for word in sentence]
            sure = names.probabilities >= 0.5
            rows = zip(names.starts[sure].tolist(), names.ends[sure].tolist(), names.types[sure].tolist(), strict=True)
            for a, b, kind in rows:
                phrases[" ".join(flat[a:b])][kind] += 1
                for word in flat[a:b]:
                    words[word.lower()][kind] += 1
            task.advance(len(batch))
    lists: dict[str, list[str]] = {f"wiki_{kind.lower()}": [] for kind in NAME_TYPES}
    for phrase, counts in phrases.items():
        if sum(counts) >= 3 and max(counts) > 0.7 * sum(counts):
            lists[f"wiki_{NAME_TYPES[counts.index(max(counts))].lower()}"].append(phrase)
    levels = {}
    for word, counts in words.items():
        if sum(counts) >= 4 and word[0].isalpha():
            share = max(counts) / sum(counts)
            levels[word] = 1 + 3 * counts.index(max(counts)) + (2 if share > 0.9 else 1 if share > 0.7 else 0)
    return lists, levels


def _batched(sentences: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    batch: list[list[str]] = []
    for sentence in sentences:
        if sentence:
            batch.append(sentence)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _wordnet_nouns(folder: Path) -> tuple[set[str], set[str], set[str], set[str]]:
    """Return animate, inanimate, masculine and feminine nouns by their first sense."""
    kinds, above = {}, {}
    with lzma.open(folder / "data.noun.xz", "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith(" "):
                continue
            cells = line.split(" | ")[0].split()
            after = 4 + 2 * int(cells[3], 16)
            kinds[cells[0]] = int(cells[1])
            pointers = cells[after + 1 :]
            above[cells[0]] = [pointers[k + 1] for k in range(0, len(pointers) - 3, 4) if pointers[k] == "@"]
    animate, inanimate, masculine, feminine = set[str](), set[str](), set[str](), set[str]()
    with lzma.open(folder / "index.noun.xz", "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith(" ")]
    sense = {row[0]: row[6 + int(row[3])] for row in rows if "_" not in row[0]}
    # Persons and animals, by the numbers of WordNet's own files.
    male, female = _under(above, "09624168", "10287213"), _under(above, "09619168", "10787470")
    for word, synset in sense.items():
        (animate if kinds[synset] in (5, 18) else inanimate).add(word)
        if synset in male and synset not in female:
            masculine.add(word)
        elif synset in female and synset not in male:
            feminine.add(word)
    return animate, inanimate, masculine, feminine


def _under(above: dict[str, list[str]], *roots: str) -> set[str]:
    """Return the synsets below some."""
    below: dict[str, list[str]] = defaultdict(list)
    for synset, parents in above.items():
        for parent in parents:
            below[parent].append(synset)
    found, waiting = set(roots), list(roots)
    while waiting:
        for child in below[waiting.pop()]:
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found
