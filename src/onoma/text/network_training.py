"""Learning tags and trees together from a treebank.

Each step learns from some sentences (`network.gradients_of`) by Adam, the rate rising for the first steps and then
falling to nothing, which does what averaging does. Afterwards weights are kept in a byte each; the models returned are
those that will be read again.

Cost: some 110 microseconds of processor time a token and epoch on one core.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from onoma.learning.neural.adam import Adam
from onoma.learning.neural.storage import ByteMatrix, ByteTable
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.text.network import Batch, Dropout, Weights, gradients_of, reaches_of
from onoma.text.reader import READER_MATRICES, READER_NUMBERS, Inputs, Reader, features_of
from onoma.text.syntax.parser import N_STEPS, PARSER_MATRICES, PARSER_NUMBERS, Parser
from onoma.text.syntax.treebank import Treebank
from onoma.text.tagger import Tagger
from onoma.text.words import WordTable, attributes_of, word_keys

__all__ = ["NetworkTraining", "WordVectors", "train_network"]

_MEASURED = 2000
"""Sentences on which it is seen how far the inputs of each matrix reach."""


@dataclass(frozen=True)
class NetworkTraining:
    """How large a network is, and how it is trained."""

    n_epochs: int = 28
    n_tokens: int = 1000
    """Of a batch; fewer for a treebank of less than a hundred batches."""
    rate: float = 2e-3
    n_warm: int = 200
    """Steps until the rate is full; at most a tenth of all."""
    n_units: int = 128
    """Of one direction of a recurrent layer."""
    n_features: int = 128
    """Numbers of the vector of a feature."""
    n_arc: int = 128
    n_label: int = 128
    """Of the layers that heads and labels are read off."""
    least_count: int = 2
    """Features met less often have no vector."""
    dropout: Dropout = field(default_factory=Dropout)


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Vectors of words learnt from plain text, by the words' keys."""

    keys: NDArray[np.uint32]
    table: ByteTable

    @classmethod
    def of(cls, words: Sequence[str], vectors: NDArray[np.float32]) -> "WordVectors":
        """Take vectors of length one; numbers of about one learn better."""
        return cls(word_keys(list(words)), ByteTable.of(vectors * np.float32(vectors.shape[1] ** 0.5)))


def train_network(
    treebank: Treebank,
    words: WordTable,
    vectors: WordVectors | None = None,
    *,
    training: NetworkTraining | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> tuple[Tagger, Parser]:
    """Learn a tagger and a parser that share what reads the words.

    Parameters
    ----------
    treebank
        What both learn from.
    words
        What is known of words.
    vectors
        Of words, from plain text; they stay as they are.
    training
        Sizes and steps.
    seed
        Of every draw.
    progress
        Shows the epochs.
    """
    training = training or NetworkTraining()
    gold = _Gold.of(treebank)
    attributes = attributes_of(treebank.tokens, words, usage=True)
    keys, counts = np.unique(features_of(attributes), return_counts=True)
    vectors = vectors or WordVectors.of((), np.zeros((0, 1), np.float32))
    inputs, table = Inputs(keys[counts >= training.least_count], vectors.keys), vectors.table
    corpus = _Corpus.of(treebank, gold, *inputs.find(attributes))
    weights = _first_weights(training, gold, len(inputs.keys), table.values.shape[1], seed)
    with threadpool_limits(1):  # the same bytes on every number of cores
        _learn(weights, corpus, table, training, seed, progress)
    return _kept(weights, gold, corpus, inputs, table, words)


@dataclass(frozen=True, eq=False)
class _Gold:
    """The names of what a treebank tells, and its codes."""

    classes: tuple[str, ...]
    joint: NDArray[np.int32]
    feats_names: tuple[str, ...]
    feats: NDArray[np.int32]
    label_names: tuple[str, ...]
    labels: NDArray[np.int32]

    @classmethod
    def of(cls, treebank: Treebank) -> "_Gold":
        joint = [f"{upos}|{xpos}" for upos, xpos in zip(treebank.upos, treebank.xpos, strict=True)]
        return cls(*_coded(joint, least=2), *_coded(treebank.feats, least=2), *_coded(treebank.labels, least=1))

    def seen(self) -> NDArray[np.bool_]:
        """Return joint tags × features: which stand together in the treebank; all of them for one that has none."""
        out = np.zeros((len(self.classes), len(self.feats_names)), np.bool_)
        known = (self.joint >= 0) & (self.feats >= 0)
        out[self.joint[known], self.feats[known]] = True
        out[~out.any(axis=1)] = True
        return out


@dataclass(frozen=True, eq=False)
class _Corpus:
    """Sentences to draw batches from."""

    sentences: NDArray[np.int32]
    rows: NDArray[np.int32]
    word_rows: NDArray[np.int32]
    told: tuple[NDArray[np.int32], ...]
    """Joint tags, features, heads and labels."""

    @classmethod
    def of(cls, treebank: Treebank, gold: _Gold, rows: NDArray[np.int32], word_rows: NDArray[np.int32]) -> "_Corpus":
        sentences = treebank.tokens.sentences
        begins = np.repeat(sentences[:-1], np.diff(sentences))
        heads = np.where(treebank.heads < 0, 0, treebank.heads - begins + 1).astype(np.int32)
        return cls(sentences, rows, word_rows, (gold.joint, gold.feats, heads, gold.labels))

    def batches(self, n_tokens: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
        """Return the sentences of each batch, in a new order."""
        order = rng.permutation(len(self.sentences) - 1)
        before = np.cumsum(np.diff(self.sentences)[order]) // n_tokens
        return np.split(order, np.flatnonzero(np.diff(before)) + 1)

    def batch(self, chosen: NDArray[np.int64], table: ByteTable) -> Batch:
        """Return some sentences as a step wants them."""
        sizes = np.diff(self.sentences)[chosen]
        ends = np.cumsum(sizes)
        at = np.repeat(self.sentences[chosen] - (ends - sizes), sizes) + np.arange(ends[-1])
        sentences = np.concatenate([[0], ends]).astype(np.int32)
        told = (column[at] for column in self.told)
        return Batch(sentences, self.rows[at], table.sums(self.word_rows[at]), *told)


def _first_weights(training: NetworkTraining, gold: _Gold, n_keys: int, n_vector: int, seed: int) -> Weights:
    rng = stream(seed, "network")
    units, width = 2 * training.n_units, training.n_features
    n_pairs = 2 * training.n_arc + 2 * training.n_label

    def spread(n_in: int, n_out: int) -> NDArray[np.float32]:
        """Sums of numbers of about one stay numbers of about one."""
        return ((2 * rng.random((n_in, n_out)) - 1) * (3 / n_in) ** 0.5).astype(np.float32)

    def none(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    weights = {
        "features": (0.1 * rng.standard_normal((n_keys, width))).astype(np.float32),
        "into": spread(width + n_vector, units),
        "into_bias": none(units),
    }
    for k in range(3):
        weights |= {f"layer{k}": spread(units, 3 * units), f"bias{k}": none(4, training.n_units)}
        weights[f"bias{k}"][::2] = 0.5  # at first more is remembered than forgotten
        weights[f"peep{k}"] = none(4, training.n_units)
    sizes = {"tags": (units, len(gold.classes)), "feats": (units, len(gold.feats_names))}
    for name, (n_in, n_out) in (sizes | {"labels": (training.n_label, len(gold.label_names))}).items():
        weights |= {name: none(n_in, n_out), f"{name}_bias": none(n_out)}
    weights |= {"pairs": spread(units, n_pairs), "pairs_bias": none(n_pairs)}
    weights |= {"arcs": spread(training.n_arc, training.n_arc) / training.n_arc**0.5, "arcs_bias": none(training.n_arc)}
    weights |= {"steps": none(N_STEPS, training.n_arc), "label_steps": none(N_STEPS, training.n_label)}
    weights |= {"root": none(training.n_arc) + np.float32(0.1), "root_label": none(training.n_label)}
    return {name: array.astype(np.float32) for name, array in weights.items()}


def _learn(
    weights: Weights,
    corpus: _Corpus,
    table: ByteTable,
    training: NetworkTraining,
    seed: int,
    progress: Progress,
) -> None:
    adam = Adam(weights, frozenset(["features"]))
    gradient = np.zeros_like(weights["features"])
    n_tokens = min(training.n_tokens, int(corpus.sentences[-1]) // 100 + 50)
    orders = (stream(seed, "network", "order", epoch) for epoch in range(training.n_epochs))
    plans = [corpus.batches(n_tokens, order) for order in orders]
    n_steps, step = sum(map(len, plans)), 0
    n_warm = min(training.n_warm, n_steps // 10 + 1)
    with progress.task("network", training.n_epochs, "epochs") as task:
        for epoch, plan in enumerate(plans):
            rng, losses = stream(seed, "network", "dropout", epoch), np.zeros(4)
            for chosen in plan:
                rate = training.rate * min(1.0, (step + 1) / n_warm) * max(0.01, 1 - step / n_steps)
                batch = corpus.batch(chosen, table)
                lost, given, touched = gradients_of(weights, batch, gradient, training.dropout, rng)
                adam.step(rate, given | {"features": gradient}, {"features": touched})
                losses, step = losses + lost, step + 1
            shown = dict(zip(("tags", "features", "heads", "labels"), losses / len(plan), strict=True))
            task.advance(1, **{name: float(value) for name, value in shown.items()})


def _kept(
    weights: Weights, gold: _Gold, corpus: _Corpus, inputs: Inputs, table: ByteTable, words: WordTable
) -> tuple[Tagger, Parser]:
    """Return the models as they will be read from their files."""
    tags = {
        "tags": np.concatenate([weights["tags"], weights["feats"]], axis=1),
        "tags_bias": np.concatenate([weights["tags_bias"], weights["feats_bias"]]),
        "steps": np.ascontiguousarray(weights["steps"].T),
    }
    reach = reaches_of(weights, corpus.batch(np.arange(min(len(corpus.sentences) - 1, _MEASURED)), table))
    known = weights | tags

    def parts(
        matrices: Sequence[str], numbers: Sequence[str]
    ) -> tuple[dict[str, ByteMatrix], dict[str, NDArray[np.float32]]]:
        products = {name: ByteMatrix.of(known[name], reach[name]) for name in matrices}
        return products, {name: known[name] for name in numbers}

    features = ByteTable.of(weights["features"])
    reader = Reader(words, inputs, features, table, *parts(READER_MATRICES, READER_NUMBERS))
    read_off = ByteMatrix.of(known["tags"], reach["tags"]), known["tags_bias"]
    tagger = Tagger(reader, gold.classes, gold.feats_names, gold.seen(), *read_off)
    return tagger, Parser(reader, gold.label_names, *parts(PARSER_MATRICES, PARSER_NUMBERS))


def _coded(values: Sequence[str], *, least: int) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the values met often enough, most frequent first, and the code of each value (-1 for others)."""
    counts = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    names = tuple(name for name, count in counts if count >= least)
    codes = {name: k for k, name in enumerate(names)}
    return names, np.array([codes.get(value, -1) for value in values], np.int32)
