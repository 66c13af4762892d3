"""All models from the data, by one call: word vectors and clusters, tokeniser, tagger, parser, lemmas.

What ships is trained on data whose licences allow it: UD English EWT (CC BY-SA 4.0), the genres of GUM under CC BY and
CC BY-SA, Wikipedia (CC BY-SA 3.0) and MASC (free) for word vectors and clusters, with counts of word pairs of the web
(Apache 2.0 package), and the dictionaries of lemminflect (MIT) and AGID (permissive). The same data and seed give the
same bytes.
"""

import lzma
import zipfile
from collections.abc import Iterator
from pathlib import Path

from threadpoolctl import threadpool_limits

from onoma.learning.packing import load_arrays, save_arrays
from onoma.progress import SILENT, Progress
from onoma.text.annotate import Annotator
from onoma.text.clusters import Clusters, ClusterSettings, learn_clusters, learn_vectors
from onoma.text.lemmas import train_lemmatiser
from onoma.text.lexicon import Lexicon, read_lexicon
from onoma.text.network_training import WordVectors, train_network
from onoma.text.syntax.treebank import Treebank, join_treebanks, read_treebank, read_treebank_zip
from onoma.text.tokeniser import train_tokeniser
from onoma.text.usage import Usage, learn_usage
from onoma.text.words import WordTable

__all__ = ["CLEAN_GENRES", "clusters_of", "read_ewt", "read_gum", "train_all"]

CLEAN_GENRES = frozenset(("academic", "bio", "court", "interview", "news", "voyage"))
"""Genres of GUM whose texts are free to use: CC BY, CC BY-SA or in the public domain."""
_WEB_SIZE, _WEB_WEIGHT = 36_000, 2
"""The counts of the web come from some 36,000 times the words of Wikipedia used here; they are of its most frequent
word pairs only, and weigh twice."""


def read_ewt(data: Path, part: str) -> Treebank:
    """Read a part (train, dev, test) of the English Web Treebank."""
    return read_treebank(data / f"text/ud-ewt/en_ewt-ud-{part}.conllu.gz")


def read_gum(data: Path, part: str, *, clean: bool) -> Treebank:
    """Read a part (train, dev, test) of GUM; `clean` takes only genres whose texts are free to use."""
    path = data / "text/gum/dep_conllu.zip"
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith(f"{part}/") and name.endswith(".conllu"))
    wanted = [name for name in names if not clean or name.split("GUM_")[1].split("_")[0] in CLEAN_GENRES]
    return read_treebank_zip(path, wanted)


def train_all(
    data: Path, *, clean: bool = True, clusters: Path | None = None, seed: int = 0, progress: Progress = SILENT
) -> Annotator:
    """Train every model.

    Parameters
    ----------
    data
        The data folder (docs/data.md).
    clean
        Only what may ship; otherwise all genres of GUM, for research.
    clusters
        A file of clusters learnt before, or to be written once they are learnt; without, they are learnt here.
    seed
        Of every shuffle.
    progress
        Shows the steps.
    """
    treebank = join_treebanks([read_ewt(data, "train"), read_gum(data, "train", clean=clean)])
    lexicon = read_lexicon(data / "correction/lexicon")
    with threadpool_limits(1):  # sums on several cores differ in their last bits
        groups = clusters_of(data, clusters, seed=seed, progress=progress)
        usage, vectors = usage_of(data), vectors_of(data, progress=progress)
    return train_on(treebank, lexicon, groups, usage, vectors, seed=seed, progress=progress)


def train_on(
    treebank: Treebank,
    lexicon: Lexicon,
    clusters: Clusters | None,
    usage: Usage | None,
    vectors: WordVectors | None = None,
    *,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Annotator:
    """Train every model on a treebank, given a dictionary, word clusters, how words are used, and word vectors."""
    frequency = dict(zip(clusters.words, clusters.counts.tolist(), strict=True)) if clusters else {}
    words = WordTable.of(clusters, lexicon.classes, usage)
    tokeniser = train_tokeniser(treebank, words, seed=seed, progress=progress)
    tagger, parser = train_network(treebank, words, vectors, seed=seed, progress=progress)
    lemmatiser = train_lemmatiser(treebank, lexicon, words, frequency)
    return Annotator(words, tokeniser, tagger, lambda: lemmatiser, lambda: parser)


def clusters_of(data: Path, kept: Path | None = None, *, seed: int = 0, progress: Progress = SILENT) -> Clusters:
    """Return the word clusters: read from a file if it is there, else learnt (and written there)."""
    if kept is not None and kept.exists():
        header, arrays = load_arrays(kept, "text/clusters")
        return Clusters(header["words"], arrays["counts"], arrays["labels"])
    found = learn_clusters(_sentences(data), _web_pairs(data), seed=seed, progress=progress)
    if kept is not None:
        save_arrays(kept, "text/clusters", {"words": found.words}, {"counts": found.counts, "labels": found.labels})
    return found


def vectors_of(data: Path, *, progress: Progress = SILENT) -> WordVectors:
    """Return vectors of words, learnt from half of Wikipedia, MASC, and word pairs of the web."""
    settings = ClusterSettings(n_dimensions=96)
    found = learn_vectors(_sentences(data, every=2), _web_pairs(data), settings=settings, progress=progress)
    return WordVectors.of(found.words, found.vectors)


def usage_of(data: Path) -> Usage:
    """Return how words are used: tags of MASC, capitals of two parts of Wikipedia."""
    paths = sorted((data / "correction/native-wikipedia").glob("*.xz"))[:2]

    def texts() -> Iterator[str]:
        for path in paths:
            with lzma.open(path, "rt", encoding="utf-8") as file:
                yield from file

    return learn_usage(_masc(data), texts())


def _sentences(data: Path, every: int = 1) -> Iterator[str]:
    for path in sorted((data / "correction/native-wikipedia").glob("*.xz"))[::every]:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            yield from (line.strip() for line in file if line.strip())
    for sentence in _masc(data):
        yield " ".join(word for word, _ in sentence)


def _masc(data: Path) -> Iterator[list[tuple[str, str]]]:
    with lzma.open(data / "correction/native-mixed/masc.tagged.txt.xz", "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("# "):
                cut = (item.rpartition("_") for item in line.split())
                yield [(word, tag) for word, _, tag in cut]


def _web_pairs(data: Path) -> list[tuple[str, str, float]]:
    """Return word pairs of the web, counted as in a text of Wikipedia's size (times a weight)."""
    out = []
    with lzma.open(data / "correction/ngram-counts/google-web-bigrams.tsv.xz", "rt", encoding="utf-8") as file:
        for line in file:
            pair, _, count = line.rstrip("\n").rpartition("\t")
            first, _, second = pair.lower().partition(" ")
            out.append((first, second, float(count) / _WEB_SIZE * _WEB_WEIGHT))
    return out
