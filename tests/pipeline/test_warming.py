"""What each kernel costs to compile, without those that it calls; and that work once done compiles nothing."""

import numba

from onoma.pipeline import warming
from onoma.pipeline.warming import compile_ahead, compile_costs


def test_a_kernel_is_told_without_those_it_calls(monkeypatch):
    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return inner(x) * 2

    costs = {}
    with compile_costs(costs):
        assert outer(3) == 8
    names = [name.rpartition(".")[2] for name in costs]
    assert sorted(names) == ["inner", "outer"] and all(seconds > 0 for seconds in costs.values())
    again = {}
    with compile_costs(again):
        outer(4)
    assert again == {}


def test_work_is_done_once_for_each_model(monkeypatch):
    monkeypatch.setattr(warming, "_ROWS", 60)
    (found,) = compile_ahead(("copying",))
    assert found.work == "copying" and found.seconds >= found.compiling
    (again,) = compile_ahead(("copying",))
    assert again.kernels == {}, "what was compiled is there"
