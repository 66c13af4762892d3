"""What a model said is kept and read as it was."""

import numpy as np

from onoma.corpus.clustering import Clustering
from onoma.kb.database import write_knowledge_base
from onoma.kb.own.answer import answer_of, own_pairs, read_own, store_own
from onoma.resolve.contract import Pairs, Posterior

NUMBERS = np.array([10, 11, 12, 13])


def posterior(samples):
    clustering = Clustering.from_labels([0, 0, 1, 2])
    pairs = Pairs(np.array([0], np.int32), np.array([1], np.int32), np.array([0.9]))
    return Posterior(clustering=clustering, probability=np.array([0.9, 0.9, 0.6, 1.0]), pairs=pairs, samples=samples)


def test_samples_are_read_as_they_were_kept(own):
    drawn = np.array([[0, 0, 2, 3], [0, 0, 0, 3], [0, 0, 2, 3]], dtype=np.int32)
    answer = answer_of(posterior(drawn), NUMBERS)
    assert answer.is_sampled and [len(each) for each in answer.roots] == [3, 3, 3, 1]
    with write_knowledge_base(own) as base:
        store_own(base, answer)
        again = read_own(base, np.array([11, 12, 13, 999]))
    assert again.first.tolist() == [10, 12, 13, 999] and again.probability.tolist() == [0.9, 0.6, 1.0, 1.0]
    rows = again.samples()
    assert (rows[:, 0] == rows[:, 1]).tolist() == [False, True, False]
    assert (rows[:, 2] == 13).all() and (rows[:, 3] == 999).all()


def test_a_model_with_one_answer_has_that():
    answer = answer_of(posterior(None), NUMBERS)
    assert not answer.is_sampled and answer.samples().tolist() == [[10, 10, 12, 13]]


def test_pairs_that_only_samples_hold_together_are_told_too():
    drawn = np.array([[0, 0, 2, 3], [0, 0, 0, 3]], dtype=np.int32)
    found = own_pairs(posterior(drawn), NUMBERS)
    assert dict(zip(zip(found.a.tolist(), found.b.tolist(), strict=True), found.probability.tolist(), strict=True)) == {
        (10, 11): 0.9,
        (10, 12): 0.5,
    }
    odds = found.table()["log_copy"].to_numpy()
    assert np.allclose(1 / (1 + np.exp(-odds)), found.probability)
