import numpy as np
import pytest
from numba.core.errors import NumbaError

from onoma.numerics.kernels import lean


def test_a_lean_kernel_works_in_place():
    @lean
    def double_inplace(values):
        for i in range(len(values)):
            values[i] *= 2.0

    values = np.arange(3.0)
    double_inplace(values)
    assert values.tolist() == [0.0, 2.0, 4.0]


def test_a_kernel_that_allocates_does_not_compile():
    @lean
    def copy(values):
        return values.copy()

    with pytest.raises(NumbaError):
        copy(np.arange(3.0))
