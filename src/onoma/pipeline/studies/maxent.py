"""Huang, Hsieh, Chang and Lin (2009), figure 2: how fast iterative scaling and coordinate descent learn.

Part-of-speech tagging of the Brown corpus (sentences split at random 4/5 to 1/5) and chunking of CoNLL-2000, as
classification with the previous tags as features: relative difference of the objective to the optimum, and test
accuracy or F1, against training time. σ² = 10, β = .5, γ = .001, features × classes seen in training, as in the paper.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import altair as alt
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.learning.features import FeatureIndex
from onoma.learning.inputs import coded
from onoma.learning.objective import Penalty
from onoma.learning.product_problem import ProductProblem
from onoma.learning.sequences.decode import decode
from onoma.learning.solvers import Plan, Point, Solution, solve
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies import _tagging as tagging

__all__ = ["STUDIES"]

PAPER = "Huang, Hsieh, Chang and Lin, Iterative Scaling and Coordinate Descent Methods for Maximum Entropy, ACL 2009"
PENALTY = Penalty(variance=10.0)
BEAM = 4
LINES: Mapping[str, Plan] = {
    "CD, extrapolated": Plan(solver="cd", tolerance=1e-5),
    "CD": Plan(solver="cd", accelerate=0, tolerance=1e-5),
    "SCGIS": Plan(solver="scgis", tolerance=1e-5),
    "GIS": Plan(solver="gis", tolerance=1e-5),
    "IIS": Plan(solver="iis", tolerance=1e-5),
    "LBFGS": Plan(solver="lbfgs", tolerance=1e-5),
}


@dataclass(frozen=True)
class _Task:
    """One data set: what is learnt and how it is scored."""

    name: str
    metric: str
    paper: float
    tags: list[str]
    index: FeatureIndex
    problem: ProductProblem
    X_test: sp.csr_array
    test: tagging.Sentences
    seconds: float

    def score(self, w: NDArray[np.float64]) -> float:
        """Return the accuracy or F1 on the test sentences, in per cent."""
        history = tagging.history_of(self.index, self.tags, lambda ids: self.problem.weight_rows(ids, w))
        best = decode(self.problem.scores(self.X_test, w), self.test.lengths, history, beam=BEAM)
        predicted = [self.tags[y] for y in best]
        if self.metric == "F1":
            return 100.0 * tagging.chunk_f1(predicted, self.test.tags, self.test.lengths)
        return 100.0 * float(np.mean(np.array(predicted) == np.array(self.test.tags)))


@dataclass(frozen=True)
class _Line:
    """One curve: the trace of a solver, and (seconds, score) pairs along it."""

    label: str
    trace: list[Point]
    scores: list[tuple[float, float]]


def figure_2(context: Context) -> Findings:
    """Run every solver on both data sets."""
    rows: list[Row] = []
    notes = [f"sigma² = 10, beta = .5, gamma = .001; features × classes seen together; beam {BEAM} of tag histories."]
    panels = []
    for build in (_brown, _chunks):
        task = build(context)
        lines, lowest = _run(task, context)
        rows += _rows(task, lines, lowest)
        notes.append(_describe(task))
        panels.append(_panel(task, lines, lowest))
    return Findings(rows, notes, {"maxent-figure-2": alt.hconcat(*panels)})


def _brown(context: Context) -> _Task:
    everything = tagging.read_brown(context.file("text/nltk/brown.zip"))
    order = stream(context.seed, "brown").permutation(len(everything.lengths))
    order = order[:1500] if context.quick else order
    cut = len(order) * 4 // 5
    train, test = everything.take(order[:cut]), everything.take(order[cut:])
    return _task(context, "Brown", "accuracy", 96.7, train, test, tagging.tag_columns, min_count=3)


def _chunks(context: Context) -> _Task:
    path = context.file("text/nltk/conll2000.zip")
    train, test = tagging.read_chunks(path, "train"), tagging.read_chunks(path, "test")
    if context.quick:
        train, test = train.first(1000), test.first(300)
    return _task(context, "CoNLL-2000", "F1", 93.4, train, test, tagging.chunk_columns, min_count=1)


def _task(
    context: Context,
    name: str,
    metric: str,
    paper: float,
    train: tagging.Sentences,
    test: tagging.Sentences,
    columns: Callable[..., dict[str, tagging.Column]],
    *,
    min_count: int,
) -> _Task:
    index, tags = FeatureIndex(min_count=min_count), sorted(set(train.tags))
    X = index.fit_transform(columns(train, with_tags=True))
    problem = ProductProblem(X, coded(train.tags, tags), len(tags), pairs="seen")
    X_test = index.transform(columns(test, with_tags=False))
    seconds = 1.5 if context.quick else {"accuracy": 120.0, "F1": 60.0}[metric]
    return _Task(name, metric, paper, tags, index, problem, X_test, test, seconds)


def _run(task: _Task, context: Context) -> tuple[list[_Line], float]:
    """Follow every solver; return the curves and the optimum, found by going on from the best weights."""
    # A small problem of the same kind first: compiling is not learning.
    few = ProductProblem(sp.csr_array(np.eye(3)), np.array([0, 1, 2]), 3, pairs="seen")
    lines, best = [], None
    with context.progress.task(f"figure 2, {task.name}", len(LINES) + 1, "solvers") as shown:
        for label, plan in LINES.items():
            solve(few, PENALTY, replace(plan, max_iterations=2))
            line, solution = _follow(task, label, replace(plan, max_iterations=100_000, max_seconds=task.seconds))
            lines.append(line)
            shown.advance(1, objective=line.trace[-1].objective)
            if best is None or line.trace[-1].objective < best.trace[-1].objective:
                best = solution
        plan = Plan(solver="lbfgs", tolerance=1e-5, max_iterations=100_000, max_seconds=task.seconds)
        optimum = solve(task.problem, PENALTY, plan, start=None if best is None else best.weights)
        shown.advance(1)
    return lines, optimum.trace[-1].objective


def _follow(task: _Task, label: str, plan: Plan) -> tuple[_Line, Solution]:
    """Solve within the time allowed, scoring on the way at times that grow by a third."""
    scores: list[tuple[float, float]] = []

    def watch(point: Point, w: NDArray[np.float64]) -> None:
        if not scores or point.seconds >= 1.33 * scores[-1][0]:
            scores.append((point.seconds, task.score(w)))

    solution = solve(task.problem, PENALTY, plan, on_iteration=watch)
    scores.append((solution.trace[-1].seconds, task.score(solution.weights)))
    return _Line(label, solution.trace, scores), solution


def _rows(task: _Task, lines: Sequence[_Line], lowest: float) -> list[Row]:
    rows = [Row(f"{task.name}, {lines[0].label}", f"test {task.metric}", task.paper, lines[0].scores[-1][1], "%")]
    for line in lines:
        setting = f"{task.name}, {line.label}"
        for level in (1.0, 1e-1, 1e-2):
            seconds = [point.seconds for point in line.trace if point.objective <= lowest * (1.0 + level)]
            if seconds:
                rows.append(Row(setting, f"time to relative difference {level:g}", None, seconds[0], "s"))
        last = line.trace[-1]
        rows.append(
            Row(setting, f"relative difference after {last.seconds:.0f} s", None, last.objective / lowest - 1.0)
        )
    return rows


def _describe(task: _Task) -> str:
    problem = task.problem
    return (
        f"{task.name}: {len(problem.counts):,} training tokens, {len(task.tags)} tags, "
        f"{task.index.n_features_:,} input features, {len(problem.observed):,} weights; "
        f"{len(task.test.words):,} test tokens; {task.seconds:g} s a solver."
    )


def _panel(task: _Task, lines: Sequence[_Line], lowest: float) -> alt.VConcatChart:
    gaps = [
        {"solver": line.label, "seconds": point.seconds, "difference": max(point.objective / lowest - 1.0, 1e-5)}
        for line in lines
        for point in line.trace
    ]
    scores = [
        {"solver": line.label, "seconds": seconds, "score": score} for line in lines for seconds, score in line.scores
    ]
    colour = alt.Color("solver:N", title=None, sort=list(LINES), scale=alt.Scale(scheme="tableau10"))
    time = alt.X("seconds:Q", title="training time (s of processor time)", scale=alt.Scale(type="log", nice=False))
    best = max(score for line in lines for _, score in line.scores)
    upper = (
        alt.Chart(alt.InlineData(values=gaps), title=task.name, width=380, height=240)
        .mark_line(clip=True)
        .encode(
            time,
            alt.Y(
                "difference:Q",
                title="relative difference of the objective",
                scale=alt.Scale(type="log", domain=[1e-3, 30]),
                axis=alt.Axis(values=[1e-3, 1e-2, 1e-1, 1, 10], format="~g"),
            ),
            colour,
        )
    )
    lower = (
        alt.Chart(alt.InlineData(values=scores), width=380, height=240)
        .mark_line(clip=True, point=alt.OverlayMarkDef(size=14))
        .encode(
            time,
            alt.Y("score:Q", title=f"test {task.metric} (%)", scale=alt.Scale(domain=[best - 4.0, best + 0.5])),
            colour,
        )
    )
    return alt.vconcat(upper, lower)


RACERS = ("CD", "SCGIS", "GIS")


def race(context: Context) -> Findings:
    """Let coordinate descent and iterative scaling run until they are within 1 % of the optimum.

    On the whole data sets iterative scaling needs hours for that; on these subsets it needs minutes.
    """
    rows, notes = [], []
    brown = tagging.read_brown(context.file("text/nltk/brown.zip"))
    some = brown.take(stream(context.seed, "brown").permutation(len(brown.lengths))[: 15 if context.quick else 60])
    chunks = tagging.read_chunks(context.file("text/nltk/conll2000.zip"), "train").first(8 if context.quick else 25)
    for name, train, columns, min_count in (
        ("Brown", some, tagging.tag_columns, 3),
        ("CoNLL-2000", chunks, tagging.chunk_columns, 1),
    ):
        task = _task(context, name, "F1", 0.0, train, train.first(1), columns, min_count=min_count)
        limit = 2.0 if context.quick else 600.0
        optimum = solve(task.problem, PENALTY, replace(LINES["CD"], tolerance=1e-6, max_iterations=100_000))
        lowest = optimum.trace[-1].objective
        notes.append(f"{len(train.lengths)} sentences: {_describe(task)}")
        for label in RACERS:
            plan = replace(LINES[label], max_iterations=1_000_000, max_seconds=limit)
            seconds = _time_to(task.problem, plan, lowest * 1.01)
            rows.append(Row(f"{name}, {label}", "time to relative difference 0.01", None, seconds, "s"))
    return Findings(rows, notes)


def _time_to(problem: ProductProblem, plan: Plan, objective: float) -> float:
    """Return the seconds until the objective is reached; nan if it is not."""
    last = solve(problem, PENALTY, replace(plan, target=objective)).trace[-1]
    return last.seconds if last.objective <= objective else float("nan")


STUDIES = (
    Study("maxent/figure-2", "Training time of maximum entropy solvers", PAPER, figure_2),
    Study("maxent/race", "Time to one per cent of the optimum", PAPER, race),
)
