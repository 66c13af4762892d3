"""What candidates agree on, and what strangers agree on."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.blocking.canopies import Candidates
from onoma.resolve.comparison.gathering import CONTRAST_LEVELS, count_pairs, gather_evidence
from onoma.resolve.fields.prepare import prepare_fields


@pytest.fixture(scope="module")
def fields():
    names = ["Ann Smith", "Ann Smyth", "Bob Jones", "Bob Jones", "Cyd Brown", "Dan Moore", "Eve Clark", "Fay Lewis"]
    born = ["1950-02-03", "1950-02-03", "1960-04-05", "1960-04-06", None, "1980-01-02", "1990-07-08", "1955-09-10"]
    return prepare_fields(pa.table({"name": names, "born": born}), kinds={"name": "person", "born": "date"}).fields


def gather(fields, pairs, source=None, apart=0):
    a, b = np.array(pairs, dtype=np.int32).T
    candidates = Candidates(np.ascontiguousarray(a), np.ascontiguousarray(b), 0, 0)
    return gather_evidence(fields, candidates, source, None, apart, seed=1)


def test_levels_are_those_of_the_fields_and_missing_says_nothing(fields):
    found = gather(fields, [(0, 1), (2, 3), (3, 4)])
    assert fields[0].levels[found.levels[0, 0]] == "one slip" and found.levels[1, 0] == 0
    assert found.levels[0, 1] == 0 and found.levels[2, 1] == -1
    assert found.log_share[1, 0] == pytest.approx(np.log(0.5 / 8))  # nobody else has it, and little else tells


def test_strangers_stand_for_all_pairs_outside(fields):
    found = gather(fields, [(0, 1), (2, 3)])
    assert found.n_pairs == 28
    assert found.background_weight.sum() == pytest.approx(26)


def test_names_name_the_thing_and_a_full_date_is_a_persons_own(fields):
    found = gather(fields, [(0, 1)])
    assert found.identity.tolist() == [True, False] and found.own.tolist() == [False, True]
    assert found.words[0] == pytest.approx(2.0)


def test_two_sources_add_the_contrast_with_rivals(fields):
    source = np.array([0, 1, 0, 1, 0, 1, 0, 1], dtype=np.int32)
    found = gather(fields, [(0, 1), (2, 3), (0, 3)], source, apart=1)
    assert found.linking and found.contrast == 2 and found.n_levels[2] == len(CONTRAST_LEVELS)
    ahead, behind = found.levels[0, 2], found.levels[2, 2]
    assert ahead < behind


@pytest.mark.parametrize("apart", [0, 1])
@pytest.mark.parametrize("with_block", [False, True])
def test_pairs_are_counted_as_by_hand(apart, with_block):
    rng = np.random.default_rng(2)
    source, block = rng.integers(0, 3, 20).astype(np.int32), rng.integers(0, 4, 20).astype(np.int32)
    by_hand = sum(
        (not apart or source[i] != source[j]) and (not with_block or block[i] == block[j])
        for i, j in combinations(range(20), 2)
    )
    assert count_pairs(20, source, block if with_block else None, apart) == by_hand
