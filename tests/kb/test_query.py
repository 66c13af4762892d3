"""Names, lives, counts, exports."""

import json

import numpy as np
import pytest

from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, SettingsError
from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.exports.write import export
from onoma.kb.judge import Said, judge
from onoma.kb.query import count_entities, history, record_rows, show
from onoma.kb.update import update_knowledge_base


def test_found_by_a_name_spelt_roughly_right(kb):
    with read_knowledge_base(kb) as base:
        entity, given, surname, city = base.rows(
            """SELECT entity, given_name, surname, city FROM entities
            WHERE length(surname) > 6 AND city IS NOT NULL ORDER BY entity LIMIT 1"""
        )[0]
        swapped = surname[:2] + surname[3] + surname[2] + surname[4:]
        assert entity in [each.entity for each in show(base, f"{given} {swapped} {city}".lower())]
        assert show(base, entity)[0].entity == entity
        assert show(base, "qqqq zzzz") == []
        rows = record_rows(base, entity)
        assert all(0 <= row["probability"] <= 1 for row in rows)
        assert {"id", "surname"} <= rows[0].keys()


def test_a_name_with_one_wrong_letter_is_found(kb):
    """Whatever the letter, and with nothing else to go by."""
    with read_knowledge_base(kb) as base:
        names = base.rows(
            """SELECT entity, given_name, surname FROM entities
            WHERE length(surname) > 4 AND given_name IS NOT NULL ORDER BY entity LIMIT 12"""
        )
        for entity, given, surname in names:
            for typo in (surname[:2] + surname[3:], surname[:2] + "x" + surname[2:], surname[:1] + "q" + surname[2:]):
                found = [each.entity for each in show(base, f"{given} {typo}")]
                assert entity in found, (given, surname, typo)


def test_a_condition_is_no_statement(kb, tmp_path):
    before = kb.read_bytes()
    other = tmp_path / "other.txt"
    other.write_text("of nobody's business")
    for where in (
        f"1=1)); COPY (SELECT 'x') TO '{kb}'; SELECT ((1",
        f"(SELECT count(*) FROM read_text('{other}')) > 0",
    ):
        with read_knowledge_base(kb) as base, pytest.raises(SettingsError, match="is not understood"):
            count_entities(base, where=where)
    assert kb.read_bytes() == before


def test_the_life_of_an_entity(kb, crowd):
    with read_knowledge_base(kb) as base:
        a, b = (key for (key,) in base.rows("SELECT id FROM memberships ORDER BY id LIMIT 2"))
        names = [base.value("SELECT entity FROM memberships WHERE id = ?", [key]) for key in (a, b)]
    judge(kb, [Said("same", a, b)], by="ada")
    update_knowledge_base(kb, tables=[crowd.slice(400)])
    with read_knowledge_base(kb) as base:
        for name in names:
            events = history(base, name)
            assert [event.kind for event in events][:2] == ["created", "created"]
            merged = next(event for event in events if event.kind == "merged")
            assert {merged.entity, merged.other} == set(names)
            assert merged.reason == f"judgement 1: same {a} {b} (by ada)"
            assert merged.run == 2 and merged.made
        joined = base.rows("SELECT id, entity FROM changes WHERE kind = 'joined' LIMIT 1")[0]
        assert any(event.record == joined[0] for event in history(base, joined[1]))
        with pytest.raises(DataError, match="there is no entity"):
            history(base, "e999999")


def test_counts_with_intervals(kb):
    with read_knowledge_base(kb) as base:
        every = count_entities(base)
        assert every.low <= every.reported <= every.high
        assert every.reported == base.value("SELECT count(*) FROM entities")
        wide = count_entities(base, level=0.999)
        assert wide.low <= every.low and wide.high >= every.high
        women = count_entities(base, where="gender = 'f'")
        assert women.reported < every.reported
        nobody = count_entities(base, where="surname = 'Nobody at all'")
        assert (nobody.reported, nobody.low, nobody.high) == (0, 0, 0)
        with pytest.raises(SettingsError, match="is not understood"):
            count_entities(base, where="no such column")
        with pytest.raises(SettingsError, match="level is 2"):
            count_entities(base, level=2)


def test_counts_are_those_of_the_samples(kb):
    """Where nothing was checked; with every sample looked at one by one."""
    with write_knowledge_base(kb) as base:
        base.set_blob("checked", b"")
        base.change("UPDATE runs SET entities_low = NULL, entities_high = NULL")
    with read_knowledge_base(kb) as base:
        rows = base.rows("SELECT m.entity, s.roots FROM memberships m LEFT JOIN samples s USING (record)")
        drawn = [len({entity if roots is None else roots[s] for entity, roots in rows}) for s in range(100)]
        low, high = np.quantile(drawn, [0.025, 0.975])
        found = count_entities(base)
    assert found.low == min(int(low), found.reported)
    assert found.high == max(int(np.ceil(high)), found.reported)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_exported_tables(kb, tmp_path, kind):
    with read_knowledge_base(kb) as base:
        written = export(base, tmp_path / "out", kind)
        n_entities = base.value("SELECT count(*) FROM entities")
    assert [path.name for path in written] == [f"records.{kind}", f"entities.{kind}"]
    records, entities = (read_table(path).table for path in written)
    assert len(records) == 400
    assert len(entities) == n_entities
    assert {"entity", "probability", "id", "surname"} <= set(records.column_names)


def test_exported_triples(kb, tmp_path):
    with read_knowledge_base(kb) as base:
        (path,) = export(base, tmp_path / "people.nt", "ntriples")
        entity, key = base.rows("SELECT entity, id FROM memberships ORDER BY record LIMIT 1")[0]
        with pytest.raises(SettingsError, match="there is no format 'xml'"):
            export(base, tmp_path / "x", "xml")
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == f"<urn:onoma:record::{key}> <urn:onoma:entity> <urn:onoma:entity:{entity}> ."
    assert all(line.endswith(" .") for line in lines)
    literal = next(line for line in lines if "field:surname" in line).split(" ", 2)[2][:-2]
    assert json.loads(literal)
