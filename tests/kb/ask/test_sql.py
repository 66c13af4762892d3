"""SQL with error bars, against counting over samples by hand."""

import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.kb.ask.past import own
from onoma.kb.ask.sql import ask_sql
from onoma.kb.database import read_knowledge_base, write_knowledge_base
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


@pytest.mark.parametrize("end", ["order by 2 desc limit 2", "having count(*) > 20", "having count(*) > 20 limit 3"])
def test_groups_that_are_not_shown_say_nothing_of_others(kb, end):
    """A group that some sample would rank lower, or that would be too small there, is counted there all the same."""
    with read_knowledge_base(kb) as base:
        question = "select state, count(distinct entity) as people from records group by state"
        whole = {row["state"]: row for row in ask_sql(base, question).table.to_pylist()}
        some = ask_sql(base, f"{question} {end}").table.to_pylist()
    assert 0 < len(some) < len(whole)
    assert some == [whole[row["state"]] for row in some]


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


def test_what_is_not_there_is_named_with_what_is(kb):
    with read_knowledge_base(kb) as base, pytest.raises(SettingsError, match="name record does not exist") as told:
        ask_sql(base, "select count(distinct entity) from record")
    assert told.value.hint.startswith("The table is records; its columns are entity, probability, id,")
