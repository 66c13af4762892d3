"""Part-of-speech tags (UPOS and XPOS) and morphology, by two linear models over hashed templates.

The first goes from left to right and gives each token a joint tag, such as `VERB|VBD`: both tag sets help each other
and never disagree. It sees words, their ends and shapes, what a dictionary says they can be, the clusters of words that
keep the same company, and its own last two choices. The second sees the tags on both sides and gives the features of
Universal Dependencies (number, person, tense…).

Cost: about sixty rows of weights a token; some 150,000 tokens a second on one core.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.learning.packing import load_arrays, save_arrays
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.text.linear import LinearModel, Told, Training, templates_of
from onoma.text.syntax.treebank import Treebank
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS, USAGE_COLUMNS, WordTable, attributes_of

__all__ = ["TAG_TRAINING", "Tagger", "Tags", "jackknife", "train_tagger"]

TAG_COLUMNS = (*COLUMNS, *USAGE_COLUMNS, "tag", "feats")
_TAG, _FEATS = len(TAG_COLUMNS) - 2, len(TAG_COLUMNS) - 1
_SHORT = {
    "w": "word", "l": "lower", "s1": "suffix1", "s2": "suffix2", "s3": "suffix3", "s4": "suffix4", "p1": "prefix1",
    "p2": "prefix2", "p3": "prefix3", "p4": "prefix4", "sh": "shape", "f": "flags", "c": "cluster",
    "m": "cluster_mid", "k": "cluster_coarse", "x": "lexicon", "u": "common", "cap": "capitals", "t": "tag",
}  # fmt: skip
_TAGS = """
w l s1 s2 s3 s4 p1 p2 p3 p4 sh f f&s1 sh&l c m k x x&s1 l-1 l+1 l-2 l+2 l-1&l l&l+1 l-1&l+1 c-1 c+1 c-2 c+2 m-1 m+1
c-1&c c&c+1 m-1&m&m+1 k-1&k&k+1 x-1 x+1 x+2 x&x+1 x-1&x x-1&x&x+1 s3-1 s3+1 sh-1 sh+1 f-1 f+1 f-1&f&f+1
u u-1 u+1 u&u+1 u-1&u u-1&u&u+1 u&cap&f cap&f cap&f&x u&s1 u+2 cap+1&f+1 cap-1&f-1 cap&f&f+1&f-1
t-1&u t-1&u&u+1 t-1&cap&f
t-1 t-1&t-2 t-1&l t-1&x t-1&c t-1&l+1 t-1&c+1 t-1&x+1 t-1&s3 t-1&s2 t-1&t-2&x t-1&m&m+1 t-1&x&x+1 t-1&f t-1&t-2&l
t-1&sh
"""
_MORPHOLOGY = """
t t&l t&s2 t&s3 t&x t&w t&t-1 t&t+1 t&l-1 t&l+1 t&t-1&l-1 t&t-2&l-2 t&l-1&l-2 t&t-1&t-2 t&t+1&t+2 t&l&t-1 t&l&t+1
t&l&l-1 t&l&l+1 t&c t&feats-1 t&feats-1&t-1 t&feats-2&t-2 t&feats-1&feats-2 t&l-3 t&t-3&l-3 t&sh t&f t&l+2
t&feats-3&t-3
"""
TAG_TRAINING = Training(n_epochs=12, margin=20.0, dropout=0.3)
MORPHOLOGY_TRAINING = Training(n_epochs=6, margin=20.0, dropout=0.3)
JACKKNIFE_TRAINING = Training(n_epochs=5, margin=20.0, dropout=0.3)
"""Taggers for the parser's training tags need be no better than the tagger is on unseen text."""


@dataclass(frozen=True, eq=False)
class Tags:
    """What a tagger found, coded: names are the tagger's."""

    joint: NDArray[np.int32]
    upos: NDArray[np.int32]
    xpos: NDArray[np.int32]
    feats: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tagger:
    """Tags tokens."""

    tags: LinearModel
    morphology: LinearModel
    words: WordTable

    @cached_property
    def upos_names(self) -> tuple[str, ...]:
        """Names of the UPOS codes."""
        return tuple(sorted({name.split("|", 1)[0] for name in self.tags.classes}))

    @cached_property
    def xpos_names(self) -> tuple[str, ...]:
        """Names of the XPOS codes."""
        return tuple(sorted({name.split("|", 1)[1] for name in self.tags.classes}))

    @property
    def feats_names(self) -> tuple[str, ...]:
        """Names of the codes of morphological features."""
        return self.morphology.classes

    @cached_property
    def _parts(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        pairs = [name.split("|", 1) for name in self.tags.classes]
        upos = np.array([self.upos_names.index(pair[0]) for pair in pairs], np.int32)
        return upos, np.array([self.xpos_names.index(pair[1]) for pair in pairs], np.int32)

    def tag(self, tokens: Tokens) -> Tags:
        """Return the tags of each token."""
        rows = attributes_of(tokens, self.words, 2, usage=True)
        joint = self.tags.predict(rows, tokens.sentences, _TAG, None)
        feats = self.morphology.predict(rows, tokens.sentences, _FEATS, None)
        upos, xpos = self._parts
        return Tags(joint, upos[joint], xpos[joint], feats)

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`; the table of words is kept in its own file."""
        facts, arrays = self.tags.parts("tags")
        more, others = self.morphology.parts("morphology")
        save_arrays(path, "text/tagger", facts | more, arrays | others)

    @classmethod
    def load(cls, path: str | Path, words: WordTable) -> "Tagger":
        """Read what `save` wrote."""
        facts, arrays = load_arrays(path, "text/tagger")
        tags, morphology = (LinearModel.of_parts(name, facts, arrays) for name in ("tags", "morphology"))
        return cls(tags, morphology, words)


def train_tagger(
    treebank: Treebank,
    words: WordTable,
    *,
    training: Training = TAG_TRAINING,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Tagger:
    """Learn tags and morphology from a treebank."""
    rows = attributes_of(treebank.tokens, words, 2, usage=True)
    gold, classes = joint_tags(treebank)
    tags = _fit_tags(treebank, rows, gold, classes, training, None, seed, progress)
    rows[:, _TAG] = gold + 1
    feats_names, feats = _coded(treebank.feats, least=2)
    templates = templates_of(_MORPHOLOGY, TAG_COLUMNS, _SHORT)
    morphology = LinearModel.fit(
        Told(rows, treebank.tokens.sentences, _FEATS, feats),
        feats_names,
        templates,
        MORPHOLOGY_TRAINING,
        seed=seed,
        progress=progress,
    )
    return Tagger(tags, morphology, words)


def jackknife(
    treebank: Treebank,
    words: WordTable,
    *,
    n_folds: int = 4,
    training: Training = JACKKNIFE_TRAINING,
    seed: int = 0,
    progress: Progress = SILENT,
) -> NDArray[np.int32]:
    """Return the joint tag of each token by a tagger that has not seen its sentence: what a parser learns from."""
    rows = attributes_of(treebank.tokens, words, 2, usage=True)
    gold, classes = joint_tags(treebank)
    fold = stream(seed, "jackknife").integers(0, n_folds, len(treebank))
    sentence = np.repeat(np.arange(len(treebank)), np.diff(treebank.tokens.sentences))
    out = np.zeros(len(treebank.words), np.int32)
    for k in range(n_folds):
        model = _fit_tags(treebank, rows, gold, classes, training, np.flatnonzero(fold != k), seed, progress)
        found = model.predict(rows.copy(), treebank.tokens.sentences, _TAG, None)
        unseen = fold[sentence] == k
        out[unseen] = found[unseen]
    return out


def joint_tags(treebank: Treebank) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return each token's joint tag, coded (-1 for one met once only), and the names."""
    names, codes = _coded([f"{u}|{x}" for u, x in zip(treebank.upos, treebank.xpos, strict=True)], least=2)
    return codes, names


def _fit_tags(
    treebank: Treebank,
    rows: NDArray[np.uint32],
    gold: NDArray[np.int32],
    classes: Sequence[str],
    training: Training,
    chosen: NDArray[np.int64] | None,
    seed: int,
    progress: Progress,
) -> LinearModel:
    templates = templates_of(_TAGS, TAG_COLUMNS, _SHORT)
    sentences = treebank.tokens.sentences
    return LinearModel.fit(
        Told(rows, sentences, _TAG, gold), classes, templates, training, chosen=chosen, seed=seed, progress=progress
    )


def _coded(values: Sequence[str], *, least: int) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the values met often enough, most frequent first, and the code of each value (-1 for others)."""
    counts = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    names = tuple(name for name, count in counts if count >= least)
    codes = {name: k for k, name in enumerate(names)}
    return names, np.array([codes.get(value, -1) for value in values], np.int32)
