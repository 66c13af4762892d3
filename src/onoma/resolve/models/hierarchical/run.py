"""Resolving a table by trees: weights, shards over threads, cooling, and when to stop."""

import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.models.hierarchical.folding import MentionFolding, fold_mentions
from onoma.resolve.models.hierarchical.learning import learn_bags
from onoma.resolve.models.hierarchical.mentions import Shard, TreeColumns, TreeTable
from onoma.resolve.models.hierarchical.rank import TreeRankSettings, rank_trees
from onoma.resolve.models.hierarchical.trees import (
    BagScores,
    NameScores,
    StructureScores,
    TreeChain,
    TreeMoves,
    TreeScores,
)
from onoma.resolve.models.hierarchical.whole_names import NameColumn, name_scores, rare_names

__all__ = [
    "PAPER_NAMES",
    "Round",
    "TreeRun",
    "TreeSettings",
    "in_company",
    "paper_scores",
    "resolve_trees",
]

NAMES = NameScores(match=0.0, initial=-0.5, alike=-2.0, shared=-5.0, differ=-10.0, rest=-6.0)
"""Log probabilities of a form given the entity's name, roughly."""
FAMILY = NameScores(match=0.0, initial=-3.0, alike=-3.0, shared=-2.0, differ=-10.0, rest=-4.0)
STRUCTURE = StructureScores(root=0.0, inner=-8.0, crowd=1.0)
ARRANGED = StructureScores(inner=-2.0, only_gains=True)
"""Once entities stand, their trees are arranged by likeness."""
PAPER_NAMES = NameScores(match=2.0, initial=1.0, alike=1.0, shared=-8.0, differ=-8.0, rest=-8.0)
_N_GUESSES = 4
"""How often the number of entities of a name is guessed anew where names do not tell."""


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """How trees are grown."""

    seed: int = 0
    threads: int = 2
    n_rounds: int = 12
    """At most; a canopy in which a round changes nothing is left."""
    per_mention: float = 10.0
    """Steps of a round for each mention of a canopy."""
    heat: float = 1.0
    cold: float = 0.1
    """The first and the last temperature."""
    near: float = 0.5
    reshape: float = 0.05
    arrange: float = 20.0
    """Steps for each mention to arrange the trees of entities that stand."""
    rank: TreeRankSettings = field(default_factory=TreeRankSettings)
    """How given weights learn from labels."""
    settled: float = 0.001
    """Stop when a round changes log score and number of entities by less than this share."""

    def __post_init__(self) -> None:
        if not (self.n_rounds >= 1 and self.per_mention > 0 and 0 < self.cold <= self.heat and self.threads >= 1):
            raise SettingsError("rounds, steps, threads and temperatures must be positive, and cold not above heat")


@dataclass(frozen=True)
class Round:
    """What a round came to."""

    temperature: float
    seconds: float
    """Processor time of all threads so far."""
    n_proposals: int
    n_accepted: int
    n_entities: int
    gain: float
    """Log score gained so far."""


@dataclass(frozen=True, eq=False)
class TreeRun:
    """Trees over a table."""

    labels: NDArray[np.int64]
    """By row, one row of its entity."""
    folding: MentionFolding
    shards: Sequence[Shard]
    """Their rows are mentions of the folding."""
    chains: Sequence[TreeChain]
    scores: TreeScores
    rounds: Sequence[Round]
    columns: TreeColumns
    threads: int = 1

    @property
    def clustering(self) -> Clustering:
        """The entities: mentions of one tree."""
        return Clustering.from_labels(self.labels)

    def sample(self, n_samples: int, *, per_mention: int = 5, progress: Progress = SILENT) -> NDArray[np.int32]:
        """Go on from these trees at temperature 1, sampling the model; the trees stay as they are.

        Returns by sample and row one row of its entity.
        """
        chains = [chain.sampling_copy() for chain in self.chains]

        def step(k: int) -> None:
            chains[k].run(per_mention * np.diff(self.shards[k].canopies), temperature=1.0)

        drawn = np.empty((n_samples, len(self.labels)), np.int32)
        with (
            ThreadPoolExecutor(self.threads) as pool,
            progress.task("sampling", total=n_samples, unit="samples") as task,
        ):
            for sample in drawn:
                list(pool.map(step, range(len(chains))))
                sample[:] = self.folding.unfold(_mention_labels(self.shards, chains))
                task.advance()
        return drawn

    def name_of(self, k: int, node: int) -> str:
        """Return what a node of a shard goes by."""
        names = self.columns.names
        firsts = np.cumsum([0, *(len(each.forms) for each in names)])
        values = self.chains[k].forest.value[node, : len(names)].tolist()
        return " ".join(
            str(each.forms[value - first])
            for each, first, value in zip(names, firsts, values, strict=False)
            if value >= 0
        )

    def words_of(self, k: int, node: int, n: int) -> list[str]:
        """Return the words that tell most of a node: more frequent here than elsewhere, n·log(share / p)."""
        counts = self.chains[k].words_of(node)
        mentions, firsts = self.shards[k].mentions, np.cumsum([0, *(len(each.words) for each in self.columns.bags)])
        words = np.fromiter(counts, np.int64, len(counts))
        often = np.fromiter(counts.values(), np.float64, len(counts))
        total = np.bincount(mentions.field[words], often, minlength=1)[mentions.field[words]]
        tells = often * (np.log(often / total) + mentions.weights[words, 2])
        best = words[np.lexsort((words, -tells))[:n]].tolist()
        fields = [int(mentions.field[word]) for word in best]
        return [str(self.columns.bags[f].words[word - int(firsts[f])]) for f, word in zip(fields, best, strict=True)]


def paper_scores(n_names: int, n_bags: int) -> TreeScores:
    """Return the weights of Wick, Singh and McCallum, set by hand for authors."""
    return TreeScores(bags=[BagScores(cosine=4.0)] * n_bags, names=[PAPER_NAMES] * n_names)


def resolve_trees(
    columns: TreeColumns,
    *,
    settings: TreeSettings | None = None,
    scores: TreeScores | None = None,
    labels: NDArray[np.int64] | None = None,
    watch: Callable[[Round, NDArray[np.int64]], bool] | None = None,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
) -> TreeRun:
    """Grow trees over mentions; weights are learnt without labels unless they are given.

    Parameters
    ----------
    columns
        The mentions.
    settings
        Effort and seed.
    scores
        Weights; None: learnt from labels, from rare names, or else from the entities first found.
    labels
        By mention its true entity, -1 where it is not known: fields are weighed by them; given weights are improved by
        SampleRank (`rank_trees`).
    watch
        Told of each round and the entity of each mention; True ends the run.
    """
    settings = settings or TreeSettings()
    if scores is not None:
        nothing: list[NDArray[np.float32] | None] = [None] * len(columns.names)
        if labels is not None:
            folding, shards = _lay_out(columns, scores, nothing)
            known = labels[folding.kept]
            scores = rank_trees(shards, known, scores, seed=settings.seed, settings=settings.rank, progress=progress)
        return _grow(columns, scores, nothing, settings, watch, progress, stop)
    if len(columns.names) >= 2:
        rates = name_scores(columns.names[0], columns.names[1])
        known = rare_names(columns.names[0], columns.names[1], rates) if labels is None else in_company(labels)
        bags = learn_bags(columns.bags, known, columns.kinds, seed=settings.seed)
        names = [NAMES, FAMILY, *[NAMES] * (len(columns.names) - 2)]
        roots = [*rates, *[None] * (len(columns.names) - 2)]
        learnt = TreeScores(bags=_plain(bags), names=names, structure=STRUCTURE)
        return _grow(columns, learnt, roots, settings, watch, progress, stop)
    return _guess(columns, settings, labels, watch, progress, stop)


def _guess(
    columns: TreeColumns,
    settings: TreeSettings,
    known: NDArray[np.int64] | None,
    watch: Callable[[Round, NDArray[np.int64]], bool] | None,
    progress: Progress,
    stop: Stop,
) -> TreeRun:
    """Resolve where names do not tell how many people have them: from the entities found, and again.

    The number of a canopy's entities is guessed from those found before; the fields' scores are learnt from labels, or
    else from these once.
    """
    n_canopies = int(columns.canopy.max(initial=0)) + 1
    found = np.sqrt(np.bincount(columns.canopy, minlength=n_canopies))
    bags = list(columns.kinds)
    if known is not None:
        bags = learn_bags(columns.bags, in_company(known), columns.kinds, seed=settings.seed)
    marked = replace(columns, names=[*columns.names, _canopy_name(columns.canopy)])
    names = [
        *[NAMES] * len(columns.names),
        NameScores(match=0.0, initial=0.0, alike=0.0, shared=0.0, differ=0.0, rest=0.0),
    ]
    for turn in range(_N_GUESSES + 1):
        learnt = TreeScores(bags=_plain(bags), names=names, structure=replace(STRUCTURE, root=-0.5))
        roots = [*[None] * len(columns.names), np.log(np.maximum(found, 1.0)).astype(np.float32)]
        last = turn == _N_GUESSES
        effort = settings if last else replace(settings, arrange=0.0)  # trees that are not kept need no order
        run = _grow(marked, learnt, roots, effort, watch if last else None, progress, stop)
        clustering = run.clustering
        first = clustering.order[clustering.offsets[:-1]]
        found = np.bincount(columns.canopy[first], minlength=n_canopies).astype(np.float64)
        if turn == _N_GUESSES - 1 and known is None:
            bags = learn_bags(columns.bags, in_company(clustering.labels), columns.kinds, seed=settings.seed)
    return replace(run, columns=columns)


def _plain(bags: Sequence[BagScores]) -> list[BagScores]:
    """Return scores without cosines: likeness arranges trees, it does not decide what is one entity."""
    return [replace(bag, cosine=0.0) for bag in bags]


def in_company(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return labels without those that one mention alone has, which become -1."""
    sizes = np.bincount(labels[labels >= 0], minlength=1)
    return np.where((labels >= 0) & (sizes[labels] > 1), labels, -1)


def _canopy_name(canopy: NDArray[np.int64]) -> NameColumn:
    """Return the canopies as a name of which each entity has one."""
    n = int(canopy.max(initial=0)) + 1
    return NameColumn(canopy.astype(np.int32), pa.array([f"canopy{k}" for k in range(n)]))


def _grow(
    columns: TreeColumns,
    scores: TreeScores,
    roots: Sequence[NDArray[np.float32] | None],
    settings: TreeSettings,
    watch: Callable[[Round, NDArray[np.int64]], bool] | None,
    progress: Progress,
    stop: Stop,
) -> TreeRun:
    folding, shards = _lay_out(columns, scores, roots)
    chains = [
        TreeChain(
            shard.mentions,
            shard.canopies,
            scores,
            seed=settings.seed,
            keys=(k,),
            moves=TreeMoves(settings.near, settings.reshape),
        )
        for k, shard in enumerate(shards)
    ]
    growth = _Growth(shards, chains, settings, folding)
    growth.run(watch, progress, stop)
    growth.arrange(scores, columns.kinds)
    return TreeRun(growth.labels(), folding, shards, chains, scores, growth.rounds, columns, settings.threads)


def _lay_out(
    columns: TreeColumns, scores: TreeScores, roots: Sequence[NDArray[np.float32] | None]
) -> tuple[MentionFolding, list[Shard]]:
    """Fold rows that are the same, and lay the mentions out in shards of whole canopies."""
    exclusive = [each.exclusive > 0.0 for each in scores.bags]
    folding = fold_mentions(columns.canopy, columns.names, columns.bags, exclusive)
    kept = columns.take(folding.kept)
    table = TreeTable(
        kept.canopy,
        kept.names,
        kept.bags,
        alphas=[each.alpha for each in scores.bags],
        linking=columns.linking,
        root_scores=roots,
        n_rows=folding.n_rows,
    )
    return folding, table.shards()


class _Growth:
    """Rounds over all shards, cooling."""

    def __init__(
        self, shards: Sequence[Shard], chains: Sequence[TreeChain], settings: TreeSettings, folding: MentionFolding
    ) -> None:
        self._shards, self._chains, self._settings, self._folding = shards, chains, settings, folding
        self._calm = [np.zeros(len(shard.canopies) - 1, np.int64) for shard in shards]
        self._seconds = np.zeros(len(shards))
        self.rounds: list[Round] = []

    def run(self, watch: Callable[[Round, NDArray[np.int64]], bool] | None, progress: Progress, stop: Stop) -> None:
        """Run until nothing changes any more, or the last round."""
        settings = self._settings
        temperatures = np.geomspace(settings.heat, settings.cold, settings.n_rounds)
        with (
            ThreadPoolExecutor(settings.threads) as pool,
            stop.heeded() as is_asked,
            progress.task("growing trees", total=settings.n_rounds, unit="rounds") as task,
        ):
            for temperature in temperatures.tolist():
                list(pool.map(self._round, range(len(self._shards)), itertools.repeat(temperature)))
                self.rounds.append(self._summary(temperature))
                task.advance()
                if is_asked() or (watch is not None and watch(self.rounds[-1], self.labels())) or self._is_settled():
                    return

    def arrange(self, scores: TreeScores, kinds: Sequence[BagScores]) -> None:
        """Arrange the trees of entities by likeness, unless the model itself looks at cosines."""
        if self._settings.arrange == 0 or any(bag.cosine > 0.0 for bag in scores.bags):
            return
        bags = [replace(bag, cosine=kind.cosine) for bag, kind in zip(scores.bags, kinds, strict=True)]
        alike = replace(scores, bags=bags, structure=replace(ARRANGED, crowd=scores.structure.crowd))

        def work(k: int) -> None:
            sizes = np.diff(self._shards[k].canopies)
            for temperature in (1.0, 0.1):
                n_steps = np.ceil(0.5 * self._settings.arrange * sizes).astype(np.int64)
                self._chains[k].arrange(alike, n_steps, temperature=temperature)

        with ThreadPoolExecutor(self._settings.threads) as pool:
            list(pool.map(work, range(len(self._shards))))

    def _round(self, k: int, temperature: float) -> None:
        """Make a round's steps in one shard; canopies in which two rounds changed nothing are left alone."""
        begun = time.thread_time()
        chain, shard = self._chains[k], self._shards[k]
        moved = chain.moved.copy()
        n_steps = np.ceil(self._settings.per_mention * np.diff(shard.canopies)).astype(np.int64)
        chain.run(np.where(self._calm[k] < 2, n_steps, 0), temperature=temperature)
        self._calm[k] = np.where(chain.moved > moved, 0, self._calm[k] + 1)
        self._seconds[k] += time.thread_time() - begun

    def _summary(self, temperature: float) -> Round:
        chains = self._chains
        return Round(
            temperature,
            float(self._seconds.sum()),
            sum(chain.n_proposals for chain in chains),
            sum(chain.n_accepted for chain in chains),
            sum(chain.n_entities for chain in chains),
            float(sum(chain.gains.sum() for chain in chains)),
        )

    def _is_settled(self) -> bool:
        if len(self.rounds) < 3:
            return False
        last, before = self.rounds[-1], self.rounds[-2]
        share = self._settings.settled
        is_cold = last.temperature <= 2.0 * self._settings.cold
        steady = abs(last.gain - before.gain) <= share * abs(last.gain)
        return is_cold and steady and abs(last.n_entities - before.n_entities) <= share * last.n_entities

    def labels(self) -> NDArray[np.int64]:
        """Return by row of the table one row of its entity."""
        return self._folding.unfold(_mention_labels(self._shards, self._chains))


def _mention_labels(shards: Sequence[Shard], chains: Sequence[TreeChain]) -> NDArray[np.int64]:
    """Return for each mention the first one, in the order of canopies, of its entity."""
    labels = np.empty(sum(len(shard.rows) for shard in shards), np.int64)
    for shard, chain in zip(shards, chains, strict=True):
        roots = chain.roots
        first = np.full(int(roots.max(initial=0)) + 1, len(roots), np.int64)
        np.minimum.at(first, roots, np.arange(len(roots)))
        labels[shard.rows] = shard.rows[first[roots]]
    return labels
