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
print(json.dumps([name for name in ("scipy", "pandas", "yaml", "cffi") if name in sys.modules]))
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
