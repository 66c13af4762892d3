"""Dependency trees by beam search over transitions (arc-hybrid), with a linear model of hashed features.

A beam of partial trees grows by one transition at a time: shift, left, right. Weights of transitions are learnt from
whole sentences: where the beam's best leads the gold by most, the gold is rewarded and the best punished (structured
perceptron, largest violation; Collins, 2002; Huang, Fayong and Guo, 2012), and averaged. Features are those of Zhang
and Nivre (2011) for this transition system, with word clusters. A second model names each arc as it is made, so that
names are features of later transitions. Training tags come from taggers that had not seen the sentence (jackknifing).

Trees are projective: crossing arcs of a treebank are lifted before training. A sentence of more than `LONGEST` tokens
is parsed in pieces, whose roots hang from the first piece's root as `parataxis`.

Cost: 2 × tokens × beam × templates looks at memory.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.learning.packing import open_arrays, save_arrays
from onoma.numerics.rng import kernel_state, stream
from onoma.progress import SILENT, Progress
from onoma.text.linear import LinearModel, to_bytes
from onoma.text.slots import Slots
from onoma.text.syntax._parser_kernels import parse_batch
from onoma.text.syntax._parser_learning_kernels import count_label_slots, train_epoch
from onoma.text.syntax._states_kernels import ATOMS, SLOTS, gold_actions, projectivise
from onoma.text.syntax.treebank import Treebank
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS, WordTable, attributes_of

__all__ = ["Parser", "ParserTraining", "Trees", "train_parser"]

LONGEST = 250
"""Tokens parsed as one piece."""
_TRANSITIONS = """
s0t s0w s0wt s1t s1w s1wt s2t s2wt b0t b0w b0wt b1t b1w b1wt b2t b2w b2wt b3t
s0w&b0w s0wt&b0t s0t&b0wt s0t&b0t s0w&b0t s0t&b0w s1w&s0w s1wt&s0t s1t&s0wt s1t&s0t s1t&b0t s1w&b0w s1wt&b0t s1t&b0wt
b0t&b1t b0w&b1w b0w&b1t b0t&b1w
s0t&b0t&b1t b0t&b1t&b2t s1t&s0t&b0t s2t&s1t&s0t s0w&b0t&b1t s1t&s0w&b0t s1t&s0t&b0w s1w&s0t&b0t s1t&s0t&b0t&b1t
s0t&b0t&b1t&b2t s2t&s1t&s0t&b0t
s0t&s0lt&s0Lt s1t&s1lt&s0t s1t&s1rt&s0t s1t&s0t&s0lt s1t&s0t&s0rt s0t&b0t&b0lt s0t&s0rt&b0t s0t&s0lt&b0t s1t&s1rt&b0t
s0t&s0rt&s0Rt b0t&b0lt&b0Lt
s0t&s0ld s0t&s0rd s1t&s1ld s1t&s1rd b0t&b0ld s0t&s0rd&b0t s0w&s0rd s0w&s0ld s1t&s1rd&s0t s1t&s1ld&s0t b0t&b0ld&s0t
s0t&s0ld&b0t s0t&s0rd&s0Rd s0t&s0ld&s0Ld b0t&b0ld&b0Ld s1w&s1rd s0t&s0ld&s1t
s0w&dist s0t&dist b0w&dist b0t&dist s0w&b0w&dist s0t&b0t&dist s1t&s0t&dist1 s1t&s0t&b0t&dist1 s1w&s0t&dist1
s0w&s0vr s0t&s0vr s0w&s0vl s0t&s0vl b0w&b0vl b0t&b0vl s1w&s1vr s1t&s1vr s1t&s1vl s0t&s0vr&b0t s1t&s1vr&s0t
s0c s1c b0c b1c s0c&b0c s1c&s0c s0c&b0t s0t&b0c s1c&s0t s1t&s0c s1c&b0c s1k&s0k&b0k s1t&s0c&b0t s1c&s0t&b0t
s1t&s0t&b0c s0k&b0k&b1k b0c&b1c
s0w&b0lw s1w&b0lw s1w&s0t&b0lw s0c&b0lw s1c&b0lw s0t&b0t&b0lw s1t&s0t&b0t&b0lw s1w&s0lw s1c&s0lw s1t&s0t&s0lw
s1m&s0lw&s0m s0m&b0lw&b0m s1m&b0lw&b0m
s0t&s0rw s1t&s1rw&s0t s1t&s1lw s0t&s0lw&b0t s0w&b1w s0w&b1t s1w&s0w&b0t
"""
_LABELS = """
ht hw s0t s0w hw&s0w ht&s0t hwt&s0t ht&s0wt hc&s0c hm&s0m ht&s0c hc&s0t s0c hc hk&s0k
s0wt hwt ht&s0t&hdist ht&s0t&pt ht&s0t&nt s0t&pt s0t&nt s0w&pt s0t&pw s0w&ht&hld ht&s0t&hld ht&s0t&hrd hw&hrd hw&hld
hw&hvl hw&hvr ht&s0t&hvl ht&s0t&hvr
s0t&s0lt s0t&s0lw ht&s0t&s0lw hw&s0t&s0lw s0c&s0lw hc&s0lw&s0k s0t&s0ld s0t&s0rd s0t&s0rt s0t&s0rw ht&s0t&s0ld
ht&s0t&s0rd s0t&s0ld&s0Ld s0w&s0ld s0w&s0lw ht&s0t&s0ld&s0Ld
ht&s0t&b0t ht&s0t&b0w ht&s1t&s0t&b0t s0t&s0vl s0t&s0vr ht&s0w&pw hc&s0c&s0lw hm&s0m&s0lw s0t&hld&hrd s0w&hdist
ht&s0t&s0Lw ht&s0t&s0Ld
"""


@dataclass(frozen=True)
class ParserTraining:
    """How a parser is trained."""

    n_epochs: int = 10
    beam: int = 8
    slack: float = 150.0
    """Partial trees so far behind the best are let go."""
    dropout: float = 0.25
    """How often a template is left out of a sentence."""
    margin: float = 10.0
    """By how much a right label must win."""
    least_count: int = 2
    n_bits: int = 22


PARSER_TRAINING = (ParserTraining(n_epochs=10, dropout=0.0), ParserTraining(n_epochs=9, dropout=0.25))
"""Two runs that err differently: one sees everything, one some of the templates."""


@dataclass(frozen=True, eq=False)
class Trees:
    """A head (a token of the batch, -1 for a root) and a label's code for each token."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Parser:
    """Parses tagged tokens."""

    templates: NDArray[np.int16]
    n_bits: int
    weights: NDArray[np.int8]
    """Slots × (shift, left, right, nothing): a word of the processor each."""
    labels: LinearModel
    words: WordTable
    beam: int = 8
    slack: float = 1e9
    """Partial trees so far behind the best are let go, in units of the weights."""

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels' codes."""
        return self.labels.classes

    def parse(self, tokens: Tokens, joint: NDArray[np.int32], *, beam: int | None = None) -> Trees:
        """Return the tree of each sentence, given the joint tags of the tagger."""
        beam = self.beam if beam is None else beam
        if beam < 1:
            raise SettingsError(f"beam is {beam}; allowed: from 1 up")
        rows = _rows(tokens, joint, self.words)
        heads, labels = np.full(len(tokens), -1, np.int32), np.zeros(len(tokens), np.int32)
        pieces, whole = _pieces(tokens.sentences)
        parse_batch(
            pieces, rows, beam, self.slack, self.templates, 64 - self.n_bits, self.weights,
            self.labels.templates, 64 - self.labels.n_bits, *self.labels.slots.arrays, self.labels.weights.arrays,
            len(self.label_names), self.label_names.index("root"), heads, labels,
        )  # fmt: skip
        if not whole:
            names = self.label_names
            _join_pieces(tokens.sentences, heads, labels, names.index("parataxis") if "parataxis" in names else 0)
        return Trees(heads, labels)

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`; the table of words is kept in its own file."""
        facts, arrays = self.labels.parts("labels")
        transitions = {f"transitions_{k}": self.weights[:, k] for k in range(3)}  # one by one they pack better
        arrays |= {"templates": self.templates} | transitions
        save_arrays(path, "text/parser", facts | {"bits": self.n_bits, "beam": self.beam, "slack": self.slack}, arrays)

    @classmethod
    def load(cls, path: str | Path, words: WordTable) -> "Parser":
        """Read what `save` wrote."""
        arrays: dict[str, NDArray[Any]] = {}
        with open_arrays(path, "text/parser") as (facts, stored):
            weights = np.zeros((1 << facts["bits"], 4), np.int8)
            for name, array in stored:
                if name.startswith("transitions_"):
                    weights[:, int(name[-1])] = array
                else:
                    arrays[name] = array
        labels = LinearModel.of_parts("labels", facts, arrays)
        return cls(arrays["templates"], facts["bits"], weights, labels, words, facts["beam"], facts["slack"])


def train_parser(
    treebank: Treebank,
    joint: NDArray[np.int32],
    words: WordTable,
    *,
    runs: Sequence[ParserTraining] = PARSER_TRAINING,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Parser:
    """Learn trees from a treebank and the (jackknifed) joint tags of its tokens: several runs, their weights added."""
    gold = _Gold.of(treebank, joint, words)
    return _added([_train(gold, words, training, seed, progress) for training in runs])


def _train(gold: "_Gold", words: WordTable, training: ParserTraining, seed: int, progress: Progress) -> Parser:
    shift, bits = 64 - training.n_bits, training.n_bits
    templates, label_templates = _templates(_TRANSITIONS), _templates(_LABELS)
    counts = np.zeros(1 << bits, np.uint8)
    count_label_slots(
        gold.rows, gold.sentences, gold.actions, gold.labels, gold.projective, label_templates, shift, counts
    )
    slots = Slots.of(np.flatnonzero(counts >= training.least_count), bits)
    label_weights = np.zeros((len(slots), len(gold.names)), np.float32)
    weights = np.zeros((1 << bits, 4), np.float32)
    sums, label_sums, step = np.zeros_like(weights), np.zeros_like(label_weights), 1
    usable, state = np.flatnonzero(gold.projective), kernel_state(seed, "parser")
    with progress.task("parser", training.n_epochs, "epochs") as task:
        for epoch in range(training.n_epochs):
            order = usable[stream(seed, "parser", epoch).permutation(len(usable))]
            step, right, labelled = train_epoch(
                order, gold.sentences, gold.rows, gold.heads, gold.labels, gold.actions, training.beam, training.slack,
                training.dropout, state, training.margin, templates, shift, weights, sums, label_templates, shift,
                *slots.arrays, label_weights, label_sums, gold.names.index("root"), step,
            )  # fmt: skip
            task.advance(1, heads=right / len(gold.heads), labels=labelled / len(gold.heads))
    weights -= sums / np.float32(step)
    label_weights -= label_sums / np.float32(step)
    labels = LinearModel.of_weights(gold.names, label_templates, bits, slots.numbers, label_weights)
    small, scale = to_bytes(weights)
    return Parser(templates, bits, small, labels, words, training.beam, round(training.slack * scale, 3))


def _added(parsers: Sequence[Parser]) -> Parser:
    """Return one parser whose weights are the sums of several; their templates are the same."""
    first = parsers[0]
    if len(parsers) == 1:
        return first
    weights, scale = to_bytes(np.sum([parser.weights for parser in parsers], axis=0, dtype=np.float32))
    weights[np.abs(weights) <= 1] = 0  # a twentieth of the file; on development text within 0.05 of the score
    slots = np.unique(np.concatenate([parser.labels.slots.numbers for parser in parsers]))
    total = np.zeros((len(slots), len(first.label_names)), np.float32)
    for parser in parsers:
        total[np.searchsorted(slots, parser.labels.slots.numbers)] += parser.labels.weights.dense(total.shape[1])
    labels = LinearModel.of_weights(first.label_names, first.labels.templates, first.labels.n_bits, slots, total)
    slack = round(scale * sum(parser.slack for parser in parsers), 3)
    return Parser(first.templates, first.n_bits, weights, labels, first.words, first.beam, slack)


@dataclass(frozen=True, eq=False)
class _Gold:
    """A treebank as the kernels want it."""

    sentences: NDArray[np.int32]
    rows: NDArray[np.uint32]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    actions: NDArray[np.int8]
    projective: NDArray[np.bool_]
    names: tuple[str, ...]

    @classmethod
    def of(cls, treebank: Treebank, joint: NDArray[np.int32], words: WordTable) -> "_Gold":
        sentences = treebank.tokens.sentences
        begins = np.repeat(sentences[:-1], np.diff(sentences))
        heads = np.where(treebank.heads < 0, -1, treebank.heads - begins).astype(np.int32)
        actions, projective = np.zeros(2 * len(heads), np.int8), np.zeros(len(treebank), np.bool_)
        for s in range(len(treebank)):
            a, b = int(sentences[s]), int(sentences[s + 1])
            projectivise(heads[a:b])
            projective[s] = gold_actions(heads[a:b], actions[2 * a : 2 * b])
        counts = sorted(Counter(treebank.labels).items(), key=lambda item: (-item[1], item[0]))
        names = tuple(name for name, _ in counts)
        codes = {name: k for k, name in enumerate(names)}
        labels = np.array([codes[label] for label in treebank.labels], np.int32)
        return cls(sentences, _rows(treebank.tokens, joint, words), heads, labels, actions, projective, names)


def _rows(tokens: Tokens, joint: NDArray[np.int32], words: WordTable) -> NDArray[np.uint32]:
    """Return what templates see of each token: word, tag, clusters from fine to coarse."""
    all_columns = attributes_of(tokens, words)
    wanted = [COLUMNS.index(name) for name in ("lower", "cluster", "cluster_mid", "cluster_coarse")]
    rows = all_columns[:, [wanted[0], *wanted]]
    rows[:, 1] = joint + 1
    return np.ascontiguousarray(rows)


def _pieces(sentences: NDArray[np.int32]) -> tuple[NDArray[np.int32], bool]:
    """Return sentences with long ones cut, and whether none was."""
    sizes = np.diff(sentences)
    if not len(sizes) or sizes.max() <= LONGEST:
        return sentences, True
    parts = [np.arange(a, b, LONGEST) for a, b in pairwise(sentences.tolist())]
    return np.append(np.concatenate(parts), sentences[-1]).astype(np.int32), False


def _join_pieces(
    sentences: NDArray[np.int32], heads: NDArray[np.int32], labels: NDArray[np.int32], parataxis: int
) -> None:
    roots = np.flatnonzero(heads < 0)
    owner = np.searchsorted(sentences, roots, "right") - 1
    first = np.searchsorted(owner, owner, "left")
    later = first < np.arange(len(roots))
    heads[roots[later]] = roots[first[later]]
    labels[roots[later]] = parataxis


def _templates(text: str) -> NDArray[np.int16]:
    """Read templates: atoms joined by `&`; a slot with several values (`s0wt`) is several atoms."""
    places = {name: k for k, name in enumerate(ATOMS)}
    found = [[places[atom] for part in item.split("&") for atom in _atoms(part, places)] for item in text.split()]
    out = np.zeros((len(found), 1 + max(len(parts) for parts in found)), np.int16)
    for row, parts in zip(out, found, strict=True):
        row[0], row[1 : 1 + len(parts)] = len(parts), parts
    return out


def _atoms(part: str, places: dict[str, int]) -> Sequence[str]:
    if part in places:
        return [part]
    for slot in sorted(SLOTS, key=len, reverse=True):
        atoms = [slot + value for value in part[len(slot) :]]
        if part.startswith(slot) and all(atom in places for atom in atoms):
            return atoms
    raise SettingsError(f"no template is made of {part!r}", hint="Atoms: " + ", ".join(ATOMS))
