"""Charts of a resolution: what agreement weighs, how large entities are, how many, how sure, and why this pair.

Every chart is one Altair view, so it can be saved (`chart.save("weights.png")`), changed, or set into a page at any
width. Colours are Okabe and Ito's, which colour-blind readers tell apart: blue speaks for the same, vermilion against.
"""

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import altair as alt
import numpy as np

from onoma.corpus.clustering import Clustering
from onoma.resolve.quality.calibration import STATED, calibration_bins
from onoma.resolve.report.explanation import (
    Explanation,
    LevelWeight,
    Record,
    Step,
    answered,
    explain_pair,
    fitted,
    weight_table,
)

if TYPE_CHECKING:
    from onoma.resolve.contract import Pairs
    from onoma.resolve.result import Resolution

__all__ = [
    "Charts",
    "certainty_chart",
    "entity_count_chart",
    "shown",
    "sizes_chart",
    "waterfall_chart",
    "weights_chart",
]

FOR, AGAINST, NEUTRAL, TRUTH = "#0072B2", "#D55E00", "#999999", "#009E73"
_WIDTH = 520
_STEP = 15
_FEW = 2
"""Copies at a level below which its weight is called a guess."""
_MOST_SIZES = 30
_UNPRINTABLE = re.compile("[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")

Rows = list[dict[str, Any]]


class Charts:
    """The charts of one resolution: `resolution.chart.weights()`."""

    def __init__(self, resolution: "Resolution") -> None:
        self._resolution = resolution

    def weights(self) -> alt.LayerChart:
        """Draw what agreement at each level weighs."""
        return weights_chart(self._resolution)

    def sizes(self) -> alt.Chart:
        """Draw how many entities have how many records."""
        return sizes_chart(self._resolution)

    def entity_count(self, *, gold: Clustering | None = None) -> alt.LayerChart:
        """Draw how many entities there may be."""
        return entity_count_chart(self._resolution, gold=gold)

    def certainty(self, *, gold: Clustering | None = None) -> alt.Chart | alt.LayerChart:
        """Draw the stated probabilities, or with the truth how far they hold."""
        return certainty_chart(self._resolution, gold=gold)

    def reliability(self) -> alt.LayerChart:
        """Draw what is stated against what decoys bear out; no labels are needed."""
        from onoma.resolve.report.quality_chart import reliability_chart

        return reliability_chart(self._resolution.quality)

    def waterfall(self, a: Record, b: Record) -> alt.LayerChart:
        """Draw why two records are, or are not, the same."""
        return waterfall_chart(self._resolution, a, b)


def weights_chart(resolution: "Resolution") -> alt.LayerChart:
    """Draw the weight of every level of every field in bits; above 0 it speaks for the same entity.

    It is the weight of the field alone. Equal values weigh the more the rarer they are: the bar is for a typical value,
    a thin line spans from common values to rare ones. Levels that hardly a copy is at are pale: what they weigh is
    little more than a first guess.
    """
    rows = _weight_rows(weight_table(resolution))
    reach = max(float(np.ceil(max(abs(r.get(k) or 0.0) for r in rows for k in ("bits", "low", "high")) + 0.5)), 2.0)
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=_keyed_axis(rows))
    bars = base.mark_bar(height={"band": 0.8}).encode(
        x=alt.X(
            "bits:Q",
            title="weight in bits: ← different · the same →",
            scale=alt.Scale(domain=[-reach, reach], nice=False),
            axis=alt.Axis(tickCount=8),
        ),
        color=alt.Color(
            "bits:Q",
            legend=None,
            scale=alt.Scale(domain=[-8, 0, 8], range=[AGAINST, NEUTRAL, FOR], clamp=True, interpolate="rgb"),
        ),
        opacity=alt.condition(f"datum.copies < {_FEW}", alt.value(0.3), alt.value(1.0)),
        tooltip=[
            *(alt.Tooltip(f"{name}:N") for name in ("field", "kind", "level")),
            alt.Tooltip("copied:Q", title="of copies", format=".3%"),
            alt.Tooltip("strangers:Q", title="of non-matches", format=".3%"),
            alt.Tooltip("copies:Q", title="copies at it", format=",.0f"),
            alt.Tooltip("bits:Q", format="+.2f"),
            alt.Tooltip("range:N", title="by rarity"),
        ],
    )
    lines = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.5, color=NEUTRAL)
    spans = lines.encode(x=alt.X("low:Q"), x2="high:Q")
    return alt.LayerChart(layer=[bars, spans]).properties(width=_WIDTH, height=alt.Step(_STEP))


def _weight_rows(weights: Sequence[LevelWeight]) -> Rows:
    rows: Rows = []
    last = ""
    for number, weight in enumerate(weights):
        if weight.field != last:
            last = weight.field
            rows.append({"key": _key(number, last, head=True)})
        values = {k: round(v, 6) if isinstance(v, float) else v for k, v in weight._asdict().items()}
        values |= {"key": _key(number, weight.level), "field": shown(last)}
        if weight.low is not None and weight.high is not None:
            values["range"] = f"{weight.low:+.1f} … {weight.high:+.1f}"
        rows.append(values)
    return rows


def _key(number: int, text: str, *, head: bool = False) -> str:
    """Return a key that keeps rows of one text apart: six characters that the axis does not show, then the text."""
    return f"{'h' if head else 'r'}{number:05}{shown(text, 60)}"


def _keyed_axis(rows: Rows) -> alt.Y:
    """Return an axis of keys, those of heads in bold."""
    order = [row["key"] for row in rows]
    bold = {"condition": {"test": "datum.value[0] === 'h'", "value": "bold"}, "value": "normal"}
    axis = alt.Axis(
        title=None,
        labelExpr="slice(datum.value, 6)",
        labelLimit=170,
        labelOverlap=False,
        labelFontWeight=bold,
        ticks=False,
        domain=False,
        labelPadding=6,
    )
    return alt.Y("key:N", sort=order, scale=alt.Scale(domain=order), axis=axis)


def sizes_chart(resolution: "Resolution") -> alt.Chart:
    """Draw how many entities have how many records, on a logarithmic scale."""
    rows = _size_rows(resolution.clustering)
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(color=FOR)
        .encode(
            x=alt.X("size:O", title="records of an entity", sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("entities:Q", title="entities", **_log_axis(rows, "entities")),
            y2="from:Q",
            tooltip=[alt.Tooltip("size:O", title="records"), alt.Tooltip("entities:Q", format=",")],
        )
        .properties(width=_WIDTH, height=220)
    )


def _log_axis(rows: Rows, name: str) -> dict[str, Any]:
    """Return a logarithmic scale for counts on which one is seen, with a line for each power of ten."""
    most = max((row[name] for row in rows), default=1)
    powers = [10**power for power in range(len(str(most)))]
    return {
        "scale": alt.Scale(type="log", domain=[0.5, 1.5 * most], nice=False),
        "axis": alt.Axis(format="~s", values=powers),
    }


def _size_rows(clustering: Clustering) -> Rows:
    """Return the histogram: every size by itself while they are few, else sizes up to each power of two."""
    sizes = clustering.sizes
    largest = int(sizes.max(initial=1))
    if largest <= _MOST_SIZES:
        edges = np.arange(1, largest + 2)
    else:
        edges = np.unique([1, 2, *(2 ** np.arange(1, int(np.ceil(np.log2(largest))) + 1) + 1)])
    counts = np.histogram(sizes, bins=edges)[0]
    names = [f"{a}" if b == a + 1 else f"{a}–{b - 1}" for a, b in itertools.pairwise(edges)]
    return [{"size": s, "entities": int(n), "from": 0.5} for s, n in zip(names, counts, strict=True) if n]


def entity_count_chart(resolution: "Resolution", *, gold: Clustering | None = None) -> alt.LayerChart:
    """Draw the number of entities over the samples, its 95 % interval, and the number reported (and the true one)."""
    posterior = answered(resolution)
    drawn = np.array([posterior.clustering.n_entities]) if posterior.n_entities is None else posterior.n_entities
    reported, low, high = resolution.entity_count()
    marks: Rows = [{"entities": reported, "what": "reported"}]
    if gold is not None:
        marks.append({"entities": gold.n_entities, "what": "true"})
    bars = (
        alt.Chart(alt.InlineData(values=_count_rows(drawn, low, high)))
        .mark_bar(color=FOR)
        .encode(
            x=alt.X(
                "start:Q",
                title="number of entities",
                scale=alt.Scale(zero=False, nice=False),
                axis=alt.Axis(format=",d", tickMinStep=1, tickCount=6),
            ),
            x2="end:Q",
            y=alt.Y("share:Q", title="share of samples", axis=alt.Axis(format="%", tickCount=4)),
            y2=alt.datum(0),
            opacity=alt.Opacity("inside:N", legend=None, scale=alt.Scale(domain=[True, False], range=[0.9, 0.35])),
            tooltip=[alt.Tooltip("entities:N"), alt.Tooltip("share:Q", format=".1%")],
        )
    )
    rules = (
        alt.Chart(alt.InlineData(values=marks))
        .mark_rule(strokeWidth=2.5)
        .encode(
            x=alt.X("entities:Q"),
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=[mark["what"] for mark in marks], range=[AGAINST, TRUTH][: len(marks)]),
                legend=alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=3),
            ),
            tooltip=[alt.Tooltip("what:N", title="number"), alt.Tooltip("entities:Q", format=",")],
        )
    )
    return alt.LayerChart(layer=[bars, rules]).properties(width=_WIDTH, height=220)


def _count_rows(drawn: np.ndarray[Any, np.dtype[np.int64]], low: int, high: int) -> Rows:
    """Return at most about 25 bins of whole numbers."""
    first, last = int(drawn.min()), int(drawn.max())
    width = max(-(-(last - first + 1) // 25), 1)
    edges = np.arange(first, last + width + 1, width)
    counts = np.histogram(drawn, bins=edges - 0.5)[0]
    return [
        {
            "start": int(start) - 0.5,
            "end": int(start) + width - 0.5,
            "entities": f"{start:,}" if width == 1 else f"{start:,} – {start + width - 1:,}",
            "share": count / len(drawn),
            "inside": bool(low < start + width and start <= high),
        }
        for start, count in zip(edges[:-1], counts.tolist(), strict=True)
        if count
    ]


def certainty_chart(resolution: "Resolution", *, gold: Clustering | None = None) -> alt.Chart | alt.LayerChart:
    """Draw how many pairs have which probability; with the truth, how often pairs of each are truly the same.

    Pairs below 1 % are not counted.
    """
    pairs = answered(resolution).pairs
    return _histogram(pairs) if gold is None else _calibration(resolution, gold)


def _histogram(pairs: "Pairs") -> alt.Chart:
    stated = pairs.probability[pairs.probability >= STATED]
    counts, edges = np.histogram(stated, bins=20, range=(0.0, 1.0))
    rows = [
        {"start": a, "end": b, "range": f"{a:.0%} – {b:.0%}", "pairs": n, "from": 0.5}
        for a, b, n in zip(edges[:-1].round(3).tolist(), edges[1:].round(3).tolist(), counts.tolist(), strict=True)
        if n
    ]
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(color=FOR)
        .encode(
            x=alt.X("start:Q", title="probability that a pair is the same", **_share_axis()),
            x2="end:Q",
            y=alt.Y("pairs:Q", title="pairs", **_log_axis(rows, "pairs")),
            y2="from:Q",
            tooltip=[alt.Tooltip("range:N", title="probability"), alt.Tooltip("pairs:Q", format=",")],
        )
        .properties(width=_WIDTH, height=220)
    )


def _share_axis() -> dict[str, Any]:
    return {"scale": alt.Scale(domain=[0, 1]), "axis": alt.Axis(format="%", tickCount=5)}


def _calibration(resolution: "Resolution", gold: Clustering) -> alt.LayerChart:
    ends = alt.InlineData(values=[{"stated": 0, "true": 0}, {"stated": 1, "true": 1}])
    x = alt.X("stated:Q", title="stated probability", **_share_axis())
    y = alt.Y("true:Q", title="share truly the same", **_share_axis())
    diagonal = alt.Chart(ends).mark_line(strokeDash=[4, 4], color=NEUTRAL, strokeWidth=1).encode(x=x, y=y)
    base = alt.Chart(alt.InlineData(values=calibration_bins(resolution, gold))).encode(x=x)
    spans = base.mark_rule(color=FOR, opacity=0.5).encode(y=alt.Y("low:Q"), y2="high:Q")
    line = base.mark_line(color=FOR, strokeWidth=1.5).encode(y=y)
    points = base.mark_circle(color=FOR, size=60, opacity=1).encode(
        y=y,
        tooltip=[
            alt.Tooltip("stated:Q", format=".1%"),
            alt.Tooltip("true:Q", format=".1%"),
            alt.Tooltip("pairs:Q", format=","),
        ],
    )
    layers = [diagonal, spans, line, points, *_counts(base, y)]
    return alt.LayerChart(layer=layers).properties(width=_WIDTH, height=260)


def _counts(base: alt.Chart, y: alt.Y) -> list[alt.Chart]:
    """Return the numbers of pairs, beside their points and inside the frame: below high ones, left of the last."""
    sides: list[tuple[str, int, Literal["left", "right"]]] = [
        ("datum.stated < 0.9", 5, "left"),
        ("datum.stated >= 0.9", -5, "right"),
    ]
    made = []
    for low, dy in (("datum.true < 0.5", -9), ("datum.true >= 0.5", 12)):
        for early, dx, align in sides:
            here = base.transform_filter(f"{low} && {early}")
            mark = here.mark_text(dx=dx, dy=dy, align=align)
            made.append(mark.encode(y=y, text=alt.Text("pairs:Q", format=",")))
    return made


def waterfall_chart(resolution: "Resolution", a: Record, b: Record) -> alt.LayerChart:
    """Draw the evidence of two records: the prior, what each field adds in bits, the sum and its probability.

    Parameters
    ----------
    a, b
        Ids; `(source, id)` where an id stands in several sources; or rows, as whole numbers from 0.
    """
    fitted(resolution)
    found = explain_pair(resolution, a, b)
    rows = _steps(found)
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=_keyed_axis(rows))
    bars = base.mark_bar(height={"band": 0.75}).encode(
        x=alt.X("start:Q", title="bits: ← different · the same →"),
        x2="end:Q",
        color=alt.Color(
            "sign:N", legend=None, scale=alt.Scale(domain=["for", "against", "sum"], range=[FOR, AGAINST, NEUTRAL])
        ),
        tooltip=[
            alt.Tooltip("field:N"),
            alt.Tooltip("level:N"),
            alt.Tooltip("given:N", title="depends on"),
            alt.Tooltip("a:N"),
            alt.Tooltip("b:N"),
            alt.Tooltip("bits:Q", format="+.2f"),
        ],
    )
    labels = base.mark_text(align="left", dx=4).encode(x=alt.X("right:Q"), text="label:N")
    zero = alt.Chart(alt.InlineData(values=[{"x": 0}])).mark_rule(strokeDash=[3, 3], color=NEUTRAL).encode(x="x:Q")
    return alt.LayerChart(layer=[zero, bars, labels]).properties(
        width=_WIDTH, height=alt.Step(24), title=_verdict(found)
    )


def _steps(found: Explanation) -> Rows:
    rows: Rows = []
    before = 0.0
    for number, step in enumerate([*found.steps, Step("total", "", "", "", "", found.bits)]):
        is_sum = number == len(found.steps)
        start = 0.0 if is_sum else before
        before = start + step.bits
        name = f"{step.field}: {step.level}" if step.level else step.field
        rows.append(
            step._asdict()
            | {
                "key": _key(number, name),
                "field": shown(step.field),
                "given": shown(step.given),
                "a": shown(step.a),
                "b": shown(step.b),
                "start": round(start, 6),
                "end": round(before, 6),
                "right": round(max(start, before), 6),
                "sign": "sum" if is_sum else "for" if step.bits >= 0 else "against",
                "label": f"{step.bits:+.1f}" if step.bits or is_sum else "",
            }
        )
    return rows


def _verdict(found: Explanation) -> alt.TitleParams:
    alone = f"by itself {_share(found.probability)} the same"
    company = "never compared: no candidate" if found.posterior is None else f"among all {_share(found.posterior)}"
    return alt.TitleParams(f"{alone}; {company}", anchor="start", fontSize=13)


def _share(share: float) -> str:
    return f"{share:.1%}" if 0.001 <= share <= 0.999 else "< 0.1%" if share < 0.5 else "> 99.9%"


def shown(text: str, most: int = 120) -> str:
    """Return a text fit to be shown: no longer than so many characters, none of them unprintable."""
    text = _UNPRINTABLE.sub(" ", text)
    return text if len(text) <= most else text[: most - 1] + "…"
