"""Is a chain that was stopped and went on the chain that was never stopped?"""

import contextlib

import numpy as np
import pytest

from onoma.progress import NEVER
from onoma.resolve.posterior import copying as copying_module
from onoma.resolve.posterior import sampling
from onoma.resolve.posterior.copying import CopyingSampler
from onoma.resolve.posterior.exclusive import ExclusiveSampler
from onoma.resolve.posterior.linking import LinkingSampler
from onoma.resolve.posterior.sampling import SamplerChain, Tally, WatchedChain, run_chain

N, BURN_IN, SAMPLES = 9, 4, 12
NAMES = ("n_sweeps", "copied", "related", "together", "akin", "n_entities", "roots")
A, B = (side.astype(np.int32) for side in np.triu_indices(N, 1))


class After:
    """Asks to stop once so many sweeps are done, as their task tells it."""

    def __init__(self, n):
        self.left = n

    @contextlib.contextmanager
    def heeded(self):
        yield lambda: self.left <= 0

    def advance(self, n=1, **facts):
        assert facts["entities"] > 0
        self.left -= n


def copying(seed=0):
    """Watched, though it is soon over: by threads, as if it were large."""
    weight = np.exp(np.random.default_rng(0).normal(-1.0, 2.0, len(A)))
    relative = 0.3 * weight
    sampler = CopyingSampler(N, A, B, seed=seed)
    return WatchedChain(
        sampler,
        lambda n, k: sampler.run(weight, relative, n_sweeps=n, n_kept=k),
        lambda n, k, watch: sampler.run(weight, relative, n_sweeps=n, n_kept=k, watch=watch),
    )


def linking(seed=0):
    use = (A < 4) & (B >= 4)
    weight = np.exp(np.random.default_rng(0).normal(0.0, 2.0, int(use.sum())))
    sampler = LinkingSampler(N, A[use], B[use], seed=seed)
    return SamplerChain(sampler, lambda n, k: sampler.run(weight, n_sweeps=n, n_kept=k))


def exclusive(seed=0):
    weight = np.exp(np.random.default_rng(0).normal(-1.0, 2.0, len(A)))
    sampler = ExclusiveSampler(np.arange(N, dtype=np.int32) % 4, A, B, seed=seed)
    return SamplerChain(sampler, lambda n, k: sampler.run(weight, 0.3 * weight, n_sweeps=n, n_kept=k))


@pytest.fixture(autouse=True)
def look_after_every_sweep(monkeypatch):
    monkeypatch.setattr(sampling, "_LOOK_EVERY", 0.0)
    monkeypatch.setenv("ONOMA_THREADS", "2")  # threads that meet hear of it, one that has nobody to meet does later
    monkeypatch.setattr(copying_module, "_WORTH_THREADS", 0)
    monkeypatch.setattr(copying_module, "_WORTH_MEETING", 0)


def tally_of(chain):
    return Tally.empty(N, len(chain.sampler.a), SAMPLES)


def run(chain, tally, stop=NEVER):
    task = stop if isinstance(stop, After) else None
    return run_chain(chain, tally, n_burn_in=BURN_IN, n_samples=SAMPLES, stop=stop, task=task)


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in NAMES)


@pytest.fixture(params=[copying, linking, exclusive])
def make(request):
    return request.param


@pytest.mark.parametrize("every", [0.0, 10.0])
def test_parts_make_the_whole(make, monkeypatch, every):
    """However many sweeps are run at a time, they see what one run sees."""
    monkeypatch.setattr(sampling, "_LOOK_EVERY", every)
    whole = make()
    whole.run(BURN_IN, 0)
    expected = whole.run(SAMPLES, SAMPLES)
    chain = make()
    draws, stopped = run(chain, tally_of(chain))
    assert stopped is None
    for name in NAMES:
        assert np.allclose(getattr(draws, name), getattr(expected, name), rtol=1e-12)


@pytest.mark.parametrize("looks", range(BURN_IN + SAMPLES))
def test_stopped_after_any_sweep_it_goes_on(make, looks):
    chain = make()
    expected, _ = run(chain, tally_of(chain))
    chain = make()
    early, stopped = run(chain, tally_of(chain), After(looks))
    assert stopped.tally.n_done == looks
    if looks > BURN_IN:
        assert early.n_sweeps == len(early.roots) == looks - BURN_IN
        assert np.array_equal(early.roots, expected.roots[: early.n_sweeps])
    else:
        assert early.n_sweeps > 0  # even then there is an answer
    again = make(seed=1)  # its own state must not matter
    again.restore(stopped.state)
    draws, end = run(again, stopped.tally)
    assert end is None
    assert same(draws, expected)


def test_a_state_that_is_not_whole_is_seen():
    """Without the order of the records, a chain of copies goes on elsewhere."""
    chain = copying()
    expected, _ = run(chain, tally_of(chain))
    chain = copying()
    _, stopped = run(chain, tally_of(chain), After(3))
    again = copying(seed=1)
    again.sampler.rng_state[:] = stopped.state["rng_state"]
    draws, _ = run(again, stopped.tally)
    assert not same(draws, expected)


def test_a_small_run_is_watched_too(monkeypatch):
    """In one thread the watch hears of every sweep, and can stop after any."""
    monkeypatch.setattr(copying_module, "_WORTH_MEETING", 1_000_000)
    chain, seen = copying(), []
    draws = chain.run_watched(5, 5, lambda n: seen.append(n) or True)
    assert seen == draws.n_entities.tolist()
    assert draws.n_sweeps == 1
    assert copying().run_watched(5, 5, lambda _: False).n_sweeps == 5
