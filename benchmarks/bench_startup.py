"""What it costs to begin: processor seconds of a new interpreter, once byte-compiled, and what it has loaded by then.

`peer` is the same interpreter with nothing to do. The best of some runs is taken, for a loaded machine only adds.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Measurement

HEAVY = ("numba", "scipy", "duckdb", "pyarrow", "numpy", "pandas", "altair")
_AFTER = f"""
import json, resource, sys
used = resource.getrusage(resource.RUSAGE_SELF)
loaded = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps({{"seconds": used.ru_utime + used.ru_stime, "loaded": loaded}}), file=sys.stderr)
"""
_COMMAND = """
import sys
sys.argv = ["onoma", {option!r}]
try:
    from onoma.__main__ import main
    main()
except SystemExit:
    pass
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    repeat = 2 if quick else 10
    nothing, _ = _best("", repeat)
    for name, code in (
        ("import onoma", "import onoma"),
        ("onoma --version", _COMMAND.format(option="--version")),
        ("onoma --help", _COMMAND.format(option="--help")),
    ):
        took, loaded = _best(code, repeat)
        about = f"best of {repeat}; loaded: {', '.join(loaded) or 'nothing heavy'}"
        yield Measurement(f"startup/{name}", took, nothing, None, "s of processor", about, peer_name="python -c ''")


def _best(code: str, repeat: int) -> tuple[float, list[str]]:
    """Return the least processor time of fresh interpreters, after one that compiles, and what they had loaded."""
    told = []
    for _ in range(repeat + 1):
        done = subprocess.run(
            [sys.executable, "-c", code + _AFTER], capture_output=True, text=True, check=True, env={**os.environ}
        )
        told.append(json.loads(done.stderr.splitlines()[-1]))
    best = min(told[1:], key=lambda each: each["seconds"])
    return best["seconds"], best["loaded"]
