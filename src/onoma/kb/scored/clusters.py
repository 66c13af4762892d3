"""Scores in, clusters out: pairs that somebody else has scored, as a posterior over who is who.

A pair with the odds w = p / (1 - p) of being the same is an origin of weight w beside 1 for a fresh record, which alone
gives the probability p back. Together, each record has one origin at most, so a doubtful pair joins two groups only
where nothing better explains either of its records: chains of lucky scores, which sink the connected components of a
threshold, have little mass. The clustering that is reported is the one with the least expected loss over the samples.

A score is no probability because it lies between 0 and 1. With labels of some pairs it becomes one, by logistic
regression of the label on the log odds of the score (Platt, 1999), fitted with one pseudo-label on either side;
without, it is taken at its word, and the answer says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, SettingsError
from onoma.kb.incremental import Edges, Effort, Resampled, resample
from onoma.kb.memory import flat_weights
from onoma.numerics.union_find import components
from onoma.resolve.posterior.judgements import Judged

__all__ = [
    "Calibration",
    "Clustered",
    "ScoredPairs",
    "calibrate",
    "cluster_pairs",
    "label_pairs",
    "read_pairs",
]

_ENDS = (("a", "b"), ("id_l", "id_r"), ("unique_id_l", "unique_id_r"), ("left", "right"), ("id_1", "id_2"), ("x", "y"))
_SCORES = {
    "probability": "probability",
    "match_probability": "probability",
    "match_weight": "bits",
    "bits": "bits",
    "log_odds": "log-odds",
    "score": "",
    "similarity": "",
    "confidence": "",
}
"""Columns of scores, and what they are; empty: a probability if it lies between 0 and 1."""
KINDS = ("probability", "bits", "log-odds")
_SURE = 35.0
"""The greatest log odds that a score is taken for."""


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs of things with the log odds that their scores say."""

    ids: list[str]
    """The things, in order of first appearance."""
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    log_odds: NDArray[np.float64]
    kind: str
    """What the score was taken for."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Calibration:
    """What a score means: log odds = intercept + slope · the log odds that the score says."""

    intercept: float
    slope: float
    n_labels: int
    log_loss_before: float
    log_loss: float
    """By cross-validation in five parts."""


@dataclass(frozen=True, eq=False)
class Clustered:
    """Who is who, by pairs that were scored."""

    clustering: Clustering
    probability: NDArray[np.float64]
    """For each thing, that it belongs where it is."""
    edges: Edges
    """The pairs with the share of samples that hold each together."""
    roots: NDArray[np.int64]
    """For each sample and thing, the first thing of its entity."""
    calibration: Calibration | None


def read_pairs(table: pa.Table, *, score: str | None = None, kind: str | None = None) -> ScoredPairs:
    """Read pairs with scores: two columns of ids, and one of scores.

    Parameters
    ----------
    score
        The column of scores; None: one that is called like one.
    kind
        What scores are: `probability`, `bits` (log₂ odds, Splink's match weight) or `log-odds`; None: what the column's
        name and values say.
    """
    names = table.column_names
    ends = next((pair for pair in _ENDS if {*pair} <= {*names}), tuple(names[:2]))
    column = score or next((name for name in _SCORES if name in names), None)
    if len(ends) < 2 or column is None or column not in names:
        raise SettingsError(
            f"of the columns {', '.join(names)} {f'none is {score!r}' if score else 'none is a score'}",
            hint="Two columns of ids (a, b) and one of scores: name that with --score COLUMN.",
        )
    ids = [[None if key is None else str(key) for key in table[side].to_pylist()] for side in ends]
    values = _numbers(table[column], column)
    kind = _kind(kind or _SCORES.get(column, ""), column, values)
    usable = np.array([x is not None and y is not None and x != y for x, y in zip(*ids, strict=True)], dtype=np.bool_)
    usable &= ~np.isnan(values)
    place: dict[str, int] = {}
    ends_at = [
        np.array(
            [place.setdefault(str(key), len(place)) for key, use in zip(side, usable, strict=True) if use], np.int64
        )
        for side in ids
    ]
    return _once(list(place), ends_at[0], ends_at[1], _log_odds(values[usable], kind), kind, len(values))


def _numbers(column: pa.ChunkedArray, name: str) -> NDArray[np.float64]:
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f"the column {name!r} does not hold numbers: {error}", hint="Name another: --score COLUMN."
        ) from error


def _kind(kind: str, column: str, values: NDArray[np.float64]) -> str:
    inside = bool(np.all((np.isnan(values)) | ((values >= 0) & (values <= 1))))
    if not kind:
        if not inside:
            raise SettingsError(
                f"the scores of {column!r} are not between 0 and 1: what they mean is not known",
                hint="Say what they are: --score-is bits (log2 odds), log-odds or probability.",
            )
        return "probability"
    if kind not in KINDS:
        raise SettingsError(f"a score is no {kind!r}", hint=f"It is one of {', '.join(KINDS)}.")
    if kind == "probability" and not inside:
        raise DataError(
            f"the probabilities of {column!r} are not between 0 and 1", hint="--score-is bits, or log-odds?"
        )
    return kind


def _log_odds(values: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    if kind == "probability":
        with np.errstate(divide="ignore"):
            values = np.log(values) - np.log1p(-values)
    elif kind == "bits":
        values = values * np.log(2.0)
    return np.clip(values, -_SURE, _SURE)


def _once(
    ids: list[str], a: NDArray[np.int64], b: NDArray[np.int64], log_odds: NDArray[np.float64], kind: str, n_rows: int
) -> ScoredPairs:
    """Return each pair once; of one that stands several times, the mean counts."""
    keys, back = np.unique(np.minimum(a, b) * len(ids) + np.maximum(a, b), return_inverse=True)
    mean = np.bincount(back, log_odds, minlength=len(keys)) / np.maximum(np.bincount(back, minlength=len(keys)), 1)
    notes = []
    if n_rows > len(a):
        notes.append(f"{n_rows - len(a):,} rows have no two ids and a score, or pair a thing with itself; passed over")
    if len(a) > len(keys):
        notes.append(f"{len(a) - len(keys):,} pairs stand more than once: the mean of their log odds counts")
    n = max(len(ids), 1)
    return ScoredPairs(ids, keys // n, keys % n, mean, kind, tuple(notes))


class Labelled(NamedTuple):
    """Pairs of which it is known whether they are the same."""

    pair: NDArray[np.int64]
    same: NDArray[np.bool_]


def label_pairs(pairs: ScoredPairs, labels: pa.Table) -> Labelled:
    """Return which pairs are labelled: by a table of pairs (a, b, same) or of things and entities (id, entity)."""
    names = labels.column_names
    place = {key: i for i, key in enumerate(pairs.ids)}
    ends = next((pair for pair in _ENDS if {*pair} <= {*names}), None)
    if ends is None:
        return _by_entity(pairs, place, labels)
    said = next((name for name in names if name not in ends), None)
    if said is None:
        raise DataError("the labels have no column that says whether two are the same", hint="a, b, same (1 or 0).")
    n = max(len(pairs.ids), 1)
    known = {int(x * n + y): e for e, (x, y) in enumerate(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))}
    found: dict[int, bool] = {}
    for x, y, label in zip(*(labels[name].to_pylist() for name in (*ends, said)), strict=True):
        i, j = sorted((place.get(str(x), -1), place.get(str(y), -1)))
        if i >= 0 and (e := known.get(i * n + j)) is not None:
            found[e] = _is_same(label)
    return Labelled(np.array(list(found), dtype=np.int64), np.array(list(found.values()), dtype=np.bool_))


def _is_same(label: object) -> bool:
    text = str(label).strip().lower()
    if text in ("1", "1.0", "true", "same", "yes", "match"):
        return True
    if text in ("0", "0.0", "false", "different", "no", "non-match"):
        return False
    raise DataError(f"the label {label!r} is not understood; it is 1 or 0, same or different")


def _by_entity(pairs: ScoredPairs, place: Mapping[str, int], labels: pa.Table) -> Labelled:
    if labels.num_columns < 2:
        raise DataError("labels are pairs (a, b, same) or things with their entities (id, entity)")
    entity = np.full(len(pairs.ids), -1, dtype=np.int64)
    numbers: dict[str, int] = {}
    names = labels.column_names
    key = "id" if "id" in names else names[0]
    what = "entity" if "entity" in names else next(name for name in names if name != key)
    for each, group in zip(labels[key].to_pylist(), labels[what].to_pylist(), strict=True):
        if group is not None and str(each) in place:
            entity[place[str(each)]] = numbers.setdefault(str(group), len(numbers))
    known = np.flatnonzero((entity[pairs.a] >= 0) & (entity[pairs.b] >= 0))
    return Labelled(known, entity[pairs.a[known]] == entity[pairs.b[known]])


def calibrate(log_odds: NDArray[np.float64], same: NDArray[np.bool_]) -> Calibration:
    """Fit what scores mean to labels.

    Examples
    --------
    >>> says = np.repeat([-2.0, 2.0], 50)
    >>> found = calibrate(says, np.tile([True, False], 50))  # the scores say nothing
    >>> abs(found.slope) < 0.01, found.n_labels
    (True, 100)
    """
    n = len(log_odds)
    if n < _FEWEST or same.all() or not same.any():
        raise DataError(
            f"{n:,} of the scored pairs are labelled, {int(same.sum()):,} as the same: too few to say what scores mean",
            hint=f"At least {_FEWEST} pairs, of both sorts.",
        )
    fold = np.arange(n) % 5
    losses = []
    for part in range(5):
        train, test = fold != part, fold == part
        line = _fit(log_odds[train], same[train])
        losses.append(_log_loss(line[0] + line[1] * log_odds[test], same[test]))
    intercept, slope = _fit(log_odds, same)
    return Calibration(intercept, slope, n, _log_loss(log_odds, same), float(np.mean(losses)))


_FEWEST = 10


def _fit(x: NDArray[np.float64], same: NDArray[np.bool_]) -> tuple[float, float]:
    """Return intercept and slope by Newton's method; targets are drawn in by a pseudo-label on either side."""
    n_same, n_other = int(same.sum()), int((~same).sum())
    target = np.where(same, (n_same + 1) / (n_same + 2), 1 / (n_other + 2))
    design = np.stack([np.ones(len(x)), x], axis=1)
    weights = np.array([0.0, 1.0])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -_SURE, _SURE)))
        curvature = design.T @ (design * np.maximum(p * (1 - p), 1e-9)[:, None]) + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, design.T @ (target - p))
        weights = weights + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-8:
            break
    return float(weights[0]), float(weights[1])


def _log_loss(log_odds: NDArray[np.float64], same: NDArray[np.bool_]) -> float:
    signed = np.where(same, log_odds, -log_odds)
    return float(np.mean(np.logaddexp(0.0, -signed)))


def cluster_pairs(
    pairs: ScoredPairs,
    *,
    same: Sequence[tuple[str, str]] = (),
    different: Sequence[tuple[str, str]] = (),
    labels: Labelled | None = None,
    effort: Effort | None = None,
) -> Clustered:
    """Return who is who.

    Parameters
    ----------
    same, different
        Pairs that must, and must not, be one entity, whatever the scores say.
    labels
        Pairs of which it is known; scores are then calibrated.
    """
    n = len(pairs.ids)
    calibration = None if labels is None else calibrate(pairs.log_odds[labels.pair], labels.same)
    log_odds = pairs.log_odds
    if calibration is not None:
        log_odds = np.clip(calibration.intercept + calibration.slope * log_odds, -_SURE, _SURE)
    nothing = np.full(len(pairs.a), -np.inf)
    # Every pair touches at first: what is drawn says what is together.
    edges = Edges(pairs.a, pairs.b, log_odds, nothing, np.ones(len(pairs.a)))
    judged = _judged(pairs, same, different)
    barred = _tied_to(n, edges, judged)
    pieces = []
    for inside in (barred, ~barred):
        if inside.any():
            entity = np.full(n, -1, dtype=np.int64)
            found = resample(n, edges, inside, flat_weights(), effort=effort or Effort(), judged=judged, entity=entity)
            pieces.append(found)
    return _in_one(pairs, edges, pieces, calibration)


def _judged(pairs: ScoredPairs, same: Sequence[tuple[str, str]], different: Sequence[tuple[str, str]]) -> Judged:
    place = {key: i for i, key in enumerate(pairs.ids)}

    def numbered(said: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
        unknown = [key for pair in said for key in pair if key not in place]
        if unknown:
            raise DataError(
                f"{unknown[0]!r}, of which something is said, is in no pair",
                hint="Add a pair of it, however low its score, or leave it out of --must and --cannot.",
            )
        return np.array([[place[x], place[y]] for x, y in said], dtype=np.int64).reshape(-1, 2)

    found = Judged(numbered(same), numbered(different), np.zeros((0, 2), dtype=np.int64), np.zeros(0))
    group = found.groups(len(pairs.ids))
    both = np.flatnonzero(group[found.different[:, 0]] == group[found.different[:, 1]])
    if len(both):
        x, y = (pairs.ids[i] for i in found.different[both[0]])
        raise DataError(f"{x!r} and {y!r} must not be one entity, but pairs that must be lead from one to the other")
    return found


def _tied_to(n: int, edges: Edges, judged: Judged) -> NDArray[np.bool_]:
    """Return which things hang together with some that must not be one: these are drawn by the slower chain."""
    said = judged.pairs()
    a, b = (np.concatenate([edges[side], said[:, side]]).astype(np.int64) for side in (0, 1))
    group = components(n, a, b)
    marked = np.zeros(n, dtype=np.bool_)
    marked[group[judged.different.ravel()]] = True
    return marked[group]


def _in_one(
    pairs: ScoredPairs, edges: Edges, pieces: Sequence[Resampled], calibration: Calibration | None
) -> Clustered:
    n = len(pairs.ids)
    labels, probability = np.arange(n, dtype=np.int64), np.ones(n)
    n_samples = max((len(each.roots) for each in pieces), default=1)
    roots = np.tile(np.arange(n, dtype=np.int64), (n_samples, 1))
    together = np.zeros(len(edges.a))
    first = n
    for each in pieces:
        labels[each.records] = each.labels + first
        first += int(each.labels.max(initial=-1)) + 1
        probability[each.records] = each.probability
        roots[:, each.records] = each.roots
        together[each.edges] = each.together
    found = edges._replace(probability=together)
    return Clustered(Clustering.from_labels(labels), probability, found, roots, calibration)
