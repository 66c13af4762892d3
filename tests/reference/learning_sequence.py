"""Slow twins of the kernels of `learning.sequence`: every path of a sentence, one by one."""

import itertools

import numpy as np


def path_score(ids, w, a, path):
    total, before = 0.0, w.shape[1]
    for row, y in zip(ids, path, strict=True):
        total += sum(float(w[f, y]) for f in row if f >= 0) + a[before, y]
        before = y
    return total


def paths(ids, w, a):
    """Every path with its probability."""
    every = list(itertools.product(range(w.shape[1]), repeat=len(ids)))
    scores = np.array([path_score(ids, w, a, path) for path in every])
    chances = np.exp(scores - scores.max())
    return every, scores, chances / chances.sum()


def best_path(ids, w, a):
    every, scores, _ = paths(ids, w, a)
    return list(every[int(np.argmax(scores))])


def label_marginals(ids, w, a):
    every, _, chances = paths(ids, w, a)
    out = np.zeros((len(ids), w.shape[1]))
    for path, chance in zip(every, chances, strict=True):
        out[np.arange(len(ids)), path] += chance
    return out


def stretch_probability(ids, w, a, first, labels):
    every, _, chances = paths(ids, w, a)
    kept = [list(path[first : first + len(labels)]) == list(labels) for path in every]
    return float(chances[kept].sum())


def log_likelihood(ids, w, a, path):
    _, scores, _ = paths(ids, w, a)
    top = scores.max()
    return path_score(ids, w, a, path) - top - np.log(np.exp(scores - top).sum())
