"""Weights of trees learnt from labels by SampleRank: a chain moves subtrees, and each move teaches.

A subtree is taken out and put elsewhere. Let Δ be what that does to the features (`features_of`) and ΔF how many more
pairs of labelled rows it puts together rightly than wrongly. If the model does not prefer the side that the truth
prefers by a margin, the weights move along Δ, just so far that it does, at most by a rate. The weights returned are
their mean over all steps. What is not linear in the scores (α and d of fields, how large entities are) stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.numerics.rng import kernel_state
from onoma.progress import SILENT, Progress
from onoma.resolve.models.hierarchical._moves_kernels import Plan
from onoma.resolve.models.hierarchical._rank_kernels import N_FORMS, Learning, add_features, rank_canopies
from onoma.resolve.models.hierarchical.mentions import Shard
from onoma.resolve.models.hierarchical.trees import NameScores, TreeChain, TreeScores

__all__ = ["TreeRankSettings", "features_of", "rank_trees"]


@dataclass(frozen=True, kw_only=True)
class TreeRankSettings:
    """How weights are learnt by SampleRank."""

    n_steps: int = 300_000
    """Moves, at most 100 for each labelled mention and epoch."""
    n_epochs: int = 3
    """How often the chains start anew, from mentions that are alone."""
    rate: float = 0.02
    """The most of a move's features that the weights move by."""
    margin: float = 1.0
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if self.n_steps < 1 or self.n_epochs < 1 or not (self.rate > 0 and self.margin >= 0 and self.temperature > 0):
            raise SettingsError(
                f"steps are {self.n_steps}, epochs {self.n_epochs}, rate {self.rate}, margin {self.margin}, "
                f"temperature {self.temperature}; all must be positive, the margin may be 0"
            )


def rank_trees(
    shards: Sequence[Shard],
    labels: NDArray[np.int64],
    start: TreeScores,
    *,
    seed: int,
    settings: TreeRankSettings | None = None,
    progress: Progress = SILENT,
) -> TreeScores:
    """Return weights that rank forests as the labels do.

    Parameters
    ----------
    shards
        The mentions.
    labels
        By mention its true entity; -1: not known.
    start
        Weights to start from.
    seed
        Of the chains.
    """
    settings = settings or TreeRankSettings()
    weights = pack(start)
    n_labels = int(labels.max(initial=-1)) + 1
    learning = Learning(
        weights,
        np.zeros(len(weights)),
        _free(start),
        np.where(np.arange(len(weights)) < 2 * len(start.bags), 0.0, -np.inf),
        np.zeros(3, np.int64),
        np.zeros((2, len(weights))),
        np.zeros(n_labels + 1, np.int64),
    )
    known = max(int((labels >= 0).sum()), 1)
    per_mention = min(100.0, settings.n_steps / (settings.n_epochs * known))
    with progress.task("SampleRank", settings.n_epochs * len(shards), "shards") as task:
        for epoch in range(settings.n_epochs):
            for k, shard in enumerate(shards):
                _learn_shard(shard, labels[shard.rows], start, learning, per_mention, settings, (seed, epoch, k))
                task.advance()
    n = int(learning.counts[0])
    return unpack(start, learning.total / n if n else weights)


def _learn_shard(
    shard: Shard,
    labels: NDArray[np.int64],
    start: TreeScores,
    learning: Learning,
    per_mention: float,
    settings: TreeRankSettings,
    key: tuple[int, int, int],
) -> None:
    """Run a chain over the canopies of a shard in which two mentions have labels."""
    seed, epoch, k = key
    n_known = np.add.reduceat((labels >= 0).astype(np.int64), shard.canopies[:-1])
    sizes = np.diff(shard.canopies)
    # A step that draws a mention without a label teaches nothing, so it is not counted.
    n_steps = np.where(n_known >= 2, np.ceil(per_mention * sizes), 0).astype(np.int64)
    if not n_steps.any():
        return
    chain = TreeChain(shard.mentions, shard.canopies, start, seed=seed, keys=("rank", epoch, k))
    plan = Plan(
        temperature=settings.temperature,
        is_exact=True,
        is_inside=False,
        is_flat=False,
        near=0.5,
        reshape=0.0,
        patience=np.inf,
    )
    state = kernel_state(seed, "trees", "rank", epoch, k)
    while not rank_canopies(
        state,
        shard.mentions,
        chain.forest,
        chain.scores,
        plan,
        shard.canopies,
        n_steps,
        labels,
        learning,
        settings.rate,
        settings.margin,
        chain.scratch,
    ):
        chain.grow()


def features_of(chain: TreeChain, shard: Shard) -> NDArray[np.float64]:
    """Return the features of a chain's trees: `pack` of its weights times these is its log score."""
    found = np.zeros(2 * len(chain.scores.bags) + N_FORMS * len(chain.scores.names) + 4)
    for root in np.unique(chain.roots).tolist():
        add_features(shard.mentions, chain.forest, chain.scores, root, found)
    return found


def pack(scores: TreeScores) -> NDArray[np.float64]:
    """Return what can be learnt of weights in one list: evidence, cosines, names, structure; the last one is 1."""
    names = [value for each in scores.names for value in _name_weights(each)]
    s = scores.structure
    evidence, cosines = [each.evidence for each in scores.bags], [each.cosine for each in scores.bags]
    return np.array([*evidence, *cosines, *names, s.root, s.inner, s.shape, 1.0])


def unpack(start: TreeScores, weights: NDArray[np.float64]) -> TreeScores:
    """Return scores with the weights of such a list."""
    w = weights.tolist()
    n = len(start.bags)
    bags = [replace(each, evidence=w[f], cosine=w[n + f]) for f, each in enumerate(start.bags)]
    firsts = [2 * n + N_FORMS * k for k in range(len(start.names))]
    names = [NameScores(**dict(zip(_PARTS, w[first : first + N_FORMS], strict=True))) for first in firsts]
    root, inner, shape = w[-4:-1]
    return replace(
        start, bags=bags, names=names, structure=replace(start.structure, root=root, inner=inner, shape=shape)
    )


_PARTS = ("match", "initial", "alike", "shared", "differ", "rest")


def _name_weights(scores: NameScores) -> list[float]:
    return [getattr(scores, part) for part in _PARTS]


def _free(start: TreeScores) -> NDArray[np.bool_]:
    """Return which weights are learnt: of fields that are in use, names, roots; with cosines, of the form of trees."""
    evidence, cosines = [each.evidence > 0.0 for each in start.bags], [each.cosine > 0.0 for each in start.bags]
    is_formed = any(cosines)
    return np.array([*evidence, *cosines, *[True] * (N_FORMS * len(start.names)), True, is_formed, is_formed, False])
