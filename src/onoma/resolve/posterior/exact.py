"""Small components of the copying model, solved instead of sampled.

Who comes from whom is independent from one connected component of the plausible pairs to the next, and most components
have two to five records. Of these the posterior is known in closed form. A forest F of a component, whatever its roots
and its order, has the weight

    Π over its pairs of (copy + relative)  ·  Π over its trees T of h(T),     h(T) = Σ_r Π_v 1 / |v and all below it|,

where r runs over the records that T may hang from: |T|! · h(T) is in how many ways T can be rooted and ordered. A pair
of a forest is a copy with the probability copy / (copy + relative), whatever the others are. Five records have 291
forests, so sums over all of them cost less than sampling, and have no error.

To part components, and to have less to sample in the others, pairs are left out that hardly matter to who is whose
copy. Whatever the order and the rest are like, a pair is a copy with a probability of at most c / (1 + c + r), c and r
being its weights as a copy and as a relation: where this is at most 1e-3, it is no copy. Such a pair, of weight w, can
still take the place of another that is a copy: one of weight c then loses at most c·w / ((1 + c)(1 + c + w)). Where
that is at most 1e-3 for all copies of its two records, too, it is left out. What is left out of one record sums to at
most 1e-2 in either way, or all its pairs stay. Both bounds are given the order; what is left out also changes how
likely others come earlier, and so a pair in doubt by some hundredths (of 400 households of five drawn at random the
worst by .07, nine in ten by less than .01). A hundred samples tell a probability to ±.1. Relations between
households, which connect half of a large table, matter only to records whose copies are in doubt; of who is whose
relative, and of families, the answer is silent where they are left out.

After Andrews, Eisner and Dredze (2014); counting orders of trees is Knuth's hook formula (1973, 5.1.4, exercise 20).
"""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.parts import in_parts, n_threads
from onoma.numerics.rng import kernel_state
from onoma.numerics.union_find import components
from onoma.resolve.posterior._exact_kernels import draw_forests, pairs_that_matter, sizes_of_pairs, sum_forests
from onoma.resolve.posterior.copying import LEAST, Draws
from onoma.resolve.posterior.samples import Roots, SampledPart, Samples, least_roots

__all__ = ["LARGEST", "Forests", "Solved", "forests", "pairs_around", "solve_small"]

LARGEST = 5
"""Records of a component that is solved: of six there are 2,932 forests, and sampling is cheaper."""
FAINT = 1e-3
"""Pairs that change a probability by no more than this are left out…"""
FAINT_SUM = 1e-2
"""… where those of a record sum to no more than this."""
_AT_ONCE = 50_000
"""Records whose samples are drawn together, to be held once where they agree: 20 MB of a hundred samples."""
_MANY_CELLS = 10_000_000
"""Samples times records from which on they are held so: 40 MB as an array."""


class Forests(NamedTuple):
    """All forests of some records; pairs are numbered (0, 1), (0, 2), …, (1, 2), …"""

    ends: NDArray[np.int8]
    """The two records of each pair."""
    edges: NDArray[np.int8]
    """The pairs of each forest, then -1."""
    orders: NDArray[np.float64]
    """Π h(T) of each forest."""
    paths: NDArray[np.int32]
    """By forest and pair, the pairs of the forest that lie between its two records, as bits; 0: none do."""


@cache
def forests(n: int) -> Forests:
    """Return all forests of n records.

    Examples
    --------
    >>> [len(forests(n).orders) for n in (1, 2, 3, 4, 5)]
    [1, 2, 7, 38, 291]
    """
    pairs = list(itertools.combinations(range(n), 2))
    chosen, orders, paths = [], [], []
    grown: list[tuple[tuple[int, ...], _Paths]] = [((), {})]
    for size in range(n):
        for edges, between in grown:
            chosen.append([*edges, *[-1] * (max(n - 1, 1) - size)])
            orders.append(_orders(n, [pairs[e] for e in edges]))
            paths.append([between.get(pair, 0) for pair in pairs])
        grown = [
            ((*edges, e), _with_pair(n, between, pairs[e], 1 << e))
            for edges, between in grown
            for e in range(edges[-1] + 1 if edges else 0, len(pairs))
            if pairs[e] not in between  # or they would make a circle
        ]
    shape = (len(chosen), len(pairs))
    return Forests(
        np.array(pairs, dtype=np.int8).reshape(-1, 2),
        np.array(chosen, dtype=np.int8),
        np.array(orders),
        np.array(paths, dtype=np.int32).reshape(shape),
    )


@dataclass(frozen=True, eq=False)
class Solved:
    """What is known of small components, and the pairs that are left to sample."""

    n: int
    """Records there are."""
    records: NDArray[np.int32]
    """Those of larger components, ascending: what is left to sample is about them, by their places here."""
    rest: NDArray[np.int64]
    """Pairs inside larger components."""
    left: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Their weights as copies and as relatives; 0 where they are faint."""
    pairs: NDArray[np.int64]
    """Pairs inside small ones."""
    copied: NDArray[np.float64]
    related: NDArray[np.float64]
    together: NDArray[np.float64]
    akin: NDArray[np.float64]
    groups: tuple["_Group", ...]
    key: np.uint64

    def parts(self, roots: Roots) -> list[SampledPart]:
        """Return the samples of the `records`, held once where they agree; the roots are named anew."""
        sampled = least_roots(np.asarray(roots))
        return [SampledPart.of(self.records[some], self.records[sampled[:, some]]) for some in self._bunches()]

    def joined(self, draws: Draws, n_pairs: int, parts: list[SampledPart] | None = None) -> Draws:
        """Return what was sampled of the rest with what was solved, told of all; samples are drawn to match.

        Parameters
        ----------
        draws
            Of the `records` and the `rest`.
        n_pairs
            Pairs there are.
        parts
            What `parts` makes of the roots of the draws, where these are not there any more.
        """

        def told(sampled: NDArray[np.float64], solved: NDArray[np.float64]) -> NDArray[np.float64]:
            found = np.zeros(n_pairs)
            found[self.rest], found[self.pairs] = sampled, solved
            return found

        n_samples = len(draws.roots)
        n_alone = self.n - len(self.records) - sum(group.members.size for group in self.groups)
        n_entities = draws.n_entities + n_alone
        parts = self.parts(draws.roots) if parts is None else parts
        for group in self.groups:
            found, drawn = group.draw(self.key, n_samples)
            parts += found
            n_entities[len(n_entities) - n_samples :] += drawn
        samples = Samples.of_parts(self.n, parts, n_samples)
        roots: Roots = samples if n_samples * self.n > _MANY_CELLS else np.asarray(samples)
        return Draws(
            draws.n_sweeps,
            told(draws.copied, self.copied),
            told(draws.related, self.related),
            told(draws.together, self.together),
            told(draws.akin, self.akin),
            n_entities,
            roots,
        )

    def pairs_above(self, weight: NDArray[np.float64], least: float) -> NDArray[np.int64]:
        """Return the pairs inside components, which can be together, and those of more than the least weight."""
        kept = weight > least
        kept[self.rest] = kept[self.pairs] = True
        return np.flatnonzero(kept)

    def among(self, told: NDArray[np.int64]) -> "Solved":
        """Return the same where only some pairs (ascending, all inside components among them) are told of."""
        rest, pairs = (np.searchsorted(told, each) for each in (self.rest, self.pairs))
        return replace(self, rest=rest, pairs=pairs)

    def _bunches(self) -> Iterator[slice]:
        """Yield the records that are left, some at a time: their samples are many."""
        return (slice(first, first + _AT_ONCE) for first in range(0, len(self.records), _AT_ONCE))


def solve_small(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    *,
    seed: int,
) -> Solved:
    """Solve the components of up to `LARGEST` records.

    Parameters
    ----------
    n
        Records.
    a, b
        The candidate pairs, each once.
    copy, relative
        Their weights (not the logarithms).
    seed
        Of the samples that are drawn from what is solved.
    """
    plausible = pairs_that_matter(n, a, b, copy, relative, FAINT, FAINT_SUM, LEAST)
    component = components(n, a[plausible].astype(np.int64), b[plausible].astype(np.int64))
    size = np.bincount(component, minlength=n)
    sizes = sizes_of_pairs(a, b, component, size, LARGEST + 1)
    rest = np.flatnonzero(sizes > LARGEST)
    pairs = np.flatnonzero((sizes > 0) & (sizes <= LARGEST))
    del sizes
    records = np.flatnonzero(size[component] > LARGEST).astype(np.int32)
    values = np.zeros((4, len(pairs)))
    # Records in order of their components, and in these in their own.
    order = np.argsort(component, kind="stable")
    starts = np.cumsum(size) - size
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n) - starts[component[order]]
    of_pair = component[a[pairs]]
    groups = []
    for k in range(2, LARGEST + 1):
        firsts = np.flatnonzero(size == k)
        if not len(firsts):
            continue
        at = np.flatnonzero(size[of_pair] == k)
        place = np.searchsorted(firsts, of_pair[at])
        one, other = (rank[side[pairs[at]]] for side in (a, b))
        low, high = np.minimum(one, other), np.maximum(one, other)
        slot = low * (2 * k - low - 1) // 2 + high - low - 1
        members = order[starts[firsts][:, None] + np.arange(k)].astype(np.int32)
        these = pairs[at]
        weight = np.where(plausible[these], copy[these] + relative[these], 0.0)
        group = _Group.of(members, place, slot, weight, copy[these])
        values[:, at] = group.solve()[:, place, slot]
        groups.append(group)
    copied, related, together, akin = values
    key = np.uint64(kernel_state(seed, "exact")[0])
    left = (np.where(plausible[rest], copy[rest], 0.0), np.where(plausible[rest], relative[rest], 0.0))
    return Solved(n, records, rest, left, pairs, copied, related, together, akin, tuple(groups), key)


def pairs_around(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    weight: tuple[NDArray[np.float64], NDArray[np.float64]],
    records: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Return the pairs that matter to some records: the plausible ones of their components.

    Parameters
    ----------
    weight
        What pairs weigh as copies and as relatives.
    records
        Any of them may come to be in doubt: all that they have, they keep.
    """
    met = np.zeros(n, dtype=np.bool_)
    met[records] = True
    copy, relative = weight
    plausible = pairs_that_matter(n, a, b, copy, relative, FAINT, FAINT_SUM, LEAST)
    plausible |= (met[a] | met[b]) & (copy + relative > FAINT)
    component = components(n, a[plausible].astype(np.int64), b[plausible].astype(np.int64))
    near = np.zeros(n, dtype=np.bool_)
    near[component[records]] = True
    return np.flatnonzero(plausible & near[component[a]])


@dataclass(frozen=True, eq=False)
class _Group:
    """Components of one size."""

    members: NDArray[np.int32]
    weight: NDArray[np.float64]
    """By component and pair; 0 where the pair is none."""
    copies: NDArray[np.float64]
    """What part of that is a copy's."""

    @classmethod
    def of(
        cls,
        members: NDArray[np.int32],
        place: NDArray[np.int64],
        slot: NDArray[np.int64],
        weight: NDArray[np.float64],
        copy: NDArray[np.float64],
    ) -> "_Group":
        k = members.shape[1]
        weights, copies = np.zeros((2, len(members), k * (k - 1) // 2))
        weights[place, slot] = weight
        copies[place, slot] = np.divide(copy, weight, out=np.zeros(len(weight)), where=weight > 0.0)
        return cls(members, weights, copies)

    def solve(self) -> NDArray[np.float64]:
        """Return how likely each pair is copied, related, together and akin, by component and pair."""
        known = forests(self.members.shape[1])
        used, together, akin = np.zeros((3, *self.weight.shape))

        def solve(first: int, end: int) -> None:
            part = slice(first, end)
            told = (known.edges, known.orders, known.paths)
            sum_forests(self.weight[part], self.copies[part], *told, used[part], together[part], akin[part])

        in_parts(len(self.weight), solve, least=20_000 // len(known.orders) + 1)
        return np.stack([used * self.copies, used * (1.0 - self.copies), together, akin])

    def draw(self, key: np.uint64, n_samples: int) -> tuple[list[SampledPart], NDArray[np.int64]]:
        """Draw a forest of each component for each sample; return what was drawn, and how many entities there are."""
        known, k = forests(self.members.shape[1]), self.members.shape[1]
        told = (known.edges, known.orders, known.ends)

        def draw(first: int) -> tuple[SampledPart, NDArray[np.int64]]:
            some = slice(first, first + _AT_ONCE // k)
            members = self.members[some]
            roots, n_entities = np.empty((n_samples, members.size), np.int32), np.zeros(n_samples, dtype=np.int64)
            draw_forests(key, members, self.weight[some], self.copies[some], *told, roots, n_entities)
            return SampledPart.of(members.ravel(), roots), n_entities

        with ThreadPoolExecutor(n_threads()) as pool:
            found = list(pool.map(draw, range(0, len(self.members), _AT_ONCE // k)))
        return [part for part, _ in found], np.sum([drawn for _, drawn in found], axis=0)


_Paths = dict[tuple[int, int], int]
"""The pairs between any two records of a tree, as bits."""


def _with_pair(n: int, between: _Paths, pair: tuple[int, int], bit: int) -> _Paths:
    """Return the paths of a forest with one more pair, which joins two of its trees."""
    mine, theirs = (
        {end: 0} | {x: between[_sorted(end, x)] for x in range(n) if _sorted(end, x) in between} for end in pair
    )
    joined = {_sorted(x, y): p | q | bit for (x, p), (y, q) in itertools.product(mine.items(), theirs.items())}
    return between | joined


def _sorted(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def _orders(n: int, pairs: list[tuple[int, int]]) -> float:
    """Return Π over trees of h(T)."""
    first = list(range(n))
    for i, j in pairs:
        one, other = sorted((first[i], first[j]))
        first = [one if each == other else each for each in first]
    trees = [tuple(pair for pair in pairs if first[pair[0]] == i) for i in range(n)]
    return reduce(lambda x, tree: x * _ways(tree), filter(None, trees), 1.0)


@cache
def _ways(pairs: tuple[tuple[int, int], ...]) -> float:
    """Return Σ over the records of a tree, as its root, of Π over all of them of 1 / how many hang from it, and it."""
    near: dict[int, list[int]] = {i: [] for pair in pairs for i in pair}
    for i, j in pairs:
        near[i].append(j)
        near[j].append(i)

    def hang(i: int, above: int) -> tuple[int, float]:
        below = [hang(j, i) for j in near[i] if j != above]
        size = 1 + sum(each[0] for each in below)
        return size, reduce(lambda x, each: x * each[1], below, 1.0 / size)

    def walk(i: int, above: int = -1) -> list[int]:
        return [i, *itertools.chain.from_iterable(walk(j, i) for j in near[i] if j != above)]

    return sum(hang(i, -1)[1] for i in walk(max(near)))
