"""Slow twins of the phylogeny: edit sequences, word alignments and family forests, by looking at every one."""

import itertools
import math
from collections import defaultdict

from reference.resolve_enumeration import first_seen, normalised


def derivations(parent, child, tables, alphabet, end=0):
    """Every sequence of edits that turns one string into another: (probability, edits)."""
    copy, delete, substitute, insert, stop = tables

    def code(letter):
        return alphabet.code(letter)

    def go(i, j):
        row = code(parent[i]) if i < len(parent) else len(copy) + end
        if i == len(parent) and j == len(child):
            yield math.exp(stop[end]), (("stop", end),)
        if j < len(child):
            for p, edits in go(i, j + 1):
                yield math.exp(insert[row, code(child[j])]) * p, (("insert", row, code(child[j])), *edits)
        if i < len(parent):
            for p, edits in go(i + 1, j):
                yield math.exp(delete[row]) * p, (("delete", row), *edits)
            if j < len(child):
                for p, edits in go(i + 1, j + 1):
                    yield math.exp(substitute[row, code(child[j])]) * p, (("substitute", row, code(child[j])), *edits)
                    if parent[i] == child[j]:
                        yield math.exp(copy[row]) * p, (("copy", row), *edits)

    return [(p, edits) for p, edits in go(0, 0) if p > 0]


def expected_edits(parent, child, tables, alphabet, end=0):
    """How often each edit is expected, given both strings."""
    every = derivations(parent, child, tables, alphabet, end)
    total = sum(p for p, _ in every)
    counts = defaultdict(float)
    for p, edits in every:
        for edit in edits:
            counts[edit] += p / total
    return counts


def forests(n, weights, order):
    """Every choice of parents that an order allows: (weight, parents); `weights[p][x]`, 1 for no parent."""
    earlier = {x: order[: order.index(x)] for x in range(n)}
    choices = [[(1.0, -1), *((weights[p][x], p) for p in earlier[x] if weights[p][x] > 0)] for x in range(n)]
    for picked in itertools.product(*choices):
        yield math.prod(w for w, _ in picked), tuple(p for _, p in picked)


def enumerate_forests(n, weights):
    """P(order, parents): all orders equally likely before the names are seen."""
    found = {}
    for order in itertools.permutations(range(n)):
        for weight, parents in forests(n, weights, order):
            found[order, parents] = weight
    return normalised(found)


def enumerate_joint(n, ratios, unary, scores, root):
    """P(order, topics, parents), with parents that compete: each mention's choice is normalised over all earlier."""
    n_topics = len(scores)
    found = {}
    for order in itertools.permutations(range(n)):
        earlier = {x: order[: order.index(x)] for x in range(n)}
        for topics in itertools.product(range(n_topics), repeat=n):
            prior = math.prod(math.exp(unary[x][topics[x]]) for x in range(n))
            choices = []
            for x in range(n):
                z = math.exp(root) + sum(math.exp(scores[topics[p]][topics[x]]) for p in earlier[x])
                choices.append(
                    [(math.exp(root) / z, -1)]
                    + [
                        (math.exp(scores[topics[p]][topics[x]]) * ratios[p][x] / z, p)
                        for p in earlier[x]
                        if ratios[p][x] > 0
                    ]
                )
            for picked in itertools.product(*choices):
                found[order, topics, tuple(p for _, p in picked)] = prior * math.prod(w for w, _ in picked)
    return normalised(found)


def entities(parents):
    """The partition into trees."""

    def root(x):
        return x if parents[x] < 0 else root(parents[x])

    return first_seen([root(x) for x in range(len(parents))])


def marginal(joint, of):
    """The distribution of a function of the states."""
    found = defaultdict(float)
    for state, probability in joint.items():
        found[of(*state)] += probability
    return dict(found)


def word_derivations(parent, child, links, names, model, comma):
    """Every way to make a child's words of a parent's: (probability, operations), operations as (name, class, …)."""
    offsets, ids, joined, classes, fresh = names
    operations, kept, related, turns, split, beginning = model
    p0, c0 = offsets[parent], offsets[child]
    n, m = offsets[parent + 1] - p0, offsets[child + 1] - c0
    many = 1 if n < 2 else min(n, 4)
    shift = {0: 0, 1: 1, 2: n - 1, 3: n - 2}

    def go(i, j, turn):
        if i >= n:
            kind = 7 + i - n
            if j == m:
                yield operations[kind, 10], (("stop", kind),)
            else:
                for p, rest in go(n + 1, j + 1, turn):
                    yield operations[kind, 9] * fresh[c0 + j] * p, (("insert", kind), *rest)
            return
        at = (i + shift[turn]) % n
        word, kind = ids[p0 + at], classes[p0 + at]
        for p, rest in go(i + 1, j, turn):
            yield operations[kind, 8] * p, (("drop", kind), *rest)
        if j == m:
            yield operations[kind, 10], (("stop", kind),)
            return
        for p, rest in go(i, j + 1, turn):
            yield operations[kind, 9] * fresh[c0 + j] * p, (("insert", kind), *rest)
        has_next = i + 1 < n and at + 1 < n
        if word == ids[c0 + j]:
            here = kept[kind, word] + (0 if has_next else operations[kind, 6])
            for p, rest in go(i + 1, j + 1, turn):
                yield here * p, (("keep", kind), *rest)
        elif links[at * m + j] >= 0:
            link = links[at * m + j]
            for p, rest in go(i + 1, j + 1, turn):
                yield related[kind, link] * p, (("related", kind), *rest)
                yield operations[kind, 5] * beginning[link] * fresh[c0 + j] * p, (("extend", kind), *rest)
        if has_next and joined[p0 + at] == ids[c0 + j]:
            for p, rest in go(i + 2, j + 1, turn):
                yield operations[kind, 6] * p, (("join", kind), *rest)
        if j + 1 < m and joined[c0 + j] == word:
            for p, rest in go(i + 1, j + 2, turn):
                yield operations[kind, 7] * split[word] * p, (("split", kind), *rest)

    found = []
    for turn in range(many):
        weight = turns[comma, turn] + (sum(turns[comma, many:]) if turn == 0 else 0.0)
        found += [(weight * p, (("turn", turn), *done)) for p, done in go(0, 0, turn) if p > 0]
    return found


def sweep_topics(words, documents, topics, n_topics, n_words, alpha, beta, uniforms):
    """One sweep of collapsed Gibbs sampling, counting everything anew for every token."""
    topics = list(topics)
    for t, (w, d) in enumerate(zip(words, documents, strict=True)):
        others = [i for i in range(len(words)) if i != t]
        weights = []
        for k in range(n_topics):
            in_document = sum(documents[i] == d and topics[i] == k for i in others)
            of_word = sum(words[i] == w and topics[i] == k for i in others)
            of_topic = sum(topics[i] == k for i in others)
            weights.append((in_document + alpha[k]) * (of_word + beta) / (of_topic + beta * n_words))
        x = uniforms[t] * sum(weights)
        new = 0
        while new < n_topics - 1 and sum(weights[: new + 1]) <= x:
            new += 1
        topics[t] = new
    return topics
