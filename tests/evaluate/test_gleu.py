import math

import pytest

from onoma.errors import DataError
from onoma.evaluate.gleu import gleu

SOURCE = ["He", "go", "to", "school", "in", "every", "day", "."]
RIGHT = ["He", "goes", "to", "school", "every", "day", "."]


def test_by_hand():
    # h = s: of 8 words 6 are the reference's and 2 (go, in) are lost, so 4 of 8 count; of 7 bigrams 3 − 4 < 0: none.
    assert gleu([SOURCE], [SOURCE], [[RIGHT]]) == 0
    h = ["He", "goes", "to", "school", "in", "every", "day", "."]
    # 1: 7 − 1 of 8; 2: 5 − 2 of 7; 3: 3 − 2 of 6 (He goes to, goes to school, every day .; in every day: lost twice)
    p = [6 / 8, 3 / 7, (3 - 3) / 6]
    assert gleu([SOURCE], [h], [[RIGHT]]) == (math.exp(sum(map(math.log, p)) / 4) if all(p) else 0)


def test_the_reference_itself_is_perfect_and_a_short_one_is_not():
    assert gleu([SOURCE], [RIGHT], [[RIGHT]]) == pytest.approx(1)
    assert gleu([SOURCE], [RIGHT[:-1]], [[RIGHT]]) == pytest.approx(math.exp(1 - 7 / 6))


def test_several_references_are_drawn_from():
    other = ["He", "goes", "to", "school", "each", "day", "."]
    both = gleu([SOURCE] * 40, [RIGHT] * 40, [[RIGHT, other]] * 40)
    one, two = (gleu([SOURCE] * 40, [RIGHT] * 40, [[each]] * 40) for each in (RIGHT, other))
    assert two < both < one
    assert both == gleu([SOURCE] * 40, [RIGHT] * 40, [[RIGHT, other]] * 40)


def test_what_does_not_pair_up_is_refused():
    with pytest.raises(DataError, match="must pair up"):
        gleu([SOURCE], [RIGHT, RIGHT], [[RIGHT]])
    with pytest.raises(DataError, match="needs a reference"):
        gleu([SOURCE], [RIGHT], [[]])
