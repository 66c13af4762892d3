"""HTML from values: all escaped, numbers for people, nothing from elsewhere."""

import json
import re

import pytest

from onoma.resolve.report.page import Html, cell, chart, page, section, table, text, tile


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("<b>&", "&lt;b&gt;&amp;"),
        (None, "–"),
        (True, "yes"),
        (12345, "12,345"),
        (0.5, "0.5000"),
        (Html("<b>x</b>"), "<b>x</b>"),
    ],
)
def test_values(value, expected):
    assert text(value) == expected


def test_long_values_are_shortened():
    assert len(text("x" * 5000)) < 400


def test_numbers_stand_right_with_their_heads():
    made = table(["name", "n"], [["<i>", 3], ["b", 4]])
    assert '<th>name</th><th class="n">n</th>' in made and "&lt;i&gt;" in made
    assert cell(3) == '<td class="n">3</td>' and cell("a") == "<td>a</td>" and cell(True) == "<td>yes</td>"
    assert "<tbody></tbody>" in table(["name"], [])


def test_sections_escape_texts_and_keep_html():
    made = section("x", "A & B", "<p>", Html("<p>ok</p>"), "")
    assert "<h2>A &amp; B</h2>" in made and "<p>&lt;p&gt;</p>" in made and "<p>ok</p>" in made
    assert tile("1 < 2", "so") == '<div class="tile"><b>1 &lt; 2</b><span>so</span></div>'


def test_a_chart_cannot_end_its_script():
    made = chart("c", {"data": {"values": [{"x": "</script><script>alert(1)"}]}, "config": {}, "$schema": "https://x"})
    assert "</script><script>alert" not in made
    spec = json.loads(re.search(r">(\{.*\})</script>", made)[1])
    assert spec["data"]["values"][0]["x"].startswith("</script>") and "config" not in spec and "$schema" not in spec


def test_the_page_loads_nothing_from_elsewhere():
    made = page("<title>", Html("<p>body</p>"))
    assert "default-src 'none'" in made and "<title>&lt;title&gt;</title>" in made and "<p>body</p>" in made
    head = made.partition('<script id="library">')[0]
    assert "http://" not in head and "https://" not in head
