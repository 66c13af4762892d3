"""Maximum entropy written for the reader: dense arrays, every sum in the open."""

import numpy as np


def product_features(X, n_classes, w_ptr, w_class):
    """f_t(x, y) of a product problem, contexts × classes × weights."""
    features = np.zeros((len(X), n_classes, w_ptr[-1]))
    for p in range(X.shape[1]):
        for t in range(w_ptr[p], w_ptr[p + 1]):
            y = w_class[t] if len(w_class) else t - w_ptr[p]
            features[:, y, t] = X[:, p]
    return features


def log_partition(features, counts, w):
    return sum(c * np.log(np.exp(f @ w).sum()) for f, c in zip(features, counts, strict=True))


def expectations(features, counts, w):
    total = np.zeros(features.shape[2])
    for f, c in zip(features, counts, strict=True):
        p = np.exp(f @ w)
        total += c * (p / p.sum()) @ f
    return total


def objective(features, chosen, w, *, variance, l1=0.0):
    counts = chosen.sum(axis=1)
    observed = np.einsum("xy,xyt->t", chosen, features)
    return log_partition(features, counts, w) - w @ observed + (w @ w) / (2 * variance) + l1 * np.abs(w).sum()


def gradient(features, chosen, w, *, variance):
    observed = np.einsum("xy,xyt->t", chosen, features)
    return expectations(features, chosen.sum(axis=1), w) - observed + w / variance


def newton_block(features, chosen, w, block, *, variance, whole):
    """One `cd` step on the weights of one input feature.

    Newton with the curvature x² P_y (1 + M - 2 P_y), where M is the probability of the block's classes, or 1 (`whole`).
    """
    slope = gradient(features, chosen, w, variance=variance)[block]
    bend = np.zeros(len(block))
    for f, c in zip(features, chosen.sum(axis=1), strict=True):
        p = np.exp(f @ w)
        p /= p.sum()
        for j, t in enumerate(block):
            for y in np.flatnonzero(f[:, t]):
                mass = 1.0 if whole else sum(p[z] for z in range(len(p)) if f[z, block].any())
                bend[j] += c * f[y, t] ** 2 * p[y] * (1 + mass - 2 * p[y])
    return -slope / (bend + 1 / variance)
