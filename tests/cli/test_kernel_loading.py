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


TYPED = """
{before}
import numba as nb, numpy as np

@nb.njit
def mixed(small, wide, bits, share, flags):
    total, count = 0.0, 0
    for i in range(len(small)):
        count += small[i] + 1
        count -= small[i] // 2 if flags[i] else -small[i] % 3
        total += share[i] * small[i] + wide[i] / (1 + abs(small[i]))
        total += float(bits[i] >> np.uint64(3)) - max(share[i], np.float32(0.5)) + min(wide[i], 7)
        wide[i] += small[i]
        bits[i] ^= np.uint64(small[i] & 15) * np.uint64(5)
    return total, count, small[0] + wide[0], share[0] * wide[0], bits[0] + np.uint64(1), flags.any() and small[0] < 3

@nb.njit(error_model="numpy")
def divided(a, b):
    return a / b, a + b

arrays = (
    np.array([1, -2, 3], np.int8), np.array([5, -6, 7]), np.array([9, 10, 11], np.uint64),
    np.array([0.25, 0.5, 0.75], np.float32), np.array([True, False, True]),
)
print(mixed(*arrays), [each.tolist() for each in arrays])
print(divided(1, 0), divided(1.5, 2), divided(np.float32(1), np.int8(2)))
for kernel in (mixed, divided):
    print(*[(args, kernel.overloads[args].signature.return_type) for args in kernel.signatures], sep="\\n")
    print([len(text.splitlines()) for text in kernel.inspect_llvm().values()])
"""


def test_kernels_are_typed_as_numba_types_them(tmp_path):
    """What is remembered while compiling changes no type and no result."""
    light = "from onoma.cli.light import numba_alone; numba_alone()"
    assert run(TYPED.format(before=light), tmp_path) == run(TYPED.format(before=""), tmp_path)
