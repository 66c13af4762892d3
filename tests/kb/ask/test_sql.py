"""SQL with error bars, against counting over samples by hand."""

import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.kb.ask.checked import Checked, draw_entities, read_checked
from onoma.kb.ask.past import own
from onoma.kb.ask.sql import ask_sql
from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.judge import Said, judge
from onoma.kb.query import count_entities


def test_a_count_is_that_of_the_samples_one_by_one(kb):
    """Where nothing was checked."""
    with write_knowledge_base(kb) as base:
        base.set_blob("checked", b"")
    with read_knowledge_base(kb) as base:
        found = ask_sql(
            base, "select state, count(distinct entity) as people, count(*) as n from records group by state"
        )
        rows = base.rows(
            f"""SELECT r.state, r.onoma_record, m.entity, s.roots FROM {own(base)}.records r
            JOIN memberships m ON m.record = r.onoma_record LEFT JOIN samples s ON s.record = m.record"""
        )
    assert found.keys == ("state",) and found.measures == ("people", "n")
    by_hand = {}
    for s in range(found.n_samples):
        seen = {}
        for state, _, entity, roots in rows:
            seen.setdefault(state, set()).add(entity if roots is None else f"#{roots[s % len(roots)]}")
        for state, entities in seen.items():
            by_hand.setdefault(state, []).append(len(entities))
    for row in found.table.to_pylist():
        values = by_hand[row["state"]]
        assert row["people_mean"] == pytest.approx(np.mean(values))
        assert row["people_low"] == pytest.approx(np.quantile(values, 0.025))
        assert row["people_high"] == pytest.approx(np.quantile(values, 0.975))
        assert row["n_low"] == row["n_high"] == row["n"]  # records are there in every sample


def test_resolve_count_and_sql_state_one_interval(kb, crowd):
    """And it is the one of the checks, wider than that of the samples; it stays when a judgement changes little."""
    with read_knowledge_base(kb) as base:
        low, high = base.rows("SELECT entities_low, entities_high FROM runs")[0]
        found = ask_sql(base, "select count(distinct entity) as n from records")
        row, count = found.table.to_pylist()[0], count_entities(base)
        some = count_entities(base, where="true")
        checked = read_checked(base)
        exact = checked.totals(400, count.reported)
    assert found.is_checked and count.is_checked and (count.low, count.high) == (low, high)
    assert (int(np.floor(np.quantile(exact, 0.025))), int(np.ceil(np.quantile(exact, 0.975)))) == (low, high)
    assert row["n_low"] == pytest.approx(low, abs=4) and row["n_high"] == pytest.approx(high, abs=4)
    assert some.low == pytest.approx(low, abs=4) and some.high == pytest.approx(high, abs=4)
    judge(kb, [Said("different", *crowd["id"].to_pylist()[:2])])
    with read_knowledge_base(kb) as base:
        after = count_entities(base)
    assert after.low == pytest.approx(low, abs=2) and after.high == pytest.approx(high, abs=2)


def test_draws_cut_and_join_as_many_links_as_the_checks_say(kb):
    with read_knowledge_base(kb) as base:
        checked = Checked(np.full(8, 0.9), np.full(8, 0.8), np.zeros(8))
        numbers, draws = draw_entities(base, checked)
        counts = [len(np.unique(labels)) for labels in draws]
        plain = [len(np.unique(labels)) for labels in draw_entities(base, Checked(*np.ones((2, 8)), np.zeros(8)))[1]]
    links = len(numbers) - np.mean(plain)
    assert len(counts) == 200 and len(numbers) == 400
    # Pairs that were drawn may close a circle, so that a few fewer are joined.
    assert np.mean(counts) == pytest.approx(len(numbers) - links * 0.9 / 0.8, abs=0.04 * links)


def test_all_entities_agree_with_count(kb):
    with read_knowledge_base(kb) as base:
        found = ask_sql(base, "select count(distinct entity) from records").table.to_pylist()[0]
        count = count_entities(base)
    name = next(key for key in found if not key.endswith(("mean", "low", "high")))
    assert found[name] == count.reported
    assert count.low <= found[f"{name}_mean"] <= count.high


_BY_PLACE = """select upper(state) as s, max(surname) as last, count(*) / count(distinct entity) as each
from records group by 1"""


def test_places_expressions_and_what_has_no_aggregate(kb):
    with read_knowledge_base(kb) as base:
        by_place = ask_sql(base, _BY_PLACE)
        assert by_place.keys[0] == "s" and "each" in by_place.measures and "last" not in by_place.measures
        plain = ask_sql(base, "select surname from records limit 3")
        assert plain.measures == () and len(plain.table) == 3


@pytest.mark.parametrize(
    "sql", ["drop table runs", "select 1; select 2", "selec", "select count(*) from records group by state"]
)
def test_what_is_no_question_is_refused(kb, sql):
    with read_knowledge_base(kb) as base, pytest.raises(SettingsError):
        ask_sql(base, sql)
