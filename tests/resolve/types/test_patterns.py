import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.types.patterns import FEWEST_ROWS, filled_cells, find_patterns

NAMES = ["name", "born", "email", "vat", "founded"]
PEOPLE, FIRMS = [1, 1, 1, 0, 0], [1, 0, 0, 1, 1]


def rows_of(*shapes):
    return np.concatenate([np.tile(np.array(shape, dtype=np.bool_), (n, 1)) for shape, n in shapes])


def test_two_types_fill_columns_of_their_own():
    filled = rows_of((PEOPLE, 400), (FIRMS, 300))
    order = np.random.default_rng(0).permutation(700)
    found = find_patterns(filled[order], NAMES)
    assert sorted((len(each.rows), each.own) for each in found) == [(300, ("vat", "founded")), (400, ("born", "email"))]
    for each in found:
        assert len(set((order[each.rows] < 400).tolist())) == 1


def test_types_are_found_among_missing_values_and_slips():
    rng = np.random.default_rng(1)
    filled = rows_of((PEOPLE, 1500), (FIRMS, 500)) & (rng.random((2000, 5)) < 0.75)
    filled[rng.integers(0, 1500, 5), 3] = True  # a firm's number in a person's row
    found = find_patterns(filled, NAMES)
    assert [len(each.rows) for each in found] == pytest.approx([1500, 500], abs=60)
    for each in found:
        assert np.mean((each.rows < 1500) == (each.rows[0] < 1500)) > 0.95


def test_three_types():
    filled = rows_of(([1, 1, 0, 0, 0], 300), ([1, 0, 1, 0, 0], 300), ([1, 0, 0, 1, 1], 300))
    assert [each.own for each in find_patterns(filled, NAMES)] == [("born",), ("email",), ("vat", "founded")]


@pytest.mark.parametrize("seed", range(5))
def test_values_missing_at_random_make_no_types(seed):
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.05, 1.0, 8)
    assert find_patterns(rng.random((1000, 8)) < share, [f"c{i}" for i in range(8)]) == []


def test_a_column_that_only_some_rows_have_makes_no_types():
    filled = rows_of(([1, 1, 1, 0, 0], 500), ([1, 1, 1, 1, 1], 500))
    assert find_patterns(filled, NAMES) == []


def test_few_rows_make_no_type():
    assert find_patterns(rows_of((PEOPLE, 1000), (FIRMS, FEWEST_ROWS - 1)), NAMES) == []
    assert len(find_patterns(rows_of((PEOPLE, 1000), (FIRMS, FEWEST_ROWS)), NAMES)) == 2


def test_sparse_columns_that_miss_each_other_by_accident_make_no_types():
    filled = rows_of((PEOPLE, 5000))
    filled[:110, 3] = True
    filled[200:310, 4] = True
    assert find_patterns(filled, NAMES) == []


def test_an_empty_text_is_no_value():
    table = pa.table({"a": ["x", "", None], "b": pa.array([1, None, 3])})
    assert filled_cells(table).tolist() == [[True, True], [False, False], [False, True]]
