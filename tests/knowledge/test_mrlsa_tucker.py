import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.knowledge.mrlsa_tensor import SparseSlices
from onoma.knowledge.mrlsa_tucker import orthonormal, tucker
from reference.tucker import hooi


def random_tensor(seed, d=14, n=11, m=3, noise=0.05):
    """A tensor of multilinear rank 3 with noise, so that the best factors are well separated."""
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((size, 3)))[0] for size in (d, n))
    S = rng.standard_normal((m, 3, 3)) * np.array([4.0, 2.0, 1.0])[:, None]
    return np.einsum("kij,di,nj->dnk", S, U, V) + noise * rng.standard_normal((d, n, m))


def slices_of(tensor):
    return SparseSlices([sp.csr_array(tensor[:, :, k].astype(np.float32)) for k in range(tensor.shape[2])])


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_it_agrees_with_dense_orthogonal_iteration(seed):
    tensor = random_tensor(seed)
    U, V, cores = hooi(tensor, 3)
    found = tucker(slices_of(tensor), 3, max_iter=200, tolerance=1e-7, oversample=0)
    assert np.sum(found.cores**2) == pytest.approx(np.sum(cores**2), rel=1e-3)
    # The same spaces: all of U lies in the span of ours.
    np.testing.assert_allclose(np.linalg.norm(found.documents.T @ U), np.sqrt(3), rtol=2e-2)
    np.testing.assert_allclose(np.linalg.norm(found.words.T @ V), np.sqrt(3), rtol=2e-2)


def test_one_slice_is_the_truncated_svd():
    matrix = random_tensor(1, m=1)[:, :, 0]
    found = tucker(slices_of(matrix[:, :, None]), 2, max_iter=100, tolerance=1e-8)
    u, s, vt = np.linalg.svd(matrix)
    approximation = found.documents @ found.cores[0] @ found.words.T
    np.testing.assert_allclose(approximation, (u[:, :2] * s[:2]) @ vt[:2], atol=1e-3)


def test_full_rank_gives_the_tensor_back():
    tensor = random_tensor(2, d=6, n=6, m=2)
    found = tucker(slices_of(tensor), 6)
    for k in range(2):
        np.testing.assert_allclose(found.documents @ found.cores[k] @ found.words.T, tensor[:, :, k], atol=1e-4)


def test_the_energy_never_falls_and_the_same_seed_gives_the_same_bytes():
    slices = slices_of(random_tensor(3, noise=0.5))
    found = tucker(slices, 4, max_iter=30, tolerance=0.0)
    energies = np.array([point.energy for point in found.trace])
    assert np.all(np.diff(energies) >= -1e-4 * energies[-1])
    again = tucker(slices, 4, max_iter=30, tolerance=0.0)
    assert found.words.tobytes() == again.words.tobytes()


@pytest.mark.parametrize("rank", [0, 12])
def test_a_rank_beyond_the_words_is_refused(rank):
    with pytest.raises(SettingsError, match=f"rank is {rank}; with 14 documents and 11 words it is from 1 to 11"):
        tucker(slices_of(random_tensor(0)), rank)


def test_directions_that_are_not_there_become_zero():
    column = np.arange(1, 6, dtype=np.float32)[:, None]
    basis = orthonormal(np.hstack([column, 2 * column]))
    np.testing.assert_allclose(np.linalg.norm(basis, axis=0), [1, 0], atol=1e-3)
