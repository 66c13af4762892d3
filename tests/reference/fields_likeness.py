"""The slow twin of `fields/kinds/_likeness_kernels.py`."""

import numpy as np


def shared_and_left_slow(a, b, bags, bits, digit, alike):
    """Return what pairs of bags share and what is left of each, with sets and loops."""
    rows = []
    for one, other in zip(a.tolist(), b.tolist(), strict=True):
        x, y = (bags.ids[bags.offsets[v] : bags.offsets[v + 1]].tolist() for v in (one, other))
        worth = [bits[t] for t in x if t in y]
        free_x, free_y = [t for t in x if t not in y], [t for t in y if t not in x]
        left_x = []
        for s in free_x:
            near = range(alike.offsets[s], alike.offsets[s + 1])
            gains = [
                (alike.similarity[r] * min(bits[s], bits[alike.ids[r]]), alike.ids[r])
                for r in near
                if alike.ids[r] in free_y
            ]
            if gains:
                gain, t = max(gains, key=lambda each: each[0])
                worth.append(gain)
                free_y.remove(t)
            else:
                left_x.append(s)
        sides = [_side(bag, left, bits, digit) for bag, left in ((x, left_x), (y, free_y))]
        low, high = np.minimum(*sides), np.maximum(*sides)
        norm = max(np.sqrt(sides[0][4] * sides[1][4]), 1e-9)
        squares = sum(w * w for w in worth) / norm
        rows.append([sum(worth), squares, low[0], high[0], low[1], low[2], high[2], low[3], high[3]])
    return np.array(rows)


def _side(bag, left, bits, digit):
    every = [bits[t] for t in bag]
    rare = max((bits[t] for t in left), default=0.0)
    figure = max((bits[t] for t in left if digit[t]), default=0.0)
    return np.array([sum(bits[t] for t in left), rare, figure, sum(every), sum(w * w for w in every)])


def sum_trees_slow(signs, trees):
    """Return the sums of the leaves that rows come to, tree by tree and step by step."""

    def leaf(row, start):
        at = start
        while trees.sign[at] >= 0:
            goes_left = row[trees.sign[at]] <= trees.threshold[at]
            at = start + int(trees.left[at] if goes_left else trees.right[at])
        return trees.value[at]

    return np.array([sum(leaf(row, start) for start in trees.starts[:-1].tolist()) for row in signs])
