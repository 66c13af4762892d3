"""Samples that are held once where they agree say what an array of all of them says."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from onoma.resolve.posterior.samples import SampledPart, Samples, least_roots


@given(st.integers(1, 4), st.integers(1, 7), st.randoms(use_true_random=False))
def test_samples_are_as_an_array(n_samples, n, random):
    rng = np.random.default_rng(random.randrange(1000))
    dense = np.repeat(np.arange(n, dtype=np.int32)[None], n_samples, axis=0)
    told = np.sort(rng.permutation(n)[: rng.integers(0, n + 1)]).astype(np.int32)
    for i in told:
        if rng.random() < 0.5:
            dense[:, i] = rng.integers(0, n, n_samples)
    halves = np.array_split(rng.permutation(told).astype(np.int32), 2)
    samples = Samples.of_parts(n, [SampledPart.of(half, dense[:, half]) for half in halves], n_samples)
    assert samples.shape == dense.shape
    assert len(samples) == n_samples
    assert np.array_equal(np.asarray(samples), dense)
    assert all(np.array_equal(one, other) for one, other in zip(samples, dense, strict=True))
    columns = rng.integers(0, n, 5)
    assert np.array_equal(samples[:, columns], dense[:, columns])
    assert np.array_equal(samples[0, columns], dense[0, columns])
    assert np.array_equal(np.asarray(samples[::2]), dense[::2])
    assert np.array_equal(samples[-1], dense[-1])
    assert np.array_equal(np.arange(10, n + 10)[samples], dense + 10)
    assert (samples.roots != samples.roots[:1]).any(axis=0).all()
    place, names = rng.integers(0, n, 9).astype(np.int32), rng.permutation(20)[:n].astype(np.int32)
    assert np.array_equal(np.asarray(samples.spread(place, names)), names[dense][:, place])


def test_an_entity_that_never_changes_has_one_name():
    """Two samples of the same entities, named by whichever record came first."""
    roots = np.array([[1, 1, 2, 2], [0, 0, 3, 3]], dtype=np.int32)
    part = SampledPart.of(np.arange(4, dtype=np.int32), least_roots(roots))
    assert not len(part.doubtful)
