"""The reliability curve."""

from onoma.resolve.check.calibrate import Bin
from onoma.resolve.check.quality import Quality
from onoma.resolve.report.quality_chart import reliability_chart


def made(**about):
    given = dict.fromkeys(Bin.__dataclass_fields__, 0.0) | about
    return Bin(**given)


def points(chart):
    return chart["datasets"][chart["layer"][2]["data"]["name"]]


def test_points_are_the_bins_and_those_below_the_line_are_called_so():
    good = made(stated=0.9, true=0.88, low=0.8, high=0.95, pairs=40)
    bad = made(stated=0.99, true=0.6, low=0.5, high=0.7, pairs=10)
    chart = reliability_chart(Quality(calibrated=False, because=("x",), reliability=(good, bad))).to_dict()
    rows = points(chart)
    assert [(row["stated"], row["true"], row["pairs"]) for row in rows] == [(0.9, 0.88, 40), (0.99, 0.6, 10)]
    assert [row["held"] for row in rows] == ["may hold", "stated too surely"]


def test_nothing_to_draw_is_drawn_as_nothing():
    chart = reliability_chart(Quality(calibrated=False, because=("x",))).to_dict()
    assert points(chart) == []
