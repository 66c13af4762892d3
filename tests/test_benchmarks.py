"""Benchmarks run by hand: that each still finds what it measures."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from benchmarks.measure import in_fresh_process

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("bench_*.py")))
def test_a_benchmark_can_be_loaded(name):
    try:
        module = importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as missing:
        if str(missing.name).split(".")[0] in ("onoma", "benchmarks"):
            raise
        pytest.skip(f"needs {missing.name}, which comes with make bench")
    assert callable(module.run)


def test_memory_is_that_of_the_new_process_not_of_this_one():
    held = np.ones(25_000_000)
    assert in_fresh_process("x = 1")["peak_mb"] < held.nbytes / 1e6 / 2
