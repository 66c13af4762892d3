"""Arrays made without Pandas are those that Arrow would make."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.arrays import array_of


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", None, "ü", ""], pa.string()),
        ([], pa.string()),
        (["a", None], pa.large_string()),
        ([1, 2, 3], pa.int32()),
        ([], pa.int64()),
        (np.arange(5, dtype=np.int64), pa.int32()),
        (np.arange(10, dtype=np.int64)[::2], pa.int64()),
        (np.array([0.5, 1.5]), pa.float64()),
        ([1.5, None], pa.float64()),
        ([True, None, False], pa.bool_()),
        (pa.array(["a", "b"]), pa.string()),
    ],
)
def test_what_arrow_would_make(values, kind):
    found = array_of(values, kind)
    found.validate(full=True)
    assert found.type == kind
    assert found.equals(pa.array(values, kind))


def test_numbers_that_do_not_fit_are_refused():
    with pytest.raises(pa.ArrowInvalid):
        array_of(np.array([1 << 40]), pa.int32())


def test_pandas_stays_out():
    code = (
        "import sys, numpy as np, pyarrow as pa\n"
        "from onoma.corpus.arrays import array_of\n"
        "array_of(['a', None], pa.string()), array_of(np.arange(3), pa.int32())\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
