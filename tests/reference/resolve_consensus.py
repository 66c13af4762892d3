"""Slow twins of the consensus: shares over samples, the gain of a partition, the best one of all."""

import itertools

import numpy as np

from reference.resolve_enumeration import partitions


def co_membership(roots, members):
    """The share of samples in which two members have one root."""
    return np.array([[np.mean([sample[i] == sample[j] for sample in roots]) for j in members] for i in members])


def gain_of(s, labels, threshold):
    """The sum over pairs held together of (share - threshold)."""
    pairs = itertools.combinations(range(len(labels)), 2)
    return sum(s[i, j] - threshold for i, j in pairs if labels[i] == labels[j])


def expected_loss(roots, labels, threshold):
    """The mean over samples of: threshold for each pair wrongly together, 1 - threshold for each wrongly apart."""
    loss = 0.0
    for sample in roots:
        for i, j in itertools.combinations(range(len(labels)), 2):
            together, truly = labels[i] == labels[j], sample[i] == sample[j]
            loss += threshold * (together and not truly) + (1 - threshold) * (truly and not together)
    return loss / len(roots)


def best_gain(s, threshold):
    """The greatest gain of any partition."""
    return max(gain_of(s, labels, threshold) for labels in partitions(len(s)))


def improvements(s, labels, threshold):
    """What each move of a record, to another entity or alone, and each joining of two entities would add."""
    here = gain_of(s, labels, threshold)
    moves = itertools.product(range(len(labels)), {*labels, max(labels) + 1})
    worlds = [[*labels[:i], label, *labels[i + 1 :]] for i, label in moves]
    for one, other in itertools.combinations(set(labels), 2):
        worlds.append([one if label == other else label for label in labels])
    return [gain_of(s, world, threshold) - here for world in worlds]


def places(s, labels):
    """The mean share with the others of one's entity; alone, what the strongest claim leaves."""
    found = []
    for i in range(len(labels)):
        others = [s[i, j] for j in range(len(labels)) if j != i and labels[j] == labels[i]]
        rivals = [s[i, j] for j in range(len(labels)) if j != i]
        found.append(np.mean(others) if others else 1.0 - max(rivals, default=0.0))
    return found


def information_loss(roots, labels, threshold):
    """The mean variation of information from the samples, in bits times records.

    Entities of the answer that samples part cost twice the threshold, those of samples that the answer parts the rest.
    """
    return np.mean([2 * threshold * _left(labels, row) + 2 * (1 - threshold) * _left(row, labels) for row in roots])


def _left(labels, others):
    """The bits that labels leave open of the others, over all records."""
    total = 0.0
    for label in set(labels):
        inside = [k for one, k in zip(labels, others, strict=True) if one == label]
        counts = [inside.count(k) for k in set(inside)]
        total -= sum(count * np.log2(count / len(inside)) for count in counts)
    return total


def least_information_loss(roots, threshold):
    """The least of any partition."""
    return min(information_loss(roots, labels, threshold) for labels in partitions(len(roots[0])))


def information_changes(roots, labels, threshold):
    """What each move of a record, to another entity or alone, and each joining of two entities adds to the loss."""
    here = information_loss(roots, labels, threshold)
    moves = itertools.product(range(len(labels)), {*labels, max(labels) + 1})
    worlds = [[*labels[:i], label, *labels[i + 1 :]] for i, label in moves]
    for one, other in itertools.combinations(set(labels), 2):
        worlds.append([one if label == other else label for label in labels])
    return [information_loss(roots, world, threshold) - here for world in worlds]
