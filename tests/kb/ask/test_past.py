"""A knowledge base as it was after each run."""

import pytest

from onoma.errors import DataError, SettingsError
from onoma.kb.ask.past import find_run, see_as_of
from onoma.kb.ask.sql import ask_sql
from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.kb.query import count_entities, show
from onoma.kb.update import update_knowledge_base


def state(path, when=None):
    with read_knowledge_base(path) as base:
        if when is not None:
            see_as_of(base, when)
        return dict(base.rows("SELECT id, entity FROM memberships"))


def test_every_state_is_found_again(kb, crowd):
    states = [state(kb)]
    ids = crowd["id"].to_pylist()
    update_knowledge_base(kb, tables=[crowd.slice(400, 10)])
    states.append(state(kb))
    kept, _ = judge(kb, [Said("same", ids[0], ids[30])])
    states.append(state(kb))
    update_knowledge_base(kb, tables=[crowd.slice(410, 10)])
    states.append(state(kb))
    retract_judgements(kb, [kept[0].number])
    states.append(state(kb))
    assert states[1] != states[2]
    for run, then in enumerate(states, 1):
        assert state(kb, str(run)) == then


def test_questions_about_the_past(kb, crowd):
    with read_knowledge_base(kb) as base:
        before = count_entities(base).reported
    update_knowledge_base(kb, tables=[crowd.slice(400, 20)])
    with read_knowledge_base(kb) as base:
        see_as_of(base, "1")
        assert count_entities(base).reported == before
        assert ask_sql(base, "select count(*) as n from records").table["n"].to_pylist() == [400]
        row = crowd.slice(3, 1).to_pylist()[0]
        assert show(base, f"{row['given_name']} {row['surname']}")


def test_days_and_runs_that_are_not(kb):
    with read_knowledge_base(kb) as base:
        assert find_run(base, "2999-01-01") == 1
        with pytest.raises(DataError, match="it was made on"):
            find_run(base, "1999-01-01")
        with pytest.raises(SettingsError, match="no run 7"):
            find_run(base, "7")
        with pytest.raises(SettingsError, match="neither a run nor a date"):
            find_run(base, "yesterday")
