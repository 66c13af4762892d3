"""Does an explanation name what the entity really hangs on?"""

import xml.etree.ElementTree as ElementTree

import pytest

from onoma.errors import DataError, SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import EntityExplanation, Link, Removal, explain_entity, explain_records
from onoma.kb.picture import draw_entity, draw_pair


def entities(base, where):
    return [name for (name,) in base.rows(f"SELECT entity FROM entities WHERE {where} ORDER BY entity")]


def test_an_entity(kb):
    with read_knowledge_base(kb) as base:
        name = entities(base, "size > 2")[0]
        found = explain_entity(base, name)
        assert found.entity == name
        assert len(found.records) == base.value("SELECT size FROM entities WHERE entity = ?", [name])
        assert len(found.tree) == len(found.records) - 1
        assert {key for link in found.tree for key in (link.a, link.b)} == set(found.records)
        bits = [link.bits for link in found.tree]
        assert bits == sorted(bits, reverse=True)
        assert (found.strongest, found.weakest) == (found.tree[0], found.tree[-1])
        splits = [each.split for each in found.removals]
        assert splits == sorted(splits, reverse=True)
        fields = {each.name for each in found.removals if each.what == "field"}
        assert {"surname", "city"} <= fields
        assert {each.name for each in found.removals if each.what == "record"} == set(found.records)
        assert explain_entity(base, found.records[0]).entity == name
        assert found.as_dict()["entity"] == name


def test_one_record_hangs_on_nothing(kb):
    with read_knowledge_base(kb) as base:
        found = explain_entity(base, entities(base, "size = 1")[0])
    assert found.together == 1.0
    assert found.tree == found.removals == ()
    assert found.critical is found.strongest is None


def test_two_records(kb):
    with read_knowledge_base(kb) as base:
        a, b, p = base.rows("SELECT a, b, probability FROM pairs WHERE probability > 0.99 ORDER BY a LIMIT 1")[0]
        found = explain_records(base, a, b)
        assert found.pair.steps[0].field == "prior"
        assert found.posterior == pytest.approx(p, abs=0.1)
        assert_leads(found.path, a, b)
        assert found.as_dict()["posterior"] == found.posterior
        with pytest.raises(DataError, match="not with itself"):
            explain_records(base, a, a)
        with pytest.raises(DataError, match="there is no entity, alias or record 'nobody'"):
            explain_entity(base, "nobody")


def assert_leads(path, a, b):
    """The links stand one after the other, each beginning where the one before ends."""
    assert [a, *(link.b for link in path)] == [*(link.a for link in path), b]


def test_a_way_over_others_is_told_as_it_is_walked(kb):
    longest = 0
    with read_knowledge_base(kb) as base:
        for name in entities(base, "size > 2")[:6]:
            keys = [key for (key,) in base.rows("SELECT id FROM memberships WHERE entity = ? ORDER BY id", [name])]
            for a, b in ((keys[0], keys[-1]), (keys[-1], keys[0])):
                found = explain_records(base, a, b)
                assert_leads(found.path, found.a, found.b)
                longest = max(longest, len(found.path))
                step = next(each for each in found.pair.steps if each.field == "surname")
                told = base.rows("SELECT id, surname FROM record_current WHERE id IN (?, ?)", [a, b])
                assert {(found.a, step.a.lower()), (found.b, step.b.lower())} == {
                    (i, (s or "").lower()) for i, s in told
                }
    assert longest > 1


def test_pictures(kb, tmp_path):
    with read_knowledge_base(kb) as base:
        entity = explain_entity(base, entities(base, "size > 2")[0])
        a, b = base.rows("SELECT a, b FROM pairs ORDER BY a LIMIT 1")[0]
        pair = explain_records(base, a, b)
    draw_entity(entity, tmp_path / "entity.svg")
    draw_pair(pair, tmp_path / "pair.svg")
    for name in ("entity.svg", "pair.svg"):
        assert ElementTree.parse(tmp_path / name).getroot().tag.endswith("svg")
    assert all(key in (tmp_path / "entity.svg").read_text("utf-8") for key in entity.records)
    with pytest.raises(SettingsError, match=r"a picture is an \.svg file"):
        draw_entity(entity, tmp_path / "entity.jpeg")


def test_what_is_named_parts_it_clearly():
    link = Link("a", "b", 3.0, 0.9)
    shaky = EntityExplanation("e1", ("a", "b"), 0.9, (link,), (Removal("field", "name", 0.7),))
    firm = EntityExplanation("e1", ("a", "b"), 0.9, (link,), (Removal("field", "name", 0.6),))
    parted = EntityExplanation("e1", ("a", "b"), 0.3, (link,), (Removal("field", "name", 0.8),))
    assert shaky.critical == shaky.removals[0]
    assert firm.critical is parted.critical is None
