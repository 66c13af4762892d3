"""Slow twins of the kernels of `resolve/fields`: dictionaries, sets and loops."""

import math


def distinct_keys(keys):
    """The distinct keys by first appearance, and the place of each."""
    known = {}
    place = [known.setdefault(key, len(known)) for key in keys]
    return list(known), place


def cosine(x, y, idf):
    """The cosine of two sets of words weighed by idf."""
    shared = sum(idf[t] ** 2 for t in x & y)
    length = math.sqrt(sum(idf[t] ** 2 for t in x) * sum(idf[t] ** 2 for t in y))
    return shared / length if shared else 0.0


def soft_cosine(x, y, idf, alike):
    """As `cosine`; each word of x that y lacks, in order, takes the best free alike word of y."""
    shared = sum(idf[t] ** 2 for t in x & y)
    free = sorted(y - x)
    for s in sorted(x - y):
        gains = [(alike.get(frozenset((s, t)), 0.0) * idf[s] * idf[t], -k, t) for k, t in enumerate(free)]
        gain, _, t = max(gains, default=(0.0, 0, None))
        if gain > 0:
            shared += gain
            free.remove(t)
    length = math.sqrt(sum(idf[t] ** 2 for t in x) * sum(idf[t] ** 2 for t in y))
    return min(shared / length, 1.0) if shared else 0.0


def align(x, y, words, nicknames, slips):
    """How the words (ids in order) of two names meet: equal, nickname, initial, slip, left in x, left in y, whole."""
    free_x, free_y = sorted(x - y), sorted(y - x)
    counts = [len(x & y), 0, 0, 0, 0, 0, sum(len(words[t]) > 1 for t in x & y)]

    def is_initial(s, t):
        return words[s][0] == words[t][0] and (len(words[s]) == 1) != (len(words[t]) == 1)

    tests = ((1, lambda s, t: {s, t} in nicknames), (3, lambda s, t: {s, t} in slips), (2, is_initial))
    for column, test in tests:
        for s in list(free_x):
            t = next((t for t in free_y if test(s, t)), None)
            if t is not None:
                free_x.remove(s)
                free_y.remove(t)
                counts[column] += 1
    counts[4], counts[5] = len(free_x), len(free_y)
    return counts


def deletions(word):
    """A word, and it without each of its letters."""
    return {word} | {word[:i] + word[i + 1 :] for i in range(len(word))}


def trigrams(value):
    """The character trigrams of a padded value."""
    padded = f" {value} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def slips(one: str, other: str) -> int:
    """Return the letters wrong, missing, extra or swapped with the next, by the table of optimal string alignment."""
    d = [[i + j if i * j == 0 else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (one[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
    return d[-1][-1]
