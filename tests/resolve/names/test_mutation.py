import itertools

import numpy as np
import pytest

from onoma.resolve.names._mutation_kernels import (
    DROP,
    END,
    EXTEND,
    INSERT,
    JOIN,
    KEEP,
    MORE,
    N_CLASSES,
    N_OPERATIONS,
    SPLIT,
    STOP,
    count_names,
    score_names,
)
from onoma.resolve.names.mutation import Mutations
from onoma.resolve.names.names import WordedNames
from reference.phylogeny import word_derivations

NAMES = [
    "John Smith", "J. Smith", "Smith, John", "Johnny Smyth", "Dr. John A. Smith", "Maryann Lee", "Mary Ann Lee",
    "Lee", "John", "Smith", "Anna Maria Lee Smith", "Lee, Anna Maria",
]  # fmt: skip


@pytest.fixture(scope="module")
def mutations():
    names = WordedNames.of(NAMES)
    one, other = zip(*itertools.permutations(range(len(NAMES)), 2), strict=True)
    return Mutations(names, np.array(one, np.int32), np.array(other, np.int32))


def block(mutations, e):
    starts = mutations.links.starts
    return mutations.links.at[starts[e] : starts[e + 1]]


def test_the_probability_of_a_name_is_that_of_all_ways_to_make_it(mutations):
    names, model = mutations._arrays()
    links, comma = mutations.links, mutations._comma
    found = score_names(mutations.parents, mutations.children, comma, links.starts, links.at, names, model)
    for e, (p, c) in enumerate(zip(mutations.parents, mutations.children, strict=True)):
        every = word_derivations(p, c, block(mutations, e), names, model, comma[e])
        assert np.exp(found[e]) == pytest.approx(sum(weight for weight, _ in every), rel=1e-9)


def test_expected_operations_are_those_of_all_ways(mutations):
    names, model = mutations._arrays()
    links, comma = mutations.links, mutations._comma
    picked = [NAMES.index("Dr. John A. Smith") * 11 + i for i in range(11)] + [5 * 11 + 5, 6 * 11 + 5, 3, 30]
    weights = np.zeros(len(mutations.parents))
    weights[picked] = np.linspace(0.2, 1.5, len(picked))
    right = {
        name: np.zeros(N_CLASSES) for name in ("insert", "drop", "stop", "join", "split", "extend", "keep", "related")
    }
    turns = np.zeros((2, 4))
    for e in picked:
        every = word_derivations(
            mutations.parents[e], mutations.children[e], block(mutations, e), names, model, comma[e]
        )
        total = sum(weight for weight, _ in every)
        for weight, ((_, turn), *done) in every:
            turns[comma[e], turn] += weights[e] * weight / total
            for name, kind in done:
                right[name][kind] += weights[e] * weight / total
    n_operations = np.zeros((N_CLASSES, N_OPERATIONS))
    n_kept, n_related = np.zeros_like(model[1]), np.zeros_like(model[2])
    n_turned, n_inserted = np.zeros((2, 4)), np.zeros(len(names[1]))
    count_names(
        mutations.parents, mutations.children, weights, comma, links.starts, links.at, names, model,
        (n_operations, n_kept, n_related, n_turned, n_inserted),
    )  # fmt: skip
    for name, operation in (("insert", INSERT), ("drop", DROP), ("stop", STOP), ("join", JOIN), ("split", SPLIT)):
        np.testing.assert_allclose(n_operations[:, operation], right[name], atol=1e-9)
    np.testing.assert_allclose(n_operations[:, EXTEND], right["extend"], atol=1e-9)
    np.testing.assert_allclose(n_kept.sum(1), right["keep"], atol=1e-9)
    np.testing.assert_allclose(n_related.sum(1), right["related"], atol=1e-9)
    np.testing.assert_allclose(n_turned, turns, atol=1e-9)


def test_the_probabilities_of_all_names_sum_to_one():
    """Two words, each of which may be put for the other; no joins, since those would make a third."""
    texts = ["aa bb", *(" ".join(words) for n in range(9) for words in itertools.product(("aa", "bb"), repeat=n))]
    names = WordedNames.of(texts)
    rng = np.random.default_rng(0)
    operations = np.zeros((N_CLASSES, N_OPERATIONS))
    operations[:END, [KEEP, 1, DROP, INSERT, STOP]] = rng.dirichlet([5, 2, 2, 1, 1], END)
    operations[[END, MORE]] = 0.0
    operations[[END, MORE], INSERT], operations[[END, MORE], STOP] = (0.15, 0.3), (0.85, 0.7)
    m = len(texts) - 1
    parents, children = np.zeros(m, np.int32), np.arange(1, m + 1, dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum(2 * names.lengths[children])]).astype(np.int64)
    first = names.ids[0]
    links = np.concatenate(
        [
            np.where(names.ids[names.offsets[c] : names.offsets[c + 1]] == word, -1, 0 if word == first else 1)
            for c in children.tolist()
            for word in names.ids[:2]
        ]
    ).astype(np.int32)
    kept = np.repeat(operations[:, KEEP][:, None], 2, axis=1)
    related = np.repeat(operations[:, 1][:, None], 2, axis=1)
    fresh = np.where(names.ids == first, 0.6, 0.4)
    turns = np.array([[0.7, 0.2, 0.1, 0.0], [0.4, 0.6, 0.0, 0.0]])
    arrays = (names.offsets, names.ids, names.joined, names.classes, fresh)
    model = (operations, kept, related, turns, np.ones(2), np.zeros(2))
    found = score_names(parents, children, np.zeros(m, np.int8), starts, links, arrays, model)
    assert 0.999 < np.exp(found).sum() <= 1.0 + 1e-9


def test_a_rare_word_in_common_is_more_evidence_than_a_common_one():
    others = [f"{first} Smith" for first in ("Anna", "Berta", "Carl", "Dora", "Emil", "Fritz", "Gert", "Hans")]
    names = WordedNames.of([*others, "Karl Quisenberry", "Karla Quisenberry", "Karl Smith", "Karla Smith"])
    n = len(others)
    mutations = Mutations(names, np.array([n, n + 2], np.int32), np.array([n + 1, n + 3], np.int32))
    rare, common = mutations.log_ratios()
    assert rare > common + 1.0


def test_learning_takes_up_what_was_seen():
    texts = [f"{first} {last}" for first in ("Anna", "Berta", "Carla") for last in ("Xu", "Yilmaz", "Zorn")]
    texts += [f"{text.split()[0][0]}. {text.split()[1]}" for text in texts]
    names = WordedNames.of(texts)
    one, other = np.arange(9, dtype=np.int32), np.arange(9, 18, dtype=np.int32)
    mutations = Mutations(names, one, other)
    before = mutations.operations[0].copy()
    mutations.learn(np.ones(9), np.concatenate([np.ones(9), np.zeros(9)]))
    assert mutations.operations[0, 1] > before[1]
    np.testing.assert_allclose(mutations.operations.sum(1), 1.0)
    np.testing.assert_allclose(mutations.turns.sum(1), 1.0)
