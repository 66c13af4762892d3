"""The cost curve: `python -m benchmarks.draw_scale [FILE.svg]` draws what `python -m benchmarks scale` has saved."""

import json
import math
import sys
from pathlib import Path

import altair as alt

from benchmarks.measure import RESULTS

WHAT = {"processor time": "processor time, s", "peak memory": "peak memory, MB"}
COLOURS = {"Onoma": "#1b6ca8", "Splink, set up by hand": "#d1793b", "n log n": "#888888"}


def points() -> list[dict[str, object]]:
    """Return rows and cost of each run over simulated people."""
    found: list[dict[str, object]] = []
    files = [RESULTS / f"{name}.json" for name in ("scale", "scale_beyond")]
    lines = [line for file in files if file.exists() for line in json.loads(file.read_text("utf-8"))["measurements"]]
    for line in lines:
        if line["name"] in WHAT and line["data"].endswith(" simulated people"):
            rows = int(line["data"].split(" ", 1)[0].replace(",", ""))
            for who, cost in (("Onoma", line["onoma"]), ("Splink, set up by hand", line["peer"])):
                if cost is not None:
                    found.append({"what": line["name"], "rows": rows, "who": who, "cost": cost})
    return found


def chart() -> alt.HConcatChart:
    """Return the two panels, both axes logarithmic, with n log n through our first time."""
    panels = []
    for what, title in WHAT.items():
        mine = [each for each in points() if each["what"] == what]
        if what == "processor time":
            mine += _even([each for each in mine if each["who"] == "Onoma"])
        base = alt.Chart(alt.InlineData(values=mine)).encode(
            x=alt.X("rows:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s")),
            y=alt.Y("cost:Q", title=title, scale=alt.Scale(type="log")),
            color=alt.Color("who:N", title=None, scale=alt.Scale(domain=[*COLOURS], range=[*COLOURS.values()])),
        )
        dashed = alt.condition("datum.who === 'n log n'", alt.value([4, 4]), alt.value([1, 0]))
        panels.append((base.mark_line().encode(strokeDash=dashed) + base.mark_point(filled=True)).properties(width=320))
    return alt.hconcat(*panels)


def _even(ours: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return what our times would be if they grew as n log n from the first on."""
    first = min(ours, key=lambda each: each["rows"])
    n0, t0 = float(first["rows"]), float(first["cost"])
    return [
        {
            "what": each["what"],
            "rows": each["rows"],
            "who": "n log n",
            "cost": t0 * n * math.log(n) / (n0 * math.log(n0)),
        }
        for each in ours
        for n in [float(each["rows"])]
    ]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/scale.svg")
    chart().save(target)
    print(target)
