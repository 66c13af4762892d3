"""What the command does not load, and that whoever asks for it gets it."""

import json
import subprocess
import sys

from onoma.cli.light import numba_alone

_LOADED = """
import json, sys
sys.argv = ["onoma", "resolve", sys.argv[1], "--quiet"]
from onoma.cli.app import main
try:
    main()
except SystemExit:
    pass
unwanted = ("scipy", "pandas", "yaml", "cffi", "duckdb", "pyarrow.parquet", "numpy.ma")
print(json.dumps([name for name in unwanted if name in sys.modules]))
"""


def test_a_small_table_is_resolved_without_what_only_looks_useful(tmp_path):
    people = tmp_path / "people.csv"
    rows = [f"{i},{name},{town}" for i, (name, town) in enumerate([("Ann Lee", "Rome"), ("Bo Ek", "Oslo")] * 20)]
    people.write_text("\n".join(["id,name,town", *rows]))
    done = subprocess.run([sys.executable, "-c", _LOADED, str(people)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_numba_multiplies_matrices_although_scipy_was_not_there():
    """Linear algebra in a kernel is looked for again when it is compiled."""
    code = (
        "from onoma.cli.light import numba_alone; numba_alone()\n"
        "import sys; assert 'scipy' not in sys.modules\n"
        "import numba, numpy as np\n"
        "print(numba.njit(lambda a: a @ a)(np.eye(2) * 2.0)[0, 0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "4.0"


def test_what_was_hidden_is_there_afterwards():
    before = [*sys.meta_path]
    numba_alone()
    assert sys.meta_path == before
    import scipy.linalg

    assert scipy.linalg.det([[2.0]]) == 2.0


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


FUNCTIONS = """
import inspect, json
import pyarrow as pa
{before}
import pyarrow.compute as pc
from pyarrow._compute import function_registry
names = sorted({{"and_", "or_", *function_registry().list_functions()}})
told = {{}}
for name in names:
    function = getattr(pc, name, None)
    told[name] = function and [function.__name__, str(inspect.signature(function)), function.__doc__]
print(json.dumps(told))
"""


def test_functions_of_arrow_are_those_it_makes_itself():
    light = run(FUNCTIONS.format(before="from onoma.cli.light import arrow_as_asked; arrow_as_asked()"))
    assert json.loads(light) == json.loads(run(FUNCTIONS.format(before="")))


def test_a_function_of_arrow_is_made_when_it_is_asked_for():
    code = (
        "from onoma.cli.light import arrow_as_asked; arrow_as_asked()\n"
        "import pyarrow.compute as pc\n"
        "print('utf8_upper' in vars(pc), pc.utf8_upper('a'), 'utf8_upper' in vars(pc), hasattr(pc, 'nothing'))"
    )
    assert run(code) == "False A True False"


def test_arrow_takes_memory_from_the_system_unless_something_else_is_said():
    code = (
        "{before}from onoma.cli.light import arrow_as_asked; arrow_as_asked()\n"
        "import pyarrow as pa; print(pa.default_memory_pool().backend_name)"
    )
    clear = "import os; os.environ.pop('ARROW_DEFAULT_MEMORY_POOL', None)\n"
    said = "import os; os.environ['ARROW_DEFAULT_MEMORY_POOL'] = 'mimalloc'\n"
    assert [run(code.format(before=each)) for each in (clear, said)] == ["system", "mimalloc"]


def test_masked_arrays_are_loaded_by_who_asks_for_them():
    code = (
        "from onoma.cli.light import numba_alone; numba_alone()\n"
        "import sys, numpy as np, pyarrow as pa\n"
        "print(np.unique(np.array([2, 1])), pa.array(np.arange(2)).to_pylist(), 'numpy.ma' in sys.modules)\n"
        "masked = np.ma.array([1, 2], mask=[True, False])\n"
        "print(pa.array(masked).to_pylist(), np.ma.is_masked(masked), np.ma is sys.modules['numpy.ma'])"
    )
    assert run(code).splitlines() == ["[1 2] [0, 1] False", "[None, 2] True True"]


def test_scipy_and_pandas_find_the_numpy_that_they_want():
    code = (
        "from onoma.cli.light import numba_alone; numba_alone()\n"
        "import scipy.optimize, pandas, numpy.ma, numpy.testing\n"
        "print(scipy.optimize.brentq(lambda x: x - 2.0, 0.0, 5.0), pandas.DataFrame({'a': [1]}).shape)"
    )
    assert run(code) == "2.0 (1, 1)"
