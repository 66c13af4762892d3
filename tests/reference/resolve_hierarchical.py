"""Forests of sub-entities, slow and plain: a tree is a mention's number, or a frozenset of at least two trees."""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from onoma.resolve.models.hierarchical._bags_kernels import FIRST, NEXT, PARENT, Forest, Mentions
from onoma.resolve.models.hierarchical.trees import BagScores, NameScores, StructureScores, TreeScores

Tree = int | frozenset
"""A mention, or the set of a node's children."""


def all_trees(mentions: tuple[int, ...]) -> Iterator[Tree]:
    """Yield every tree over some mentions in which no node has a single child."""
    if len(mentions) == 1:
        yield mentions[0]
        return
    for parts in partitions(mentions):
        if len(parts) > 1:
            yield from map(frozenset, products([list(all_trees(part)) for part in parts]))


def all_forests(n: int) -> list[frozenset]:
    """Return every forest over n mentions."""
    found = []
    for parts in partitions(tuple(range(n))):
        found += map(frozenset, products([list(all_trees(part)) for part in parts]))
    return found


def partitions(items: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every partition."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [(items[0],), *rest]
        for k, part in enumerate(rest):
            yield [*rest[:k], (items[0], *part), *rest[k + 1 :]]


def products(lists: list[list[Tree]]) -> Iterator[list[Tree]]:
    """Yield every choice of one from each list."""
    if not lists:
        yield []
        return
    for one in lists[0]:
        for rest in products(lists[1:]):
            yield [one, *rest]


def leaves(tree: Tree) -> list[int]:
    """Return the mentions of a tree."""
    return [tree] if isinstance(tree, int) else [leaf for child in tree for leaf in leaves(child)]


def bag(mentions: Mentions, tree: Tree) -> Counter:
    """Return how often each word occurs below a node."""
    found: Counter = Counter()
    for i in leaves(tree):
        for word in mentions.words[mentions.offsets[i] : mentions.offsets[i + 1]].tolist():
            found[word] += int(mentions.rows[i])
    return found


def log_score(mentions: Mentions, scores: TreeScores, forest: frozenset) -> float:
    """Return the log score of a forest."""
    return sum(own(mentions, scores, tree) + shape(mentions, scores, tree, is_root=True) for tree in forest)


def own(mentions: Mentions, scores: TreeScores, tree: Tree) -> float:
    """Return what a tree scores as an entity, but for its shape."""
    structure, n = scores.structure, sum(int(mentions.rows[i]) for i in leaves(tree))
    total = structure.root + structure.crowd * (math.lgamma(n + 1) - structure.tail * math.log(n))
    words = bag(mentions, tree)
    for f, rule in enumerate(scores.bags):
        mine = {w: n for w, n in words.items() if mentions.field[w] == f}
        total -= rule.exclusive * sum(n - 1 for n in mine.values())
        evidence = sum(math.log(rule.alpha + rule.discount * k) for k in range(len(mine)))
        evidence -= sum(math.log(rule.alpha + t) for t in range(sum(mine.values())))
        for w, n in mine.items():
            _, prior, rare = (float(x) for x in mentions.weights[w])
            evidence += sum(math.log(j - rule.discount + prior) + rare for j in range(1, n))
        total += rule.evidence * evidence
    for a, rule in enumerate(scores.names):
        all_rows = [i for i in leaves(tree) for _ in range(mentions.rows[i])]
        forms = [int(mentions.forms[i, a]) for i in all_rows if mentions.forms[i, a] >= 0]
        if forms:
            value = max(forms, key=lambda form: mentions.form_rank[form])
            total += float(mentions.form_root[value]) + sum(name_score(mentions, rule, form, value) for form in forms)
    return total


def name_score(mentions: Mentions, rule, form: int, value: int) -> float:
    """Return what a form scores against what the entity goes by."""
    mine, its = mentions.form_words[form], mentions.form_words[value]
    if mine[1] == its[1]:
        return rule.match
    first = meet(mentions, mine[2], its[2])
    if first == "differ":
        whole = {int(w) for w in mine[2:] if w >= 0 and mentions.letters[w] < 0}
        return rule.shared if whole & {int(w) for w in its[2:]} else rule.differ
    both = mine[3] >= 0 and its[3] >= 0
    rest = rule.rest if both and meet(mentions, mine[3], its[3]) == "differ" else 0.0
    return getattr(rule, first) + rest


def meet(mentions: Mentions, one: int, other: int) -> str:
    """Return how two words of names meet."""
    if one == other:
        return "match"
    letter = [int(mentions.letters[w]) for w in (one, other)]
    if max(letter) >= 0:
        plain = [x if x >= 0 else -1 - x for x in letter]
        return "initial" if plain[0] == plain[1] else "differ"
    alike = mentions.alike[mentions.alike_offsets[one] : mentions.alike_offsets[one + 1]]
    return "alike" if other in alike else "differ"


def shape(mentions: Mentions, scores: TreeScores, tree: Tree, *, is_root: bool) -> float:
    """Return what a tree scores for its form, with all below it."""
    if isinstance(tree, int):
        return 0.0
    structure = scores.structure
    total = sum(shape(mentions, scores, child, is_root=False) for child in tree)
    total += structure.shape / (abs(len(tree) - structure.best_width) + 1)
    if not is_root:
        total += structure.inner
    alike = sum(rule.cosine * cosines(mentions, tree, f) for f, rule in enumerate(scores.bags))
    return total + len(tree) * (max(alike, 0.0) if structure.only_gains else alike)


def cosines(mentions: Mentions, tree: frozenset, f: int) -> float:
    """Return 2 cos - 1 of a child with its siblings, had all the same length and cosine; 0 where bags are empty."""
    vectors = []
    for child in tree:
        vector = np.zeros(len(mentions.field))
        for w, n in bag(mentions, child).items():
            if mentions.field[w] == f:
                vector[w] = n * math.sqrt(mentions.weights[w, 0])
        vectors.append(vector)
    pairs = [(a, b) for i, a in enumerate(vectors) for j, b in enumerate(vectors) if i != j]
    weight = sum(np.linalg.norm(a) * np.linalg.norm(b) for a, b in pairs)
    if weight <= 1e-9 * sum(v @ v for v in vectors) or weight == 0:
        return 0.0
    rho, k = sum(a @ b for a, b in pairs) / weight, len(tree)
    return 2 * rho * math.sqrt((k - 1) / (1 + (k - 2) * rho)) - 1


def as_trees(forest: Forest, n: int) -> frozenset:
    """Return the trees of a kernel's forest."""

    def tree(node: int) -> Tree:
        if node < n:
            return node
        children, child = [], forest.links[node, FIRST]
        while child >= 0:
            children.append(tree(int(child)))
            child = forest.links[child, NEXT]
        return frozenset(children)

    return frozenset(tree(int(node)) for node in np.flatnonzero(forest.links[:, PARENT] == -1))


def random_mentions(n: int, seed: int, *, n_words: int = 8, n_fields: int = 2, n_forms: int = 5) -> Mentions:
    """Return mentions of random words and names, some for several rows; all are on one list."""
    rng = np.random.default_rng(seed)
    rows = [np.sort(rng.choice(n_words, rng.integers(1, 5), replace=False)) for _ in range(n)]
    form_words = np.full((n_forms, 6), -1, np.int32)
    form_words[:, 0], form_words[:, 1] = 0, np.arange(n_forms)
    form_words[:, 2], form_words[:, 3] = rng.integers(0, 4, n_forms), rng.integers(-1, 4, n_forms)
    return Mentions(
        offsets=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        words=np.concatenate(rows).astype(np.int32),
        forms=rng.integers(-1, n_forms, (n, 1)).astype(np.int32),
        rows=np.where(np.arange(n) % 4 == seed % 4, 1 + seed % 3, 1).astype(np.int32),
        field=(np.arange(n_words) % n_fields).astype(np.int8),
        weights=rng.uniform(0.2, 2.0, (n_words, 3)).astype(np.float32),
        form_words=form_words,
        form_rank=rng.permutation(n_forms).astype(np.int32),
        form_root=rng.normal(0.0, 1.0, n_forms).astype(np.float32),
        letters=np.array([97, 98, -1 - 97, -1 - 97], np.int32),  # the initials a and b, and two names with a
        alike_offsets=np.array([0, 0, 0, 1, 2], np.int64),
        alike=np.array([3, 2], np.int32),
        link_offsets=np.arange(n + 1, dtype=np.int64),
        links=np.zeros(n, np.int32),
        list_offsets=np.array([0, n], np.int64),
        listed=np.arange(n, dtype=np.int32),
    )


def random_scores(seed: int, *, n_fields: int = 2) -> TreeScores:
    """Return weights of all kinds, none of them great."""
    rng = np.random.default_rng(seed)
    bags = [
        BagScores(
            cosine=rng.uniform(0.0, 1.0),
            evidence=rng.uniform(0.0, 1.0),
            alpha=rng.uniform(0.5, 3.0),
            discount=rng.uniform(0.0, 0.9),
            exclusive=rng.uniform(0.0, 0.5),
        )
        for _ in range(n_fields)
    ]
    names = NameScores(match=0.5, initial=0.2, alike=0.1, shared=-0.5, differ=-1.0, rest=-0.6)
    structure = StructureScores(root=-0.8, inner=-0.5, only_gains=bool(seed % 2), crowd=0.2, tail=1.5)
    return TreeScores(bags=bags, names=[names], structure=structure)
