"""Dynamic alignment with a knowledge base: chains and entries found together, left to right.

Each proper name comes with a ranked list of entries that it may mean. A mention is compared with every earlier one; the
*top* entry of the antecedent's list says by which other names the thing is known, and whether the mention's text is one
of them is a feature, by itself and with every other feature. The mention joins the best antecedent above a threshold,
and the two lists become one, ranked by how often an entry occurs in it, ties by relevance. So "Washington" and "Wash."
agree on the state though neither had it first. Static alignment is the same without the merging of lists.

Pairs have the features of Bengtson and Roth (2008), and those of the closest mention between the two that is coreferent
with the antecedent are merged in, but for what describes one mention alone. Learning is a linear SVM (hinge loss, L2)
on the k closest coreferent antecedents of each mention and all mentions between; a mention that is no pronoun is never
compared with a pronoun before it.

Zheng, Vilnis, Singh, Choi and McCallum, "Dynamic knowledge-base alignment for coreference resolution", CoNLL 2013.
Cost: O(n²) pairs of a document, each about forty additions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.coref._dynamic_kernels import decode, hinge_epoch, knowledge_of_pairs
from onoma.coref.attributes import Column
from onoma.coref.features import Prepared
from onoma.errors import SettingsError
from onoma.numerics.rng import stream

__all__ = ["MODES", "DynamicModel", "DynamicSettings", "Scene", "scene_of", "train_dynamic"]

MODES = {"none": 0, "static": 1, "dynamic": 2}
_BITS = 18
_DISTANCES = np.array([0, 1, 2, 3, 5, 8, 13, 21, 34])


@dataclass(frozen=True, eq=False)
class Scene:
    """A document's pairs and its candidates.

    Parameters
    ----------
    rows
        The features of each pair.
    single
        1 for templates that look at one mention alone.
    pronoun
        Which mentions are pronouns.
    lists
        The relevance of each candidate for each mention, 0: it is none.
    match
        Whether the text of a mention is a name of a candidate.
    labels
        The true entity of each mention, if that is known.
    """

    rows: NDArray[np.int32]
    single: NDArray[np.int64]
    pronoun: NDArray[np.int8]
    lists: NDArray[np.float64]
    match: NDArray[np.int8]
    labels: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.pronoun)


@dataclass(frozen=True)
class DynamicSettings:
    """How weights are learnt.

    Parameters
    ----------
    mode
        `"none"`, `"static"` or `"dynamic"`.
    n_closest
        The k closest coreferent antecedents that are examples, with all mentions between.
    penalty
        Of the weights' squares.
    epochs
        Passes over the pairs.
    """

    mode: str = "dynamic"
    n_closest: int = 3
    penalty: float = 1e-3
    epochs: int = 6
    seed: int = 0

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise SettingsError(f"there is no mode {self.mode!r}; modes are {', '.join(MODES)}")


@dataclass(frozen=True, eq=False)
class DynamicModel:
    """Weights, the mode they were learnt for, and the score above which mentions are linked."""

    weights: NDArray[np.float64]
    mode: str
    threshold: float = 0.0

    def resolve(self, scene: Scene, threshold: float | None = None) -> NDArray[np.int64]:
        """Return the entity of each mention: the number of its first mention."""
        labels = np.zeros(len(scene), np.int64)
        least = self.threshold if threshold is None else threshold
        parts = (scene.rows, scene.single, scene.pronoun, scene.lists, scene.match)
        decode(*parts, MODES[self.mode], self.weights, least, labels)
        return labels


def scene_of(
    prepared: Prepared,
    candidates: Sequence[Sequence[tuple[str, float]]],
    names: Sequence[Sequence[str]],
    texts: Sequence[str],
    labels: NDArray[np.int64] | None = None,
) -> Scene:
    """Describe the pairs of a document.

    Parameters
    ----------
    prepared
        Its mentions.
    candidates
        For each mention its entries with their relevance, best first; empty for all but proper names.
    names
        For each different entry, in the order in which they first appear, its names, folded.
    texts
        The text of each mention, folded in the same way.
    """
    n = len(prepared)
    number: dict[str, int] = {}
    for some in candidates:
        for entry, _ in some:
            number.setdefault(entry, len(number))
    lists = np.zeros((n, len(number)))
    for row, some in enumerate(candidates):
        for entry, relevance in some:
            lists[row, number[entry]] = max(relevance, 1e-9)
    match = np.zeros((len(number), n), np.int8)
    known = [frozenset(some) for some in names]
    for c, mine in enumerate(known):
        match[c] = [text in mine for text in texts]
    rows, single = _features(prepared)
    pronoun = (prepared.mentions.table[:, Column.TYPE] == 0).astype(np.int8)
    return Scene(rows, single, pronoun, lists, match, labels)


def train_dynamic(scenes: Sequence[Scene], settings: DynamicSettings) -> DynamicModel:
    """Learn weights from documents whose entities are known."""
    size = 2 << _BITS
    weights, total = np.zeros(size), np.zeros(size)
    parts = [_examples(scene, settings) for scene in scenes]
    rng = stream(settings.seed, "dynamic-alignment")
    step = 0
    for _ in range(settings.epochs):
        for number in rng.permutation(len(scenes)).tolist():
            chosen, merged, known, signs = parts[number]
            scene = scenes[number]
            order = rng.permutation(chosen)
            step = hinge_epoch(
                scene.rows, order, merged, known, signs, scene.single, settings.penalty, weights, total, step
            )
    return DynamicModel(weights - total / max(step, 1), settings.mode)


def _examples(
    scene: Scene, settings: DynamicSettings
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8], NDArray[np.float64]]:
    """Return the pairs to learn from, what is merged into all pairs, which are known, and which are true."""
    if scene.labels is None:
        raise SettingsError("a document to learn from needs its entities")
    n, labels = len(scene), scene.labels
    merged = np.full(n * (n - 1) // 2, -1, np.int64)
    known = np.zeros(n * (n - 1) // 2, np.int8)
    knowledge_of_pairs(labels, scene.lists, scene.match, settings.mode == "dynamic", merged, known)
    if settings.mode == "none":
        known[:] = 0
    chosen: list[int] = []
    signs = np.full(n * (n - 1) // 2, -1.0)
    for j in range(n):
        n_found = 0
        mine: list[int] = []
        for i in range(j - 1, -1, -1):
            if scene.pronoun[i] and not scene.pronoun[j]:
                continue
            mine.append(j * (j - 1) // 2 + i)
            if labels[i] == labels[j]:
                signs[mine[-1]] = 1.0
                n_found += 1
                if n_found == settings.n_closest:
                    break
        if n_found:  # what lies before the farthest of them is no example
            while signs[mine[-1]] < 0:
                mine.pop()
            chosen += mine
    return np.array(chosen, np.int64), merged, known, signs


def _features(prepared: Prepared) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the features of all pairs, in the hashed table, and which templates look at one mention alone."""
    table = prepared.mentions.table
    n = len(table)
    j, i = np.tril_indices(n, -1)
    order = np.lexsort((i, j))
    i, j = i[order], j[order]

    def both(column: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return table[i, column], table[j, column]

    def agree(column: int) -> NDArray[np.int64]:
        a, b = both(column)
        return np.where((a == 0) | (b == 0), 0, np.where(a == b, 1, 2))

    def same(column: int) -> NDArray[np.int64]:
        a, b = both(column)
        return (a == b).astype(np.int64)

    ti, tj = both(Column.TYPE)
    types = ti * 8 + tj
    sentences = np.searchsorted(_DISTANCES, table[j, Column.SENTENCE] - table[i, Column.SENTENCE])
    mentions = np.searchsorted(_DISTANCES, j - i)
    text, bare, head = same(Column.TEXT), same(Column.BARE_TEXT), same(Column.HEAD_TEXT)
    inside = (
        (table[i, Column.START] <= table[j, Column.START]) & (table[j, Column.END] <= table[i, Column.END])
    ).astype(np.int64)
    a, b = both(Column.INITIALS)
    short, later = both(Column.ABBREVIATION)
    acronym = (((a == later) & (a != 0)) | ((b == short) & (b != 0))).astype(np.int64)
    number, gender, animacy = agree(Column.NUMBER), agree(Column.GENDER), agree(Column.ANIMACY)
    person, speaker = agree(Column.PERSON), same(Column.SPEAKER)
    ei, ej = both(Column.ENTITY)
    match = text * 4 + bare * 2 + head
    agreement = number * 27 + gender * 9 + animacy * 3 + person
    pairs = [
        text, bare, head, inside, acronym, number, gender, animacy, person, ei * 16 + ej, (ei == ej).astype(np.int64),
        sentences, mentions, agreement, match, speaker, same(Column.GOVERNOR),
        (sentences == 0) * 64 + table[i, Column.RELATION],
    ]  # fmt: skip
    lexical = [table[i, Column.HEAD_WORD] * 65_536 + table[j, Column.HEAD_WORD]]
    pronouns = table[i, Column.PRONOUN] * 16 + table[j, Column.PRONOUN]
    mixed = [
        match * 16 + sentences, match * 128 + agreement, pronouns * 16 + sentences, pronouns * 128 + agreement,
        pronouns * 16 + mentions, match * 2 + acronym,
    ]  # fmt: skip
    alone = [ti, tj, table[j, Column.RELATION], table[j, Column.HEAD_WORD], table[j, Column.FIRST_WORD]]
    columns = [
        *pairs,
        *(value * 64 + types for value in pairs),
        *lexical,
        *(value * 64 + types for value in mixed),
        *alone,
    ]
    single = np.zeros(len(columns) + 1, np.int64)
    single[-1 - len(alone) :] = 1
    columns.append(np.zeros(len(i), np.int64))  # the bias
    hashed = [_hashed(np.asarray(value, np.int64), k) for k, value in enumerate(columns)]
    return np.stack(hashed, axis=1).astype(np.int32) if len(i) else np.zeros((0, len(columns)), np.int32), single


def _hashed(values: NDArray[np.int64], template: int) -> NDArray[np.int64]:
    """Return a place in the table for each value of a template."""
    salt = np.uint64(template * 0x9E3779B97F4A7C15 % (1 << 64))
    mixed = (values.astype(np.uint64) + salt) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0x94D049BB133111EB)
    return (mixed >> np.uint64(64 - _BITS)).astype(np.int64)
