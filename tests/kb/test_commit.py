"""Writing what changed: who joined, merged, split, and records whose place others took."""

import numpy as np

from onoma.kb.commit import Gone, Update, refresh
from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.own.answer import in_doubt
from onoma.kb.update import update_knowledge_base


def test_an_update_tells_what_became_of_entities(kb, crowd):
    update = update_knowledge_base(kb, tables=[crowd.slice(400)])
    assert update.n_added == 20 and update.as_dict()["entities"] == update.n_entities
    with read_knowledge_base(kb) as base:
        counted = dict(base.rows("SELECT kind, count(*) FROM changes WHERE run = 2 GROUP BY kind"))
        assert counted == update.changes
        sizes = dict(base.rows("SELECT entity, count(*) FROM memberships GROUP BY entity"))
        assert dict(base.rows("SELECT entity, size FROM entities")) == sizes


def test_who_is_gone_is_remembered_with_its_entity(kb):
    with write_knowledge_base(kb) as base:
        entity = base.value("SELECT entity FROM memberships WHERE record = 3")
        gone = Gone.read(base, np.array([3]), np.array([3]))
        assert gone.entity[3] == entity


def test_resolving_all_anew_keeps_ids_where_members_stay(kb):
    with read_knowledge_base(kb) as base:
        before = dict(base.rows("SELECT id, entity FROM memberships"))
    with write_knowledge_base(kb) as base:
        refresh(base, Gone({}, {}, {}, np.zeros(0, dtype=np.int64)), {}, Update(run=2))
    with read_knowledge_base(kb) as base:
        after = dict(base.rows("SELECT id, entity FROM memberships"))
    assert sum(before[key] == after[key] for key in before) > 0.98 * len(before)


def test_only_records_in_changing_company_have_samples():
    roots = np.array([[0, 0, 2, 3], [0, 1, 2, 3]])
    assert set(in_doubt(roots).tolist()) == {0, 1}
