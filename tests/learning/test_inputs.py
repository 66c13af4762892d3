import numpy as np
import pytest
import scipy.sparse as sp

from onoma.errors import DataError
from onoma.learning.inputs import as_counts, as_matrix, coded, find_classes


def test_matrices_become_canonical():
    messy = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    clean = as_matrix(messy)
    assert clean.indices.tolist() == [0, 1]
    assert clean.data.tolist() == [2.0, 4.0]
    assert messy.data.tolist() == [1.0, 2.0, 3.0]
    assert as_matrix([1, 0, 2]).shape == (1, 3)
    assert as_matrix(sp.coo_array(np.eye(2))).dtype == np.float64


def test_the_row_at_fault_is_named():
    X = np.zeros((5, 2))
    X[3, 1] = np.nan
    with pytest.raises(DataError, match="row 4.*1 feature values") as caught:
        as_matrix(X)
    assert caught.value.row == 4


def test_classes():
    assert find_classes(np.array(["b", "a", "b"]), None) == ["a", "b"]
    assert find_classes([3, 1], [3, 2, 1]) == [3, 2, 1]
    assert coded(np.array([1, 3]), [3, 2, 1]).tolist() == [2, 0]


def test_counts():
    np.testing.assert_array_equal(as_counts(None, 2), [1.0, 1.0])
    with pytest.raises(DataError, match="row 2"):
        as_counts([1.0, np.inf], 2)
