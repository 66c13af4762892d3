"""The copying model: records that descend from records.

Records arrive in an unknown order, all orders equally likely. A record is fresh (weight 1), or copies an earlier
record p (weight κ·BF(copied)), or is a *relative* of an earlier record p: a new entity that shares p's surroundings,
such as a member of the same household or a dish of the same kitchen (weight σ·BF(related)). An entity is a tree of
copies.

Sampling alternates two exact draws. Given the order, the origins of the records are independent. Given the trees that
these make, without their direction, every root and every order that respects it is equally likely, and one of each is
drawn in linear time: time(i) = time(origin) + Exp(1)/(number of descendants of i, itself included). No proposals, no
rejections; a sweep costs the number of plausible pairs.

Only what is open is sampled. Pairs of a weight below a millionth (beside 1 for a fresh record) are left out; a record
without any other pair is an entity of its own in every sample. The rest is laid out in memory component by component,
and some components at a time, as many as the second cache of a core holds, go through many sweeps before the next:
random numbers are those of a record and a sweep, so that it does not matter who is drawn first.

After Andrews, Eisner and Dredze (2014), told about records instead of names.
"""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.parts import n_threads
from onoma.numerics.rng import kernel_state, stream
from onoma.resolve.posterior._copying_kernels import (
    Counts,
    Lists,
    components_above,
    count_and_sample,
    keep_roots,
    new_counts,
    new_origins,
    new_scratch,
    order_by,
    pairs_within,
    plausible_lists,
    run_sweeps,
    sample_times,
    wait_alone,
    word_at,
)
from onoma.resolve.posterior.samples import Roots

__all__ = ["CopyingSampler", "Draws", "Watch"]

Watch = Callable[[int], bool]
"""Is told the number of entities after a sweep; says whether to stop."""

LEAST = 1e-6
"""Pairs of less weight are no origins."""
_STRONG = 1.0
"""Records joined by pairs of more weight lie side by side in memory."""
_WORTH_THREADS = 30_000
"""Plausible pairs from which on threads pay."""
_WORTH_MEETING = 150_000
"""Those from which on threads pay that wait for each other after every sweep."""
_LOOK_EVERY = 1.0
"""Seconds between two looks at the watch."""
_BATCH = 8_192
"""Plausible pairs, from either side, of the components that are sampled together: some 400 kB."""
_LOPSIDED = 0.5
"""The part of all plausible pairs from which on one component is sampled by all threads together."""


@dataclass(frozen=True, eq=False)
class Draws:
    """What some sweeps of the sampler saw."""

    n_sweeps: int
    copied: NDArray[np.float64]
    """For each pair, the share of sweeps in which one was the other's copy."""
    related: NDArray[np.float64]
    """For each pair, the share of sweeps in which one was the other's relative."""
    together: NDArray[np.float64]
    """For each pair, the share of sweeps in which both were in one entity."""
    akin: NDArray[np.float64]
    """For each pair, the share of sweeps in which both descended from one record, by copying or by relation."""
    n_entities: NDArray[np.int64]
    """The number of entities after each sweep."""
    roots: Roots
    """For the last sweeps, the first record of each record's entity (sweep by record)."""


class CopyingSampler:
    """A chain over orders and origins of n records, given candidate pairs.

    Parameters
    ----------
    n
        Records.
    a, b
        The candidate pairs, each once.
    seed
        Of the chain.
    outside
        Records that are there as neighbours of others only: they are always fresh.
    threads
        How many work at a time; None: as many as there are cores. The answer does not depend on it.
    """

    STATE: ClassVar[tuple[str, ...]] = ("rng_state", "time")
    """The arrays that the next sweep needs."""

    def __init__(
        self,
        n: int,
        a: NDArray[np.int32],
        b: NDArray[np.int32],
        *,
        seed: int,
        outside: NDArray[np.bool_] | None = None,
        threads: int | None = None,
    ) -> None:
        self.a, self.b = a, b
        self._outside = np.zeros(n, dtype=np.bool_) if outside is None else outside
        self.rng_state = kernel_state(seed, "copying")[:2].copy()
        """The key, and the number of sweeps done."""
        self.rng_state[1] = 0
        self.time = stream(seed, "copying", "start").random(n)
        self._threads = threads or n_threads()
        self._layout: _Layout | None = None

    def among(self, records: NDArray[np.int32], pairs: NDArray[np.int64]) -> "CopyingSampler":
        """Return a chain over some records (ascending) and pairs of them, from where this one stands.

        What it says of records is about their places among these.
        """
        other = object.__new__(CopyingSampler)
        place = np.zeros(len(self.time), dtype=np.int32)
        place[records] = np.arange(len(records), dtype=np.int32)
        other.a, other.b = place[self.a[pairs]], place[self.b[pairs]]
        other._outside, other._threads, other._layout = self._outside[records], self._threads, None
        other.rng_state, other.time = self.rng_state.copy(), self.time[records]
        return other

    def run(
        self,
        copy: NDArray[np.float64],
        relative: NDArray[np.float64],
        *,
        n_sweeps: int,
        n_kept: int = 0,
        watch: Watch | None = None,
    ) -> Draws:
        """Run some sweeps with the weights given (not their logarithms) and say what they saw.

        `watch` is told the number of entities after each sweep, or a fraction of a second later, and may end the run.
        """
        return self._swept(copy, relative, n_sweeps, n_kept, watch).draws(len(self.a))

    def settle(self, copy: NDArray[np.float64], relative: NDArray[np.float64], *, n_sweeps: int) -> NDArray[np.int64]:
        """Run some sweeps of which nothing is told but the number of entities after each."""
        return self._swept(copy, relative, n_sweeps, counted=False).n_entities()

    def _swept(
        self,
        copy: NDArray[np.float64],
        relative: NDArray[np.float64],
        n_sweeps: int,
        n_kept: int = 0,
        watch: Watch | None = None,
        *,
        counted: bool = True,
    ) -> "_Sweeps":
        """Run some sweeps; return what they saw."""
        if self._layout is None or not self._layout.is_of(copy, relative):
            self._layout = _Layout(self._outside, self.a, self.b, copy, relative)
        sweeps = _Sweeps(self._layout, self.time, self.rng_state, n_sweeps, n_kept, counted=counted)
        if self._threads > 1 and len(self._layout.batches) == 1 and len(self._layout.pairs) > _WORTH_MEETING:
            sweeps.run_together(self._threads, watch)
        else:
            sweeps.run(self._threads, watch)
        self.time[:] = sweeps.times()
        self.rng_state[1] += np.uint64(sweeps.n_sweeps)
        return sweeps


class _Layout:
    """The records that are open and their plausible pairs, each component side by side in memory."""

    def __init__(
        self,
        outside: NDArray[np.bool_],
        a: NDArray[np.int32],
        b: NDArray[np.int32],
        copy: NDArray[np.float64],
        relative: NDArray[np.float64],
    ) -> None:
        self._of, n = (copy, relative), len(outside)
        component = components_above(n, a, b, copy, relative, LEAST)
        strong = components_above(n, a, b, copy, relative, _STRONG)
        is_open = np.bincount(component, minlength=n)[component] > 1
        records = np.flatnonzero(is_open).astype(np.int32)
        self.records = order_by(order_by(records, strong), component)
        place = np.full(n, -1, dtype=np.int32)
        place[self.records] = np.arange(len(self.records), dtype=np.int32)
        component[~is_open] = np.arange(n)[~is_open]
        found = plausible_lists(place, len(self.records), outside, a, b, copy, relative, LEAST)
        self.offsets, self.neighbours, self.pairs, self.weights, self.copies = found
        self.inside, self.one, self.other = pairs_within(place, len(self.records), component, a, b)
        self.settled = np.flatnonzero(~is_open)
        self.batches = self._parted(component[self.records])

    def _parted(self, component: NDArray[np.int64]) -> list["_Batch"]:
        """Part the places into whole components that are sampled together; lists speak of places in them from now on.

        Parameters
        ----------
        component
            That of the record at each place.
        """
        n, total = len(component), len(self.pairs)
        begin = np.flatnonzero(np.append(True, component[1:] != component[:-1])) if n else np.zeros(0, dtype=np.int64)
        ends = np.append(begin, n)
        reached = self.offsets[ends]
        if total <= _WORTH_THREADS or np.diff(reached).max() > _LOPSIDED * total:
            cuts = np.array([0, n])
        else:
            new = reached[1:] // _BATCH > reached[:-1] // _BATCH
            new[-1] = True
            cuts = np.append(0, ends[1:][new])
        inside = np.searchsorted(self.one, cuts)
        found = [
            _Batch(slice(*place), slice(*pair), slice(*within))
            for place, pair, within in zip(
                itertools.pairwise(cuts.tolist()),
                itertools.pairwise(self.offsets[cuts].tolist()),
                itertools.pairwise(inside.tolist()),
                strict=True,
            )
        ]
        for batch in found:
            self.neighbours[batch.pairs] -= batch.places.start
            self.one[batch.inside] -= batch.places.start
            self.other[batch.inside] -= batch.places.start
        return found

    def lists(self, batch: "_Batch") -> Lists:
        """Return the origins that the records of a batch may have."""
        places, pairs = batch.places, batch.pairs
        offsets = self.offsets[places.start : places.stop + 1] - pairs.start
        return Lists(self.records[places], offsets, self.neighbours[pairs], self.weights[pairs], self.copies[pairs])

    def is_of(self, copy: NDArray[np.float64], relative: NDArray[np.float64]) -> bool:
        """Say whether this was made of these very weights."""
        return self._of[0] is copy and self._of[1] is relative


class _Batch(NamedTuple):
    """Components that are sampled together."""

    places: slice
    pairs: slice
    """Among the plausible pairs, from either side."""
    inside: slice
    """Among the pairs inside components."""


class _Sweeps:
    """Some sweeps over a layout, and what they see; of pairs nothing where these are not counted."""

    def __init__(
        self,
        layout: _Layout,
        time: NDArray[np.float64],
        rng_state: NDArray[np.uint64],
        n_sweeps: int,
        n_kept: int,
        *,
        counted: bool,
    ) -> None:
        self._layout, self._before = layout, time
        self._time = time[layout.records]
        self._key, self._done, self.n_sweeps = rng_state[0], int(rng_state[1]), n_sweeps
        told = slice(None) if counted else slice(0)
        self._counts = new_counts(len(layout.pairs), layout.one[told], layout.other[told])
        self._n_entities = np.full(n_sweeps, len(layout.settled))
        self._roots = np.empty((n_kept, len(time)), dtype=np.int32)
        """By sweep and place, until all are told of records."""
        self._first_kept = n_sweeps - n_kept

    def run(self, threads: int, watch: Watch | None) -> None:
        """Run batch by batch, each in one thread; the watch is told now and then of the sweeps since."""
        first, size = 0, self.n_sweeps if watch is None else 1
        batches = self._layout.batches
        with ThreadPoolExecutor(threads) if min(threads, len(batches)) > 1 else nullcontext() as pool:
            while first < self.n_sweeps:
                begun, last = perf_counter(), min(first + size, self.n_sweeps)
                work = partial(self._run_batch, first, last)
                for n_entities in map(work, batches) if pool is None else pool.map(work, batches):
                    self._n_entities[first:last] += n_entities
                for each in self._n_entities[first:last].tolist():
                    if watch is not None and watch(each):
                        self.n_sweeps = last
                # How many sweeps make a look worth it is a matter of time; what they see is not.
                size = max(1, int(_LOOK_EVERY * (last - first) / max(perf_counter() - begun, 1e-6)))
                first = last

    def _run_batch(self, first: int, last: int, batch: _Batch) -> NDArray[np.int64]:
        """Run some sweeps over a batch; return how many entities it has after each."""
        places = batch.places
        kept = slice(max(first - self._first_kept, 0), max(last - self._first_kept, 0))
        roots = np.empty((kept.stop - kept.start, places.stop - places.start), dtype=np.int32)
        n_entities = np.zeros(last - first, dtype=np.int64)
        seen = (self._counts_of(batch), n_entities, roots)
        lists = self._layout.lists(batch)
        run_sweeps(self._key, self._done + first, last - first, lists, self._time[places], *seen)
        self._roots[kept, places] = roots
        return n_entities

    def _counts_of(self, batch: _Batch) -> Counts:
        counts, pairs, inside = self._counts, batch.pairs, batch.inside
        of_pairs = (counts.n_copied[pairs], counts.n_related[pairs])
        within = (counts.one, counts.other, counts.n_together, counts.n_akin)
        return Counts(*of_pairs, *(each[inside] for each in within))

    def run_together(self, threads: int, watch: Watch | None) -> None:
        """Run with several threads over all at once: each counts its pairs and draws the origins of its records."""
        lists, counts, first_kept = self._layout.lists(self._layout.batches[0]), self._counts, self._first_kept
        origins, scratch = new_origins(self._time), new_scratch(len(self._time))
        with ThreadPoolExecutor(threads) as pool:
            for s in range(self.n_sweeps + 1):
                # Before the first sweep there is nothing to count, after the last nothing to draw.
                key, nothing = self._key_of(s), (0, 0)
                parts = [
                    (*(pairs if s > 0 else nothing), *(share if s < self.n_sweeps else nothing))
                    for pairs, share in self._shares(threads)
                ]
                work = [pool.submit(count_and_sample, *part, key, lists, origins, counts) for part in parts]
                if s > first_kept:
                    keep_roots(lists.records, origins.root, self._roots[s - 1 - first_kept])
                for each in work:
                    each.result()
                if s < self.n_sweeps:
                    self._n_entities[s] += sample_times(key, lists, None, origins, scratch)
                    if watch is not None and watch(int(self._n_entities[s])):
                        self.n_sweeps = s + 1
                if s == self.n_sweeps:
                    break

    def _key_of(self, s: int) -> np.uint64:
        return np.uint64(word_at(self._key, np.uint64(self._done + s)))

    def _shares(self, n: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Part pairs and records among threads, with as many pairs and neighbours each: (first, end), (first, end)."""
        offsets, m = self._layout.offsets, len(self._counts.one)
        ends = np.searchsorted(offsets, np.linspace(0, offsets[-1], n + 1)[1:-1]).tolist()
        records = [0, *ends, len(offsets) - 1]
        return [((m * i // n, m * (i + 1) // n), (records[i], records[i + 1])) for i in range(n)]

    def times(self) -> NDArray[np.float64]:
        """Return when each record came, after the last sweep."""
        found = self._before.copy()
        found[self._layout.records] = self._time
        if self.n_sweeps > 0:
            wait_alone(self._key_of(self.n_sweeps - 1), self._layout.settled, found)
        return found

    def n_entities(self) -> NDArray[np.int64]:
        """Return the number of entities after each sweep."""
        return self._n_entities[: self.n_sweeps]

    def draws(self, n_pairs: int) -> Draws:
        """Return what was seen, told of all pairs."""
        n_sweeps = max(self.n_sweeps, 1)
        together, akin = np.zeros(n_pairs), np.zeros(n_pairs)
        shares = []
        for counts in (self._counts.n_copied, self._counts.n_related):
            seen = np.flatnonzero(counts)
            share = np.bincount(self._layout.pairs[seen], counts[seen] / n_sweeps, n_pairs)
            shares.append(np.asarray(share, dtype=np.float64))
        copied, related = shares
        together[self._layout.inside] = self._counts.n_together / n_sweeps
        akin[self._layout.inside] = self._counts.n_akin / n_sweeps
        kept = self._roots[: max(self.n_sweeps - self._first_kept, 0)]
        records, settled = self._layout.records, self._layout.settled
        for sample in kept:
            placed = sample[: len(records)].copy()
            sample[settled], sample[records] = settled, placed
        return Draws(self.n_sweeps, copied, related, together, akin, self.n_entities(), kept)
