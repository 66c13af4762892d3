"""Do merging, splitting and moving say what is meant, and does a preview keep nothing?"""

from functools import partial

import pytest

from onoma.errors import SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge, list_judgements
from onoma.kb.lookup.live import Live
from onoma.kb.regroup import merge_entities, move_records, preview_judgements, split_records


@pytest.fixture
def base(kb):
    with read_knowledge_base(kb) as opened:
        yield opened


def of_size(base, size):
    """Entities of a size, each with its records."""
    rows = base.rows("SELECT entity FROM entities WHERE size = ? ORDER BY entity", [size])
    return [
        (entity, [key for (key,) in base.rows("SELECT id FROM memberships WHERE entity = ? ORDER BY record", [entity])])
        for (entity,) in rows
    ]


def test_entities_are_merged_by_one_record_of_each(base):
    (one, mine), (other, theirs) = of_size(base, 2)[:2]
    (said,) = merge_entities(base, [one, theirs[0], other])
    assert said.kind == "same" and said.a in mine and said.b in theirs
    with pytest.raises(SettingsError, match="two different entities"):
        merge_entities(base, [one, mine[0]])


def test_what_is_split_off_is_different_from_all_that_stay(base):
    entity, (a, *stay) = of_size(base, 3)[0]
    assert split_records(base, entity, [a, a]) == [Said("different", a, each) for each in stay]
    with pytest.raises(SettingsError, match="some stay"):
        split_records(base, entity, [a, *stay])
    with pytest.raises(SettingsError, match="is no record of"):
        split_records(base, entity, [of_size(base, 1)[0][1][0]])


def test_what_is_moved_leaves_and_joins(base):
    entity, (a, *stay) = of_size(base, 3)[0]
    to, (there,) = of_size(base, 1)[0]
    said = move_records(base, entity, [a], to)
    assert said == [*(Said("different", a, each) for each in stay), Said("same", there, a)]
    assert {each.kind for each in move_records(base, to, [there], entity)} == {"same"}  # the whole of it
    with pytest.raises(SettingsError, match="another entity"):
        move_records(base, entity, [a], a)


def test_a_preview_is_what_comes_of_it_and_keeps_nothing(kb):
    with read_knowledge_base(kb) as base:
        (one, (a,)), (other, (b,)) = of_size(base, 1)[:2]
        said = merge_entities(base, [one, other])
    seen = preview_judgements(partial(Live(kb).judging, follows=False), said)
    assert sorted(group.entity for group in seen.before) == sorted([one, other])
    (joined,) = seen.after
    assert sorted(key for key, _ in joined.records) == sorted([a, b])
    with read_knowledge_base(kb) as base:
        assert list_judgements(base) == [] and {entity for entity, _ in of_size(base, 1)} >= {one, other}
    judge(kb, said)
    with read_knowledge_base(kb) as base:
        assert dict(of_size(base, 2))[joined.entity]
