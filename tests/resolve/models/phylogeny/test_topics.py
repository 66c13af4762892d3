import numpy as np

from onoma.numerics.rng import kernel_state, uniform
from onoma.resolve.models.phylogeny._topics_kernels import sweep_topics
from onoma.resolve.models.phylogeny.topics import find_topics, tokens_of
from reference.phylogeny import sweep_topics as slow_sweep


def test_a_sweep_is_that_of_its_twin():
    rng = np.random.default_rng(0)
    words, documents = rng.integers(0, 5, 40).astype(np.int32), rng.integers(0, 6, 40).astype(np.int32)
    topics = rng.integers(0, 3, 40).astype(np.int32)
    alpha = np.array([0.5, 1.0, 0.2])
    by_document, by_word = np.zeros((6, 3), np.int32), np.zeros((5, 3), np.int32)
    np.add.at(by_document, (documents, topics), 1)
    np.add.at(by_word, (words, topics), 1)
    by_topic = np.bincount(topics, minlength=3).astype(np.int64)
    state = kernel_state(3, "twin")
    copy = state.copy()
    uniforms = [uniform(copy) for _ in range(40)]
    right = slow_sweep(words, documents, topics, 3, 5, alpha, 0.1, uniforms)
    sweep_topics(state, words, documents, topics, by_document, by_word, by_topic, alpha, 0.1, 1)
    assert topics.tolist() == right
    assert by_topic.tolist() == np.bincount(topics, minlength=3).tolist()
    assert by_document.sum() == by_word.sum() == 40


def test_texts_of_two_kinds_get_two_topics():
    texts = ["pitcher inning baseball bat"] * 10 + ["senate vote law bill"] * 10
    most = find_topics(tokens_of(texts, most=0.9), n_topics=2, n_sweeps=60, seed=1).most
    assert len(set(most[:10].tolist())) == len(set(most[10:].tolist())) == 1
    assert most[0] != most[-1]


def test_texts_without_words_have_a_topic_too():
    topics = find_topics(tokens_of(["", "a b", "?"]), n_topics=3, n_sweeps=5)
    np.testing.assert_allclose(topics.shares.sum(1), 1.0)
