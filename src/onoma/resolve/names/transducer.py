"""How a name is changed letter by letter: a stochastic transducer with features, learnt without labels.

Reading a parent from left to right, one edit is drawn before each character â and at the end:

    Pr(edit | â) = exp(θ·f(â, edit)) / Σ over edits of exp(θ·f),     edit: copy â, delete â, substitute b, insert b

and at the end of the string only insert or stop. The features are the edit; the edit with the class and the case of â
and b; with â; with b; with both; and whether b is â but for case, or but for a mark. The probability of a child is the
sum over all edit sequences. A name made of nothing is written by the same model from an empty parent with an end
symbol of its own, which makes it a unigram model of letters.

After Andrews, Eisner and Dredze (2014).
"""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.logspace import log_sum_exp
from onoma.resolve.names._transducer_kernels import Tables, add_expected_counts, log_probabilities

__all__ = ["Alphabet", "Strings", "Transducer", "TransducerWeights"]

_MOST = 300
"""Characters with weights of their own; the rarer ones share one code."""
_CLASSES = ("L", "N", "P", "Z", "M")
"""Unicode categories by first letter: letters, numbers, punctuation, spaces, marks; and the rest."""
COPY, DELETE, SUBSTITUTE, INSERT = range(4)
_START = {COPY: 4.0, DELETE: 0.0, SUBSTITUTE: 0.0, INSERT: 0.0}
"""Where the biases begin, and are held: most characters are copied."""


def _class_of(letter: str) -> int:
    first = unicodedata.category(letter)[0]
    return _CLASSES.index(first) if first in _CLASSES else len(_CLASSES)


def _case_of(letter: str) -> int:
    return 1 if letter.isupper() else 2 if letter.islower() else 0


def _base_of(letter: str) -> str:
    apart = unicodedata.normalize("NFKD", letter.casefold())
    return apart[0] if apart else letter


class Alphabet:
    """The characters of some strings, numbered by how common they are; those beyond a limit share the last code.

    Parameters
    ----------
    texts
        The strings.
    most
        Characters with codes of their own.

    Examples
    --------
    >>> Alphabet(["abba", "ab"]).letters
    ['a', 'b']
    """

    def __init__(self, texts: Sequence[str], *, most: int = _MOST) -> None:
        seen = Counter(letter for text in texts for letter in text)
        ranked = sorted(seen, key=lambda letter: (-seen[letter], letter)) or [" "]
        self.letters = ranked[:most]
        self.n_others = len(ranked) - len(self.letters)
        self._codes = {letter: code for code, letter in enumerate(self.letters)}
        self.shown = self.letters + (ranked[most : most + 1])
        """A character for each code."""

    def __len__(self) -> int:
        return len(self.shown)

    def code(self, letter: str) -> int:
        """Return the code of a character."""
        return self._codes.get(letter, len(self.letters))

    @cached_property
    def log_share(self) -> NDArray[np.float64]:
        """For each code, the log share of one character in it."""
        shares = np.zeros(len(self))
        if self.n_others > 0:
            shares[-1] = -np.log(self.n_others)
        return shares


@dataclass(frozen=True, eq=False)
class Strings:
    """Strings as codes, one after the other."""

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    points: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[str], alphabet: Alphabet) -> "Strings":
        """Write strings in the codes of an alphabet that holds all their characters."""
        lengths = [len(text) for text in texts]
        joined = "".join(texts)
        points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int32)
        codes = np.fromiter((alphabet.code(letter) for letter in joined), np.int32, len(joined))
        return cls(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), codes, points)

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class TransducerWeights:
    """Weights of the features: one array per kind, all of which a step of learning changes."""

    bias: NDArray[np.float64]
    classes: NDArray[np.float64]
    """By edit, class of â (the two ends last) and class of b."""
    cases: NDArray[np.float64]
    read: NDArray[np.float64]
    """By edit and â; the two ends last."""
    written: NDArray[np.float64]
    pairs: NDArray[np.float64]
    """By edit (substitute, insert), â and b."""
    alike: NDArray[np.float64]
    """That b is â but for case; but for a mark."""
    stop: NDArray[np.float64]

    @classmethod
    def start(cls, n: int) -> "TransducerWeights":
        """Return the weights to begin with, for an alphabet of n codes."""
        k = len(_CLASSES) + 1
        bias = np.array([_START[edit] for edit in range(4)])
        bias[SUBSTITUTE] -= np.log(max(n, 1))
        bias[INSERT] -= np.log(max(n, 1))
        return cls(
            bias,
            np.zeros((4, k + 2, k)),
            np.zeros((4, 3, 3)),
            np.zeros((4, n + 2)),
            np.zeros((4, n)),
            np.zeros((2, n + 2, n)),
            np.array([2.0, 2.0]),
            np.array([2.0, -2.0]),
        )

    def arrays(self) -> tuple[NDArray[np.float64], ...]:
        """Return all weights, array by array."""
        return (
            self.bias, self.classes, self.cases, self.read, self.written, self.pairs, self.alike, self.stop,
        )  # fmt: skip


class Transducer:
    """The mutation model of characters.

    Parameters
    ----------
    alphabet
        What can be read and written.
    weights
        Of the features; None: those to begin with.
    """

    def __init__(self, alphabet: Alphabet, weights: TransducerWeights | None = None) -> None:
        self.alphabet = alphabet
        n = len(alphabet)
        self.weights = weights or TransducerWeights.start(n)
        self._start = TransducerWeights.start(n)
        shown = alphabet.shown
        self._class = np.array([_class_of(letter) for letter in shown], dtype=np.int64)
        self._case = np.array([_case_of(letter) for letter in shown], dtype=np.int64)
        low, base = [letter.casefold() for letter in shown], [_base_of(letter) for letter in shown]
        one = np.array([[x == y and i != j for j, y in enumerate(low)] for i, x in enumerate(low)])
        mark = np.array([[x == y and i != j for j, y in enumerate(base)] for i, x in enumerate(base)])
        self._alike = np.stack([one.reshape(n, n), (mark & ~one).reshape(n, n)]).astype(np.float64)
        self._sums = tuple(np.zeros_like(array) for array in self.weights.arrays())

    @cached_property
    def tables(self) -> Tables:
        """Return the log probabilities of all edits, normalised for each character read and for both ends."""
        copy, delete, substitute, insert, stop = self._scores()
        n = len(self.alphabet)
        inside = np.concatenate([copy[:, None], delete[:, None], substitute, insert[:n]], axis=1)
        log_z = log_sum_exp(inside, axis=1) if n else np.zeros(0)
        ends = log_sum_exp(np.concatenate([stop[:, None], insert[n:]], axis=1), axis=1)
        share = self.alphabet.log_share
        every = np.concatenate([log_z, ends])
        return (
            copy - log_z,
            delete - log_z,
            substitute - log_z[:, None] + share,
            insert - every[:, None] + share,
            stop - ends,
        )

    def _scores(self) -> Tables:
        w, n = self.weights, len(self.alphabet)
        k = self._class
        ends = np.array([len(_CLASSES) + 1, len(_CLASSES) + 2])
        rows, case_rows = np.concatenate([k, ends]), np.concatenate([self._case, [0, 0]])
        copy = w.bias[COPY] + w.classes[COPY, k, k] + w.cases[COPY, self._case, self._case] + w.read[COPY, :n]
        delete = w.bias[DELETE] + w.classes[DELETE, k, 0] + w.cases[DELETE, self._case, 0] + w.read[DELETE, :n]
        tables = []
        for edit in (SUBSTITUTE, INSERT):
            table = w.bias[edit] + w.classes[edit][rows][:, k] + w.cases[edit][case_rows][:, self._case]
            table = table + w.read[edit][:, None] + w.written[edit] + w.pairs[edit - SUBSTITUTE]
            tables.append(table)
        substitute = tables[0][:n] + np.tensordot(w.alike, self._alike, 1)
        # One code cannot be put for itself: that is a copy. Only the shared code stands for several characters.
        itself = np.eye(n, dtype=np.bool_)
        if self.alphabet.n_others > 1:
            itself[-1, -1] = False
        substitute[itself] = -np.inf
        return copy, delete, substitute, tables[1], w.stop.copy()

    def log_probabilities(
        self, strings: Strings, parents: NDArray[np.int32], children: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Return the log probability of each child given its parent; a parent of -1 is the empty one."""
        return log_probabilities(parents, children, strings.offsets, strings.codes, strings.points, self.tables)

    def expected_counts(
        self,
        strings: Strings,
        parents: NDArray[np.int32],
        children: NDArray[np.int32],
        weights: NDArray[np.float64],
    ) -> Tables:
        """Return how often each edit is expected to have been made, over pairs that count as often as they weigh."""
        counts: Tables = (
            np.zeros_like(self.tables[0]), np.zeros_like(self.tables[1]), np.zeros_like(self.tables[2]),
            np.zeros_like(self.tables[3]), np.zeros_like(self.tables[4]),
        )  # fmt: skip
        add_expected_counts(
            parents, children, weights, strings.offsets, strings.codes, strings.points, self.tables, counts
        )
        return counts

    def log_likelihood(self, counts: Tables) -> float:
        """Return Σ count·log Pr(edit), what a step of learning raises."""
        with np.errstate(invalid="ignore"):
            return float(sum(np.nansum(n * p) for n, p in zip(counts, self.tables, strict=True)))

    def gradient(self, counts: Tables) -> tuple[NDArray[np.float64], ...]:
        """Return the gradient of `log_likelihood` by the weights: observed less expected features."""
        n = len(self.alphabet)
        copy, delete, substitute, insert, stop = (np.where(np.isfinite(t), np.exp(t), 0.0) for t in self.tables)
        share = np.exp(self.alphabet.log_share)
        n_copy, n_delete, n_substitute, n_insert, n_stop = counts
        used = np.concatenate(
            [n_copy + n_delete + n_substitute.sum(1) + n_insert[:n].sum(1), n_stop + n_insert[n:].sum(1)]
        )
        return self._features(
            (
                n_copy - used[:n] * copy,
                n_delete - used[:n] * delete,
                n_substitute - used[:n, None] * substitute / share,
                n_insert - used[:, None] * insert / share,
                n_stop - used[n:] * stop,
            )
        )

    def _features(self, edits: Tables) -> tuple[NDArray[np.float64], ...]:
        """Return the sums of all features over edits that count so often."""
        copy, delete, substitute, insert, stop = edits
        n, k, c = len(self.alphabet), self._class, self._case
        w = TransducerWeights(*(np.zeros_like(array) for array in self.weights.arrays()))
        ends = np.array([len(_CLASSES) + 1, len(_CLASSES) + 2])
        rows, case_rows = np.concatenate([k, ends]), np.concatenate([c, [0, 0]])
        w.bias[:] = [copy.sum(), delete.sum(), substitute.sum(), insert.sum()]
        np.add.at(w.classes[COPY], (k, k), copy)
        np.add.at(w.classes[DELETE][:, 0], k, delete)
        np.add.at(w.cases[COPY], (c, c), copy)
        np.add.at(w.cases[DELETE][:, 0], c, delete)
        w.read[COPY, :n], w.read[DELETE, :n] = copy, delete
        for edit, table in ((SUBSTITUTE, substitute), (INSERT, insert)):
            m = len(table)
            np.add.at(w.classes[edit], (rows[:m, None], k[None, :]), table)
            np.add.at(w.cases[edit], (case_rows[:m, None], c[None, :]), table)
            w.read[edit, :m], w.written[edit] = table.sum(1), table.sum(0)
            w.pairs[edit - SUBSTITUTE, :m] = table
        w.alike[:] = np.tensordot(self._alike, substitute, 2)
        w.stop[:] = stop
        return w.arrays()

    def learn(self, counts: Tables, *, rate: float = 0.5, variance: float = 1.0) -> None:
        """Make one AdaGrad step up the log likelihood of counts, with normal priors about where the weights began."""
        total = max(sum(float(each.sum()) for each in counts), 1.0)
        for array, gradient, start, squares in zip(
            self.weights.arrays(), self.gradient(counts), self._start.arrays(), self._sums, strict=True
        ):
            slope = (gradient - (array - start) / variance) / total
            squares += slope**2
            array += rate * slope / np.sqrt(squares + 1e-12)
        self.__dict__.pop("tables", None)
