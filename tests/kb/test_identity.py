"""Do ids go where their records go?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.kb.identity import Change, Former, keep_ids


def keep(old, labels, probability=None, former=(), before=None):
    chance = np.ones(len(old)) if probability is None else np.array(probability)
    return keep_ids(old, np.array(labels), chance, 10, former, before)


def test_nothing_happened():
    found = keep(["e1", "e1", "e2"], [0, 0, 1])
    assert found.names == ["e1", "e2"]
    assert found.changes == []
    assert found.aliases == {}
    assert found.next_number == 10


def test_new_records_join_or_are_entities():
    found = keep(["e1", None, None], [0, 0, 1])
    assert found.names == ["e1", "e10"]
    assert found.changes == [Change("created", "e10", None, None), Change("joined", "e1", None, 1)]
    assert found.next_number == 11


def test_merged_the_older_id_is_kept():
    found = keep(["e9", "e9", "e9", "e2"], [0, 0, 0, 0])
    assert found.names == ["e2"]
    assert found.aliases == {"e9": "e2"}
    assert found.changes == [Change("merged", "e2", "e9", None)]


def test_split_the_larger_part_keeps_the_id():
    found = keep(["e1", "e1", "e1"], [0, 1, 1])
    assert found.names == ["e10", "e1"]
    assert found.changes == [Change("split", "e10", "e1", None)]


def test_mass_counts_not_heads():
    found = keep(["e1", "e1", "e1"], [0, 1, 1], [0.9, 0.3, 0.3])
    assert found.names == ["e1", "e10"]


def test_a_record_that_moves():
    found = keep(["e1", "e1", "e1", "e2", "e2"], [0, 0, 1, 1, 1])
    assert found.names == ["e1", "e2"]
    assert found.changes == [Change("moved", "e2", "e1", 2)]


def test_a_part_split_off_gets_back_what_it_was_called():
    former = [Former("e4", "e1", np.array([2]))]
    found = keep(["e1", "e1", "e1"], [0, 0, 1], former=former)
    assert found.names == ["e1", "e4"]
    assert found.revived == ["e4"]
    assert found.changes == [Change("split", "e4", "e1", None)]
    other = keep(
        ["e1", "e1", "e1", "e1"], [0, 0, 1, 1], [1, 1, 0.5, 0.5], former=[Former("e4", "e1", np.array([0, 1]))]
    )
    assert other.names == ["e1", "e10"]


def test_what_is_taken_back_is_called_what_it_was_called():
    # A split and a merger, taken back: e1 has gone with the records it was merged with, and e4 is its alias.
    before, now = ["e1", "e1", "e1", "e4", "e4"], ["e1", "e9", "e9", "e1", "e1"]
    former = [Former("e4", "e1", np.array([3, 4]))]
    found = keep(now, [0, 0, 0, 1, 1], former=former, before=before)
    assert found.names == ["e1", "e4"]
    assert (found.revived, found.aliases) == (["e4"], {"e9": "e1"})
    assert Change("split", "e4", "e1", None) in found.changes and Change("merged", "e1", "e9", None) in found.changes
    # Records that are not the very ones of before go by where most of them are.
    assert keep(now, [0, 0, 0, 1, 0], former=former, before=before).names == ["e1", "e10"]
    assert keep(now, [0, 0, 0, 0, 0], former=former, before=before).names == ["e1"]


@pytest.mark.parametrize("n", [0, 1])
def test_few(n):
    assert len(keep([None] * n, [0] * n).names) == n


@given(st.lists(st.tuples(st.sampled_from([None, "e0", "e1", "e2", "e3"]), st.integers(0, 4)), min_size=1, max_size=12))
def test_every_id_is_used_once_and_none_is_lost(rows):
    old = [name for name, _ in rows]
    _, labels = np.unique([label for _, label in rows], return_inverse=True)
    found = keep(old, labels)
    assert len(set(found.names)) == len(found.names) == labels.max() + 1
    before = {name for name in old if name is not None}
    assert before == (set(found.names) & before) | set(found.aliases)
    for alias, entity in found.aliases.items():
        assert entity in found.names
        assert alias not in found.names
    told = {change.entity for change in found.changes}
    assert {name for name in found.names if name not in before} <= told
