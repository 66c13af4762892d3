"""Kernels from the cache, read as machine code: they run, they can be put into new ones, and call themselves."""

import subprocess
import sys
from pathlib import Path

KERNELS = """
import numba as nb

@nb.njit(cache=True)
def add(a, b):
    return a + b

@nb.njit(cache=True)
def count_down(n):
    return 0 if n <= 0 else 1 + count_down(n - 1)

@nb.njit(cache=True)
def add_twice(a, b):
    return add(a, b) + add(b, a)
"""
FIRST = "import kernels; print(kernels.add(1, 2), kernels.count_down(5))"
AGAIN = """
from onoma.cli.light import numba_alone
numba_alone()
import sys
import kernels
print(kernels.add(1, 2), kernels.count_down(5), "numba.np.random.generator_methods" in sys.modules)
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
print(kernels.add_twice(3, 4), compiled)
print(type(next(iter(kernels.add.overloads.values())).library).__module__)
"""


def run(code: str, folder: Path) -> list[str]:
    environment = {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": ":".join([str(folder), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_what_is_in_the_cache_runs_and_is_put_into_new_kernels(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    assert run(FIRST, tmp_path) == ["3 5"]
    again = run(AGAIN, tmp_path)
    assert again == ["3 5 False", "14 ['add_twice']", "onoma.cli.kernel_loading"]
    assert run(AGAIN, tmp_path)[1] == "14 []"
