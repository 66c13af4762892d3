import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.resolve.fields.bags import slips
from onoma.resolve.fields.names import NameWords, nickname_pairs, write_name
from reference.fields_kernels import align

WORDS = ["bob", "robert", "rob", "smith", "smiht", "r", "s", "jones", "john", "j", "jon"]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True), min_size=2, max_size=5))
@settings(max_examples=80)
def test_alignments_are_those_of_the_slow_twin(names):
    words = NameWords([" ".join(name) for name in names], np.ones(len(names), np.int64))
    bags = words.bags
    nick_a, nick_b = nickname_pairs(bags.words)
    slip_a, slip_b, _ = slips(bags.words)
    nicknames = [set(pair) for pair in zip(nick_a.tolist(), nick_b.tolist(), strict=True)]
    slipped = [set(pair) for pair in zip(slip_a.tolist(), slip_b.tolist(), strict=True)]
    sets = [set(bags.ids[bags.offsets[i] : bags.offsets[i + 1]].tolist()) for i in range(len(names))]
    a, b = np.triu_indices(len(names), 1)
    met = words.align(a.astype(np.int32), b.astype(np.int32))
    columns = (met.equal, met.nickname, met.initial, met.slip, met.left_a, met.left_b, met.whole)
    found = np.stack(columns, axis=1).tolist()
    assert found == [align(sets[i], sets[j], bags.words, nicknames, slipped) for i, j in zip(a, b, strict=True)]


def test_complete_and_within():
    words = NameWords(["bob smith", "robert smith", "robert john smith", "ann lee"], np.ones(4, np.int64))
    met = words.align(np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32))
    assert met.complete.tolist() == [True, False, False]
    assert met.within.tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Smith, John", "john smith"),
        ("SMITH,JOHN Q.", "john q smith"),
        ("thomas clifford, 1st baron clifford of chudleigh", "thomas clifford 1st baron clifford of chudleigh"),
        ("Prof. Dr. Karl-Heinz Müller", "karl heinz muller"),
        ("Dr.", "dr"),
        ("D'Angelo", "dangelo"),
        ("", ""),
    ],
)
def test_names_are_written_in_one_way(text, written):
    assert write_name(text) == written


def test_two_long_names_with_one_nickname_are_not_alike():
    a, b = nickname_pairs(["alexander", "alexandra", "alex", "bob", "rob", "robert"])
    words = ["alexander", "alexandra", "alex", "bob", "rob", "robert"]
    found = {frozenset((words[i], words[j])) for i, j in zip(a, b, strict=True)}
    assert frozenset(("alexander", "alexandra")) not in found
    assert {frozenset(("alexander", "alex")), frozenset(("bob", "robert")), frozenset(("bob", "rob"))} <= found
