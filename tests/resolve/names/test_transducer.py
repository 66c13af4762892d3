import itertools

import numpy as np
import pytest

from onoma.resolve.names._transducer_kernels import fill_forward
from onoma.resolve.names.transducer import Alphabet, Strings, Transducer, TransducerWeights
from reference.phylogeny import derivations, expected_edits

NAMES = ("copy", "delete", "substitute", "insert", "stop")


def some_transducer(texts, *, seed=0, most=300):
    rng = np.random.default_rng(seed)
    alphabet = Alphabet(texts, most=most)
    weights = TransducerWeights.start(len(alphabet))
    for array in weights.arrays():
        array += rng.normal(0.0, 0.5, array.shape)
    weights.bias[3] -= 2.0  # short insertions, so that long strings are rare
    weights.stop[:] += 1.5
    return Transducer(alphabet, weights)


def pairs(*numbers):
    return tuple(np.array(column, np.int32) for column in zip(*numbers, strict=True))


@pytest.mark.parametrize("parent", ["", "a", "Ab", "aAb", None])
def test_the_probabilities_of_all_strings_sum_to_one(parent):
    texts = ["".join(letters) for n in range(8) for letters in itertools.product("aAb", repeat=n)]
    transducer = some_transducer(texts)
    place = -1 if parent is None else texts.index(parent)
    every = np.arange(len(texts), dtype=np.int32)
    strings = Strings.of(texts, transducer.alphabet)
    total = np.exp(transducer.log_probabilities(strings, np.full(len(texts), place, np.int32), every)).sum()
    assert 0.999 < total <= 1.0 + 1e-9


def test_characters_beyond_the_limit_share_a_code_and_still_sum_to_one():
    texts = ["".join(letters) for n in range(7) for letters in itertools.product("abcd", repeat=n)]
    transducer = some_transducer(["aaaa", "bbb", "c", "d"], most=2)
    assert transducer.alphabet.n_others == 2
    strings = Strings.of(texts, transducer.alphabet)
    every = np.arange(len(texts), dtype=np.int32)
    parent = np.full(len(texts), texts.index("cd"), np.int32)
    assert 0.99 < np.exp(transducer.log_probabilities(strings, parent, every)).sum() <= 1.0 + 1e-9


@pytest.mark.parametrize(("parent", "child"), [("ab", "ba"), ("aB", "aB"), ("", "ab"), ("abb", ""), ("Ab", "aab")])
def test_probability_and_expected_counts_are_those_of_all_derivations(parent, child):
    transducer = some_transducer(["abAB"])
    strings = Strings.of([parent, child], transducer.alphabet)
    one, other = pairs((0, 1))
    every = derivations(parent, child, transducer.tables, transducer.alphabet)
    found = transducer.log_probabilities(strings, one, other)
    assert np.exp(found[0]) == pytest.approx(sum(p for p, _ in every))
    counts = transducer.expected_counts(strings, one, other, np.array([2.0]))
    truth = [np.zeros_like(table) for table in counts]
    for (name, *place), n in expected_edits(parent, child, transducer.tables, transducer.alphabet).items():
        truth[NAMES.index(name)][tuple(place)] += 2.0 * n
    for table, right in zip(counts, truth, strict=True):
        np.testing.assert_allclose(table, right, atol=1e-12)


def test_a_name_from_nothing_is_written_by_the_end_of_its_own():
    transducer = some_transducer(["ab"])
    strings = Strings.of(["ab"], transducer.alphabet)
    found = transducer.log_probabilities(strings, *pairs((-1, 0)))
    right = sum(p for p, _ in derivations("", "ab", transducer.tables, transducer.alphabet, end=1))
    assert np.exp(found[0]) == pytest.approx(right)


def test_the_gradient_agrees_with_finite_differences():
    texts = ["anna", "Ana", "hanna", "b", ""]
    transducer = some_transducer(texts)
    strings = Strings.of(texts, transducer.alphabet)
    one, other = pairs((0, 1), (1, 2), (-1, 3), (2, 4), (0, 0))
    weights = np.array([1.0, 0.5, 2.0, 1.0, 0.3])

    def log_likelihood():
        transducer.__dict__.pop("tables", None)
        return float(weights @ transducer.log_probabilities(strings, one, other))

    gradient = transducer.gradient(transducer.expected_counts(strings, one, other, weights))
    rng = np.random.default_rng(1)
    for array, slopes in zip(transducer.weights.arrays(), gradient, strict=True):
        for _ in range(4):
            place = tuple(int(rng.integers(0, size)) for size in array.shape)
            kept = array[place]
            array[place] = kept + 1e-5
            up = log_likelihood()
            array[place] = kept - 1e-5
            down = log_likelihood()
            array[place] = kept
            assert slopes[place] == pytest.approx((up - down) / 2e-5, abs=1e-5)


def test_learning_raises_the_likelihood_of_what_was_seen():
    texts = ["catherine", "katherine", "carl", "karl"]
    transducer = Transducer(Alphabet(texts))
    strings = Strings.of(texts, transducer.alphabet)
    one, other = pairs((0, 1), (2, 3))
    before = transducer.log_probabilities(strings, one, other).sum()
    for _ in range(10):
        transducer.learn(transducer.expected_counts(strings, one, other, np.ones(2)))
    assert transducer.log_probabilities(strings, one, other).sum() > before + 1.0


def test_long_strings_do_not_underflow():
    texts = ["x" * 300, "x" * 299 + "y", "🙂é\u0301\u202eش" * 40]
    transducer = Transducer(Alphabet(texts))
    found = transducer.log_probabilities(
        Strings.of(texts, transducer.alphabet), *pairs((0, 1), (1, 0), (2, 0), (-1, 2))
    )
    assert np.isfinite(found).all()
    assert found[0] > found[2]


def test_scaled_probabilities_are_those_of_log_space():
    rng = np.random.default_rng(4)
    texts = ["".join(rng.choice(list("abcdeé "), n)) for n in (0, 1, 5, 12, 40, 150, 300)]
    transducer = some_transducer(texts)
    strings = Strings.of(texts, transducer.alphabet)
    for p, c in itertools.product(range(-1, 7), range(7)):
        start, end = (0, 0) if p < 0 else strings.offsets[p : p + 2]
        parent = strings.codes[start:end], strings.points[start:end]
        child = tuple(each[strings.offsets[c] : strings.offsets[c + 1]] for each in (strings.codes, strings.points))
        right = fill_forward(*parent, *child, int(p < 0), transducer.tables, np.empty((301, 301)))
        found = transducer.log_probabilities(strings, *pairs((p, c)))[0]
        assert found == pytest.approx(right, rel=1e-9, abs=1e-9)
