import numpy as np

from onoma.resolve.fields.kinds.place import Place


def test_an_address_may_leave_out_between_which_streets_a_house_stands():
    raw = ["854 7th Ave. between 54th and 55th Sts.", "854 Seventh Ave.", "12 54th St.", "12 55th St."]
    comparison = Place().prepare(Place().normalise(raw), np.ones(4, np.int64))
    found = comparison.compare(np.array([0, 2], np.int32), np.array([1, 3], np.int32))
    different = len(comparison.levels) - 1
    assert found[0] < different
    assert found[1] == different
