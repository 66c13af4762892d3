"""The textbook's higher-order orthogonal iteration, on a dense tensor (documents × words × relations)."""

import numpy as np


def hooi(tensor, rank, n_iter=200):
    """Return U, V and the cores, R3 = the number of relations, from the truncated HOSVD."""
    d, n, m = tensor.shape
    U = np.linalg.svd(tensor.reshape(d, n * m), full_matrices=False)[0][:, :rank]
    V = np.linalg.svd(tensor.transpose(1, 0, 2).reshape(n, d * m), full_matrices=False)[0][:, :rank]
    for _ in range(n_iter):
        U = np.linalg.svd(np.einsum("dnm,nr->drm", tensor, V).reshape(d, -1), full_matrices=False)[0][:, :rank]
        V = np.linalg.svd(np.einsum("dnm,dr->nrm", tensor, U).reshape(n, -1), full_matrices=False)[0][:, :rank]
    return U, V, np.einsum("dnm,dr,ns->mrs", tensor, U, V)
