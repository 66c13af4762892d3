"""Measures of clusterings from their definitions: Python sets, all pairs, all one-to-one maps.

A side is a list of disjoint sets of items. Each function returns (recall_num, recall_den, precision_num,
precision_den), or a number.
"""

from itertools import combinations, permutations
from math import log


def sets(clustering):
    """The entities of a Clustering as sets."""
    return [set(chain) for chain in clustering.chains()]


def items_of(side):
    return set().union(*side)


def both_ways(one_way):
    """A measure whose precision is its recall with the sides swapped."""
    return lambda gold, predicted: (*one_way(gold, predicted), *one_way(predicted, gold))


def _mentions(side, other):
    return len(items_of(side) & items_of(other)), len(items_of(side))


def _muc(side, other):
    found = wanted = 0
    for entity in side:
        parts = {frozenset(entity & part) for part in other if entity & part}
        parts |= {frozenset([item]) for item in entity - items_of(other)}
        found += len(entity) - len(parts)
        wanted += len(entity) - 1
    return found, wanted


def _b_cubed(side, other):
    total = 0.0
    for item in items_of(side):
        mine = next(entity for entity in side if item in entity)
        theirs = next((entity for entity in other if item in entity), set())
        total += len(mine & theirs) / len(mine)
    return total, len(items_of(side))


def _lea(side, other):
    total = 0.0
    for entity in side:
        links = set(combinations(sorted(entity), 2)) or {(min(entity), min(entity))}
        other_links = set().union(*(set(combinations(sorted(e), 2)) or {(min(e), min(e))} for e in other))
        total += len(entity) * len(links & other_links) / len(links)
    return total, len(items_of(side))


def joined(side):
    return {pair for entity in side for pair in combinations(sorted(entity), 2)}


def apart(side, group=None):
    everywhere = set(combinations(sorted(items_of(side)), 2))
    if group is not None:
        everywhere = {(a, b) for a, b in everywhere if group[a] == group[b]}
    return everywhere - joined(side)


def _pairwise(side, other):
    return len(joined(side) & joined(other)), len(joined(side))


mentions, muc, b_cubed, lea, pairwise = map(both_ways, (_mentions, _muc, _b_cubed, _lea, _pairwise))


def ceaf(gold, predicted, likeness):
    """Try every one-to-one map of the smaller side into the larger."""
    few, many = sorted((gold, predicted), key=len)
    best = max(sum(likeness(a, b) for a, b in zip(few, some, strict=True)) for some in permutations(many, len(few)))
    return best, sum(likeness(e, e) for e in gold), best, sum(likeness(e, e) for e in predicted)


def ceaf_m(gold, predicted):
    return ceaf(gold, predicted, lambda a, b: len(a & b))


def ceaf_e(gold, predicted):
    return ceaf(gold, predicted, lambda a, b: 2 * len(a & b) / (len(a) + len(b)))


def blanc_links(gold, predicted, group=None):
    """The sums over coreferent pairs and over the others, the latter within groups."""
    kinds = []
    for links in (joined, lambda side: apart(side, group)):
        right = len(links(gold) & links(predicted))
        kinds.append((right, len(links(gold)), right, len(links(predicted))))
    return kinds


def precision_recall_f1(recall_num, recall_den, precision_num, precision_den):
    recall = recall_num / recall_den if recall_den else 0.0
    precision = precision_num / precision_den if precision_den else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return precision, recall, f1


def blanc(gold, predicted, group=None):
    """Precision, recall and F1."""
    kinds = [precision_recall_f1(*sums) for sums in blanc_links(gold, predicted, group) if sums[1]]
    return tuple(sum(part) / len(kinds) for part in zip(*kinds, strict=True)) if kinds else (0.0, 0.0, 0.0)


def completed(side, other):
    """The side with the items it lacks as singletons."""
    return side + [{item} for item in items_of(other) - items_of(side)]


def rand(gold, predicted):
    gold, predicted = completed(gold, predicted), completed(predicted, gold)
    pairs = list(combinations(sorted(items_of(gold)), 2))
    agreed = [(pair in joined(gold)) == (pair in joined(predicted)) for pair in pairs]
    return sum(agreed) / len(pairs) if pairs else 1.0


def adjusted_rand(gold, predicted):
    gold, predicted = completed(gold, predicted), completed(predicted, gold)
    n = len(items_of(gold))
    in_both, in_gold, in_predicted = len(joined(gold) & joined(predicted)), len(joined(gold)), len(joined(predicted))
    if joined(gold) == joined(predicted):
        return 1.0
    chance = in_gold * in_predicted / (n * (n - 1) / 2)
    return (in_both - chance) / ((in_gold + in_predicted) / 2 - chance)


def _entropy(side, n):
    return -sum(len(e) / n * log(len(e) / n) for e in side)


def _told(side, by):
    """1 - H(side | by) / H(side)."""
    n = len(items_of(side))
    if len(side) <= 1:
        return 1.0
    left = -sum(len(a & b) / n * log(len(a & b) / len(b)) for a in side for b in by if a & b)
    return 1 - left / _entropy(side, n)


def v_measure(gold, predicted):
    """Homogeneity, completeness and V."""
    gold, predicted = completed(gold, predicted), completed(predicted, gold)
    homogeneity, completeness = _told(gold, predicted), _told(predicted, gold)
    both = homogeneity + completeness
    return homogeneity, completeness, 2 * homogeneity * completeness / both if both else 0.0
