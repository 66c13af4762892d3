"""Pictures of explanations: well-formed, escaped, only as SVG."""

from xml.etree import ElementTree

import pytest

from onoma.errors import SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.picture import draw_entity, draw_pair


@pytest.fixture(scope="module")
def base(first_base):
    with read_knowledge_base(first_base) as found:
        yield found


@pytest.fixture(scope="module")
def largest(base):
    return base.value("SELECT entity FROM memberships GROUP BY entity ORDER BY count(*) DESC, entity LIMIT 1")


def test_an_entity_is_drawn_with_all_its_records(base, largest, tmp_path):
    found = explain_entity(base, largest)
    draw_entity(found, tmp_path / "e.svg")
    text = (tmp_path / "e.svg").read_text("utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg") and root.get("role") == "img"
    for (key,) in base.rows("SELECT id FROM memberships WHERE entity = ?", [largest]):
        assert key[:10] in text


def test_a_pair_is_drawn_as_a_waterfall(base, tmp_path):
    a, b = base.rows("SELECT a, b FROM pairs WHERE probability > 0.9 LIMIT 1")[0]
    draw_pair(explain_records(base, a, b), tmp_path / "p.svg")
    assert "<svg" in (tmp_path / "p.svg").read_text("utf-8")


def test_other_files_are_refused(base, largest, tmp_path):
    with pytest.raises(SettingsError, match=r"a picture is an \.svg file"):
        draw_entity(explain_entity(base, largest), tmp_path / "e.png")
