"""Gated layers, tables, Adam and best trees, written the slow and plain way."""

import itertools
import math


def gate(t):
    return (1 + t / math.sqrt(1 + t * t)) / 2


def gated_layer(sentences, u, x, bias, peep):
    """Return h of both directions; the arrays as in `run_forward`, nothing overwritten."""
    size = len(x[0]) // 2
    h = [[0.0] * (2 * size) for _ in x]
    for begin, end in itertools.pairwise(sentences):
        for d, order in enumerate((range(begin, end), range(end - 1, begin - 1, -1))):
            c = [0.0] * size
            for t in order:
                for j in range(size):
                    z, a, b = (u[t][(3 * d + k) * size + j] for k in range(3))
                    f = gate(a + bias[2 * d][j] + peep[2 * d][j] * c[j])
                    r = gate(b + bias[2 * d + 1][j] + peep[2 * d + 1][j] * c[j])
                    c[j] = f * c[j] + (1 - f) * z
                    h[t][d * size + j] = r * c[j] + (1 - r) * x[t][d * size + j]
    return h


def sums(rows, kept, table):
    out = []
    for numbers, weights in zip(rows, kept, strict=True):
        known = [(n, w) for n, w in zip(numbers, weights, strict=True) if n >= 0]
        out.append([sum(w * table[n][j] for n, w in known) for j in range(len(table[0]))])
    return out


def scattered(rows, kept, given, n_rows):
    out = [[0.0] * len(given[0]) for _ in range(n_rows)]
    for numbers, weights, line in zip(rows, kept, given, strict=True):
        for n, w in zip(numbers, weights, strict=True):
            for j, value in enumerate(line):
                if n >= 0:
                    out[n][j] += w * value
    return out


def adam(weights, gradients, rate, decay, decay_square):
    """Return weights after one step for each gradient."""
    mean = square = 0.0
    for k, g in enumerate(gradients, 1):
        mean, square = decay * mean + (1 - decay) * g, decay_square * square + (1 - decay_square) * g * g
        weights -= rate * (mean / (1 - decay**k)) / (math.sqrt(square / (1 - decay_square**k)) + 1e-8)
    return weights


def is_tree(heads):
    """Say whether heads (0: root, 1 + i: token i) have one root and no circle."""
    for at in range(1, len(heads) + 1):
        seen = set()
        while at:
            if at in seen:
                return False
            seen.add(at)
            at = heads[at - 1]
    return list(heads).count(0) == 1


def best_score(scores):
    """Return the score of the best tree, all heads of all tokens tried."""
    n = len(scores)
    trees = (heads for heads in itertools.product(range(n + 1), repeat=n) if is_tree(heads))
    return max(sum(scores[i][heads[i]] for i in range(n)) for heads in trees)
