"""Order, topics and parents of mentions together, as first published: a writer copies from texts on his own topic.

The score of a parent is W[z_p, z_x] = φ(same topic) + φ(parent's topic) + φ(pair of topics), that of none ρ, and
probabilities are normalised over all earlier mentions: so parents compete, and orders are not equally likely. Three
blocks, in turn: an order that respects the parents, drawn uniformly and corrected by independent Metropolis–Hastings;
the topics, drawn from a model that is a tree and corrected likewise; the parents, exactly. Orders and topics are
proposed for one group of trees after the other, since a proposal for all of many mentions is hardly ever taken. Rates
of acceptance are reported.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state, stream
from onoma.resolve.models.phylogeny._forest_kernels import directed_lists
from onoma.resolve.models.phylogeny._joint_kernels import Parents, Seen, Topical, run_joint
from onoma.resolve.models.phylogeny.forest import Descent, respectful_times

__all__ = ["JointDraws", "JointSampler", "TopicWeights"]


class TopicWeights:
    """The weights φ of the parent model, learnt by AdaGrad with standard normal priors.

    Parameters
    ----------
    n_topics
        Topics.
    """

    def __init__(self, n_topics: int) -> None:
        self.same = np.array(1.0)
        self.parent = np.zeros(n_topics)
        self.pair = np.zeros((n_topics, n_topics))
        self._squares = [np.zeros_like(each) for each in (self.same, self.parent, self.pair)]

    @property
    def scores(self) -> NDArray[np.float64]:
        """W[parent's topic, child's topic]."""
        return self.same * np.eye(len(self.parent)) + self.parent[:, None] + self.pair

    def gradient(
        self, observed: NDArray[np.float64], expected: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the gradient of the log likelihood of chosen parents, given pairs of topics seen and expected."""
        gap = observed - expected
        return np.array(np.trace(gap)), gap.sum(axis=1), gap

    def learn(self, observed: NDArray[np.float64], expected: NDArray[np.float64], *, rate: float = 0.3) -> None:
        """Make one step."""
        weights = (self.same, self.parent, self.pair)
        for array, slope, squares in zip(weights, self.gradient(observed, expected), self._squares, strict=True):
            slope = slope - array
            squares += slope**2
            array += rate * slope / np.sqrt(squares + 1e-12)


@dataclass(frozen=True, eq=False)
class JointDraws:
    """What some sweeps saw."""

    descent: Descent
    topics: NDArray[np.int32]
    """For the last sweeps, each mention's topic."""
    acceptance: tuple[float, float]
    """Shares of the proposed orders and topics that were taken."""
    observed: NDArray[np.float64]
    expected: NDArray[np.float64]
    """Pairs of topics (parent, child) per sweep: chosen, and expected by the parent model."""


class JointSampler:
    """A chain over orders, topics and parents.

    Parameters
    ----------
    a, b
        The candidate pairs, each once.
    unary
        For each mention and topic, the log weight of that topic by its text.
    seed
        Of the chain.
    n_groups
        Groups of trees for which orders and topics are proposed in turn; None: one for every 40 mentions.
    """

    def __init__(
        self,
        a: NDArray[np.int32],
        b: NDArray[np.int32],
        unary: NDArray[np.float64],
        *,
        seed: int,
        n_groups: int | None = None,
    ) -> None:
        self._n_groups = n_groups or max(1, len(unary) // 40)
        self.a, self.b, self._unary = a, b, np.ascontiguousarray(unary, dtype=np.float64)
        self.parents = np.stack([a, b], axis=1).reshape(-1).astype(np.int32)
        self.children = np.stack([b, a], axis=1).reshape(-1).astype(np.int32)
        n = len(unary)
        self.time = stream(seed, "joint", "start").random(n)
        self.topics = unary.argmax(1).astype(np.int32)
        self.parent = np.full(n, -1, dtype=np.int32)
        self._rng_state = kernel_state(seed, "joint")

    def start_from(self, parents: NDArray[np.int64]) -> None:
        """Go on from these parents (-1: none) and an order that respects them."""
        self.time = respectful_times(parents, self.time)
        self.parent = parents.astype(np.int32)

    def run(
        self,
        log_ratios: NDArray[np.float64],
        scores: NDArray[np.float64],
        root: float,
        *,
        n_sweeps: int,
        n_kept: int = 0,
        corrected: bool = True,
    ) -> JointDraws:
        """Run some sweeps, given Pr(child | parent) / Pr(child | nothing) of each directed pair, W and ρ."""
        n = len(self.time)
        ratios = np.exp(np.clip(log_ratios, -69.0, 69.0))
        offsets, neighbours, pairs, _, _ = directed_lists(n, self.parents, self.children, ratios, 0.0)
        n_chosen, n_root = np.zeros(len(neighbours), dtype=np.int64), np.zeros(n, dtype=np.int64)
        n_entities, accepted = np.zeros(n_sweeps, dtype=np.int64), np.zeros(2, dtype=np.int64)
        observed, expected = np.zeros_like(scores), np.zeros_like(scores)
        roots, parents, topics = (np.empty((n_kept, n), dtype=np.int32) for _ in range(3))
        near = Parents(offsets, neighbours, log_ratios[pairs])
        model = Topical(self._unary, np.ascontiguousarray(scores), float(root))
        seen = Seen(accepted, observed, expected, n_chosen, n_root, n_entities)
        state = (self.time, self.topics, self.parent)
        effort = (self._rng_state, n_sweeps, self._n_groups)
        run_joint(*effort, *state, near, model, corrected, seen, (roots, parents, topics))
        descended = np.zeros(len(log_ratios))
        descended[pairs] = n_chosen / n_sweeps
        together = (roots[:, self.a] == roots[:, self.b]).mean(0) if n_kept else np.zeros(len(self.a))
        descent = Descent(n_sweeps, descended, n_root / n_sweeps, together, n_entities, roots, parents)
        n_proposed = n_sweeps * self._n_groups
        rates = (float(accepted[0]) / n_proposed, float(accepted[1]) / n_proposed)
        return JointDraws(descent, topics, rates, observed / n_sweeps, expected / n_sweeps)
