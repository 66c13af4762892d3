"""Are the pairs asked about those whose answer settles most?"""

import numpy as np
import pytest

from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge
from onoma.kb.review import doubts, pair_worth


def samples(*labels):
    array = np.array(labels)
    return array[:, :, None] == array[:, None, :]


def test_what_is_sure_is_worth_nothing():
    assert pair_worth(samples([0, 0, 1], [0, 0, 1]), 0, 1) == 0
    assert pair_worth(samples([0, 0, 1], [0, 0, 1]), 0, 2) == 0


def test_an_answer_that_settles_more_is_worth_more():
    """Of two groups of even odds, the one with five records hangs on the same answer as a pair does."""
    pair = samples([0, 0], [0, 1])
    five = samples([0, 0, 0, 0, 0], [0, 0, 1, 1, 1])
    assert pair_worth(five, 0, 2) > pair_worth(pair, 0, 1)
    assert pair_worth(five, 0, 1) == pytest.approx(0.0)


def test_even_odds_are_worth_more_than_long_ones():
    assert pair_worth(samples([0, 0], [0, 1]), 0, 1) > pair_worth(samples([0, 0], [0, 1], [0, 1], [0, 1]), 0, 1)


def test_an_answer_never_makes_it_worse():
    rng = np.random.default_rng(1)
    for _ in range(50):
        drawn = samples(*rng.integers(0, 3, (20, 5)))
        assert pair_worth(drawn, 0, 1) >= -1e-12


def test_the_worthiest_first_and_none_twice(kb):
    with read_knowledge_base(kb) as base:
        found = doubts(base, most=20)
        assert found
        assert [each.worth for each in found] == sorted((each.worth for each in found), reverse=True)
        assert all(0.019 < each.probability < 0.981 for each in found)
        first = found[0]
        assert (first.a, first.b) not in [(each.a, each.b) for each in doubts(base, most=20, skip=[(first.b, first.a)])]
        apart = doubts(base, most=20, one_of_each=True)
        assert apart[0] == first
        keys = [key for each in apart for key in (each.a, each.b)]
        assert len(keys) == len(set(keys))
    judge(kb, [Said("same", first.a, first.b)])
    with read_knowledge_base(kb) as base:
        assert (first.a, first.b) not in [(each.a, each.b) for each in doubts(base, most=50)]
