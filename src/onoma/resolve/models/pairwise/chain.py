"""The pairwise model: a clustering is as good as the pairs it holds together.

    log P(clustering) = Σ over pairs (i, j) in one entity of w_ij  + constant

with w_ij the log odds of the pair (McCallum and Wellner 2004, model 2). A mention moves from entity to entity; a move
touches the pairs of that mention with both entities, and nothing else. At temperature 1 the chain samples the model;
cooling, it looks for the best clustering, which is correlation clustering.

Three ways to move a mention: `gibbs` draws its entity from the model, among those of its neighbours (listed pairs
only); `neighbours` offers it the entity of one neighbour; `uniform` offers it any entity, as Singh, Wick and McCallum
(2012) do. The last two can score a move from some of its pairs (`onoma.mcmc.subsampling`). A Gibbs update costs the
number of a mention's neighbours; an offer, the sizes of two entities, or fewer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.mcmc._subsampling_kernels import EXACT
from onoma.mcmc.subsampling import Exact, Strategy
from onoma.numerics.rng import kernel_state
from onoma.numerics.sampling import new_deck
from onoma.resolve.fields.bags import Bags
from onoma.resolve.models.pairwise._chain_kernels import (
    ACCEPTED,
    BAGS,
    FACTORS,
    GIBBS,
    NEIGHBOURS,
    PAIRS,
    PROPOSALS,
    UNIFORM,
    Factors,
    Moves,
    Scratch,
    count_together,
    first_members,
    run_updates,
    total_log_score,
)
from onoma.resolve.models.pairwise._partition_kernels import new_partition
from onoma.resolve.posterior.copying import Draws

__all__ = ["Factors", "MentionBags", "MoveKind", "PairwiseChain", "draw_partitions", "neighbour_rows", "pair_factors"]

MoveKind = Literal["gibbs", "neighbours", "uniform"]
_KINDS = {"gibbs": GIBBS, "neighbours": NEIGHBOURS, "uniform": UNIFORM}


def pair_factors(
    n: int, a: NDArray[np.int32], b: NDArray[np.int32], scores: NDArray[np.float64], *, stranger: float
) -> Factors:
    """Return the factors of listed pairs of n mentions; every other pair scores `stranger`.

    Parameters
    ----------
    n
        Mentions.
    a, b
        The pairs, each once, a < b, in order.
    scores
        Their log odds.
    stranger
        The log odds of a pair that is not listed.
    """
    if not (np.isfinite(scores).all() and np.isfinite(stranger)):
        raise DataError("the score of a pair is not finite", hint="Bound the scores: ±1,000 is certain enough.")
    keys = a.astype(np.int64) * n + b
    if (a >= b).any() or (np.diff(keys) <= 0).any():
        raise DataError("pairs must be in order, each once, the lesser mention first")
    ends = np.concatenate([a, b])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n))])
    rows = neighbour_rows(a, b)
    neighbours = np.concatenate([b, a])[_by_mention(a, b)].astype(np.int32)
    values = scores.astype(np.float64)[rows]
    none, whole = np.zeros(0), np.zeros(0, dtype=np.int64)
    tables, cells = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 1))
    return Factors(PAIRS, offsets, neighbours, values, float(stranger), none, tables, cells, 1, whole, none)


def neighbour_rows(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return which pair makes each entry of the lists of neighbours: mention by mention, neighbours ascending."""
    return _by_mention(a, b) % max(len(a), 1)


def _by_mention(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.lexsort((np.concatenate([b, a]), np.concatenate([a, b])))


@dataclass(frozen=True, eq=False)
class MentionBags:
    """Mentions as bags of words, one for each group (title, authors…), weighted by idf, of length 1.

    Examples
    --------
    >>> bags = MentionBags.build([[["ann", "lee"], ["lee"], []]])
    >>> bags.cosines(np.array([0, 0]), np.array([1, 2])).round(2).tolist()
    [[0.39], [nan]]
    """

    n_groups: int
    n_words: int
    offsets: NDArray[np.int64]
    """Where the words of each mention's group begin."""
    words: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def build(cls, groups: Sequence[Sequence[Iterable[str]]]) -> "MentionBags":
        """Make bags from each group's words, mention by mention."""
        n = len(groups[0])
        made = [Bags.build(group, np.ones(n, dtype=np.int64)) for group in groups]
        lengths = np.stack([np.diff(bags.offsets) for bags in made], axis=1)
        offsets = np.concatenate([[0], np.cumsum(lengths.ravel())])
        words, values = np.empty(offsets[-1], dtype=np.int32), np.empty(offsets[-1])
        n_words = 0
        for g, bags in enumerate(made):
            inside = np.arange(len(bags.ids)) - np.repeat(bags.offsets[:-1], lengths[:, g])
            at = np.repeat(offsets[g :: len(made)][:n], lengths[:, g]) + inside
            words[at] = bags.ids + n_words
            values[at] = bags.idf[bags.ids] / np.repeat(np.maximum(bags.norms, 1e-12), lengths[:, g])
            n_words += len(bags.words)
        return cls(len(made), n_words, offsets, words, values)

    def __len__(self) -> int:
        return (len(self.offsets) - 1) // self.n_groups

    def cosines(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosine of each pair (row) in each group (column); NaN where a bag is empty."""
        from scipy import sparse

        found = np.empty((len(a), self.n_groups))
        rows = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        for g in range(self.n_groups):
            mine = rows % self.n_groups == g
            entries = (self.values[mine], (rows[mine] // self.n_groups, self.words[mine]))
            matrix = sparse.csr_array(entries, shape=(len(self), self.n_words))
            filled = np.diff(matrix.indptr) > 0
            for first in range(0, len(a), 200_000):
                part = slice(first, first + 200_000)
                dots = (matrix[a[part]] * matrix[b[part]]).sum(axis=1)
                found[part, g] = np.where(filled[a[part]] & filled[b[part]], dots, np.nan)
        return found

    def cells(self, cosines: NDArray[np.float64], tables: NDArray[np.int64], n_steps: int) -> NDArray[np.int32]:
        """Return for each pair (row of cosines) and each table (two groups) the cell it is in."""
        empty = np.isnan(cosines)
        bins = np.minimum((np.where(empty, 0.0, cosines) * n_steps).astype(np.int64), n_steps - 1)
        bins[empty] = n_steps
        return (bins[:, tables[:, 0]] * (n_steps + 1) + bins[:, tables[:, 1]]).astype(np.int32)

    def factors(
        self,
        *,
        bias: float,
        slopes: NDArray[np.float64] | None = None,
        tables: NDArray[np.int64] | None = None,
        cells: NDArray[np.float64] | None = None,
    ) -> Factors:
        """Return the factors bias + Σ_g slope_g cos_g + Σ_t cells_t[interval of cos_g, interval of cos_h].

        Parameters
        ----------
        bias
            Added to every pair.
        slopes
            By group, what a cosine of 1 scores.
        tables
            Two groups for each table of scores; the same group twice makes a table of one.
        cells
            By table, (intervals + 1)² scores: each cosine is cut into equal intervals, the last is an empty bag.
        """
        slopes = np.zeros(self.n_groups) if slopes is None else np.asarray(slopes, np.float64)
        tables = np.zeros((0, 2), dtype=np.int64) if tables is None else np.asarray(tables, np.int64)
        cells = np.zeros((0, 4)) if cells is None else np.ascontiguousarray(cells, np.float64)
        n_steps = int(np.sqrt(cells.shape[1])) - 1
        is_right = slopes.shape == (self.n_groups,) and cells.shape == (len(tables), (n_steps + 1) ** 2)
        if not is_right or n_steps < 1 or tables.max(initial=0) >= self.n_groups:
            raise DataError(
                f"slopes are {slopes.shape}, tables {tables.shape}, cells {cells.shape}; wanted ({self.n_groups},), "
                f"pairs of groups below {self.n_groups}, and (intervals + 1)² cells for each"
            )
        bins, focus = np.zeros(self.n_groups, dtype=np.int64), np.zeros(self.n_words)
        shared = (self.offsets, self.words, self.values, float(bias))
        return Factors(BAGS, *shared, slopes, tables, cells, n_steps, bins, focus)


class PairwiseChain:
    """A chain over clusterings of n mentions.

    Parameters
    ----------
    factors
        The scores of pairs; `pair_factors` or `MentionBags.factors`.
    n
        Mentions.
    seed
        Of the chain.
    start
        A label for each mention; default, all alone.
    block
        Mentions of different blocks are never in one entity.
    moves
        How mentions move.
    stray
        With `gibbs` and `neighbours`, how often a mention is offered any entity: above 0, every clustering is reached.
    scoring
        How many pairs to look at: `Exact`, `Uniform`, `Confidence` or `Adaptive`.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32)
    >>> factors = pair_factors(3, a, b, np.array([2.0, 1.0, -9.0]), stranger=-5.0)
    >>> chain = PairwiseChain(factors, 3, seed=1)
    >>> chain.run(np.geomspace(4.0, 0.05, 50))
    >>> chain.labels.tolist(), round(chain.log_score, 6)
    ([0, 0, 2], 2.0)
    """

    def __init__(
        self,
        factors: Factors,
        n: int,
        *,
        seed: int,
        start: NDArray[np.int64] | None = None,
        block: NDArray[np.int32] | None = None,
        moves: MoveKind = "gibbs",
        stray: float = 0.05,
        scoring: Strategy = Exact(),
    ) -> None:
        self._plan = scoring.plan()
        _check(factors, moves, stray, is_exact=self._plan.kind == EXACT)
        labels = np.arange(n) if start is None else np.asarray(start, np.int64)
        if block is not None:
            _check_blocks(factors, labels, block)
        self._factors, self._scoring = factors, scoring
        self._moves = Moves(_KINDS[moves], float(stray))
        self._partition = new_partition(labels, block)
        self._rng_state = kernel_state(seed, "pairwise")
        decks = new_deck(n), new_deck(n)
        self._scratch = Scratch(decks, np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int32))
        self._tally = np.zeros(3, dtype=np.int64)
        self._n_sweeps = 0
        self._log_score = 0.0 if start is None else float(total_log_score(factors, self._partition))

    def run(self, temperatures: NDArray[np.float64]) -> None:
        """Run one sweep, as many updates as mentions, at each temperature."""
        proportions = self._scoring.proportions(self._n_sweeps, len(temperatures))
        for temperature, proportion in zip(temperatures.tolist(), proportions.tolist(), strict=True):
            self._update(len(self._partition.entity), temperature, proportion)
            self._n_sweeps += 1

    def advance(self, n_updates: int, *, temperature: float) -> None:
        """Make some updates, however many or few; a strategy that changes with the sweeps stands still."""
        self._update(n_updates, temperature, float(self._scoring.proportions(self._n_sweeps, 1)[0]))

    def _update(self, n_updates: int, temperature: float, proportion: float) -> None:
        d = run_updates(
            self._rng_state,
            self._factors,
            self._partition,
            self._plan,
            proportion,
            self._moves,
            temperature,
            n_updates,
            self._scratch,
            self._tally,
        )
        # Sampled pairs give d_log_score with noise, which would add up.
        self._log_score = self._log_score + d if self._plan.kind == EXACT else np.nan

    @property
    def labels(self) -> NDArray[np.int64]:
        """For each mention, the least mention of its entity."""
        roots = np.empty(len(self._partition.entity), dtype=np.int32)
        first_members(self._partition, roots)
        return roots.astype(np.int64)

    @property
    def log_score(self) -> float:
        """The log score of the clustering: kept up to date where scores are exact, else computed from all pairs."""
        if np.isnan(self._log_score):
            self._log_score = float(total_log_score(self._factors, self._partition))
        return self._log_score

    @property
    def n_entities(self) -> int:
        """Entities there are now."""
        return int(self._partition.n_live.sum())

    @property
    def n_factors(self) -> int:
        """Pairs scored so far."""
        return int(self._tally[FACTORS])

    @property
    def n_proposals(self) -> int:
        """Updates made so far."""
        return int(self._tally[PROPOSALS])

    @property
    def n_accepted(self) -> int:
        """Updates that moved a mention."""
        return int(self._tally[ACCEPTED])

    @property
    def n_sweeps(self) -> int:
        """Sweeps made so far."""
        return self._n_sweeps

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that the next sweep needs, the score of strangers included."""
        numbers = np.array([self._factors.base, self._log_score, self._n_sweeps])
        return self._partition._asdict() | {"rng_state": self._rng_state, "tally": self._tally, "numbers": numbers}

    def restore_inplace(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state of a chain over the same mentions."""
        for name, array in (self._partition._asdict() | {"rng_state": self._rng_state, "tally": self._tally}).items():
            array[:] = state[name]
        base, self._log_score, n_sweeps = state["numbers"].tolist()
        self._factors, self._n_sweeps = self._factors._replace(base=base), int(n_sweeps)

    def add_together(self, a: NDArray[np.int32], b: NDArray[np.int32], counts: NDArray[np.float64]) -> None:
        """Add 1 to the count of each pair that is in one entity now."""
        count_together(self._partition, a, b, counts)


def draw_partitions(
    chain: PairwiseChain, a: NDArray[np.int32], b: NDArray[np.int32], temperatures: NDArray[np.float64]
) -> Draws:
    """Run a sweep at each temperature and say what they saw of some pairs."""
    n_sweeps = len(temperatures)
    together, n_entities, roots = np.zeros(len(a)), np.zeros(n_sweeps, dtype=np.int64), []
    for sweep in range(n_sweeps):
        chain.run(temperatures[sweep : sweep + 1])
        chain.add_together(a, b, together)
        n_entities[sweep] = chain.n_entities
        roots.append(chain.labels.astype(np.int32))
    together /= max(n_sweeps, 1)
    kept = np.stack(roots) if roots else np.zeros((0, 0), dtype=np.int32)
    return Draws(n_sweeps, together, np.zeros(len(a)), together, together, n_entities, kept)


def _check(factors: Factors, moves: MoveKind, stray: float, *, is_exact: bool) -> None:
    if moves not in _KINDS:
        raise SettingsError(f"moves are {moves!r}; allowed are {', '.join(_KINDS)}")
    if not 0.0 <= stray <= 1.0:
        raise SettingsError(f"stray is {stray}; a share of proposals is from 0 to 1")
    if moves == "gibbs" and not is_exact:
        raise SettingsError(
            "a Gibbs update looks at all neighbours at once, so it cannot sample pairs",
            hint="Use moves='neighbours' or 'uniform' with sampled pairs.",
        )
    if moves != "uniform" and factors.kind == BAGS:
        raise SettingsError("bags of words list no neighbours", hint="Use moves='uniform'.")


def _check_blocks(factors: Factors, labels: NDArray[np.int64], block: NDArray[np.int32]) -> None:
    if len(np.unique(labels)) != len(np.unique(np.stack([labels, block]), axis=1).T):
        raise DataError("the start holds mentions of different blocks together")
    if factors.kind == PAIRS and (block[factors.items] != np.repeat(block, np.diff(factors.offsets))).any():
        raise DataError("a listed pair is of two blocks", hint="Leave out such pairs: they are never together.")
