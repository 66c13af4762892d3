"""Has it converged, and how much is it worth: R̂, effective sample size, autocorrelation.

Draws come as an array [chain, draw, …]; the answers have the shape of the rest. As recommended by Vehtari, Gelman,
Simpson, Carpenter and Bürkner (2021): chains are split in halves, R̂ is computed on normal scores of the ranks, of the
draws and of their distance from the median, and the larger is reported; the effective sample size sums
autocorrelations as long as neighbouring pairs stay positive and decreasing (Geyer 1992).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from onoma.errors import DataError

__all__ = ["autocorrelation", "effective_sample_size", "r_hat"]


def autocorrelation(draws: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the autocorrelation of each chain at every lag, along the second axis; 1 at lag 0.

    Examples
    --------
    >>> autocorrelation(np.array([[1.0, -1.0, 1.0, -1.0]])).round(2).tolist()
    [[1.0, -0.75, 0.5, -0.25]]
    """
    covariance = _autocovariance(_checked(draws))
    variance = covariance[:, :1]
    return np.where(variance > 0, covariance / np.where(variance > 0, variance, 1.0), 1.0)


def r_hat(draws: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return R̂: how much wider all chains together are than each; near 1 (below 1.01, say) when they agree.

    Draws that never vary have R̂ 1 if all chains sit at the same value, infinity if not.
    """
    values = _split(_checked(draws))
    folded = np.abs(values - np.median(values, axis=(0, 1), keepdims=True))
    return np.maximum(_r_hat(_normal_scores(values)), _r_hat(_normal_scores(folded)))


def effective_sample_size(draws: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return how many independent draws would estimate the mean as well; draws that never vary count in full."""
    values = _split(_checked(draws))
    n_chains, n = values.shape[:2]
    covariance = _autocovariance(values)
    within = np.mean(covariance[:, 0], axis=0) * n / (n - 1)
    pooled = within * (n - 1) / n
    if n_chains > 1:
        pooled = pooled + np.var(np.mean(values, axis=1), axis=0, ddof=1)
    safe = np.where(pooled > 0, pooled, 1.0)
    rho = 1.0 - (within - np.mean(covariance, axis=0) * n / (n - 1)) / safe
    rho[0] = 1.0
    pairs = rho[: n - n % 2].reshape(n // 2, 2, *rho.shape[1:]).sum(axis=1)
    pairs = np.minimum.accumulate(pairs, axis=0) * np.cumprod(pairs > 0, axis=0)
    tau = np.maximum(2.0 * np.sum(pairs, axis=0) - 1.0, 1.0 / np.log10(n_chains * n))
    return np.where(pooled > 0, n_chains * n / tau, float(n_chains * n))


def _checked(draws: NDArray[np.generic]) -> NDArray[np.float64]:
    if draws.ndim < 2 or draws.shape[1] < 4:
        raise DataError(f"draws of shape {draws.shape}; wanted is [chain, draw, …] with 4 draws or more")
    return np.asarray(draws, dtype=np.float64)


def _split(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    n = values.shape[0] * values.shape[1]
    ranks = rankdata(values.reshape(n, -1), axis=0)
    return ndtri((ranks - 0.375) / (n + 0.25)).reshape(values.shape)


def _r_hat(values: NDArray[np.float64]) -> NDArray[np.float64]:
    n = values.shape[1]
    within = np.mean(np.var(values, axis=1, ddof=1), axis=0)
    between = np.var(np.mean(values, axis=1), axis=0, ddof=1)
    # Equal values have variances of rounding size, not 0.
    still = within < 1e-20
    ratio = np.sqrt((n - 1) / n + between / np.where(still, 1.0, within))
    return np.where(still, np.where(between < 1e-20, 1.0, np.inf), ratio)


def _autocovariance(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σ_t x_t x_{t+lag} / n of each centred chain, at every lag, by Fourier transform."""
    n = values.shape[1]
    centred = values - np.mean(values, axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, n=2 * n, axis=1)
    return np.fft.irfft(np.abs(spectrum) ** 2, n=2 * n, axis=1)[:, :n] / n
