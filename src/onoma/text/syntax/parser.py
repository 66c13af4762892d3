"""Dependency trees: every token is scored with every other as its head, and the best tree is kept.

A third recurrent layer reads the states of the `Reader` on; small layers then say what each token is like as a
dependent and as a head, and a bilinear form of the two is the score of the arc (Dozat and Manning, 2017), to which is
added how well a dependent of this kind goes with a head on that side and so far away. The tree is
the arborescence of greatest score with one root (Chu and Liu, 1965), crossing arcs allowed; each arc is then labelled
from the same layers.

A sentence of more than `reader.LONGEST` tokens is parsed in pieces, whose roots hang from the first piece's root as
`parataxis`.

Cost: some 350,000 multiplications a token, and 128 for each pair of tokens of a sentence.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.learning.neural._trees_kernels import best_tree
from onoma.learning.neural.gated import run_gated
from onoma.learning.neural.storage import ByteMatrix
from onoma.learning.packing import load_arrays, save_arrays
from onoma.text.reader import Reader, Reading, leaky, pieces_of, read_weights, stored_weights
from onoma.text.tokens import Tokens

__all__ = ["N_STEPS", "PARSER_MATRICES", "PARSER_NUMBERS", "Parser", "Trees", "steps_apart", "steps_between"]

PARSER_MATRICES = ("layer2", "pairs", "arcs", "steps", "labels")
PARSER_NUMBERS = ("bias2", "peep2", "pairs_bias", "arcs_bias", "root", "root_label", "label_steps", "labels_bias")

_STEPS = np.array([1, 2, 3, 4, 5, 6, 8, 11, 16, 26])
"""Distances told apart: each of the near ones, then wider and wider bands."""
N_STEPS = 2 * len(_STEPS) + 1


@dataclass(frozen=True, eq=False)
class Trees:
    """A head (a token of the batch, -1 for a root) and a label's code for each token."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Parser:
    """Parses tokens."""

    reader: Reader
    label_names: tuple[str, ...]
    """Names of the labels' codes."""
    matrices: Mapping[str, ByteMatrix]
    numbers: Mapping[str, NDArray[np.float32]]

    def parse(self, tokens: Tokens) -> Trees:
        """Return the tree of each sentence."""
        trees = self.nothing_yet(len(tokens))
        for reading in self.reader.read(tokens):
            self.parse_states(reading, trees)
        return self.joined(tokens, trees)

    @staticmethod
    def nothing_yet(n: int) -> Trees:
        """Return room for the trees of n tokens."""
        return Trees(np.full(n, -1, np.int32), np.zeros(n, np.int32))

    def joined(self, tokens: Tokens, trees: Trees) -> Trees:
        """Join the trees of the pieces of long sentences."""
        if not pieces_of(tokens.sentences)[1]:
            names = self.label_names
            parataxis = names.index("parataxis") if "parataxis" in names else 0
            _join_pieces(tokens.sentences, trees.heads, trees.labels, parataxis)
        return trees

    def parse_states(self, reading: Reading, trees: Trees) -> None:
        """Write the trees of sentences that were read."""
        first, sentences, states = reading
        times, w, n = self.matrices, self.numbers, len(states)
        n_arc, n_label = len(w["root"]), len(w["root_label"])
        top = run_gated(sentences, states, times["layer2"].times(states), w["bias2"], w["peep2"]).h
        made = leaky(times["pairs"].times(top) + w["pairs_bias"])
        head, dependent, label_head, label_dependent = np.split(made, (n_arc, 2 * n_arc, 2 * n_arc + n_label), axis=1)
        asked = times["arcs"].times(dependent) + w["arcs_bias"]
        aside = times["steps"].times(asked)
        found = np.empty(n, np.int32)
        options = np.empty((1 + int(np.diff(sentences).max(initial=0)), n_arc), np.float32)
        options[0] = w["root"]
        for a, b in pairwise(sentences.tolist()):
            options[1 : 1 + b - a] = head[a:b]
            scores = np.asarray(asked[a:b] @ options[: 1 + b - a].T, np.float32)
            scores[:, 1:] += np.take_along_axis(aside[a:b], steps_between(b - a), axis=1)
            found[a:b] = best_tree(scores)
        begins = np.repeat(sentences[:-1], np.diff(sentences))
        heads = np.where(found > 0, begins + found - 1, n)  # the last row stands for the root
        steps = np.where(found > 0, steps_apart(found - 1 - (np.arange(n) - begins)), 0)
        both = leaky(
            np.concatenate([label_head, w["root_label"][None]])[heads] + label_dependent + w["label_steps"][steps]
        )
        place = slice(first, first + n)
        trees.heads[place] = np.where(found > 0, heads + first, -1)
        trees.labels[place] = self._labels(times["labels"].times(both) + w["labels_bias"], found == 0)

    def _labels(self, scores: NDArray[np.float32], roots: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the best label of each arc; `root` is that of roots, and of no other."""
        if "root" in self.label_names:
            root = self.label_names.index("root")
            scores[:, root] = np.where(roots, np.float32(1e9), np.float32(-1e9))
        return scores.argmax(axis=1)

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`; the reader is kept in the tagger's file."""
        facts = {"labels": list(self.label_names), "reader": self.reader.mark}
        save_arrays(path, "text/parser", facts, stored_weights(self.matrices, self.numbers))

    @classmethod
    def load(cls, path: str | Path, reader: Reader) -> "Parser":
        """Read what `save` wrote."""
        facts, arrays = load_arrays(path, "text/parser")
        if facts["reader"] != reader.mark:
            raise DataError(
                "was not trained with the tagger beside it", file=path, hint="Take both files from one training."
            )
        return cls(reader, tuple(facts["labels"]), *read_weights(arrays, PARSER_MATRICES, PARSER_NUMBERS))


def steps_apart(distance: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the step of how far to the right (above 0) or left (below 0) a head is; there are `N_STEPS`.

    Examples
    --------
    >>> steps_apart(np.array([-300, -6, -1, 1, 2, 300])).tolist()
    [10, 6, 1, 11, 12, 20]
    """
    step = np.searchsorted(_STEPS, np.abs(distance), "right")
    return np.where(distance > 0, step + len(_STEPS), step)


def steps_between(n: int) -> NDArray[np.int64]:
    """Return the steps from each of n tokens (rows) to each as its head."""
    return _table_of_steps(1 << max(n - 1, 7).bit_length())[:n, :n]


@cache
def _table_of_steps(n: int) -> NDArray[np.int64]:
    places = np.arange(n)
    return steps_apart(places[None, :] - places[:, None])


def _join_pieces(
    sentences: NDArray[np.int32], heads: NDArray[np.int32], labels: NDArray[np.int32], parataxis: int
) -> None:
    roots = np.flatnonzero(heads < 0)
    owner = np.searchsorted(sentences, roots, "right") - 1
    first = np.searchsorted(owner, owner, "left")
    later = first < np.arange(len(roots))
    heads[roots[later]] = roots[first[later]]
    labels[roots[later]] = parataxis
