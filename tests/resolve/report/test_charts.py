from types import SimpleNamespace

import altair as alt
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError
from onoma.resolve.api import Resolution, resolve
from onoma.resolve.report.charts import Charts, shown, sizes_chart, weights_chart

PEOPLE = simulate_people(400, seed=3)
GOLD = Clustering.from_labels(PEOPLE["cluster_id"])


@pytest.fixture(scope="module")
def people() -> Resolution:
    return resolve(PEOPLE)


@pytest.fixture(scope="module")
def charts(people) -> dict[str, alt.Chart]:
    draw = Charts(people)
    return {
        "weights": draw.weights(),
        "sizes": draw.sizes(),
        "entity_count": draw.entity_count(),
        "entity_count_gold": draw.entity_count(gold=GOLD),
        "certainty": draw.certainty(),
        "calibration": draw.certainty(gold=GOLD),
        "waterfall": draw.waterfall(0, 1),
    }


@pytest.mark.parametrize(
    "name", ["weights", "sizes", "entity_count", "entity_count_gold", "certainty", "calibration", "waterfall"]
)
def test_charts_become_images(charts, name, tmp_path):
    path = tmp_path / "chart.png"
    charts[name].save(path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 2000


def rows_of(chart: alt.Chart, layer: int | None = None) -> list[dict]:
    spec = chart.to_dict()
    part = spec if layer is None else spec["layer"][layer]
    return spec["datasets"][part.get("data", spec.get("data"))["name"]]


def test_every_level_of_every_field_is_drawn(people, charts):
    levels = [row["level"] for row in rows_of(charts["weights"], 0) if "level" in row]
    assert levels == [level for field in people.fields.fields for level in field.levels]


def test_sizes_count_every_record(people, charts):
    rows = rows_of(charts["sizes"])
    assert sum(int(row["size"]) * row["entities"] for row in rows) == 400
    assert sum(row["entities"] for row in rows) == people.clustering.n_entities


def test_large_sizes_are_taken_together():
    found = SimpleNamespace(clustering=Clustering.from_labels([0] * 100 + [1] * 3 + [2] * 4 + [3]))
    sizes = {row["size"]: row["entities"] for row in rows_of(sizes_chart(found))}
    assert sizes == {"1": 1, "3–4": 2, "65–128": 1}


def test_shares_of_the_entity_count_sum_to_one(charts):
    assert sum(row["share"] for row in rows_of(charts["entity_count"], 0)) == pytest.approx(1)
    assert [row["what"] for row in rows_of(charts["entity_count"], 1)] == ["reported"]
    assert rows_of(charts["entity_count_gold"], 1)[1] == {"entities": GOLD.n_entities, "what": "true"}


def test_certainty_counts_every_stated_pair(people, charts):
    stated = people.weighed.draws.together
    assert sum(row["pairs"] for row in rows_of(charts["certainty"])) == (stated >= 0.01).sum()


def test_the_waterfall_ends_at_its_sum(charts):
    rows = rows_of(charts["waterfall"], 1)
    assert rows[0]["field"] == "prior" and rows[0]["start"] == 0
    assert all(one["end"] == pytest.approx(other["start"]) for one, other in zip(rows[:-2], rows[1:-1], strict=True))
    assert rows[-1]["field"] == "total" and rows[-1]["end"] == pytest.approx(rows[-2]["end"], abs=1e-5)


def test_nothing_to_compare_is_said():
    found = resolve(pa.table({"id": ["a"], "name": ["Ada"]}))
    with pytest.raises(DataError, match="nothing to compare"):
        weights_chart(found)
    assert rows_of(sizes_chart(found)) == [{"size": "1", "entities": 1, "from": 0.5}]


def test_unprintable_values_do_not_break_images(tmp_path):
    names = ["A\x00da", "A\x0cda L", "<b>&\"'", "\u202eevil", "x" * 10_000, "日本", "Ann", "Ann"]
    found = resolve(pa.table({"id": list("abcdefgh"), "first\x01name": names, "city": list("xyxyxyxy")}))
    Charts(found).waterfall("a", "b").save(tmp_path / "w.png")
    Charts(found).weights().save(tmp_path / "v.svg")
    assert "\x01" not in (tmp_path / "v.svg").read_text("utf-8")


def test_shown_shortens_and_cleans():
    assert shown("a\x00b\tc") == "a b c"
    assert shown("x" * 200, 10) == "x" * 9 + "…"
    assert shown("né 日本 🙂") == "né 日本 🙂"
