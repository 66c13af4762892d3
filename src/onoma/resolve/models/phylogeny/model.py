"""From names to who descends from whom: canopies, Monte Carlo EM, the posterior, its consensus.

Learning alternates two steps. E: sample orders and parents, given the weights. M: fit the mutation model to the
expected edits of the descents seen, the parent model to where they came from. Then the posterior is sampled, and the
clustering with the least expected loss is the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.progress import SILENT, Progress
from onoma.resolve.models.phylogeny.arborescence import best_parents
from onoma.resolve.models.phylogeny.forest import Descent, ForestSampler
from onoma.resolve.models.phylogeny.joint import JointSampler, TopicWeights
from onoma.resolve.models.phylogeny.mentions import Mentions, Nodes
from onoma.resolve.models.phylogeny.parents import ParentModel
from onoma.resolve.names.candidates import NodePairs, every_pair, near_names, pair_nodes
from onoma.resolve.names.letters import LetterMutations
from onoma.resolve.names.mutation import Mutations, MutationSettings
from onoma.resolve.names.names import WordedNames
from onoma.resolve.posterior.consensus import Consensus, find_consensus

__all__ = ["Mentions", "MutationModel", "NameModel", "Nodes", "Phylogeny", "PhylogenySettings", "fit_names"]


@dataclass(frozen=True, kw_only=True)
class PhylogenySettings:
    """How names are clustered."""

    seed: int = 0
    neighbours: int | None = 50
    """Names that each is held against; None: all others, which is exact and for small lists."""
    root_weight: float = 0.0
    """Added to the log weight of coming from nowhere, once all is learnt: above 0 more entities, below 0 fewer."""
    n_rounds: int = 8
    """Rounds of learning; 0: names change as names in general do."""
    n_sweeps: int = 40
    """Sweeps of each round."""
    n_burn_in: int = 50
    n_samples: int = 300
    threshold: float = 0.5
    """The price of a pair wrongly together; 1 - threshold is that of a pair wrongly apart."""
    mutation: MutationSettings = field(default_factory=MutationSettings)
    pragmatics: float = 0.0
    """How much writers avoid a name that is in use for another thing, where mentions of one name may be of several: a
    descent from the same name weighs the more, the more mentions have it, by their number to this power."""
    start: Literal["random", "arborescence"] = "arborescence"
    """The order in which the chain begins: any, or one that fits the best tree of descent."""
    by_letters: bool = False
    """Names change letter by letter alone, as first published; the root weight then stands while learning, too."""

    def __post_init__(self) -> None:
        if self.start not in ("random", "arborescence"):
            raise SettingsError(f"there is no start {self.start!r}", hint="There are random and arborescence.")


@dataclass(frozen=True, eq=False)
class Phylogeny:
    """Who descends from whom."""

    names: WordedNames
    """The distinct names."""
    nodes: Nodes
    pairs: NodePairs
    mutations: "MutationModel"
    parents: ParentModel
    descent: Descent
    consensus: Consensus
    acceptance: tuple[float, float] | None = None
    """Where topics are sampled: the shares of proposed orders and topics that were taken."""

    @property
    def labels(self) -> NDArray[np.int64]:
        """The entity of each name given."""
        return self.consensus.clustering.labels[self.nodes.place]

    @property
    def probability(self) -> NDArray[np.float64]:
        """How sure the place of each name given is."""
        return self.consensus.probability[self.nodes.place]


class MutationModel(Protocol):
    """How names change, over directed pairs of names."""

    parents: NDArray[np.int32]
    children: NDArray[np.int32]

    def log_fresh(self) -> NDArray[np.float64]:
        """Return the log probability of each name if it came from nowhere."""

    def log_ratios(self) -> NDArray[np.float64]:
        """Return for each pair the log of Pr(child | parent) / Pr(child | nothing)."""

    def learn(self, weights: NDArray[np.float64], roots: NDArray[np.float64]) -> None:
        """Fit the model to how often each pair was parent and child, and each name came from nowhere."""


class NameModel:
    """The models of names at hand: how they change, which are copied, and the chain that samples who descends.

    Parameters
    ----------
    mentions
        The names, and what is known of where they stand.
    """

    def __init__(self, mentions: Mentions, settings: PhylogenySettings) -> None:
        self.settings = settings
        self.nodes = nodes = Nodes.of(mentions)
        self.names = WordedNames.of(list(dict.fromkeys(mentions.names)))
        a, b = near_names(self.names, settings.neighbours) if settings.neighbours else every_pair(len(self.names))
        self.pairs = pairs = pair_nodes(nodes.name, nodes.kind, a, b, seed=settings.seed)
        self.sampler = ForestSampler(len(nodes), pairs.a, pairs.b, seed=settings.seed)
        self.topics: JointSampler | None = None
        if mentions.topic_shares is not None:
            unary = np.log(np.maximum(mentions.topic_shares, 1e-12))
            self.topics = JointSampler(pairs.a, pairs.b, unary, seed=settings.seed)
            self.topic_weights = TopicWeights(unary.shape[1])
        self.mutations = _mutations(self.names, a, b, settings)
        self.parents = ParentModel(
            self.sampler.parents,
            nodes.often,
            circumstances=nodes.circumstances(mentions, (self.sampler.parents, self.sampler.children)),
            scale=pairs.scale.reshape(-1).astype(np.float64),
        )
        # Directed pair 2e is a → b: that of the names, if a's name is the first of theirs.
        turned = np.repeat(nodes.name[pairs.a] != a[pairs.names] if len(a) else pairs.names < 0, 2)
        number = 2 * np.repeat(pairs.names, 2) + np.tile([0, 1], len(pairs.a))
        self._of_names = np.where(np.repeat(pairs.names, 2) < 0, -1, np.where(turned, number ^ 1, number))
        self._copied = 0.5
        """The share of descents that change nothing, where mentions of one name are apart."""
        used = np.bincount(nodes.name, nodes.often, len(self.names))
        self._log_used = np.log(used[nodes.name[self.sampler.children]])
        """For each directed pair, the log of how many mentions the child's name has."""
        self._known: NDArray[np.float64] | None = None
        self._acceptance: tuple[float, float] | None = None

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log weight of each directed pair of nodes, beside 0 for coming from nowhere."""
        if self._known is None:
            self._known = self._weigh()
        return self._known

    def _weigh(self) -> NDArray[np.float64]:
        copies = self._of_names < 0
        ratios = np.append(self.mutations.log_ratios(), 0.0)[self._of_names]
        if copies.any():
            fresh = self.mutations.log_fresh()[self.nodes.name[self.sampler.children]]
            ratios = np.where(copies, np.log(self._copied) - fresh, ratios + np.log1p(-self._copied))
            ratios += self.settings.pragmatics * np.where(copies, self._log_used, 0.0)
        return ratios + self.parents.log_weights()

    def learn(self, *, progress: Progress = SILENT) -> None:
        """Alternate sampling and fitting."""
        n_sweeps = self.settings.n_sweeps
        if self.settings.start == "arborescence":
            self.start_from_best()
        with progress.task("learning how names change", total=self.settings.n_rounds, unit="rounds") as task:
            for _ in range(self.settings.n_rounds):
                descent = self._run(n_sweeps, 0, self.settings.root_weight if self.settings.by_letters else 0.0)
                n_entities = float(descent.n_entities[n_sweeps // 2 :].mean())
                self._fit(descent, n_entities)
                task.advance(1, entities=n_entities)

    def start_from_best(self) -> None:
        """Put the chain where the best tree of descent has it, by the weights as they are."""
        pairs = (self.sampler.parents, self.sampler.children)
        best = best_parents(len(self.nodes), *pairs, self.log_weights(), np.zeros(len(self.nodes)))
        for sampler in (self.sampler, self.topics):
            if sampler is not None:
                sampler.start_from(best)

    def _fit(self, descent: Descent, n_entities: float) -> None:
        copies = self._of_names < 0
        changed = descent.descended[~copies]
        weights = np.bincount(self._of_names[~copies], changed, len(self.mutations.parents)).astype(np.float64)
        roots = np.minimum(np.bincount(self.nodes.name, descent.rooted, len(self.names)), 1.0)
        self.mutations.learn(weights, roots)
        self.parents.learn(descent.descended, None if self.settings.by_letters else n_entities)
        self._known = None
        if copies.any():
            self._copied = float((descent.descended[copies].sum() + 5.0) / (descent.descended.sum() + 10.0))

    def _run(self, n_sweeps: int, n_kept: int = 0, root_weight: float = 0.0) -> Descent:
        if self.topics is not None:
            return self._run_topics(self.topics, n_sweeps, n_kept, root_weight)
        weights = np.exp(np.clip(self.log_weights() - root_weight, -80.0, 69.0))
        return self.sampler.run(weights, n_sweeps=n_sweeps, n_kept=n_kept)

    def _run_topics(self, sampler: JointSampler, n_sweeps: int, n_kept: int, root_weight: float) -> Descent:
        """Run sweeps over topics too; the weight of the root is α, and what remains is the ratio of names."""
        root = float(np.log(self.parents.concentration))
        draws = sampler.run(
            self.log_weights() + root, self.topic_weights.scores, root + root_weight, n_sweeps=n_sweeps, n_kept=n_kept
        )
        self._acceptance = draws.acceptance
        if n_kept == 0:
            self.topic_weights.learn(draws.observed, draws.expected)
        return draws.descent

    def sample(self, *, root_weight: float | None = None, progress: Progress = SILENT) -> Phylogeny:
        """Sample the posterior with the weights as they are, and find its consensus."""
        settings, pairs = self.settings, self.pairs
        root = settings.root_weight if root_weight is None else root_weight
        with progress.task("sampling", total=settings.n_samples, unit="samples") as task:
            self._run(settings.n_burn_in, 0, root)
            descent = self._run(settings.n_samples, settings.n_samples, root)
            task.advance(settings.n_samples)
        consensus = find_consensus(
            len(self.nodes), pairs.a, pairs.b, descent.together, descent.roots, threshold=settings.threshold
        )
        return Phylogeny(
            self.names, self.nodes, pairs, self.mutations, self.parents, descent, consensus, self._acceptance
        )


def _mutations(
    names: WordedNames, a: NDArray[np.int32], b: NDArray[np.int32], settings: PhylogenySettings
) -> MutationModel:
    """Return the mutation model over pairs of names in both directions, a → b first."""
    parents = np.stack([a, b], axis=1).reshape(-1).astype(np.int32)
    children = np.stack([b, a], axis=1).reshape(-1).astype(np.int32)
    if settings.by_letters or not names.words:
        return LetterMutations(names, parents, children)
    return Mutations(names, parents, children, settings=settings.mutation)


def fit_names(
    mentions: Mentions | Sequence[str],
    *,
    settings: PhylogenySettings | None = None,
    progress: Progress = SILENT,
) -> Phylogeny:
    """Cluster names by who descends from whom.

    Parameters
    ----------
    mentions
        Names alone, or with what is known of where they stand.

    Examples
    --------
    >>> names = ["Ada Lovelace", "A. Lovelace", "Lovelace, Ada", "Alan Turing", "Alan M. Turing", "Grace Hopper"]
    >>> fit_names(names).labels.tolist()
    [0, 0, 0, 1, 1, 2]
    """
    model = NameModel(
        mentions if isinstance(mentions, Mentions) else Mentions(mentions), settings or PhylogenySettings()
    )
    model.learn(progress=progress)
    return model.sample(progress=progress)
