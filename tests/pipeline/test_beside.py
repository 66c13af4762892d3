"""What the second process compiles is what the run needs, and it is started only where something is compiled."""

import subprocess

import pytest
from numba import typeof
from numba.core import event

from onoma.corpus.simulate import simulate_authors, simulate_people
from onoma.pipeline import beside
from onoma.pipeline.beside import AT_ONCE, LATER, compile_later, compiled_beside
from onoma.resolve.api import resolve


def test_kernels_are_compiled_for_the_types_that_the_run_gives_them():
    found = resolve(simulate_people(600, seed=1), model="copying", seed=1)
    assert found.posterior is not None and found.quality.calibrated  # checks have a kernel of their own
    unused = []
    for kernel, arguments in LATER["copying"]():
        mine = tuple(typeof(each) for each in arguments)
        if kernel.signatures:
            assert mine in kernel.signatures, kernel.__name__
        else:
            unused.append(kernel.__name__)  # threads are for larger tables
    assert {*unused} <= {"count_and_sample", "new_origins", "new_scratch", "sample_times"}


def test_so_are_those_of_trees():
    found = resolve(simulate_authors(300, seed=1), model="hierarchical", seed=1)
    assert found.quality.precision is not None
    for kernel, arguments in (*LATER["hierarchical"](), *AT_ONCE["hierarchical"]()):
        assert tuple(typeof(each) for each in arguments) in kernel.signatures, kernel.__name__


def test_they_can_all_be_compiled():
    compile_later("copying")
    assert all(kernel.signatures for kernel, _ in LATER["copying"]())


class _Process:
    started = ()

    def __init__(self, line, **_):
        type(self).started = (*self.started, line)
        self.is_ended = False

    def terminate(self):
        self.is_ended = True

    def wait(self):
        assert self.is_ended


@pytest.mark.parametrize(
    ("model", "n_compiled", "n_started"), [("copying", 0, 0), ("copying", 3, 1), ("phylogeny", 3, 0)]
)
def test_a_process_is_started_once_and_only_if_a_kernel_is_compiled(model, n_compiled, n_started, monkeypatch):
    monkeypatch.setattr(beside.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", _Process)
    monkeypatch.setattr(_Process, "started", ())
    with compiled_beside(model):
        for _ in range(n_compiled):
            event.broadcast(event.Event("numba:compile", event.EventStatus.START))
    assert len(_Process.started) == n_started
    event.broadcast(event.Event("numba:compile", event.EventStatus.START))
    assert len(_Process.started) == n_started
