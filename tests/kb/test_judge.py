"""Does a judgement stick, and can it be taken back?"""

import pytest

from onoma.errors import DataError, SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge, list_judgements, retract_judgements
from onoma.kb.learn import relearn
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


def pairs(path, low, high):
    with read_knowledge_base(path) as base:
        sql = "SELECT a, b, probability FROM pairs WHERE probability BETWEEN ? AND ? ORDER BY a, b"
        return base.rows(sql, [low, high])


def surest(path):
    """Two records that are likeliest one."""
    return max(pairs(path, 0.5, 1.0), key=lambda row: row[2])[:2]


def entity(path, key):
    with read_knowledge_base(path) as base:
        return base.value("SELECT entity FROM memberships WHERE id = ?", [key])


def entities(path):
    """The entity of every record."""
    with read_knowledge_base(path) as base:
        return dict(base.rows("SELECT id, entity FROM memberships"))


def strangers(path):
    """Two records that nothing ties."""
    with read_knowledge_base(path) as base:
        found = base.rows("SELECT id FROM memberships JOIN entities USING (entity) WHERE size = 1 ORDER BY id")
    return found[0][0], found[-1][0]


def test_the_same_whatever_the_records_say(kb):
    a, b = strangers(kb)
    kept, update = judge(kb, [Said("same", a, b)], by="ada", command="onoma judge")
    assert (kept[0].number, kept[0].by) == (1, "ada")
    assert update.changes == {"merged": 1}
    assert entity(kb, a) == entity(kb, b)
    assert pairs(kb, 0.999, 1.0).count((min(a, b), max(a, b), 1.0)) == 1
    with read_knowledge_base(kb) as base:
        assert base.rows("SELECT kind, command FROM runs WHERE run = 2") == [("judge", "onoma judge")]
        reason = base.value("SELECT reason FROM changes WHERE run = 2")
    assert reason == f"judgement 1: same {a} {b} (by ada)"


def test_different_whatever_the_records_say(kb):
    a, b = surest(kb)
    judge(kb, [Said("different", a, b)])
    assert entity(kb, a) != entity(kb, b)
    assert (a, b) not in [row[:2] for row in pairs(kb, 0.0, 1.0)]


def test_what_is_taken_back_leaves_no_trace(kb):
    before = {row[:2]: row[2] for row in pairs(kb, 0.0, 1.0)}
    where = entities(kb)
    a, b = strangers(kb)
    kept, _ = judge(kb, [Said("same", a, b), Said("different", *surest(kb))])
    retract_judgements(kb, [each.number for each in kept])
    after = {row[:2]: row[2] for row in pairs(kb, 0.0, 1.0)}
    assert max(abs(before.get(pair, 0.0) - after.get(pair, 0.0)) for pair in {*before, *after}) < 0.2
    assert entities(kb) == where
    with read_knowledge_base(kb) as base:
        assert list_judgements(base) == []
        assert [each.is_retracted for each in list_judgements(base, retracted=True)] == [True, True]


def test_an_alias_still_resolves(kb):
    a, b = strangers(kb)
    gone = max((entity(kb, a), entity(kb, b)), key=lambda name: int(name[1:]))
    judge(kb, [Said("same", a, b)])
    with read_knowledge_base(kb) as base:
        assert base.rows("SELECT alias, entity FROM aliases") == [(gone, entity(kb, a))]
        assert base.rows("SELECT entity FROM entity_name WHERE name = ?", [gone]) == [(entity(kb, a),)]


def test_a_weight_is_evidence(kb):
    a, b = strangers(kb)
    judge(kb, [Said("same", a, b, weight=1.0)])
    assert entity(kb, a) != entity(kb, b)
    retract_judgements(kb, [1])
    judge(kb, [Said("same", a, b, weight=60.0)])
    assert entity(kb, a) == entity(kb, b)


def test_contradictions_are_told_with_their_chain(kb):
    with read_knowledge_base(kb) as base:
        a, b, c = (key for (key,) in base.rows("SELECT id FROM memberships ORDER BY id LIMIT 3"))
    judge(kb, [Said("same", a, b), Said("same", b, c)])
    before = kb.read_bytes()
    with pytest.raises(DataError, match=rf"contradicts the judgements 1 \(same {a} {b}\), 2 \(same {b} {c}\)") as error:
        judge(kb, [Said("different", a, c)])
    assert "Retract one of them first" in str(error.value)
    assert kb.read_bytes() == before
    retract_judgements(kb, [2])
    judge(kb, [Said("different", a, c)])
    with pytest.raises(DataError, match=r"contradicts the judgements 1 \(same .*\), 3 \(different"):
        judge(kb, [Said("same", b, c)])


def test_judgements_outlive_new_records_changes_and_refreshes(kb, crowd):
    a, b = strangers(kb)
    one, other = surest(kb)
    judge(kb, [Said("same", a, b), Said("different", one, other)])

    def hold():
        return entity(kb, a) == entity(kb, b) and entity(kb, one) != entity(kb, other)

    update_knowledge_base(kb, tables=[crowd.slice(400)])
    assert hold()
    row = crowd["id"].to_pylist().index(one)
    city = crowd.column_names.index("city")
    changed = crowd.slice(row, 1).set_column(city, "city", [["Elsewhere"]])
    assert update_knowledge_base(kb, tables=[changed]).n_changed == 1
    assert hold()
    update = relearn(kb)
    assert update.is_refreshed
    assert "4 records have labels from judgements" in update.notes
    assert hold()
    with read_knowledge_base(kb) as base:
        roots = dict(base.rows("SELECT id, roots FROM memberships JOIN samples USING (record)"))
    for x, y, same in ((a, b, True), (one, other, False)):
        if x in roots and y in roots:
            assert all((p == q) == same for p, q in zip(roots[x], roots[y], strict=True))


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (("equal", "a", "b"), "two records are 'same' or 'different'"),
        (("same", "a", "b", 99.0), "the weight is 99 bits"),
        (("same", "a", "b", -1.0), "the weight is -1 bits"),
    ],
)
def test_what_cannot_be_said(said, error):
    with pytest.raises(SettingsError, match=error):
        Said(*said)


def test_who_is_not_there(kb):
    with pytest.raises(DataError, match="there is no record 'nobody'"):
        judge(kb, [Said("same", "nobody", "none")])
    key = strangers(kb)[0]
    with pytest.raises(DataError, match="are one record"):
        judge(kb, [Said("same", key, key)])
    with pytest.raises(DataError, match="there is no judgement 7"):
        retract_judgements(kb, [7])
    with pytest.raises(DataError, match="there are no judgements to learn from"):
        relearn(kb)


def test_judgements_hold_where_there_are_blocks(crowd, tmp_path):
    path = tmp_path / "blocks.duckdb"
    store_outcome(run_job(Job(table=crowd.slice(0, 80), config=ResolveConfig(truth="cluster_id", block="state"))), path)
    first, second = crowd["id"][:2].to_pylist()
    judge(path, [Said("same", first, second)])
    with read_knowledge_base(path) as base:
        found = base.rows("SELECT DISTINCT entity FROM memberships WHERE id IN (?, ?)", [first, second])
    assert len(found) == 1
