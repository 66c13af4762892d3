"""The averaged perceptron with the average taken literally: the weights after every sample, added up."""

import numpy as np


def averaged_perceptron(X, y, n_classes, orders, *, margin=0.0, counts=None):
    w = np.zeros((X.shape[1], n_classes))
    total = np.zeros_like(w)
    counts = np.ones(len(y)) if counts is None else counts
    changes = []
    for order in orders:
        n = 0
        for i in order:
            scores = X[i] @ w
            others = [c for c in range(n_classes) if c != y[i]]
            if others:
                rival = max(others, key=lambda c: (scores[c], -c))
                lead = scores[y[i]] - scores[rival]
                if lead < margin or (lead == 0 and rival < y[i]):
                    w[:, y[i]] += counts[i] * X[i]
                    w[:, rival] -= counts[i] * X[i]
                    n += 1
            total += w
        changes.append(n)
    return total / (len(orders) * len(y)), w, changes
