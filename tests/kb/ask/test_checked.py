"""Do resolve, count and sql state one interval, and do draws change samples as the checks say?"""

import numpy as np
import pytest

from onoma.kb.ask.checked import Checked, draw_entities, read_checked
from onoma.kb.ask.sql import ask_sql
from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge
from onoma.kb.query import count_entities


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
