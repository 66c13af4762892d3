"""Why two records are, or are not, the same: the pair's own evidence, split over its fields.

The log odds that one record copies the other, with nobody else in sight, are a sum of bits:

    log₂ κ + Σ_f bits(f) + bits(slips) − log₂(1 + w(related)).

The first is the prior; a field's bits are what it adds to the Bayes factor, given the field it depends on; the slips
are the number of fields that differ, which copies have more or less often than the fields one by one would have it; the
last is taken away because relatives explain the same agreement. What the sampler says of the pair also counts its
rivals (a record has one origin) and its company (two copies of one record are together whatever they share), so both
are given.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.errors import DataError, UnsupportedError
from onoma.resolve.comparison.compare import compare_records, log_shares
from onoma.resolve.comparison.gathering import CONTRAST_LEVELS
from onoma.resolve.comparison.slips import parents_first
from onoma.resolve.comparison.swaps import mark_swaps
from onoma.resolve.comparison.weights import COPIED, FRESH, Evidence, Weights, edge_weights, log_bayes_factors
from onoma.resolve.contract import Capability
from onoma.resolve.fields.kinds import VECTOR
from onoma.resolve.registry import require

if TYPE_CHECKING:
    from onoma.resolve.contract import PairEvidence, Posterior
    from onoma.resolve.result import Resolution

__all__ = [
    "CONTRAST",
    "Explanation",
    "LevelWeight",
    "Record",
    "Step",
    "answered",
    "explain_pair",
    "field_contributions",
    "find_record",
    "fitted",
    "weight_table",
]

Record = str | int | tuple[str, str]
"""How a record is named: by its id, by its row (counted from 0), or by its source and id."""
CONTRAST = "contrast"
"""The name of the field that compares a pair with its rivals."""
_NOTHING = 0.005
"""Bits too few to be told."""


class Step(NamedTuple):
    """What one thing adds to the log odds."""

    field: str
    level: str
    given: str
    """The field it depends on; empty if none."""
    a: str
    b: str
    bits: float


class LevelWeight(NamedTuple):
    """What it means that two records are at one level of one field, all others left aside."""

    field: str
    kind: str
    level: str
    copied: float
    """Share of copies at it."""
    strangers: float
    copies: float
    """Pairs of origin and copy seen at it, on average."""
    bits: float
    """The weight; of equal values, that of a typical one."""
    low: float | None = None
    high: float | None = None
    """Of equal values, the weight of common and of rare ones: 5 % of records have a more common, 5 % a rarer value."""


@dataclass(frozen=True)
class Explanation:
    """The evidence of one pair."""

    a: int
    b: int
    """Rows of the two records."""
    steps: tuple[Step, ...]
    """The prior, each field, and the slips and the relatives if they count."""
    posterior: float | None
    """Share of samples that hold the two together; None if they were never compared."""

    @cached_property
    def bits(self) -> float:
        """The log odds of the pair alone."""
        return sum(step.bits for step in self.steps)

    @property
    def probability(self) -> float:
        """The probability that the bits of the pair alone give."""
        return float(1.0 / (1.0 + np.exp2(-np.clip(self.bits, -1000.0, 1000.0))))

    def __repr__(self) -> str:
        told = "never compared" if self.posterior is None else f"the same with probability {self.posterior:.3g}"
        lines = [f"rows {self.a} and {self.b}: {told}; alone {self.bits:+.1f} bits, {self.probability:.3g}"]
        for step in self.steps:
            values = f"{step.a!r} and {step.b!r}" if step.a or step.b else ""
            lines.append(f"{step.bits:+8.1f}  {step.field:<16} {step.level:<12} {values}".rstrip())
        return "\n".join(lines)


def find_record(resolution: "Resolution", record: Record) -> int:
    """Return the row of a record named by its id, by its source and id, or by the row itself."""
    if isinstance(record, int):
        if not 0 <= record < len(resolution.table):
            raise DataError(f"there is no row {record:,}; rows are 0 to {len(resolution.table) - 1:,}")
        return record
    source, name = record if isinstance(record, tuple) else (None, record)
    hits = pc.equal(resolution.table["id"], name)
    if source is not None:
        if resolution.source is None:
            raise DataError(f"records have no source here; name the record {name!r} alone")
        hits = pc.and_(hits, pc.equal(resolution.source, source))
    rows = np.flatnonzero(pc.fill_null(hits, fill_value=False).to_numpy())
    if len(rows) == 0:
        raise DataError(f"there is no record with the id {name!r}" + (f" in {source!r}" if source is not None else ""))
    if len(rows) > 1:
        raise DataError(f"the id {name!r} stands in several sources", hint="Name both: ('source', 'id').")
    return int(rows[0])


def explain_pair(resolution: "Resolution", a: Record, b: Record) -> Explanation:
    """Split the evidence of two records over their fields.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> from onoma.resolve.api import resolve
    >>> found = resolve(simulate_people(200, seed=1))
    >>> [step.field for step in explain_pair(found, 0, 1).steps][:3]
    ['prior', 'given_name', 'middle_name']
    """
    one, other = sorted((find_record(resolution, a), find_record(resolution, b)))
    if one == other:
        raise DataError("a record is compared with another, not with itself")
    if resolution.posterior is None:
        return Explanation(one, other, tuple(_silent(resolution, one, other)), None)
    fit = fitted(resolution)
    pair = _candidate(fit.evidence, one, other)
    levels, shares = _levels(resolution, fit, one, other, pair)
    steps = [Step("prior", "", "", "", "", float(np.log2(fit.weights.kappa)))]
    steps += _of_fields(
        resolution, fit, (one, other), levels, field_contributions(fit.evidence, fit.weights, levels, shares)
    )
    steps += _of_all(fit, levels, shares)
    posterior = None if pair < 0 else float(fit.draws.together[pair])
    return Explanation(one, other, tuple(steps), posterior)


def answered(resolution: "Resolution") -> "Posterior":
    """Return what the model found out; refuse if there was nothing to compare."""
    if resolution.posterior is None:
        raise DataError("there was nothing to compare, so nothing was learnt", hint="; ".join(resolution.notes))
    return resolution.posterior


def fitted(resolution: "Resolution") -> "PairEvidence":
    """Return what pairs share and what it weighs; refuse if nothing was compared, or the model weighs no pairs."""
    answered(resolution)
    if resolution.weighed is None:
        model = resolution.config.model
        require(model, Capability.EXPLAIN, "weighs no pairs: there is no evidence to be told field by field")
        raise UnsupportedError(f"the model {model} kept no weights of pairs")
    return resolution.weighed


def weight_table(resolution: "Resolution") -> list[LevelWeight]:
    """Return the weights as the sampler uses them, field by field and level by level."""
    fit = fitted(resolution)
    names = [(each.name, each.kind, each.levels) for each in resolution.fields.fields]
    if fit.evidence.contrast >= 0:
        names.append((CONTRAST, CONTRAST, CONTRAST_LEVELS))
    found = []
    for f, (name, kind, levels) in enumerate(names):
        copied, fresh = (fit.weights.marginals(side, f) for side in (COPIED, FRESH))
        column = fit.evidence.levels[:, f]
        copies = np.bincount(column[column >= 0], fit.draws.copied[column >= 0], minlength=len(levels))
        shares = _typical_shares(resolution, f)
        for level, label in enumerate(levels):
            bits = _alone(fit, f, level, shares if level == 0 else np.zeros(1))
            spread = (bits[1], bits[2]) if len(bits) == 3 else (None, None)
            seen = float(copied[level]), float(fresh[level]), float(copies[level])
            found.append(LevelWeight(name, kind, label, *seen, bits[0], *spread))
    return found


def _typical_shares(resolution: "Resolution", f: int) -> NDArray[np.float64]:
    """Return the log shares of the values of a record in the middle, of one with a common and one with a rare value."""
    if f >= len(resolution.fields.fields):
        return np.zeros(1)
    counts = np.sort(resolution.fields.fields[f].counts)
    place = np.searchsorted(np.cumsum(counts), np.array([0.5, 0.95, 0.05]) * counts.sum())
    return np.log(counts[np.minimum(place, len(counts) - 1)] / counts.sum())


def _alone(fit: "PairEvidence", f: int, level: int, shares: NDArray[np.float64]) -> list[float]:
    """Return the bits of one level of one field for each share that an equal value may have."""
    n = len(fit.evidence.n_levels)
    rows = np.full((len(shares), n), -1, dtype=np.int8)
    rows[:, f] = level
    log_share = np.zeros((len(shares), n), dtype=np.float32)
    log_share[:, f] = shares
    some = _given_by(fit.evidence, rows, log_share)
    return [float(each / np.log(2)) for each in log_bayes_factors(some, _field_by_field(fit.weights))[0]]


def _given_by(evidence: Evidence, levels: NDArray[np.int8], log_share: NDArray[np.float32]) -> Evidence:
    """Return the evidence of pairs that are given by their levels alone."""
    none = np.zeros(len(levels), dtype=np.int32)
    return replace(evidence, a=none, b=none, levels=levels, log_share=log_share)


def _field_by_field(weights: Weights) -> Weights:
    """Return the weights without what the number of differing fields adds."""
    return replace(weights, slips=np.zeros((1, 1)))


def _of_all(fit: "PairEvidence", levels: NDArray[np.int8], shares: NDArray[np.float32]) -> list[Step]:
    """Return what all fields together add: how many differ, and that relatives explain it too."""
    pair = _given_by(fit.evidence, levels[None], shares[None])
    with_slips, without = (log_bayes_factors(pair, each)[0][0] for each in (fit.weights, _field_by_field(fit.weights)))
    steps = []
    slips = float(with_slips - without) / np.log(2)
    if abs(slips) >= _NOTHING:
        said = f"{np.count_nonzero(levels > 0)} of {np.count_nonzero(levels >= 0)} fields differ"
        steps.append(Step("slips", said, "", "", "", slips))
    related = float(np.log2(1.0 + edge_weights(pair, fit.weights)[1][0]))
    if related >= _NOTHING:
        steps.append(Step("relatives", "explain it too", "", "", "", -related))
    return steps


def _silent(resolution: "Resolution", one: int, other: int) -> list[Step]:
    """Return the steps where nothing was learnt: nothing says anything."""
    rows = [_values(resolution, f, one, other) for f in range(len(resolution.fields.fields))]
    names = [field.name for field in resolution.fields.fields]
    return [Step(name, "not compared", "", *values, 0.0) for name, values in zip(names, rows, strict=True)]


def _candidate(evidence: Evidence, one: int, other: int) -> int:
    """Return the number of a pair among the candidates, which are in order; -1 if it is none."""
    first, last = np.searchsorted(evidence.a, [one, one + 1])
    at = int(first + np.searchsorted(evidence.b[first:last], other))
    return at if at < last and evidence.b[at] == other else -1


def _levels(
    resolution: "Resolution", fit: "PairEvidence", one: int, other: int, pair: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the level in each field and, where values are equal, the log of their share of records."""
    if pair >= 0:
        return fit.evidence.levels[pair], fit.evidence.log_share[pair]
    sides = np.array([one], np.int32), np.array([other], np.int32)
    fields = resolution.fields.fields
    levels = compare_records(fields, *sides)
    mark_swaps(fields, *sides, levels)
    shares = log_shares(fields, sides[0], levels)
    if fit.evidence.contrast < 0:
        return levels[0], shares[0]
    # A pair that is no candidate has better rivals than each other.
    return np.append(levels[0], np.int8(len(CONTRAST_LEVELS) - 1)), np.append(shares[0], np.float32(0.0))


def field_contributions(
    evidence: Evidence, weights: Weights, levels: NDArray[np.int8], shares: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return what each field adds to the log Bayes factor "copied".

    Fields speak one after the other, each after the field it depends on; a field's part is what the factor gains when
    it speaks. So the parts add up to the factor that the sampler uses, however that is computed.
    """
    order = parents_first(weights.parent)
    n = len(order)
    rows = np.full((n + 1, n), -1, dtype=np.int8)
    for spoken, f in enumerate(order):
        rows[spoken + 1 :, f] = levels[f]
    some = _given_by(evidence, rows, np.repeat(shares[None, :], n + 1, axis=0))
    parts = np.empty(n)
    parts[order] = np.diff(log_bayes_factors(some, _field_by_field(weights))[0])
    return parts


def _of_fields(
    resolution: "Resolution",
    fit: "PairEvidence",
    pair: tuple[int, int],
    levels: NDArray[np.int8],
    parts: NDArray[np.float64],
) -> list[Step]:
    fields = resolution.fields.fields
    names = [field.name for field in fields] + [CONTRAST] * (fit.evidence.contrast >= 0)
    steps = []
    for f, name in enumerate(names):
        known: Sequence[str] = fields[f].levels if f < len(fields) else CONTRAST_LEVELS
        level = "missing" if levels[f] < 0 else known[levels[f]]
        parent = int(fit.weights.parent[f])
        given = names[parent] if levels[f] >= 0 and parent >= 0 and levels[parent] >= 0 else ""
        values = _values(resolution, f, *pair) if f < len(fields) else ("", "")
        steps.append(Step(name, level, given, *values, float(parts[f] / np.log(2))))
    return steps


def _values(resolution: "Resolution", f: int, one: int, other: int) -> tuple[str, str]:
    """Return the values of two records as the table writes them: parts of a column alone, vectors shortened."""
    fields = resolution.fields.fields
    field = fields[f]
    if field.kind == VECTOR or sum(each.columns == field.columns for each in fields) > 1:
        a, b = ("" if code < 0 else field.examples[code] for code in (field.codes[one], field.codes[other]))
    else:
        a, b = (", ".join(_written(resolution, name, row) for name in field.columns) for row in (one, other))
    return a, b


def _written(resolution: "Resolution", column: str, row: int) -> str:
    value = resolution.table[column][row].as_py()
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return "" if value is None else str(value)
