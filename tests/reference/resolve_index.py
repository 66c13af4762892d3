"""Slow twins of the kernels that find what new records share with old ones."""

from collections import Counter


def new_pairs(one, other, first, hot):
    """The records that share a pair of values with one from the first on: {(value, value): records}."""
    keys = [(a, b) if a >= 0 and b >= 0 else None for a, b in zip(one, other, strict=True)]
    wanted = {key for key in keys[first:] if key is not None}
    counts = Counter(keys)
    return {key: [i for i, mine in enumerate(keys) if mine == key] for key in wanted if 1 < counts[key] <= hot}
