"""New evidence about a few records: only what it touches is sampled again.

Touched are the records that the evidence is about and, from there, whatever some sample held together (with more than
two chances in a hundred). Around them stands a ring of records that they might also descend from, or be relatives of:
these are there to be chosen and choose nothing themselves. Should a sample join a record of the ring after all, it is
touched too, and all is drawn anew. Records beyond keep what they have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.kb.memory import Memory
from onoma.numerics.union_find import components
from onoma.resolve.comparison.compare import compare_records, log_shares
from onoma.resolve.comparison.swaps import mark_swaps
from onoma.resolve.comparison.weights import Evidence, Weights, limit_relatives, log_bayes_factors
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.features import Features
from onoma.resolve.fields.field import Codes, Comparison, FieldData, Levels, prepare_first
from onoma.resolve.posterior.consensus import find_consensus
from onoma.resolve.posterior.copying import CopyingSampler, Draws
from onoma.resolve.posterior.judgements import ApartSampler, Judged, heed_judgements, hold_apart

__all__ = [
    "Edges",
    "FieldPart",
    "OutgrownError",
    "Resampled",
    "best_weights",
    "compare_pairs",
    "evidence_of",
    "fields_of",
    "near_pairs",
    "resample",
    "start_times",
    "touched_by",
    "weigh_levels",
    "weigh_pairs",
    "with_ring",
]

FLOOR = 0.02
"""Records that are together in a smaller share of samples are not touched by each other."""
NEAR = 0.01
"""A pair touches from this part on of the weight of the best that a record has, being fresh (1) included."""
KEPT = 1e-3
"""Weight (beside 1 for a fresh record) from which on a pair is kept for later."""
_JOINED = 0.05
"""A record of the ring that samples join more often than this is touched."""
_EFFORT = 200_000
_MOST_BURN_IN, _MOST_THIN = 2_000, 20
_ROUNDS = 4
_CLIP = 60.0


class OutgrownError(Exception):
    """The records no longer fit what was learnt; all must be resolved anew."""


class FieldPart(NamedTuple):
    """The values that some records have in a field first, and some more that stand for the rest."""

    values: list[str]
    examples: list[str]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    """How many of all records have each value; they add up to all records with a value."""


class Edges(NamedTuple):
    """Pairs of records with their evidence."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    log_copy: NDArray[np.float64]
    """Log Bayes factor of a copy."""
    log_relative: NDArray[np.float64]
    probability: NDArray[np.float64]
    """Of being together; of a new pair, 0."""

    def take(self, which: NDArray[np.generic]) -> "Edges":
        """Return some of them."""
        return Edges(*(part[which] for part in self))

    def weights(self, weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weights as copy and as relative, ready for a sampler."""
        copy = np.exp(np.clip(self.log_copy + np.log(weights.kappa), -_CLIP, _CLIP))
        if weights.sigma <= 0:
            return copy, np.zeros(len(copy))
        relative = np.exp(np.clip(self.log_relative + np.log(weights.sigma), -_CLIP, _CLIP))
        return copy, limit_relatives(copy, relative)


def fields_of(memory: Memory, parts: Sequence[FieldPart]) -> list[FieldData]:
    """Return the fields of some records, comparable as those of all records are."""
    found = []
    for spec, part, comparison in zip(memory.fields, parts, _comparisons(memory, parts), strict=True):
        if comparison.levels != spec.levels:
            raise OutgrownError(f"the values of {spec.name} are of another form than before")
        about = (spec.name, spec.kind, spec.reason, spec.columns)
        found.append(FieldData(*about, part.values, part.examples, part.codes, part.counts, comparison))
    return found


def _comparisons(memory: Memory, parts: Sequence[FieldPart]) -> list[Comparison]:
    """Make the values of each field comparable.

    Fields of one kind whose values are compared by themselves, whatever the others are, are prepared together: somebody
    may be waiting, and of few values the beginning is most of the work.
    """
    used = [max(int(part.codes.max(initial=-1)) + 1, min(len(part.values), 1)) for part in parts]
    together: dict[str, list[int]] = {}
    for f, spec in enumerate(memory.fields):
        # A kind that is made of another may look at all values: it says so for itself.
        is_alone = spec.own is None and vars(type(spec.made)).get("is_alone", False)
        together.setdefault(spec.kind if is_alone else f"{f}", []).append(f)
    found: dict[int, Comparison] = {}
    for fields in together.values():
        first = fields[0]
        made = memory.fields[first].made
        if len(fields) == 1:
            found[first] = prepare_first(made, parts[first].values, parts[first].counts, used[first])
            continue
        values = [value for f in fields for value in parts[f].values[: used[f]]]
        counts = np.concatenate([parts[f].counts[: used[f]] for f in fields])
        whole = prepare_first(made, values, counts, len(values))
        start = 0
        for f in fields:
            found[f] = _Among(whole, start)
            start += used[f]
    return [found[f] for f in range(len(parts))]


class _Among:
    """Values of one field among those of others, from some place on."""

    def __init__(self, whole: Comparison, first: int) -> None:
        self._whole, self._first = whole, np.int32(first)
        self.levels = whole.levels

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair of distinct values."""
        return self._whole.compare(a + self._first, b + self._first)

    def features(self) -> Features:
        """Refuse: what is compared here was found before."""
        raise LookupError("values of several fields have no features in common")


def compare_pairs(
    fields: Sequence[FieldData], a: NDArray[np.int32], b: NDArray[np.int32]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the level of each pair in each field and, where values are equal, the log of their share of records."""
    levels = compare_records(fields, a, b)
    mark_swaps(fields, a, b, levels)
    return levels, log_shares(fields, a, levels)


def evidence_of(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    levels: NDArray[np.int8],
    shares: NDArray[np.float32],
    weights: Weights,
) -> Evidence:
    """Return what is known about some pairs, and nothing about pairs in general: enough to weigh, not to learn from."""
    n_fields = levels.shape[1]
    nothing = np.zeros(n_fields, dtype=np.bool_)
    return Evidence(
        n=n,
        a=a,
        b=b,
        levels=levels,
        log_share=shares,
        n_levels=weights.n_levels,
        background=np.zeros((0, n_fields), dtype=np.int8),
        background_weight=np.zeros(0),
        n_pairs=1.0,
        names=nothing,
        identity=nothing,
        own=nothing,
        words=np.ones(n_fields),
    )


def weigh_levels(
    levels: NDArray[np.int8], shares: NDArray[np.float32], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log Bayes factors of pairs given by their levels: as copy, as relative."""
    none = np.zeros(len(levels), dtype=np.int32)
    return log_bayes_factors(evidence_of(0, none, none, levels, shares, weights), weights)


def weigh_pairs(
    fields: Sequence[FieldData], a: NDArray[np.int32], b: NDArray[np.int32], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log Bayes factors of pairs of records."""
    return weigh_levels(*compare_pairs(fields, a, b), weights)


def touched_by(n: int, edges: Edges, seeds: NDArray[np.int64], judged: Judged) -> NDArray[np.bool_]:
    """Return which of n records are touched by evidence about some."""
    linked = edges.probability > FLOOR
    pairs = judged.pairs()
    a, b = (np.concatenate([edges[side][linked], pairs[:, side]]).astype(np.int64) for side in (0, 1))
    first = components(n, a, b)
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[first[seeds]] = True
    return chosen[first]


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How a part of the records is sampled again, and what errors cost."""

    samples: int = 100
    burn_in: int = 30
    merge_cost: float = 0.5
    seed: int = 0
    spare: int = _EFFORT
    """Records times sweeps that cost next to nothing: few records have more sweeps to settle and between samples."""

    @classmethod
    def of(cls, config: ResolveConfig) -> "Effort":
        """Return it as a configuration has it."""
        given = {name: getattr(config, name) for name in ("samples", "burn_in", "merge_cost", "seed")}
        return cls(**{name: value for name, value in given.items() if value is not None})


@dataclass(frozen=True, eq=False)
class Resampled:
    """What was drawn anew."""

    records: NDArray[np.int64]
    """The records touched, ascending."""
    labels: NDArray[np.int64]
    """The entity of each."""
    probability: NDArray[np.float64]
    roots: NDArray[np.int64]
    """For each sample and record touched, the first record of its entity (one of all records)."""
    edges: NDArray[np.int64]
    """The pairs among them, as numbers of edges."""
    together: NDArray[np.float64]
    """The share of samples that hold each of these together."""


def resample(
    n: int,
    edges: Edges,
    inside: NDArray[np.bool_],
    weights: Weights,
    *,
    effort: Effort,
    judged: Judged,
    entity: NDArray[np.int64],
    n_samples: int | None = None,
) -> Resampled:
    """Draw the entities of the records inside anew, everything else as it is.

    Where samples join a record of the ring, that record and whatever is tied to it are drawn again.

    Parameters
    ----------
    entity
        The entity of each record as it is; -1 for a new record. The chain starts from there.
    """
    # What is tied is drawn together: else what is drawn again later could be tied to what is settled.
    inside = touched_by(n, edges, np.flatnonzero(inside), judged)
    settled = np.zeros(n, dtype=np.bool_)
    pieces: list[Resampled] = []
    for rounds_left in range(_ROUNDS, 0, -1):
        part = _part(n, edges, inside, weights, judged)
        draws = _draw(part, entity[part.records], effort, n_samples or effort.samples)
        joined = part.joined(draws) if rounds_left > 1 else np.zeros(0, dtype=np.int64)
        again = part.tied_to(joined, draws)
        pieces.append(_settled(part, draws, ~again & ~part.outside, effort))
        if not len(joined):
            break
        settled[pieces[-1].records] = True
        inside = touched_by(n, edges, joined, judged)
        inside[part.records[again & ~part.outside]] = True
        if (inside & settled).any():
            # It has met what was settled in an earlier round: all of it is one matter.
            inside |= settled
            settled[:] = False
            pieces = []
    return _in_one(pieces)


def _settled(part: "_Part", draws: Draws, chosen: NDArray[np.bool_], effort: Effort) -> Resampled:
    """Return what was drawn about some records."""
    mine = part.within
    consensus = find_consensus(
        len(part.records), part.a[mine], part.b[mine], draws.together[mine], draws.roots, threshold=effort.merge_cost
    )
    consensus = hold_apart(consensus, draws.roots, part.judged, threshold=effort.merge_cost)
    keep = np.flatnonzero(chosen)
    told = np.flatnonzero(mine & (part.number >= 0) & (chosen[part.a] | chosen[part.b]))
    return Resampled(
        part.records[keep],
        consensus.clustering.labels[keep],
        consensus.probability[keep],
        part.records[draws.roots[:, keep]],
        part.number[told],
        draws.together[told],
    )


def _in_one(pieces: Sequence[Resampled]) -> Resampled:
    """Return several pieces as one, records ascending."""
    if len(pieces) == 1:
        return pieces[0]
    records = np.concatenate([each.records for each in pieces])
    order = np.argsort(records)
    ends = np.cumsum([0, *(int(each.labels.max(initial=-1)) + 1 for each in pieces)])
    labels = np.concatenate([each.labels + end for each, end in zip(pieces, ends[:-1], strict=True)])
    return Resampled(
        records[order],
        labels[order],
        np.concatenate([each.probability for each in pieces])[order],
        np.concatenate([each.roots for each in pieces], axis=1)[:, order],
        np.concatenate([each.edges for each in pieces]),
        np.concatenate([each.together for each in pieces]),
    )


class _Part(NamedTuple):
    """The records inside and their ring, with the pairs that matter, numbered anew."""

    records: NDArray[np.int64]
    outside: NDArray[np.bool_]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    copy: NDArray[np.float64]
    relative: NDArray[np.float64]
    number: NDArray[np.int64]
    """The edge that each pair is; -1 if a judgement made it."""
    within: NDArray[np.bool_]
    """The pairs of two records inside."""
    judged: Judged

    def joined(self, draws: Draws) -> NDArray[np.int64]:
        """Return the records of the ring that some samples join."""
        across = ~self.within & (draws.together > _JOINED)
        ends = np.concatenate([self.a[across], self.b[across]])
        return np.unique(self.records[ends[self.outside[ends]]])

    def tied_to(self, joined: NDArray[np.int64], draws: Draws) -> NDArray[np.bool_]:
        """Return which records (places) some samples, or judgements, tie to some records."""
        said = self.judged.pairs()
        tied = draws.together > FLOOR
        a = np.concatenate([self.a[tied], said[:, 0]]).astype(np.int64)
        b = np.concatenate([self.b[tied], said[:, 1]]).astype(np.int64)
        first = components(len(self.records), a, b)
        chosen = np.zeros(len(self.records), dtype=np.bool_)
        chosen[first[np.searchsorted(self.records, joined)]] = True
        return chosen[first]


def _part(n: int, edges: Edges, inside: NDArray[np.bool_], weights: Weights, judged: Judged) -> _Part:
    near = np.flatnonzero(inside[edges.a] | inside[edges.b])
    # In the order of their records, whatever order they were kept in: so the same is drawn from file and from memory.
    near = near[np.lexsort((edges.b[near], edges.a[near]))]
    some = edges.take(near)
    copy, relative = some.weights(weights)
    use = inside[some.a] & inside[some.b]
    # Of the ring, only what can rival the best that a record inside has.
    best = best_weights(n, some.a, some.b, copy + relative)
    for side in (some.a, some.b):
        use |= inside[side] & (copy + relative > NEAR * (1.0 + best[side]))
    near, some, copy, relative = near[use], some.take(use), copy[use], relative[use]
    present = inside.copy()
    present[some.a] = present[some.b] = True
    records = np.flatnonzero(present)
    place = np.full(n, -1, dtype=np.int64)
    place[records] = np.arange(len(records))
    a, b = place[some.a], place[some.b]
    mine = judged.renumbered(place, inside)
    a, b, copy, relative, number = heed_judgements(mine, a, b, copy, relative, near)
    outside = ~inside[records]
    within = ~outside[a] & ~outside[b]
    return _Part(records, outside, a.astype(np.int32), b.astype(np.int32), copy, relative, number, within, mine)


def with_ring(n: int, edges: Edges, inside: NDArray[np.bool_], weights: Weights, judged: Judged) -> NDArray[np.bool_]:
    """Return some records with those that stand around them, and what these touch."""
    part = _part(n, edges, inside, weights, judged)
    return inside | touched_by(n, edges, part.records, judged)


def best_weights(
    n: int, a: NDArray[np.int64], b: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return for each record the greatest weight of its pairs."""
    best = np.zeros(n)
    np.maximum.at(best, a, weight)
    np.maximum.at(best, b, weight)
    return best


def near_pairs(n: int, edges: Edges, new: Edges, weights: Weights) -> NDArray[np.bool_]:
    """Return which new pairs matter: a copy that rivals the best that one side has, or relatives its best copy."""
    old_copy, old_relative = edges.weights(weights)
    copy, relative = new.weights(weights)
    a, b = (np.concatenate([edges[side], new[side]]) for side in (0, 1))
    copies = best_weights(n, a, b, np.concatenate([old_copy, copy]))
    every = best_weights(n, a, b, np.concatenate([old_copy + old_relative, copy + relative]))
    found = np.zeros(len(copy), dtype=np.bool_)
    for side in (new.a, new.b):
        found |= (copy > NEAR * (1.0 + every[side])) | (relative > NEAR * (1.0 + copies[side])) & (copies[side] > 1.0)
    return found


def _draw(part: _Part, entity: NDArray[np.int64], effort: Effort, n_samples: int) -> Draws:
    """Draw samples; of few records more sweeps are made than kept, since they cost next to nothing."""
    spare = effort.spare // max(len(part.records), 1)
    n_burn_in = max(effort.burn_in, min(spare, _MOST_BURN_IN))
    every = max(1, min(spare // n_samples, _MOST_THIN))
    sampler: ApartSampler | CopyingSampler
    if len(part.judged.different):
        sampler = ApartSampler(part.judged, part.outside, part.a, part.b, seed=effort.seed)
    else:
        sampler = CopyingSampler(len(part.records), part.a, part.b, seed=effort.seed, outside=part.outside, threads=1)
        sampler.time[:] = start_times(part.a, part.b, part.relative, entity, sampler.time)
    sampler.run(part.copy, part.relative, n_sweeps=n_burn_in)
    draws = sampler.run(part.copy, part.relative, n_sweeps=every * n_samples, n_kept=every * n_samples)
    return replace(draws, roots=np.ascontiguousarray(draws.roots[::every]))


def start_times(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    relative: NDArray[np.float64],
    entity: NDArray[np.int64],
    time: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return times from which a chain finds known entities again at once; `time` are random ones below 1.

    The records of an entity come one right after the other, that with the strongest relation to another entity first:
    it alone can follow that relation without parting from the others. New records (entity -1) come last.
    """
    outward = np.zeros(len(entity))
    across = entity[a] != entity[b]
    for side in (a, b):
        np.maximum.at(outward, side[across], relative[across])
    order = np.lexsort((-outward, entity))
    begins = np.ones(len(entity), dtype=np.bool_)
    begins[1:] = entity[order[1:]] != entity[order[:-1]]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(entity)), 0))
    found = np.empty(len(entity))
    found[order] = time[order[first]] + 1e-9 * (np.arange(len(entity)) - first)
    return np.where(entity < 0, 1.0 + time, found)
