"""Constraints become numbers: bounds on expectations, tables for SampleRank, and the rule baseline.

One list of occurrences (`matching`) serves all three. What a way to learn cannot use is named, not dropped silently.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from onoma.errors import SettingsError
from onoma.extract.constraints import Constraint, LabelSet
from onoma.extract.matching import Fire
from onoma.extract.tokens import Text
from onoma.learning.samplerank_chain import ConstraintScores
from onoma.learning.sequences._semicrf_arrays import Layout
from onoma.learning.sequences.expectations import ConstraintSet
from onoma.learning.sequences.semicrf_layout import Segmentation, Sequences

__all__ = ["Report", "bounds_of", "check", "rule_segments", "scores_of"]


@dataclass(frozen=True)
class Report:
    """What is odd about constraints on these texts.

    Attributes
    ----------
    silent
        Constraints that never fire.
    conflicts
        Pairs of constraints that ask for different labels of the same tokens more often than both can have them.
    counts
        How often each fires.
    """

    silent: list[str]
    conflicts: list[str]
    counts: list[int]


def check(fires: Sequence[Sequence[Fire]], constraints: Sequence[Constraint]) -> Report:
    """Look for constraints that never fire and for pairs that contradict each other."""
    counts = [0] * len(constraints)
    clashes: dict[tuple[int, int], int] = defaultdict(int)
    for each in fires:
        here: dict[int, set[int]] = defaultdict(set)
        for fire in each:
            counts[fire.constraint] += 1
            if fire.is_token or len(fire.lengths) == 1:
                for i in range(fire.start, fire.start + fire.lengths[0]):
                    here[i].add(fire.constraint)
        for numbers in here.values():
            for a in numbers:
                for b in numbers:
                    if a < b and not set(constraints[a].labels) & set(constraints[b].labels):
                        clashes[a, b] += 1
    fired = ("dictionary", "pattern", "token", "separator")
    silent = [c.name for c, n in zip(constraints, counts, strict=True) if n == 0 and c.kind in fired]
    conflicts = [
        f"{constraints[a].name} and {constraints[b].name}: {n:,} tokens"
        for (a, b), n in sorted(clashes.items(), key=lambda item: -item[1])
        if constraints[a].labels
        and constraints[b].labels
        and constraints[a].share + constraints[b].share > 1.0
        and n > 0.5 * min(counts[a], counts[b])
    ]
    return Report(silent, conflicts, counts)


@dataclass
class _Base:
    """Base features as they are handed out."""

    n_labels: int
    inside: list[tuple[int, ...]] = field(default_factory=list)
    segment: list[tuple[int, ...]] = field(default_factory=list)
    token_hits: list[tuple[int, int]] = field(default_factory=list)
    segment_hits: list[tuple[int, int, int]] = field(default_factory=list)
    rows: list[dict[tuple[str, int, int], float]] = field(default_factory=list)
    targets: list[float] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def bound(self, name: str, row: dict[tuple[str, int, int], float], target: float) -> None:
        self.rows.append(row)
        self.targets.append(target)
        self.names.append(name)


def bounds_of(
    texts: Sequence[Text],
    fires: Sequence[Sequence[Fire]],
    constraints: Sequence[Constraint],
    labels: LabelSet,
    model: Layout,
    sequences: Sequences,
    *,
    noise: float = 0.0,
    seed: int = 0,
) -> tuple[ConstraintSet, list[str], list[str]]:
    """Return bounds on expectations, their names, and the constraints that cannot be one.

    `noise` moves every target share up or down by up to this share of itself: how much does learning depend on them?
    """
    n_labels = model.n_labels
    base = _Base(n_labels)
    base.inside.append(tuple(range(n_labels)))  # attribute 0: every token
    offsets = sequences.texts.offsets
    base.token_hits += [(i, 0) for i in range(sequences.n_tokens)]
    rng = np.random.default_rng(seed)
    unused = []
    by_constraint: dict[int, list[tuple[int, Fire]]] = defaultdict(list)
    for t, found in enumerate(fires):
        for fire in found:
            by_constraint[fire.constraint].append((int(offsets[t]), fire))
    for number, each in enumerate(constraints):
        share = float(np.clip(each.share * (1 + noise * rng.uniform(-1, 1)), 0.0, 0.99))
        if each.kind in ("dictionary", "token", "separator", "pattern"):
            _occurrences(base, each, by_constraint[number], share, labels)
        elif not _summed(base, each, share, labels, model, len(texts), sequences.n_tokens):
            unused.append(each.name)
    return _finished(base, model, sequences), base.names, unused


def _occurrences(
    base: _Base, constraint: Constraint, hits: Sequence[tuple[int, Fire]], share: float, labels: LabelSet
) -> None:
    """One bound for the whole constraint, or one for each of its words."""
    groups: dict[int, list[tuple[int, Fire]]] = defaultdict(list)
    for first, fire in hits:
        groups[fire.entry if constraint.each else 0].append((first, fire))
    for entry, members in groups.items():
        row: dict[tuple[str, int, int], float] = {}
        asked = constraint.labels or ((labels.other_id,) if constraint.kind == "separator" else (members[0][1].label,))
        for is_token in (True, False):
            part = [(first, fire) for first, fire in members if fire.is_token == is_token]
            if not part:
                continue
            table, name = (base.inside, "inside") if is_token else (base.segment, "segment")
            table.append(tuple(asked))
            at = len(table) - 1
            for first, fire in part:
                if is_token:
                    base.token_hits.append((first + fire.start, at))
                else:
                    base.segment_hits += [(first + s, d, at) for s, d in fire.segments()]
            row |= {(name, at, y): 1.0 for y in asked}
        what = constraint.words[entry] if constraint.each else ""
        base.bound(f"{constraint.name} {what}".strip(), row, share * len(members))


def _summed(
    base: _Base, each: Constraint, share: float, labels: LabelSet, model: Layout, n_texts: int, n_tokens: int
) -> bool:
    """Constraints on labels in general; return whether this kind can be a bound on an expectation here."""
    every = range(model.n_labels)
    if each.kind in ("start", "end"):
        place = "start" if each.kind == "start" else "stop"
        base.bound(each.name, {(place, 0, y): 1.0 for y in each.labels}, share * n_texts)
    elif each.kind == "present":
        for y in each.labels:
            base.bound(each.name, {("length", b, y): 1.0 for b in range(_BINS)}, share * n_texts)
    elif each.kind == "length":
        for y in each.labels:
            row = {("length", b, y): (1.0 - share if b < each.at_most else -share) for b in range(_BINS)}
            base.bound(f"{each.name} {labels.taxonomy.labels[y]}", row, 0.0)
    elif each.kind == "proportion":
        for y in each.labels:
            base.bound(each.name, {("inside", 0, y): 1.0}, share * n_tokens)
            if each.most is not None:
                base.bound(f"{each.name} at most", {("inside", 0, y): -1.0}, -each.most * n_tokens)
    elif each.kind == "common":
        for y in each.labels:
            for z in every:
                if z != y and model.parent[z] < 0:
                    base.bound(each.name, {("inside", 0, y): 1.0, ("inside", 0, z): -1.0}, 0.0)
    elif each.kind == "order":
        for a in each.labels:
            row = {
                ("transition", c * model.n_labels + a, b): (1.0 - share if b in each.after else -share)
                for c in range(model.n_classes)
                for b in every
                if b != a
            }
            base.bound(each.name, row, 0.0)
    elif each.kind == "border" and model.n_classes > 1:
        row = {
            ("transition", c * model.n_labels + a, b): (1.0 - share if c else -share)
            for c in range(model.n_classes)
            for a in every
            for b in every
            if a != b
        }
        base.bound(each.name, row, 0.0)
    else:
        return False
    return True


_BINS = 8


def _finished(base: _Base, model: Layout, sequences: Sequences) -> ConstraintSet:
    """Lay the base features out and turn rows into a matrix."""
    n = model.n_labels
    sizes = [len(each) for each in base.inside]
    segment_sizes = [len(each) for each in base.segment]
    inside = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    segment = inside[-1] + np.concatenate([[0], np.cumsum(segment_sizes)]).astype(np.int64)
    kinds = {key[0] for row in base.rows for key in row}
    at = int(segment[-1])
    places = {"transition": -1, "start": -1, "stop": -1, "length": -1}
    for name, size in (("transition", model.n_classes * n * n), ("start", n), ("stop", n), ("length", _BINS * n)):
        if name in kinds:
            places[name] = at
            at += size
    flat = [y for each in (*base.inside, *base.segment) for y in each]
    layout = Layout(
        n,
        model.n_classes,
        _BINS,
        inside,
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        segment if len(base.segment) else np.zeros(1, np.int64),
        np.array(flat, np.int32),
        places["transition"],
        places["start"],
        places["stop"],
        places["length"],
        model.parent,
        model.longest,
        np.zeros_like(model.barred),
    )

    def place(key: tuple[str, int, int]) -> int:
        name, a, y = key
        if name == "inside":
            return int(inside[a]) + base.inside[a].index(y)
        if name == "segment":
            return int(segment[a]) + base.segment[a].index(y)
        return places[name] + a * n + y

    entries = [(k, place(key), value) for k, row in enumerate(base.rows) for key, value in row.items()]
    if not entries:
        raise SettingsError(
            "no constraint fires on these texts", hint="Are they cut into tokens as you think (--tokens)?"
        )
    rows, columns, values = zip(*entries, strict=True)
    matrix = sp.csr_array((values, (rows, columns)), shape=(len(base.rows), max(at, 1)))
    tokens = np.array(base.token_hits, np.int64).reshape(-1, 2)
    attributes = sp.csr_array(
        (np.ones(len(tokens)), (tokens[:, 0], tokens[:, 1])), shape=(sequences.n_tokens, len(base.inside))
    )
    hits = np.array(base.segment_hits, np.int64).reshape(-1, 3)
    beside = Sequences.of(
        attributes,
        sequences.texts.offsets,
        edges=sequences.texts.edges,
        segments=(hits[:, 0], hits[:, 1], hits[:, 2]),
        n_segment_attributes=len(base.segment),
    )
    k = len(base.targets)
    return ConstraintSet(beside, layout, matrix, np.array(base.targets), np.zeros(k, np.int8), np.zeros(k))


def scores_of(
    fires: Sequence[Sequence[Fire]],
    constraints: Sequence[Constraint],
    labels: LabelSet,
    sequences: Sequences,
) -> tuple[ConstraintScores, list[str]]:
    """Return Σ p_i c_i as tables, and the constraints that have no place in them."""
    n, offsets = len(labels.taxonomy), sequences.texts.offsets
    scores = ConstraintScores.nothing(sequences, n)
    for t, found in enumerate(fires):
        for fire in found:
            constraint = constraints[fire.constraint]
            asked = list(constraint.labels) or [fire.label]
            if fire.is_token or len(fire.lengths) == 1:
                (start, size) = (fire.start, 1) if fire.is_token else fire.segments()[0]
                span = slice(offsets[t] + start, offsets[t] + start + size)
                scores.tokens[span] -= constraint.strength
                scores.tokens[span, asked] += 2 * constraint.strength
    unused, firsts, lasts = [], offsets[:-1][np.diff(offsets) > 0], offsets[1:][np.diff(offsets) > 0] - 1
    for each in constraints:
        asked = list(each.labels)
        if each.kind in ("start", "end"):
            where = firsts if each.kind == "start" else lasts
            scores.tokens[where] -= each.strength
            scores.tokens[where[:, None], asked] += 2 * each.strength
        elif each.kind == "border":
            scores.borders[0] -= each.strength * (1 - np.eye(n))
        elif each.kind == "order":
            for a in asked:
                wrong = [b for b in range(n) if b != a and b not in each.after]
                scores.borders[:, a, wrong] -= each.strength
        elif each.kind == "once":
            scores.once[asked] -= each.strength
        elif each.kind not in ("dictionary", "pattern", "token", "separator"):
            unused.append(each.name)
    return scores, unused


def rule_segments(
    texts: Sequence[Text], fires: Sequence[Sequence[Fire]], constraints: Sequence[Constraint], labels: LabelSet
) -> Segmentation:
    """The baseline: dictionaries and patterns as rules, the longest first, everything else the other label."""
    other = max(labels.other_id, 0)
    spans, at = [], 0
    for text, each in zip(texts, fires, strict=True):
        taken = [-1] * len(text)
        choices = []
        for fire in each:
            start, size = fire.segments()[0]
            asked = constraints[fire.constraint].labels
            choices.append((-size, start, fire.label if fire.label >= 0 else asked[0]))
        pieces = []
        for size, start, label in sorted(choices):
            end = start - size
            if end <= len(text) and all(mark < 0 for mark in taken[start:end]):
                taken[start:end] = [label] * (end - start)
                pieces.append((start, end, label))
        # Neighbouring single words of one label are one segment: "sea food".
        merged: list[tuple[int, int, int]] = []
        for start, end, label in sorted(pieces):
            if merged and merged[-1][1] == start and merged[-1][2] == label and label != other:
                merged[-1] = (merged[-1][0], end, label)
            else:
                merged.append((start, end, label))
        covered = [(at + s, at + e, y) for s, e, y in merged]
        covered += [(at + i, at + i + 1, other) for i, mark in enumerate(taken) if mark < 0]
        spans += covered
        at += len(text)
    return Segmentation.of_spans(spans, at)
