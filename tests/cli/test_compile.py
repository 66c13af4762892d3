"""Kernels are compiled ahead by doing a little of each kind of work."""

from onoma.pipeline import warming
from onoma.pipeline.warming import WORK
from onoma.resolve.registry import model_names


def test_every_model_that_has_kernels_is_made_ready():
    assert {*WORK} == {*model_names()} - {"correlation", "exact-match"}  # which have none of their own


def test_what_is_named_is_compiled_and_its_kernels_are_told(onoma, monkeypatch):
    def work(job, **_):
        assert job.config.model in ("copying", "phylogeny")
        costs["onoma.some.kernel"] = 2.5

    def costing(kernels):
        nonlocal costs
        costs = kernels
        return real(kernels)

    costs, real = {}, warming.compile_costs
    monkeypatch.setattr(warming, "run_job", work)
    monkeypatch.setattr(warming, "compile_costs", costing)
    found = onoma("compile copying phylogeny --json").json
    assert list(found["work"]) == ["copying", "phylogeny"] and found["kernels"] == {"onoma.some.kernel": 2.5}
    told = onoma("compile copying")
    assert "copying: 1 kernels compiled in 2.5 s" in told.out and "onoma.some.kernel" in told.out
    refused = onoma("compile poetry")
    assert refused.code != 0 and "copying" in refused.err
