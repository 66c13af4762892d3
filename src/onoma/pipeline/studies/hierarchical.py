"""Trees of sub-entities (Wick, Singh and McCallum, ACL 2012, figures 4 and 5).

Hierarchical against pairwise on one table: steps a second, and pairwise F1 against processor time. The hierarchical
model learns its weights without labels; the pairwise one gets its own from SampleRank on all labels, as a favour. Both
start with every mention alone. Authors are simulated; real tables are scored beside matching by name.
"""

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.evaluate.b_cubed import b_cubed
from onoma.evaluate.pairwise import pairwise
from onoma.mcmc.schedules import Geometric
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._sets.author_tables import AuthorTable, aminer, anthology, patents, simulated
from onoma.pipeline.studies.monte_carlo_resolution import Problem, learn
from onoma.resolve.models.hierarchical.run import Round, TreeRun, TreeSettings, resolve_trees
from onoma.resolve.models.pairwise.chain import MentionBags, PairwiseChain

if TYPE_CHECKING:
    import altair as alt

__all__ = ["STUDIES", "Curve", "race_pairwise", "race_trees", "score_on_labelled"]

PAPER = "Wick, Singh and McCallum: A Discriminative Hierarchical Model for Fast Coreference at Large Scale, ACL 2012"
TARGETS = (0.6, 0.9)
_ENOUGH = 0.95
"""F1 at which a race is over."""


@dataclass
class Curve:
    """Pairwise F1 and steps against processor time."""

    model: str
    seconds: list[float] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)

    def note(self, seconds: float, steps: int, f1: float) -> None:
        """Add a point."""
        self.seconds.append(seconds)
        self.steps.append(steps)
        self.f1.append(f1)

    def until(self, target: float) -> float | None:
        """Return the time to an F1; None: it was not reached."""
        reached = [at for at, f1 in zip(self.seconds, self.f1, strict=True) if f1 >= target]
        return reached[0] if reached else None

    @property
    def rate(self) -> float:
        """Steps a second over the second half of the run."""
        half = len(self.steps) // 2
        spent = self.seconds[-1] - self.seconds[half - 1] if half else self.seconds[-1]
        return (self.steps[-1] - (self.steps[half - 1] if half else 0)) / max(spent, 1e-9)


def race_trees(
    table: AuthorTable, *, seed: int, threads: int = 1, n_rounds: int = 40, per_mention: float = 1.0
) -> Curve:
    """Grow trees and look at F1 after every round, until it is high."""
    curve = Curve("hierarchical")

    def watch(done: Round, labels: NDArray[np.int64]) -> bool:
        curve.note(done.seconds, done.n_proposals, pairwise(table.gold, Clustering.from_labels(labels)).f1)
        return curve.f1[-1] >= _ENOUGH

    settings = TreeSettings(seed=seed, threads=threads, n_rounds=n_rounds, per_mention=per_mention)
    resolve_trees(table.columns, settings=settings, watch=watch)
    return curve


def race_pairwise(table: AuthorTable, *, seed: int, n_steps: int, most_seconds: float, target: float = 0.9) -> Curve:
    """Run a chain of the pairwise model until F1 is at the target or its time is over; learning is not counted."""
    problem = _problem(table)
    factors = learn(problem, n_steps=n_steps, seed=seed, n_pairs=300_000)
    n = len(problem.bags)
    PairwiseChain(factors, n, seed=0, block=problem.block, moves="uniform").advance(10, temperature=1.0)  # compiles
    chain = PairwiseChain(factors, n, seed=seed, block=problem.block, moves="uniform")
    temperatures = Geometric(1.0, 0.1, 400).temperatures(0, 2000)
    curve, spent = Curve("pairwise"), 0.0
    for first in range(0, len(temperatures), 2):
        begun = time.thread_time()
        chain.run(temperatures[first : first + 2])
        spent += time.thread_time() - begun
        curve.note(spent, chain.n_proposals, pairwise(table.gold, Clustering.from_labels(chain.labels)).f1)
        if curve.f1[-1] >= target or spent > most_seconds:
            break
    return curve


def _problem(table: AuthorTable) -> Problem:
    """Return the mentions as the pairwise model wants them: the same names, words and canopies."""
    columns, groups = table.columns, []
    given = columns.names[0]
    forms = [[*form.split(), f"={form}"] for form in given.forms.to_pylist()]
    groups.append([forms[code] if code >= 0 else [] for code in given.codes.tolist()])
    for bags in columns.bags:
        words = bags.words.to_pylist()
        ids, offsets = bags.ids.tolist(), bags.offsets.tolist()
        groups.append([[words[k] for k in ids[a:b]] for a, b in itertools.pairwise(offsets)])
    canopy = columns.canopy.astype(np.int32)
    gold = table.gold.intersect(Clustering.from_labels(columns.canopy))
    return Problem(MentionBags.build(groups), gold, canopy)


def score_on_labelled(gold: Clustering, found: Clustering) -> tuple[float, float]:
    """Return B³ and pairwise F1 on the mentions whose entity is known."""
    use = gold.labels != ABSENT
    one, other = gold.take(use), found.take(use)
    return b_cubed(one, other).f1, pairwise(one, other).f1


def _race(context: Context, n: int, most_seconds: float) -> tuple[Curve, Curve]:
    table = simulated(n, seed=context.seed)
    race_trees(simulated(1000, seed=context.seed), seed=0, n_rounds=1)  # compiles
    trees = race_trees(table, seed=context.seed)
    n_steps = 50_000 if context.quick else 1_000_000
    return trees, race_pairwise(table, seed=context.seed, n_steps=n_steps, most_seconds=most_seconds)


def _figure_4(context: Context) -> Findings:
    trees, pairs = _race(context, *((3000, 5.0) if context.quick else (145_000, 60.0)))
    rows = [Row(each.model, "steps a second, late in the run", None, each.rate, "steps/s") for each in (trees, pairs)]
    rows += [
        Row(each.model, f"steps to F1 {target}", None, float(each.steps[_first(each.f1, target)]), "steps")
        for each in (trees, pairs)
        for target in TARGETS
        if max(each.f1) >= target
    ]
    notes = [
        f"The hierarchical model makes {trees.rate / pairs.rate:.1f} times as many steps a second; in the paper's "
        "figure about 9 times as many after 2,000 s.",
        *_about(trees, pairs),
    ]
    charts = {
        "hierarchical-figure-4a": _chart((trees, pairs), "seconds", "steps"),
        "hierarchical-figure-4b": _chart((trees, pairs), "steps", "f1"),
    }
    return Findings(rows, notes, charts)


def _figure_5(context: Context) -> Findings:
    trees, pairs = _race(context, *((3000, 5.0) if context.quick else (145_000, 60.0)))
    rows = [*_times("145k" if not context.quick else "3k", trees, pairs, {0.6: 19.0, 0.9: 31.0})]
    if not context.quick:
        rows += _large(context, 1_300_000, {0.9: 2350.0})
    for name, load in (("AMiner", aminer), ("PatentsView", patents), ("ACL Anthology", anthology)):
        if context.quick and name != "AMiner":
            continue
        rows += _real(context, name, load)
    return Findings(rows, _about(trees, pairs), {"hierarchical-figure-5": _chart((trees, pairs), "seconds", "f1")})


def _times(setting: str, trees: Curve, pairs: Curve, paper: dict[float, float]) -> list[Row]:
    rows = []
    for target in TARGETS:
        ours, theirs = trees.until(target), pairs.until(target)
        if ours is None:
            continue
        rows.append(Row(setting, f"hierarchical: processor time to F1 {target}", None, ours, "s"))
        reached = "" if theirs is not None else ", not reached: at least"
        spent = pairs.seconds[-1] if theirs is None else theirs
        rows.append(Row(setting, f"pairwise: processor time to F1 {target}{reached}", None, spent, "s"))
        rows.append(Row(setting, f"times faster to F1 {target}{reached}", paper[target], spent / ours, "×"))
    return rows


def _large(context: Context, n: int, paper: dict[float, float]) -> list[Row]:
    table = simulated(n, seed=context.seed)
    begun = time.perf_counter()
    curve = race_trees(table, seed=context.seed, threads=2, n_rounds=15)
    spent = time.perf_counter() - begun
    rows = [
        Row(f"{n:,}", f"hierarchical: processor time to F1 {target}", paper.get(target), found, "s")
        for target in TARGETS
        if (found := curve.until(target)) is not None
    ]
    return [*rows, Row(f"{n:,}", "wall time with weights and tables, to the end of the run", None, spent, "s")]


def _real(context: Context, name: str, load: Callable[[Context], AuthorTable]) -> list[Row]:
    table = load(context)
    settings = TreeSettings(seed=context.seed, n_rounds=3 if context.quick else 12)
    run: TreeRun = resolve_trees(table.columns, settings=settings, progress=context.progress)
    rows = []
    for setting, found in (
        ("full name", table.full_name),
        ("initial and family name", table.name_key),
        ("hierarchical", run.clustering),
    ):
        b3, f1 = score_on_labelled(table.gold, found)
        rows.append(Row(f"{name}, {setting}", "B³ F1", None, b3))
        rows.append(Row(f"{name}, {setting}", "pairwise F1", None, f1))
        rows.append(Row(f"{name}, {setting}", "entities of all mentions", None, float(found.n_entities), "entities"))
    return rows


def _first(values: Sequence[float], target: float) -> int:
    return next(k for k, value in enumerate(values) if value >= target)


def _about(trees: Curve, pairs: Curve) -> list[str]:
    return [
        f"Hierarchical: F1 {trees.f1[-1]:.3f} after {trees.seconds[-1]:.1f} s of processor time; pairwise: "
        f"{pairs.f1[-1]:.3f} after {pairs.seconds[-1]:.1f} s.",
        "Simulated authors (the paper's BibTeX entries and labels are not public). The hierarchical model learns its "
        "weights from rare names, without labels; the pairwise model's are from SampleRank on all labels. Neither "
        "learning is counted.",
        "Entities of the hierarchical model score the repetition of words (Pitman and Yor), not cosines; half of the "
        "pairs it looks at share a word.",
    ]


def _chart(curves: Sequence[Curve], x: str, y: str) -> "alt.TopLevelMixin":
    import altair as alt

    titles = {"seconds": "processor time (s)", "steps": "steps", "f1": "pairwise F1"}
    points = [
        {"model": each.model, "seconds": s, "steps": n, "f1": f}
        for each in curves
        for s, n, f in zip(each.seconds, each.steps, each.f1, strict=True)
    ]
    scale = alt.Scale(type="log") if x == "seconds" and y == "f1" else alt.Scale()
    return (
        alt.Chart(pa.Table.from_pylist(points))
        .mark_line(point=True)
        .encode(
            x=alt.X(f"{x}:Q", title=titles[x], scale=scale),
            y=alt.Y(f"{y}:Q", title=titles[y]),
            color=alt.Color("model:N", title=None),
        )
        .properties(width=420, height=280)
    )


STUDIES = (
    Study("hierarchical/figure-4", "Steps against time, accuracy against steps", f"{PAPER}, figure 4", _figure_4),
    Study("hierarchical/figure-5", "Accuracy against time; real tables of authors", f"{PAPER}, figure 5", _figure_5),
)
