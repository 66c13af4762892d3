"""Monte Carlo MCMC: marginals of star models from sampled factors (Singh, Wick and McCallum, EMNLP 2012, figure 2).

A star model is one binary label with many unary factors, whose scores are N(0.5, 1) for label 1 and N(-0.5, 1) for
label 0. Gibbs sampling draws the label from all factors, or from a sample of them; the error of the running marginal
is plotted against the factors looked at. The error is the L1 distance of both labels' probabilities: Σ_y |p̂(y) -
p(y)|.

With 100 such factors the label is certain: the log odds are 100 ± 14. So the study is run twice: literally, and with
each model's scores multiplied by the number that makes p(1) what it is wanted to be, evenly spread over (0.05, 0.95).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onoma.graph.compiled import CompiledGraph
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.chains import Chains, ChainsSettings
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.subsampling import Confidence, Exact, Strategy, Uniform
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context, Findings, Row, Study

if TYPE_CHECKING:
    import altair as alt

__all__ = ["STUDIES", "Series", "Star", "measure", "stars"]

N_MODELS, N_FACTORS = 100, 100
TOLERANCE = 0.05
PROPORTIONS = (0.75, 0.5, 0.2, 0.1)
WIDTHS = (0.001, 0.005, 0.01, 0.05, 0.1)
SETTINGS: dict[str, Strategy] = {
    "p=1 (exact)": Exact(),
    **{f"p={p:g}": Uniform(p) for p in PROPORTIONS},
    **{f"i={i:g}": Confidence(i) for i in WIDTHS},
    "Poisson": Poisson(),
}
"""The paper's, and the exact minibatch sampler."""


@dataclass(frozen=True)
class Star:
    """One model and its true marginal p(1)."""

    graph: CompiledGraph
    probability: float


@dataclass(frozen=True)
class Series:
    """Mean error over models, and its standard error, where the sampler had looked at so many factors."""

    name: str
    n_factors: NDArray[np.float64]
    error: NDArray[np.float64]
    std_error: NDArray[np.float64]
    bias: float
    bias_error: float

    def reached(self, tolerance: float) -> float:
        """Return after how many factors the error is, and stays, within a tolerance; infinity if it never is."""
        above = np.flatnonzero(~(self.error <= tolerance))
        if not len(above):
            return float(self.n_factors[0])
        last = int(above[-1])
        if last + 1 >= len(self.error):
            return float("inf")
        if np.isnan(self.error[last]):
            return float(self.n_factors[last + 1])
        x, y = np.log(self.n_factors[last : last + 2]), self.error[last : last + 2]
        return float(np.exp(x[0] + (x[1] - x[0]) * (y[0] - tolerance) / (y[0] - y[1])))


def stars(n_models: int, n_factors: int, seed: int, *, is_spread: bool) -> list[Star]:
    """Make models; with `is_spread`, each one's scores are scaled so that the marginals lie evenly in (0.05, 0.95)."""
    wanted = 0.05 + 0.9 * (np.arange(n_models) + 0.5) / n_models
    made = []
    for number in range(n_models):
        rng = stream(seed, "star", number)
        scores = np.stack([rng.normal(-0.5, 1.0, n_factors), rng.normal(0.5, 1.0, n_factors)], axis=1)
        log_odds = float(np.sum(scores[:, 1] - scores[:, 0]))
        if is_spread:
            target = float(np.log(wanted[number] / (1 - wanted[number])))
            scores, log_odds = scores * (target / log_odds), target
        graph = FactorGraph()
        graph.variable("label", [0, 1])
        graph.factors([["label"]] * n_factors, scores)
        made.append(Star(graph.compile(), 1.0 / (1.0 + np.exp(-log_odds))))
    return made


def measure(models: Sequence[Star], name: str, scoring: Strategy, *, budget: int, seed: int) -> Series:
    """Run Gibbs sampling on every model until it has looked at `budget` factors; return the running error."""
    grid = np.unique(np.append(np.round(10 ** np.arange(0, np.log10(budget), 0.05)), budget))
    errors, shifts = np.full((len(models), len(grid)), np.nan), np.zeros(len(models))
    for row, model in enumerate(models):
        labels, looked_at = _run(model, scoring, budget, seed + row)
        running = np.cumsum(labels) / np.arange(1, len(labels) + 1)
        at = np.searchsorted(looked_at, grid, side="right") - 1
        found = at >= 0
        errors[row, found] = 2.0 * np.abs(running[at[found]] - model.probability)
        late = np.mean(labels[len(labels) // 2 :])  # where the start is forgotten
        shifts[row] = (late - model.probability) * np.sign(0.5 - model.probability)
    ready = ~np.isnan(errors).any(axis=0)
    mean, spread = np.full(len(grid), np.nan), np.full(len(grid), np.nan)
    mean[ready] = errors[:, ready].mean(axis=0)
    spread[ready] = errors[:, ready].std(axis=0, ddof=1) / np.sqrt(len(models))
    return Series(name, grid, mean, spread, float(shifts.mean()), float(shifts.std(ddof=1) / np.sqrt(len(models))))


def _run(model: Star, scoring: Strategy, budget: int, seed: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the sampled labels and how many factors had been looked at after each."""
    chains = Chains(model.graph, ChainsSettings(Gibbs(scoring=scoring), seed, 1))
    until = max(1, budget // N_FACTORS)
    while True:
        chains.run(until, every=until, threads=1)
        looked_at = chains.n_factors[0]
        if looked_at[-1] >= budget:
            return chains.worlds[0, :, 0], looked_at
        until = int(until * min(16.0, 1.05 * budget / max(1, looked_at[-1]))) + 1


def _marginals(context: Context) -> Findings:
    budget, n_models = (30_000, 20) if context.quick else (1_000_000, N_MODELS)
    found: dict[str, list[Series]] = {}
    with context.progress.task("star models", total=2 * len(SETTINGS), unit="series") as task:
        for setup, is_spread in (("literal", False), ("unsaturated", True)):
            models = stars(n_models, N_FACTORS, context.seed, is_spread=is_spread)
            found[setup] = []
            for name, scoring in SETTINGS.items():
                found[setup].append(measure(models, name, scoring, budget=budget, seed=1000 * context.seed))
                task.advance()
    rows = [row for setup, series in found.items() for row in _rows(setup, series, budget)]
    return Findings(rows, _notes(found["unsaturated"]), {"monte-carlo-mcmc-marginals": _chart(found, n_models)})


def _rows(setup: str, series: Sequence[Series], budget: int) -> Iterator[Row]:
    exact = series[0].reached(TOLERANCE)
    for each in series:
        setting = f"{setup} {each.name}"
        for n in (10**k for k in range(2, 7) if 10**k <= budget):
            at = int(np.searchsorted(each.n_factors, n, side="right")) - 1
            yield Row(setting, f"L1 error at {n:,} factors", None, float(each.error[at]))
            yield Row(setting, "± standard error", None, float(each.std_error[at]))
        reached = each.reached(TOLERANCE)
        if np.isfinite(reached):
            yield Row(setting, f"factors to L1 error {TOLERANCE}", None, reached, "factors")
        yield Row(setting, "fewer than exact (0: never)", None, exact / reached, "×")
        yield Row(setting, "bias towards 1/2", None, each.bias)
        yield Row(setting, "± standard error of bias", None, each.bias_error)


def _notes(series: Sequence[Series]) -> list[str]:
    exact = series[0].reached(TOLERANCE)
    best = min(series[1:-1], key=lambda each: each.reached(TOLERANCE))
    poisson = series[-1]
    return [
        "Literal: the log odds of a label are 100 ± 14, so the true marginals are 0 or 1. One exact sample has no "
        "error and nothing can be gained; p ≤ 0.2 is noisy enough to lose. Against scores that spread over ±1 every "
        "interval i is narrow, and nearly always all factors are looked at; the small errors at i ≥ 0.01 are from the "
        "rare pair of first scores so alike that drawing stops at once. The published curves start near 0.45 and call "
        "i = 0.05 extreme, which this set-up as written cannot give; scores of the order of 1/n, as in the other, do.",
        f"Unsaturated: {best.name} needs {exact / best.reached(TOLERANCE):.1f} times fewer factors than exact Gibbs "
        f"sampling to an L1 error of {TOLERANCE}. Mild sampling wins at every tolerance; extreme sampling wins at "
        "first, then levels off at its bias, which no number of samples removes.",
        f"Poisson minibatches need {exact / poisson.reached(TOLERANCE):.1f} times fewer factors and have no bias: "
        f"{poisson.bias:+.5f} ± {poisson.bias_error:.5f} towards p = 1/2, beside "
        f"{best.bias:+.5f} ± {best.bias_error:.5f} for {best.name}.",
    ]


COLOURS = {
    "p=1 (exact)": "#000000",
    **dict(zip((f"p={p:g}" for p in PROPORTIONS), ("#56B4E9", "#009E73", "#E69F00", "#D55E00"), strict=True)),
    **dict(zip((f"i={i:g}" for i in WIDTHS), ("#56B4E9", "#009E73", "#0072B2", "#E69F00", "#D55E00"), strict=True)),
    "Poisson": "#CC79A7",
}
"""Okabe and Ito's colours, which colour-blind readers tell apart; within a family from mild to extreme."""


def _chart(found: dict[str, list[Series]], n_models: int) -> "alt.TopLevelMixin":
    """Draw both set-ups (rows), proportions and intervals (columns), exact and Poisson in each for comparison."""
    import altair as alt

    panels = []
    for setup, series in found.items():
        row = []
        for family, title in (("p", "a fixed proportion p"), ("i", "until the interval is below i")):
            shown = [each for each in series if each.name[0] in (family, "P") or each.name.startswith("p=1 ")]
            row.append(_panel(shown, f"{setup}: {title}"))
        panels.append(alt.hconcat(*row).resolve_scale(color="independent", y="shared"))
    return (
        alt.vconcat(*panels)
        .resolve_scale(color="independent")
        .properties(
            title=alt.TitleParams(f"Error of marginals, {n_models} star models of {N_FACTORS} factors", fontSize=15)
        )
        .configure_axis(gridOpacity=0.5, labelFontSize=11, titleFontSize=12)
        .configure_legend(labelFontSize=12)
    )


def _panel(series: Sequence[Series], title: str) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    points = [
        {"sampler": each.name, "factors": n, "error": e, "low": max(0.0, e - s), "high": e + s}
        for each in series
        for n, e, s in zip(each.n_factors.tolist(), each.error.round(6).tolist(), each.std_error.tolist(), strict=True)
        if n >= 3 and not np.isnan(e)
    ]
    names = [each.name for each in series]
    colour = alt.Color(
        "sampler:N",
        title=None,
        scale=alt.Scale(domain=names, range=[COLOURS[name] for name in names]),
        legend=alt.Legend(symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=3),
    )
    longest = float(series[0].n_factors[-1])
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X(
            "factors:Q",
            title="factors looked at",
            scale=alt.Scale(type="log", domain=[3, longest], nice=False),
            axis=alt.Axis(format="~s", tickCount=6),
        )
    )
    band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q"), y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("error:Q", title="L1 error (± standard error)", scale=alt.Scale(type="sqrt")),
        color=colour,
        tooltip=["sampler:N", "factors:Q", alt.Tooltip("error:Q", format=".4f")],
    )
    goal = (
        alt.Chart(alt.InlineData(values=[{"error": TOLERANCE}]))
        .mark_rule(strokeDash=[4, 4], color="#666666")
        .encode(y="error:Q")
    )
    return alt.layer(band, line, goal).properties(width=400, height=260, title=title)


STUDIES = (
    Study(
        "monte-carlo-mcmc/marginals",
        "Error of marginals against factors looked at, on star models",
        "Singh, Wick and McCallum: Monte Carlo MCMC: Efficient Inference by Approximate Sampling, EMNLP 2012, figure 2",
        _marginals,
    ),
)
