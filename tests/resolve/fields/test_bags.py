import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import distance

import onoma.resolve.fields.bags as bags_of_words
from onoma.resolve.fields.bags import Alike, Bags, alike_words, cosine_names, cut, no_alike, sharing, slips
from reference.fields_kernels import cosine, deletions, soft_cosine

BAGS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=2, max_size=8)


def all_pairs(n):
    a, b = np.triu_indices(n, 1)
    return a.astype(np.int32), b.astype(np.int32)


def bags_of(texts):
    return Bags.build(texts, np.arange(1, len(texts) + 1))


def sets_of(bags):
    return [set(bags.ids[start:end].tolist()) for start, end in zip(bags.offsets[:-1], bags.offsets[1:], strict=True)]


@given(BAGS)
@settings(max_examples=60)
def test_cosines_are_those_of_the_slow_twin(texts):
    bags = bags_of(texts)
    a, b = all_pairs(len(texts))
    sets = sets_of(bags)
    expected = [cosine(sets[i], sets[j], bags.idf) for i, j in zip(a, b, strict=True)]
    assert bags.cosines(a, b) == pytest.approx(expected, abs=1e-6)
    assert bags.cosines(b, a) == pytest.approx(expected, abs=1e-6)


@given(BAGS, st.dictionaries(st.frozensets(st.integers(0, 7), min_size=2, max_size=2), st.floats(0.1, 1), max_size=8))
@settings(max_examples=60)
def test_soft_cosines_are_those_of_the_slow_twin(texts, related):
    bags = bags_of(texts)
    related = {pair: np.float32(value) for pair, value in related.items() if max(pair) < len(bags.words)}
    pairs = np.array([sorted(pair) for pair in related], np.int64).reshape(-1, 2)
    alike = Alike.build(len(bags.words), pairs[:, 0], pairs[:, 1], np.array(list(related.values()), np.float32))
    a, b = all_pairs(len(texts))
    sets = sets_of(bags)
    expected = [soft_cosine(sets[i], sets[j], bags.idf, related) for i, j in zip(a, b, strict=True)]
    assert bags.soft_cosines(a, b, alike) == pytest.approx(expected, abs=1e-5)


def test_idf_is_counted_in_records():
    bags = Bags.build([["x", "y"], ["x"]], np.array([1, 3]))
    assert bags.words == ["x", "y"]
    assert bags.idf == pytest.approx([0.1, np.log(4) + 0.1])


def test_without_alike_words_soft_is_hard():
    bags = bags_of([["smith"], ["smiht"], ["smith", "john"]])
    a, b = all_pairs(3)
    assert np.array_equal(bags.soft_cosines(a, b, no_alike(3)), bags.cosines(a, b))
    assert bags.soft_cosines(a, b, alike_words(bags.words))[0] > 0.7 > bags.cosines(a, b)[0]


@given(st.lists(st.text("abc", min_size=4, max_size=7), min_size=2, max_size=12, unique=True))
@settings(max_examples=60)
def test_slips_are_all_pairs_one_step_apart(words):
    a, b, similarity = slips(words)
    found = {(words[i], words[j]) for i, j in zip(a, b, strict=True)}
    pairs = [(words[i], words[j]) for i in range(len(words)) for j in range(i + 1, len(words))]
    expected = {(x, y) for x, y in pairs if distance.OSA.distance(x, y) == 1}
    assert found == expected
    assert all(deletions(x) & deletions(y) for x, y in expected)
    assert ((similarity > 0.7) & (similarity < 1)).all()


def test_few_words_and_many_are_compared_alike(monkeypatch):
    rng = np.random.default_rng(0)
    words = sorted({"".join(rng.choice(list("abcé"), rng.integers(3, 8))) for _ in range(120)})
    found = []
    for few in (0, len(words)):
        monkeypatch.setattr(bags_of_words, "_SO_FEW", few)
        found.append([part.tolist() for part in slips(words)])
    assert found[0] == found[1]
    assert len(found[0][0]) > 20


def test_numbers_and_short_words_are_never_slips():
    assert len(slips(["1234", "1235", "ann", "anne", "x1234", "x1235"])[0]) == 0


def test_hot_keys_make_no_pairs():
    keys = np.array([1, 1, 1, 2, 2], np.int32)
    a, b = sharing(keys, np.array([0, 1, 2, 3, 4]), hot=2)
    assert (a.tolist(), b.tolist()) == ([3], [4])
    a, b = sharing(keys, np.array([0, 1, 2, 0, 1]), hot=3)
    assert (a.tolist(), b.tolist()) == ([0, 0, 1], [1, 2, 2])


def test_of_a_relation_given_twice_the_stronger_counts():
    alike = Alike.build(3, np.array([0, 1]), np.array([1, 0]), np.array([0.5, 0.9], np.float32))
    assert alike.offsets.tolist() == [0, 1, 2, 2]
    assert alike.similarity == pytest.approx([0.9, 0.9])


def test_cuts_are_inclusive_and_ordered():
    levels = cut(np.array([1, 0.9, 0.89, 0.5, 0.1], np.float32), (0.9, 0.5))
    assert levels.tolist() == [1, 1, 2, 2, 3]
    assert cosine_names((0.9, 0.5)) == ("equal", "≥ 0.90", "≥ 0.50", "different")


@given(st.lists(st.lists(st.sampled_from(["a", "bc", "d", "é"]), min_size=1, max_size=4), min_size=1, max_size=8))
def test_bags_of_texts_are_bags_of_their_words(bags):
    counts = np.arange(1, len(bags) + 1)
    one, other = Bags.build(bags, counts), Bags.of_texts([" ".join(bag) for bag in bags], counts)
    assert one.words == other.words
    for name in ("offsets", "ids", "idf", "norms"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
