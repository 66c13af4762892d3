"""Judgements as labels to learn from."""

import pytest

from onoma.errors import DataError
from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge
from onoma.kb.learn import judged_labels, relearn


def ids(path, n):
    with read_knowledge_base(path) as base:
        return [key for (key,) in base.rows(f"SELECT id FROM memberships ORDER BY record LIMIT {n}")]


def test_without_judgements_there_is_nothing_to_learn(kb):
    with read_knowledge_base(kb) as base, pytest.raises(DataError, match="no judgements to learn from"):
        judged_labels(base)


def test_what_is_tied_has_one_label_and_what_is_parted_two(kb):
    a, b, c, d = ids(kb, 4)
    judge(kb, [Said("same", a, b), Said("same", b, c), Said("different", a, d)])
    with read_knowledge_base(kb) as base:
        labels = judged_labels(base)
    assert labels[0] == labels[1] == labels[2] != labels[3] is not None
    assert set(labels[4:]) == {None}


def test_weights_are_learnt_again_and_the_run_is_noted(kb):
    with read_knowledge_base(kb) as base:
        pair = base.rows("SELECT a, b FROM pairs WHERE probability > 0.99 LIMIT 3")
    judge(kb, [Said("same", a, b) for a, b in pair])
    update = relearn(kb)
    assert update.is_refreshed and any("records have labels" in note for note in update.notes)
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT kind FROM run_last") == "learn"
