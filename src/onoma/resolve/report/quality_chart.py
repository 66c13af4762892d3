"""The reliability curve that needs no labels: what is stated against what decoys bear out."""

from typing import TYPE_CHECKING, Any

import altair as alt

from onoma.resolve.report.charts import AGAINST, FOR, NEUTRAL

if TYPE_CHECKING:
    from onoma.resolve.check.quality import Quality

__all__ = ["reliability_chart"]

_WIDTH, _HEIGHT = 520, 260


def reliability_chart(quality: "Quality") -> alt.LayerChart:
    """Draw, for pairs in bins of what the model states, the share that is true by the decoys, with its interval.

    Points below the line are stated too surely; pairs that are as good as certain are told apart by the weight of their
    evidence, so several points may stand at 100 %. A circle is the larger the more pairs it stands for.
    """
    rows = [
        {"stated": each.stated, "true": each.true, "low": each.low, "high": each.high, "pairs": int(each.pairs)}
        | {"decoys": each.decoys, "held": "may hold" if each.high >= each.stated - 0.02 else "stated too surely"}
        for each in quality.reliability
    ]
    ends = alt.InlineData(values=[{"stated": 0, "true": 0}, {"stated": 1, "true": 1}])
    x = alt.X("stated:Q", title="stated by the model", **_share_axis())
    y = alt.Y("true:Q", title="true, by the decoys", **_share_axis())
    diagonal = alt.Chart(ends).mark_line(strokeDash=[4, 4], color=NEUTRAL, strokeWidth=1).encode(x=x, y=y)
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x)
    spans = base.mark_rule(color=NEUTRAL).encode(y=alt.Y("low:Q"), y2="high:Q")
    points = base.mark_circle(opacity=0.85).encode(
        y=y,
        size=alt.Size("pairs:Q", legend=None, scale=alt.Scale(type="sqrt", range=[30, 400])),
        color=alt.Color(
            "held:N",
            title=None,
            scale=alt.Scale(domain=["may hold", "stated too surely"], range=[FOR, AGAINST]),
            legend=alt.Legend(orient="top"),
        ),
        tooltip=[
            *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("stated", "true", "low", "high")),
            alt.Tooltip("pairs:Q", format=","),
            alt.Tooltip("decoys:Q", title="pairs with decoys", format=","),
        ],
    )
    return alt.LayerChart(layer=[diagonal, spans, points]).properties(width=_WIDTH, height=_HEIGHT)


def _share_axis() -> dict[str, Any]:
    return {
        "scale": alt.Scale(domain=[0, 1.03], nice=False),
        "axis": alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]),
    }
