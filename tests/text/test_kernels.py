import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError
from onoma.text._clusters_kernels import count_neighbours
from onoma.text._reader_kernels import feature_keys
from onoma.text._slots_kernels import add_rows, row_of
from onoma.text.linear import LinearModel, Told, Training, templates_of
from onoma.text.slots import Rows, Slots
from onoma.text.syntax._phrases_kernels import phrases_of, reaches
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS, WordTable, attributes_of
from reference import text_kernels as slow

WORDS = st.text(st.characters(codec="ascii", min_codepoint=33), min_size=1, max_size=7)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=3))
def test_columns_of_words(sentences):
    table = WordTable.of(None, {word.lower(): 3 for word in sentences[0] if word.isalpha()})
    rows = attributes_of(Tokens.of_words(sentences), table)
    want = [slow.word_row(word, k == 0) for sentence in sentences for k, word in enumerate(sentence)]
    assert rows[:, :12].tolist() == want
    known = {word.lower() for word in sentences[0] if word.isalpha()}
    keys = {tuple(slow.small(word)) for word in known}
    assert rows[:, 15].tolist() == [3 * (tuple(slow.small(w)) in keys) for sentence in sentences for w in sentence]


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), min_size=1, max_size=4))
def test_keys_of_features(rows):
    found = feature_keys(np.array(rows, np.uint32))
    assert found.tolist() == [[slow.feature_key(k, value) for k, value in enumerate(row)] for row in rows]


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_linear_prediction(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (12, 3)).astype(np.uint32)
    sentences = np.array([0, 5, 5, 12], np.int32)
    text = "a b-1 a&b+1 tag-1 a&tag-1 tag-1&tag-2"
    templates = templates_of(text, ["a", "b", "tag"])
    slots = np.arange(0, 64, 2)
    weights = rng.normal(size=(len(slots), 3)).astype(np.float32)
    model = LinearModel.of_weights(("x", "y", "z"), templates, 6, slots, weights)
    got = model.predict(rows.copy(), sentences, 2, None)
    plain = [[(int(row[1 + 2 * k]), int(row[2 + 2 * k])) for k in range(row[0])] for row in templates]
    kept = dict(zip(model.slots.numbers.tolist(), model.weights.dense(3).tolist(), strict=True))
    assert got.tolist() == slow.predict(rows.tolist(), sentences.tolist(), 2, plain, 6, kept)


@given(st.sets(st.integers(0, 255)))
def test_rows_of_slots(marked):
    slots = Slots.of(np.array(sorted(marked), np.int64), 8)
    rows = [row_of(*slots.arrays, np.uint64(slot)) for slot in range(256)]
    assert rows == [sorted(marked).index(slot) if slot in marked else -1 for slot in range(256)]
    assert len(slots) == len(marked) and slots.numbers.tolist() == sorted(marked)


@given(st.integers(0, 10_000))
def test_rows_as_lists_of_what_is_not_zero(seed):
    rng = np.random.default_rng(seed)
    dense = rng.integers(-2, 3, (6, 4)).astype(np.int8)
    rows = Rows.load("x", Rows.of(dense).stored("x"))
    assert (rows.dense(4) == dense).all()
    found, scores = rng.integers(0, 6, 5), np.ones(4, np.int32)
    add_rows(found, 3, *rows.arrays, scores)
    assert scores.tolist() == dense[found[:3]].sum(axis=0).tolist()
    with pytest.raises(DataError, match="do not fit"):
        Rows.load("x", {**rows.stored("x"), "x_values": np.zeros(99, np.int8)})


def test_linear_models_learn_and_keep(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, (400, 2)).astype(np.uint32)
    rows[:, 1] = 0
    sentences = np.arange(0, 401, 10).astype(np.int32)
    before = np.where(np.arange(400) % 10 == 0, 0, np.roll(rows[:, 0], 1))
    gold = ((rows[:, 0] + before) % 2).astype(np.int32)
    templates = templates_of("a a-1 a&a-1 tag-1", ["a", "tag"])
    training = Training(n_epochs=5, margin=1.0, dropout=0.1, n_bits=10)
    told = Told(rows, sentences, 1, gold)
    model = LinearModel.fit(told, ("even", "odd"), templates, training)
    found = model.predict(rows.copy(), sentences, 1, None)
    assert (found == gold).mean() > 0.98
    facts, arrays = model.parts("m")
    again = LinearModel.of_parts("m", facts, arrays)
    assert again.classes == model.classes and (again.slots.marks == model.slots.marks).all()
    assert (again.weights.dense(2) == model.weights.dense(2)).all()
    blind = LinearModel.fit(told, ("even", "odd"), templates[:1], training)
    assert (blind.predict(rows.copy(), sentences, 1, None) == gold).mean() < 0.8


@given(st.lists(st.integers(-1, 6), max_size=30))
def test_neighbours(tokens):
    counts = np.zeros((5, 2 * 3 + 2 * 2), np.float32)
    count_neighbours(np.array(tokens, np.int32), 3, 2, counts, 1.0)
    want = slow.neighbours(tokens, 5, 3, 2)
    assert {(i, j): counts[i, j] for i, j in np.argwhere(counts).tolist()} == want


def random_tree(rng, n):
    order = rng.permutation(n)
    heads = np.full(n, -1, np.int32)
    for k in range(1, n):
        heads[order[k]] = order[rng.integers(0, k)]
    return heads


def random_tree_without_crossings(rng, n):
    heads = np.full(n, -1, np.int32)

    def grow(begin, end, head):
        if begin < end:
            top = int(rng.integers(begin, end))
            heads[top] = head
            cut = sorted(rng.integers(begin, top + 1, 2).tolist()), sorted(rng.integers(top + 1, end + 1, 2).tolist())
            for a, b in zip((begin, *cut[0], top + 1, *cut[1]), (*cut[0], top, *cut[1], end), strict=True):
                grow(a, b, top)

    grow(0, n, -1)
    return heads


ROLES = ("post", "out", "pre", "name", "conjunct", "apposition", "predicate", "adverb", "relative", "possessive")


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_noun_phrases(seed, n):
    rng = np.random.default_rng(seed)
    heads = random_tree_without_crossings(rng, n)
    roles, nominal, loose = rng.integers(0, 10, n).astype(np.uint8), rng.random(n) < 0.6, rng.random(n) < 0.2
    left, right, out = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros((5 * n + 1, 4), np.int32)
    sentences = np.array([0, n], np.int32)
    reaches(sentences, heads, left, right)
    found = out[: phrases_of(sentences, heads, roles, nominal, loose, left, right, out)].tolist()
    want = slow.phrases(heads.tolist(), [ROLES[k] for k in roles], nominal.tolist(), loose.tolist())
    assert {tuple(row[:3]): row[3] for row in found} == want and len(found) == len(want)


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_noun_phrases_of_trees_that_cross_stay_around_their_heads(seed, n):
    rng = np.random.default_rng(seed)
    heads = random_tree(rng, n)
    left, right, out = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros((5 * n + 1, 4), np.int32)
    sentences = np.array([0, n], np.int32)
    reaches(sentences, heads, left, right)
    kinds = rng.integers(0, 10, n).astype(np.uint8)
    found = phrases_of(sentences, heads, kinds, np.ones(n, np.bool_), np.zeros(n, np.bool_), left, right, out)
    assert found >= n and all(0 <= a <= head < b <= n for a, b, head, _ in out[:found].tolist())


def test_columns_are_named_once():
    assert len(set(COLUMNS)) == len(COLUMNS)
