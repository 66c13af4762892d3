import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError
from onoma.text._clusters_kernels import count_neighbours
from onoma.text._slots_kernels import add_rows, row_of
from onoma.text.linear import LinearModel, Told, Training, templates_of
from onoma.text.slots import Rows, Slots
from onoma.text.syntax._parser_kernels import parse_batch
from onoma.text.syntax._phrases_kernels import phrases_of, reaches
from onoma.text.syntax._states_kernels import ATOMS, gold_actions, projectivise
from onoma.text.syntax.parser import _LABELS, _TRANSITIONS, _atoms, _templates
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


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_lifting_gives_projective_trees_and_transitions_build_them(seed, n):
    heads = random_tree(np.random.default_rng(seed), n)
    was = slow.projective(heads.tolist())
    lifted = heads.copy()
    n_lifted = projectivise(lifted)
    assert slow.projective(lifted.tolist()) and (n_lifted == 0) == was
    actions = np.zeros(2 * n, np.int8)
    assert gold_actions(lifted, actions)
    state = slow.State(n)
    for action in actions.tolist():
        assert action in state.allowed()
        state.apply(action, 0)
    assert state.heads == lifted.tolist()
    if not was:
        assert not gold_actions(heads, actions)


@given(st.integers(0, 10_000), st.integers(1, 7), st.sampled_from([1, 2, 4]), st.sampled_from([200.0, 1e9]))
@settings(max_examples=25)
def test_beam_search_with_shared_states_equals_copied_ones(seed, n, beam, slack):
    rng = np.random.default_rng(seed)
    words = rng.integers(1, 4, (n, 5)).astype(np.uint32)
    n_bits, n_labels, root = 12, 4, 1
    weights = rng.integers(-60, 60, (1 << n_bits, 4)).astype(np.int8)
    slots = np.arange(0, 1 << n_bits, 3)
    label_weights = rng.integers(-60, 60, (len(slots), n_labels)).astype(np.int8)
    templates, label_templates = _templates(_TRANSITIONS), _templates(_LABELS)
    heads, labels = np.zeros(n, np.int32), np.zeros(n, np.int32)
    sentences = np.array([0, n], np.int32)
    shift = 64 - n_bits
    parse_batch(
        sentences, words, beam, slack, templates, shift, weights, label_templates, shift,
        *Slots.of(slots, n_bits).arrays, Rows.of(label_weights).arrays, n_labels, root, heads, labels,
    )  # fmt: skip
    named = [
        [[ATOMS[k] for k in row[1 : 1 + row[0]]] for row in table.tolist()] for table in (templates, label_templates)
    ]
    want = slow.beam_parse(
        words.tolist(),
        beam,
        slack,
        named[0],
        n_bits,
        weights,
        named[1],
        dict(zip(slots.tolist(), label_weights, strict=False)),
        root,
    )
    assert (heads.tolist(), labels.tolist()) == want
    assert sorted(_atoms("s0wt", {name: k for k, name in enumerate(ATOMS)})) == ["s0t", "s0w"]


ROLES = ("post", "out", "pre", "name", "conjunct", "apposition", "predicate", "adverb", "relative", "possessive")


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_noun_phrases(seed, n):
    rng = np.random.default_rng(seed)
    heads = random_tree(rng, n)
    projectivise(heads)
    roles, nominal, loose = rng.integers(0, 10, n).astype(np.uint8), rng.random(n) < 0.6, rng.random(n) < 0.2
    left, right, out = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros((5 * n + 1, 4), np.int32)
    sentences = np.array([0, n], np.int32)
    reaches(sentences, heads, left, right)
    found = out[: phrases_of(sentences, heads, roles, nominal, loose, left, right, out)].tolist()
    want = slow.phrases(heads.tolist(), [ROLES[k] for k in roles], nominal.tolist(), loose.tolist())
    assert {tuple(row[:3]): row[3] for row in found} == want and len(found) == len(want)


def test_columns_are_named_once():
    assert len(set(COLUMNS)) == len(COLUMNS) and len(set(ATOMS)) == len(ATOMS)
