"""Benchmarks run by hand: that each still finds what it measures."""

import importlib
from pathlib import Path

import pytest

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
