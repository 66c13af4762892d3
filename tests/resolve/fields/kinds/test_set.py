"""Sets: elements in one order, met softly."""

import numpy as np

from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.fields.kinds.set import alike_elements
from reference.levels import features


def test_sets_share_people_written_in_two_ways():
    kind = KINDS["set"]
    values = kind.normalise(["A. Gupta, Mary Ann Lee", "Ajay Gupta, M. A. Lee", "Ajay Gupta and X. Wu", "Y. Wu"])
    assert values[0] == "a gupta; mary ann lee"
    comparison = kind.prepare(values, np.ones(4, np.int64))
    one, half, none = comparison.compare(np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32))
    assert comparison.levels[one] == "≥ 0.85"
    assert one < half < none
    assert comparison.levels[none] == "different"


def test_the_order_of_elements_means_nothing():
    assert len(set(KINDS["set"].normalise(["red; green; blue", "blue; red; green"]))) == 1


def test_an_initial_is_alike_a_name_and_a_stranger_is_not():
    alike = alike_elements(["a gupta", "ajay gupta", "ajay kumar"])
    near = {int(each) for each in alike.ids[alike.offsets[0] : alike.offsets[1]]}
    assert 1 in near and 2 not in near


def test_sets_that_share_a_person_share_a_feature():
    one, two, three = features("set", "A. Gupta, M. Lee", "Ajay Gupta, X. Wu", "Y. Zhao, Z. Ng")
    assert one & two and not one & three
