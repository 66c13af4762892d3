import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.union_find import components, find_inplace, spanning_forest, union_inplace
from reference import clustering as twin


@given(st.integers(1, 30), st.data())
def test_components_agree_with_the_twin(n, data):
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
    a = np.array([x for x, _ in pairs], dtype=np.int64)
    b = np.array([y for _, y in pairs], dtype=np.int64)
    assert components(n, a, b).tolist() == twin.components(n, a, b)


@given(st.integers(1, 12), st.data())
def test_a_spanning_forest_holds_what_the_edges_before_do_not_join(n, data):
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    joins = spanning_forest(n, a, b)
    for e in range(len(pairs)):
        first = twin.components(n, a[:e], b[:e])
        assert joins[e] == (first[a[e]] != first[b[e]])


def test_union_says_whether_they_were_apart():
    parent = np.arange(4)
    assert union_inplace(parent, 2, 3)
    assert union_inplace(parent, 3, 1)
    assert not union_inplace(parent, 1, 2)
    assert find_inplace(parent, 3) == 1
