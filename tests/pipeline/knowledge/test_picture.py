import xml.etree.ElementTree as ET

import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.knowledge.facts_model import SUPPORT
from onoma.pipeline.knowledge.picture import draw_support
from onoma.pipeline.knowledge.question import Query

SVG = "{http://www.w3.org/2000/svg}"


def drawn(path, rows, query=None, score=0.5):
    columns = list(zip(*rows, strict=True)) or [[]] * len(SUPPORT)
    support = pa.table(dict(zip(SUPPORT.names, columns, strict=True)), SUPPORT)
    draw_support(query or Query("in", "a", "z"), score, support, path / "why.svg")
    return ET.parse(path / "why.svg").getroot()


def boxes(root):
    """The middle of each box by its name."""
    rects = [(float(r.get("x")) + float(r.get("width")) / 2, float(r.get("y"))) for r in root.iter(f"{SVG}rect")]
    names = [text.find(f"{SVG}title").text for text in root.iter(f"{SVG}text") if text.find(f"{SVG}title") is not None]
    return dict(zip(names, rects, strict=True))


def test_what_is_known_of_each_stands_on_its_side(tmp_path):
    root = drawn(
        tmp_path,
        [
            ("a", "near", "left", 0.4, "subject"),
            ("left", "by", "a", -0.1, "subject"),
            ("right", "in", "z", 0.3, "object"),
            ("a", "in", "between", 0.2, "rule"),
            ("between", "in", "z", 0.2, "rule"),
            ("a", "under", "z", 0.2, "pair"),
        ],
    )
    found = boxes(root)
    assert [found[name][0] for name in ("left", "a", "between", "z", "right")] == sorted({x for x, _ in found.values()})
    assert found["a"][1] == found["z"][1] < found["between"][1]
    labels = {text.text for text in root.iter(f"{SVG}text")}
    assert {"← near", "by →  +0.300", "← in  +0.300", "in →  +0.200", "under →  +0.200", "in →"} <= labels
    width, height = (float(root.get(name)) for name in ("width", "height"))
    assert all(0 < x < width and 0 < y < height for x, y in found.values())
    assert len(list(root.iter(f"{SVG}line"))) == 6


def test_a_fact_with_nothing_to_carry_it_and_odd_names(tmp_path):
    query = Query("r<&>", '<b>"x"', "y" * 60)
    root = drawn(tmp_path, [], query)
    assert set(boxes(root)) == {'<b>"x"', "y" * 60}
    assert root.find(f"{SVG}title").text == str(query)


def test_many_relations_of_two_and_what_speaks_against(tmp_path):
    root = drawn(tmp_path, [("a", f"r{i}", "b", -0.1, "subject") for i in range(5)])
    assert "3 more  -0.500" in {text.text for text in root.iter(f"{SVG}text")}
    assert "#c2571a" in {line.get("stroke") for line in root.iter(f"{SVG}line")}


def test_only_svg(tmp_path):
    with pytest.raises(SettingsError, match=r"an \.svg file"):
        draw_support(Query("in", "a", "z"), 0.5, SUPPORT.empty_table(), tmp_path / "why.png")
