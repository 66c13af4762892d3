"""Slow twins of the kernels of coreference across documents: dense products, and worlds scored pair by pair."""

import itertools

import numpy as np

from onoma.resolve.models.cross_document.levels import Features
from reference.resolve_enumeration import normalised, partitions


def random_features(n, *, n_features=6, seed=0, share=0.6):
    """Rows with random words, equal as query and key, and one asymmetric pair of features (near names)."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        words = [f for f in range(n_features) if rng.random() < share]
        row = {f: (w, w) for f, w in zip(words, rng.normal(0.3, 0.4, len(words)), strict=True)}
        # Names n_features + (0, 1): the key is one's own, the query what each scores.
        own = i % 2
        row[n_features + own] = (0.5, 1.0)
        row[n_features + 1 - own] = (0.2, 0.0)
        rows.append(dict(sorted(row.items())))
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    features = np.array([f for row in rows for f in row], np.int32)
    query = np.array([q for row in rows for q, _ in row.values()], np.float32)
    key = np.array([k for row in rows for _, k in row.values()], np.float32)
    return Features(offsets, features, query, key)


def products(features):
    """Σ query · key of each two items."""
    n, top = len(features), int(features.features.max(initial=-1)) + 1
    query, key = np.zeros((n, top)), np.zeros((n, top))
    for i in range(n):
        for at in range(features.offsets[i], features.offsets[i + 1]):
            query[i, features.features[at]] += features.query[at]
            key[i, features.features[at]] += features.key[at]
    return query @ key.T


def log_score(psi, labels):
    """Σ ψ of the pairs together minus Σ ψ of the pairs apart."""
    return sum(
        psi[i, j] if labels[i] == labels[j] else -psi[i, j] for i, j in itertools.combinations(range(len(labels)), 2)
    )


def posterior(psi, pool=None):
    """{labels: probability} of every partition, or of those that hold no two pools together."""
    n = len(psi)
    allowed = [
        labels
        for labels in partitions(n)
        if pool is None or all(pool[i] == pool[j] for i in range(n) for j in range(n) if labels[i] == labels[j])
    ]
    return normalised({labels: float(np.exp(log_score(psi, labels))) for labels in allowed})


def nested_posterior(psi, sub_psi):
    """{(entities, sub-entities): probability} of every partition and every finer one."""
    found = {}
    for labels in partitions(len(psi)):
        for finer in partitions(len(psi)):
            if all(labels[i] == labels[j] for i in range(len(psi)) for j in range(len(psi)) if finer[i] == finer[j]):
                found[labels, finer] = float(np.exp(log_score(psi, labels) + log_score(sub_psi, finer)))
    return normalised(found)


def numbered(ids):
    """The rank of each id among those there are, and how many there are."""
    known = sorted(set(ids.tolist()))
    return [known.index(each) for each in ids.tolist()], len(known)


def rows_in_order(n, parts):
    """By row, (id, query, key) of all parts in order of the ids; equal ids stay as they came."""
    rows = [[] for _ in range(n)]
    for part in parts:
        for row, *element in zip(*part, strict=True):
            rows[row].append(tuple(element))
    return [sorted(row, key=lambda element: element[0]) for row in rows]


def holders(features):
    """By feature, the items with a key there."""
    top = int(features.features.max(initial=-1)) + 1
    found = [[] for _ in range(top)]
    for item in range(len(features)):
        for at in range(features.offsets[item], features.offsets[item + 1]):
            if features.key[at] != 0.0:
                found[features.features[at]].append(item)
    return found


def summed(features, group):
    """By group, {feature: [query, key]} added up item after item, in single precision."""
    found = [{} for _ in range(int(group.max()) + 1)]
    for item, of in enumerate(group.tolist()):
        for at in range(features.offsets[item], features.offsets[item + 1]):
            sums = found[of].setdefault(int(features.features[at]), [np.float32(0.0), np.float32(0.0)])
            sums[0] += features.query[at]
            sums[1] += features.key[at]
    return found
