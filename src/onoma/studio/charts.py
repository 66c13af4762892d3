"""Numbers to be drawn: bars, the reliability curve, the waterfall of a pair; templates draw them, as SVG in tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Bar", "Drop", "reliability", "waterfall"]

_SIDE, _EDGE = 220.0, 34.0
"""The square of a curve, and the room for its labels."""
_LINKED = 0.5
_NOTHING = 0.9
"""An interval so wide says nothing."""


class Bar(NamedTuple):
    """One bar of a histogram."""

    label: str
    value: float
    link: str = ""


@dataclass(frozen=True)
class Drop:
    """One step of a waterfall: from where to where, of a hundred."""

    step: Mapping[str, Any]
    left: float
    width: float
    is_up: bool
    total: float
    """Bits so far."""


def waterfall(steps: Sequence[Mapping[str, Any]]) -> tuple[list[Drop], float]:
    """Return the steps of a pair one after the other, and where nought is, of a hundred.

    Examples
    --------
    >>> drops, nought = waterfall([{"bits": -10.0}, {"bits": 15.0}])
    >>> [(round(each.left), round(each.width), each.total) for each in drops], round(nought)
    ([(0, 67, -10.0), (0, 100, 5.0)], 67)
    """
    ends = [0.0]
    for step in steps:
        ends.append(ends[-1] + float(step["bits"]))
    low, high = min(ends), max(ends)
    scale = 100.0 / max(high - low, 1e-9)
    drops = [
        Drop(step, (min(a, b) - low) * scale, abs(b - a) * scale, b >= a, b)
        for step, a, b in zip(steps, ends, ends[1:], strict=False)
    ]
    return drops, -low * scale


def reliability(points: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the reliability curve as places in a picture: stated probability across, estimated truth upwards.

    Decoys are what was joined wrongly, so they speak of pairs that are held together, and of no others.
    """

    def place(x: float, y: float) -> tuple[float, float]:
        return round(_EDGE + x * _SIDE, 1), round(8 + (1 - y) * _SIDE, 1)

    drawn: list[dict[str, Any]] = []
    for each in points:
        if float(each["stated"]) < _LINKED:
            continue
        x, y = place(float(each["stated"]), float(each["true"]))
        _, low = place(0.0, float(each["low"]))
        _, high = place(0.0, float(each["high"]))
        drawn.append({"x": x, "y": y, "low": low, "high": high, "about": each})
        drawn[-1]["is_told"] = float(each["high"]) - float(each["low"]) < _NOTHING
    ticks = [(place(t, 0.0), place(0.0, t), f"{t:g}") for t in (0.0, 0.5, 1.0)]
    size = {"width": _EDGE + _SIDE + 12, "height": _SIDE + 8 + 30, "left": _EDGE, "side": _SIDE}
    return size | {"points": drawn, "ticks": ticks, "from": place(0, 0), "to": place(1, 1)}
