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


CONTAINED = """
import numba as nb, numpy as np
from onoma.numerics.kernels import inner

@inner
def doubled(values, scale):
    top = 0.0
    for i in range(len(values)):
        values[i] *= 2.0 * scale
        top = max(top, values[i])
    return top

@inner
def twice(values):
    return doubled(values, 1.0) + doubled(values, 0.5) / len(values)

@nb.njit(cache=True)
def outer(values):
    return twice(values)

@nb.njit(cache=True)
def around(values):
    return outer(values) + doubled(values, 1.0)
"""
CALLED = """
{before}
import numpy as np, contained
print(contained.outer(np.array([1.0, 3.0])), contained.around(np.array([1.0, 3.0])))
try:
    contained.outer(np.empty(0))
except ZeroDivisionError as error:
    print(error)
print({asked})
"""
LIGHT = "from onoma.cli.light import numba_alone; numba_alone()"


def test_functions_without_a_door_to_python_are_contained_in_kernels(tmp_path):
    """Compiled and from the cache, errors that they raise among it; machine code is made of the outermost alone."""
    (tmp_path / "contained.py").write_text(CONTAINED)
    code = "next(iter(contained.doubled.overloads.values())).library._is_inner"
    lightly = run(CALLED.format(before=LIGHT, asked=code), tmp_path)
    assert lightly[0] == "9.0 21.0"
    assert lightly[1] == "division by zero"
    assert lightly[2] == "True"
    for before in (LIGHT, ""):
        assert run(CALLED.format(before=before, asked="len(contained.doubled.overloads)"), tmp_path)[:2] == lightly[:2]


def test_a_function_that_is_asked_for_by_its_address_is_made(tmp_path):
    """Whoever does want the machine code of a function that was put together only gets it."""
    (tmp_path / "contained.py").write_text(CONTAINED)
    asked = (
        "(lambda made: made.library.get_pointer_to_function(made.fndesc.llvm_func_name) != 0)"
        "(next(iter(contained.doubled.overloads.values())))"
    )
    assert run(CALLED.format(before=LIGHT, asked=asked), tmp_path)[2] == "True"
